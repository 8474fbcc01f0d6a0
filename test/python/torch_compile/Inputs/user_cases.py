#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The list of models of user_models.py, and their inputs."""

import dataclasses
from typing import Callable

import torch

CASES = []


@dataclasses.dataclass
class Case:
    """`make` returns a module or function and the arguments of several calls."""
    name: str
    make: Callable
    backward: bool = True  # It has gradients of parameters or arguments.
    bf16: bool = True
    dynamic: bool = True  # One program for all calls.
    tolerance: float = 1e-4


def case(name, **options):
    def add(make):
        CASES.append(Case(name, make, **options))
        return make
    return add


def randn(*shape):
    return torch.randn(*shape)


def ints(high, *shape, low=0):
    return torch.randint(low, high, shape)
