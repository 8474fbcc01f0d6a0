# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The installed wheel beside PyTorch: the backend by its entry point alone."""

import pathlib
import sys

import torch

folder = pathlib.Path(sys.argv[1])
assert "coil" not in sys.modules
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
x = torch.randn(3, 8)

compiled = torch.compile(model, backend="coil", options={"fallback": "error"})
torch.testing.assert_close(compiled(x), model(x))
compiled(x).square().sum().backward()
gradients = [parameter.grad.clone() for parameter in model.parameters()]
model.zero_grad()
model(x).square().sum().backward()
torch.testing.assert_close(gradients, [parameter.grad for parameter in model.parameters()])
assert "coil" in torch._dynamo.list_backends()
print("  torch.compile(backend=\"coil\"): forward and backward, by the entry point")

import coil  # noqa: E402: what comes before must not need it.

assert pathlib.Path(coil.__file__).is_relative_to(sys.prefix)
torch.export.save(torch.export.export(model, (x,)), folder / "model.pt2")
result, = coil.compile(str(folder / "model.pt2")).run(x, like=torch.Tensor)
torch.testing.assert_close(result, model(x))
print("  a .pt2 of torch.export")
