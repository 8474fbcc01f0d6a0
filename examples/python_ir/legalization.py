# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A legalization that is written in Python, for an operator that Coil does not have."""

import tempfile

import coil
import torch
from coil import extend
from coil.dialects import graph


@extend.register_aten_legalization("_addmm_activation")
def addmm_activation(call):
    if call.float("alpha") != 1 or call.float("beta") != 1:
        call.fail("'alpha' and 'beta' are not 1")
    if call.int("use_gelu"):
        call.fail("GELU is not written yet")
    product = graph.MatmulOp(call.result_type, call.tensor("mat1"), call.tensor("mat2"), bias=call.tensor("self"))
    return graph.relu(product)


class Layer(torch.nn.Module):
    def forward(self, bias, x, weight):
        return torch.ops.aten._addmm_activation(bias, x, weight)


inputs = torch.randn(8), torch.randn(4, 16), torch.randn(16, 8)
expected = Layer()(*inputs)

# Ahead of time, by torch.export.
with tempfile.NamedTemporaryFile(suffix=".pt2") as file:
    torch.export.save(torch.export.export(Layer(), inputs), file.name)
    program = coil.compile(file.name)
torch.testing.assert_close(torch.from_dlpack(program.run(*inputs)[0]), expected)

# Just in time.
compiled = torch.compile(Layer(), backend="coil", options={"fallback": "error"})
torch.testing.assert_close(compiled(*inputs), expected)
print("equal to PyTorch")
