# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators AOTAutograd takes apart before the backend sees them.

The table is PyTorch's core table, less what Coil has a lowering for that is better than the
parts. Operators that the core table leaves whole, backward ones among them, have lowerings
(lib/Dialect/Graph/Transforms/Legalize*Backward.cpp), which exported programs need, too.
"""

import functools

import torch

_aten = torch.ops.aten

# What Coil has a lowering for that is better than the parts. The part that attention for
# the CPU has in the core table gives other sums than its backward operator takes. The parts of
# slices and their gradients choose for each element of the whole tensor.
_KEPT = (
    _aten._scaled_dot_product_flash_attention_for_cpu,
    _aten.select_backward,
    _aten.select_scatter,
    _aten.slice_backward,
    _aten.slice_scatter,
)


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
