import ctypes
import gc
import os
import sys

import coil
from coil._library import CTensor, check, library
from coil._tensor import CUDA, Tensor

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from gpu_memory import Memory, floats, refusal

chain, lookup, negate, random, item, weighted, weights = sys.argv[1:]
GPU = "target=cuda library=none"


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
# CHECK: RunError: the call cannot be bound to its memory: it is not one CUDA graph {{.*}}: what the host reads half-way cannot be part of a graph
print(refusal(lambda: coil.compile(negate).bind(memoryview((ctypes.c_float * 4)()))))
# CHECK: InputError: only calls of programs for a GPU can be bound to their memory

# Over and over: what is bound is freed again.
program = coil.compile(chain, options=GPU)
for _ in range(300):
    program.bind(x.tensor)()
print("done")
# CHECK: done
