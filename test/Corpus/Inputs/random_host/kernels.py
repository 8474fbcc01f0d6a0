# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of random host programs. Their results are exact and small, so that every
executor gives the same bits."""
from sizes import text_list

# Bodies by name: types of the elements that are read and of the one that is written.
# The text defines %r from %v0, %v1, ...
UNARY = {
    "inc": "%c = arith.constant 1.0 : f32\n%s = arith.addf %v0, %c : f32",
    "negate": "%s = arith.negf %v0 : f32",
    "double": "%s = arith.addf %v0, %v0 : f32",
    "clamp": "%c = arith.constant 0.0 : f32\n%s = arith.addf %v0, %c : f32",
}
BINARY = {
    "add": "%s = arith.addf %v0, %v1 : f32",
    "sub": "%s = arith.subf %v0, %v1 : f32",
    "most": "%s = arith.maximumf %v0, %v1 : f32",
}
_BOUND = """
%hi = arith.constant 64.0 : f32
%lo = arith.constant -64.0 : f32
%t = arith.minimumf %s, %hi : f32
%z = arith.maximumf %t, %lo : f32
%zero = arith.constant 0.0 : f32
%r = arith.addf %z, %zero : f32"""
_MASK = "\n%c = arith.constant 31 : {0}\n%r = arith.andi %s, %c : {0}"

BODIES = {name: (("f32",), "f32", text + _BOUND) for name, text in UNARY.items()}
BODIES |= {name: (("f32", "f32"), "f32", text + _BOUND) for name, text in BINARY.items()}
for _type in ("i32", "i64"):
    BODIES |= {
        "iadd_" + _type: ((_type, _type), _type, f"%s = arith.addi %v0, %v1 : {_type}" + _MASK.format(_type)),
        "ixor_" + _type: ((_type, _type), _type, f"%s = arith.xori %v0, %v1 : {_type}" + _MASK.format(_type)),
        "iinc_" + _type: ((_type,), _type, f"%d = arith.constant 3 : {_type}\n"
                          f"%s = arith.addi %v0, %d : {_type}" + _MASK.format(_type)),
        "float_" + _type: ((_type,), "f32", f"%s = arith.sitofp %v0 : {_type} to f32" + _BOUND),
        "round_" + _type: (("f32",), _type, f"%s = arith.fptosi %v0 : f32 to {_type}" + _MASK.format(_type)),
    }
BODIES["more"] = (("f32", "f32"), "i1", "%r = arith.cmpf ogt, %v0, %v1 : f32")
BODIES["both"] = (("i1", "i1"), "i1", "%r = arith.xori %v0, %v1 : i1")
BODIES["choose"] = (("i1", "f32", "f32"), "f32", "%s = arith.select %v0, %v1, %v2 : f32" + _BOUND)
BODIES["iota"] = ((), "f32", "%i = loop.index <d0>\n%s = arith.sitofp %i : i64 to f32" + _BOUND)
BODIES["seven"] = ((), "f32", "%s = arith.constant 7.0 : f32" + _BOUND)


BYTES = {"f32": 4, "i32": 4, "i64": 8, "i1": 1}


def index(rank):
    return text_list(f"d{i}" for i in range(rank))


class Kernels:
    """The kernels of a program; equal ones are shared."""

    def __init__(self, alignment=False):
        # Whether kernels say where their inputs begin: on a GPU, all others do at a multiple of 16.
        self._alignment = alignment
        self._names, self.lines = {}, []

    def get(self, op, inputs, output, reduced=False):
        """The name of a kernel, and the symbols that a launch of it passes. A kernel's
        own symbols are k0, k1, ... With `reduced`, the last dimension of the input is
        summed after the body."""
        symbols = list(dict.fromkeys(s for t in (*inputs, output) for s in t.symbols()))
        names = {symbol: f"k{i}" for i, symbol in enumerate(symbols)}
        inputs = [t.rename(names) for t in inputs]
        output = output.rename(names)
        key = op, reduced, tuple(t.key() for t in inputs), output.key()
        if key not in self._names:
            self._names[key] = f"{op}{'_sum' if reduced else ''}_{len(self._names)}"
            self._define(self._names[key], op, inputs, output, list(names.values()), reduced)
        return self._names[key], symbols

    def _define(self, name, op, inputs, output, symbols, reduced):
        space = inputs[0].dims if reduced else output.dims
        strides = lambda types: ", ".join(f"#sym.shape<{text_list(t.strides)}>" for t in types)
        pairs = [] if reduced else [
            i for i, t in enumerate(inputs) if t == output and t.device == output.device]
        in_place = ", in_place = array<i64: " + ", ".join(f"{i}, 0" for i in pairs) + ">" if pairs else ""
        if self._alignment and inputs:
            in_place += ", alignment = array<i64: " + ", ".join(str(BYTES[t.dtype]) for t in inputs) + ">"
        device, _, number = output.device.partition(":")
        place = "" if device == "cpu" else (
            f"device = #wrapper.device<\"{device}\"{', ' + number if number else ''}>, ")
        arguments = ", ".join(f"%x{i}: {t.tensor()}" for i, t in enumerate(inputs))
        given = ", ".join(f"%a{i} = %x{i}" for i in range(len(inputs)))
        types = ", ".join(t.tensor() for t in inputs)
        out = self.lines.append
        out(f"wrapper.kernel @{name}({arguments}) attributes {{{place}input_strides = [{strides(inputs)}],")
        out(f"    output_strides = [{strides([output])}], symbols = "
            f"[{', '.join(chr(34) + s + chr(34) for s in symbols)}]{in_place}}} {{")
        out(f"  %0 = loop.kernel \"{name}\" {text_list(space)} ({given}) : ({types}) -> {output.tensor()} {{")
        for i, t in enumerate(inputs):
            out(f"    %v{i} = loop.load %a{i}{index(len(t.dims))} : {t.tensor()} -> {t.dtype}")
        for line in BODIES[op][2].split("\n"):
            out("    " + line)
        result = "%r"
        if reduced:
            out(f"    %sum = loop.reduce sum %r over [{len(space) - 1}] : f32")
            out("    %most = arith.minimumf %sum, %hi : f32")
            out("    %rr = arith.maximumf %most, %lo : f32")
            result = "%rr"
        out(f"    loop.store {result}, 0 {index(len(output.dims))} : {output.dtype}")
        out("  }")
        out(f"  wrapper.yield %0 : {output.tensor()}")
        out("}")
