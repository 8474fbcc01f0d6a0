# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a node of an ATen graph is to the backend, before anything is compiled."""

import torch

from coil.torch_compile import _fx

# The kinds of nodes.
INPUT = "input"  # A placeholder.
CONSTANT = "constant"  # An attribute of the module: a tensor or a subgraph.
NUMBER = "number"  # A number that follows from symbols alone.
VIEW = "view"  # Another look at memory: part of every piece that needs it.
COMPUTE = "compute"  # Part of one compiled piece.
EAGER = "eager"  # Called through PyTorch's dispatcher.
COPY = "copy"  # What an input holds at the end.
SKIP = "skip"  # Says what symbols and types say already.

# Operators that the importer knows: those of PyTorch's namespaces, and two of the library transformers.
_NAMESPACES = ("aten", "prims", "quantized_decomposed")
_KNOWN = ("transformers::grouped_mm_fallback", "transformers::grouped_mm_fallback_backward")
_SKIPPED = {
    "aten::sym_constrain_range", "aten::sym_constrain_range_for_size", "aten::_assert_tensor_metadata",
}
# Whether these change anything is not in their schemas.
_IMPURE_NAMES = ("aten::_assert", "aten::item", "aten::_local_scalar_dense")
_MAX_RANK = 64


def _is_known(target):
    return target.namespace in _NAMESPACES or target._schema.name in _KNOWN


def _has_generator(node):
    values = [*node.args, *node.kwargs.values()]
    return any(isinstance(value, torch.Generator) for value in values)


def _argument(node, name):
    """What a node of an operator passes under a name; None if it passes nothing."""
    for given, argument in zip(node.args, node.target._schema.arguments):
        if argument.name == name:
            return given
    return node.kwargs.get(name)


def is_random(node):
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in target.tags:
        return False
    # Attention that drops nothing out draws nothing.
    if any(argument.name == "dropout_p" for argument in target._schema.arguments):
        return _argument(node, "dropout_p") not in (None, 0, 0.0)
    return True


def is_assertion(node):
    schema = _fx.schema_of(node)
    return schema is not None and schema.name.startswith("aten::_assert")


def is_impure(node):
    """Whether the order of a node among others like it matters."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return True
    return (target._schema.is_mutable or is_random(node) or not _is_known(target)
            or target._schema.name.startswith(_IMPURE_NAMES))


def is_mutable(node):
    """Whether a node may write to what it is given."""
    schema = _fx.schema_of(node)
    return schema is None or schema.is_mutable


def _tensor_reason(tensor):
    if type(tensor).__name__ != "FakeTensor" and not type(tensor) in (torch.Tensor, torch.nn.Parameter):
        return f"tensors of the class {type(tensor).__name__} are not supported"
    if tensor.dtype not in _fx.DTYPES:
        return f"tensors of {tensor.dtype} are not supported"
    if tensor.layout is not torch.strided:
        return f"tensors of layout {tensor.layout} are not supported"
    if tensor.device.type not in ("cpu", "cuda"):
        return f"tensors on '{tensor.device.type}' are not supported"
    if tensor.dim() > _MAX_RANK:
        return f"tensors of more than {_MAX_RANK} dimensions are not supported"
    return None


def _reason_of_control_flow(node):
    """Why a branch or loop is called: for the sake of one operator in it."""
    operators = torch.ops.higher_order
    known = (operators.cond, operators.while_loop, operators.scan, operators.associative_scan, operators.map_impl)
    if node.target not in known:
        return node.meta.get("coil.reason", "this operator with subgraphs is called, not compiled")
    for tensor in _fx.tensors_of(_fx.value_of(node)):
        if (reason := _tensor_reason(tensor)) is not None:
            return reason
    subgraphs = _fx.subgraphs_of(node)
    if not subgraphs:
        return "it has no subgraph in the graph"
    for module in subgraphs.values():
        for inner in module.graph.nodes:
            if inner.op == "get_attr" and inner not in [n for user in inner.users for n in _fx.subgraphs_of(user)]:
                return f"its subgraph has the constant '{inner.target}'"
            if inner.op != "call_function" or _fx.is_getitem(inner) or _fx.is_number(_fx.value_of(inner)):
                continue
            if (reason := reason_not(inner)) is not None:
                return f"'{_fx.name_of(inner)}' in its subgraph: {reason}"
    return None


def _used_results(node, value):
    """What a node gives to others, all of it where nobody takes anything."""
    if not isinstance(value, (tuple, list)):
        return value
    used = {user.args[1] for user in node.users if _fx.is_getitem(user) and user.users}
    return [part for i, part in enumerate(value) if i in used] or value


def reason_not(node):
    """Why a node cannot be part of a compiled piece; None if nothing is known against it."""
    target, value = node.target, _fx.value_of(node)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return _reason_of_control_flow(node)
    if not isinstance(target, torch._ops.OpOverload):
        return "it is no operator of PyTorch"
    if not _is_known(target):
        return f"it is an operator of '{target.namespace}', which PyTorch's dispatcher calls"
    if target._schema.is_mutable:
        return "it writes to its operands"
    if _has_generator(node):
        return "it draws from a generator of its own"
    operands = [part for operand in node.all_input_nodes for part in _fx.tensors_of(_fx.value_of(operand))]
    given = _fx.tensors_of(_used_results(node, value))
    if not given:
        return "it gives a data-dependent number"
    for tensor in [*operands, *given]:
        reason = _tensor_reason(tensor)
        if reason:
            return reason
    if is_random(node) and any(tensor.device.type == "cpu" for tensor in given):
        return "random numbers of the CPU come from PyTorch's generator"
    return None


def reason_for_library(node):
    """Why PyTorch computes a node although it can be compiled; None if it does not.

    The gradients of convolutions that Coil has are those of exported programs, which have no
    PyTorch at hand: matrix products of all windows, two to seventeen times slower on
    CPUs than oneDNN's (benchmarks/results/torch_compile.md). Those of attention are
    matrix products of all scores.
    """
    schema = _fx.schema_of(node)
    if schema is not None and schema.name == "aten::convolution_backward":
        return "the library that PyTorch calls has gradients of convolutions"
    if schema is not None and schema.name.startswith("aten::_scaled_dot_product_") and _is_on_gpu(node):
        # With what the gradient needs beside the result.
        if schema.name.endswith("_backward") or any(user.args[1] != 0 and user.users for user in node.users):
            return "the library that PyTorch calls has attention with gradients that stores no scores"
    return None


def _is_on_gpu(node):
    return any(tensor.device.type == "cuda" for tensor in _fx.tensors_of(_fx.value_of(node)))


def is_trailing_copy(node):
    """Whether a node says what an input holds at the end."""
    if node.target is not torch.ops.aten.copy_.default or node.args[0].op != "placeholder":
        return False
    if len(node.args) > 2 or node.kwargs or not isinstance(node.args[1], torch.fx.Node):
        return False
    following = node.next
    while following.op != "output":
        if following.target is not torch.ops.aten.copy_.default:
            return False
        following = following.next
    return True


def kind_of(node, refused):
    """The kind of a node, and why it is called eagerly if it is."""
    if node.op == "placeholder":
        return INPUT, None
    if node.op == "get_attr":
        return CONSTANT, None
    if node in refused:
        return EAGER, refused[node]
    if "coil.memory" in node.meta:
        return EAGER, None
    value = _fx.value_of(node)
    if _fx.is_getitem(node):
        return kind_of(node.args[0], refused)
    if is_trailing_copy(node):
        return COPY, None
    schema = _fx.schema_of(node)
    if schema is not None and schema.name in _SKIPPED:
        return SKIP, None
    takes_data = schema is not None and schema.name in ("aten::_local_scalar_dense", "aten::item")
    if _fx.is_number(value) and not takes_data and not is_impure_number(node):
        return NUMBER, None
    reason = reason_not(node)
    if _fx.is_view(node):
        return (VIEW, None) if reason is None else (EAGER, reason)
    return (COMPUTE, None) if reason is None else (EAGER, reason)


def is_impure_number(node):
    """Whether a number comes from more than sizes, such as a custom operator's result."""
    target = node.target
    return isinstance(target, torch._ops.OpOverload) and not _is_known(target)
