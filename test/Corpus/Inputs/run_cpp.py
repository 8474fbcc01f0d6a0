# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of the corpus in a library of all programs emitted as C++.

    run_cpp.py library.so todo.json
"""
import ctypes
import json
import math
import os
import sys

import torch
from coil._library import CTensor
from coil.host import _NUMBERS, _TYPES
from run_python import compare, make


class Stats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in (
        "live_bytes", "peak_bytes", "allocated_bytes", "live_allocations", "allocations",
        "launches", "library_calls")]


class AllocatorStats(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in (
        "in_use_bytes", "cached_bytes", "hits", "misses")]


library = ctypes.CDLL(sys.argv[1])
library.coil_last_error.restype = ctypes.c_char_p
if "COIL_TEST_FUNCTIONS" in os.environ:
    if library.coil_load_functions(os.environ["COIL_TEST_FUNCTIONS"].encode()):
        sys.exit(library.coil_last_error().decode())
library.coil_run_destroy.argtypes = [ctypes.c_void_p]
library.coil_run_get_stats.argtypes = [ctypes.c_void_p, ctypes.POINTER(Stats)]


def in_use():
    stats = AllocatorStats()
    library.coil_allocator_get_stats(ctypes.byref(stats))
    return stats.in_use_bytes


def to_c(tensor):
    rank = tensor.dim()
    numbers = ctypes.c_int64 * max(rank, 1)
    return CTensor(tensor.data_ptr(), numbers(*tensor.size()), numbers(*tensor.stride()), rank,
                   _NUMBERS[tensor.dtype], 0, 0)


class Output:
    """What the comparison asks of a tensor."""

    def __init__(self, tensor):
        self.dtype = _TYPES[tensor.dtype]
        self._sizes = tuple(tensor.sizes[:tensor.rank])
        self._strides = tuple(tensor.strides[:tensor.rank])
        self._data = tensor.data

    def size(self, dim=None):
        return self._sizes if dim is None else self._sizes[dim]

    def stride(self, dim):
        return self._strides[dim]

    def dim(self):
        return len(self._sizes)

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return self._data


def run(name, case):
    entry = getattr(library, name + "_main")
    entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
                      ctypes.c_size_t]
    tensors = [make(text) for text in case["inputs"]]
    inputs = (CTensor * max(len(tensors), 1))(*map(to_c, tensors))
    count = getattr(library, name + "_main_num_outputs")()
    assert getattr(library, name + "_main_num_inputs")() == len(tensors)
    outputs = (CTensor * max(count, 1))()
    handle, stats = ctypes.c_void_p(), Stats()
    assert library.coil_run_create(ctypes.byref(handle)) == 0
    try:
        status = entry(handle, inputs, len(tensors), outputs, count)
        library.coil_run_get_stats(handle, ctypes.byref(stats))
        if status != 0:
            message = library.coil_last_error().decode()
            if case["error"] is None:
                sys.exit(f"{name}: failed: {message}")
            if case["error"] not in message:
                sys.exit(f"{name}: expected '{case['error']}' but got '{message}'")
            # Handles have freed everything, whatever the run would do.
            if stats.live_allocations != 0:
                sys.exit(f"{name}: a failing run leaves {stats.live_allocations} allocations")
            return
        if case["error"] is not None:
            sys.exit(f"{name}: expected to fail with '{case['error']}'")
        if stats.live_allocations > count:
            sys.exit(f"{name}: {stats.live_allocations} allocations for {count} outputs")
        for output, path, text in zip(outputs, case["expected"], case["outputs"]):
            compare(Output(output), path, text.partition("=")[0])
    finally:
        library.coil_run_destroy(handle)


if __name__ == "__main__":
    before, cases = in_use(), 0
    programs = json.load(open(sys.argv[2]))
    for program in programs:
        for case in program["cases"]:
            run(program["name"], case)
            cases += 1
        if getattr(library, program["name"] + "_abi_version")() != 1:
            sys.exit("the ABI has another version")
    if in_use() != before:
        sys.exit(f"{in_use() - before} bytes are left")
    print(f"{len(programs)} programs, {cases} cases")
