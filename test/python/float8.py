# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 8 bits leave and enter by Coil's own tensors."""

import array
import sys

import coil

program = coil.compile(sys.argv[1])
numbers = array.array("f", [1, -0.3, 2**-9, 449, 1e6, float("nan")])
for output in program.run(numbers):
    print(output.dtype, output.tolist())
# CHECK: f8E4M3FN [1.0, -0.3125, 0.001953125, 448.0, nan, nan]
# CHECK: f8E5M2 [1.0, -0.3125, 0.001953125, 448.0, inf, nan]
