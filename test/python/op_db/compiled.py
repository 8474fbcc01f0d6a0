#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Samples through torch.compile(backend="coil"), for `op_db.py --engine torch-compile`.

A sample agrees if its results are eager mode's in values, element types, sizes, strides and
devices, what it writes to its inputs is what eager mode writes, and, with --gradients, the
gradients of its inputs are eager mode's. Random numbers come from the same generator, so they
are the same ones. A sample that agrees, but for which PyTorch's dispatcher was called, has the state
`fallback`; a graph that runs eagerly as a whole is `refused`.
"""

import warnings

import samples as db
import torch


class Failure(Exception):
    def __init__(self, state, why):
        super().__init__(why)
        self.state = state


def make_function(samples):
    """A function that calls samples one after the other."""
    counts = [len(sample.tensors) for sample in samples]

    def function(*tensors):
        results, first = [], 0
        for sample, count in zip(samples, counts):
            results.append(sample.call(tensors[first:first + count]))
            first += count
        return results

    return function


def run(function, samples, gradients):
    """What a function gives for samples: for each of them results, strides, inputs and
    gradients."""
    tensors = [sample.copies() for sample in samples]
    flat = [t for each in tensors for t in each]
    if gradients:
        for tensor in flat:
            tensor.requires_grad_(db.is_float(tensor))
    torch.manual_seed(1)
    with torch.set_grad_enabled(gradients):
        outcomes = function(*flat)
    found = []
    for sample, given, outcome in zip(samples, tensors, outcomes):
        results = [r if r.layout is torch.strided else r.to_dense() for r in db.flatten(outcome)]
        grads = []
        if gradients:
            roots = [r for r in results if r.requires_grad]
            generator = torch.Generator().manual_seed(3)
            seeds = [torch.randn(r.shape, generator=generator, dtype=torch.float64).to(r.dtype).to(r.device)
                     for r in roots]
            leaves = [t for t in given if t.requires_grad]
            if roots and leaves:
                grads = torch.autograd.grad(roots, leaves, seeds, allow_unused=True)
        found.append(([r.detach() for r in results], [r.stride() for r in results],
                      [t.detach() for t in given], [g if g is None else g.detach() for g in grads]))
    return found


def exact_gradients(sample):
    """Gradients in double precision, None where eager mode has none."""
    class Wide:
        op, tensors, leaves, spec = sample.op, sample.tensors, sample.leaves, sample.spec
        call = sample.call
        copies = staticmethod(lambda: sample.copies(double=True))
    try:
        return run(make_function([Wide]), [Wide], True)[0][3]
    except Exception:  # pylint: disable=broad-except
        return None


def compare(sample, expectation, ours, eager):
    """None, or how a sample differs."""
    results, strides, inputs, grads = ours
    is_empty = expectation.is_empty
    expectation.results = eager[0]
    error = expectation.judge(results)
    if error:
        return error
    for mine, theirs, result in zip(strides, eager[1], eager[0]):
        if mine != theirs and not is_empty:
            return f"strides {list(mine)} instead of {list(theirs)}"
    if is_empty:
        return None
    for mine, theirs in zip(inputs, eager[2]):
        error = db.difference(mine, theirs)
        if error and theirs.numel():
            return "an input behind the call: " + error
    exact = False
    for i, (mine, theirs) in enumerate(zip(grads, eager[3])):
        if (mine is None) != (theirs is None):
            return f"gradient {i} is {'absent' if mine is None else 'there'}"
        if mine is None:
            continue
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            return f"gradient {i} is {mine.dtype}{list(mine.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
        error = db.difference(mine, theirs)
        if error and exact is False:
            exact = exact_gradients(sample)
        if error and not (exact and exact[i] is not None and db.is_as_exact(mine, theirs, exact[i])):
            return f"gradient {i}: {error}"
    return None


def check(samples, expectations, options, coil):
    """Errors of samples that are compiled as one function, None for those that agree, and
    the operators that PyTorch's dispatcher was called for."""
    torch._dynamo.reset()
    coil.reset_counters()
    gradients = options.gradients
    if gradients:
        gradients = all(sample.op.supports_autograd for sample in samples) and any(
            db.is_float(t) for sample in samples for t in sample.tensors)
    function = make_function(samples)
    try:
        eager = run(function, samples, gradients)
    except Exception as error:  # pylint: disable=broad-except
        raise Failure("eager", str(error).split("\n")[0][:200]) from None
    dynamic = True if options.dynamic else None
    backend = {"backend": "coil", "options": {"strict": True, "opt_level": 1, "threads": 1}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = run(torch.compile(function, dynamic=dynamic, **backend), samples, gradients)
    except Exception as error:  # pylint: disable=broad-except
        if is_ours(error):
            raise Failure("refused", describe(error)) from None
        # Dynamo and AOTAutograd have limits of their own.
        torch._dynamo.reset()
        try:
            run(torch.compile(function, dynamic=dynamic, backend="aot_eager"), samples, gradients)
        except Exception:  # pylint: disable=broad-except
            raise Failure("export", "aot_eager fails, too: " + describe(error)) from None
        raise Failure("run", describe(error)) from None
    errors = [compare(*each) for each in zip(samples, expectations, ours, eager)]
    if any(errors) and len(samples) == 1:
        # What Dynamo and AOTAutograd change is not the backend's doing.
        torch._dynamo.reset()
        try:
            reference = run(torch.compile(function, dynamic=dynamic, backend="aot_eager"), samples, gradients)
            if compare(samples[0], expectations[0], ours[0], reference[0]) is None:
                errors = [None]
        except Exception:  # pylint: disable=broad-except
            pass
    return errors, sorted(coil.counters()["fallbacks_by_operator"])


def is_ours(error):
    inner = getattr(error, "inner_exception", error)
    return type(inner).__module__.startswith("coil") and type(inner).__name__ != "RunError"


def describe(error):
    inner = getattr(error, "inner_exception", error)
    return f"{type(inner).__name__}: {str(inner).splitlines()[0] if str(inner) else ''}"[:300]
