# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts operators that draw random numbers on the CPU from what is computed with the numbers.

The numbers are those of PyTorch's generator, which its own operators draw. What they draw depends
on sizes alone, so an operator is given memory that nobody has written to in place of the tensor whose
sizes it takes, and dropout becomes the draw of a mask and a multiplication. So all draws are made
before the first compiled piece, and divide nothing: everything else is one piece.
"""

import torch

from coil.torch_compile import _fx

_aten = torch.ops.aten

# Operators that take nothing of their first operand but its sizes, strides and element type.
_LIKE = {
    _aten.rand_like.default, _aten.randn_like.default, _aten.randint_like.default, _aten.randint_like.low_dtype,
    _aten.bernoulli.p, _aten.uniform.default, _aten.normal_functional.default, _aten.exponential.default,
    _aten.cauchy.default, _aten.geometric.default, _aten.log_normal.default, _aten.random.default, _aten.random.to,
    getattr(_aten.random, "from"),
}


def _is_on_cpu(node):
    tensors = _fx.tensors_of(_fx.value_of(node))
    return bool(tensors) and all(tensor.device.type == "cpu" for tensor in tensors)


class _Maker:
    """Makes nodes in front of a node, with its source and the values of the example."""

    def __init__(self, node):
        self._node, self._graph = node, node.graph

    def call(self, target, *args, value, **kwargs):
        with self._graph.inserting_before(self._node):
            made = self._graph.call_function(target, args, kwargs)
        for key in ("stack_trace", "nn_module_stack"):
            if key in self._node.meta:
                made.meta[key] = self._node.meta[key]
        made.meta["val"] = value
        return made

    def _numbers(self, values, target, tensor):
        return [self.call(target, tensor, i, value=value) if _fx.is_symbolic(value) else value
                for i, value in enumerate(values)]

    def memory(self, like, value):
        """Memory for a value with the sizes of another node's, to which nobody has written."""
        sizes = self._numbers(value.shape, _aten.sym_size.int, like)
        if value.is_contiguous():
            made = self.call(_aten.empty.memory_format, sizes, dtype=value.dtype, device=value.device, value=value)
        else:
            strides = self._numbers(value.stride(), _aten.sym_stride.int, like)
            made = self.call(_aten.empty_strided.default, sizes, strides, dtype=value.dtype, device=value.device,
                             value=value)
        made.meta["coil.memory"] = True
        return made


def _part_dropout(node):
    """native_dropout: what it computes with the mask that it draws, as eager mode does on the CPU."""
    given, p = node.args[0], node.args[1]
    train = node.args[2] if len(node.args) > 2 else node.kwargs.get("train")
    if train is False or not all(map(_fx.is_getitem, node.users)):
        return False
    result, mask = _fx.value_of(node)
    maker = _Maker(node)
    drawn = maker.call(_aten.bernoulli_.float, maker.memory(given, mask), 1.0 - p, value=mask)
    kept = maker.call(_aten.mul.Tensor, given, drawn, value=result)
    scaled = maker.call(_aten.mul.Scalar, kept, 0.0 if p == 1 else 1.0 / (1.0 - p), value=result)
    for user in list(node.users):
        user.replace_all_uses_with((scaled, drawn)[user.args[1]])
        node.graph.erase_node(user)
    node.graph.erase_node(node)
    return True


def part_draws(module):
    """Returns the module, or a new one whose draws of the CPU depend on sizes alone."""
    is_part = lambda node: node.op == "call_function" and _is_on_cpu(node) and (
        node.target in _LIKE or node.target is _aten.native_dropout.default)
    if not any(map(is_part, module.graph.nodes)):
        return module
    copied = torch.fx.Graph()
    copied.output(copied.graph_copy(module.graph, {}))
    made = torch.fx.GraphModule(module, copied)
    for node in filter(is_part, list(copied.nodes)):
        if node.target is _aten.native_dropout.default:
            _part_dropout(node)
        elif isinstance(node.args[0], torch.fx.Node) and node.args[0].op != "placeholder":
            maker = _Maker(node)
            node.args = (maker.memory(node.args[0], _fx.value_of(node.args[0])), *node.args[1:])
    made.recompile()
    return made


def is_draw(node):
    """Whether a node draws numbers from PyTorch's generator, and takes nothing but sizes."""
    operands = [each for each in node.all_input_nodes if _fx.tensors_of(_fx.value_of(each))]
    return _is_on_cpu(node) and all("coil.memory" in each.meta or each.op == "placeholder" and node.target in _LIKE
                                    for each in operands)
