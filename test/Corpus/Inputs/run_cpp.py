# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of the corpus in a library of all programs emitted as C++.

    run_cpp.py library.so todo.json [device [program...]]

On a GPU each case runs again with graphs: called, recorded, and replayed twice.
"""
import ctypes
import json
import math
import os
import pathlib
import re
import sys

import torch
from coil._library import CTensor
from coil.host._types import _NUMBERS, _TYPES
from run_python import compare, make


def declared(header, struct):
    """A struct of numbers with the members that the runtime's header declares, whatever was added."""
    text = (HEADERS / header).read_text()
    body = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", text, re.S).group(1)
    members = re.findall(r"^\s*(\w+) (\w+);", body, re.M)
    assert members and all(kind == "int64_t" for kind, _ in members), f"{struct} has other members than int64_t"
    return type(struct, (ctypes.Structure,), {"_fields_": [(name, ctypes.c_int64) for _, name in members]})


HEADERS = pathlib.Path(__file__).resolve().parents[3] / "include/coil/Runtime"
Stats = declared("Runtime.h", "coil_run_stats")
GraphStats = declared("CUDA.h", "coil_cuda_graph_stats")
PartitionStats = declared("CUDA.h", "coil_cuda_partition_stats")
AllocatorStats = declared("Runtime.h", "coil_allocator_stats")

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


def to_device(tensor, handle, number=0):
    """The same on the GPU that a run is bound to, or the one behind it. Outputs may be
    views of it, so that it lives as long as the run."""
    need(library.coil_rt_select_device(handle, 1, number))
    count = math.prod(tensor.sizes[:tensor.rank]) * _TYPES[tensor.dtype].itemsize
    address = ctypes.c_void_p()
    need(library.coil_rt_alloc_cuda(handle, ctypes.c_int64(count), ctypes.byref(address)))
    need(library.coil_rt_upload_cuda(handle, address, ctypes.c_void_p(tensor.data),
                                     ctypes.c_int64(count)))
    tensor.data, tensor.device_type, tensor.device_index = address.value, 1, number
    need(library.coil_rt_select_device(handle, 1, 0))


def to_host(tensor, handle):
    """Memory with a copy of a GPU's."""
    sizes, strides = tensor.sizes[:tensor.rank], tensor.strides[:tensor.rank]
    span = 0 if 0 in sizes else 1 + sum((n - 1) * s for n, s in zip(sizes, strides))
    memory = ctypes.create_string_buffer(max(span * _TYPES[tensor.dtype].itemsize, 1))
    need(library.coil_rt_select_device(handle, 1, tensor.device_index))
    need(library.coil_rt_download_cuda(handle, memory, ctypes.c_void_p(tensor.data),
                                       ctypes.c_int64(len(memory) if span else 0)))
    need(library.coil_run_synchronize(handle))
    need(library.coil_rt_select_device(handle, 1, 0))
    tensor.data = ctypes.addressof(memory)
    return memory


def need(status):
    if status != 0:
        sys.exit(library.coil_last_error().decode())


def replays(name):
    """How often calls, and parts of calls, were graphs."""
    program = getattr(library, name + "_main_program", None)
    if program is None: # It has nothing on the device.
        return 0
    program.restype = ctypes.c_void_p
    calls, parts = GraphStats(), PartitionStats()
    library.coil_cuda_program_get_graph_stats(ctypes.c_void_p(program()), ctypes.byref(calls))
    library.coil_cuda_program_get_partition_stats(ctypes.c_void_p(program()), ctypes.byref(parts))
    return calls.replayed + parts.replayed


def run(name, case, graphs=False):
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
        need(getattr(library, name + "_bind")(handle, 0, None))
        there = [i for i in range(len(tensors)) if i not in case.get("host", ())] if device == "cuda" else []
        for i in there:
            to_device(inputs[i], handle, int(i in case.get("second", ())))
        given = len(there)
        status = entry(handle, inputs, len(tensors), outputs, count)
        if status == 0:
            status = getattr(library, name + "_synchronize")(handle)
        library.coil_run_get_stats(handle, ctypes.byref(stats))
        if status != 0:
            message = library.coil_last_error().decode()
            if case["error"] is None:
                sys.exit(f"{name}: failed: {message}")
            if case["error"] not in message:
                sys.exit(f"{name}: expected '{case['error']}' but got '{message}'")
            # Handles have freed everything, whatever the run would do.
            if stats.live_allocations != given and not graphs:
                sys.exit(f"{name}: a failing run leaves {stats.live_allocations} allocations")
            return
        if case["error"] is not None:
            sys.exit(f"{name}: expected to fail with '{case['error']}'")
        if stats.live_allocations > count + given and not graphs:
            sys.exit(f"{name}: {stats.live_allocations} allocations for {count} outputs")
        for output, path, text in zip(outputs, case["expected"], case["outputs"]):
            memory = to_host(output, handle) if output.device_type == 1 else None
            compare(Output(output), path, text.partition("=")[0])
    finally:
        library.coil_run_destroy(handle)


class Run:
    """One call of a program on the host, for random_host.py. Its outputs live as long."""

    def __init__(self, name, case):
        self._name, self._tensors = name, [make(text) for text in case["inputs"]]
        self._handle = ctypes.c_void_p()

    def __enter__(self):
        assert library.coil_run_create(ctypes.byref(self._handle)) == 0
        return self

    def __exit__(self, *_):
        library.coil_run_destroy(self._handle)

    def outputs(self):
        """The outputs or the error, and the most bytes that the run had allocated."""
        from run_random import read_error

        entry = getattr(library, self._name + "_main")
        entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        inputs = (CTensor * max(len(self._tensors), 1))(*map(to_c, self._tensors))
        count = getattr(library, self._name + "_main_num_outputs")()
        outputs, stats = (CTensor * max(count, 1))(), Stats()
        need(getattr(library, self._name + "_bind")(self._handle, 0, None))
        status = entry(self._handle, inputs, len(self._tensors), outputs, count)
        library.coil_run_get_stats(self._handle, ctypes.byref(stats))
        if status != 0:
            message = library.coil_last_error().decode()
            left = f", and {stats.live_allocations} allocations are left" if stats.live_allocations else ""
            return None, read_error(message) + left, None
        if stats.live_allocations > count:
            return None, f"{stats.live_allocations} allocations for {count} outputs", None
        return [Output(output) for output in outputs[:count]], None, stats.peak_bytes


def run_arrays(name, case):
    """Calls the entry that takes arrays; returns how often it allocated."""
    entry = getattr(library, name + "_main_arrays")
    tensors = [make(text) for text in case["inputs"]]
    count = getattr(library, name + "_main_num_outputs")()
    assert getattr(library, name + "_main_arrays_num_inputs")() == len(tensors) + count
    types = [text.partition("=")[0] for text in case["outputs"]]
    # A failing run has no outputs to make room for, but writes nothing either.
    room = [make(text + "=0") for text in types] if case["error"] is None else [
        ctypes.create_string_buffer(1 << 16) for _ in range(count)]
    places = [t.data_ptr() for t in tensors] + [
        t.data_ptr() if case["error"] is None else ctypes.addressof(t) for t in room]
    entry.argtypes = [ctypes.c_void_p] * (1 + len(places))
    handle, stats = ctypes.c_void_p(), Stats()
    assert library.coil_run_create(ctypes.byref(handle)) == 0
    try:
        status = entry(handle, *places)
        library.coil_run_get_stats(handle, ctypes.byref(stats))
        if stats.live_allocations != 0:
            sys.exit(f"{name}: arrays: {stats.live_allocations} allocations are left")
        if status != 0:
            message = library.coil_last_error().decode()
            if case["error"] is None or case["error"] not in message:
                sys.exit(f"{name}: arrays: expected {case['error']!r} but got '{message}'")
            return stats.allocations
        if case["error"] is not None:
            sys.exit(f"{name}: arrays: expected to fail with '{case['error']}'")
        for tensor, path, text in zip(room, case["expected"], types):
            # Destinations are contiguous, whatever the strides of the result.
            compare(tensor, path, text.partition(":")[0])
    finally:
        library.coil_run_destroy(handle)
    return stats.allocations


if __name__ == "__main__":
    device = sys.argv[3] if len(sys.argv) > 3 else "cpu"
    before, cases = in_use(), 0
    entries = without = replayed = 0
    programs = json.load(open(sys.argv[2]))
    if len(sys.argv) > 4:
        programs = [each for each in programs if each["name"] in sys.argv[4:]]
    for program in programs:
        for case in program["cases"]:
            run(program["name"], case)
            cases += 1
        set_graphs = getattr(library, program["name"] + "_set_graphs")
        need(set_graphs(16))
        for case in program["cases"] if device == "cuda" else ():
            for _ in range(4):
                run(program["name"], case, graphs=True)
        if device == "cuda":
            replayed += replays(program["name"])
        need(set_graphs(0))
        if program["arrays"]:
            entries += 1
            # Arrays of other sizes are for the compiler of C++ to notice.
            without += not sum(run_arrays(program["name"], case) for case in program["cases"]
                               if not (case["error"] or "").startswith("dimension"))
        if getattr(library, program["name"] + "_abi_version")() != 1:
            sys.exit("the ABI has another version")
    if in_use() != before:
        sys.exit(f"{in_use() - before} bytes are left")
    print(f"{len(programs)} programs, {cases} cases; {entries} take arrays, {without} of them "
          "without an allocation" + (f"; {replayed} replays" if device == "cuda" else ""))
