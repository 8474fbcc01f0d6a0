#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""torch.compile(backend="coil") on a GPU: results, gradients, random numbers, streams, and
numbers of the host among tensors of the GPU."""

import sys

import torch
import torch.nn.functional as F
from checks import check, check_gradients, compile, equal, main


def test_results():
    x, w = torch.rand(33, 17, device="cuda"), torch.rand(17, 9, device="cuda")
    for mode in (None, "reduce-overhead", "max-autotune-no-cudagraphs"):
        given = {} if mode is None else {"mode": mode}
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, w: (torch.softmax(x @ w, -1), x.sum(0), x[1:].t()), backend="coil", **given)
        for _ in range(3):
            equal(compiled(x, w), (torch.softmax(x @ w, -1), x.sum(0), x[1:].t()))


def test_mutation_and_layouts():
    def function(x, y):
        x.add_(1)
        return x.t() * y, y[::2] + 1
    check(function, torch.rand(6, 4, device="cuda"), torch.rand(8, 6, device="cuda")[::2].contiguous())
    check(lambda x: x * 2, torch.rand(65, device="cuda")[1:])


def test_gradients():
    linear = torch.nn.Linear(12, 5).cuda()
    check_gradients(lambda x: F.gelu(linear(x)).softmax(-1), torch.randn(7, 12, device="cuda", requires_grad=True))
    q = torch.randn(2, 3, 16, 8, device="cuda", requires_grad=True)
    check_gradients(lambda q: F.scaled_dot_product_attention(q, q * 2, q + 1, is_causal=True), q, rtol=1e-2, atol=1e-2)


def test_random_numbers():
    x = torch.rand(64, 32, device="cuda")
    check(lambda x: (F.dropout(x, 0.4), torch.rand(3, device="cuda"), torch.randn_like(x)), x)


def test_current_stream():
    torch._dynamo.reset()
    compiled = compile(lambda x: x.sin() * 2)
    x = torch.rand(1 << 20, device="cuda")
    compiled(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = x + 1
        z = compiled(y) + 1
    torch.cuda.current_stream().wait_stream(stream)
    equal(z, (x + 1).sin() * 2 + 1)


def test_numbers_of_the_host():
    check(lambda x, n: x * n + 1, torch.rand(5, device="cuda"), torch.tensor(3.0))
    check(lambda x: x + torch.tensor([1.0, 2.0], device="cuda"), torch.rand(4, 2, device="cuda"))
    check(lambda x, y: (x + 1, y * 2), torch.rand(3, device="cuda"), torch.rand(4))


if __name__ == "__main__":
    sys.exit(main(globals()))
