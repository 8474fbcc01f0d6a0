# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted programs that measure themselves: times, kernels, memory."""

import argparse
import contextlib
import ctypes
import sys
import time
import weakref

import torch

from coil._library import library
from coil.host import _runs
from coil.host._runs import _function, _require
from coil.host._types import _address, _i64


def _number_of_bytes(tensor):
    count = tensor.element_size()
    for size in tensor.size():
        count *= size
    return count


class _Profile:
    """What the runtime collects of steps and memory (coil/Runtime/Profile.h)."""

    def __init__(self):
        self._handle = ctypes.c_void_p()
        _require(_function("coil_profile_create")(ctypes.byref(self._handle)))
        self._watched = []

    def __del__(self):
        library.coil_profile_destroy(self._handle)

    def step(self, name, call, device, tensors):
        """Does a step and waits for it, so that its time is its own."""
        start = time.perf_counter_ns()
        call()
        if device is not None:
            device.synchronize()
        taken = time.perf_counter_ns() - start
        moved = -1 if tensors is None else sum(
            _number_of_bytes(tensor) for tensor in {id(each): each for each in tensors}.values())
        _require(_function("coil_profile_note_step")(
            self._handle, name.encode(), _i64(taken), _i64(moved)))

    def watch(self, tensor, frame):
        """Notes memory of a tensor, and later that nothing refers to it any more."""
        self.look()
        count = _number_of_bytes(tensor)
        if count == 0:
            return
        storage = tensor.untyped_storage()
        try:
            from torch.multiprocessing.reductions import StorageWeakRef
            reference = StorageWeakRef(storage)
            is_gone = reference.expired
        except ImportError:  # No torch, whose storages outlive their objects.
            reference = weakref.ref(tensor if storage is None else storage)
            is_gone = lambda: reference() is None
        self._watched.append((is_gone, _address(tensor), count))
        _require(_function("coil_profile_note_memory")(
            self._handle, ctypes.c_void_p(_address(tensor)), _i64(count),
            frame.f_code.co_filename.encode(), _i64(frame.f_lineno), frame.f_code.co_name.encode()))

    def look(self):
        """Notes what was freed since the last look."""
        kept = []
        for each in self._watched:
            is_gone, address, count = each
            if is_gone():
                _require(_function("coil_profile_note_memory")(
                    self._handle, ctypes.c_void_p(address), _i64(-count), None, _i64(0), None))
            else:
                kept.append(each)
        self._watched = kept

    def text(self):
        function = library.coil_profile_text
        function.restype = ctypes.c_char_p
        return function(self._handle).decode()

    def write_snapshot(self, path):
        return _function("coil_profile_write_snapshot")(self._handle, str(path).encode())


@contextlib.contextmanager
def _recorded_memory(profile, module):
    """Lets a module's allocations go through `profile`, and looks after each step."""
    allocate = module["empty_strided"]

    def empty_strided(*args, **kwargs):
        profile.look()  # Before an address is given out again.
        tensor = allocate(*args, **kwargs)
        profile.watch(tensor, sys._getframe(1))
        return tensor

    def observe(name, call, device, tensors):
        profile.look()
        call()

    module["empty_strided"], _runs._observer = empty_strided, observe
    try:
        yield
    finally:
        module["empty_strided"], _runs._observer = allocate, None


def _warn(message):
    print(f"warning: {message}", file=sys.stderr)


def _write_memory(function, synchronize, module, path):
    """Writes the snapshot of one call; a file that cannot be written is a warning."""
    cuda = getattr(torch, "cuda", None)
    if hasattr(cuda, "is_initialized") and cuda.is_initialized():
        # The allocator of torch keeps a record of its own.
        cuda.memory._record_memory_history()
        try:
            function()
            synchronize()
            cuda.memory._dump_snapshot(str(path))
        except OSError as error:
            return _warn(f"cannot write '{path}': {error.strerror}")
        finally:
            cuda.memory._record_memory_history(enabled=None)
        return print(f"memory snapshot: {path}")
    profile = _Profile()
    with _recorded_memory(profile, module):
        results = function()
        synchronize()
        profile.look()
    if profile.write_snapshot(path):
        return _warn(library.coil_last_error().decode())
    del results
    print(f"memory snapshot: {path}")


def print_performance(function, times=10, repeat=10, synchronize=lambda: None, *, profile=False,
                      memory_snapshot=None, module=None):
    """Calls a function `times` times, `repeat` times over, and waits for what that
    has started; prints the median of the time of one call and returns it in
    seconds. `profile` then prints what each kernel and library call of `times` more
    calls took: bytes are those of all buffers that it was given. `memory_snapshot` is
    a file that one more call writes the record of its memory to, as torch's
    `torch.cuda.memory._snapshot()` has it, for pytorch.org/memory_viz; `module` are
    the globals of the program."""
    function()
    synchronize()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(times):
            function()
        synchronize()
        seconds.append((time.perf_counter() - start) / times)
    seconds.sort()
    median = seconds[len(seconds) // 2]
    print(f"{median * 1e6:.3f} us for a call, median of {repeat} x {times}")
    if profile:
        steps = _Profile()
        _runs._observer = steps.step
        try:
            for _ in range(times):
                function()
        finally:
            _runs._observer = None
        print(steps.text(), end="")
    if memory_snapshot is not None:
        _write_memory(function, synchronize, module, memory_snapshot)
    return median


def run_benchmark(benchmark):
    """Runs `benchmark_compiled_module` with the options of the command line."""
    parser = argparse.ArgumentParser(
        description="Times an emitted program on random inputs, at the sizes that its symbols "
        "have as hints.")
    parser.add_argument("--times", type=int, default=10, help="calls between two looks at the clock")
    parser.add_argument("--repeat", type=int, default=10, help="how often that is done; the median counts")
    parser.add_argument("--profile", action="store_true",
                        help="print what each kernel and library call takes: calls, total, mean, bytes, share")
    parser.add_argument("--memory-snapshot", metavar="FILE",
                        help="write the memory of one call for pytorch.org/memory_viz")
    options = parser.parse_args()
    if options.times < 1 or options.repeat < 1:
        parser.error("--times and --repeat are at least 1")
    benchmark(**vars(options))
