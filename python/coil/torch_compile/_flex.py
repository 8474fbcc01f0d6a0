# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts operators where a graph has `flex_attention` and its gradient, so that the score and
mask functions are compiled with the two matrix products around them.

A score function is written for one score. Here it is vectorised over all of them, as PyTorch's
own implementation does: `torch.vmap` over batches, heads, queries and keys. What it
captures stays a tensor that it indexes. The block mask says the same as the mask function and
is not read.
"""

import math

import torch
from torch.utils import _pytree as pytree

from coil.torch_compile import _decompositions, _fx

_LN_2 = math.log(2)
_MINUS_INFINITY = -float("inf")


def _working_type(query):
    return torch.float64 if query.dtype == torch.float64 else torch.float32


class _Attention:
    """The parts that forward and backward have in common.

    Rows of queries that share a head of keys, or a batch of keys, are rows of one matrix: keys
    and values are not repeated.
    """

    def __init__(self, query, key, value, mask, mask_captured, scale):
        self.query, self.key, self.value, self.scale = query, key, value, scale
        self.batches, self.heads, self.rows, self.width = query.shape
        self.key_batches, self.key_heads, self.columns, _ = key.shape
        self.type = _working_type(query)
        positions = (self.batches, self.heads, self.rows, self.columns)
        self.positions = [torch.arange(size, device=query.device) for size in positions]
        self.visible = self.vectorize(mask, (), (None,) * len(mask_captured))(*self.positions, *mask_captured)

    def vectorize(self, function, before, behind, results=0):
        for batched in range(4)[::-1]:
            dims = tuple(0 if i == batched else None for i in range(4))
            function = torch.vmap(function, in_dims=(*before, *dims, *behind), out_dims=results)
        return function

    def split(self, tensor):
        """A tensor of queries' rows as [batches of keys, heads of keys, rows, width]."""
        if self.is_shared:
            tensor = tensor.unflatten(1, (self.key_heads, -1))
            if self.shares_batches:
                tensor = tensor.permute(1, 0, 2, 3, 4).unsqueeze(0)
            return tensor.flatten(2, -2)
        return tensor

    def join(self, tensor):
        """What `split` makes, as [batches, heads, rows, width] again."""
        if not self.is_shared:
            return tensor
        if self.shares_batches:
            tensor = tensor.squeeze(0).unflatten(1, (self.batches, -1, self.rows)).permute(1, 0, 2, 3, 4)
        else:
            tensor = tensor.unflatten(2, (-1, self.rows))
        return tensor.flatten(1, 2)

    @property
    def shares_batches(self):
        return _fx.expr_of(self.key_batches) == 1 and _fx.expr_of(self.batches) != 1

    @property
    def is_shared(self):
        return self.shares_batches or _fx.expr_of(self.heads) != _fx.expr_of(self.key_heads)

    def scores(self):
        query, key = self.split(self.query).to(self.type), self.key.to(self.type)
        return self.join(query @ key.transpose(-2, -1)) * self.scale

    def modified(self, scores, function, captured):
        function = self.vectorize(function, (0,), (None,) * len(captured))
        modified = function(scores, *self.positions, *captured).to(self.type)
        return torch.where(self.visible, modified, _MINUS_INFINITY)


def _forward(query, key, value, score, block_mask, scale, kernel_options, captured, mask_captured):
    attention = _Attention(query, key, value, block_mask[-1], mask_captured, scale)
    scores = attention.modified(attention.scores(), score, captured)
    largest = scores.amax(-1, keepdim=True)
    # A row that sees nothing has no weights.
    sees_nothing = largest == _MINUS_INFINITY
    exponentials = (scores - torch.where(sees_nothing, 0.0, largest)).exp()
    total = exponentials.sum(-1, keepdim=True)
    weights = exponentials / torch.where(sees_nothing, 1.0, total)
    # The result is [batches, heads, rows, width of the values].
    out = attention.join(attention.split(weights.to(query.dtype)) @ value.to(query.dtype))
    logarithms = torch.where(sees_nothing, _MINUS_INFINITY, largest + total.log())
    return out, logarithms.squeeze(-1) / _LN_2, largest.squeeze(-1) / _LN_2


def _backward(query, key, value, out, logarithms, out_gradient, logarithms_gradient, score, joint, block_mask, scale,
              kernel_options, captured, mask_captured):
    attention = _Attention(query, key, value, block_mask[-1], mask_captured, scale)
    kind = attention.type
    scores = attention.scores()
    logarithms = (logarithms * _LN_2).unsqueeze(-1)
    sees_nothing = logarithms == _MINUS_INFINITY
    weights = (attention.modified(scores, score, captured) - torch.where(sees_nothing, 0.0, logarithms)).exp()
    if out_gradient is None:
        out_gradient = torch.zeros_like(out)
    rows = attention.split(out_gradient)
    value_gradient = attention.split(weights.to(query.dtype)).transpose(-2, -1) @ rows
    products = attention.join(rows.to(kind) @ value.to(kind).transpose(-2, -1))
    known = (out.to(kind) * out_gradient.to(kind)).sum(-1, keepdim=True)
    if logarithms_gradient is not None:
        known = known - logarithms_gradient.unsqueeze(-1) / _LN_2
    gradient = weights * (products - known)
    results = [0, None, None, None, None] + [None] * len(captured)
    function = attention.vectorize(joint, (0,), (0,) + (None,) * len(captured), results)
    given, _, _, _, _, *captured_gradients = function(scores, *attention.positions, gradient, *captured)
    given = torch.where(attention.visible, given * scale, 0.0).to(query.dtype)
    given = attention.split(given)
    query_gradient = attention.join(given @ key)
    key_gradient = given.transpose(-2, -1) @ attention.split(query)
    captured_gradients = tuple(
        gradient.to(tensor.dtype) if isinstance(tensor, torch.Tensor) and isinstance(gradient, torch.Tensor) else None
        for tensor, gradient in zip(captured, captured_gradients))
    return query_gradient, key_gradient, value_gradient, captured_gradients


def _scatter(shape, indices, values):
    """What gradients of captured tensors are summed by."""
    zeros = torch.zeros(shape, dtype=values.dtype, device=values.device)
    return torch.ops.aten.index_put(zeros, indices, values, True)


def _table():
    return {**_decompositions.table(), torch.ops.flex_lib.zeros_and_scatter.default: _scatter}


def _implementations():
    operators = torch.ops.higher_order
    return {operators.flex_attention: _forward, operators.flex_attention_backward: _backward}


def _calls(graph):
    known = _implementations()
    return [node for node in graph.nodes if node.op == "call_function" and node.target in known]


class _Uncompiled(Exception):
    """Why a node stays as it is."""


def _trace(module, node):
    """A graph of a node's results, and the nodes that are its inputs."""
    from torch.fx.experimental.proxy_tensor import make_fx

    flat, structure = pytree.tree_flatten((node.args, node.kwargs))
    inputs = list(dict.fromkeys(each for each in flat if isinstance(each, torch.fx.Node) and each.op != "get_attr"))
    values = [_fx.value_of(each) for each in inputs]
    numbers = {each: i for i, each in enumerate(inputs)}
    functions = {each: getattr(module, each.target) for each in flat
                 if isinstance(each, torch.fx.Node) and each.op == "get_attr"}
    implementation = _implementations()[node.target]

    def call(*tensors):
        put = lambda each: (functions[each] if each in functions else tensors[numbers[each]]
                            if isinstance(each, torch.fx.Node) else each)
        args, kwargs = pytree.tree_unflatten([put(each) for each in flat], structure)
        return pytree.tree_leaves(implementation(*args, **kwargs), is_leaf=lambda each: each is None)

    fake_mode = next(value.fake_mode for value in values if hasattr(value, "fake_mode"))
    with fake_mode, torch.no_grad():
        traced = make_fx(call, decomposition_table=_table(), _allow_non_fake_inputs=True)(*values)
    traced.graph.eliminate_dead_code()
    _make_tensors_of_numbers(traced.graph)
    return traced, inputs


def _make_tensors_of_numbers(graph):
    """vmap converts numbers among operands as if they were tensors."""
    for node in graph.nodes:
        if node.target is torch.ops.aten._to_copy.default and not isinstance(node.args[0], torch.fx.Node):
            value = _fx.value_of(node)
            node.target = torch.ops.aten.full.default
            node.args, node.kwargs = ([], node.args[0]), {"dtype": value.dtype, "device": value.device}


def _results(node):
    """The paths of getitem nodes, in the order in which results are flattened, and what the
    operator is said to give there."""
    flat, structure = pytree.tree_flatten(_fx.value_of(node), is_leaf=lambda each: each is None)
    numbered = pytree.tree_unflatten(list(range(len(flat))), structure)
    found = {}

    def visit(user, number):
        if not _fx.is_getitem(user):
            raise _Uncompiled("its results are not taken one by one")
        part = number[user.args[1]]
        if isinstance(part, int):
            found[user] = part
        else:
            for each in user.users:
                visit(each, part)

    for user in node.users:
        visit(user, numbered)
    return found, flat


def _inline(module, node):
    graph = node.graph
    results, _ = _results(node)
    traced, inputs = _trace(module, node)
    placeholders = [each for each in traced.graph.nodes if each.op == "placeholder"]
    before = set(graph.nodes)
    with graph.inserting_before(node):
        copied = graph.graph_copy(traced.graph, dict(zip(placeholders, inputs)))
    for each in graph.nodes:
        if each in before:
            continue
        if "stack_trace" in node.meta:
            each.meta["stack_trace"] = node.meta["stack_trace"]
        if each.op == "get_attr":
            name = f"{node.name}_{each.target}"
            setattr(module, name, getattr(traced, each.target))
            each.target = name
    for user, number in results.items():
        given = copied[number]
        if given is None:
            if user.users:
                raise _Uncompiled("it is said to give a tensor that has no value")
            continue
        # The strides that the rest of the graph was made for.
        with graph.inserting_before(node):
            value = _fx.value_of(user)
            if given.op == "placeholder" or given in before or len(given.users) > 0:
                meta = given.meta
                given = graph.call_function(torch.ops.aten.clone.default, (given,))
                given.meta.update(meta)
        given.meta["val"] = value
        user.replace_all_uses_with(given)
    for user in _members(node):
        graph.erase_node(user)
    graph.erase_node(node)


def _members(node):
    """The nodes that take a node's results, those of results of results first."""
    found = []
    for user in node.users:
        found += [*_members(user), user] if _fx.is_getitem(user) else []
    return found


def inline_attention(module):
    """Returns the module, or a new one whose graph has the operators of `flex_attention` where it
    was called. Calls that cannot be vectorised stay, and say why in `meta["coil.reason"]`."""
    if not _calls(module.graph):
        return module
    copied = torch.fx.Graph()
    copied.output(copied.graph_copy(module.graph, {}))
    made = torch.fx.GraphModule(module, copied)
    for node in _calls(copied):
        try:
            _inline(made, node)
        except Exception as error:  # What a user's function may do has no bounds.
            reason = (str(error).splitlines() or [""])[0]
            node.meta["coil.reason"] = f"its functions cannot be vectorised: {type(error).__name__}: {reason}"
    for node in list(copied.nodes):
        if node.op == "get_attr" and not node.users:
            copied.erase_node(node)
    made.recompile()
    return made
