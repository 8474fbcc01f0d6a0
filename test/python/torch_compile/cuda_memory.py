#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""torch.compile(backend="coil") and coil.compile on a GPU take memory from PyTorch's caching
allocator: peaks, results, out of memory, streams, threads and CUDA graphs."""

import gc
import sys
import threading

import torch
from checks import compile, equal, main, raises

import coil

MB = 1 << 20


def get_in_use():
    gc.collect()
    torch.cuda.synchronize()
    return torch.cuda.memory_allocated()


def measure(function):
    """The peak of a call above what was in use, after one call that loads and compiles."""
    function()
    before = get_in_use()
    torch.cuda.reset_peak_memory_stats()
    result = function()
    return torch.cuda.max_memory_allocated() - before, result


def test_peak():
    x = torch.rand(16 * MB // 4, device="cuda")

    def function(x):
        y = torch.sin(x) * 2
        return y.cumsum(0), y.flip(0)

    torch._dynamo.reset()
    compiled = compile(function)
    ours, actual = measure(lambda: compiled(x))
    theirs, expected = measure(lambda: function(x))
    equal(actual, expected, rtol=1e-3, atol=1e-3)
    # The results are 32 MB, whoever makes them.
    assert 32 * MB <= ours <= theirs + MB, (ours, theirs)
    in_use = get_in_use()
    first, second = actual
    del actual, first
    assert in_use - get_in_use() == 16 * MB, "results are free one by one"
    del second
    assert in_use - get_in_use() == 32 * MB


def test_training_peak():
    linear = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU())
                                   for _ in range(4)]).cuda()
    x = torch.randn(4096, 512, device="cuda")

    def step(call):
        linear.zero_grad(set_to_none=True)
        call(x).sum().backward()

    torch._dynamo.reset()
    compiled = compile(linear)
    ours, _ = measure(lambda: step(compiled))
    theirs, _ = measure(lambda: step(linear))
    assert ours <= 1.1 * theirs, (ours, theirs)
    linear.zero_grad(set_to_none=True)


def test_results_belong_to_the_allocator():
    torch._dynamo.reset()
    compiled = compile(lambda x: (x + 1, (x * 2).to(torch.bfloat16), x.sum()))
    for result in compiled(torch.rand(1000, 10, device="cuda")):
        # What only tensors of the allocator can do: to wait for another stream before memory is used again.
        side = torch.cuda.Stream()
        pointer, count = result.data_ptr(), result.numel()
        with torch.cuda.stream(side):
            torch.cuda._sleep(50_000_000)
            kept = result.clone()
        result.record_stream(side)
        value, dtype = result.cpu(), result.dtype
        del result
        others = [torch.empty(count, device="cuda", dtype=dtype).zero_() for _ in range(4)]
        assert all(other.data_ptr() != pointer for other in others), "the memory is used again too early"
        torch.cuda.synchronize()
        equal(kept.cpu(), value)


def test_out_of_memory():
    def function(x):
        return torch.sin(x), torch.cos(x).flip(0)

    torch._dynamo.reset()
    compiled = compile(function)
    small = torch.rand(1 << 20, device="cuda")
    equal(compiled(small), function(small))
    large = torch.rand(64 * MB, device="cuda")
    compiled(torch.rand(1 << 19, device="cuda"))  # From now on sizes are symbols.
    gc.collect()
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + 300 * MB) / total)
    try:
        before = get_in_use()
        # The exception itself refers to tensors of the call.
        error = str(raises(coil.RunError, "out of memory: PyTorch's allocator", compiled, large))
        assert "cuda_memory.py:" in error, error
        assert get_in_use() == before, "a run that fails frees what it had"
        equal(compiled(small), function(small))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    equal(compiled(large), function(large))


def test_streams_and_threads():
    def function(x):
        y = x.sin()
        return y.cumsum(-1) + y.amax(-1, keepdim=True)

    torch._dynamo.reset()
    compiled = compile(function)
    inputs = [torch.rand(64 + i, 4096, device="cuda") for i in range(4)]
    expected = [function(x) for x in inputs]
    for x in inputs:
        compiled(x)
    failures = []

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(100):
                if not torch.allclose(compiled(inputs[i]), expected[i], rtol=1e-3, atol=1e-3):
                    failures.append(i)

    torch.cuda.synchronize()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()
    assert not failures, failures


def test_compiled_models():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(1024, 1024)

        def forward(self, x):
            return self.linear(x).relu()

    module = Model().cuda().eval()
    x = torch.rand(256, 1024, device="cuda")
    with torch.no_grad():
        module(x)  # Its libraries allocate workspaces.
    before = get_in_use()
    model = coil.compile(module, args=(x,), options="target=cuda")
    with torch.no_grad():
        actual, expected = model(x), module(x)
    torch.testing.assert_close(actual, expected, rtol=1e-2, atol=1e-2)
    # Weights of the program and the result.
    assert get_in_use() - before >= 4 * MB + 2 * 256 * 1024 * 4
    del model, actual, expected
    assert get_in_use() - before < MB, get_in_use() - before


# Buffers that a compiled model updates are state in the memory of the GPU: nothing is copied for a call.
def test_state():
    class Cache(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("cache", torch.zeros(4096, 1024))

        def forward(self, x, row):
            self.cache.index_copy_(0, row, x)
            return self.cache.sum(0)

    module = Cache().cuda()
    x, row = torch.rand(1, 1024, device="cuda"), torch.tensor([3], device="cuda")
    model = coil.compile(Cache().cuda(), args=(x, row), options="target=cuda update-inputs=true")
    for i in range(4):
        used, actual = measure(lambda: model(x + i, row + i))
        torch.testing.assert_close(actual, module(x + i, row + i), rtol=1e-4, atol=1e-4)
        assert used < 4 * MB, used
    assert model.program.weights_info["active"] == 0, model.program.weights_info


def test_kept_graphs():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: (x @ x).softmax(-1) @ x, backend="coil", options={"cuda_graphs": 4})
    x = torch.rand(256, 256, device="cuda")
    expected = (x @ x).softmax(-1) @ x
    before = get_in_use()
    results = [compiled(x) for _ in range(5)]
    for result in results:  # No replay writes what an earlier one gave.
        torch.testing.assert_close(result, expected, rtol=1e-2, atol=1e-2)
    del results, result
    kept = get_in_use() - before
    assert kept < 4 * MB, kept
    del compiled
    torch._dynamo.reset()


if __name__ == "__main__":
    sys.exit(main(globals()))
