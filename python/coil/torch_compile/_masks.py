# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Leaves masks of attention that hide nothing out of the graph that Dynamo has captured.

Libraries of models build a mask of positions wherever they are traced, since which keys a mask hides is data in
general. For most encoders it hides none. PyTorch's kernels of attention take no such mask, and AOTAutograd would
decompose the operator into matrix products of all scores, in float32, whose probabilities are kept for the
gradient. So this has to be seen before AOTAutograd: a mask is left out where the range of each element follows
from the operators that make it, whatever the sizes are.

A mask stays where anything but the operators below uses it, or what it is made of: it may be written.
"""

import math
import operator

import torch

# Integers from here on may wrap around. Positions do not reach it, whatever the size of a tensor is.
_LARGEST = 2**62
# Operators whose elements are elements of their first operand, by the name of the function or method.
_VIEWS = frozenset({
    "getitem", "unsqueeze", "squeeze", "expand", "expand_as", "view", "reshape", "permute", "transpose", "contiguous", "clone",
    "detach", "select", "narrow", "repeat", "broadcast_to", "t", "swapaxes", "movedim", "flatten", "unflatten"})
_COMPARISONS = frozenset({"ge", "gt", "le", "lt", "eq", "ne"})
_NAMES = {operator.and_: "logical_and", operator.or_: "logical_or", operator.invert: "logical_not"}


def _name_of(node):
    """The name of an operator of PyTorch or Python; None for other nodes."""
    if node.op == "call_method":
        name = node.target
    elif node.op == "call_function":
        name = _NAMES.get(node.target, getattr(node.target, "__name__", None))
        module = getattr(node.target, "__module__", None)
        if module not in (None, "torch", "_operator", "torch._C", "torch._tensor"):
            return None
    else:
        return None
    return {"__and__": "logical_and", "__or__": "logical_or", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
            "bitwise_not": "logical_not", "__invert__": "logical_not"}.get(name, name)


def _is_attention(node):
    return node.op == "call_function" and node.target is torch.nn.functional.scaled_dot_product_attention


def _compare(name, a, b):
    """The range of a comparison of two ranges: 1 where it holds."""
    if name in ("gt", "ge"):
        return _compare({"gt": "lt", "ge": "le"}[name], b, a)
    if name == "ne":
        low, high = _compare("eq", a, b)
        return 1 - high, 1 - low
    if name == "eq":
        always, never = a[0] == a[1] == b[0] == b[1], a[1] < b[0] or b[1] < a[0]
    elif name == "lt":
        always, never = a[1] < b[0], a[0] >= b[1]
    else:
        always, never = a[1] <= b[0], a[0] > b[1]
    return (1, 1) if always else (0, 0) if never else (0, 1)


class _Ranges:
    """Ranges of the elements of tensors that follow from positions and numbers."""

    def __init__(self):
        self.known = {}

    def of(self, value):
        """The range of a node or number, None where nothing is known or the tensor may be written."""
        if isinstance(value, (bool, int, float)):
            return value, value
        if not isinstance(value, torch.fx.Node):
            return None
        if value not in self.known:
            self.known[value] = None
            if all(_is_attention(user) or _name_of(user) in _PURE for user in value.users):
                self.known[value] = self._compute(value)
        return self.known[value]

    def _compute(self, node):
        name = _name_of(node)
        if name not in _PURE or "out" in node.kwargs:
            return None
        if name == "arange":
            return self._steps(node)
        if name in ("ones", "zeros"):
            return (1, 1) if name == "ones" else (0, 0)
        if name == "full":
            return self.of(node.args[1] if len(node.args) > 1 else node.kwargs.get("fill_value"))
        if name in _VIEWS:
            return self.of(node.args[0])
        if name == "to":
            # A conversion to bool says which elements are not zero; positions fit into other types.
            kind = node.args[1] if len(node.args) > 1 else node.kwargs.get("dtype")
            given = self.of(node.args[0])
            if given is None or kind is not torch.bool:
                return given if isinstance(kind, torch.device) else None
            return _compare("ne", given, (0, 0))
        if name == "bool":
            given = self.of(node.args[0])
            return None if given is None else _compare("ne", given, (0, 0))
        if node.kwargs:  # Such as the factor of an addition.
            return None
        given = [self.of(operand) for operand in node.args]
        if any(each is None for each in given):
            return None
        if name in ("add", "sub"):
            low, high = (given[1][0], given[1][1]) if name == "add" else (-given[1][1], -given[1][0])
            low, high = given[0][0] + low, given[0][1] + high
            return (low, high) if -_LARGEST < low and (high < _LARGEST or high == math.inf) else None
        if name in _COMPARISONS:
            return _compare(name, *given)
        if any(each[0] < 0 or each[1] > 1 for each in given):  # Bits of integers.
            return None
        if name == "logical_not":
            return 1 - given[0][1], 1 - given[0][0]
        choose = min if name == "logical_and" else max
        return choose(given[0][0], given[1][0]), choose(given[0][1], given[1][1])

    def _steps(self, node):
        """The range of `arange`, whose end may be a symbol."""
        bounds = node.args
        if set(node.kwargs) - {"device", "dtype", "layout", "pin_memory", "requires_grad"} or len(bounds) > 2:
            return None
        start = bounds[0] if len(bounds) == 2 else 0
        if not isinstance(start, int):
            return None
        return (start, max(start, bounds[-1] - 1)) if isinstance(bounds[-1], int) else (start, math.inf)


_PURE = _VIEWS | _COMPARISONS | {"arange", "ones", "zeros", "full", "to", "bool", "add", "sub", "logical_and", "logical_or", "logical_not"}


def drop_visible_masks(module):
    """Has attention whose mask hides nothing take none. Returns how many."""
    count, ranges = 0, _Ranges()
    for node in module.graph.nodes:
        if not _is_attention(node):
            continue
        mask = node.args[3] if len(node.args) > 3 else node.kwargs.get("attn_mask")
        if not isinstance(mask, torch.fx.Node):
            continue
        example = mask.meta.get("example_value")
        if not isinstance(example, torch.Tensor):
            continue
        # Truth says which scores are seen; other masks are added.
        if ranges.of(mask) != ((1, 1) if example.dtype == torch.bool else (0, 0)):
            continue
        if len(node.args) > 3:
            node.args = (*node.args[:3], None, *node.args[4:])
        else:
            node.kwargs = {**node.kwargs, "attn_mask": None}
        count += 1
    if count:
        module.recompile()
    return count
