import ctypes
import sys

import coil
from coil._library import CTensor, Weight, check, library

model, weights = sys.argv[1:]


def floats(tensor):
    count = 1
    for size in tensor.shape:
        count *= size
    return list((ctypes.c_float * count).from_address(tensor._data))


program = coil.compile(model, weights=weights, options="target=cuda library=none", cuda_graphs=4)
handle, error = ctypes.c_void_p(), ctypes.c_void_p()
check(library.coil_weights_open(weights.encode(), ctypes.byref(handle), ctypes.byref(error)), error)
found = CTensor()
check(
    library.coil_weights_get(handle, b"f1.weight", ctypes.byref(found), ctypes.byref(error)), error
)
elements = (ctypes.c_float * (64 * 512)).from_address(found.data)
rows = type(elements)(*[2 * x for x in elements])
doubled = memoryview(rows).cast("B").cast("f", (64, 512))
x = memoryview((ctypes.c_float * 320)(*[i % 7 - 3 for i in range(320)])).cast("B").cast("f", (5, 64))

before = floats(program.run(x)[0])
for _ in range(3):
    assert floats(program.run(x)[0]) == before
program.update({"f1.weight": doubled}, complete=True)
program.prepare()
assert floats(program.run(x)[0]) == before
# CHECK: {'active': 0, 'inactive': 'prepared', 'num_sets': 2}
print(program.weights_info)
program.swap()
# The weight is in a product twice.
for _ in range(4):
    after = floats(program.run(x)[0])
    assert after == [4 * y for y in before], (after[:4], before[:4])
program.swap()
for _ in range(4):
    assert floats(program.run(x)[0]) == before
program.drop()
# CHECK: {'active': 0, 'inactive': None, 'num_sets': 1}
print(program.weights_info)
# Over and over: memory of sets that went serves new ones.
for factor in (2, 4, 1, 8, 2):
    for i in range(64 * 512):
        rows[i] = factor * elements[i]
    program.update({"f1.weight": doubled})
    program.swap()
    program.drop()
    for _ in range(3):
        assert floats(program.run(x)[0]) == [factor**2 * y for y in before], factor
# CHECK: {'active': 6, 'inactive': None, 'num_sets': 1}
print(program.weights_info)

# From the memory of a GPU; the second time every other row of twice as many.
run, memory = ctypes.c_void_p(), ctypes.c_void_p()
assert library.coil_run_create(ctypes.byref(run)) == 0
assert library.coil_run_set_cuda_device(run, 0) == 0
spread = (ctypes.c_float * (2 * 64 * 512))()
for i in range(64):
    for j in range(512):
        rows[i * 512 + j] = 4 * elements[i * 512 + j]
        spread[2 * i * 512 + j] = 8 * elements[i * 512 + j]
weight = Weight()
weight.name = b"f1.weight"
for factor, source, stride in ((4, rows, 512), (8, spread, 1024)):
    size = ctypes.c_int64(ctypes.sizeof(source))
    assert library.coil_rt_alloc_cuda(run, size, ctypes.byref(memory)) == 0
    assert library.coil_rt_upload_cuda(run, memory, source, size) == 0
    assert library.coil_run_synchronize(run) == 0
    sizes, strides = (ctypes.c_int64 * 2)(64, 512), (ctypes.c_int64 * 2)(stride, 1)
    weight.tensor = CTensor(memory, sizes, strides, 2, found.dtype, 1, 0)
    check(
        library.coil_program_update_weights(
            program._handle, ctypes.byref(weight), 1, None, ctypes.byref(error)
        ),
        error,
    )
    program.swap()
    assert floats(program.run(x)[0]) == [factor**2 * y for y in before], factor
library.coil_run_destroy(run)

# Each allocation fails once, on the host and on the GPU: an error, and all is as
# it was.
program.drop()
fail = library.coil_debug_fail_alloc_after
fail.argtypes, fail.restype = [ctypes.c_int64], ctypes.c_int64
calls = {
    "update": lambda: program.update({"f1.weight": doubled}),
    "swap": program.swap,
    "run": lambda: program.run(x),
}
failures = dict.fromkeys(calls, 0)
for name, call in calls.items():
    factor = 4 if name == "run" else 8
    for n in range(100):
        info = program.weights_info
        fail(n)
        try:
            result = call()
            raised = False
        except coil.RunError as failure:
            assert "out of memory" in str(failure), failure
            raised = True
        fired = fail(-1) < 0
        if not fired:
            assert not raised
            break
        # What cannot be recorded as a graph runs without one.
        assert raised or name == "run" and floats(result[0]) == [16 * y for y in before]
        failures[name] += 1
        assert program.weights_info == info
        assert floats(program.run(x)[0]) == [factor**2 * y for y in before], (name, n)
# CHECK: update {{[1-9]}} swap {{[1-9]}} run {{[1-9]}}
print(*(text for pair in failures.items() for text in pair))
assert floats(program.run(x)[0]) == [16 * y for y in before]
