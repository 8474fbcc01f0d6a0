# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divides a graph into compiled pieces and calls of single operators.

Stages have numbers: 0, 2, 4, ... are compiled pieces, 1, 3, 5, ... the calls between
them, and -1 draws of random numbers that need nothing but sizes. A node is in the earliest stage that has all its operands, so a graph has as many
pieces as its longest chain of alternations, whatever the order of its nodes.
Nodes whose order matters keep it, and one that writes to operands is a barrier.

Then nodes sink to the piece that first needs them, where this keeps no more memory: what a gradient computes of
tensors that the forward pass saved could all be computed in the first piece, and would be written for later ones.
"""

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from coil.torch_compile import _draws, _fx, _support
from coil.torch_compile._support import COMPUTE, CONSTANT, COPY, EAGER, INPUT, NUMBER, SKIP, VIEW


class Piece:
    """A piece that is compiled.

    Attributes:
      nodes: what is computed, views that it needs among them, in the graph's order.
      inputs: nodes of the graph that are its tensors.
      outputs: nodes whose values others need.
      numbers: symbols whose values it takes behind its tensors.
      updates: for outputs that are the final value of an input, and that the piece may
        write to the input's memory: that input.
      consumed: inputs that nobody needs afterwards, whose memory is free behind their last use.
    """

    def __init__(self, stage):
        self.stage, self.nodes, self.inputs, self.outputs = stage, [], [], []
        self.numbers, self.updates, self.consumed = (), {}, []


# What smaller tensors hold is not worth the microseconds that it takes to free them early.
CONSUMED_BYTES = 1 << 20


def _bytes_of(tensor):
    """The bytes of a tensor, by the sizes of the example."""
    count = tensor.element_size()
    for size in tensor.shape:
        hint = _fx.hint_of(size) if _fx.is_symbolic(size) else size
        count *= hint if hint is not None else 1
    return count


def _are_alike(target, value):
    """Whether a value has the type and sizes of an input; the compiler looks at strides."""
    a, b = _fx.value_of(target), _fx.value_of(value)
    return (a.dtype == b.dtype and a.device == b.device and not a.dtype.is_complex and not a.is_neg()
            and a.dim() == b.dim() and all(_fx.expr_of(x) == _fx.expr_of(y) for x, y in zip(a.shape, b.shape)))


class Plan:
    """How a graph is run.

    Args:
      graph: an FX graph of ATen operators.
      refused: nodes that cannot be compiled, and why.
      wanted: nodes whose values Python code needs, whoever else does: their sizes.
      consumable: inputs of the graph that the caller gives away.

    Attributes:
      kinds: the kind of each node.
      reasons: for each node that is called eagerly: why.
      draws: nodes that draw from PyTorch's generator, and take nothing but sizes.
      stages: for each even number a `Piece`, for each odd one a list of nodes.
      copies: what inputs hold at the end.
      output: the values that the graph gives.
      subgraphs: the nodes that stand for subgraphs of branches and loops.
    """

    def __init__(self, graph, refused, wanted=(), consumable=()):
        self.order = {node: i for i, node in enumerate(graph.nodes)}
        self.kinds, self.reasons, self.draws = {}, {}, []
        self.inputs, self.copies, self.constants = [], [], []
        self.stages, self._wanted, self._consumable = {}, wanted, set(consumable)
        self.subgraphs = {each for node in graph.nodes if isinstance(node.target, torch._ops.HigherOrderOperator)
                          for each in _fx.subgraphs_of(node)}
        self._stage_of = {}
        for node in graph.nodes:
            if node.op == "output":
                self.output = node.args[0]
                self.output_node = node
            else:
                self._classify(node, refused)
        self._place(graph)
        self._sink(graph)
        self._connect()

    def _classify(self, node, refused):
        kind, reason = _support.kind_of(node, refused)
        self.kinds[node] = kind
        # Assertions are the host's by nature, and memory for draws is part of these.
        if kind == EAGER and not _fx.is_getitem(node) and not _support.is_assertion(node) and reason is not None:
            if _support.is_random(node) and _draws.is_draw(node):
                self.draws.append(node)
            else:
                self.reasons[node] = reason
        if kind == INPUT:
            self.inputs.append(node)
        elif kind == CONSTANT:
            self.constants.append(node)
        elif kind == COPY:
            self.copies.append(node)

    # -- Stages -------------------------------------------------------------

    def _place(self, graph):
        floor = highest = 0
        last_impure = -1
        draws = set(self.draws)
        for node in graph.nodes:
            kind = self.kinds.get(node)
            before = max((self._stage_of.get(each, -1) for each in node.all_input_nodes), default=-1)
            if kind == NUMBER and not free_unbacked_symbols(_fx.value_of(node)):
                before = -1  # It follows from the sizes of inputs.
            if kind in (VIEW, NUMBER, INPUT, CONSTANT) or _fx.is_getitem(node):
                self._stage_of[node] = before
                continue
            stage = max(before, floor)
            if kind == COMPUTE:
                stage += stage % 2
            elif kind == EAGER and floor == 0 and before == last_impure == -1 and (
                    node in draws or "coil.memory" in node.meta):
                stage = -1
            elif kind == EAGER:
                if _support.is_impure(node):
                    stage = max(stage, last_impure)
                if _support.is_mutable(node) and node not in draws:
                    stage = max(stage, highest)
                stage += 1 - stage % 2
                if _support.is_impure(node):
                    last_impure = stage
                if _support.is_mutable(node) and node not in draws:
                    floor = stage
            else:
                continue
            highest = max(highest, stage)
            self._stage_of[node] = stage
            if kind == COMPUTE:
                self.stages.setdefault(stage, Piece(stage)).nodes.append(node)
            else:
                self.stages.setdefault(stage, []).append(node)

    def _sink(self, graph):
        """Moves nodes to the piece that first needs them."""
        barriers = [number for number, stage in self.stages.items() if not isinstance(stage, Piece)
                    and any(_support.is_mutable(node) and node not in self.draws for node in stage)]
        sunk = set()
        for node in reversed(graph.nodes):
            if self.kinds.get(node) != COMPUTE or _fx.is_getitem(node) or node in self._wanted:
                continue
            if _support.is_impure(node) or node.meta.get("unbacked_bindings"):
                continue
            stage = self._stage_of[node]
            target = min([self._first_need(node), *(barrier - 1 for barrier in barriers if barrier > stage)])
            if target <= stage or self._keeps_more(node, target):
                continue
            self._set_stage(node, target)
            self.stages.setdefault(target, Piece(target)).nodes.append(node)
            sunk.add(node)
        if sunk:
            for number, stage in self.stages.items():
                if isinstance(stage, Piece):
                    nodes = {node for node in stage.nodes if self._stage_of[node] == number}
                    stage.nodes = sorted(nodes, key=self.order.get)

    def _set_stage(self, node, stage):
        self._stage_of[node] = stage
        for user in node.users:
            if _fx.is_getitem(user):
                self._set_stage(user, stage)

    def _first_need(self, node):
        """The piece that first needs what a node computes, -1 where Python does."""
        first = None
        for user in node.users:
            kind = self.kinds.get(user)
            if kind == VIEW or _fx.is_getitem(user):
                if not user.users:
                    continue
                need = self._first_need(user)
            elif kind == SKIP:
                continue
            elif kind == COMPUTE:
                need = self._stage_of[user]
            elif kind == EAGER:
                need = self._stage_of[user] - 1
            else:
                return -1
            first = need if first is None else min(first, need)
        return -1 if first is None else first

    def _keeps_more(self, node, stage):
        """Whether operands that would be kept for a node in a later stage are larger than what it computes."""
        larger = 0
        for operand in {self.root_of(each) for each in node.all_input_nodes if _fx.tensors_of(_fx.value_of(each))}:
            is_given = self.kinds[operand] == CONSTANT or self.kinds[operand] == INPUT and operand not in self._consumable
            if not is_given and not self._is_needed_after(operand, stage - 1):
                larger += sum(map(_bytes_of, _fx.tensors_of(_fx.value_of(operand))))
        return larger > sum(map(_bytes_of, _fx.tensors_of(_fx.value_of(node))))

    def root_of(self, node):
        """What a chain of views begins with."""
        while self.kinds[node] == VIEW:
            operands = [each for each in node.all_input_nodes if _fx.tensors_of(_fx.value_of(each))]
            node = operands[0]
        return node

    def _producer(self, node):
        """The node that computes what a node gives an element of."""
        while _fx.is_getitem(node):
            node = node.args[0]
        return node

    # -- Edges --------------------------------------------------------------

    def _connect(self):
        """Finds what goes into pieces and comes out of them."""
        pieces = [stage for _, stage in sorted(self.stages.items()) if isinstance(stage, Piece)]
        needed = {}

        def need(node):
            needed.setdefault(node)

        for piece in pieces:
            own, views, inputs = set(piece.nodes), {}, {}
            stack = list(piece.nodes)
            while stack:
                for operand in stack.pop().all_input_nodes:
                    kind = self.kinds[operand]
                    if kind in (NUMBER, SKIP) or operand in views or operand in own:
                        continue
                    if kind == CONSTANT and operand in self.subgraphs:
                        continue
                    if _fx.is_number(_fx.value_of(operand)):
                        continue  # Pieces take the symbols of its expression.
                    if kind == VIEW:
                        views[operand] = None
                        stack.append(operand)
                    elif not (_fx.is_getitem(operand) and self._producer(operand) in own):
                        inputs[operand] = None
            piece.inputs = sorted(inputs, key=self.order.get)
            piece.nodes = sorted([*piece.nodes, *(v for v in views if not _fx.is_getitem(v))], key=self.order.get)
            for operand in inputs:
                need(operand)
        self.python_views = {}

        def need_outside(node):
            """What Python code refers to: views are made there."""
            kind = self.kinds[node]
            if kind == NUMBER:
                return
            if kind == VIEW:
                if node not in self.python_views:
                    self.python_views[node] = None
                    for operand in node.all_input_nodes:
                        need_outside(operand)
                return
            need(node)

        for stage in self.stages.values():
            for node in [] if isinstance(stage, Piece) else stage:
                for operand in node.all_input_nodes:
                    need_outside(operand)
        for node in [*self._wanted, *(copy.args[1] for copy in self.copies)]:
            need_outside(node)
        for node in self.output_node.all_input_nodes:
            # What an input holds at the end is given as the input.
            need_outside(node.args[0] if self.kinds[node] == COPY else node)
        for piece in pieces:
            own = set(piece.nodes)
            piece.outputs = sorted(
                (node for node in needed if self.kinds[node] == COMPUTE and self._producer(node) in own
                 and self._stage_of[node] == piece.stage), key=self.order.get)
        self._find_updates(pieces)
        for piece in pieces:
            piece.consumed = [node for node in piece.inputs if self._is_consumed(node, piece)]
        # Nobody needs what has no outputs.
        self.stages = {number: stage for number, stage in sorted(self.stages.items())
                       if not isinstance(stage, Piece) or stage.outputs}

    def _find_updates(self, pieces):
        """Finds the final values of inputs that a piece may write to the input's memory: nothing
        but the piece and the copy at the end uses the input or the value."""
        for copy in self.copies:
            target, value = copy.args
            piece = next((piece for piece in pieces if value in piece.outputs), None)
            if piece is None or target not in piece.inputs or value in self._wanted:
                continue
            own = set(piece.nodes)
            if (_are_alike(target, value) and self._is_used_by(target, own, copy)
                    and self._is_used_by(value, own, copy)):
                piece.updates[value] = target

    def _is_consumed(self, node, piece):
        """Whether a piece is the last to need an input, and freeing it early is worth the time."""
        if self.kinds[node] == INPUT and node not in self._consumable or node in self._wanted:
            return False
        if node in piece.updates.values() or self.kinds[node] == CONSTANT:
            return False
        return _bytes_of(_fx.value_of(node)) >= CONSUMED_BYTES and not self._is_needed_after(node, piece.stage)

    def _is_needed_after(self, node, stage):
        for user in node.users:
            kind = self.kinds.get(user)
            if kind == VIEW or _fx.is_getitem(user):
                if self._is_needed_after(user, stage):
                    return True
            elif user is self.output_node or kind == COPY or self._stage_of.get(user, 0) > stage:
                return True
        return False

    def _is_used_by(self, node, own, copy):
        """Whether only the nodes of a piece and a copy use a node and views of it."""
        for user in node.users:
            if user is copy:
                continue
            if self.kinds.get(user) == VIEW:
                if user in self.python_views or not self._is_used_by(user, own, copy):
                    return False
            elif user not in own:
                return False
        return True

    @property
    def pieces(self):
        return [stage for stage in self.stages.values() if isinstance(stage, Piece)]
