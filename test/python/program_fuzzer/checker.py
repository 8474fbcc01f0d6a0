#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A process that draws programs and checks them: reads tasks from standard input, writes what became of
each to standard output, both as lines of JSON. program_fuzzer.py starts it, and again after a crash.

A task is {"seed"}, {"seed", "operator"} (of one call) or {"program", "way"} (a program that was drawn before). The answer is {"stage": "draw"},
{"stage": "export"} and {"stage": "compile"}, which say what a crash belongs to, and
{"state", "why", "way", "operators", "tried", "program"}.
"""

import argparse
import contextlib
import json
import math
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "op_db")]

import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import judge  # noqa: E402
import patterns  # noqa: E402
import programs  # noqa: E402
import torch_compiled  # noqa: E402
import worker  # noqa: E402
from ways import Way  # noqa: E402


# The condition from which on rounding decides what becomes of a matrix.
SINGULAR = 1e5
# Operators that give a view or a copy, by the strides of their operand, or that look at its memory, and statements
# that write, or look at memory.
LAYOUTS = re.compile(r"reshape|contiguous|ravel|flatten|_to_copy|\.to\.|as_strided")
RANDOM = re.compile(r"dropout|fractional|attention|rand|rrelu|bernoulli|multinomial|normal|poisson|binomial|exponential|geometric|cauchy|uniform|gumbel|dirichlet|gamma")
WRITES = re.compile(r"_\(|_\.\w+\(|out=|\] [+*-]?= |as_strided")


def check(program, way, options, runner, say, is_random):
    """(state, why) of a program."""
    try:
        expectation = judge.Expectation(program, is_random)
    except Exception as error:  # What the draw did not notice. # pylint: disable=broad-except
        return "eager", worker.first_line(error)
    if way.mode in torch_compiled.MODES:
        return torch_compiled.check(program, way, expectation, say)
    say({"stage": "export"})
    exported = way.export(program)
    with tempfile.TemporaryDirectory() as folder:
        users = [name for name, _, is_buffer in program.inputs if not is_buffer]
        given = [t for t, (_, _, is_buffer) in zip(program.make_inputs(), program.inputs) if not is_buffer]
        try:
            # What the exporter writes that does not run in eager mode says nothing.
            with torch.no_grad(), unchanged(exported):
                declared = Declared(exported.module())
                declared.run(*[t for t, (_, _, b) in zip(program.make_inputs(), program.inputs) if not b])
        except Exception as error:  # pylint: disable=broad-except
            return "export", "the exported program fails in eager mode: " + worker.first_line(error)
        say({"stage": "compile"})
        run = way.prepare(exported, folder, options, runner)
        flat = run(list(given))
        changed = dict(runner.changed)
        seen, after = worker.user_results(exported, flat, given, changed)
        state, why = expectation.judge(seen, {**dict(zip(users, after)), **changed})
        if state == "wrong" and way.mode == "decompose":
            # It rounds behind each operator of the decompositions.
            with unchanged(exported):
                expectation.add_runs(exported, program)
            state, why = expectation.judge(seen, {**dict(zip(users, after)), **changed})
        if state == "wrong" and overflows(program, way, options, runner, folder, exported, users, is_random):
            return "unstable", f"huge numbers overflow, or not, by the order of sums and products: {why}"
        if state == "wrong" and declared.moved and WRITES.search("\n".join(program.statements)):
            return "export", f"{declared.moved}, which decides what is written or read later: {why}"
        if state == "wrong" and differs_exported(exported, program, expectation):
            return "export", "the exported program gives other results in eager mode: " + why
    return state, why


def overflows(program, way, options, runner, folder, exported, users, is_random):
    """Whether a difference is there for huge finite numbers alone: with moderate ones in their place there is none."""
    tamed = judge.tame(program)
    if tamed is None:
        return False
    try:
        expectation, given = judge.Expectation(tamed, is_random), tamed.make_inputs()
        run = way.prepare(exported, folder, options, runner)
        flat = run(list(given))
    except Exception:  # Some inputs cannot be changed, and not every program takes others. # pylint: disable=broad-except
        return False
    changed = dict(runner.changed)
    seen, after = worker.user_results(exported, flat, given, changed)
    return expectation.judge(seen, {**dict(zip(users, after)), **changed})[0] in ("agree", "unstable")


class Conditions(TorchDispatchMode):
    """The largest condition of matrices that functions of libraries get."""

    def __init__(self):
        super().__init__()
        self.largest = 0

    @staticmethod
    def of(program):
        with Conditions() as conditions:
            judge.Run(program)
        return conditions.largest

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if programs.LIBRARY.search(function._schema.name):
            for t in args:
                if isinstance(t, torch.Tensor) and programs.is_float(t) and t.dim() > 1 and t.numel():
                    try:
                        values = torch.linalg.svdvals(t.to(torch.complex128 if t.is_complex() else torch.float64))
                        condition = float((values[..., 0] / values[..., -1]).amax())
                    except RuntimeError:  # Of infinities and NaN.
                        condition = math.inf
                    self.largest = max(self.largest, math.inf if math.isnan(condition) else condition)
        return function(*args, **(kwargs or {}))


@contextlib.contextmanager
def unchanged(exported):
    """Buffers have their numbers again afterwards: the module of an exported program updates those of the program."""
    held = {**exported.state_dict, **{k: t for k, t in exported.constants.items() if isinstance(t, torch.Tensor)}}
    before = {name: t.detach().clone() for name, t in held.items()}
    try:
        yield
    finally:
        for name, t in held.items():
            t.detach().copy_(before[name])


class Declared(torch.fx.Interpreter):
    """Runs an exported program; fails where a result has another element type or other sizes than the exporter declares.
    `moved` says of a tensor that it has other strides, if what reads it is a view or a copy depending on these, or
    looks at memory."""

    moved = None

    def run_node(self, n):
        result, declared = super().run_node(n), n.meta.get("val")
        pairs = zip(result, declared) if isinstance(result, (list, tuple)) and isinstance(declared, (list, tuple)) else [(result, declared)]
        for got, said in pairs:
            if isinstance(got, torch.Tensor) and isinstance(said, torch.Tensor) and (
                    got.dtype != said.dtype or got.dim() != said.dim() or
                    any(isinstance(b, int) and a != b for a, b in zip(got.shape, said.shape))):
                raise TypeError(f"{n.target} gives {got.dtype} {list(got.shape)}, but the exporter declares {said.dtype} {list(said.shape)}")
            if isinstance(got, torch.Tensor) and isinstance(said, torch.Tensor) and any(LAYOUTS.search(str(user.target)) for user in n.users) and any(
                    a != (b if isinstance(b, int) else b.node.hint) and size > 1
                    for size, a, b in zip(got.shape, got.stride(), said.stride())):
                self.moved = f"{n.target} gives strides {list(got.stride())}, but the exporter declares {list(said.stride())}"
        return result


def differs_exported(exported, program, expectation):
    """Whether the exported program itself differs from the module in eager mode."""
    given = [t for t, (_, _, is_buffer) in zip(program.make_inputs(), program.inputs) if not is_buffer]
    with torch.no_grad(), unchanged(exported):
        module = exported.module()
        results = list(module(*given))
        users = [name for name, _, is_buffer in program.inputs if not is_buffer]
        buffers = {name: getattr(module, name) for name, _, is_buffer in program.inputs if is_buffer and hasattr(module, name)}
        return expectation.judge(results, {**dict(zip(users, given)), **buffers})[0] == "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--modes", default="plain")
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    # Whatever else is printed goes elsewhere.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    say = lambda line: out.write(json.dumps(line) + "\n")
    options.engine, options.options, options.opt_level = "module", "", 1
    runner = worker.Runner(options)
    table, _ = programs.read_table()
    known = patterns.Patterns(options.device)
    by_name = {o.full: o for operators in table.values() for o in operators}
    for line in sys.stdin:
        task = json.loads(line)
        say({"stage": "draw"})
        answer = {}
        if "program" in task:
            program = programs.Program.load(task["program"], options.device)
            way = Way(*task["way"])
            random.seed(0)
        else:
            only = by_name.get(task.get("operator"))
            program = programs.draw(task["seed"], table, known, options.device, options.size, only)
            if only and only.full not in program.operators:
                say({"state": "eager", "why": program.tried[-1][1] if program.tried else "no attempt", "way": ["plain", "", 1]})
                continue
            way = Way.draw(task["seed"], options.modes.split(","), options.device)
            answer = {"operators": program.operators, "tried": program.tried}
        text = " ".join(program.statements)
        is_random = any(o.is_random and o.text in text for o in by_name.values()) or RANDOM.search(text) is not None
        say({"program": program.save(), "way": [way.mode, way.options, way.opt_level], **answer})
        try:
            state, why = check(program, way, options, runner, say, is_random)
            if state == "wrong" and programs.LIBRARY.search(text) and Conditions.of(program) > SINGULAR:
                state = "unstable"
        except worker.Refused as refused:
            state, why = refused.state, str(refused)
            if state == "run" and re.search("singular|positive-definite", why) and Conditions.of(program) > SINGULAR:
                state = "unstable"  # Rounding decides whether a matrix is.
        except Exception as error:  # Of this program; others go on. # pylint: disable=broad-except
            state, why = "crash", f"{type(error).__name__}: {worker.first_line(error)}"
        say({"state": state, "why": why})


if __name__ == "__main__":
    main()
