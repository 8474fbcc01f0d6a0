# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an architecture in eager mode and through Coil, and compares.

What agrees means: results have the same element types and sizes; what is no float is equal; and the largest error
of a float against eager mode in double precision is at most FACTOR times eager mode's own plus ROUNDINGS rounding
errors of the largest element. Where eager mode has no double precision for a model, or reaches other integers
with it (an argmax, the choice of an expert), the error is measured against eager mode itself, and at most
`TOLERANCE` of the largest element. Where single precision leaves eager mode an error of more than UNSTABLE, a model
within the bound is called unstable rather than right: random weights amplify rounding errors, or choose otherwise.
"""
import time

import torch

FACTOR, ROUNDINGS, TOLERANCE, UNSTABLE = 2, 8, 1e-4, 1e-3


def flatten(results):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(results) if isinstance(leaf, torch.Tensor)]


def is_float(tensor):
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def widen(tensor):
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


def draw(inputs, seed):
    """Inputs of the same kind with other values."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        torch.randn(x.shape, generator=generator, dtype=x.dtype) if is_float(x)
        else x[..., torch.randperm(x.shape[-1], generator=generator)] for x in inputs)


def find_exact(module, inputs, eager):
    """Results in double precision, or None. The module is of double precision behind the call."""
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            exact = flatten(module.double()(*[x.double() if is_float(x) else x for x in inputs]))
    except RuntimeError:  # Constants of single precision in the model.
        return None
    finally:
        torch.set_default_dtype(torch.float32)
    fits = len(exact) == len(eager) and all(
        e.shape == x.shape and is_float(e) == is_float(x) and (is_float(e) or torch.equal(e, x))
        for e, x in zip(eager, exact))
    return exact if fits else None


def size(tensor):
    finite = widen(tensor)[tensor.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def distance(tensor, other):
    """The largest distance of finite elements; infinite where those that are not finite differ."""
    a, b = widen(tensor), widen(other)
    same = (a == b) | (a.isnan() & b.isnan())
    both = a.isfinite() & b.isfinite()
    if not bool((same | both).all()):
        return float("inf")
    return float((a - b).abs()[both].max()) if both.any() else 0.0


def judge(actual, eager, exact):
    """None or how results differ, and the largest errors of both in parts of the largest element."""
    if len(actual) != len(eager):
        return f"{len(actual)} results instead of {len(eager)}", 0, 0
    worst = (0.0, 0.0)
    for i, (a, e) in enumerate(zip(actual, eager)):
        if a.dtype != e.dtype or a.shape != e.shape:
            return f"result {i} is {a.dtype}{list(a.shape)} instead of {e.dtype}{list(e.shape)}", *worst
        if not is_float(e):
            if not torch.equal(a, e):
                return f"result {i}: {int((a != e).sum())} of {e.numel()} integers differ", *worst
            continue
        reference = exact[i] if exact else e
        scale = size(reference)
        ours, theirs = distance(a, reference), distance(e, reference)
        parts = (ours / scale, theirs / scale) if scale else (ours, theirs)
        worst = max(worst, parts)
        bound = FACTOR * theirs + ROUNDINGS * torch.finfo(e.dtype).eps * scale if exact else TOLERANCE * scale
        if not ours <= bound:
            return f"result {i}: error {parts[0]:.3g} of the largest element, eager mode's is {parts[1]:.3g}", *worst
    return None, *worst


def compare(coil, path, module, inputs):
    """Compiles the exported program at a path, runs it on two sets of inputs and compares: an entry for the report."""
    start = time.time()
    try:
        program = coil.compile(path)
    except coil.CompileError as error:
        return {"outcome": "refused", "why": str(error)[-2000:]}
    entry = {"outcome": "agree", "compiled_s": round(time.time() - start, 1)}
    cases = [inputs, draw(inputs, 1)]
    eager = []
    for case in cases:
        with torch.no_grad():
            # A loop of the program may have changed its inputs in place.
            eager.append(flatten(module(*[x.clone() for x in case])))
    # Results that do not depend on the inputs prove little.
    entry["varies"] = any(a.shape != b.shape or not torch.equal(a, b) for a, b in zip(*eager))
    double = False
    for number, (case, expected) in enumerate(zip(cases, eager)):
        try:
            results = program.run(*[x.clone() for x in case], like=torch.Tensor)
        except coil.CoilError as error:
            return {**entry, "outcome": "error", "why": str(error)[-2000:]}
        actual = [r for r, spec in zip(results, program.outputs) if not spec.get("mutation")]
        exact = find_exact(module, case, expected)
        double |= exact is not None
        why, ours, theirs = judge(actual, expected, exact)
        entry["error"] = max(entry.get("error", 0), ours)
        entry["eager_error"] = max(entry.get("eager_error", 0), theirs)
        if why:
            return {**entry, "double": double, "outcome": "wrong", "why": f"inputs {number}: {why}"}
    if entry["eager_error"] > UNSTABLE:
        entry.update(outcome="unstable", why=f"eager mode's error is {entry['eager_error']:.3g} of the largest element")
    return {**entry, "double": double}
