# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program, verifies, compiles and runs it."""

import array
import os
import tempfile

import coil
from coil.dialects import func, graph
from coil.ir import Context, F32Type, InsertionPoint, Location, Module, RankedTensorType

with Context(), Location.unknown():
    module = Module.create()
    tensor = RankedTensorType.get([4], F32Type.get())
    with InsertionPoint(module.body):
        main = func.FuncOp("main", ([tensor, tensor], [tensor]))
    with InsertionPoint(main.add_entry_block()):
        x, y = main.arguments
        func.ReturnOp([graph.maximum(graph.mul(x, y), graph.neg(x))])
    module.verify()
    module.print()

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program.mlir")
    with open(path, "w") as file:
        module.print(file)
    program = coil.compile(path)

# Anything with a buffer will do: NumPy and PyTorch have one, too.
result = program.run(array.array("f", [1, 2, 3, -4]), array.array("f", [2, -3, 4, 5]))
print(result[0].tolist())
