# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that a call takes over (F06): their memory serves the rest of the run, and they
are of no use afterwards.

    donate.py two-steps.mlir       with torch, where it can be imported, on its tensors, too
"""
import array
import sys

import coil

try:
    import torch
except ImportError:
    torch = None

kept = coil.compile(sys.argv[1], options="fuse=false")
program = coil.compile(sys.argv[1], options="fuse=false release-inputs=true")
zeros = array.array("f", [0, 0, 0, 0])


def make():
    """A tensor that is the only output of its run: -exp(0)."""
    x, = program.run(zeros, zeros)
    return x


def expect(what, kind, function):
    try:
        function()
    except kind as error:
        print(f"{what}: {error}")
    else:
        sys.exit(f"{what}: no error")


# What follows the last use of x is where x was.
x, unused = make(), make()
given = x._data, unused._data
y, = program.run(x, unused, donate=(0, 1))
# CHECK: the result is where an input was: True
print("the result is where an input was:", y._data in given)
# CHECK: allocations 1, live 1
print(f"allocations {program.run_stats['allocations']}, live {program.run_stats['live_allocations']}")
# CHECK: use afterwards: the tensor was donated to a call (donate), which has ended it
expect("use afterwards", ValueError, lambda: x.shape)
# CHECK: as an input: the tensor was donated to a call (donate), which has ended it
expect("as an input", ValueError, lambda: program.run(x, y))
# CHECK: kept: (4,)
x, unused = make(), make()
program.run(x, unused, donate=(1,))
print("kept:", x.shape)
expect("the other", ValueError, lambda: unused.dtype)

# Without the option inputs end with the run.
x, unused = make(), make()
given = x._data, unused._data
y, = kept.run(x, unused, donate=[0, 1])
# CHECK: without release-inputs: False
print("without release-inputs:", y._data in given)
expect("ended", ValueError, lambda: x.shape)

# A run that fails ends them, too.
x = make()
expect("fails", coil.CoilError, lambda: program.run(x, array.array("f", [1]), donate=(0,)))
expect("behind a failure", ValueError, lambda: x.shape)

# CHECK: twice: input 0 cannot be donated: it is input 1, too
x = make()
expect("twice", coil.InputError, lambda: program.run(x, x, donate=(0,)))
# CHECK: number: there is no input 2 to donate, there are 2
expect("number", coil.InputError, lambda: program.run(x, zeros, donate=(2,)))
# CHECK: array: input 1 is of 'array', whose memory cannot be donated; that of coil.Tensor and torch.Tensor can
expect("array", coil.InputError, lambda: program.run(x, zeros, donate=(1,)))
assert x.shape == (4,)

if torch:
    a, b = torch.arange(4.0), torch.zeros(4, requires_grad=True)
    view = b.detach()
    y, = program.run(a, b.detach(), like=torch.Tensor, donate=(0,))
    torch.testing.assert_close(y, -torch.exp(torch.arange(4.0)))
    assert a.numel() == 0 and view.numel() == 4 and b.numel() == 4
    y, = program.run(b, a := torch.ones(4), like=torch.Tensor, donate=(0, 1))
    assert a.numel() == b.numel() == 0 and view.numel() == 4
    expect("of torch", coil.InputError, lambda: program.run(a, b))
# CHECK: done
print("done")
