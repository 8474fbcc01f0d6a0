# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass that is written in Python, in a pass manager and in every compilation.

    passes.py program.mlir
"""

import sys

import coil
from coil import extend
from coil.dialects import graph
from coil.ir import Context, InsertionPoint, Module
from coil.passmanager import PassManager


@extend.register_pass("square-to-mul", op="func.func")
def square_to_mul(function):
    """Writes x ** 2 as x * x."""

    def rewrite(operation):
        power = operation.opview
        if not isinstance(power, graph.PowOp):
            return
        exponent = power.rhs.owner
        if not isinstance(exponent, graph.ConstantOp) or not exponent.value.is_splat:
            return
        if exponent.value.get_splat_value().value == 2:
            with InsertionPoint(power), power.location:
                power.replace_with(graph.MulOp(power.lhs, power.lhs))

    function.walk(rewrite)


with Context():
    module = Module.parse_file(sys.argv[1])
    manager = PassManager.parse("builtin.module(func.func(square-to-mul,canonicalize))")
    manager.enable_timing()
    manager.enable_ir_printing(print_after_change=True, only=["square-to-mul"], file=sys.stdout)
    manager.run(module)
    print(sorted(manager.times))

# The same pass on the way of a compilation, by its name.
program = coil.compile(sys.argv[1], insert_passes={"after-legalization": "func.func(square-to-mul)"})
print(program.compile_stats["launches"], "kernel")
