# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `coil-compile --emit=fx` writes calls of: builds torch.fx graphs.

A node is what one step of a host program does, in the program's order: buffers are
tensors that later nodes write to. Every node has in `meta["val"]` what it would
give, as a fake tensor or a symbolic number; None where it gives nothing.
"""

import contextlib
import contextvars
import re
import threading

import torch
from torch._dynamo.source import ConstantSource
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph as TorchGraph
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv
from torch.fx.node import map_aggregate
from torch.utils._sympy.value_ranges import ValueRanges

from coil import _launches, _library, host
from coil._launches import KernelTable, Module, coil_launch, describe

# ===------------------------------------------------------------------------===
# Devices and streams
# ===------------------------------------------------------------------------===

class _Numbered(list):
    """Things that a node cannot hold; it holds the number of one."""

    def __init__(self):
        self._numbers = {}

    def number(self, thing):
        """The number of a thing, which has one from now on."""
        number = self._numbers.setdefault(id(thing), len(self))
        if number == len(self):
            self.append(thing)
        return number


# What is done with streams of a device or on one, and devices.
_actions, _devices = _Numbered(), _Numbered()
_entered = threading.local()


def enter(number):
    """Enters a context manager, such as that of a stream."""
    context = _actions[number]()
    context.__enter__()
    _entered.__dict__.setdefault("stack", []).append(context)


def leave():
    """Leaves the one that was entered last."""
    _entered.stack.pop().__exit__(None, None, None)


def make(number):
    """Makes something that is no tensor, such as an event."""
    return _actions[number]()


def apply(number, value):
    """Does something with what was made."""
    _actions[number](value)


def do_on(action, device, *args, **kwargs):
    """Does something on a device, both given by their numbers; gives what that gives."""
    return _actions[action](*args, device=_devices[device], **kwargs)


def find_numbered(action, device):
    """The function and the device that `do_on` is given by their numbers."""
    return _actions[action], _devices[device]


def number(action, device):
    """The numbers of a function and a device in this process."""
    # One device for all that pickles have of it.
    device = next((each for each in _devices if repr(each) == repr(device)), device)
    return _actions.number(action), _devices.number(device)


def non_zero(value):
    """A divisor that may be zero counts as one."""
    return torch.sym_max(value, 1) if isinstance(value, torch.SymInt) else value or 1


# ===------------------------------------------------------------------------===
# What nodes hold
# ===------------------------------------------------------------------------===

# What has a text that is Python again. Tensors and symbolic numbers have none: they are
# attributes and other nodes.
_CONSTANTS = (type(None), bool, int, float, complex, str, torch.dtype, torch.device,
              torch.memory_format, torch.layout, torch._ops.OpOverload)


def _find_foreign(value, graph):
    """The first thing in an argument that no node of a graph can hold, in a list; empty
    if there is none."""
    if isinstance(value, Node):
        return [] if value.graph is graph else [value]
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in _find_foreign(part, graph)][:1]
    if isinstance(value, dict):
        return [key for key in value if not isinstance(key, str)] or _find_foreign([*value.values()], graph)
    if isinstance(value, (slice, range)):
        return _find_foreign((value.start, value.stop, value.step), graph)
    return [] if isinstance(value, _CONSTANTS) else [value]


def _check_node(graph, target, args, kwargs):
    """Fails unless torch.fx can hold a node and write it down. It looks at neither when
    the node is made, and fails far from there."""
    what = target if isinstance(target, str) else getattr(target, "__name__", repr(target))
    if not isinstance(target, str) and "<" in getattr(target, "__qualname__", what):
        raise TypeError(f"a node cannot call '{what}', which has no name that Python finds")
    for name, value in [*enumerate(args), *kwargs.items()]:
        for each in _find_foreign(value, graph):
            which = "a node of another graph" if isinstance(each, Node) else f"a '{type(each).__name__}'"
            raise TypeError(f"argument {name} of a node that calls '{what}' holds {each!r}, {which}, "
                            "which no node of this graph can hold")


# ===------------------------------------------------------------------------===
# Graphs
# ===------------------------------------------------------------------------===

_UNKNOWN = object()
_SOURCE = re.compile(r"([^,\s()]+):(\d+)")


def compile_graph(module):
    """Makes a callable of a finished graph where no backend was chosen. Replace it to put a compiler behind
    all emitted programs; it gets a torch.fx.GraphModule."""
    return module


_chosen = contextvars.ContextVar("backend", default=None)
_backends = {}


def register_backend(name, compile):
    """Gives a hook a name: a function that makes a callable of a finished graph."""
    _backends[name] = compile


@contextlib.contextmanager
def backend(compile):
    """A context in which emitted programs that are loaded have this hook, or the one that was registered under
    this name; each keeps its own from then on."""
    if isinstance(compile, str):
        if compile not in _backends:
            raise _library.InputError(f"no backend is registered under the name '{compile}'")
        compile = _backends[compile]
    token = _chosen.set(compile)
    try:
        yield
    finally:
        _chosen.reset(token)


class Program:
    """The graphs of a program, which share symbols."""

    def __init__(self):
        self.shapes = ShapeEnv(specialize_zero_one=False, duck_shape=False)
        self.mode = FakeTensorMode(shape_env=self.shapes, allow_non_fake_inputs=True)
        self._functions = {}
        self.backend = _chosen.get()

    def symbol(self, name, lower, upper, hint):
        """A number that nodes give, between two bounds; None is no bound."""
        source = ConstantSource(f"{name}_{len(self.shapes.var_to_range)}")
        symbol = self.shapes.create_unspecified_symbol(hint, source, DimDynamic.DYNAMIC)
        if lower is not None and upper is not None:
            self.shapes.var_to_range[symbol] = ValueRanges(lower, upper)
        return self.shapes.create_symintnode(symbol, hint=hint, source=source)

    def fake(self, sizes, strides, dtype, device):
        """A tensor without data."""
        with self.mode:
            return torch.empty_strided(sizes, strides, dtype=dtype, device=device)

    def graph(self):
        return Graph(self)

    def function(self, build):
        """The module of a function, which is built once."""
        if build not in self._functions:
            self._functions[build] = build().module()
        return self._functions[build]

    def compile(self, build):
        return (self.backend or compile_graph)(self.function(build))


class Graph:
    """A graph that is being built."""

    def __init__(self, program):
        self.program = program
        self.graph = TorchGraph()
        self._attributes = {}

    def module(self):
        return Module(self._attributes, self.graph)

    def _node(self, kind, target, args, kwargs, value, at=None):
        """A node; all are made here. `at` is the step that it does, and that step's source."""
        _check_node(self.graph, target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs)
        node.meta["val"] = value
        if at is not None:
            step, source = at
            node.meta["coil"] = {"handle": step, "source": source}
            node.meta["stack_trace"] = "".join(
                f'  File "{file}", line {line}, in {step}\n' for file, line in _SOURCE.findall(source))
        return node

    def placeholder(self, name, val):
        return self._node("placeholder", name, (), {}, val)

    def constant(self, name, tensor):
        """A tensor that belongs to the program."""
        self._attributes[name] = tensor
        fake = self.program.mode.from_tensor(tensor, static_shapes=True)
        return self._node("get_attr", name, (), {}, fake)

    def call(self, function, /, *args, val=_UNKNOWN, at=None, **kwargs):
        """A node for what a function gives: `val`, or what it gives without data. A
        `device` that nodes cannot hold, such as a `host.Device`, has a number in it."""
        if _find_foreign(kwargs.get("device"), self.graph):
            args = (_actions.number(function), _devices.number(kwargs.pop("device")), *args)
            function = do_on
        if val is _UNKNOWN:
            _check_node(self.graph, function, args, kwargs)
            given = lambda n: n.meta["val"]
            with self.program.mode:
                val = function(*torch.fx.node.map_arg(args, given),
                               **torch.fx.node.map_arg(kwargs, given))
        return self._node("call_function", function, args, kwargs, val, at)

    def check(self, function, /, *args, **kwargs):
        """A node for what a function does; it gives nothing."""
        return self.call(function, *args, val=None, **kwargs)

    def act(self, function, action, *args):
        """A node for `enter`, `make` or `apply` of something that nodes cannot hold."""
        return self.check(function, _actions.number(action), *args)

    def scalar(self, value, dtype):
        """A tensor of rank zero."""
        return self.call(torch.ops.aten.scalar_tensor.default, value, dtype=dtype,
                         val=self.program.fake((), (), dtype, "cpu"))

    def launch(self, kernel, buffers, numbers, grid=(), places=None, at=None):
        """A launch of a kernel over a grid; see `coil_launch` and, for `places`, `_launches.Entry`."""
        entry = _launches.add(kernel, places, (len(buffers), len(numbers)))
        return self.check(coil_launch, kernel=entry.key, arguments=entry.keywords(buffers, numbers), grid=tuple(grid),
                          writes=entry.writes(), configuration=dict(entry.configuration), at=at)

    def get(self, node, number):
        """An element of the tuple that a node gives."""
        import operator

        return self.call(operator.getitem, node, number, val=node.meta["val"][number])

    def _subgraph(self, name, module):
        number = 0
        while f"{name}_{number}" in self._attributes:
            number += 1
        name = f"{name}_{number}"
        self._attributes[name] = module
        return name

    def _attribute(self, name, graph):
        return self._node("get_attr", self._subgraph(name, graph.module()), (), {}, None)

    def cond(self, predicate, true_graph, false_graph, operands, vals):
        branches = self._attribute("true_graph", true_graph), self._attribute("false_graph", false_graph)
        return self.call(torch.ops.higher_order.cond, predicate, *branches, operands, val=vals)

    def while_loop(self, cond_graph, body_graph, carried, operands, vals):
        parts = self._attribute("cond_graph", cond_graph), self._attribute("body_graph", body_graph)
        return self.call(torch.ops.higher_order.while_loop, *parts, carried, operands, val=vals)

    def invoke(self, name, build, operands, vals):
        """A call of another function of the program."""
        module = self.program.function(build)
        target = next((k for k, v in self._attributes.items() if v is module), None)
        if target is None:
            target = self._subgraph(name, module)
        return self._node("call_module", target, operands, {}, vals)

    def output(self, value):
        given = map_aggregate(value, lambda v: v.meta["val"] if isinstance(v, Node) else v)
        return self._node("output", "output", (value,), {}, given)
