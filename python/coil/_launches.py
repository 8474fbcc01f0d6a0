# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches in graphs of torch.fx: the higher-order operator `coil_launch`, the operator `coil::launch` that it
becomes where writes are made functional, and the kernels behind both, which travel with pickles of graphs."""

import hashlib
import inspect
import pickle

import torch
from torch._higher_order_ops.schema import HopSchemaGenerator
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode

from coil import host
from coil._library import InputError

_WRITTEN = ("write", "update")


class Entry:
    """A kernel as launches name it: by keywords, some of which a launch may have bound to constants. `places` has
    for each parameter "buffer", "number", "scalar" (an element of a buffer), a `host.TensorMapOf`, or the constant."""

    def __init__(self, kernel, parameters, places, configuration):
        self.kernel, self.parameters, self.places = kernel, parameters, places
        self.configuration = configuration
        device = kernel.device.options if getattr(kernel, "device", None) else ""
        text = getattr(kernel, "text", None) or f"{id(kernel)}"
        described = repr((text, device, parameters, places, sorted(configuration.items())))
        self.name = getattr(kernel, "name", None) or getattr(kernel, "__name__", "kernel")
        self.key = f"{self.name}:{hashlib.sha256(described.encode()).hexdigest()[:16]}"

    def keywords(self, buffers, numbers):
        """The arguments of a launch by their names, in order, without constants."""
        buffers, numbers, out = iter(buffers), iter(numbers), {}
        for (name, _), place in zip(self.parameters, self.places):
            if place == "number":
                out[name] = next(numbers)
            elif place in ("buffer", "scalar") or isinstance(place, host.TensorMapOf):
                out[name] = next(buffers)
        return out

    def writes(self):
        return tuple(name for (name, kind), place in zip(self.parameters, self.places)
                     if kind in _WRITTEN and place == "buffer")

    def launch(self, arguments, grid):
        values = []
        for (name, _), place in zip(self.parameters, self.places):
            if place in ("buffer", "number"):
                values.append(arguments[name])
            elif place == "scalar":
                values.append(arguments[name].item())
            elif isinstance(place, host.TensorMapOf):
                values.append(place(arguments[name]))
            else:
                values.append(place)
        if isinstance(self.kernel, host.UserKernel):
            self.kernel(tuple(grid), *values)
        else:
            self.kernel(*values)

    def __reduce__(self):
        kernel = self.kernel
        if not isinstance(kernel, host.Kernel):
            raise pickle.PicklingError(f"'{self.name}' is no kernel of an emitted program, so it cannot be pickled")
        return _restore, (_describe(kernel), self.parameters, self.places, self.configuration)


def _describe(kernel):
    """How a kernel is added to others: a method of `host.Kernels` and its arguments."""
    if isinstance(kernel, host.CombinedKernel):
        parts = tuple(_describe(part) for part in kernel.parts)
        return "combine", (kernel.name, kernel.declaration, parts, kernel.symbols, kernel.inputs)
    if isinstance(kernel, host.UserKernel):
        return "add_user", (kernel.name, kernel.parameter_types, kernel.text, kernel.device)
    return "add", (kernel.name, kernel.text, kernel.device)


def _add(kernels, method, arguments):
    if method == "combine":
        name, declaration, parts, symbols, inputs = arguments
        made = {part: _add(kernels, *part) for part in dict.fromkeys(parts)}
        arguments = name, declaration, tuple(made[part] for part in parts), symbols, inputs
    return getattr(kernels, method)(*arguments)


def _restore(description, parameters, places, configuration):
    """An entry from a pickle; the kernel is compiled here for the device that is there, unless this process has it."""
    kernels = host.Kernels()
    kernel = _add(kernels, *description)
    entry = Entry(kernel, parameters, places, configuration)
    if entry.key not in _entries:
        kernels.compile()
        _entries[entry.key] = entry
    return _entries[entry.key]


_entries = {}


def add(kernel, places=None, count=None):
    """The entry of a kernel with some of its parameters bound. What no emitter has described has `count`
    buffers and numbers without names, of which it writes the last buffer."""
    description = getattr(kernel, "description", None)
    if description is None:
        buffers, numbers = count
        parameters = tuple((f"buffer{i}", "write" if i + 1 == buffers else "read") for i in range(buffers)) + tuple(
            (f"number{i}", "value") for i in range(numbers))
        description = parameters, {}
    parameters, configuration = description
    if places is None:
        places = tuple("number" if kind == "value" else "buffer" for _, kind in parameters)
    entry = Entry(kernel, parameters, tuple(places), configuration)
    return _entries.setdefault(entry.key, entry)


def _find(key):
    if key not in _entries:
        raise InputError(f"there is no kernel '{key}' in this process: load the graph's module, or its kernels, first")
    return _entries[key]


def describe(kernel, parameters, **configuration):
    """Says what a kernel's parameters are: names with "read", "write", "update" or "value"; and how it runs."""
    kernel.description = tuple(parameters.items()), configuration


class KernelTable:
    """The kernels that the launches of a graph name. Its pickle has their IR."""

    def __init__(self, keys):
        self.entries = {key: _find(key) for key in keys}

    def __reduce__(self):
        return KernelTable._load, (tuple(self.entries.values()),)

    def __deepcopy__(self, memo):
        return self

    @staticmethod
    def _load(entries):
        return KernelTable([entry.key for entry in entries])


# ===------------------------------------------------------------------------===
# The operator of torch.library
# ===------------------------------------------------------------------------===

@torch.library.custom_op("coil::launch", mutates_args=("writes",))
def _operator(kernel: str, reads: list[torch.Tensor], writes: list[torch.Tensor], numbers: list[int], grid: list[int]) -> None:
    entry = _find(kernel)
    written, reads, writes = entry.writes(), iter(reads), iter(writes)
    buffers = [next(writes if name in written else reads) for (name, _), place in zip(entry.parameters, entry.places)
               if place in ("buffer", "scalar") or isinstance(place, host.TensorMapOf)]
    entry.launch(entry.keywords(buffers, numbers), grid)


@_operator.register_fake
def _(kernel, reads, writes, numbers, grid):
    return None


@torch.library.custom_op("coil::launch_functional", mutates_args=())
def _functional(kernel: str, reads: list[torch.Tensor], writes: list[torch.Tensor], numbers: list[int],
                grid: list[int]) -> list[torch.Tensor]:
    outputs = [each.clone(memory_format=torch.preserve_format) for each in writes]
    _operator(kernel, reads, outputs, numbers, grid)
    return outputs


@_functional.register_fake
def _(kernel, reads, writes, numbers, grid):
    return [torch.empty_like(each) for each in writes]


def _flatten(kernel, arguments, grid, writes):
    """The arguments of the operators of torch.library."""
    tensors = {name: value for name, value in arguments.items() if isinstance(value, torch.Tensor)}
    numbers = [value for name, value in arguments.items() if name not in tensors]
    return (kernel, [v for n, v in tensors.items() if n not in writes], [tensors[name] for name in writes], numbers,
            list(grid))


# ===------------------------------------------------------------------------===
# The higher-order operator
# ===------------------------------------------------------------------------===

class _Launch(HigherOrderOperator):
    """Launches a kernel: `coil_launch(kernel=, arguments=, grid=, writes=, configuration=)`. `kernel` names it in
    the table of kernels, `arguments` are its tensors and numbers by keyword, `writes` the keywords of those that it
    writes, `grid` the sizes that it runs over, and `configuration` how. It gives nothing."""

    def __init__(self):
        super().__init__("coil_launch")

    def __call__(self, *, kernel, arguments, grid, writes, configuration):
        return super().__call__(kernel=kernel, arguments=arguments, grid=grid, writes=writes, configuration=configuration)

    def gen_schema(self, *, kernel, arguments, grid, writes, configuration):
        schema = HopSchemaGenerator(self)
        schema.add_arg("kernel", kernel)
        for name, value in arguments.items():
            schema.add_arg(name, value, is_mutated=name in writes)
        for i, size in enumerate(grid):
            schema.add_arg(f"grid{i}", size)
        return schema.gen_schema()


coil_launch = _Launch()


@coil_launch.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
def _launch(*, kernel, arguments, grid, writes, configuration):
    _find(kernel).launch(arguments, grid)


@coil_launch.py_autograd_impl
def _launch_autograd(*, kernel, arguments, grid, writes, configuration):
    raise RuntimeError("kernels of emitted programs have no gradients")


@coil_launch.py_impl(FakeTensorMode)
def _launch_fake(mode, *, kernel, arguments, grid, writes, configuration):
    return None


@coil_launch.py_impl(ProxyTorchDispatchMode)
def _launch_proxy(mode, *, kernel, arguments, grid, writes, configuration):
    if torch.compiler.is_exporting():  # Files of torch.export have operators of libraries only.
        with mode:
            return torch.ops.coil.launch(*_flatten(kernel, arguments, grid, writes))
    given = dict(kernel=kernel, arguments=arguments, grid=grid, writes=writes, configuration=configuration)
    proxies = torch.utils._pytree.tree_map(mode.tracer.unwrap_proxy, given)
    mode.tracer.create_proxy("call_function", coil_launch, (), proxies, name="coil_launch")
    return coil_launch(**given)


@coil_launch.py_functionalize_impl
def _launch_functional(ctx, *, kernel, arguments, grid, writes, configuration):
    mode = getattr(ctx, "mode", None)
    if mode is not None:  # Torch makes the operator functional, and undoes it where that saves a copy.
        with mode:
            return torch.ops.coil.launch(*_flatten(kernel, arguments, grid, writes))
    inner = ctx.unwrap_tensors(arguments)
    with ctx.redispatch_to_next():
        outputs = torch.ops.coil.launch_functional(*_flatten(kernel, inner, grid, writes))
    for name, output in zip(writes, outputs):
        ctx.replace(arguments[name], output)
        ctx.commit_update(arguments[name])
        ctx.sync(arguments[name])


for _key in ("PythonDispatcher", "PythonTLSSnapshot", "ADInplaceOrView", "BackendSelect", "AutocastCPU", "AutocastCUDA"):
    coil_launch.fallthrough(getattr(torch._C.DispatchKey, _key))


# ===------------------------------------------------------------------------===
# Graphs in pickles
# ===------------------------------------------------------------------------===

class _Ref:
    """A node of the graph that a pickle has."""

    def __init__(self, name):
        self.name = name


def _pack_target(target, args):
    """What a node calls and with what, without numbers that are of this process alone."""
    from coil import fx

    if target is fx.do_on:
        return ("on", *fx.find_numbered(*args[:2])), args[2:]
    if isinstance(target, torch._ops.OpOverload):
        return ("op", target.namespace, target._schema.name.split("::")[1], target._overloadname), args
    if isinstance(target, HigherOrderOperator):
        return ("hop", target.name()), args
    if inspect.isbuiltin(target) and getattr(torch, target.__name__, None) is target:
        return ("torch", target.__name__), args
    return ("function", target), args


def _unpack_target(packed, args):
    from coil import fx

    kind, *rest = packed
    if kind == "on":
        return fx.do_on, (*fx.number(*rest), *args)
    if kind == "op":
        namespace, name, overload = rest
        return getattr(getattr(getattr(torch.ops, namespace), name), overload), args
    if kind == "hop":
        return getattr(torch.ops.higher_order, rest[0]), args
    return getattr(torch, rest[0]) if kind == "torch" else rest[0], args


def load_module(nodes, attributes, kernels):
    """A module from what `Module.__reduce__` has packed."""
    graph, made = torch.fx.Graph(), {}

    def unpack(value):
        if isinstance(value, _Ref):
            return made[value.name]
        if isinstance(value, (tuple, list)):
            return type(value)(map(unpack, value))
        return {k: unpack(v) for k, v in value.items()} if isinstance(value, dict) else value

    for kind, name, target, args, kwargs, meta in nodes:
        args = unpack(args)
        if kind == "call_function":
            target, args = _unpack_target(target, args)
        made[name] = graph.create_node(kind, target, args, unpack(kwargs), name)
        made[name].meta.update(meta)
    return Module(attributes, graph, kernels)


class Module(torch.fx.GraphModule):
    """A graph of an emitted program. A pickle of it has its kernels as IR, and nodes have the step and the source
    that they come from in their metadata, but not what they would give (`val`)."""

    _LOCAL = ("enter", "leave", "make", "apply")  # Nodes that name things of this process.

    def __init__(self, root, graph, kernels=None):
        super().__init__(root, graph)
        if kernels is None:
            kernels = KernelTable([n.kwargs["kernel"] for n in graph.nodes if n.target is coil_launch])
        self.coil_kernels = kernels

    def __reduce__(self):
        def pack(value):
            if isinstance(value, torch.fx.Node):
                return _Ref(value.name)
            if isinstance(value, (tuple, list)):
                return type(value)(map(pack, value)) if type(value) in (tuple, list) else [*map(pack, value)]
            return {k: pack(v) for k, v in value.items()} if isinstance(value, dict) else value

        nodes, attributes = [], {}
        for node in self.graph.nodes:
            target, args = node.target, tuple(node.args)
            if node.op == "call_function":
                if getattr(target, "__module__", None) == "coil.fx" and target.__name__ in self._LOCAL:
                    raise pickle.PicklingError(f"node '{node}' uses a stream or an event of this process")
                target, args = _pack_target(target, args)
            elif node.op in ("get_attr", "call_module"):
                attributes[target] = getattr(self, target)
            meta = {k: node.meta[k] for k in ("coil", "stack_trace") if k in node.meta}
            nodes.append((node.op, node.name, target, pack(args), pack(dict(node.kwargs)), meta))
        return load_module, (nodes, attributes, self.coil_kernels)
