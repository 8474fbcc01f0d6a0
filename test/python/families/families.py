#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Compares families of operators with PyTorch eager, through the Python module.

  families.py FAMILY... [--only REGEX] [--dynamic]

Calls are exported several in one program; a program that fails is split until the calls that
fail are known. Prints each of these, and how many agree; exit status 1 when one does not.
Results that are unique up to a factor only (eigenvectors) are compared by what they make:
the cases say how.
"""

import argparse
import os
import re
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402

import coil  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402

# How far results may be from eager mode's: relative to the largest element, absolute.
TOLERANCES = {torch.float64: 1e-9, torch.complex128: 1e-9, torch.float32: 2e-5,
              torch.complex64: 2e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}
BATCH = 12


class Module(torch.nn.Module):
    """Calls of some cases, one after the other."""

    def __init__(self, chosen):
        super().__init__()
        self.chosen = chosen

    def forward(self, *tensors):
        results, first = [], 0
        for case in self.chosen:
            last = first + len(case.args)
            results += flatten(case.fn(*tensors[first:last]))
            first = last
        return tuple(results)


def flatten(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def difference(actual, expected):
    """None, or how a result differs."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return (f"{actual.dtype} {list(actual.shape)} instead of {expected.dtype} "
                f"{list(expected.shape)}")
    if not (expected.is_floating_point() or expected.is_complex()):
        wrong = actual != expected
    else:
        tolerance = TOLERANCES[expected.dtype]
        wide = torch.complex128 if expected.is_complex() else torch.float64
        a, e = actual.to(wide), expected.to(wide)
        finite = e[e.isfinite()].abs()
        scale = max(1.0, float(finite.max())) if finite.numel() else 1.0
        wrong = ~(((a - e).abs() <= tolerance * (e.abs() + min(scale, 1e3))) | (a == e)
                  | (a.isnan() & e.isnan()))
    if not wrong.any():
        return None
    at = int(wrong.flatten().nonzero()[0])
    return (f"{int(wrong.sum())} of {wrong.numel()} differ, first "
            f"{actual.flatten()[at].item()!r} instead of {expected.flatten()[at].item()!r}")


def run(chosen, options):
    """Results of calls, compiled by Coil."""
    tensors = [arg for case in chosen for arg in case.args]
    dynamic = None
    if options.dynamic:
        auto = torch.export.Dim.AUTO
        dynamic = (tuple({d: auto for d, s in enumerate(t.shape) if s > 1} for t in tensors),)
    with torch.no_grad():
        program = torch.export.export(Module(chosen), tuple(tensors), strict=False,
                                      dynamic_shapes=dynamic)
        if options.decompose:
            program = program.run_decompositions()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt2")
        torch.export.save(program, path)
        compiled = coil.compile(path, opt_level=1, options=options.options)
        return [torch.from_dlpack(output) for output in compiled.run(*tensors)]


def check(chosen, expectations, options):
    """Pairs of cases that fail and why."""
    try:
        results = run(chosen, options)
    except Exception as error:  # Whatever the exporter or Coil says.
        if len(chosen) == 1:
            return [(chosen[0], str(error).strip().split("\n")[0][:300])]
        half = len(chosen) // 2
        return (check(chosen[:half], expectations[:half], options)
                + check(chosen[half:], expectations[half:], options))
    failures = []
    for case, expected in zip(chosen, expectations):
        own, results = results[:len(expected)], results[len(expected):]
        errors = [difference(a, e) for a, e in zip(own, expected)]
        error = next((f"result {i}: {e}" for i, e in enumerate(errors) if e), None)
        if error:
            failures.append((case, error))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="+", choices=sorted(cases.FAMILIES))
    parser.add_argument("--only", default="")
    parser.add_argument("--dynamic", action="store_true", help="sizes are symbols where possible")
    parser.add_argument("--decompose", action="store_true", help="with run_decompositions()")
    parser.add_argument("--options", default="", help="options of the pipelines")
    options = parser.parse_args()
    torch.set_num_threads(1)
    total, failures = 0, []
    for family in options.families:
        torch.manual_seed(0)
        chosen = [c for c in cases.FAMILIES[family]() if re.search(options.only, c.name)]
        expectations = [[r.resolve_conj().resolve_neg().clone() for r in flatten((c.expected or c.fn)(*c.args))]
                        for c in chosen]
        for first in range(0, len(chosen), BATCH):
            last = first + BATCH
            failures += check(chosen[first:last], expectations[first:last], options)
        total += len(chosen)
    for case, error in failures:
        print(f"error: {case.name}: {error}")
    print(f"{total - len(failures)} of {total} calls agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
