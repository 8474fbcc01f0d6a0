# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of partitions of emitted programs, on a stand-in for torch that records what is
launched under capture and runs it at each replay, on the same memory."""

import contextlib
import itertools
import sys
import types

addresses = itertools.count(1000)
capturing = None # The closures of the graph that is being recorded.
launches = 0 # Outside of graphs.


class Tensor:
    is_cuda, dtype, device = True, "float32", "cuda:0"

    def __init__(self, data):
        self.data, self.address = data, next(addresses)

    def size(self):
        return (len(self.data),)

    def stride(self):
        return (1,)

    def data_ptr(self):
        return self.address

    def copy_(self, other):
        assert capturing is None, "a copy outside of the graph"
        self.data[:] = other.data
        return self

    def record_stream(self, stream):
        pass


def launch(work):
    global launches
    if capturing is not None:
        capturing.append(work)
    else:
        launches += 1
        work()


class CUDAGraph:
    def __init__(self):
        self.work = []

    def replay(self):
        for each in self.work:
            each()


@contextlib.contextmanager
def graph(recorded, pool, stream, capture_error_mode):
    global capturing
    assert capture_error_mode == "relaxed" and pool == "pool"
    capturing = recorded.work
    try:
        yield
    finally:
        capturing = None


stream = types.SimpleNamespace(wait_stream=lambda other: None)
torch = types.ModuleType("torch")
torch.Tensor = Tensor
torch.empty_strided = lambda sizes, strides, dtype, device: Tensor([float("nan")] * sizes[0])
torch.cuda = types.SimpleNamespace(
    CUDAGraph=CUDAGraph, graph=graph, graph_pool_handle=lambda: "pool", Stream=lambda device: stream,
    current_stream=lambda device: stream, stream=lambda s: contextlib.nullcontext(),
    device=lambda device: contextlib.nullcontext())
sys.modules["torch"] = torch

from coil.graphs import Capture, capture  # pylint: disable=wrong-import-position

fails = False


def partition(args):
    """x * factor + bias, in x's memory, which it takes over."""
    x, bias, factor = args
    args.clear()
    if fails:
        raise RuntimeError("cannot be captured\nat all")
    launch(lambda: x.data.__setitem__(slice(None), [v * factor for v in x.data]))
    y = torch.empty_strided((len(x.data),), (1,), "float32", "cuda:0")
    launch(lambda: y.data.__setitem__(slice(None), [a + b for a, b in zip(x.data, bias.data)]))
    return (y, x)


def call(kept, values, factor, bias):
    args = [Tensor(list(values)), bias, factor]
    y, x = kept(args)
    assert args == [], "a partition takes its arguments"
    expected = [v * factor for v in values]
    assert x.data == expected, (x.data, expected)
    assert y.data == [a + b for a, b in zip(expected, bias.data)], y.data
    return y


weights = Tensor([1.0, 2.0])
kept = capture(partition)
old = call(kept, [1, 2], 3, weights)
assert (kept.warmups, kept.recorded, kept.replayed, launches) == (1, 0, 0, 2)
call(kept, [3, 4], 3, weights)
before = launches
results = [call(kept, [i, i + 1], 3, weights) for i in range(5)]
assert launches == before, "replays launch nothing themselves"
assert (kept.warmups, kept.recorded, kept.replayed) == (1, 1, 6)
# What an earlier call gave is its caller's.
assert [r.data for r in results] == [[i * 3 + 1.0, i * 3 + 5.0] for i in range(5)]
assert old.data == [4.0, 8.0]
# Weights stay where they are, and are not copied; elsewhere they are.
(recording,) = kept._recordings.values()
assert recording.inputs[1] is weights
other = Tensor([10.0, 20.0])
call(kept, [1, 2], 3, other)
assert weights.data == [1.0, 2.0], "a replay must not write to weights"
assert kept.recorded == 2
call(kept, [1, 2], 3, weights)
assert kept.recorded == 2

# Numbers and sizes have graphs of their own, and there are so many at most.
few = Capture(partition, limit=2)
for factor in (2, 3, 4):
    for _ in range(3):
        call(few, [1, 2], factor, weights)
    call(few, [1, 2, 3], factor, Tensor([0.0, 0.0, 0.0]))
assert len(few._recordings) == 2
assert few.warmups == 6 and few.recorded == 3

# What cannot be recorded is called, and says why.
bad = capture(partition)
call(bad, [1, 2], 3, weights)


original = partition


def only_plain(args):
    global fails
    fails = capturing is not None
    try:
        return original(args)
    finally:
        fails = False


bad.function = only_plain
for _ in range(3):
    call(bad, [5, 6], 3, weights)
assert bad.plain == 3 and bad.recorded == 0
assert dict(bad.failures) == {"cannot be captured": 1}, bad.failures

try:
    Capture(partition, limit=0)
    raise SystemExit("a limit of 0 was taken")
except ValueError:
    pass
print("graphs of partitions agree")
