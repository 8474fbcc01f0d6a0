# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the modules of this package ask a node of an ATen FX graph.

Nothing here evaluates a symbolic number: a truth value or an `int()` of one would add
a guard to the user's model. Expressions and hints are read instead.
"""

import operator
import re

import sympy
import torch
from torch.fx import Node

# The numbers that exported programs have of element types.
DTYPES = {
    torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5,
    torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.complex32: 9,
    torch.complex64: 10, torch.complex128: 11, torch.bool: 12, torch.bfloat16: 13,
    torch.uint16: 28, torch.float8_e4m3fn: 29, torch.float8_e5m2: 30,
}

_getitem = operator.getitem
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def is_symbolic(value):
    return isinstance(value, _SYMBOLIC)


def is_number(value):
    """Whether a node gives a number of Python, symbolic or not."""
    return isinstance(value, _SYMBOLIC + (bool, int, float))


def expr_of(number):
    """The expression of a number, in terms of symbols."""
    return number.node.expr if is_symbolic(number) else sympy.sympify(number)


def hint_of(number):
    """The value that a number has in the example, None if only a run knows it."""
    node = number.node
    return node.hint if node.has_hint() else None


def value_of(node):
    return node.meta.get("val")


def tensors_of(value):
    """The tensors in what a node gives."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in tensors_of(part)]
    return []


def symbols_of(value):
    """The free symbols in the sizes, strides and offsets of what a node gives."""
    if isinstance(value, torch.Tensor):
        # Sparse tensors have no strides.
        strided = value.layout is torch.strided
        value = [*value.shape, *(value.stride() if strided else ()), *([value.storage_offset()] if strided else ())]
    if isinstance(value, (tuple, list)):
        return set().union(*map(symbols_of, value))
    return set(value.node.expr.free_symbols) if is_symbolic(value) else set()


def bound_by(node):
    """The symbols that stand for what a node's data decides. The names in its
    `unbacked_bindings` may have been replaced since by earlier ones."""
    if not node.meta.get("unbacked_bindings"):
        return set()
    return symbols_of(value_of(node)) - set().union(*(symbols_of(value_of(n)) for n in node.all_input_nodes), set())


def shape_env_of(graph):
    """The ShapeEnv of a graph's symbols, None if it has none."""
    for node in graph.nodes:
        value = value_of(node)
        for part in [value, *tensors_of(value)]:
            if is_symbolic(part):
                return part.node.shape_env
            mode = getattr(part, "fake_mode", None)
            if mode is not None and mode.shape_env is not None:
                return mode.shape_env
    return None


def schema_of(node):
    return getattr(node.target, "_schema", None)


def name_of(node):
    """The operator of a node, as reports call it."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher_order.{target.name()}"
    return getattr(target, "__name__", str(target))


_LINE = re.compile(r'File "([^"]+)", line (\d+), in (.*)')


def source_of(node):
    """The innermost line of the user's in a node's stack trace, as (file, line, function);
    None if it has none."""
    trace = node.meta.get("stack_trace")
    lines = _LINE.findall(trace) if trace else []
    users = [line for line in lines if "site-packages/" not in line[0] and not line[0].startswith("<")]
    return (users or lines or [None])[-1]


def describe_source(node):
    source = source_of(node)
    return f"{source[0]}:{source[1]}" if source else "unknown line"


def is_view(node):
    """Whether a node gives views of one of its operands and writes to nothing."""
    if node.target is _getitem:
        return is_view(node.args[0])
    schema = schema_of(node)
    if schema is None or schema.is_mutable or not schema.returns:
        return False
    return all(each.alias_info is not None and not each.alias_info.is_write for each in schema.returns)


def subgraphs_of(node):
    """The modules that a node of an operator with subgraphs is given, by the nodes that stand for
    them."""
    module = node.graph.owning_module
    return {each: getattr(module, each.target) for each in node.all_input_nodes
            if each.op == "get_attr" and isinstance(getattr(module, each.target, None), torch.fx.GraphModule)}


def is_getitem(node):
    return isinstance(node, Node) and node.op == "call_function" and node.target is _getitem
