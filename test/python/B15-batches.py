# The bits of each row of a batch, whatever rows are next to it: alone, in batches of some sizes, at other positions.
import os
import sys

import numpy

import coil

options = sys.argv[1]
program = coil.compile(os.path.join(os.path.dirname(__file__), "Inputs", "batch.mlir"), options=options)
rng = numpy.random.default_rng(0)
x = rng.standard_normal((67, 24, 96)).astype(numpy.float32)
w = rng.standard_normal((96, 64)).astype(numpy.float32)


def run(rows):
    return [numpy.from_dlpack(each).copy() for each in program(x[rows], w)]


def differs(result, expected):
    return not numpy.array_equal(result.view(numpy.uint32), expected.view(numpy.uint32))


whole = run(slice(0, 67))
different = 0
for size in (1, 2, 3, 8, 31, 64):
    for start in (0, 1, 67 - size):
        for result, expected in zip(run(slice(start, start + size)), whole, strict=True):
            different += differs(result, expected[start:start + size])
print(f"{options}: {different} results differ from those of the whole batch")
