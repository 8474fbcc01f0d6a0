# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done to the graph of a forward and a backward pass together, before it is divided.

A clone of a tensor that already lies as the clone does is that tensor, in a graph that writes to none: what dropout
of probability zero gives, and `contiguous` of attention whose kernel wrote rows of heads beside each other. Within
one compiled piece such a clone costs nothing. But a clone that the backward pass needs beside the tensor itself
would be saved, and a result that shares memory with another is copied. So it is taken out where nothing is decided
yet about what is saved.
"""

import torch

from coil.torch_compile import _fx

_CLONES = (torch.ops.aten.clone.default, torch.ops.aten.contiguous.default)


def _lie_alike(a, b):
    """Whether two fake tensors have the same elements at the same places, as far as shapes tell."""
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor) or a.dtype != b.dtype or a.device != b.device:
        return False
    if a.dim() != b.dim() or a.is_conj() != b.is_conj() or a.is_neg() != b.is_neg():
        return False
    return all(_fx.expr_of(x) == _fx.expr_of(y) for x, y in zip((*a.shape, *a.stride()), (*b.shape, *b.stride())))


def _is_given(node):
    """Whether the graph gives a tensor, or a view of it."""
    return any(user.op == "output" or _fx.is_view(user) and _is_given(user) for user in node.users)


def _is_of_input(node):
    """Whether a tensor is an input or a view of one, which may be written before the backward pass."""
    while _fx.is_view(node):
        node = node.all_input_nodes[0]
    return node.op != "call_function"


def drop_clones(module):
    """Takes clones out that are what they clone. Returns how many."""
    graph = module.graph
    if any(node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload)
           and node.target._schema.is_mutable for node in graph.nodes):
        return 0
    count = 0
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in _CLONES or not isinstance(node.args[0], torch.fx.Node):
            continue
        # What a graph gives is not what it was given, nor another of its results.
        if _is_given(node) or _is_of_input(node.args[0]) or not _lie_alike(_fx.value_of(node), _fx.value_of(node.args[0])):
            continue
        node.replace_all_uses_with(node.args[0])
        graph.erase_node(node)
        count += 1
    if count:
        module.recompile()
    return count


def partition(module, *args, **kwargs):
    """The forward and the backward graph of a joint one."""
    from functorch.compile import min_cut_rematerialization_partition

    drop_clones(module)
    return min_cut_rematerialization_partition(module, *args, **kwargs)
