# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows as the library transformers calls them, and their gradients, against its own functions.

    grouped_matmul.py [OPTIONS]
"""

import sys
import warnings

import coil
import torch

warnings.filterwarnings("ignore")
OPTIONS = " ".join(sys.argv[1:])


def parts(ends):
    start = 0
    for i, end in enumerate(ends.tolist()):
        yield i, start, end
        start = end


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=(),
                         schema="(Tensor input, Tensor weight, Tensor offs) -> Tensor")
def multiply(rows, matrices, offs):
    output = torch.zeros(rows.size(0), matrices.size(2), dtype=rows.dtype)
    for i, start, end in parts(offs):
        output[start:end] = rows[start:end] @ matrices[i]
    return output


@torch.library.custom_op("transformers::grouped_mm_fallback_backward", mutates_args=(),
                         schema="(Tensor input, Tensor weight, Tensor offs, Tensor grad_output) -> (Tensor, Tensor)")
def differentiate(rows, matrices, offs, grad):
    of_rows, of_matrices = torch.zeros_like(rows), torch.zeros_like(matrices)
    for i, start, end in parts(offs):
        of_rows[start:end] = grad[start:end] @ matrices[i].T
        of_matrices[i] = rows[start:end].T @ grad[start:end]
    return of_rows, of_matrices


@multiply.register_fake
def _(rows, matrices, offs):
    return rows.new_empty(rows.size(0), matrices.size(2))


@differentiate.register_fake
def _(rows, matrices, offs, grad):
    return torch.empty_like(rows), torch.empty_like(matrices)


def backward(context, grad):
    return *torch.ops.transformers.grouped_mm_fallback_backward(*context.saved_tensors, grad), None


multiply.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


class Both(torch.nn.Module):
    def forward(self, rows, matrices, offs, grad):
        return (torch.ops.transformers.grouped_mm_fallback(rows, matrices, offs),
                *torch.ops.transformers.grouped_mm_fallback_backward(rows, matrices, offs, grad))


def compare(name, found, expected):
    for a, b in zip(found, expected, strict=True):
        a = a if isinstance(a, torch.Tensor) else torch.from_dlpack(a)
        # What is infinite in one group may be NaN here.
        assert a.dtype == b.dtype and torch.equal(a.isfinite(), b.isfinite()), (name, a.isfinite().sum(), b.isfinite().sum())
        torch.testing.assert_close(a.nan_to_num(0, 0, 0), b.nan_to_num(0, 0, 0))
    print(f"{name} agrees")


def check(name, ends, damage=None, dtype=torch.float32):
    torch.manual_seed(0)
    arguments = [torch.randn(12, 8), torch.randn(len(ends), 6, 8).transpose(1, 2), torch.tensor(ends, dtype=torch.int32), torch.randn(12, 6)]
    arguments = [a.to(dtype) if a.is_floating_point() else a for a in arguments]
    if damage:
        damage(*arguments)
    program = coil.compile(torch.export.export(Both(), tuple(arguments)), options=OPTIONS)
    compare(name, program(*arguments), Both()(*arguments))


def infinite(rows, matrices, offs, grad):
    rows[4, 1], rows[5, 2], grad[1, 3] = float("inf"), float("nan"), float("-inf")


def behind(rows, matrices, offs, grad):
    rows[9:], grad[9:] = float("nan"), float("inf")


def train(rows, matrices, offs):
    return torch.ops.transformers.grouped_mm_fallback(rows, matrices, offs).square().sum()


# CHECK: groups agrees
check("groups", [3, 3, 8, 12])
# CHECK: doubles agrees
check("doubles", [5, 12], dtype=torch.float64)
# CHECK: halves agrees
check("halves", [1, 12], dtype=torch.bfloat16)
# An element that is not finite is one of its group alone.
# CHECK: infinite agrees
check("infinite", [3, 8, 12], infinite)
# CHECK: behind agrees
check("behind", [4, 9], behind)

# CHECK: training agrees
if not OPTIONS:
    gradients = []
    for call in train, torch.compile(train, backend="coil", options={"fallback": "error", "strict": True}):
        torch.manual_seed(0)
        leaves = [torch.randn(12, 8, requires_grad=True), torch.randn(3, 8, 6, requires_grad=True)]
        call(*leaves, torch.tensor([2, 7, 12])).backward()
        gradients.append([leaf.grad for leaf in leaves])
    compare("training", gradients[1], gradients[0])
