#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Random modules through torch.compile(backend="coil") against eager mode.

    module_fuzzer.py [--seed N] [--count N] [--show] [--jobs J] [--timeout S] [--seconds S]

A module is Python text: layers, parameters and buffers, and a forward of random statements:
operators of mixed element types, views, updates in place of inputs, buffers and views, graph
breaks, no_grad and autocast regions, checkpoints, hooks. Inputs may be one tensor or views of
one. It is called as training steps with three sizes, and compared are results, what inputs
and buffers hold, gradients, and with dynamic=True the number of compiled graphs. What differs
is compared with the backend `aot_eager`, so that PyTorch's own differences are told apart. A module
that takes longer than --timeout is "slow", and no failure: graph breaks in loops of graphs with symbolic
sizes keep Dynamo busy, whatever the backend.
"""

import argparse
import collections
import copy
import multiprocessing
import random
import signal
import sys
import time
import traceback
import warnings

import torch
from torch.utils import _pytree

warnings.simplefilter("ignore")
SIZES = (6, 9, 4)
WIDTHS = (4, 8)


class Value:
    """A tensor of the program: its name, element type ("float", "int", "bool"), and sizes, in which "n" is the
    number of rows."""

    def __init__(self, name, kind, sizes, wide=True):
        self.name, self.kind, self.sizes = name, kind, sizes
        self.may_change = wide  # Whether an update in place is allowed.


class Generator:
    """Draws the text of one module and its inputs."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.init, self.body, self.values, self.indent, self.count = [], [], [], 2, 0
        self.inputs = []  # Text that makes each input, given n and `inputs` so far.
        self.is_exact = True  # Whether all elements of floats have 32 bits.
        draw = self.draw
        for i in range(draw.randint(1, 3)):
            width = draw.choice(WIDTHS)
            kind = draw.choice(["plain", "plain", "plain", "grad", "column", "same", "view", "int"])
            same = [v for v in self.values if v.kind == "float" and len(v.sizes) == 2]
            if kind == "same" and same:
                other = draw.choice(same)
                self.inputs.append(f"inputs[{self.values.index(other)}]")
                self.values.append(Value(f"x{i}", "float", other.sizes))
            elif kind == "view" and same:
                other = draw.choice(same)
                self.inputs.append(f"inputs[{self.values.index(other)}][:, :2]")
                self.values.append(Value(f"x{i}", "float", ("n", 2)))
            elif kind == "int":
                self.inputs.append(f"torch.randint(0, 4, (n, {width}))")
                self.values.append(Value(f"x{i}", "int", ("n", width)))
            elif kind == "column":
                self.inputs.append(f"torch.randn({width}, n).t()")
                self.values.append(Value(f"x{i}", "float", ("n", width)))
            else:
                grad = ".requires_grad_()" if kind == "grad" else ""
                self.inputs.append(f"torch.randn(n, {width}){grad}")
                self.values.append(Value(f"x{i}", "float", ("n", width), wide=kind != "grad"))
        self.arguments = [v.name for v in self.values]
        if draw.random() < 0.5:
            width = draw.choice(WIDTHS)
            self.init.append(f"self.register_buffer('state', torch.zeros({width}))")
            self.values.append(Value("self.state", "float", (width,)))
        # A number that is another one in each step, and inputs in a list.
        self.takes_number, self.takes_list = draw.random() < 0.3, draw.random() < 0.2
        for _ in range(draw.choice([4, 8, 16, 24])):
            self.statement()
        self.results()

    # -- Text ---------------------------------------------------------------

    def line(self, text):
        self.body.append("    " * self.indent + text)

    def new(self, expression, kind, sizes, may_change=True):
        self.count += 1
        value = Value(f"v{self.count}", kind, sizes, may_change)
        self.line(f"{value.name} = {expression}")
        self.values.append(value)
        return value

    def pick(self, kind=None, rank=None, may_change=None):
        found = [v for v in self.values if (kind is None or v.kind == kind) and (rank is None or len(v.sizes) == rank)
                 and (not may_change or v.may_change)]
        # Recent values, mostly.
        return self.draw.choice(found[-4:] if found and self.draw.random() < 0.6 else found) if found else None

    def layer(self, text):
        name = f"layer{len(self.init)}"
        self.init.append(f"self.{name} = {text}")
        return f"self.{name}"

    def statement(self):
        steps = [self.unary, self.unary, self.binary, self.binary, self.linear, self.reduction, self.view, self.view,
                 self.update, self.update, self.update_view, self.convert, self.index, self.block, self.hook, self.break_graph,
                 self.normalize, self.join, self.checkpoint, self.number, self.loop, self.function, self.parameter, self.random,
                 self.parts, self.integer, self.complex, self.item, self.scalar, self.destination]
        self.draw.choice(steps)()

    # -- Statements ---------------------------------------------------------

    def unary(self):
        if v := self.pick("float"):
            name = self.draw.choice(["torch.sin({})", "torch.tanh({})", "torch.sigmoid({})", "F.gelu({})", "{}.abs()",
                                     "({} * 0.5).exp().clamp(max=4)", "({}.abs() + 0.5).sqrt()", "F.softplus({})", "-{}",
                                     "{}.clone()", "{}.square() * 0.3", "torch.zeros_like({}) + 1", "{}.detach()"])
            self.new(name.format(v.name), "float", v.sizes)

    def binary(self):
        a, b = self.pick(), self.pick()
        if a is None or b is None or a.kind == b.kind == "bool":
            return
        sizes = broadcast(a.sizes, b.sizes)
        if sizes is None:
            return
        kind = "float" if "float" in (a.kind, b.kind) else "int"
        operator = self.draw.choice(["{} + {}", "{} - {} * 0.5", "{} * {}", "torch.maximum({}, {})"] if kind == "float" and
                                    a.kind == b.kind else ["{} + {}", "{} * {}"])
        self.new(operator.format(a.name, b.name), kind, sizes)

    def linear(self):
        if (v := self.pick("float", 2)) and isinstance(v.sizes[1], int):
            width = self.draw.choice(WIDTHS)
            name = self.layer(f"torch.nn.Linear({v.sizes[1]}, {width})")
            self.new(f"{name}({v.name}.float())", "float", (v.sizes[0], width))

    def reduction(self):
        if v := self.pick("float", 2):
            form, kind, sizes = self.draw.choice([
                ("{}.sum(0)", "float", v.sizes[1:]), ("{}.mean(1)", "float", v.sizes[:1]), ("{}.amax(1)", "float", v.sizes[:1]),
                ("{}.softmax(-1)", "float", v.sizes), ("{}.cumsum(0)", "float", v.sizes), ("{}.sum()", "float", ()),
                ("{}.mean(0)", "float", v.sizes[1:]), ("({} > 0.1).sum(1)", "int", v.sizes[:1]), ("{}.var(1)", "float", v.sizes[:1]),
                ("{}.logsumexp(1)", "float", v.sizes[:1])])
            if v.sizes[1] in (1, "n") and "var" in form:
                return
            self.new(form.format(v.name), kind, sizes)

    def view(self):
        if not (v := self.pick(rank=2)):
            return
        rows, columns = v.sizes
        forms = [("{}.t()", (columns, rows)), ("{}.view_as({})", v.sizes), ("{}[0]", (columns,)), ("{}.unsqueeze(0)[0]", v.sizes)]
        if isinstance(columns, int) and columns > 1:
            forms += [("{}[:, :%d]" % (columns // 2), (rows, columns // 2)), ("{}.chunk(2, 1)[1]", (rows, columns // 2)),
                      ("{}[:, 1]", (rows,)), ("{}.select(1, 0)", (rows,)), ("{}[..., ::2]", (rows, columns // 2))]
        form, sizes = self.draw.choice(forms)
        text = form.format(*[v.name] * form.count("{}"))
        self.new(text, v.kind, sizes, v.may_change)

    def update(self):
        v = self.pick("float", may_change=True)
        if v is None:
            return
        other = self.pick("float")
        if other is not None and broadcast(v.sizes, other.sizes) == v.sizes and self.draw.random() < 0.6:
            form = self.draw.choice(["{}.add_({})", "{}.mul_({})", "{}.copy_({})", "{}.sub_({}, alpha=0.5)"])
            text = form.format(v.name, other.name)
        else:
            text = self.draw.choice(["{}.add_(1)", "{}.mul_(0.5)", "{}.relu_()", "{}.clamp_(-1, 1)", "{}.zero_()",
                                     "{}.tanh_()"]).format(v.name)
        if v.name == "self.state" or self.draw.random() < 0.3:
            # State is no part of the graph of gradients.
            if other is not None and other.name in text:
                text = text.replace(other.name, f"{other.name}.detach()") if other is not v else text
        self.line(text)

    def update_view(self):
        v = self.pick("float", 2, may_change=True)
        if v is None:
            return
        other = self.pick("float", 1)
        choices = ["{}[0] = 0.25", "{}[:, 0] = {}[:, 0] * 2", "{}[1:].add_(1)", "{}.t().mul_(0.9)", "{}[{} > 0.5] = 0.5",
                   "{}[torch.tensor([0, 1])] = 0.125"]
        text = self.draw.choice(choices)
        if other is not None and v.sizes[1:] == other.sizes and self.draw.random() < 0.5:
            self.line(f"{v.name}[1] = {other.name}")
            return
        self.line(text.format(*[v.name] * text.count("{}")))

    def convert(self):
        if v := self.pick():
            form, kind = self.draw.choice([("{}.double()", "float"), ("{}.to(torch.bfloat16)", "float"), ("{}.float()", "float"),
                                           ("({} > 0)", "bool"), ("({} * 3).to(torch.int64)", "int"), ("{}.half()", "float")])
            if "int64" in form and v.kind == "bool":
                return
            if "bfloat16" in form or "half" in form:
                self.is_exact = False
            self.new(form.format(v.name), kind, v.sizes)

    def index(self):
        v = self.pick("float", 2)
        if v is None:
            return
        form, sizes = self.draw.choice([
            ("{0}[torch.tensor([1, 0, 1])]", (3, v.sizes[1])), ("torch.where({0} > 0, {0}, {0} * 0.1)", v.sizes),
            ("{0}.masked_fill({0} > 1, 0.5)", v.sizes), ("torch.flip({0}, [0])", v.sizes), ("{0}.roll(1, 0)", v.sizes),
            ("F.pad({0}, (1, 1))[:, 1:-1]", v.sizes), ("{0}.sort(0).values", v.sizes)])
        self.new(form.format(v.name), "float", sizes)

    def block(self):
        kind = self.draw.choice(["torch.no_grad()", "torch.enable_grad()", "torch.autocast('cpu', torch.bfloat16)"])
        if "autocast" in kind:
            self.is_exact = False
        before = list(self.values)
        self.line(f"with {kind}:")
        self.indent += 1
        self.line("pass")
        for _ in range(self.draw.randint(1, 2)):
            self.statement()
        self.indent -= 1
        if "no_grad" in kind:
            for v in self.values[len(before):]:
                v.may_change = False

    def hook(self):
        v = self.pick("float")
        if v is not None and not v.name.startswith("self."):
            self.line(f"if {v.name}.requires_grad: {v.name}.register_hook(lambda g: g * 2)")

    def break_graph(self):
        v = self.pick("float")
        self.line(self.draw.choice(["print(end='')", "torch._dynamo.graph_break()"]) if v is None or self.draw.random() < 0.5
                  else f"if {v.name}.sum() > 1e6: return {v.name}")

    def normalize(self):
        v = self.pick("float", 2)
        if v is None or not isinstance(v.sizes[1], int) or v.sizes[0] != "n":
            return
        name = self.draw.choice(["torch.nn.LayerNorm({})", "torch.nn.BatchNorm1d({})", "torch.nn.Dropout(0.3)"])
        self.new(f"{self.layer(name.format(v.sizes[1]))}({v.name}.float())", "float", v.sizes)

    def join(self):
        a = self.pick("float", 2)
        b = self.pick("float", 2)
        if a is not None and b is not None and a.sizes[0] == b.sizes[0]:
            width = None if "n" in (a.sizes[1], b.sizes[1]) else a.sizes[1] + b.sizes[1]
            if width is not None:
                self.new(f"torch.cat([{a.name}.float(), {b.name}.float()], 1)", "float", (a.sizes[0], width))

    def checkpoint(self):
        v = self.pick("float", 2)
        if v is not None and isinstance(v.sizes[1], int):
            name = self.layer(f"torch.nn.Linear({v.sizes[1]}, {v.sizes[1]})")
            self.new(f"checkpoint(lambda t: {name}(t).sin() * t, {v.name}.float(), use_reentrant=False)", "float", v.sizes)

    def number(self):
        v, w = self.pick("float"), self.pick("float", 2)
        if v is not None and w is not None:
            self.new(f"{v.name} * {w.name}.shape[0] / 7", "float", v.sizes)

    def loop(self):
        v = self.pick("float")
        if v is not None:
            value = self.new(f"{v.name} * 1", "float", v.sizes)
            self.line(f"for i in range({self.draw.randint(1, 3)}):")
            self.line(f"    {value.name} = ({value.name} * 0.5 + i).sin()")

    def function(self):
        if v := self.pick("float"):
            self.new(f"Double.apply({v.name})", "float", v.sizes)

    def parameter(self):
        if self.init and (layers := [i for i, text in enumerate(self.init) if "Linear" in text]):
            name = f"self.layer{self.draw.choice(layers)}"
            sizes = [int(each) for each in self.init[int(name[10:])].split("Linear(")[1].rstrip(")").split(",")]
            if self.draw.random() < 0.5:
                self.line(f"with torch.no_grad(): {name}.weight.mul_(0.9)")
            else:
                self.new(f"{name}.weight.t()", "float", (sizes[0], sizes[1]), may_change=False)

    def random(self):
        if v := self.pick("float"):
            self.new(self.draw.choice(["F.dropout({}, 0.4)", "{0} + torch.rand_like({0})", "torch.bernoulli({}.float().sigmoid())"])
                     .format(v.name), "float", v.sizes)

    def parts(self):
        """Updates of parts that are views, and of what they are views of."""
        v = self.pick("float", 2, may_change=True)
        if v is None or not isinstance(v.sizes[1], int) or v.sizes[1] < 2 or v.sizes[1] % 2:
            return
        self.count += 1
        a, b = f"a{self.count}", f"b{self.count}"
        half = (v.sizes[0], v.sizes[1] // 2)
        self.line(f"{a}, {b} = {v.name}[:, :{half[1]}], {v.name}[:, {half[1]}:]")
        self.line(self.draw.choice([f"{a}.add_({b})", f"{b}.copy_({a} * 2)", f"{v.name}.mul_(2)", f"{a}.t()[0].zero_()"]))
        self.values += [Value(a, "float", half), Value(b, "float", half)]

    def integer(self):
        if v := self.pick("int"):
            self.new(self.draw.choice(["{} // 2", "{} % 3", "{} << 1", "{} & 5", "-{}", "{}.float().mean().long() + {}"])
                     .replace("{}", v.name), "int", v.sizes)

    def complex(self):
        if v := self.pick("float"):
            self.new(self.draw.choice(["({0}.float() * 1j).abs()", "torch.complex({0}.float(), {0}.float()).real + 1",
                                       "torch.view_as_real(torch.polar({0}.float().abs(), {0}.float()))[..., 0]"])
                     .format(v.name), "float", v.sizes)

    def item(self):
        v, w = self.pick("float"), self.pick("float")
        if v is not None and v.sizes:
            self.new(f"{w.name} * min({v.name}.detach().amax().item(), 2.0)", "float", w.sizes)

    def scalar(self):
        if self.takes_number and (v := self.pick("float")):
            self.new(self.draw.choice([f"{v.name} * number", f"{v.name} + number // 2", f"{v.name}.roll(number, 0)"])
                     if v.sizes else f"{v.name} - number", "float", v.sizes)

    def destination(self):
        """A result that is written to a tensor that there is."""
        v = self.pick("float")
        if v is not None:
            self.count += 1
            name = f"o{self.count}"
            self.line(f"with torch.no_grad(): {name} = torch.empty_like({v.name}); torch.mul({v.name}, 2, out={name})")
            self.values.append(Value(name, "float", v.sizes))

    def results(self):
        draw = self.draw
        given = [draw.choice(self.values[-6:]) for _ in range(draw.randint(1, 3))]
        text = ", ".join(v.name for v in given)
        self.line(draw.choice([f"return [{text}]", f"return ({text},)", f"return {{'a': {given[0].name}, 'b': [{text}]}}"]))

    def text(self):
        lines = ["class Module(torch.nn.Module):", "    def __init__(self):", "        super().__init__()"]
        lines += ["        " + each for each in self.init]
        arguments = ["inputs"] if self.takes_list else list(self.arguments)
        arguments += ["number=3"] if self.takes_number else []
        lines.append(f"    def forward(self, {', '.join(arguments)}):")
        if self.takes_list:
            lines.append(f"        {', '.join(self.arguments)}, = inputs")
        lines += self.body
        return "\n".join(lines) + "\n"


def broadcast(a, b):
    """The sizes of a result, where the operands may be broadcast whatever "n" is; else None."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        return None
    return tuple(y if x == 1 else x for x, y in zip(a, b))


# -- Running -----------------------------------------------------------------


class Double(torch.autograd.Function):
    """An operator with a gradient of its own, which is not that of what it computes."""

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(context, gradient):
        x, = context.saved_tensors
        return gradient * x.sign()


def snapshot(value):
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def run(generator, module, seed, sizes, is_training, backend=None, dynamic=None):
    """What some steps give: a list of trees."""
    call, found = module, []
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    if backend is not None:
        options = {"options": {"strict": True, "opt_level": 1, "cache": False}} if backend == "coil" else {}
        call = torch.compile(module, backend=backend, dynamic=dynamic, **options)
    graphs = []
    for step, n in enumerate(sizes):
        torch.manual_seed(seed * 10 + step)
        inputs = []
        for text in generator.inputs:
            inputs.append(eval(text, {"torch": torch, "n": n, "inputs": inputs}))
        module.zero_grad(set_to_none=True)
        with torch.set_grad_enabled(is_training):
            # Leaves stay leaves: what requires a gradient is not updated.
            number = {"number": step + 2} if generator.takes_number else {}
            result = call(list(inputs), **number) if generator.takes_list else call(*inputs, **number)
            leaves = [v for v in _pytree.tree_leaves(result) if isinstance(v, torch.Tensor)]
            loss = [(v.double() * torch.linspace(0.5, 1, v.numel(), dtype=torch.float64).view(v.shape)).sum()
                    for v in leaves if v.requires_grad]
            if loss:
                sum(loss).backward()
        layouts = [(v.stride(), v.dtype, v.requires_grad, v._is_view() and v._base is not None) for v in leaves]
        state = [snapshot(v) for v in [*leaves, *inputs, *module.buffers()]]
        grads = [snapshot(v.grad) for v in [*inputs, *module.parameters()] if v.is_leaf]
        aliases = [[a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() for b in [*leaves, *inputs]] for a in leaves
                   if a.numel()]
        found.append((layouts, state, grads, aliases))
        with torch.no_grad():
            for parameter in module.parameters():
                if parameter.grad is not None:
                    parameter.sub_(parameter.grad.clamp(-1, 1), alpha=0.01)
        graphs.append(torch._dynamo.utils.counters["stats"].get("unique_graphs", 0))
    return found, graphs


def difference(ours, theirs):
    """The largest relative difference, and what differs otherwise."""
    worst = 0.0
    for step, (a, b) in enumerate(zip(ours, theirs)):
        if [x[1:3] for x in a[0]] != [x[1:3] for x in b[0]]:
            return None, f"step {step}: types {a[0]} instead of {b[0]}"
        if a[3] != b[3]:
            return None, f"step {step}: aliases {a[3]} instead of {b[3]}"
        for group, name in ((1, "value"), (2, "gradient")):
            for i, (x, y) in enumerate(zip(a[group], b[group])):
                if (x is None) != (y is None):
                    return None, f"step {step}: {name} {i} is {x} instead of {y}"
                if not isinstance(x, torch.Tensor):
                    continue
                if x.shape != y.shape or x.dtype != y.dtype:
                    return None, f"step {step}: {name} {i} is {x.dtype}{list(x.shape)} instead of {y.dtype}{list(y.shape)}"
                x, y = x.double(), y.double()
                if not torch.equal(x.isnan(), y.isnan()) or not torch.equal(x.isinf(), y.isinf()):
                    return None, f"step {step}: {name} {i} has other numbers that are not finite"
                finite = y.isfinite()
                if finite.any():
                    largest = y[finite].abs().max().clamp(min=1)
                    worst = max(worst, ((x - y)[finite].abs().max() / largest).item())
    return worst, ""


def check(seed, show=False):
    """(state, why) of a program: "agrees", "eager" (eager mode refuses it), "pytorch" (so does aot_eager, or it
    differs), "unstable", "wrong", "refused", "recompiles"."""
    generator = Generator(seed)
    text = generator.text()
    if show:
        print(text, generator.inputs, flush=True)
    scope = {"torch": torch, "F": torch.nn.functional, "checkpoint": torch.utils.checkpoint.checkpoint, "Double": Double}
    exec(compile(text, f"<module {seed}>", "exec"), scope)
    torch.manual_seed(seed)
    original = scope["Module"]()
    is_training, dynamic = generator.draw.random() < 0.7, generator.draw.choice([True, True, False, None])
    sizes = SIZES if dynamic is not False else (SIZES[0],) * 2
    one = lambda **options: run(generator, copy.deepcopy(original), seed, sizes, is_training, **options)
    try:
        theirs, _ = one()
    except Exception as error:  # pylint: disable=broad-except
        return "eager", f"{type(error).__name__}: {error}"
    limit = 1e-3 if generator.is_exact else 5e-2
    try:
        ours, graphs = one(backend="coil", dynamic=dynamic)
        worst, why = difference(ours, theirs)
    except Exception as error:  # pylint: disable=broad-except
        inner = getattr(error, "inner_exception", error)
        if show:
            traceback.print_exc()
        graphs, worst, why = None, None, f"{type(inner).__name__}: {(str(inner).splitlines() or [''])[0]}"
    recompiles = graphs is not None and dynamic and graphs[-1] > graphs[0]
    if worst is not None and worst <= limit and not recompiles:
        return "agrees", ""
    if worst is not None and worst <= limit:
        # How often Dynamo compiles is seen without AOTAutograd, mostly, which takes most of the time.
        try:
            _, their_graphs = one(backend="eager", dynamic=dynamic)
            if their_graphs[-1] - their_graphs[0] >= graphs[-1] - graphs[0]:
                return "agrees", "Dynamo compiles as often"
        except Exception:  # The others say what that means. # pylint: disable=broad-except
            pass
    # The second one has the partitioner of forward and backward that Coil uses, which saves other tensors than eager
    # mode: an update of one behind a graph break is an error.
    for other in "aot_eager_decomp_partition", "aot_eager":
        try:
            reference, their_graphs = one(backend=other, dynamic=dynamic)
            reference, their_why = difference(reference, theirs)
        except Exception as error:  # pylint: disable=broad-except
            return "pytorch", f"{other} fails, too: {type(error).__name__}"
    if worst is not None and worst <= limit:
        if their_graphs[-1] - their_graphs[0] >= graphs[-1] - graphs[0]:
            return "agrees", "aot_eager compiles as often"
        return "recompiles", f"{graphs} graphs instead of {their_graphs}"
    if reference is None:
        return "pytorch", f"aot_eager differs, too: {their_why}"
    if reference > limit:
        return "unstable", f"{worst} where aot_eager has {reference}"
    if worst is not None:
        return "wrong", f"relative difference {worst:.3g}"
    return ("refused" if graphs is None else "wrong"), why


class Slow(BaseException):
    """A module takes too long. No `Exception`, which PyTorch would catch."""


def check_in_time(seed, show, timeout):
    def stop(*_):
        raise Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(timeout)
    try:
        return check(seed, show)
    except Slow:
        torch._dynamo.reset()
        return "slow", f"takes more than {timeout} s"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check_all(given, first):
    """Every `jobs`-th module from the first one on; how many had which state."""
    torch.set_num_threads(1)
    states, start = collections.Counter(), time.monotonic()
    for seed in range(given.seed + first, given.seed + given.count, given.jobs):
        if given.seconds and time.monotonic() - start > given.seconds:
            break
        state, why = check_in_time(seed, given.show, given.timeout)
        states[state] += 1
        if state in ("wrong", "refused", "recompiles") or given.show:
            print(f"seed {seed}: {state}: {why[:500]}", flush=True)
    return states


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one module")
    parser.add_argument("--seconds", type=float, default=0, help="draw no module after so many seconds")
    given = parser.parse_args()
    if given.jobs == 1:
        states = check_all(given, 0)
    else:
        # Compilers have threads, which forks do not keep.
        with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
            states = sum(pool.starmap(check_all, [(given, i) for i in range(given.jobs)]), collections.Counter())
    print(", ".join(f"{count} {state}" for state, count in sorted(states.items())))
    bad = sum(states[each] for each in ("wrong", "refused", "recompiles"))
    print(f"{bad} of {sum(states.values())} fail")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
