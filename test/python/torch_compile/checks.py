#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What the tests of torch.compile(backend="coil") share: comparison with eager mode, and a
main function that runs each test of a file."""

import sys
import traceback

import torch
from torch.utils import _pytree


def compile(function, **options):
    """A function through the backend. Whatever cannot be compiled is an error."""
    given = {"strict": True, "opt_level": 1, **options.pop("options", {})}
    return torch.compile(function, backend="coil", options=given, **options)


def equal(actual, expected, rtol=1e-5, atol=1e-5):
    """Compares trees of tensors and other values: values, types, sizes, strides."""
    mine, mine_spec = _pytree.tree_flatten(actual)
    theirs, spec = _pytree.tree_flatten(expected)
    assert mine_spec == spec, f"{mine_spec} instead of {spec}"
    for a, b in zip(mine, theirs):
        assert type(a) is type(b), f"{type(a)} instead of {type(b)}"
        if not isinstance(a, torch.Tensor):
            assert a == b, f"{a} instead of {b}"
            continue
        assert a.dtype == b.dtype and a.shape == b.shape and a.device == b.device, (a, b)
        assert a.stride() == b.stride(), f"strides {a.stride()} instead of {b.stride()}"
        torch.testing.assert_close(a, b, rtol=rtol, atol=atol, equal_nan=True)


def copy(value):
    """A tensor again, in memory of its own that lies the same way."""
    if not isinstance(value, torch.Tensor):
        return value
    storage = value.untyped_storage().clone()
    made = torch.empty(0, dtype=value.dtype, device=value.device).set_(
        storage, value.storage_offset(), value.size(), value.stride())
    return made.requires_grad_(value.requires_grad)


def check(function, *args, rtol=1e-5, atol=1e-5, **options):
    """Compares a function with eager mode: results, and what it does to its arguments.
    Returns the compiled function."""
    torch._dynamo.reset()
    compiled = compile(function, **options)
    ours, theirs = [copy(a) for a in args], [copy(a) for a in args]
    torch.manual_seed(0)
    actual = compiled(*ours)
    torch.manual_seed(0)
    expected = function(*theirs)
    equal(actual, expected, rtol, atol)
    equal([a.detach() for a in ours if isinstance(a, torch.Tensor)],
          [a.detach() for a in theirs if isinstance(a, torch.Tensor)], rtol, atol)
    return compiled


def check_gradients(function, *args, rtol=1e-4, atol=1e-5, **options):
    """The same with gradients of all arguments that want them."""
    torch._dynamo.reset()
    found = []
    for call in compile(function, **options), function:
        given = [copy(a) for a in args]
        torch.manual_seed(0)
        results = call(*given)
        loss = sum((r * torch.linspace(1, 2, r.numel(), dtype=r.dtype, device=r.device).view(r.shape)).sum()
                   for r in _pytree.tree_leaves(results) if isinstance(r, torch.Tensor) and r.requires_grad)
        loss.backward()
        found.append(([r.detach() if isinstance(r, torch.Tensor) else r for r in _pytree.tree_leaves(results)],
                      [a.grad for a in given if isinstance(a, torch.Tensor)]))
    equal(found[0], found[1], rtol, atol)


def raises(kind, text, function, *args, **kwargs):
    """Checks that a call raises an exception of a kind, perhaps as the reason of Dynamo's."""
    try:
        function(*args, **kwargs)
    except Exception as error:  # pylint: disable=broad-except
        inner = getattr(error, "inner_exception", error)
        assert isinstance(inner, kind), f"{type(inner).__name__}: {inner}"
        assert text in str(inner), str(inner)
        return inner
    raise AssertionError(f"no {kind.__name__} was raised")


def main(tests, needs_cuda=False):
    """Runs the functions `test_*` among `tests`; says which ones pass."""
    failed = 0
    only = sys.argv[1:]
    for name, test in list(tests.items()):
        if not name.startswith("test_") or (only and name not in only):
            continue
        try:
            test()
            print(f"pass: {name}", flush=True)
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc(limit=-3, file=sys.stdout)
            print(f"FAIL: {name}", flush=True)
            failed += 1
    print(f"{failed} tests fail")
    return 1 if failed else 0
