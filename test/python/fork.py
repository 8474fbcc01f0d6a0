import array
import os
import signal
import sys

import coil


def run(path):
    program = coil.compile(path)
    (prompt,) = program.inputs
    sizes = [size if isinstance(size, int) else 8 for size in prompt["sizes"]]
    count = 1
    for size in sizes:
        count *= size
    ids = memoryview(array.array("q", (i % 60 for i in range(count)))).cast("B").cast("q", sizes)
    return program.run(ids)[0].tolist()


before = run(sys.argv[1])
child = os.fork()
if child == 0:
    # What waits for threads that are gone ends here, by a signal.
    signal.alarm(60)
    same = run(sys.argv[1]) == before
    os._exit(0 if same else 1)
_, status = os.waitpid(child, 0)
# CHECK: in the child: exit 0, signal 0
print(f"in the child: exit {status >> 8}, signal {status & 127}")
# CHECK-NEXT: in the parent: True
print("in the parent:", run(sys.argv[1]) == before)
