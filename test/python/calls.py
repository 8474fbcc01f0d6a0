import array
import gc
import resource
import sys
import threading

import coil

program = coil.compile(sys.argv[1])
a = memoryview(array.array("f", range(12))).cast("B").cast("f", (3, 4))
b = array.array("f", [1, 2, 3, 4])
first = program.run(a, b)
expected = first[0].tolist()

# One output keeps the whole run, and what the run read, whoever made it.
# CHECK: [1.0, 3.0, 5.0, 7.0]
last = coil.compile(sys.argv[1]).run(a, array.array("f", b))[0]
gc.collect()
print(last.tolist()[0])

# Nothing is left behind, by calls that end and by calls that fail.
references = [sys.getrefcount(x) for x in (program, a, b, coil.Tensor)]


def calls(count):
    for _ in range(count):
        program.run(first[0], b)
        try:
            program.run(first[0])
        except coil.InputError:
            pass


calls(2000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
calls(50000)
# CHECK-NEXT: True True
print(
    resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048,
    references == [sys.getrefcount(x) for x in (program, a, b, coil.Tensor)],
)

# Threads call one program at the same time.
wrong = []


def work():
    for _ in range(500):
        if program.run(a, b)[0].tolist() != expected:
            wrong.append(threading.current_thread())


threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# CHECK-NEXT: 0
print(len(wrong))


def attempt(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


# CHECK-NEXT: TypeError: 'like' has no '__dlpack_c_exchange_api__' of version 1
attempt(lambda: program.run(a, b, like=int))
# CHECK-NEXT: TypeError: {{.+}}
attempt(lambda: program.run(a, b, stream="x"))
# CHECK-NEXT: TypeError: {{.*}}'str'
attempt(lambda: program.run(a, b, device="x"))
# CHECK-NEXT: OverflowError: {{.+}}
attempt(lambda: program.run(a, b, device=2**80))
# CHECK-NEXT: OverflowError: no device has the number 4294967296
attempt(lambda: program.run(a, b, device=2**32))
# CHECK-NEXT: ValueError: expected the address of a tensor
attempt(lambda: coil.Tensor(0, None))

# Names of arguments, also those that code has made.
# CHECK-NEXT: TypeError: run() got an unexpected keyword argument 'stram'
attempt(lambda: program.run(a, b, stram=0))
# CHECK-NEXT: TypeError: bind() got an unexpected keyword argument 'donate'
attempt(lambda: program.bind(a, b, donate=(0,)))
# CHECK-NEXT: InputError: there is no input 2 to donate, there are 2
attempt(lambda: program.run(a, b, **{"".join(("don", "ate")): (2,)}))
# CHECK-NEXT: TypeError: {{.+}}
attempt(lambda: program.run(a, b, donate=1))
# CHECK-NEXT: True
print(program.run(a, b, donate=())[0].tolist() == expected)
# More inputs than a call can hold without memory of its own.
# CHECK-NEXT: InputError: expected 2 inputs but got 40
attempt(lambda: program.run(*([a] * 40)))
# CHECK-NEXT: InputError: expected 2 inputs but got 0
attempt(lambda: program.run())
