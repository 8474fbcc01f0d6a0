#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""mode="reduce-overhead" on a GPU: graphs are captured in PyTorch's trees, whose rules hold."""

import gc
import sys
import threading

import torch
import torch.nn.functional as F
from checks import equal, main, raises
from torch._inductor import cudagraph_trees

import coil


def reduce_overhead(function, **options):
    torch._dynamo.reset()
    # PyTorch takes a mode or options, not both.
    return torch.compile(function, backend="coil", mode="reduce-overhead", **options)


def is_in_pool(result):
    """Whether the memory of a result is in the pool of the tree."""
    manager = cudagraph_trees.get_manager(0, create_if_none_exists=False)
    segments = cudagraph_trees.get_cudagraph_segments(manager.cuda_graphs_thread_pool)
    return any(s["address"] <= result.data_ptr() < s["address"] + s["total_size"] for s in segments)


def test_captures():
    def function(x, w):
        return torch.softmax(x @ w, -1), x.sum(0)

    x, w = torch.rand(33, 17, device="cuda"), torch.rand(17, 9, device="cuda")
    compiled = reduce_overhead(function)
    for i in range(5):
        y = x + i
        results = compiled(y, w)
        equal(results, function(y, w), rtol=1e-3, atol=1e-3)
    assert all(map(is_in_pool, results))
    explained = str(coil.explain(function, x, w, mode="reduce-overhead"))
    assert "captured as a whole in a CUDA graph" in explained, explained


# What a step returned is not there any more when the next one begins; using it says so as long as graphs are
# warmed up and captured, later there is what the next step returns.
def test_stale_results():
    compiled = reduce_overhead(lambda x: x.sin() * 2)
    x = torch.rand(1000, device="cuda")
    message = "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run"
    first = compiled(x)
    second = compiled(x)
    raises(RuntimeError, message, lambda: first + 1)
    compiled(x)
    raises(RuntimeError, message, lambda: second + 1)
    compiled(x)
    third = compiled(x)
    kept = third.clone()
    compiled(x + 1)
    equal(kept, x.sin() * 2)
    equal(third, (x + 1).sin() * 2)


# Two calls are one step as long as the caller says so.
def test_steps():
    compiled = reduce_overhead(lambda x: x.sin() + 1)
    x = torch.rand(1000, device="cuda")
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        first = compiled(x)
        second = compiled(first)
        equal((first, second), (x.sin() + 1, (x.sin() + 1).sin() + 1))


# A graph that comes after another one, with a graph break between, reads what that left alive.
def test_graph_breaks():
    def function(x):
        y = x.sin()
        torch._dynamo.graph_break()
        z = y.cos() * 2
        torch._dynamo.graph_break()
        return y + z

    compiled = reduce_overhead(function)
    for i in range(5):
        x = torch.rand(64, 64, device="cuda")
        equal(compiled(x), function(x))


# Operators that PyTorch's dispatcher is called for are in the graph, too.
def test_calls_between_pieces():
    @torch.library.custom_op("coil_test::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    twice.register_fake(torch.empty_like)

    def function(x):
        return torch.ops.coil_test.twice(x.sin()).cos()

    compiled = reduce_overhead(function)
    for i in range(4):
        x = torch.rand(100, device="cuda") + i
        equal(compiled(x), function(x))


def make_model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128),
                               torch.nn.Linear(128, 8)).cuda()


def test_training():
    losses = []
    for call in (lambda model: model, reduce_overhead):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        function, found = call(model), []
        for step in range(8):
            generator = torch.Generator(device="cuda").manual_seed(step)
            x = torch.randn(32, 64, device="cuda", generator=generator)
            optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(function(x), x[:, :8])
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        losses.append(found)
    torch.testing.assert_close(torch.tensor(losses[1]), torch.tensor(losses[0]), rtol=1e-3, atol=1e-4)


# Sizes are keys of graphs.
def test_dynamic_sizes():
    def function(x):
        return x.softmax(-1) * x.shape[0]

    compiled = reduce_overhead(function, dynamic=True)
    for _ in range(4):
        for rows in (3, 8, 5):
            x = torch.rand(rows, 64, device="cuda")
            equal(compiled(x), function(x))


# What no tree can hold is captured piece by piece: results stay as they are.
def test_pieces():
    def update(cache, x):
        cache[1:3] = x * 2
        return cache.sum(0)

    compiled = reduce_overhead(update)
    cache, expected = torch.zeros(8, 4, device="cuda"), torch.zeros(8, 4, device="cuda")
    kept = []
    for i in range(5):
        x = torch.rand(2, 4, device="cuda")
        kept.append((compiled(cache, x), update(expected, x)))
        equal(cache, expected)
    for actual, wanted in kept:
        equal(actual, wanted)

    x = torch.rand(1000, device="cuda")
    drop = reduce_overhead(lambda x: F.dropout(x, 0.5))
    results = [drop(x) for _ in range(5)]
    assert len({result.sum().item() for result in results}) == 5, "each call draws numbers of its own"


# Other threads call the function without graphs.
def test_threads():
    compiled = reduce_overhead(lambda x: x.sin().cumsum(0))
    inputs = [torch.rand(1000, device="cuda") for _ in range(4)]
    for _ in range(3):
        compiled(inputs[0])
    failures = []

    def work(x):
        for _ in range(50):
            if not torch.allclose(compiled(x), x.sin().cumsum(0), rtol=1e-3, atol=1e-3):
                failures.append(1)

    threads = [threading.Thread(target=work, args=(x,)) for x in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# Graphs that run one after the other share a pool: its size is that of the largest, not the sum.
def test_memory():
    x = torch.rand(4 << 20, device="cuda")
    functions = [reduce_overhead(lambda x: (x.cumsum(0).flip(0).cumsum(0)).sum())]
    functions += [reduce_overhead(lambda x, i=i: (x.flip(0).cumsum(0) * i).cumsum(0).sum()) for i in range(2, 5)]
    gc.collect()
    torch.cuda.empty_cache()
    reserved = []
    for function in functions:
        for _ in range(4):
            torch.compiler.cudagraph_mark_step_begin()
            function(x)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        reserved.append(torch.cuda.memory_reserved())
    # The input of the first graph is 16 MB; later graphs take what it left.
    assert reserved[-1] <= reserved[0] + (24 << 20), [r >> 20 for r in reserved]


if __name__ == "__main__":
    sys.exit(main(globals()))
