# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of a program of the corpus in its emitted Python modules.

    run_python.py module.py... < cases.json
    run_python.py --all todo.json       all programs, each with its cases
    run_python.py --device=cuda:0 ...   inputs are there
    run_python.py --device=cuda:0 --graphs ...   and partitions are graphs
    run_python.py --device=simulated ...   the simulated GPU, under a torch without CUDA

A case has `inputs` as text, and `expected`, .npy files of the interpreter, or
`error`. Integers must be equal and floats close, as in coil-run.
"""
import ast
import collections
import ctypes
import importlib.util
import json
import math
import os
import struct
import sys

import torch

import coil
from coil import CoilError

TYPES = {
    "i1": "bool", "ui8": "uint8", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
    "f64": "float64", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
}
LETTERS = dict(zip("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32"
                   " float64".split(), "?bBhHiIqQefd"))
# Differences that are rounding, relative to the expected value.
CLOSE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-9,
         "float8_e4m3fn": 0.0, "float8_e5m2": 0.0}


def decode(name, raw):
    if name in LETTERS:
        return struct.unpack("<" + LETTERS[name], raw)[0]
    if name == "bfloat16":
        return struct.unpack("<f", b"\0\0" + raw)[0]
    if name == "float8_e5m2":
        return struct.unpack("<e", b"\0" + raw)[0]
    exponent, mantissa = raw[0] >> 3 & 15, raw[0] & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    value = mantissa * 2.0**-9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10)
    return -value if raw[0] & 0x80 else value


def encode(name, text):
    if name == "bool":
        return bytes([{"true": 1, "1": 1, "false": 0, "0": 0}[text]])
    if "float" not in name:
        return struct.pack("<" + LETTERS[name], int(text))
    value = float(text)
    if name in LETTERS:
        return struct.pack("<" + LETTERS[name], value)
    if name == "bfloat16":
        if math.isnan(value):
            return b"\xc0\x7f"
        bits, = struct.unpack("<I", struct.pack("<f", value))
        # To the nearest, ties to even.
        return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)
    for code in range(256):
        other = decode(name, bytes([code]))
        if other == value or (math.isnan(other) and math.isnan(value)):
            return bytes([code])
    raise ValueError(f"{text} is no {name}")


def contiguous(sizes):
    return tuple(math.prod(sizes[i + 1:]) for i in range(len(sizes)))


def parse_type(text):
    *sizes, element = text.strip().split("x")
    return tuple(map(int, sizes)), TYPES[element]


def make(text, device="cpu"):
    """A tensor from text as coil-run takes it."""
    kind, _, values = text.partition("=")
    sizes, name = parse_type(kind)
    raw = b"".join(encode(name, v) for v in values.split())
    if len(values.split()) == 1:  # One value is that of all elements.
        raw *= math.prod(sizes)
    dtype = getattr(torch, name)
    tensor = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device="cpu")
    assert len(raw) == math.prod(sizes) * tensor.element_size(), f"bad input '{text}'"
    if raw:
        ctypes.memmove(tensor.data_ptr(), raw, len(raw))
    if device == "cpu":
        return tensor
    there = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device=device)
    return there.copy_(tensor)


def elements(tensor):
    """The bytes of each element, row by row."""
    width, out = tensor.element_size(), []

    def rows(address, dim):
        if dim == tensor.dim():
            out.append(ctypes.string_at(address, width))
            return
        for i in range(tensor.size(dim)):
            rows(address + i * tensor.stride(dim) * width, dim + 1)

    rows(tensor.data_ptr(), 0)
    return out


def read_npy(path):
    """Sizes and bytes of an array in row-major order."""
    data = open(path, "rb").read()
    assert data[:6] == b"\x93NUMPY"
    length, = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    assert not header["fortran_order"]
    return header["shape"], data[10 + length:]


def compare(tensor, path, expected_type):
    sizes, raw = read_npy(path)
    name = repr(tensor.dtype).replace("torch.", "")
    expected_sizes, expected_name = parse_type(expected_type)
    if (tuple(tensor.size()), name) != (expected_sizes, expected_name) or sizes != expected_sizes:
        sys.exit(f"got {tuple(tensor.size())} of {name}, expected {expected_type}, {sizes}")
    width = tensor.element_size()
    assert len(raw) == width * math.prod(sizes)
    for i, each in enumerate(elements(tensor)):
        other = raw[i * width:(i + 1) * width]
        if each == other:
            continue
        a, b = decode(name, each), decode(name, other)
        if "float" in name and (math.isnan(a) and math.isnan(b)
                                or abs(a - b) <= CLOSE[name] * max(1e-3, abs(b))):
            continue
        sys.exit(f"element {i} is {a}, expected {b}")


def load(path, simulated=None):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    if simulated:
        exec(compile(simulated.read(path), path, "exec"), module.__dict__)
    else:
        spec.loader.exec_module(module)
    return module


def check_graph(module):
    """Every node of a graph and those inside says what it would give (F56)."""
    module.graph.lint()
    for node in module.graph.nodes:
        if "val" not in node.meta:
            sys.exit(f"node '{node}' says nothing of its value")
    for child in module.children():
        check_graph(child)


def run(module, case, device="cpu", check=check_graph):
    try:
        inputs = [make(text, "cpu" if i in case.get("host", ()) or device == "cpu"
                       else "cuda:1" if i in case.get("second", ()) else device)
                  for i, text in enumerate(case["inputs"])]
        if hasattr(module.main, "graph"): # A torch.fx.GraphModule.
            check(module.main)
            outputs = module.main(*inputs)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        else:
            outputs = module.main(inputs)
        if hasattr(module, "synchronize"): # Failures of kernels show here.
            module.synchronize()
    except CoilError as error:
        if case["error"] is None:
            sys.exit(f"failed: {error}")
        if case["error"] not in str(error):
            sys.exit(f"expected '{case['error']}' but got '{error}'")
        return
    if case["error"] is not None:
        sys.exit(f"expected to fail with '{case['error']}'")
    if len(outputs) != len(case["expected"]):
        sys.exit(f"got {len(outputs)} outputs, expected {len(case['expected'])}")
    for output, path, text in zip(outputs, case["expected"], case["outputs"]):
        compare(output if device == "cpu" else output.cpu(), path, text.partition("=")[0])


def main(arguments, given=None):
    """Runs what the arguments say, with `given` as the cases where they name none."""
    device = "cpu"
    if arguments[0].startswith("--device="):
        device = arguments.pop(0).partition("=")[2]
    simulated = None
    if device == "simulated":
        device = "cpu"
        import simulated
        simulated.install()
    graphs = arguments[0] == "--graphs"
    if graphs:
        arguments.pop(0)
    captures = []
    if "COIL_TEST_FUNCTIONS" in os.environ:
        coil.load_functions(os.environ["COIL_TEST_FUNCTIONS"])
    if arguments[0] == "--all":
        todo = [(each["file"], each["cases"]) for each in json.load(open(arguments[1]))]
    else:
        given = json.load(sys.stdin) if given is None else given
        todo = [(program, given) for program in arguments]
    for program, cases in todo:
        module = load(program, simulated)
        if graphs and hasattr(module, "runner"):
            module.runner.capture()
            captures += module.runner.partitions
        for each in cases * (4 if graphs else 1):
            try:
                run(module, each, device)
            except SystemExit as error:
                sys.exit(f"{program}: {error}")
    print(f"{len(todo)} programs, {sum(len(cases) for _, cases in todo)} cases"
          + (f", {sum(c.replayed for c in captures)} replays of {sum(c.recorded for c in captures)} graphs"
             if graphs else ""))
    for why, count in sum((collections.Counter(c.failures) for c in captures), collections.Counter()).items():
        print(f"  {count} not recorded: {why}")


if __name__ == "__main__":
    main(sys.argv[1:])
