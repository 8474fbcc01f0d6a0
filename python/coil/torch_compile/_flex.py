# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts operators where a graph has `flex_attention` and its gradient, so that the score and
mask functions are compiled with the two matrix products around them.

A score function is written for one score. Here it is vectorised over all of them, as PyTorch's
own implementation does: `torch.vmap` over batches, heads, queries and keys. What it
captures stays a tensor that it indexes. The block mask says the same as the mask function, in
blocks: where scores are computed block by block, it says which blocks are.
"""

import functools
import math

import torch
from torch.utils import _pytree as pytree

from coil.torch_compile import _decompositions, _fx

_LN_2 = math.log(2)
_MINUS_INFINITY = -float("inf")

# Scores that are in memory at a time: what the caches of a processor hold, and what keeps a
# GPU busy.
_BLOCK_BYTES = {"cpu": 16 << 20, "cuda": 64 << 20}
# Fewer rows make no matrix product.
_FEWEST_ROWS = 16
# Scores of a tile, where a mask hides tiles: smaller ones follow its edges.
_TILE_BYTES = {"cpu": 4 << 20, "cuda": 64 << 20}


def _working_type(query):
    return torch.float64 if query.dtype == torch.float64 else torch.float32


class _Rows:
    """Attention of some rows of queries: the parts that forward and backward have in common.

    Rows of queries that share a head of keys, or a batch of keys, are rows of one matrix: keys
    and values are not repeated.

    Args:
      rows: the positions of the rows among all queries.
      columns: the positions of the keys among all keys; None if these are all.
      are_columns: whether they are keys; None if all are.
    """

    def __init__(self, query, key, value, rows, mask, mask_captured, scale, columns=None, are_columns=None):
        self.query, self.key, self.value, self.scale = query, key, value, scale
        self.batches, self.heads, self.rows, _ = query.shape
        self.key_batches, self.key_heads, self.columns, _ = key.shape
        self.type = _working_type(query)
        batches, heads, all_columns = (torch.arange(size, device=query.device)
                                       for size in (self.batches, self.heads, self.columns))
        self.positions = [batches, heads, rows, all_columns if columns is None else columns]
        self.visible = self.vectorize(mask, (), (None,) * len(mask_captured))(*self.positions, *mask_captured)
        if are_columns is not None:
            self.visible = self.visible & are_columns
        self.shares_batches = _fx.expr_of(self.key_batches) == 1 and _fx.expr_of(self.batches) != 1
        self.is_shared = self.shares_batches or _fx.expr_of(self.heads) != _fx.expr_of(self.key_heads)

    def vectorize(self, function, before, behind, results=0):
        for batched in range(4)[::-1]:
            dims = tuple(0 if i == batched else None for i in range(4))
            function = torch.vmap(function, in_dims=(*before, *dims, *behind), out_dims=results)
        return function

    def split(self, tensor):
        """A tensor of queries' rows as [batches of keys, heads of keys, rows, width]."""
        if not self.is_shared:
            return tensor
        tensor = tensor.unflatten(1, (self.key_heads, -1))
        if self.shares_batches:
            tensor = tensor.permute(1, 0, 2, 3, 4).unsqueeze(0)
        return tensor.flatten(2, -2)

    def join(self, tensor):
        """What `split` makes, as [batches, heads, rows, width] again."""
        if not self.is_shared:
            return tensor
        if self.shares_batches:
            tensor = tensor.squeeze(0).unflatten(1, (self.batches, -1, self.rows)).permute(1, 0, 2, 3, 4)
        else:
            tensor = tensor.unflatten(2, (-1, self.rows))
        return tensor.flatten(1, 2)

    def scores(self):
        query, key = self.split(self.query).to(self.type), self.key.to(self.type)
        return self.join(query @ key.transpose(-2, -1)) * self.scale

    def modified(self, scores, function, captured):
        function = self.vectorize(function, (0,), (None,) * len(captured))
        modified = function(scores, *self.positions, *captured).to(self.type)
        return torch.where(self.visible, modified, _MINUS_INFINITY)

    def forward(self, score, captured):
        """The result, logarithms to the base of two of the sums of exponentials, and so the largest
        scores."""
        scores = self.modified(self.scores(), score, captured)
        largest = scores.amax(-1, keepdim=True)
        # A row that sees nothing has no weights.
        sees_nothing = largest == _MINUS_INFINITY
        exponentials = (scores - torch.where(sees_nothing, 0.0, largest)).exp()
        total = exponentials.sum(-1, keepdim=True)
        weights = (exponentials / torch.where(sees_nothing, 1.0, total)).to(self.query.dtype)
        out = self.join(self.split(weights) @ self.value.to(self.query.dtype))
        logarithms = torch.where(sees_nothing, _MINUS_INFINITY, largest + total.log())
        return out, logarithms.squeeze(-1) / _LN_2, largest.squeeze(-1) / _LN_2

    def forward_more(self, score, captured, largest, total, sums):
        """The largest scores, sums of exponentials and sums of values, with those of these columns
        among them."""
        scores = self.modified(self.scores(), score, captured)
        more = torch.maximum(largest, scores.amax(-1))
        # A row that has seen nothing yet has no weights.
        reference = torch.where(more == _MINUS_INFINITY, 0.0, more)
        exponentials = (scores - reference.unsqueeze(-1)).exp()
        before = (largest - reference).exp()
        values = self.join(self.split(exponentials.to(self.query.dtype)) @ self.value.to(self.query.dtype))
        return (more, total * before + exponentials.sum(-1),
                sums * before.unsqueeze(-1) + values.to(self.type))

    def backward(self, out, logarithms, out_gradient, logarithms_gradient, score, joint, captured):
        """Gradients of the rows, of keys and values, and of captured tensors, as far as these rows
        contribute to them."""
        scores = self.scores()
        logarithms = (logarithms * _LN_2).unsqueeze(-1)
        sees_nothing = logarithms == _MINUS_INFINITY
        weights = (self.modified(scores, score, captured) - torch.where(sees_nothing, 0.0, logarithms)).exp()
        rows = self.split(out_gradient)
        value_gradient = self.split(weights.to(self.query.dtype)).transpose(-2, -1) @ rows
        products = self.join(rows.to(self.type) @ self.value.to(self.type).transpose(-2, -1))
        known = (out.to(self.type) * out_gradient.to(self.type)).sum(-1, keepdim=True)
        if logarithms_gradient is not None:
            known = known - logarithms_gradient.unsqueeze(-1) / _LN_2
        gradient = weights * (products - known)
        results = [0, None, None, None, None] + [None] * len(captured)
        function = self.vectorize(joint, (0,), (0,) + (None,) * len(captured), results)
        given, _, _, _, _, *captured_gradients = function(scores, *self.positions, gradient, *captured)
        given = self.split(torch.where(self.visible, given * self.scale, 0.0).to(self.query.dtype))
        query_gradient = self.join(given @ self.key)
        key_gradient = given.transpose(-2, -1) @ self.split(self.query)
        return query_gradient, key_gradient, value_gradient, captured_gradients


class _Blocks:
    """How rows are divided, so that the scores of some rows at a time are in memory, never those
    of all.

    Attributes:
      rows: how many rows a block has; None if all are one block.
      tiles: the tiles that are computed instead, where a block mask hides some.
    """

    def __init__(self, query, key):
        self.tiles = None
        sizes = [*query.shape[:3], key.shape[2]]
        batches, heads, rows, columns = (_hint(size) for size in sizes)
        self.count, self.rows, self.size = None, None, sizes[2]
        per_row = 4 * batches * heads * columns
        most = max(_BLOCK_BYTES[query.device.type] // max(per_row, 1), _FEWEST_ROWS)
        is_known = not any(_fx.is_symbolic(size) for size in sizes)
        if is_known and rows <= most or not _fx.is_symbolic(sizes[2]) and rows <= _FEWEST_ROWS:
            return
        if _fx.is_symbolic(sizes[2]):
            # Other sizes come; a block of one size serves them all.
            self.rows = min(most, max(_FEWEST_ROWS, 1 << (rows - 1).bit_length()))
        else:
            count = -(-rows // most)
            self.rows = -(-rows // count)
        self.count = (sizes[2] + self.rows - 1) // self.rows
        self.is_even = not _fx.is_symbolic(sizes[2]) and rows % self.rows == 0

    def divide(self, query, key, block_mask):
        """The tiles, where a block mask may hide some; None where it does not."""
        if _Tiles.fit(query, key, block_mask):
            self.tiles = _Tiles(query, key, block_mask)
        return self.tiles

    def describe(self):
        if self.tiles:
            return self.tiles.describe()
        return f"runs in blocks of {self.rows} rows of queries, whose scores are in memory at a time"

    def run(self, step, inits, tensors):
        """Calls `step` for each block: with the positions of its rows, which are those of the last
        row where there are no more, whether they are rows (None: all are), what the step
        before gave, and `tensors`. Returns what the last one gives."""
        device = inits[0].device
        all_rows = torch.arange(self.count * self.rows, device=device)
        if not self.is_even:
            all_rows = all_rows.clamp(max=self.size - 1)

        def condition(block, *_):
            return block < self.count

        def body(block, *values):
            carried, (all_rows, *tensors) = values[:len(inits)], values[len(inits):]
            numbers = block * self.rows + torch.arange(self.rows, device=device)
            rows = all_rows.index_select(0, numbers)
            return block + 1, *step(rows, None if self.is_even else numbers == rows, carried, tensors)

        block = torch.zeros((), dtype=torch.int64, device=device)
        results = torch.ops.higher_order.while_loop(condition, body, (block, *inits), (all_rows, *tensors))
        return results[1:]

    def put(self, whole, rows, part):
        """Writes rows to a tensor of all."""
        return torch.ops.aten.index_put(whole, [None, None, rows], part)

    def add(self, whole, rows, part):
        """Adds rows to a tensor of zeros; those that are none are zero."""
        return self.put(whole, rows, part) if self.is_even else torch.ops.aten.index_put(
            whole, [None, None, rows], part, True)


class _Tiles:
    """How rows and keys are divided where a block mask says what is hidden: tiles that are hidden are
    left out, and those that are not are taken one after the other, those of a row in the order of its keys.

    Attributes:
      rows, columns: how many a tile has.
    """

    def __init__(self, query, key, block_mask):
        self.sizes = query.shape[2], key.shape[2]
        _, _, self.counts, self.indices, self.full_counts, self.full_indices = block_mask[:6]
        self.block_sizes = block_mask[10:12]
        batches, heads = (_hint(size) for size in query.shape[:2])
        most = _TILE_BYTES[query.device.type] // (4 * batches * heads)
        size = max(1 << (math.isqrt(max(most, 1)).bit_length() - 1), _FEWEST_ROWS)
        self.rows, self.columns = (min(size, max(_FEWEST_ROWS, 1 << (_hint(each) - 1).bit_length())) for each in self.sizes)
        self.along = [(whole + part - 1) // part for whole, part in zip(self.sizes, (self.rows, self.columns))]

    @staticmethod
    def fit(query, key, block_mask):
        """Whether a mask may hide tiles: it has blocks, and looks at positions."""
        placeholders = [node for node in block_mask[-1].graph.nodes if node.op == "placeholder"]
        if not any(node.users for node in placeholders[2:4]) or not isinstance(block_mask[10], int):
            return False
        return any(size < _hint(whole) for size, whole in zip(block_mask[10:12], (query.shape[2], key.shape[2])))

    def describe(self):
        return f"runs in tiles of {self.rows} queries and {self.columns} keys, without those that its block mask hides"

    def _blocks_of_tiles(self, along):
        """The numbers of the blocks that each tile along a dimension is in, [tiles, blocks]."""
        tile, block = (self.rows, self.columns)[along], self.block_sizes[along]
        device = self.indices.device
        # Tiles that begin in a block may end in the one behind the last whole one.
        count = -(-tile // block) + (tile % block != 0 and block % tile != 0)
        first = torch.arange(self.along[along], device=device) * tile // block
        numbers = first.unsqueeze(1) + torch.arange(count, device=device)
        return numbers.clamp(max=self.indices.shape[2 + along] - 1)

    def _visible(self):
        """Whether any query of a tile sees any key of it, [tiles of rows, tiles of columns]."""
        seen = None
        for counts, indices in (self.counts, self.indices), (self.full_counts, self.full_indices):
            if counts is None:
                continue
            # A list may be longer than what is in it.
            columns = indices.shape[3]
            is_listed = torch.arange(columns, device=indices.device) < counts.unsqueeze(-1)
            target = torch.where(is_listed, indices, columns).to(torch.int64)
            flags = torch.zeros(*indices.shape[:3], columns + 1, dtype=torch.int32, device=indices.device)
            flags = flags.scatter(3, target, 1)[..., :columns].amax((0, 1))
            seen = flags if seen is None else torch.maximum(seen, flags)
        rows, columns = self._blocks_of_tiles(0), self._blocks_of_tiles(1)
        return seen[rows].amax(1)[:, columns].amax(2)

    def run(self, step, inits, tensors):
        """Calls `step` for each tile that is not hidden: with the positions of its rows and columns, which
        are those of the last one where there are no more, whether they are some, what the
        step before gave, and `tensors`. Returns what the last one gives."""
        device = inits[0].device
        visible = self._visible().flatten()
        # The numbers of the tiles in front, without a sort, for which GPUs need a library.
        size = visible.shape[0]
        place = torch.where(visible != 0, visible.cumsum(0, dtype=torch.int64) - 1, size)
        order = torch.zeros(size + 1, dtype=torch.int64, device=device)
        order = order.scatter(0, place, torch.arange(size, device=device))
        # Bodies of loops are given what follows from sizes.
        rows = torch.arange(self.along[0] * self.rows, device=device).clamp(max=self.sizes[0] - 1)
        columns = torch.arange(self.along[1] * self.columns, device=device).clamp(max=self.sizes[1] - 1)
        along = torch.full((), self.along[1], dtype=torch.int64, device=device)

        def condition(number, *values):
            return number < values[len(inits)]

        def body(number, *values):
            carried, (_, order, along, all_rows, all_columns, *tensors) = values[:len(inits)], values[len(inits):]
            tile = order.index_select(0, number.reshape(1)).reshape(())
            places, parts = [], []
            for first, size, every in ((tile // along) * self.rows, self.rows, all_rows), (
                    (tile % along) * self.columns, self.columns, all_columns):
                numbers = first + torch.arange(size, device=device)
                places.append(every.index_select(0, numbers))
                parts.append(places[-1] == numbers)
            return number + 1, *step(*places, *parts, carried, tensors)

        number = torch.zeros((), dtype=torch.int64, device=device)
        count = visible.sum(dtype=torch.int64)
        results = torch.ops.higher_order.while_loop(
            condition, body, (number, *inits), (count, order, along, rows, columns, *tensors))
        return results[1:]


def _hint(size):
    if not _fx.is_symbolic(size):
        return size
    hint = _fx.hint_of(size)
    return hint if hint is not None else 1024


def _is_tensor(value):
    return isinstance(value, torch.Tensor)


class _Captured:
    """What functions capture: tensors and symbolic numbers, which a loop has to be given, and
    numbers."""

    def __init__(self, *groups):
        self.groups = groups
        self.values = [each for group in groups for each in group if self._is_given(each)]

    def _is_given(self, value):
        return _is_tensor(value) or _fx.is_symbolic(value)

    def restore(self, values):
        """The groups again, as a loop has them inside."""
        left = iter(values)
        return [tuple(next(left) if self._is_given(each) else each for each in group) for group in self.groups]


def _forward(blocks, query, key, value, score, block_mask, scale, kernel_options, captured, mask_captured):
    mask = block_mask[-1]
    if blocks.rows is None:
        rows = torch.arange(query.shape[2], device=query.device)
        return _Rows(query, key, value, rows, mask, mask_captured, scale).forward(score, captured)
    if tiles := blocks.divide(query, key, block_mask):
        return _forward_in_tiles(tiles, query, key, value, score, mask, scale, captured, mask_captured)
    held = _Captured(captured, mask_captured)

    def step(rows, are_rows, carried, tensors):
        query, key, value, *tensors = tensors
        captured, mask_captured = held.restore(tensors)
        part = _Rows(query.index_select(2, rows), key, value, rows, mask, mask_captured, scale)
        return [blocks.put(whole, rows, given) for whole, given in zip(carried, part.forward(score, captured))]

    batches, heads, rows, _ = query.shape
    kind = _working_type(query)
    inits = [torch.zeros(batches, heads, rows, value.shape[3], dtype=query.dtype, device=query.device),
             torch.zeros(batches, heads, rows, dtype=kind, device=query.device),
             torch.zeros(batches, heads, rows, dtype=kind, device=query.device)]
    return blocks.run(step, inits, [query, key, value, *held.values])


def _forward_in_tiles(tiles, query, key, value, score, mask, scale, captured, mask_captured):
    held = _Captured(captured, mask_captured)

    def step(rows, columns, are_rows, are_columns, carried, tensors):
        query, key, value, *tensors = tensors
        captured, mask_captured = held.restore(tensors)
        part = _Rows(query.index_select(2, rows), key.index_select(2, columns), value.index_select(2, columns), rows,
                     mask, mask_captured, scale, columns, are_columns)
        before = [each.index_select(2, rows) for each in carried]
        return [torch.ops.aten.index_put(whole, [None, None, rows], given)
                for whole, given in zip(carried, part.forward_more(score, captured, *before))]

    kind, sizes = _working_type(query), query.shape[:3]
    inits = [torch.full(sizes, _MINUS_INFINITY, dtype=kind, device=query.device),
             torch.zeros(sizes, dtype=kind, device=query.device),
             torch.zeros(*sizes, value.shape[3], dtype=kind, device=query.device)]
    largest, total, sums = tiles.run(step, inits, [query, key, value, *held.values])
    sees_nothing = largest == _MINUS_INFINITY
    out = sums / torch.where(sees_nothing, 1.0, total).unsqueeze(-1)
    logarithms = torch.where(sees_nothing, _MINUS_INFINITY, largest + total.log())
    return out.to(query.dtype), logarithms / _LN_2, largest / _LN_2


def _backward(blocks, query, key, value, out, logarithms, out_gradient, logarithms_gradient, score, joint, block_mask,
              scale, kernel_options, captured, mask_captured):
    mask = block_mask[-1]
    if out_gradient is None:
        out_gradient = torch.zeros_like(out)
    if blocks.rows is None:
        rows = torch.arange(query.shape[2], device=query.device)
        part = _Rows(query, key, value, rows, mask, mask_captured, scale)
        *results, gradients = part.backward(out, logarithms, out_gradient, logarithms_gradient, score, joint, captured)
    else:
        *results, gradients = _backward_in_blocks(blocks, query, key, value, out, logarithms, out_gradient,
                                                  logarithms_gradient, score, joint, block_mask, scale, captured,
                                                  mask_captured)
    return *results, tuple(gradient.to(tensor.dtype) if _is_tensor(tensor) and _is_tensor(gradient) else None
                           for tensor, gradient in zip(captured, gradients))


def _backward_in_blocks(blocks, query, key, value, out, logarithms, out_gradient, logarithms_gradient, score, joint,
                        block_mask, scale, captured, mask_captured):
    mask = block_mask[-1]
    tiles = blocks.divide(query, key, block_mask)
    held = _Captured(captured, mask_captured)
    kind = _working_type(query)
    # What has a gradient is known by the function that computes it.
    wanted = [_is_tensor(each) and each.is_floating_point() and _gives(joint, 5 + i)
              for i, each in enumerate(captured)]
    optional = [] if logarithms_gradient is None else [logarithms_gradient]

    def part_of(rows, are_rows, columns, are_columns, carried, tensors):
        """Gradients of a part, and the sums so far."""
        query, key, value, out, logarithms, out_gradient, *tensors = tensors
        logarithms_gradient = None
        if optional:
            logarithms_gradient, *tensors = tensors
        captured, mask_captured = held.restore(tensors)
        take = lambda tensor: tensor.index_select(2, rows)
        if columns is not None:
            key, value = key.index_select(2, columns), value.index_select(2, columns)
        out_gradient = take(out_gradient)
        logarithms_gradient = take(logarithms_gradient) if optional else None
        if are_rows is not None:
            out_gradient = torch.where(are_rows.unsqueeze(-1), out_gradient, 0.0)
            logarithms_gradient = torch.where(are_rows, logarithms_gradient, 0.0) if optional else None
        part = _Rows(take(query), key, value, rows, mask, mask_captured, scale, columns, are_columns)
        *results, gradients = part.backward(
            take(out), take(logarithms), out_gradient, logarithms_gradient, score, joint, captured)
        gradients = [each for each, is_wanted in zip(gradients, wanted) if is_wanted]
        return *results, [total + each for total, each in zip(carried[3:], gradients)]

    def step(rows, are_rows, carried, tensors):
        query_gradient, key_gradient, value_gradient, sums = part_of(rows, are_rows, None, None, carried, tensors)
        query_sum, key_sum, value_sum, *_ = carried
        return [blocks.add(query_sum, rows, query_gradient), key_sum + key_gradient, value_sum + value_gradient, *sums]

    def tile_step(rows, columns, are_rows, are_columns, carried, tensors):
        *gradients, sums = part_of(rows, are_rows, columns, are_columns, carried, tensors)
        return [*(torch.ops.aten.index_put(total, [None, None, places], gradient.to(total.dtype), True)
                  for total, places, gradient in zip(carried, (rows, columns, columns), gradients)), *sums]

    zeros = lambda tensor, kind: torch.zeros(tensor.shape, dtype=kind, device=tensor.device)
    # A row of queries is in several tiles.
    inits = [zeros(query, kind if tiles else query.dtype), zeros(key, kind), zeros(value, kind)]
    inits += [zeros(each, _working_type(each)) for each, is_wanted in zip(captured, wanted) if is_wanted]
    query_gradient, key_gradient, value_gradient, *sums = (tiles or blocks).run(
        tile_step if tiles else step, inits, [query, key, value, out, logarithms, out_gradient, *optional, *held.values])
    left = iter(sums)
    return (query_gradient.to(query.dtype), key_gradient.to(key.dtype), value_gradient.to(value.dtype),
            [next(left) if is_wanted else None for is_wanted in wanted])


def _gives(function, number):
    """Whether a traced function gives a result under a number."""
    output = next(node for node in function.graph.nodes if node.op == "output")
    return output.args[0][number] is not None


def _scatter(shape, indices, values):
    """What gradients of captured tensors are summed by."""
    kind = _working_type(values)
    zeros = torch.zeros(shape, dtype=kind, device=values.device)
    return torch.ops.aten.index_put(zeros, indices, values.to(kind), True).to(values.dtype)


def _to_copy(value, *, dtype=None, device=None, **kwargs):
    """vmap converts numbers among operands as if they were tensors."""
    if isinstance(value, torch.Tensor):
        return NotImplemented
    return torch.full((), value, dtype=dtype, device=device)


def _table():
    return {**_decompositions.table(), torch.ops.flex_lib.zeros_and_scatter.default: _scatter,
            torch.ops.aten._to_copy.default: _to_copy}


def _implementations():
    operators = torch.ops.higher_order
    return {operators.flex_attention: _forward, operators.flex_attention_backward: _backward}


def _calls(graph):
    known = _implementations()
    return [node for node in graph.nodes if node.op == "call_function" and node.target in known]


class _Uncompiled(Exception):
    """Why a node stays as it is."""


def _inputs_of(node):
    """The nodes that a node is given, each once, without those of its functions."""
    flat, _ = pytree.tree_flatten((node.args, node.kwargs))
    return list(dict.fromkeys(each for each in flat if isinstance(each, torch.fx.Node) and each.op != "get_attr"))


def _trace(module, node, blocks):
    """A graph of a node's results, whose inputs are those of the node."""
    from torch.fx.experimental.proxy_tensor import make_fx

    flat, structure = pytree.tree_flatten((node.args, node.kwargs))
    inputs = _inputs_of(node)
    values = [_fx.value_of(each) for each in inputs]
    numbers = {each: i for i, each in enumerate(inputs)}
    functions = {each: _without_items(getattr(module, each.target), _working_type(values[0])) for each in flat
                 if isinstance(each, torch.fx.Node) and each.op == "get_attr"}
    implementation = functools.partial(_implementations()[node.target], blocks)

    def call(*tensors):
        put = lambda each: (functions[each] if each in functions else tensors[numbers[each]]
                            if isinstance(each, torch.fx.Node) else each)
        args, kwargs = pytree.tree_unflatten([put(each) for each in flat], structure)
        return pytree.tree_leaves(implementation(*args, **kwargs), is_leaf=lambda each: each is None)

    fake_mode = next(value.fake_mode for value in values if hasattr(value, "fake_mode"))
    with fake_mode, torch.no_grad():
        traced = make_fx(call, decomposition_table=_table(), _allow_non_fake_inputs=True)(*values)
    for graph in _graphs_of(traced):
        graph.eliminate_dead_code()
        _add_at_once(graph)
        for each in graph.nodes:
            # Without a rule of its own for vmap, an operator is called for each row.
            if isinstance(each.target, torch._ops.OpOverload) and each.target.namespace not in ("aten", "prims"):
                raise _Uncompiled(f"their operator '{each.target}' is called, not compiled")
            if "stack_trace" in node.meta:
                each.meta["stack_trace"] = node.meta["stack_trace"]
    return traced


def _without_items(function, kind):
    """A function without numbers that are read from tensors, which is how Dynamo hands on floats: the
    tensors take their place, and floats have the type that scores have."""
    aten = torch.ops.aten
    items = (aten._local_scalar_dense.default, aten.item.default)
    if not any(node.target in items for node in function.graph.nodes):
        return function
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(function.graph, {}))
    for node in list(graph.nodes):
        if node.target not in items:
            continue
        given = node.args[0]
        if isinstance(_fx.value_of(node), (float, torch.SymFloat)):
            with graph.inserting_before(node):
                given = graph.call_function(aten._to_copy.default, (given,), {"dtype": kind})
        node.replace_all_uses_with(given)
        graph.erase_node(node)
    return torch.fx.GraphModule(function, graph)


def _graphs_of(module):
    return [each.graph for each in module.modules() if isinstance(each, torch.fx.GraphModule)]


def _add_at_once(graph):
    """A sum of what was summed so far and of what is scattered into zeros is scattered into what
    was summed so far."""
    aten = torch.ops.aten
    for node in list(graph.nodes):
        if node.target is not aten.add.Tensor or node.kwargs:
            continue
        total, part = node.args
        if not isinstance(part, torch.fx.Node) or not isinstance(total, torch.fx.Node):
            continue
        # Element types on the way are narrower, not wider.
        while part.target is aten._to_copy.default and len(part.users) == 1:
            part = part.args[0]
        if part.target is not aten.index_put.default or len(part.users) != 1 or len(part.args) < 4:
            continue
        zeros, indices, values, accumulates = part.args
        is_zero = zeros.target is aten.full.default and zeros.args[1] == 0
        if accumulates is True and is_zero and _fx.value_of(part).dtype == _fx.value_of(node).dtype:
            node.target, node.args = aten.index_put.default, (total, indices, values, True)
    graph.eliminate_dead_code()


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


def _describe(module, node):
    """What two nodes have to have in common to have one graph, but for their inputs."""
    flat, structure = pytree.tree_flatten((node.args, node.kwargs))
    numbers = {}

    def describe(value):
        if not isinstance(value, torch.fx.Node):
            return repr(value)
        if value.op == "get_attr":
            return _code_of(getattr(module, value.target))
        given, number = _fx.value_of(value), numbers.setdefault(value, len(numbers))
        if not isinstance(given, torch.Tensor):
            return number, str(given)
        sizes = [str(_fx.expr_of(each)) for each in (*given.shape, *given.stride())]
        return number, given.dtype, given.device, given.requires_grad, *sizes

    return node.target, _fx.source_of(node), str(structure), tuple(map(describe, flat))


def _code_of(function):
    """The text of a function; something that is no other's where it has attributes of its own."""
    if any(node.op == "get_attr" for node in function.graph.nodes):
        return object()
    return str(function.graph)


def _inline(module, node, known):
    graph = node.graph
    results, _ = _results(node)
    key = _describe(module, node)
    if key not in known:
        blocks = _Blocks(*(_fx.value_of(each) for each in node.args[:2]))
        known[key] = _trace(module, node, blocks), blocks
    (traced, blocks), inputs = known[key], _inputs_of(node)
    outputs = next(each for each in traced.graph.nodes if each.op == "output").args[0]
    if any(outputs[number] is None and user.users for user, number in results.items()):
        raise _Uncompiled("it is said to give a tensor that has no value")
    placeholders = [each for each in traced.graph.nodes if each.op == "placeholder"]
    before = set(graph.nodes)
    with graph.inserting_before(node):
        copied = graph.graph_copy(traced.graph, dict(zip(placeholders, inputs)))
    for each in graph.nodes:
        if each in before:
            continue
        if each.op == "get_attr":
            name = f"{node.name}_{each.target}"
            setattr(module, name, getattr(traced, each.target))
            each.target = name
    taken = {}
    for user, number in results.items():
        given = copied[number]
        if given is None:
            continue
        # The strides that the rest of the graph was made for.
        with graph.inserting_before(node):
            value = _fx.value_of(user)
            kind = {"dtype": value.dtype} if value.dtype != _fx.value_of(given).dtype else {}
            # A view would be made outside of compiled code, with the strides of what it is one of.
            if kind or given in before or len(given.users) > 0 or _fx.is_view(given):
                operator = torch.ops.aten._to_copy.default if kind else torch.ops.aten.clone.default
                given = graph.call_function(operator, (given,), kind)
                if "stack_trace" in node.meta:
                    given.meta["stack_trace"] = node.meta["stack_trace"]
        given.meta["val"] = value
        user.replace_all_uses_with(given)
        taken[given] = user.name
    for user in _members(node):
        graph.erase_node(user)
    for given, name in taken.items():  # Signatures know results by their names.
        given.name = name
    graph.erase_node(node)
    return blocks


def _members(node):
    """The nodes that take a node's results, those of results of results first."""
    found = []
    for user in node.users:
        found += [*_members(user), user] if _fx.is_getitem(user) else []
    return found


def inline_attention(module):
    """Returns the module, or a new one whose graph has the operators of `flex_attention` where it
    was called, and remarks: (operator, text, source) each. Calls that cannot be vectorised stay,
    and say why in `meta["coil.reason"]`."""
    remarks, known = [], {}
    if not _calls(module.graph):
        return module, remarks
    copied = torch.fx.Graph()
    copied.output(copied.graph_copy(module.graph, {}))
    made = torch.fx.GraphModule(module, copied)
    for node in _calls(copied):
        try:
            blocks = _inline(made, node, known)
            if blocks.rows is not None:
                remarks.append((_fx.name_of(node), blocks.describe(), _fx.source_of(node)))
        except _Uncompiled as error:
            node.meta["coil.reason"] = f"its functions stay as they are: {error}"
        except Exception as error:  # What a user's function may do has no bounds.
            reason = (str(error).splitlines() or [""])[0]
            node.meta["coil.reason"] = f"its functions cannot be vectorised: {type(error).__name__}: {reason}"
    for node in list(copied.nodes):
        if node.op == "get_attr" and not node.users:
            copied.erase_node(node)
    made.recompile()
    return made, remarks


def inline_exported(program):
    """An exported program that has the operators of `flex_attention` where it was called. torch.export
    writes it as a call of functions, which no file holds, behind nodes of `torch.vmap` that make
    its block mask and that only decomposition resolves."""
    operator = torch.ops.higher_order.flex_attention
    if not any(node.target is operator for node in program.graph.nodes):
        return program
    program = program.run_decompositions({})
    module, _ = inline_attention(program.graph_module)
    for node in module.graph.nodes:
        if node.target is operator:
            raise NotImplementedError(f"flex_attention at {_fx.describe_source(node)}: {node.meta['coil.reason']}")
    return program._update(module, program.graph_signature)
