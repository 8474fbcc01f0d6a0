# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a program with NumPy arrays of many layouts."""
import sys

import numpy as np

import coil


def padded(a):
    """The elements of an array with gaps between them."""
    wide = np.zeros([2 * size for size in a.shape], a.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


LAYOUTS = {
    "row-major": np.ascontiguousarray,
    "column-major": np.asfortranarray,
    "padded": padded,
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "reversed inside": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "read-only": read_only,
}


def check(label, program):
    rng = np.random.default_rng(1)
    given = [rng.standard_normal(shape).astype(np.float32)
             for shape in ((24, 9), (4, 5), (2, 3, 4))]
    for name, layout in LAYOUTS.items():
        inputs = [layout(each) for each in given]
        for x, result in zip(inputs, program(*inputs)):
            assert np.array_equal(np.asarray(result), -x), (label, name)
        copies = program.run_stats["input_copies"]
        # Each of these is what one input was compiled for.
        expected = {"row-major": 2, "read-only": 2, "column-major": 2, "padded": 2}.get(name, 3)
        assert copies == expected, (label, name, copies)
    print(f"{label}: {len(LAYOUTS)} layouts agree")


module, package = sys.argv[1:]
check("cpu", coil.compile(module))
check("package", coil.compile(package))
check("gpu", coil.compile(module, options="target=cuda:sm_90 library=none"))
