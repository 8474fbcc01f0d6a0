import ctypes
import gc
import sys

import coil
from coil._library import CTensor, check, library
from coil._tensor import CUDA, Tensor, _contiguous, _make

chain, lookup, negate, random, item, weighted, weights = sys.argv[1:]
GPU = "target=cuda library=none"


class Memory:
    """A tensor in the memory of the simulated GPU."""

    def __init__(self, values, sizes, dtype="f32"):
        self.kind = (ctypes.c_float if dtype == "f32" else ctypes.c_int64) * len(values)
        self.run, self.data = ctypes.c_void_p(), ctypes.c_void_p()
        assert library.coil_run_create(ctypes.byref(self.run)) == 0
        assert library.coil_run_set_cuda_device(self.run, 0) == 0
        size = ctypes.c_int64(ctypes.sizeof(self.kind))
        assert library.coil_rt_alloc_cuda(self.run, size, ctypes.byref(self.data)) == 0
        self.write(values)
        self.described = _make(self.data.value, dtype, sizes, _contiguous(sizes), CUDA, 0)
        self.tensor = Tensor(ctypes.addressof(self.described), self)

    def write(self, values):
        size = ctypes.c_int64(ctypes.sizeof(self.kind))
        assert library.coil_rt_upload_cuda(self.run, self.data, self.kind(*values), size) == 0
        assert library.coil_run_synchronize(self.run) == 0

    def __del__(self):
        library.coil_run_destroy(self.run)


# To read the memory of the GPU with.
reader = Memory([0.0], (1,))


def floats(tensor):
    count = 1
    for size in tensor.shape:
        count *= size
    result = (ctypes.c_float * count)()
    size = ctypes.c_int64(4 * count)
    assert library.coil_rt_download_cuda(reader.run, result, ctypes.c_void_p(tensor._data), size) == 0
    assert library.coil_run_synchronize(reader.run) == 0
    return list(result)


def refusal(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()}"
    return "no error"


program = coil.compile(chain, options=GPU)
x = Memory([float(i % 5) for i in range(28)], (7, 4))
bound = program.bind(x.tensor)
outputs = bound.outputs
# Nothing has run: the first launch makes the results.
assert floats(outputs[0]) != floats(program.run(x.tensor)[0])
for step in range(5):
    x.write([float((i * 3 + step) % 7) for i in range(28)])
    assert bound() is outputs
    # Each launch reads what is there now, and writes where the first one did.
    for found, expected in zip(outputs, program.run(x.tensor)):
        assert floats(found) == floats(expected), step
print("same outputs", [tuple(o.shape) for o in outputs])
# CHECK: same outputs [(7, 4), (7, 1)]

# On a stream of the caller's nothing waits; the legacy stream is one.
streamed = program.bind(x.tensor, stream=0)
for found, expected in zip(streamed(), outputs):
    assert floats(found) == floats(expected)

# Outputs outlive the bound call and the program; memory goes with the last.
kept = floats(outputs[0])
del program, bound, streamed
gc.collect()
assert floats(outputs[0]) == kept

# It holds on to the weights that it was bound with.
program = coil.compile(weighted, weights=weights, options=GPU)
y = Memory([float(i % 7 - 3) for i in range(320)], (5, 64))
bound = program.bind(y.tensor)
before = floats(bound()[0])
handle, error, found = ctypes.c_void_p(), ctypes.c_void_p(), CTensor()
check(library.coil_weights_open(weights.encode(), ctypes.byref(handle), ctypes.byref(error)), error)
check(library.coil_weights_get(handle, b"f1.weight", ctypes.byref(found), ctypes.byref(error)), error)
old = (ctypes.c_float * (64 * 512)).from_address(found.data)
doubled = memoryview((ctypes.c_float * (64 * 512))(*[2 * v for v in old])).cast("B").cast("f", (64, 512))
program.update({"f1.weight": doubled})
program.swap()
program.drop()
assert floats(bound()[0]) == before
assert floats(program.bind(y.tensor)()[0]) == [4 * v for v in before]
print("weights", program.weights_info["num_sets"])
# CHECK: weights 2
del bound
gc.collect()
print("weights", program.weights_info["num_sets"])
# CHECK: weights 1

# An index out of range is an error of the launch that met it.
program = coil.compile(lookup, options=GPU)
table = Memory([float(i) for i in range(24)], (8, 3))
places = Memory([i % 8 for i in range(24)], (8, 3), "i64")
bound = program.bind(table.tensor, places.tensor)
bound()
places.write([8 if i == 5 else i % 8 for i in range(24)])
print(refusal(bound))
# CHECK: RunError: index out of range in kernel 'gather_0' ({{.*}}lookup.mlir:2)
places.write([7] * 24)
assert floats(bound()[0])[5] == 23

# What cannot be bound, and what is no call.
program = coil.compile(chain, options=GPU)
print(refusal(lambda: program.bind(memoryview((ctypes.c_float * 8)()).cast("B").cast("f", (2, 4)))))
# CHECK: InputError: a bound call reads its inputs where they are, but input 'x' is in host memory
print(refusal(lambda: program.bind(Memory([0.0] * 10, (2, 5)).tensor)))
# CHECK: InputError: input 0 ('x'), dimension 1: expected size 4 but got 5
print(refusal(lambda: program.bind(x.tensor)(1)))
# CHECK: TypeError: a bound call takes no arguments
print(refusal(lambda: coil.compile(random, options=GPU).bind()))
# CHECK: InputError: the program draws random numbers, which would be the same at every launch of a bound call
program = coil.compile(item, options=GPU)
print(refusal(lambda: program.bind(Memory([1.0] * 64, (16, 4)).tensor)))
# CHECK: RunError: the call cannot be bound to its memory: it is not one CUDA graph
print(refusal(lambda: coil.compile(negate).bind(memoryview((ctypes.c_float * 4)()))))
# CHECK: InputError: only calls of programs for a GPU can be bound to their memory

# Over and over: what is bound is freed again.
program = coil.compile(chain, options=GPU)
for _ in range(300):
    program.bind(x.tensor)()
print("done")
# CHECK: done
