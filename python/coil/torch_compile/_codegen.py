# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the Python function that runs a plan: a call for each compiled piece and for
each operator between them, views, and what inputs hold at the end.

The function takes one list of arguments and clears it (`_boxed_call`), and every value
ends behind its last use, so that memory is free as early as in eager mode.
"""

import itertools
import linecache
import math
import re

import torch
from torch.fx import Node
from torch.utils._sympy.printers import PythonPrinter

from coil.torch_compile import _fx
from coil.torch_compile._piece import as_complex, fit
from coil.torch_compile._plan import Piece
from coil.torch_compile._support import COMPUTE, CONSTANT, COPY, INPUT, NUMBER, VIEW
from coil.torch_compile._text import MissingSymbol

_numbers = itertools.count()
_LITERALS = (type(None), bool, int, str)


class _Printer(PythonPrinter):
    """Python code of an expression, whose symbols are local variables."""

    def __init__(self, symbol):
        super().__init__()
        self._symbol = symbol

    def _print_Symbol(self, expr):
        return self._symbol(expr)

    def _print_Identity(self, expr):
        return self._print(expr.args[0])

    def _print_TruncToInt(self, expr):
        return f"math.trunc({self._print(expr.args[0])})"

    def _print_BooleanTrue(self, expr):
        return "True"

    def _print_BooleanFalse(self, expr):
        return "False"


class Function:
    """The code of a plan.

    Args:
      plan: the plan.
      module: the module that has its constants and subgraphs.
      pieces: what the compiled pieces are called by, by number.

    Attributes:
      source: the text of the function.
    """

    def __init__(self, plan, module, name, pieces):
        self.plan, self.module, self.name, self.pieces = plan, module, name, pieces
        self.lines, self.prologue = [], []
        self.globals = {"torch": torch, "math": math, "Tensor": torch.Tensor}
        self.names = {}
        self.consumed = []  # Numbers of lines that consume values, and the names of these.
        self.updated = set()  # Values that are None where a piece has written them to an input.
        self.symbols = {}  # Where the value of a symbol is found.
        self.printer = _Printer(self._symbol)

    # -- Names --------------------------------------------------------------

    def _global(self, hint, value):
        for name, known in self.globals.items():
            if known is value:
                return name
        name = f"{hint}_{len(self.globals)}"
        self.globals[name] = value
        return name

    def _symbol(self, symbol):
        if symbol not in self.symbols:
            raise MissingSymbol(symbol)
        code, is_bound = self.symbols[symbol]
        if not is_bound:
            self.prologue.append(f"{symbol.name} = {code}")
            self.symbols[symbol] = (code, True)
        return symbol.name

    def _learn(self, name, value, bind):
        """Notes the symbols that a value tells; `bind`: at once."""
        found = []
        if isinstance(value, torch.Tensor) and value.layout is torch.strided:
            found = [(size, f"{name}.size({i})") for i, size in enumerate(value.shape)]
            found += [(stride, f"{name}.stride({i})") for i, stride in enumerate(value.stride())]
            found.append((value.storage_offset(), f"{name}.storage_offset()"))
        elif isinstance(value, (torch.SymInt, torch.SymFloat)):
            found = [(value, name)]
        for number, code in found:
            if not _fx.is_symbolic(number):
                continue
            expr = number.node.expr
            if expr.is_Symbol and expr not in self.symbols:
                self.symbols[expr] = (code, bind)
                if bind:
                    self.lines.append(f"{expr.name} = {code}")

    def number(self, value):
        """Code for a number, symbolic or not."""
        if not _fx.is_symbolic(value):
            return self.constant(value)
        return self.printer.doprint(value.node.expr)

    def constant(self, value):
        if isinstance(value, _LITERALS):
            return repr(value)
        if isinstance(value, float) and abs(value) < float("inf"):
            return repr(value)
        return self._global("value", value)

    # -- Values -------------------------------------------------------------

    def render(self, value):
        """Code for an argument."""
        if isinstance(value, Node):
            return self.node(value)
        if isinstance(value, tuple):
            return "(" + "".join(f"{self.render(each)}, " for each in value) + ")"
        if isinstance(value, list):
            return "[" + ", ".join(self.render(each) for each in value) + "]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.render(each)}" for key, each in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.render(value.start)}, {self.render(value.stop)}, {self.render(value.step)})"
        if _fx.is_symbolic(value):
            return self.number(value)
        return self.constant(value)

    def node(self, node):
        kind = self.plan.kinds[node]
        if kind == NUMBER:
            return self._render_number(node)
        if kind == COPY:
            return self.node(node.args[0])
        if node not in self.names:
            if kind == VIEW:
                self._assign(node, self._strided(node) or self._call(node))
            elif kind == CONSTANT:
                self.names[node] = self._global(node.target.replace(".", "_"), self._attribute(node.target))
            elif _fx.is_getitem(node):
                self._assign(node, f"{self.node(node.args[0])}[{node.args[1]}]")
            else:
                raise AssertionError(f"'{node.name}' has no value yet")
        return self.names[node]

    def _attribute(self, target):
        value = self.module
        for part in target.split("."):
            value = getattr(value, part)
        return value

    def _render_number(self, node):
        value = _fx.value_of(node)
        if not _fx.is_symbolic(value):
            return self.constant(value)
        return f"({self.number(value)})"

    def _assign(self, node, code):
        name = f"v_{node.name}"
        self.names[node] = name
        self.lines.append(f"{name} = {code}")

    def _call(self, node):
        if _fx.is_getitem(node):
            return f"{self.render(node.args[0])}[{self.render(node.args[1])}]"
        arguments = [self.render(each) for each in node.args]
        arguments += [f"{name}={self.render(each)}" for name, each in node.kwargs.items()]
        return f"{self._global(_identifier(node), node.target)}({', '.join(arguments)})"

    def _strided(self, node):
        """Code for a view of any number of operators as one look at the memory that they begin with; None where more than sizes
        and strides changes, where these are not known, or where another operator has laid out the memory."""
        root = self.plan.root_of(node)
        value, base = _fx.value_of(node), _fx.value_of(root)
        if self.plan.kinds[root] not in (INPUT, COMPUTE) or not _is_plain(value) or not _is_plain(base) or value.dtype != base.dtype:
            return None
        offset = value.storage_offset() - base.storage_offset()
        known = self.symbols.keys()
        if any(_fx.symbols_of(number) - known for number in (*value.shape, *value.stride(), offset)):
            return None
        sizes, strides = (f"({''.join(self.number(each) + ', ' for each in some)})" for some in (value.shape, value.stride()))
        name = self.node(root)
        start = self.number(offset)
        behind = "" if start == "0" else f", {name}.storage_offset() + {start}" if self.plan.kinds[root] == INPUT else f", {start}"
        return f"{name}.as_strided({sizes}, {strides}{behind})"

    # -- Stages -------------------------------------------------------------

    def _eager(self, node):
        source = _fx.source_of(node)
        if source:
            self.lines.append(f"# {source[0]}:{source[1]}")
        self._assign(node, self._call(node))
        value = _fx.value_of(node)
        self._learn(self.names[node], value, bind=True)
        if isinstance(value, (tuple, list)):
            for user in node.users:
                if _fx.is_getitem(user):
                    self.node(user)
                    self._learn(self.names[user], _fx.value_of(user), bind=True)

    def _piece(self, piece, number):
        arguments = [self._crossing(node) for node in piece.inputs]
        arguments += [self._symbol(symbol) for symbol in piece.numbers]
        names = [f"v_{node.name}" for node in piece.outputs]
        # Strides that follow from sizes that the piece itself decides are known behind it.
        strides, late = [], []
        for node in piece.outputs:
            given = self._strides(_fx.value_of(node))
            strides += given
            if "-1" in given:
                late.append(node)
        arguments.append(f"strides=({''.join(s + ', ' for s in strides)})")
        consumed = self._consumed(piece)
        if consumed:
            # An alias may let go of memory; whoever else has the tensor keeps it.
            self.lines += [f"{name} = {name}.detach()" for name in consumed.values()]
            arguments.append(f"donate=({''.join(f'{i}, ' for i in consumed)})")
            self.consumed.append((len(self.lines), consumed))
        arguments += [f"{name}={self.constant(value)}" for name, value in self.pieces[number].options.items()]
        self.lines.append(f"{', '.join(names)}, = piece_{number}({', '.join(arguments)})")
        for node, name in zip(piece.outputs, names):
            self.names[node] = name
            if _fx.value_of(node).dtype.is_complex:
                self.lines.append(f"{name} = {self._global('as_complex', as_complex)}({name})")
        self.updated.update(piece.updates)
        for node, name in zip(piece.outputs, names):
            if node not in piece.updates:  # The input has told its sizes.
                self._learn(name, _fx.value_of(node), bind=True)
        for node in late:
            given = self._strides(_fx.value_of(node), is_real=False)
            name = self.names[node]
            self.lines.append(f"{name} = {self._global('fit', fit)}({name}, ({''.join(s + ', ' for s in given)}))")

    def _consumed(self, piece):
        """The names of inputs that a piece consumes, by number."""
        names = {i: self._crossing(node) for i, node in enumerate(piece.inputs) if node in piece.consumed}
        return {i: name for i, name in names.items() if name == self.names[piece.inputs[i]]}

    def _crossing(self, node):
        """Code for a tensor as a piece takes it."""
        name, value = self.node(node), _fx.value_of(node)
        if value.dtype.is_complex:
            return f"torch.view_as_real({name}.resolve_conj())"
        return f"{name}.resolve_neg()" if value.is_neg() else name

    def _strides(self, value, is_real=True):
        """Code for the strides that a result of a piece has; -1 for those that are not known
        yet. `is_real`: as two real numbers, if its elements are complex."""
        known = lambda stride: _fx.symbols_of(stride) <= self.symbols.keys()
        strides = [self.number(stride) if known(stride) else "-1" for stride in value.stride()]
        if is_real and value.dtype.is_complex:
            strides = [f"2 * ({stride})" if stride != "-1" else stride for stride in strides] + ["1"]
        return strides

    # -- The function -------------------------------------------------------

    def write(self):
        plan = self.plan
        for i, node in enumerate(plan.inputs):
            self.names[node] = f"v_{node.name}"
            # Numbers first: they are for free.
            if _fx.is_symbolic(_fx.value_of(node)):
                self._learn(f"v_{node.name}", _fx.value_of(node), bind=False)
        for node in plan.inputs:
            self._learn(f"v_{node.name}", _fx.value_of(node), bind=False)
        for number, stage in plan.stages.items():
            if isinstance(stage, Piece):
                self._piece(stage, number // 2)
            else:
                for node in stage:
                    self._eager(node)
        self._write_copies()
        results = self.render(tuple(plan.output))
        for line, names in self.consumed:
            later = set(_WORD.findall("\n".join([*self.lines[line + 1:], results])))
            assert later.isdisjoint(names.values()), f"line {line} consumes what is needed later"
        body = [f"[{', '.join(self.names[n] for n in plan.inputs)}] = args", "args.clear()",
                *self.prologue, *self.lines]
        body = _end_values(body, results)
        self.source = "\n    ".join(["def call(args):", *body, f"return {results}"]) + "\n"

    def _write_copies(self):
        values = []
        for node in self.plan.copies:
            value = self.node(node.args[1])
            # One input may be written with what another one held.
            if len(self.plan.copies) > 1 and self.plan.kinds[self.plan.root_of(node.args[1])] == INPUT:
                self.lines.append(f"v_{node.name}_kept = {value}.clone()")
                value = f"v_{node.name}_kept"
            values.append(value)
        for node, value in zip(self.plan.copies, values):
            test = f"if {value} is not None: " if node.args[1] in self.updated else ""
            self.lines.append(f"{test}{self.node(node.args[0])}.copy_({value})")

    def make(self):
        """The function."""
        for number, piece in self.pieces.items():
            self.globals[f"piece_{number}"] = piece.function
        file = f"<coil {self.name} {next(_numbers)}>"
        linecache.cache[file] = len(self.source), None, self.source.splitlines(True), file
        exec(compile(self.source, file, "exec"), self.globals)
        return self.globals["call"]


def _is_plain(value):
    """Whether sizes, strides and element type say how a tensor looks at its memory."""
    return isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_conj() and not value.is_neg()


def _identifier(node):
    return "".join(c if c.isalnum() else "_" for c in _fx.name_of(node))


_WORD = re.compile(r"\bv_\w+")


def _end_values(lines, results):
    """Adds what deletes variables behind their last use. The list of arguments, which
    is unpacked in line 0, is cleared in line 1."""
    kept, last = set(_WORD.findall(results)), {}
    for i, line in enumerate(lines):
        last.update(dict.fromkeys(_WORD.findall(line), max(i, 1)))
    ended = {}
    for name, i in last.items():
        # What ends with the last line ends with the function.
        if name not in kept and i != len(lines) - 1:
            ended.setdefault(i, []).append(name)
    final = []
    for i, line in enumerate(lines):
        final.append(line)
        if i in ended:
            final.append(f"del {', '.join(sorted(ended[i]))}")
    return final
