import ctypes
import sys

import coil
from coil._library import CTensor, check, library

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
