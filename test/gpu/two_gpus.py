#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on two GPUs, against torch eager: copies from one to the other, strided ones,
of many sizes, with inputs that change from call to call, and sources that are freed and
overwritten right behind the copy; partitions as graphs on both, and calls that are bound to
their memory, as one graph of both.

    PYTHONPATH=<install>/python two_gpus.py [folder for files]

Needs torch with CUDA and two GPUs. Exit status 0 and a last line that begins with "all
agree" mean that everything is right.
"""
import os
import sys
import tempfile
import warnings

import torch
from torch.export import Dim

import coil

warnings.filterwarnings("ignore")
torch.backends.cuda.matmul.allow_tf32 = False
A, B = torch.device("cuda:0"), torch.device("cuda:1")
programs = calls = 0


class Layers(torch.nn.Module):
    """A stage on each GPU, and a step back."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Linear(96, 256), torch.nn.GELU(),
                                         torch.nn.Linear(256, 128)).to(A)
        self.second = torch.nn.Sequential(torch.nn.LayerNorm(128), torch.nn.Linear(128, 64),
                                          torch.nn.ReLU()).to(B)
        self.third = torch.nn.Linear(64, 32).to(A)

    def forward(self, x):
        h = self.first(x)
        y = self.second(h.to(B))
        return y, self.third(y.to(A)) + h[:, :32]


class Strided(torch.nn.Module):
    """What is copied does not lie row by row, and neither do results."""

    def forward(self, x, y):
        columns = x.t()[::2].to(B)
        turned = y.permute(1, 0).to(A)
        rows = x[:, 1::3].to(B)
        return columns * 2, turned + 1, rows.sum(1), (columns + 1).t()


class PingPong(torch.nn.Module):
    def forward(self, x):
        for i in range(8):
            x = (x * 1.01 + i).to(B)
            x = torch.sin(x).to(A)
        return x


class FreedAtOnce(torch.nn.Module):
    """The memory of each source is that of the next step, while the copy runs."""

    def forward(self, x):
        total = torch.zeros_like(x, device=B)
        for i in range(6):
            total = total + torch.relu(x - i).to(B)
            x = x * 0.5 + 1
        return total, x


class Types(torch.nn.Module):
    def forward(self, a, b, c, d):
        return a.to(B) & True, b.to(B) + 1, c.t().to(B), d.to(B, torch.float32) * 3


class Given(torch.nn.Module):
    """Inputs on both, and one on the host, in a sum on the second."""

    def forward(self, x, y, z):
        return x.to(B) + y + z.to(B), (y * 2).to(A) - x, y.sum().cpu()


class Constants(torch.nn.Module):
    """What is made out of nothing is made where it is needed."""

    def forward(self, x, y):
        steps = torch.arange(x.shape[0], device=B, dtype=torch.float32)
        return y + steps, x + torch.ones(x.shape[0], device=A), torch.full((3,), 2.5, device=B)


def compile_model(folder, model, inputs, dynamic=None, **options):
    global programs
    programs += 1
    path = os.path.join(folder, f"{type(model).__name__}{programs}.pt2")
    with torch.no_grad():
        torch.export.save(torch.export.export(model, inputs, dynamic_shapes=dynamic), path)
    return coil.compile(path, **dict({"options": "target=cuda"}, **options))


def run(program, *inputs, stream=0):
    return [torch.from_dlpack(each) for each in program.run(*inputs, stream=stream)]


def compare(program, model, inputs, what, stream=0):
    global calls
    calls += 1
    with torch.no_grad():
        expected = model(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = run(program, *inputs, stream=stream)
    assert len(results) == len(expected), what
    for number, (result, want) in enumerate(zip(results, expected)):
        assert result.device == want.device, f"{what}: result {number} is on {result.device}, not on {want.device}"
        assert result.dtype == want.dtype and result.shape == want.shape, (what, result, want)
        # On the default streams the comparison comes behind the program.
        torch.testing.assert_close(result, want, rtol=2e-4, atol=2e-4, msg=lambda m: f"{what}: result {number}: {m}")


def randn(*sizes, device=A):
    return torch.randn(*sizes, device=device)


def check_layers(folder):
    model = Layers()
    batch = Dim("batch", min=2, max=8192)
    program = compile_model(folder, model, (randn(16, 96),), ({0: batch},))
    for size in (2, 3, 17, 64, 1000, 8192):
        for _ in range(4):
            compare(program, model, (randn(size, 96),), f"layers of {size} rows")
    # Without a stream of ours the call waits, for both.
    x = randn(33, 96)
    for result, want in zip(run(program, x, stream=None), model(x)):
        torch.testing.assert_close(result, want, rtol=2e-4, atol=2e-4)
    # Many calls on the way at once.
    inputs = [randn(257, 96) for _ in range(50)]
    results = [run(program, x) for x in inputs]
    for x, result in zip(inputs, results):
        for each, want in zip(result, model(x)):
            torch.testing.assert_close(each, want, rtol=2e-4, atol=2e-4)
    print("layers agree", flush=True)


def check_streams(folder):
    """The caller's own stream on the first GPU; the second follows it."""
    model = Layers()
    program = compile_model(folder, model, (randn(64, 96),))
    for _ in range(20):
        stream = torch.cuda.Stream(A)
        with torch.cuda.stream(stream):
            x = randn(64, 96)
            results = run(program, x, stream=stream.cuda_stream)
        stream.synchronize()
        for result, want in zip(results, model(x)):
            torch.testing.assert_close(result, want, rtol=2e-4, atol=2e-4)
    print("streams agree", flush=True)


def check_strided(folder):
    rows, columns = Dim("rows", min=8, max=4096), Dim("columns", min=8, max=4096)
    model = Strided()
    program = compile_model(folder, model, (randn(12, 20), randn(7, 9, device=B)),
                            ({0: rows, 1: columns}, None))
    for n, m in ((8, 8), (9, 31), (129, 64), (1000, 777), (4096, 512)):
        for _ in range(3):
            compare(program, model, (randn(n, m), randn(7, 9, device=B)), f"strided {n} x {m}")
    print("strided agree", flush=True)


def check_ping_pong(folder):
    n = Dim("n", min=2, max=1 << 24)
    model = PingPong()
    program = compile_model(folder, model, (randn(100),), ({0: n},))
    for size in (2, 3, 1000, 4097, 1 << 20, (1 << 24) - 1):
        for _ in range(5):
            compare(program, model, (randn(size),), f"there and back, {size}")
    print("there and back agrees", flush=True)


def check_freed(folder):
    model = FreedAtOnce()
    n = Dim("n", min=2, max=1 << 26)
    program = compile_model(folder, model, (randn(100),), ({0: n},))
    for size in (1000, 1 << 16, 1 << 22, 1 << 25):
        for _ in range(6):
            compare(program, model, (randn(size),), f"freed at once, {size}")
    print("freed at once agrees", flush=True)


def check_types(folder):
    model = Types()
    inputs = (torch.rand(65, device=A) > 0.5, torch.randint(-9, 9, (3, 5), device=A, dtype=torch.int8),
              torch.randint(-9, 9, (33, 7), device=A).to(torch.int8), randn(31).to(torch.bfloat16))
    program = compile_model(folder, model, inputs)
    for _ in range(3):
        compare(program, model, inputs, "types")
    print("types agree", flush=True)


def check_given(folder):
    model = Given()
    program = compile_model(folder, model, (randn(4, 5), randn(4, 5, device=B), torch.randn(4, 5)))
    for _ in range(10):
        inputs = (randn(4, 5), randn(4, 5, device=B), torch.randn(4, 5))
        compare(program, model, inputs, "inputs on both")
    model = Constants()
    program = compile_model(folder, model, (randn(40), randn(40, device=B)))
    for _ in range(5):
        compare(program, model, (randn(40), randn(40, device=B)), "constants")
    print("inputs and constants agree", flush=True)


def check_graphs(folder):
    """Graphs are of one GPU: what is between copies is kept, on both."""
    for model, inputs in ((Layers(), lambda: (randn(16, 96),)), (PingPong(), lambda: (randn(1000),)),
                          (FreedAtOnce(), lambda: (randn(4097),))):
        program = compile_model(folder, model, inputs(), options="target=cuda partitions=always", cuda_graphs=32)
        for _ in range(8):
            compare(program, model, inputs(), "graphs")
        # On a stream of the caller's, which is another one than before.
        stream = torch.cuda.Stream(A)
        with torch.cuda.stream(stream):
            x = inputs()
            results = run(program, *x, stream=stream.cuda_stream)
        stream.synchronize()
        expected = model(*x)
        for result, want in zip(results, expected if isinstance(expected, tuple) else (expected,)):
            torch.testing.assert_close(result, want, rtol=2e-4, atol=2e-4)
        partitions = program.graph_stats["partitions"]
        assert partitions["plain"] == 0 and partitions["replayed"] >= 7 * partitions["recorded"], partitions
        # A step that is alone is no graph: these have one on each GPU at least.
        assert not isinstance(model, Layers) or partitions["recorded"] >= 3, partitions
        print(f"graphs agree: {partitions}", flush=True)


def check_bound(folder):
    """One graph of both GPUs, launched again and again on inputs that change."""
    for model, make in ((Layers(), lambda: (randn(64, 96),)), (PingPong(), lambda: (randn(100001),)),
                        (FreedAtOnce(), lambda: (randn(1 << 20),)),
                        (Strided(), lambda: (randn(129, 64), randn(7, 9, device=B))),
                        (Constants(), lambda: (randn(40), randn(40, device=B)))):
        inputs = make()
        program = compile_model(folder, model, inputs)
        stream = torch.cuda.Stream(A)
        bound = program.bind(*inputs, stream=stream.cuda_stream, like=torch.Tensor)
        for step in range(10):
            stream.wait_stream(torch.cuda.current_stream(A))
            stream.wait_stream(torch.cuda.current_stream(B))
            results = bound()
            torch.cuda.current_stream(A).wait_stream(stream)
            torch.cuda.current_stream(B).wait_stream(stream)
            with torch.no_grad():
                expected = model(*inputs)
            expected = expected if isinstance(expected, tuple) else (expected,)
            for result, want in zip(results, expected):
                assert result.device == want.device, (type(model).__name__, result.device)
                torch.testing.assert_close(result, want, rtol=2e-4, atol=2e-4)
            for each in inputs:
                each.copy_(torch.randn(each.shape, device=each.device))
        print(f"bound calls agree: {type(model).__name__}", flush=True)


def check_errors(folder):
    program = compile_model(folder, PingPong(), (randn(64),))
    last = torch.cuda.device_count() - 1
    try:
        program.run(torch.randn(64, device=f"cuda:{last}"), stream=0)
        raise SystemExit("a GPU that is not there was no error")
    except coil.CoilError as error:
        text = str(error)
        assert f"there is no CUDA device {last + 1}" in text, text
        print("error:", text, flush=True)
    compare(program, PingPong(), (randn(64),), "behind an error")


if __name__ == "__main__":
    if torch.cuda.device_count() < 2:
        sys.exit("there are not two GPUs")
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        folder = sys.argv[1] if len(sys.argv) > 1 else folder
        os.makedirs(folder, exist_ok=True)
        for check in (check_types, check_given, check_strided, check_ping_pong, check_freed, check_layers,
                      check_streams, check_graphs, check_errors, check_bound):
            check(folder)
            torch.cuda.synchronize(A)
            torch.cuda.synchronize(B)
    print(f"all agree: {programs} programs, {calls} calls")
