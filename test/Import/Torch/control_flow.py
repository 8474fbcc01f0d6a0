# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with branches and loops: exports them, and compares what Coil computes
with PyTorch eager.

    control_flow.py OUT --bin=FOLDER [--cuda-sim=DRIVER] [--emitted]   export, run, compare
    control_flow.py OUT --fixtures=FILE                    export, write FILE

The second writes what tests without PyTorch read: the programs as JSON, without
what the importer does not look at, with inputs and PyTorch's results.
"""

import argparse
import importlib.util
import json
import os
import sys
import warnings
import zipfile

import numpy
import torch
import torch.nn as nn
from torch._higher_order_ops.associative_scan import associative_scan_op
from torch._higher_order_ops.map import map as map_parts
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))

import tools

warnings.filterwarnings("ignore")
torch.manual_seed(0)
cond, r, B = torch.cond, torch.randn, torch.tensor
T, F = B(True), B(False)
Dim = torch.export.Dim("n", min=2, max=64)
PROGRAMS, FAILURES = {}, []


def program(*cases, dynamic=None):
    """Makes a program of a forward function or of a class. It is exported with
    the first case and run on all."""

    def add(what):
        if isinstance(what, type):
            module = what()
        else:
            module = type(what.__name__, (nn.Module,), {"forward": staticmethod(what)})()
        PROGRAMS[what.__name__] = (module.eval().requires_grad_(False), cases, dynamic)
        return what

    return add


X, I = r(3, 4), B(0)


@program((X, T), (X, F))
def branch(x, p):
    return cond(p, lambda a: a.sin(), lambda a: a * 2, (x,))


@program((X,), (-X.abs(),))
def branch_on_data(x):
    """The predicate is computed, and its operands are used on."""
    return cond(x.sum() > -1, lambda a: a + 1, lambda a: (a - 1).relu(), (x,)) * x


@program((X, T), (X, F), (r(7, 4), F), dynamic=({0: Dim}, None))
class closed_over(nn.Module):
    """Weights of one branch, a buffer of the other, several results."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("k", r(4))

    def forward(self, x, p):
        return cond(p, lambda a: (self.lin(a), a + 1), lambda a: (a * self.k, a.clone()), (x,))


@program((r(3, 4),), (r(5, 4),), dynamic=({0: Dim},))
def branch_on_size(x):
    return cond(x.shape[0] > 3, lambda a: a.sin(), lambda a: a * a.shape[0], (x,))


@program((torch.arange(4),), (torch.arange(4) * -5,))
def branch_on_item(x):
    return cond(x.sum().item() > 3, lambda a: a * 3, lambda a: a - 2, (x,))


@program((X, T), (X, F))
def sizes_by_branch(x, p):
    return cond(p, lambda a: a[:2] * 1, lambda a: a * 2, (x,)).cos()


@program((X, T), (X, F))
def views(x, p):
    """Branches that give views, of what comes from outside and of their own."""
    a, b = cond(
        p,
        lambda a: (a.t().clone(), (a + 1)[1:].clone()),
        lambda a: (a.t() * 2, a[:2].exp()),
        (x,),
    )
    return a.t() + x, b


@program((X, T), (X, F))
def trees(x, p):
    """Operands and results in containers."""
    out = cond(
        p,
        lambda d: {"a": d["x"] + 1, "b": (d["y"].sum(),)},
        lambda d: {"a": d["x"] + d["y"], "b": (d["y"].mean(),)},
        ({"x": x, "y": x * 2},),
    )
    return out["a"], out["b"][0]


@program((X, T), (X, F), (-X.abs(), T), (-X.abs(), F))
def nested(x, p):
    def inner(a):
        return cond(a.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (a,)) + 1

    return cond(p, inner, lambda a: a * 2, (x,))


@program((I, X), (B(7), X), (B(4), X))
def counted(i, x):
    """The second case has no iteration."""
    return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2 + i), (i, x))


@program((I, X), (I, X * 100))
def until(i, x):
    """A condition on what the body computes, and a branch in it."""

    def body(i, x):
        return i + 1, cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    return while_loop(lambda i, x: (i < 3) & (x.sum() < 100), body, (i, x))


@program((I, r(3, 4)), (B(9), r(3, 4)), (I, r(8, 4)), dynamic=(None, {0: Dim}))
class recurrent(nn.Module):
    """A loop over a layer, for all numbers of rows."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, i, x):
        return while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, self.lin(x).relu() + x), (i, x)
        )[1]


@program((B(1), B(1)), (B(100), B(3)))
def swapping(a, b):
    """What one iteration gives is another operand of the next."""
    return while_loop(lambda a, b: b < 50, lambda a, b: (b.clone(), a + b), (a, b))


@program((X, I, T), (X, I, F))
def loop_in_branch(x, i, p):
    def loop(x, i):
        return while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, (y * y).tanh()), (i, x))[1]

    return cond(p, loop, lambda x, i: x.clone(), (x, i))


@program((r(6), B(3)), (r(6), B(0)), (r(6), B(4)))
def prefix(x, n):
    k = n.item()
    torch._check(k >= 0)
    torch._check(k <= 4)
    return x[:k] * 2


@program((r(5, 6),))
def nothing_carried_twice(x):
    """Results that nobody uses, and an operand that lives on."""
    a, b = while_loop(
        lambda a, b: b.sum() < 3, lambda a, b: (a.softmax(-1) + 1, b + 1), (x, x[0] * 0)
    )
    return a + x


@program((r(5, 3), r(3)), (r(2, 3), r(3)), dynamic=({0: Dim}, None))
def mapped(xs, y):
    return map_parts(lambda x, y: (x.sin() + y, x.sum() > 0), xs, y)


@program((r(5, 3), r(5), r(3)), (r(7, 3), r(7), r(3)), dynamic=({0: Dim}, {0: Dim}, None))
class scanned(nn.Module):
    """Two tensors to go through, two that are carried, and a weight."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, xs, ys, c):
        def step(carry, parts):
            a, b = carry
            x, y = parts
            return (self.lin(a).tanh() + x, b + y), (a * y, b.clone())

        return scan(step, (c, ys[0] * 0), (xs, ys))


@program((r(4, 3), r(3)))
def backwards(xs, c):
    """Along the second dimension, and from the end."""
    return scan(lambda c, x: (c + x, (c * x).cos()), xs[:, 0] * 0, xs, dim=1, reverse=True)


@program((r(6, 2), r(6, 2)), (r(11, 2), r(11, 2)), dynamic=({0: Dim}, {0: Dim}))
def recurrence(a, b):
    """A linear recurrence. The operator itself: the function insists on a GPU."""
    step = lambda a, b, c, d: [a * c, b * c + d]
    return associative_scan_op(step, [a, b], ())


@program((r(3, 4, 2), r(2)))
def scan_in_map(xs, c):
    return map_parts(lambda x, c: scan(lambda c, y: (c + y, c * y), c, x), xs, c)


def export(name, folder):
    module, cases, dynamic = PROGRAMS[name]
    file = os.path.join(folder, name + ".pt2")
    torch.export.save(torch.export.export(module, cases[0], dynamic_shapes=dynamic), file)
    return file


def flatten(value):
    return [value] if isinstance(value, torch.Tensor) else [t for v in value for t in flatten(v)]


def compare(name, folder, options):
    """Runs each case on the processor, from a package, in the interpreter and on a
    simulated GPU, there and in the package several times."""
    file = export(name, folder)
    module, cases, _ = PROGRAMS[name]
    package = os.path.join(folder, name + ".coilpkg")
    tools.check(tools.run([os.path.join(options.bin, "coil-compile"), file, "-o", package]))
    for number, case in enumerate(cases):
        arguments = []
        for i, tensor in enumerate(case):
            path = os.path.join(folder, f"{name}.{number}.in{i}.npy")
            numpy.save(path, tensor.numpy())
            arguments.append("--input=@" + path)
        for i, tensor in enumerate(flatten(module(*[t.clone() for t in case]))):
            path = os.path.join(folder, f"{name}.{number}.out{i}.npy")
            numpy.save(path, tensor.detach().numpy())
            arguments.append("--expected-output=@" + path)
        tool = os.path.join(options.bin, "coil-run")
        runs = [(file, "--reference=interp"), (file, "--library=none", "--plan=none"),
                (package, "--iterations=3")]
        if options.cuda_sim:
            runs.append((file, "--target=cuda:sm_90", "--library=none", "--iterations=3"))
        for program, *more in runs:
            environment = dict(os.environ, COIL_CUDA_CACHING="0", COIL_CUDA_DRIVER=options.cuda_sim or "")
            done = tools.run([tool, program, *arguments, *more], env=environment)
            if done.returncode != 0:
                FAILURES.append(f"{name}, case {number}, {more}: {done.stdout}{done.stderr}")
    return len(cases)


def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compare_emitted(name, folder, options):
    """Runs each case in the program that is emitted as Python, and as a graph."""
    from coil import host

    file = os.path.join(folder, name + ".pt2")
    module, cases, _ = PROGRAMS[name]
    for language in ("python", "fx"):
        path = os.path.join(folder, f"{name}_{language}.py")
        tools.check(tools.run(
            [os.path.join(options.bin, "coil-compile"), "--emit=" + language, file, "-o", path]))
        emitted = load(path)
        weights = host.load_weights(file, getattr(emitted, "WEIGHTS", {}))
        for case in cases:
            given = [t.clone() for t in case]
            args = [weights[i] if i in weights else given.pop(0) for i in range(len(weights) + len(given))]
            got = emitted.main(args) if language == "python" else emitted.main(*args)
            expected = flatten(module(*[t.clone() for t in case]))
            for a, b in zip(flatten(got), expected, strict=True):
                torch.testing.assert_close(a, b.detach(), rtol=1e-5, atol=1e-5, msg=f"{name} as {language}")


def strip(value, top=True):
    """Without what the importer does not read; one line of the source is kept."""
    if isinstance(value, list):
        return [strip(v) for v in value]
    if not isinstance(value, dict):
        return value
    unused = ("nn_module_stack", "torch_fn", "requires_grad", "kind", "is_hop_single_tensor_return",
              "is_single_tensor_return", "custom_obj_values", "module_call_graph", "guards_code",
              "opset_version", "verifiers", "treespec_namedtuple_fields", "hint")
    result = {k: strip(v) for k, v in value.items() if k not in unused}
    if "stack_trace" in result:
        lines = [line for line in result["stack_trace"].splitlines() if "control_flow.py" in line]
        result = {"stack_trace": lines[0].replace(os.path.abspath(__file__), "control_flow.py")} if lines else {}
    return result


def fixture(name, folder):
    file = export(name, folder)
    module, cases, _ = PROGRAMS[name]
    with zipfile.ZipFile(file) as archive:
        read = lambda n: archive.read(f"{name}/{n}")
        result = {"model": strip(json.loads(read("models/model.json"))), "cases": []}
    describe = lambda t: {"dtype": str(t.dtype)[6:], "sizes": list(t.shape),
                          "values": t.detach().flatten().tolist()}
    for case in cases:
        outputs = flatten(module(*[t.clone() for t in case]))
        result["cases"].append([[describe(t) for t in case], [describe(t) for t in outputs]])
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for option in ("bin", "cuda-sim", "fixtures"):
        parser.add_argument("--" + option)
    parser.add_argument("--emitted", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    if options.fixtures:
        weightless = [n for n, (m, _, _) in PROGRAMS.items() if not m.state_dict()]
        programs = {name: fixture(name, options.out) for name in weightless}
        with open(options.fixtures, "w") as out:
            out.write("{\n" + ",\n".join(
                f"{json.dumps(n)}: {json.dumps(p, separators=(',', ':'))}"
                for n, p in programs.items()) + "\n}\n")
        return
    count = sum(compare(name, options.out, options) for name in PROGRAMS)
    for name in PROGRAMS if options.emitted else ():
        compare_emitted(name, options.out, options)
    if FAILURES:
        sys.exit("\n".join(FAILURES))
    print(f"{len(PROGRAMS)} programs, {count} cases")


if __name__ == "__main__":
    main()
