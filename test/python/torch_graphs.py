import gc
import os
import sys
from ctypes import byref, c_int, c_uint64, c_void_p

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import fake_torch
from fake_torch import Tensor, count, drive, library, make_stream, on_stream, tensor, write
from gpu_memory import Memory, refusal

GPU = "target=cuda:sm_90 library=none"
POOL, THREAD_LOCAL = 7, 1
fake_torch.install()
stream = make_stream()


def in_pool(function, *args):
    """A call whose memory is that of the pool, on the stream that captures: warm-up."""
    library.fake_torch_use_pool(POOL)
    try:
        with on_stream(stream):
            return function(*args, stream=stream, device=0, like=Tensor)
    finally:
        library.fake_torch_use_pool(0)


class Graph:
    """A captured call."""

    def __init__(self, function, *args):
        self.graph, self.exec = c_void_p(), c_void_p()
        drive("cuStreamBeginCapture_v2", c_void_p(stream), c_int(THREAD_LOCAL))
        try:
            self.results = in_pool(function, *args)
        finally:
            drive("cuStreamEndCapture", c_void_p(stream), byref(self.graph))
        drive("cuGraphInstantiateWithFlags", byref(self.exec), self.graph, c_uint64(0))

    def replay(self):
        drive("cuGraphLaunch", self.exec, c_void_p(stream))


def get_pool():
    gc.collect()
    return library.fake_torch_pool(POOL)


forward = coil.compile(sys.argv[1], options=GPU)
backward = coil.compile(sys.argv[2], options=GPU)
a, b = tensor([1.0] * 12, 3, 4), tensor([1.0, 2.0, 3.0, 4.0], 4)

# Nothing but results is in the pool behind a call, whether it warms up or is captured: what a tree of graphs
# checks. Kernels that were not loaded before are, while the stream is captured, and constants are no memory of
# the pool.
results = in_pool(forward.run, a, b)
print(get_pool())
# CHECK: 64
del results
print(get_pool())
# CHECK-NEXT: 0

first = Graph(forward.run, a, b)
y, total = first.results
place = total.data
del first.results, total
print(get_pool())
# CHECK-NEXT: 48

# A second graph reads what the first left alive, and may be where the rest was.
second = Graph(backward.run, y)
z, = second.results
del second.results
print(get_pool(), z.data != y.data)
# CHECK-NEXT: 96 True
for value in (1.0, 5.0):
    write(a, [value] * 12)
    first.replay()
    second.replay()
    print(y.tolist()[:4], z.tolist()[:4])
# CHECK-NEXT: [2.0, 3.0, 4.0, 5.0] [3.0, 5.0, 7.0, 10.0]
# CHECK-NEXT: [6.0, 7.0, 8.0, 9.0] [7.0, 9.0, 11.0, 14.0]

# Another path behind the first graph: what the second one's result had serves again.
place = z.data
del z
other = Graph(backward.run, y)
print(other.results[0].data == place, get_pool())
# CHECK-NEXT: True 96
write(a, [0.0] * 12)
first.replay()
other.replay()
print(other.results[0].tolist()[:4])
# CHECK-NEXT: [2.0, 4.0, 6.0, 9.0]
del other, second, first, y
print(get_pool(), count("errors"))
# CHECK-NEXT: 0 0

# An index out of range is found in each replay, after the run that was captured has ended, and reported to
# whoever waits for the device.
lookup = coil.compile(sys.argv[3], options=GPU)
table, places = Memory([float(i) for i in range(24)], (8, 3)), Memory([i % 8 for i in range(24)], (8, 3), "i64")
graph = Graph(lookup.run, table.tensor, places.tensor)
gc.collect()
for i in range(2):
    graph.replay()
    print(refusal(lambda: lookup.run(table.tensor, table_of_zeros.tensor)) if i else "no error yet")
    if i == 0:
        places.write([8] * 24)
        table_of_zeros = Memory([0] * 24, (8, 3), "i64")
# CHECK-NEXT: no error yet
# CHECK-NEXT: RunError: an earlier run failed in kernel 'gather_0' ({{.*}}): index out of range
places.write([7] * 24)
graph.replay()
print(refusal(lambda: lookup.run(table.tensor, table_of_zeros.tensor)), graph.results[0].tolist()[0])
# CHECK-NEXT: no error 21.0
