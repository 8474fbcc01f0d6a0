# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators AOTAutograd takes apart before the backend sees them."""

import functools

import torch


def _overloads(packets):
    for packet in packets:
        for name in packet.overloads():
            yield getattr(packet, name)


@functools.lru_cache(None)
def table():
    """The decompositions, by operator."""
    from torch._decomp import core_aten_decompositions

    decompositions = dict(core_aten_decompositions().items())
    for overload in _overloads(_KEPT):
        decompositions.pop(overload, None)
    return decompositions


_aten = torch.ops.aten
# What Coil has one lowering for that is better than the pieces.
_KEPT = ()
