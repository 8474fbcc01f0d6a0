# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with custom operators of torch.library: exported, compiled, run by Coil
with the operators registered from Python, and compared with PyTorch eager.

    custom_ops.py OUT --bin=FOLDER
"""

import argparse
import gc
import importlib.util
import os
import subprocess
import sys
import threading
import warnings
from typing import List, Optional, Tuple

import torch
from torch import Tensor
from torch.library import custom_op

import coil

warnings.filterwarnings("ignore")
torch.manual_seed(0)
parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--bin", required=True)
args = parser.parse_args()
os.makedirs(args.out, exist_ok=True)
runs = 0


def path(name):
    return os.path.join(args.out, name)


# -- Operators ------------------------------------------------------------------


@custom_op("mylib::scaled", mutates_args=())
def scaled(x: Tensor, scale: Optional[float] = None, bias: Optional[Tensor] = None,
           mode: str = "plain", dims: Optional[List[int]] = None) -> Tensor:
    y = x * (3.0 if scale is None else scale)
    if bias is not None:
        y = y + bias
    if mode == "flip":
        y = y.flip(dims or [0])
    return y


@scaled.register_fake
def _(x, scale=None, bias=None, mode="plain", dims=None):
    return torch.empty_like(x)


@custom_op("mylib::two", mutates_args=())
def two(x: Tensor) -> Tuple[Tensor, Tensor]:
    return x.cumsum(0), x.amax(0)


@two.register_fake
def _(x):
    return torch.empty_like(x), x.new_empty(x.shape[1:])


@custom_op("mylib::add_into", mutates_args={"out"})
def add_into(x: Tensor, out: Tensor, times: int = 1) -> None:
    out.add_(x * times)


@custom_op("mylib::first_mutates", mutates_args={"out"})
def first_mutates(out: Tensor, x: Tensor) -> Tensor:
    out.mul_(2)
    return out + x


@first_mutates.register_fake
def _(out, x):
    return torch.empty_like(out)


@custom_op("mylib::where", mutates_args=())
def where(x: Tensor) -> Tensor:
    return x.nonzero()


@where.register_fake
def _(x):
    return x.new_empty((torch.library.get_ctx().new_dynamic_size(), x.dim()), dtype=torch.int64)


@custom_op("mylib::each", mutates_args=())
def each(xs: List[Tensor], ys: List[Optional[Tensor]]) -> List[Tensor]:
    return [x.clone() if y is None else x + y for x, y in zip(xs, ys)]


@each.register_fake
def _(xs, ys):
    return [torch.empty_like(x) for x in xs]


@custom_op("mylib::fails", mutates_args=())
def fails(x: Tensor) -> Tensor:
    if x.sum() > 100:
        raise ValueError(f"the sum {x.sum().item():.0f} is too large")
    return x.clone()


@fails.register_fake
def _(x):
    return torch.empty_like(x)


@custom_op("mylib::secret", mutates_args=())
def secret(x: Tensor) -> Tensor:
    return x.clone()


@secret.register_fake
def _(x):
    return torch.empty_like(x)


@custom_op("mylib::nobody", mutates_args=())
def nobody(x: Tensor) -> Tensor:
    return x.clone()


@nobody.register_fake
def _(x):
    return torch.empty_like(x)


# -- Comparison -----------------------------------------------------------------


def export(name, forward, inputs, dynamic=None, decompose=False):
    module = type(name, (torch.nn.Module,), {"forward": staticmethod(forward)})()
    program = torch.export.export(module.eval(), inputs, dynamic_shapes=dynamic)
    if decompose:
        program = program.run_decompositions()
    file = path(name + ("_decomposed" if decompose else "") + ".pt2")
    torch.export.save(program, file)
    return file


def check(name, forward, *cases, dynamic=None, forms=(False, True)):
    """Compares all cases, in both forms that export has, and from a package."""
    global runs
    for decompose in forms:
        file = export(name, forward, cases[0], dynamic, decompose)
        package = file[: -len("pt2")] + "coilpkg"
        # A package is made where nothing is registered.
        done = subprocess.run([os.path.join(args.bin, "coil-compile"), file, "-o", package],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        for source in (file, package):
            program = coil.compile(source)
            for case in cases:
                expected = forward(*[x.clone() for x in case])
                expected = expected if isinstance(expected, tuple) else (expected,)
                given = [x.clone() for x in case]
                outputs = [torch.from_dlpack(o) for o in program.run(*given)]
                runs += 1
                for i, (a, b) in enumerate(zip(outputs, expected, strict=True)):
                    torch.testing.assert_close(a, b, msg=lambda m: f"{name}: output {i}: {m}")
                for a, b in zip(given, case):
                    assert torch.equal(a, b), f"{name}: an input has changed"


R = torch.randn
Dim = {0: torch.export.Dim("n", min=2, max=64)}

# Everything is registered by the names that the programs call.
for name in "scaled two add_into first_mutates where each fails".split():
    coil.register_function("mylib::" + name)
assert coil.has_function("mylib::scaled") and not coil.has_function("mylib::nobody")

check("optional_absent", lambda x: scaled(torch.relu(x)) + 1, (R(3, 4),))
check("optional_given", lambda x, b: scaled(x.sin(), 2.0, b, mode="flip", dims=[1]).exp(),
      (R(3, 4), R(4)))
check("optional_mixed", lambda x, b: scaled(x, bias=b) * scaled(x, 0.5, None, "flip"),
      (R(3, 4), R(3, 4)))
check("dynamic", lambda x: scaled(x * 2, 2.0).sum(1), (R(3, 4),), (R(7, 4),), (R(64, 4),),
      dynamic=(Dim,))
check("two_results", lambda x: tuple(y * 2 for y in two(x + 1)), (R(3, 4),), (R(5, 4),),
      dynamic=(Dim,))
check("one_of_two", lambda x: two(x)[1].neg(), (R(3, 4),))
check("transposed", lambda x: scaled(x.t() + 0, 2.0).t(), (R(3, 4),))
check("sliced", lambda x: scaled(x[1:, ::2], 2.0), (R(3, 4),))
check("data_dependent", lambda x: where(torch.relu(x)) * 2, (R(3, 4),), (-R(3, 4).abs(),),
      (R(3, 4).abs(),))
check("lists", lambda x, y: each([x, y, x * 2], [None, x, y])[1] + each([x], [y])[0],
      (R(4), R(4)))


def mutates(x):
    out = torch.zeros_like(x)
    add_into(x.sin(), out, 2)
    add_into(x, out)
    return out + 1


def mutates_twice(x, y):
    a, b = x + 1, y + 1
    c = first_mutates(a, b)
    add_into(c, b)
    return a, b, c


def keeps_what_was(x):
    before = x * 2
    out = before.clone()
    add_into(x, out)
    return before, out


# Without decompositions a file does not say what operators change.
check("mutates", mutates, (R(3, 4),), forms=(True,))
check("mutates_twice", mutates_twice, (R(3, 4), R(3, 4)), forms=(True,))
check("keeps_what_was", keeps_what_was, (R(5),), forms=(True,))


def branch(p, x):
    return torch.cond(p, lambda a: scaled(a, 2.0), lambda a: a.sin(), (x,))


check("in_branch", branch, (torch.tensor(True), R(4)), (torch.tensor(False), R(4)))
check("mutates_an_input", lambda x: scaled(x.add(1), 2.0).mul_(2), (R(4),), forms=(True,))


# What no kernel is generated for is the runtime's own function, in order.
M, V = torch.tensor([True, False, True, False]), R(2)
check("mask_of_rows", lambda x, m, v: torch.index_put(x + 0, [m], v), (R(4, 3), M, R(2, 3)))
check("mask_and_index", lambda x, m, i, v: torch.index_put(x.sin(), [m, i], v),
      (R(4, 3), M, torch.tensor([0, 2]), V))
check("index_and_mask", lambda x, i, m, v: torch.index_put(x.sin(), [i, m[:3]], v, accumulate=True),
      (R(4, 3), torch.tensor([1, 1]), M, V))
check("mask_half", lambda x, m, v: torch.index_put(x + 0, [m], v),
      (R(4).half(), M, R(2).half()))


# -- Emitted programs -----------------------------------------------------------


def emitted(name, forward, *inputs):
    """The program as Python and as a graph, with functions of the registry and with
    torch's own operators."""
    global runs
    file, expected = path(name + ".pt2"), forward(*[x.clone() for x in inputs])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for language in ("python", "fx"):
        for options in ((), ("--torch-calls",)):
            text = path(f"{name}_{language}{len(options)}.py")
            done = subprocess.run([os.path.join(args.bin, "coil-compile"), file, "--emit=" + language,
                                   *options, "-o", text], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            spec = importlib.util.spec_from_file_location("emitted", text)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            given = [x.clone() for x in inputs]
            outputs = module.main(*given) if language == "fx" else module.main(given)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            runs += 1
            for a, b in zip(outputs, expected, strict=True):
                torch.testing.assert_close(a, b, msg=lambda m: f"{text}: {m}")


emitted("two_results", lambda x: tuple(y * 2 for y in two(x + 1)), R(3, 4))
emitted("optional_given", lambda x, b: scaled(x.sin(), 2.0, b, mode="flip", dims=[1]).exp(),
        R(3, 4), R(4))
emitted("data_dependent", lambda x: where(torch.relu(x)) * 2, R(3, 4))
emitted("mutates_decomposed", mutates, R(3, 4))
emitted("lists", lambda x, y: each([x, y, x * 2], [None, x, y])[1] + each([x], [y])[0], R(4), R(4))
emitted("mask_and_index", lambda x, m, i, v: torch.index_put(x.sin(), [m, i], v),
        R(4, 3), M, torch.tensor([0, 2]), V)
emitted("in_branch", branch, torch.tensor(True), R(4))


# -- Errors ---------------------------------------------------------------------


def expect(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        if text not in str(error):
            sys.exit(f"expected '{text}' but got '{error}'")
        return
    sys.exit(f"expected an error '{text}'")


expect(coil.CompileError, "run_decompositions()", coil.compile,
       export("undecomposed", mutates, (R(3, 4),)))
file = export("missing", lambda x: nobody(x.sin()), (R(4),))


def compile_alone(file):
    """Compiles a program whose operators PyTorch must not run."""
    with coil.torch_fallbacks(False):
        return coil.compile(file)


expect(coil.CompileError, "the function 'mylib::nobody' is not registered for cpu (called at ",
       compile_alone, file)
expect(coil.CompileError, "node 'nobody'", compile_alone, file)


class Missing(torch.nn.Module):
    def forward(self, x):
        return nobody(x.cos())


torch.export.save(torch.export.export(Missing(), (R(4),)), path("missing_class.pt2"))
expect(coil.CompileError, "(called at ", compile_alone, path("missing_class.pt2"))
expect(coil.CompileError, "custom_ops.py:", compile_alone, path("missing_class.pt2"))
coil.register_function("mylib::nobody_v2", nobody)
expect(coil.CompileError, "there is 'mylib::nobody_v2'", compile_alone, file)
coil.register_function("mylib::nobody")  # From here on there is one.
coil.compile(file)

program = coil.compile(export("fails", lambda x: fails(x + 1) * 2, (R(4),)))
program.run(torch.zeros(4))
for _ in range(3):
    expect(coil.RunError, "failed: ValueError: the sum 404 is too large", program.run,
           torch.full((4,), 100.0))
expect(coil.RunError, "the function 'mylib::fails' (node 'fails') failed", program.run,
       torch.full((4,), 100.0))
program.run(torch.zeros(4))

expect(coil.InputError, "is registered for cpu already", coil.register_function, "mylib::scaled")
expect(coil.InputError, "is no name of a function", coil.register_function, "scaled", scaled)
expect(coil.InputError, "torch has no operator 'mylib::missing'", coil.register_function,
       "mylib::missing")
expect(coil.InputError, "cannot load the functions of", coil.load_functions, path("missing.so"))

# What a function does to tensors that are not its to write is seen.
coil.register_function("mylib::secret", lambda x: x.add_(1))
program = coil.compile(export("secret", lambda x: secret(x * 2), (R(4),)))
expect(coil.RunError, "wrote to a tensor that the program does not let it write", program.run, R(4))
for wrong, text in ((lambda x: None, "gives 0 results, but the program expects 1"),
                    (lambda x: (x, x), "gives 2 results"),
                    (lambda x: x[:2].clone(), "has the sizes [2], but the program expects [4]"),
                    (lambda x: x.double(), "is f64 [4], but the program expects f32 of rank 1"),
                    (lambda: None, "TypeError")):
    coil.register_function("mylib::secret", wrong, replace=True)
    expect(coil.RunError, text, program.run, R(4))
coil.register_function("mylib::secret", lambda x: {"y": x + 1}, replace=True)
x = R(4)
torch.testing.assert_close(torch.from_dlpack(program.run(x)[0]), x * 2 + 1)

# -- Threads, memory ------------------------------------------------------------

program = coil.compile(path("two_results.pt2"))
x = R(3, 4)
expected = [y * 2 for y in (torch.cumsum(x + 1, 0), torch.amax(x + 1, 0))]
wrong = []


def work():
    for _ in range(200):
        for a, b in zip(program.run(x), expected):
            if not torch.allclose(torch.from_dlpack(a), b):
                wrong.append(a)


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong


def resident():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


for count in (2000, 20000):
    before = resident()
    for _ in range(count):
        program.run(x)
    grown = resident() - before
assert grown < 4 << 20, f"{grown} bytes are left of 20000 runs"
print(f"{runs} runs agree")
