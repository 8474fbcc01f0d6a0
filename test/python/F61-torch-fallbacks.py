# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs with an operator that Coil has never heard of run in every process that has PyTorch and the operator.

    F61-torch-fallbacks.py make <folder>           exports a program, and checks it compiled
    F61-torch-fallbacks.py run <package>           what was made of it, in a process that registered nothing
    F61-torch-fallbacks.py emitted <python or fx>  the same
"""
import importlib.util
import sys
import warnings

import torch

import coil


@torch.library.custom_op("mylib::norm", mutates_args=())
def norm(x: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    return x / (x.norm() + eps)


@norm.register_fake
def _(x, eps=1e-6):
    return torch.empty_like(x)


@torch.library.custom_op("mylib::parts", mutates_args=())
def parts(x: torch.Tensor, n: int) -> list[torch.Tensor]:
    return [each.clone() for each in x.chunk(n)]


@parts.register_fake
def _(x, n):
    return [torch.empty_like(each) for each in x.chunk(n)]


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.ops.mylib.norm(x * 2, eps=0.5)
        first, second = torch.ops.mylib.parts(y.relu(), 2)
        return first + second, torch.ops.mylib.norm(y)


x = torch.arange(24.0).reshape(6, 4) - 9


def check(results):
    for given, expected in zip(results, Model()(x), strict=True):
        torch.testing.assert_close(torch.as_tensor(given), expected)


def refused(function, *arguments):
    try:
        function(*arguments)
    except coil.CompileError as error:
        return str(error).split(";")[0]
    return sys.exit("nothing was refused")


what, path = sys.argv[1:]
if what == "make":
    exported = torch.export.export(Model(), (x,))
    torch.export.save(exported, path + "/model.pt2")
    with coil.torch_fallbacks(False):
        print(refused(coil.compile, path + "/model.pt2"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        print(refused(coil.compile, path + "/model.pt2"))
    assert not coil.has_function("mylib::norm") and coil.fallbacks() == {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = coil.compile(path + "/model.pt2")
    for each in sorted(caught, key=lambda each: str(each.message)):
        print(f"{each.category.__name__}: {each.message}")
    for step, sources in sorted(program.fallbacks.items()):
        print(step.partition(":")[0] + "::", [each.rpartition("/")[2] for each in sources])
    check(program(x))
    print(sorted(coil.fallbacks().items()))
else:
    warnings.simplefilter("ignore", coil.FallbackWarning)
    if what == "run":
        program = coil.compile(path)
        check(program(x))
        assert len(program.fallbacks) == 3
    else:
        spec = importlib.util.spec_from_file_location("program", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        check(module.main([x]) if what == "python" else module.main(x))
    print(sorted(coil.fallbacks().items()))
