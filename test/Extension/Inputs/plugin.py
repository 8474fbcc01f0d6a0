# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that has an operator of a plugin, on its device."""

import array
import sys

import coil

model, plugin = sys.argv[1:]
if plugin:
    coil.load_plugin(plugin)
program = coil.compile(
    model, function="f", insert_passes={"after-memory-planning": "accel-place"}
)
(y,) = program(array.array("f", [1, 2, 3, 4]))
print(y.tolist())
