import ctypes
import gc
import os
import sys
import threading

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import fake_torch
from coil._library import call as extension
from fake_torch import Tensor, count, library, make_stream, on_stream, tensor

GPU = "target=cuda:sm_90 library=none"
# What `import coil` sets is called before the first run on tensors of another library, until it has chosen.
asked = []
extension.set_memory_hook(lambda: asked.append(1) or len(asked) == 2)
unset = coil.compile(sys.argv[1], options=GPU)
inputs = tensor([1.0] * 8, 2, 4), tensor([1.0] * 4, 4)
for _ in range(4):
    unset.run(*inputs)
print("asked", len(asked))
# CHECK: asked 2
del unset, inputs
fake_torch.install()
program = coil.compile(sys.argv[1], options=GPU)
b = tensor([1.0, 2.0, 3.0, 4.0], 4)


def call(run, rows=3, stream=0, value=1.0, strides=True):
    with on_stream(stream):
        a = tensor([value] * (4 * rows), rows, 4)
        return run(a, b, stream=stream, device=0, like=Tensor, **({"strides": (4, 1, 1)} if strides else {}))


# Results are tensors of the allocator, whether strides are asked for or not, from the first run on, and no
# memory but theirs outlives the run.
before = count("live")
for strides in (True, False, True):
    y, total = call(program.run, strides=strides)
    print([r.kind for r in (y, total)], [r.sizes for r in (y, total)], y.tolist()[:4], total.tolist(),
          count("live") - before)
# CHECK-NEXT: ['own', 'own'] [(3, 4), (3,)] [2.0, 3.0, 4.0, 5.0] [14.0, 14.0, 14.0] 2
# CHECK-NEXT: ['own', 'own'] [(3, 4), (3,)] [2.0, 3.0, 4.0, 5.0] [14.0, 14.0, 14.0] 2
# CHECK-NEXT: ['own', 'own'] [(3, 4), (3,)] [2.0, 3.0, 4.0, 5.0] [14.0, 14.0, 14.0] 2
# Each is free when its tensor is.
in_use = count("in use")
del y
print(in_use - count("in use"), count("live") - before)
# CHECK-NEXT: 48 1
del total
print(count("live") - before)
# CHECK-NEXT: 0

# Outputs that are no tensors of the library are of its pool, too.
outputs = program.run(tensor([1.0] * 8, 2, 4), b)
print(type(outputs[0]).__name__, count("live") - before)
# CHECK-NEXT: Tensor 3
del outputs
# What was not taken in an earlier run is one result of the allocator all the same, by a copy once.
for _ in range(2):
    y, total = call(program.run)
    print([r.kind for r in (y, total)], total.tolist())
    del y, total
# CHECK-NEXT: ['own', 'own'] [14.0, 14.0, 14.0]
# CHECK-NEXT: ['own', 'own'] [14.0, 14.0, 14.0]

# Memory of a run is that of its stream.
streams = [make_stream(), make_stream()]
for stream in streams:
    y, total = call(program.run, stream=stream)
    print([r.stream == stream for r in (y, total)], total.tolist())
    del y, total
# CHECK-NEXT: [True, True] [14.0, 14.0, 14.0]
# CHECK-NEXT: [True, True] [14.0, 14.0, 14.0]
# A run with a stream of its own has memory of that one, and gives it back.
gc.collect()
live, allocations = count("live"), count("allocations")
host = [memoryview((ctypes.c_float * n)(*[1.0] * n)).cast("B").cast("f", sizes) for n, sizes in ((8, (2, 4)), (4, (4,)))]
y, total = program.run(*host)
print(list((ctypes.c_float * 2).from_address(total._data)), count("allocations") > allocations, count("live") - live)
# CHECK-NEXT: [8.0, 8.0] True 4
del y, total
gc.collect()
print(count("live") - live)
# CHECK-NEXT: 0

# Out of memory is an error with the place in the model; what the run had is free, and all goes on.
gc.collect()
live = count("live")
a = tensor([1.0] * 240, 60, 4)
library.fake_torch_set_limit(count("in use") + 64)
try:
    program.run(a, b, stream=0, device=0, like=Tensor, strides=(4, 1, 1))
except coil.RunError as error:
    print(f"{type(error).__name__}: {error}")
# CHECK-NEXT: RunError: out of memory: PyTorch's allocator has no 240 bytes on CUDA device 0 ({{.*}}): it had emptied its cache, and has printed the reason above, in allocation ({{.*}}program.mlir:4)
print(count("retries"), count("failures"), count("live") - live - 1)
# CHECK-NEXT: 1 1 0
library.fake_torch_set_limit(-1)
y, total = program.run(a, b, stream=0, device=0, like=Tensor, strides=(4, 1, 1))
print(total.tolist()[:2])
# CHECK-NEXT: [14.0, 14.0]
del a, y, total

# What a program keeps is no memory of the pool that a thread allocates from, results are.
kept = coil.compile(sys.argv[2], options=GPU)
a = tensor([0.0] * 8, 2, 4)
library.fake_torch_use_pool(7)
y, = kept.run(a, stream=0, device=0, like=Tensor, strides=(4, 1))
library.fake_torch_use_pool(0)
print(y.tolist()[:4], library.fake_torch_pool(7))
# CHECK-NEXT: [1.0, 2.0, 3.0, 5.0] 32
del y
gc.collect()
live = count("live")
del kept
gc.collect()
print(live - count("live"), library.fake_torch_pool(7))
# CHECK-NEXT: {{[01]}} 0

# Threads with streams of their own.
failures = []


def work(stream, value):
    library.fake_torch_use_stream(0, stream)
    x = tensor([value] * 12, 3, 4)
    for _ in range(20):
        y, total = program.run(x, b, stream=stream, device=0, like=Tensor)
        if total.tolist() != [4 * value + 10] * 3 or y.stream != stream:
            failures.append(value)


gc.collect()
live = count("live")
threads = [threading.Thread(target=work, args=(make_stream(), float(i))) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
gc.collect()
print(failures, count("live") - live)
# CHECK-NEXT: [] 0

# Graphs that the program keeps have memory of the allocator, and results are tensors of it.
graphed = coil.compile(sys.argv[1], options=GPU, cuda_graphs=4)
for step in range(4):
    y, total = call(graphed.run, value=float(step))
    print([r.kind for r in (y, total)], total.tolist())
# CHECK-NEXT: ['own', 'own'] [10.0, 10.0, 10.0]
# CHECK-NEXT: ['own', 'own'] [14.0, 14.0, 14.0]
# CHECK-NEXT: ['own', 'own'] [18.0, 18.0, 18.0]
# CHECK-NEXT: ['own', 'own'] [22.0, 22.0, 22.0]
print(graphed.graph_stats["calls"])
# CHECK-NEXT: {{.*}}'replayed': 3}
del graphed, y, total, b, a
gc.collect()
print(count("errors"))
# CHECK-NEXT: 0
