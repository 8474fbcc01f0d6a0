# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles one graph of AOTAutograd: forward, backward or inference."""

import contextlib
import itertools
import logging
import os
import re
import time
import traceback
import warnings

import torch

from coil._library import CoilError, CompileError
from coil.torch_compile import _counters, _fx, _graphs, _reproducer, _support, _trace
from coil.torch_compile._codegen import Function
from coil.torch_compile._draws import part_draws
from coil.torch_compile._flex import inline_attention
from coil.torch_compile._inline import inline_regions
from coil.torch_compile._options import OptionError
from coil.torch_compile._piece import CompiledPiece
from coil.torch_compile._plan import Plan
from coil.torch_compile._text import MissingSymbol, Unsupported, Writer

_log = logging.getLogger(__name__)
_numbers = itertools.count()

# How often a graph is divided anew because the compiler refused nodes by name; then
# everything in a piece that it still refuses is called eagerly.
MAX_ATTEMPTS = 16
# Nodes that are compiled alone to find out which one the compiler refuses without a name.
MAX_PROBES = 256

# What the compiler says of an operator that it does not have at all, and operators of which it
# has said so, with its words.
_NO_LOWERING = "there is no lowering for it"
_without_lowering = {}

_NODES = re.compile(r"^node ((?:'[^']*'(?:, )?)+)", re.MULTILINE)
_HEAD = re.compile(r"^node '[^']*'(, '[^']*')* (\([^)]*\))?: ?")


class FallbackError(CompileError):
    """An operator that is not compiled, where options={"fallback": "error"} says that
    there may be none."""


class GraphError(CompileError):
    """A graph that cannot be compiled, where options={"strict": True}."""


class CompiledGraph:
    """Describes a graph that was compiled.

    Attributes:
      name: "forward_0", "backward_1", "inference_2" and so on.
      source: the Python function that runs it.
      programs: the compiled pieces, in order.
      fallbacks: a list of (operator, reason, (file, line, function) or None).
      draws: a list of (operator, (file, line, function) or None): operators of PyTorch that draw random
        numbers from its generator and take nothing but sizes, so that they divide no piece.
      remarks: a list of (operator, text, (file, line, function) or None): how operators are
        computed that are not computed as they are written.
      seconds, processor_seconds: what compilation took.
      error: why the graph runs eagerly as a whole, or None.
      captured: whether PyTorch's trees of CUDA graphs capture the function.
      not_captured: why they do not, in a mode that asks for it; None otherwise.
    """

    def __init__(self, name):
        self.name, self.source = name, None
        self.programs, self.fallbacks, self.draws, self.remarks = [], [], [], []
        self.seconds, self.processor_seconds, self.error = 0.0, 0.0, None
        self.captured, self.not_captured = False, None

    @property
    def kernels(self):
        return sum(program.compile_stats["launches"] for program in self.programs)

    @property
    def library_calls(self):
        return sum(program.compile_stats["library_calls"] for program in self.programs)

    @property
    def cache_hits(self):
        """How many of the pieces were not compiled: the cache on disk had them."""
        return sum(program.compile_stats["cache"] == "hit" for program in self.programs)


class _Attempts:
    """Plans of one graph, and the pieces that were compiled for them."""

    def __init__(self, graph, module, options, name, consumable):
        self.graph, self.module, self.options, self.name = graph, module, options, name
        self.consumable = consumable
        self.shape_env = _fx.shape_env_of(graph)
        self.refused, self.wanted = {}, []
        self.programs = {}  # By text and what it consumes: another plan may have the same piece.
        self.nodes = {node.name: node for node in graph.nodes}
        for node in graph.nodes:
            if node.op == "call_function" and str(node.target) in _without_lowering:
                self.refuse(node, _without_lowering[str(node.target)])
            elif options.fallback == "allow" and (reason := _support.reason_for_library(node)):
                self.refuse(node, reason)

    def refuse(self, node, reason):
        while _fx.is_getitem(node):
            node = node.args[0]
        self.refused[node] = reason

    def compile(self):
        """A plan, what runs its pieces, by number, and the function that runs it all."""
        for attempt in itertools.count():
            plan = Plan(self.graph, self.refused, self.wanted, self.consumable)
            pieces = {}
            for piece in plan.pieces:
                compiled = self._compile_piece(piece, attempt >= MAX_ATTEMPTS)
                if compiled is None:
                    break
                pieces[piece.stage // 2] = compiled
            else:
                function = Function(plan, self.module, self.name, pieces)
                try:
                    function.write()
                except MissingSymbol as missing:
                    self._want(missing)
                    continue
                return plan, pieces, function

    def _want(self, missing):
        """The tensor whose size a node's data decides leaves its piece, because Python code
        needs the size."""
        binding = [node for node in self.graph.nodes if missing.symbol in _fx.bound_by(node)]
        for node in [user for each in binding for user in (each, *each.users)]:
            value = _fx.value_of(node)
            sizes = value.shape if isinstance(value, torch.Tensor) else ()
            if node not in self.wanted and any(_fx.is_symbolic(s) and s.node.expr == missing.symbol for s in sizes):
                self.wanted.append(node)
                return
        raise missing

    def _device(self, nodes):
        devices = [value.device for node in nodes for value in _fx.tensors_of(_fx.value_of(node))]
        return next((device for device in devices if device.type == "cuda"), torch.device("cpu"))

    def _compile_piece(self, piece, is_last_attempt):
        """What runs a piece; None if nodes of it were refused."""
        writer = Writer(piece.inputs, piece.nodes, piece.outputs, self.shape_env, piece.updates)
        try:
            text = writer.text()
        except Unsupported as unsupported:
            if unsupported.node is None or unsupported.node in self.refused or unsupported.node.op != "call_function":
                raise
            self.refuse(unsupported.node, unsupported.reason)
            return None
        piece.numbers = writer.numbers
        if self.options.cuda_graphs:
            piece.consumed = []  # Their inputs stay where they are.
        key = text, bool(piece.consumed)
        if key not in self.programs:
            try:
                self.programs[key] = CompiledPiece(text, self._device([*piece.inputs, *piece.nodes]), self.options,
                                                   self._debug_dir(piece), _numbers_of_updates(piece),
                                                   consumes=bool(piece.consumed))
            except CompileError as error:
                _warn_of_extension(error)
                self._refuse(piece, error, is_last_attempt)
                return None
        return self.programs[key]

    def _debug_dir(self, piece):
        if not self.options.debug_dir:
            return None
        path = os.path.join(self.options.debug_dir, self.name, f"piece_{piece.stage // 2}")
        os.makedirs(path, exist_ok=True)
        return path

    # -- What the compiler refuses ------------------------------------------

    def _refuse(self, piece, error, is_last_attempt):
        """Finds the nodes that an error is about."""
        own = set(piece.nodes)
        found = {}
        for line in str(error).splitlines():
            match = _NODES.match(line)
            for name in re.findall("'([^']*)'", match.group(1)) if match else ():
                node = self.nodes.get(name)
                while node is not None and _fx.is_getitem(node):
                    node = node.args[0]
                if node in own:
                    found[node] = _HEAD.sub("", line)
        if not found:
            found = self._probe(piece.nodes)
        if not found or is_last_attempt:
            found = {node: f"its piece is refused: {_first_line(error)}" for node in piece.nodes}
        else:
            found |= self._find_alike(found)
        for node, reason in found.items():
            _log.debug("%s: '%s' (%s) is called eagerly: %s", self.name, node.name, _fx.name_of(node), reason)
            self.refuse(node, reason)

    def _find_alike(self, found):
        """Other nodes of the operators that were refused, so that a graph with many of them is
        not compiled many times."""
        alike = {}
        for operator in {node.target for node in found}:
            reason = next(reason for node, reason in found.items() if node.target == operator)
            others = [node for node in self.graph.nodes if node.target == operator and node not in found
                      and node not in self.refused]
            if _NO_LOWERING in reason:
                _without_lowering[str(operator)] = reason
                alike.update(dict.fromkeys(others, reason))
            else:
                alike |= self._probe(others)
        return alike

    def _probe(self, nodes):
        """Compiles nodes alone; returns those that are refused, and why."""
        found, known = {}, {}
        for node in nodes:
            users = [user for user in node.users if _fx.is_getitem(user)]
            outputs = users or [node]
            inputs = [each for each in node.all_input_nodes if isinstance(_fx.value_of(each), torch.Tensor)]
            try:
                text = Writer(list(dict.fromkeys(inputs)), [node], outputs, self.shape_env, {}).text()
            except Unsupported as unsupported:
                found[node] = unsupported.reason
                continue
            # Equal nodes differ in their names.
            key = re.sub("|".join(sorted((re.escape(f'"{n.name}') for n in [node, *inputs, *users]), reverse=True)),
                         '"', text)
            if key not in known:
                if len(known) >= MAX_PROBES:
                    return {}
                known[key] = None
                try:
                    CompiledPiece(text, self._device([node, *inputs]), self.options, None)
                except CompileError as error:
                    known[key] = _HEAD.sub("", _first_line(error))
            if known[key]:
                found[node] = known[key]
        return found


def _consumable(graph, kind):
    """The inputs that a graph is given for good: what a forward has saved for its backward, and
    gradients. Parameters and what else the forward was given belong to others."""
    if kind != "backward":
        return []
    return [node for node in graph.nodes if node.op == "placeholder" and not node.name.startswith("primals")]


def _numbers_of_updates(piece):
    """For each result of a piece the number of the input whose final value it is, or -1."""
    if not piece.updates:
        return None
    return tuple(piece.inputs.index(piece.updates[node]) if node in piece.updates else -1 for node in piece.outputs)


def _first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0]


def _warn_of_extension(error):
    """An exception in a pass or a legalization of the user's is no reason to say nothing."""
    if error.__cause__ is not None:
        trace = "".join(traceback.format_exception(error.__cause__))
        warnings.warn(f"torch.compile(backend='coil'): {_first_line(error)}\n{trace}", RuntimeWarning, stacklevel=2)


def _report_fallbacks(plan, graph, options):
    for node in plan.draws:
        graph.draws.append((_fx.name_of(node), _fx.source_of(node)))
    _counters.count("draws", len(plan.draws))
    for node, reason in plan.reasons.items():
        graph.fallbacks.append((_fx.name_of(node), reason, _fx.source_of(node)))
    if graph.fallbacks and options.fallback == "error":
        operator, reason, source = graph.fallbacks[0]
        where = f"{source[0]}:{source[1]}: " if source else ""
        more = f" (and {len(graph.fallbacks) - 1} more)" if len(graph.fallbacks) > 1 else ""
        raise FallbackError(f"{where}'{operator}' is not compiled: {reason}{more}")
    for operator, reason, _ in graph.fallbacks:
        _counters.count_fallback(operator, reason)


def compile_graph(module, example_inputs, options, kind, model=None):
    """Compiles a graph of ATen operators; returns a function of one list of inputs, which
    it clears, that returns a tuple.

    Args:
      module: a torch.fx.GraphModule, functional but for copies to inputs at its end.
      example_inputs: fake tensors and symbolic numbers.
      options: `Options`.
      kind: "forward", "backward" or "inference".
      model: the `_graphs.Model` of forward and backward.
    """
    start, processor = time.perf_counter(), time.process_time()
    described = CompiledGraph(f"{kind}_{next(_numbers)}")
    _counters.count("graphs")
    try:
        module, described.remarks = inline_attention(part_draws(inline_regions(module)))
        options, capture, described.not_captured = _graphs.prepare(module, kind, options, model or _graphs.Model())
        attempts = _Attempts(module.graph, module, options, described.name,
                             _consumable(module.graph, kind) if capture is None else ())
        plan, pieces, function = attempts.compile()
        _report_fallbacks(plan, described, options)
        call = function.make()
        if capture is not None:
            call = capture.wrap(call)
    except (FallbackError, OptionError):
        raise
    except Exception as error:  # Whatever it is, the user's program goes on.
        return _run_eagerly(module, example_inputs, options, described, error)
    described.captured = isinstance(capture, _graphs.Tree)
    described.source = function.source
    described.programs = [piece.program for piece in pieces.values()]
    described.seconds = time.perf_counter() - start
    described.processor_seconds = time.process_time() - processor
    _counters.count("pieces", len(pieces))
    _counters.record(described)
    _log_code(described)
    _trace.record(described, plan, pieces)
    call._boxed_call = True
    return call


def _log_code(described):
    """TORCH_LOGS=output_code prints what runs the graph."""
    with contextlib.suppress(AttributeError):
        log = torch._logging.getArtifactLogger("torch._inductor", "output_code")
        log.debug("coil %s:\n%s", described.name, described.source)


def _run_eagerly(module, example_inputs, options, described, error):
    """A graph that cannot be compiled runs as it is."""
    is_known = isinstance(error, (CoilError, Unsupported))
    reason = _first_line(error) if is_known else f"{type(error).__name__}: {_first_line(error)}"
    path = _reproducer.write(module, example_inputs, described.name, error)
    where = f"; {path} reproduces it" if path else ""
    if options.strict or options.fallback == "error":
        raise GraphError(f"graph '{described.name}' cannot be compiled: {reason}{where}") from error
    warnings.warn(f"torch.compile(backend='coil'): graph '{described.name}' runs eagerly, because it cannot be "
                  f"compiled: {reason}{where}", RuntimeWarning, stacklevel=2)
    _counters.count("failed_graphs")
    described.error = str(error)
    _counters.record(described)

    def call(args):
        given = list(args)
        args.clear()
        with torch.no_grad():
            return torch.fx.Interpreter(module).boxed_run(given)

    call._boxed_call = True
    return call
