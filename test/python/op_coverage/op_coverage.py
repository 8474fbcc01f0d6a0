#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares Coil with PyTorch eager, operator by operator.

All calls of an operator, over element types and shapes, are exported as one
program with one result for each call, compiled and run by Coil, and compared
with what eager mode computes. A program that fails is split until the failing
calls are known. Exit status 1 when a call fails or differs.
"""

import argparse
import collections
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))

import layers  # noqa: F401, which adds to the operators, as the next ones do; in this order, which samples depend on.
import fused  # noqa: F401
import gradients  # noqa: F401
import operators
import tools

warnings.filterwarnings("ignore")

# How far results may be from eager mode's: relative, absolute.
TOLERANCES = {
    torch.float64: (1e-9, 1e-10),
    torch.float32: (2e-5, 2e-6),
    torch.float16: (2e-3, 1e-3),
    torch.bfloat16: (1.6e-2, 8e-3),
}


# The exporter is not thread-safe; the tools run beside it.
EXPORT_LOCK = threading.Lock()


class Call:
    """One call of an operator: arguments, eager results, outcome."""

    def __init__(self, op, dtype, args):
        self.op, self.dtype, self.args = op, dtype, args
        self.expected = None
        self.error = None
        self.by_exactness = False

    def describe(self):
        shapes = ", ".join("x".join(map(str, a.shape)) or "scalar" for a in self.args)
        return f"{self.op.name} {str(self.dtype)[6:]} [{shapes}]"


def flatten(result):
    """Tensors among results; a gradient that nobody asked for is None."""
    results = result if isinstance(result, (tuple, list)) else [result]
    return [r for r in results if r is not None]


def make_calls(op, seed):
    """The calls that eager mode accepts."""
    calls = []
    for dtype in op.dtypes:
        for args in op.make(dtype, operators.Inputs(seed)):
            call = Call(op, dtype, args)
            try:
                call.expected = [r.clone() for r in flatten(op.fn(*args))]
            except (RuntimeError, NotImplementedError, IndexError, TypeError, ValueError):
                continue  # Eager mode has no such operator.
            calls.append(call)
    return calls


class Program(torch.nn.Module):
    """All calls, one after the other."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def forward(self, *flat):
        results, i = [], 0
        for call in self.calls:
            args = flat[i:i + len(call.args)]
            i += len(call.args)
            results += flatten(call.op.fn(*args))
        return tuple(results)


FLOAT8 = {torch.float8_e4m3fn: "f8E4M3FN", torch.float8_e5m2: "f8E5M2"}


def save(path, tensor, literals):
    """Writes a tensor; returns how a tool is told about it. The interpreter
    takes `literals`."""
    # NumPy has no floats of 8 bits.
    if tensor.dtype in FLOAT8:
        bits = tensor.contiguous().view(torch.uint8).numpy()
        sizes = "".join(f"{size}x" for size in tensor.shape)
        if literals:
            return f'dense<"0x{bits.tobytes().hex()}"> : tensor<{sizes}{FLOAT8[tensor.dtype]}>'
        bits.tofile(path)
        return f"{sizes}{FLOAT8[tensor.dtype]}=@{path}"
    # Nor bfloat16; two bytes without a meaning stand for it.
    if tensor.dtype == torch.bfloat16:
        array = tensor.contiguous().view(torch.int16).numpy().view("V2")
    else:
        array = tensor.contiguous().numpy()
    np.save(path, array)
    return f"@{path}"


def load(path, expected):
    array = np.load(path)
    if array.dtype == "V1":
        return torch.from_numpy(array.view(np.uint8)).view(expected.dtype)
    if array.dtype.kind == "V":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


class Runner:
    def __init__(self, options):
        self.options = options

    def commands(self, folder, inputs, outputs):
        """Shell commands from model.pt2 to the outputs."""
        tool = lambda name: os.path.join(self.options.tools, name)
        arguments = [f"--input={i}" for i in inputs] + [f"--output=@{o}" for o in outputs]
        model = os.path.join(folder, "model.pt2")
        if self.options.engine == "jit":
            return [[tool("coil-run"), model] + self.options.run_options.split() + arguments]
        imported = os.path.join(folder, "model.mlir")
        legal = os.path.join(folder, "legal.mlir")
        return [
            [tool("coil-import"), model, "-o", imported],
            [tool("coil-opt"), imported, "-o", legal] + self.options.passes.split(),
            [tool("coil-interpret"), legal, "--function=main"] + arguments,
        ]

    def run(self, calls):
        """Results of the calls, or an error message."""
        with tempfile.TemporaryDirectory() as folder:
            flat = [a for c in calls for a in c.args]
            dynamic = None
            if self.options.dynamic:
                auto = torch.export.Dim.AUTO
                # The weight of a convolution is never symbolic.
                dynamic = (tuple({d: auto for d, s in enumerate(a.shape) if s > 1
                                  and (i == 0 or call.op.family != "convolution")
                                  and not call.op.family.endswith("constant sizes")}
                                 for call in calls for i, a in enumerate(call.args)),)
            try:
                with EXPORT_LOCK, torch.no_grad():
                    program = torch.export.export(Program(calls), tuple(flat), strict=False,
                                                  dynamic_shapes=dynamic)
                with EXPORT_LOCK:
                    torch.export.save(program, os.path.join(folder, "model.pt2"))
            except Exception as e:  # Whatever the exporter cannot do.
                return None, "export: " + str(e).strip().split("\n")[0][:200]
            inputs, outputs = [], []
            for i, tensor in enumerate(flat):
                inputs.append(save(os.path.join(folder, f"in{i}.npy"), tensor,
                                   self.options.engine == "interp"))
            expected = [e for c in calls for e in c.expected]
            outputs = [os.path.join(folder, f"out{i}.npy") for i in range(len(expected))]
            for command in self.commands(folder, inputs, outputs):
                try:
                    done = tools.run(command, timeout=self.options.timeout)
                except subprocess.TimeoutExpired:
                    return None, f"{os.path.basename(command[0])}: timeout"
                if done.returncode:
                    lines = [l for l in done.stderr.split("\n") if "error" in l]
                    text = lines[0] if lines else done.stderr.strip().split("\n")[0]
                    text = text.replace(folder + os.sep, "")
                    return None, (f"{os.path.basename(command[0])} "
                                  f"({done.returncode}): {text[:300]}")
            return [load(o, e) for o, e in zip(outputs, expected)], None

    def check(self, calls):
        """Runs the calls and records what is wrong with each."""
        if not calls:
            return
        results, error = self.run(calls)
        if error:
            if len(calls) == 1:
                calls[0].error = error
                return
            half = len(calls) // 2
            self.check(calls[:half])
            self.check(calls[half:])
            return
        i = 0
        for call in calls:
            for expected in call.expected:
                call.error = call.error or compare(results[i], expected)
                i += 1
            if call.error and call.dtype.is_floating_point:
                first = i - len(call.expected)
                if no_worse(call, results[first:i]):
                    call.error = None
                    call.by_exactness = True


def compare(actual, expected):
    """None, or how the tensors differ."""
    if actual.dtype != expected.dtype:
        return f"element type {actual.dtype} instead of {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {list(actual.shape)} instead of {list(expected.shape)}"
    if not expected.dtype.is_floating_point:
        same = torch.equal(actual, expected)
    else:
        rtol, atol = TOLERANCES.get(expected.dtype, (0, 0))
        same = torch.allclose(actual.double(), expected.double(), rtol, atol, equal_nan=True)
    if same:
        return None
    a, e = actual.double().flatten(), expected.double().flatten()
    rtol, atol = TOLERANCES.get(expected.dtype, (0, 0))
    wrong = ~torch.isclose(a, e, rtol, atol, equal_nan=True)
    i = int(wrong.nonzero()[0]) if wrong.any() else 0
    return f"{int(wrong.sum())} of {a.numel()} differ, first {a[i]:.9g} instead of {e[i]:.9g}"


def no_worse(call, actual):
    """Whether every element is as near to what eager mode computes in double
    precision as eager mode's own is. Eager mode rounds differently in vectors
    and in the remainders of loops; no single answer agrees with both."""
    try:
        exact = flatten(call.op.fn(*[a.double() if a.is_floating_point() else a
                                     for a in call.args]))
    except (RuntimeError, NotImplementedError, TypeError):
        return False
    for a, e, x in zip(actual, call.expected, exact):
        if a.dtype != e.dtype or a.shape != e.shape:
            return False
        a, e, x = a.double(), e.double(), x.to(e.dtype).double()
        same = (a == x) | (a.isnan() & x.isnan()) | (a == e) | (a.isnan() & e.isnan())
        if not torch.all(same | ((a - x).abs() <= (e - x).abs())):
            return False
    return True


def write_table(path, operators_, calls_of, options):
    """A page of Markdown."""
    shown = operators.ALL + operators.FLOATS8
    names = [str(d)[6:] for d in shown]
    short = {"bool": "bool", "uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32",
             "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32",
             "float64": "f64", "float8_e4m3fn": "f8 e4m3fn", "float8_e5m2": "f8 e5m2"}
    total = sum(len(c) for c in calls_of.values())
    bad = sum(1 for cs in calls_of.values() for c in cs if c.error)
    exact = sum(1 for cs in calls_of.values() for c in cs if c.by_exactness)
    with open(path, "w") as f:
        f.write("# Operator coverage\n\n")
        f.write("Generated by `test/python/op_coverage/op_coverage.py`; do not edit.\n\n")
        f.write("Each operator is called over element types and shapes (ranks 0 to 4; sizes "
                "0, 1 and primes; broadcasting), exported by PyTorch "
                f"{torch.__version__.split('+')[0]}, compiled and run by Coil, and compared "
                "with eager mode on the CPU. A number counts calls that agree; `k/n` says that "
                "only k of n do; a blank, that eager mode has no such operator or that the "
                "type is not tried.\n\n")
        f.write("Integers and bools have to be equal. Floats may differ by (relative, "
                "absolute): "
                + ", ".join(f"{short[str(d)[6:]]} {r:g}, {a:g}" for d, (r, a) in
                            TOLERANCES.items())
                + ". Eager mode rounds differently in vectors and in the remainders of loops, so "
                "a result also counts when each element is equal to eager mode's or as near to "
                "what eager mode computes in double precision as eager mode's own: "
                f"{exact} calls count only so.\n\n")
        f.write(f"**{total - bad} of {total} calls of {len(calls_of)} operators agree.**\n")
        families = collections.OrderedDict()
        for op in operators_:
            families.setdefault(op.family, []).append(op)
        for family, members in families.items():
            f.write(f"\n## {family[0].upper() + family[1:]}\n\n")
            f.write("| operator | " + " | ".join(short[n] for n in names) + " |\n")
            f.write("|---|" + "---|" * len(names) + "\n")
            for op in members:
                cells = []
                for dtype in shown:
                    calls = [c for c in calls_of[id(op)] if c.dtype == dtype]
                    good = sum(1 for c in calls if not c.error)
                    cells.append("" if not calls else str(good) if good == len(calls)
                                 else f"{good}/{len(calls)}")
                f.write(f"| `{op.name}` | " + " | ".join(cells) + " |\n")
        failures = [c for cs in calls_of.values() for c in cs if c.error]
        if failures:
            f.write("\n## What does not agree\n\n")
            for call in failures:
                error = call.error.replace("|", "\\|")
                f.write(f"- `{call.describe()}`: {error}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="folder of the tools")
    parser.add_argument("--engine", choices=["jit", "interp"], default="jit",
                        help="coil-run, or the reference interpreter at graph level")
    parser.add_argument("--passes",
                        default="--graph-legalize-aten --graph-verify-contract "
                                "--graph-decompose --canonicalize",
                        help="what coil-opt runs in front of the interpreter")
    parser.add_argument("--run-options", default="",
                        help="more options of coil-run, such as --target=cuda")
    parser.add_argument("--filter", default="", help="operators whose name contains this")
    parser.add_argument("--family", default="", help="only this family")
    parser.add_argument("--without", default="", help="not this family")
    parser.add_argument("--sample", type=int, default=1,
                        help="only every n-th operator (for a quick run)")
    parser.add_argument("--dynamic", action="store_true",
                        help="let the exporter make all sizes symbolic that it can")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one tool")
    parser.add_argument("--table", help="Markdown page to write")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)

    chosen = [op for op in operators.OPERATORS
              if options.filter in op.name and options.family in op.family
              and op.family != options.without]
    chosen = chosen[::options.sample]
    runner = Runner(options)
    start = time.time()
    calls_of = {id(op): make_calls(op, options.seed) for op in chosen}

    def work(op):
        runner.check(calls_of[id(op)])
        return op

    with ThreadPoolExecutor(options.jobs) as pool:
        for op in pool.map(work, chosen):
            bad = [c for c in calls_of[id(op)] if c.error]
            if options.verbose:
                print(f"{op.name}: {len(calls_of[id(op)]) - len(bad)} of "
                      f"{len(calls_of[id(op)])}", flush=True)
            for call in bad:
                print(f"error: {call.describe()}: {call.error}", flush=True)
    total = sum(len(c) for c in calls_of.values())
    bad = sum(1 for cs in calls_of.values() for c in cs if c.error)
    print(f"{total - bad} of {total} calls of {len(chosen)} operators agree, "
          f"{time.time() - start:.0f} s")
    if options.table:
        write_table(options.table, chosen, calls_of, options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
