#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Values of inputs. The text of this file is part of every reproducer."""

import math

import torch


def special(dtype):
    """Values at the ends of a type."""
    if dtype == torch.bool:
        return [False, True]
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        return [info.min, info.max, 0, 1, info.max - 1]
    info = torch.finfo(dtype)
    return [math.nan, math.inf, -math.inf, 0.0, -0.0, info.max, info.min, info.tiny, info.smallest_normal / 4, 1.0]


def data(shape, dtype, seed, kind="normal", device="cpu"):
    """A tensor of numbers: small ones (normal), between 0 and 1 (unit), or with the ends of the
    type among them (special)."""
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_complex:
        real = {torch.complex64: torch.float32, torch.complex128: torch.float64, torch.complex32: torch.float16}[dtype]
        return torch.view_as_complex(data((*shape, 2), real, seed, kind, device))
    if dtype == torch.bool:
        return (torch.rand(shape, generator=generator) < 0.5).to(device)
    if dtype.is_floating_point:
        draw = torch.rand if kind == "unit" else torch.randn
        values = (draw(shape, generator=generator, dtype=torch.float64) * (1 if kind == "unit" else 2)).to(dtype)
    else:
        values = torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, generator=generator).to(dtype)
    if kind == "special":
        ends = torch.tensor(special(dtype), dtype=dtype)
        chosen = ends[torch.randint(0, len(ends), shape, generator=generator)]
        values = torch.where(torch.rand(shape, generator=generator) < 0.3, chosen, values)
    return values.to(device)


def positions(shape, count, seed, distinct=False, dtype=torch.int64, device="cpu"):
    """Positions below `count`; `distinct` along each dimension."""
    generator = torch.Generator().manual_seed(seed)
    if not distinct:
        return torch.randint(0, max(count, 1), shape, generator=generator).to(dtype).to(device)
    first = torch.randperm(max(count, 1), generator=generator)
    lines = sum((torch.arange(size).reshape([-1] + [1] * (len(shape) - d - 1)) for d, size in enumerate(shape)),
                torch.zeros([], dtype=torch.int64))
    return first[lines.expand(shape) % max(count, 1)].to(dtype).to(device)
