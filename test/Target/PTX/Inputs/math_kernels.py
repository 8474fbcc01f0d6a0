# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a kernel for every function that device code may call, each in a
module of its own: math_kernels.py TYPE [LANES]."""

import sys

UNARY = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp
exp2 expm1 floor log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan
tanh trunc""".split()
BINARY = "atan2 copysign powf".split()
TERNARY = "clampf fma".split()
ARITH = "divf maximumf maxnumf minimumf minnumf remf".split()
CLASSES = "isfinite isinf isnan isnormal".split()
SPECIAL = """lgamma digamma erfinv i0 i0e i1 i1e ndtri log_ndtr erfcx""".split()
SPECIAL_BINARY = "nextafter igamma igammac zeta".split()
INTEGER_UNARY = "absi ctlz ctpop cttz".split()

element = sys.argv[1]
lanes = int(sys.argv[2]) if len(sys.argv) > 2 else 1
value_type = f"vector<{lanes}x{element}>" if lanes > 1 else element


def vector_of(element):
    return f"vector<{lanes}x{element}>" if lanes > 1 else element


def kernel(name, lines, arguments=3):
    print(f"gpu.module @{name} {{")
    print(f"  gpu.func @{name}(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {{")
    for i in range(arguments):
        print(f"    %p{i} = llvm.getelementptr %p[{i}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {value_type}")
        print(f"    %x{i} = llvm.load %p{i} : !llvm.ptr<1> -> {value_type}")
    for line in lines:
        print(f"    {line}")
    print("    gpu.return\n  }\n}")


def store(name, value_type=value_type):
    return f"llvm.store %{name}, %q : {value_type}, !llvm.ptr<1>"


if element.startswith("i"):
    for name in INTEGER_UNARY:
        kernel(name, [f"%y = math.{name} %x0 : {value_type}", store("y")], 1)
    kernel("ipowi", [f"%y = math.ipowi %x0, %x1 : {value_type}", store("y")], 2)
    sys.exit()
for names, arguments in ((UNARY, 1), (BINARY, 2), (TERNARY, 3)):
    operands = ", ".join(f"%x{i}" for i in range(arguments))
    for name in names:
        form = "%x0 to [%x1, %x2]" if name == "clampf" else operands
        kernel(name, [f"%y = math.{name} {form} : {value_type}", store("y")],
               arguments)
for name in ARITH:
    kernel(name, [f"%y = arith.{name} %x0, %x1 : {value_type}", store("y")], 2)
kernel("sincos", [f"%s, %c = math.sincos %x0 : {value_type}",
                  f"%y = arith.addf %s, %c : {value_type}", store("y")], 1)
exponent = vector_of("i32")
kernel("fpowi", [f"%n = llvm.load %q : !llvm.ptr<1> -> {exponent}",
                 f"%y = math.fpowi %x0, %n : {value_type}, {exponent}",
                 store("y")], 1)
for name in CLASSES:
    kernel(name, [f"%c = math.{name} %x0 : {value_type}",
                  f"%y = arith.extui %c : {vector_of('i1')} to {vector_of('i8')}",
                  store("y", vector_of("i8"))], 1)
if element in ("f32", "f64") and lanes == 1:
    for names, arguments in ((SPECIAL, 1), (SPECIAL_BINARY, 2)):
        operands = ", ".join(f"%x{i}" for i in range(arguments))
        for name in names:
            kernel(name, [f"%y = loop.special {name}({operands}) : {element}",
                          store("y")], arguments)
