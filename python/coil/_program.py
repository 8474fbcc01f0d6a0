# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs."""

import ctypes
import json
import os

from coil._library import CompileOptions, CTensor, RunStats, check, library
from coil._tensor import FOREIGN, Tensor, to_c

try:
    import numpy
except ImportError:
    numpy = None


class _Result:
    """Owns the outputs of a run, and the inputs that they may point into."""

    def __init__(self, handle, program, inputs):
        self.handle = handle
        self.program = program
        self.inputs = inputs

    def __del__(self):
        library.coil_result_destroy(self.handle)


class Program:
    """A compiled program. Call it with its inputs; weights are inside."""

    def __init__(self, handle):
        self._handle = handle
        signature = json.loads(library.coil_program_signature_json(handle))
        #: What it takes: a list of {"name", "dtype", "sizes"}.
        self.inputs = signature["inputs"]
        #: What it gives, in the same form.
        self.outputs = signature["outputs"]
        #: The symbols in sizes: a list of {"name", "min", "max", "hint"}.
        self.symbols = signature["symbols"]
        #: Seconds of each stage of compilation, and counts of kernels.
        self.compile_stats = json.loads(library.coil_program_stats_json(handle))
        #: Counters of the last run that this object made.
        self.run_stats = {}

    def __del__(self):
        if getattr(self, "_handle", None):
            library.coil_program_destroy(self._handle)

    def run(self, *inputs):
        """Runs the program; returns a tuple of `Tensor`."""
        pairs = [to_c(value) for value in inputs]
        tensors = (CTensor * max(len(pairs), 1))(*(tensor for tensor, _ in pairs))
        handle, error = ctypes.c_void_p(), ctypes.c_void_p()
        status = library.coil_program_run(
            self._handle, tensors, len(pairs), ctypes.byref(handle), ctypes.byref(error)
        )
        check(status, error)
        result = _Result(handle, self, (tensors, pairs))
        stats = RunStats()
        library.coil_result_get_stats(handle, ctypes.byref(stats))
        self.run_stats = {name: getattr(stats, name) for name, _ in RunStats._fields_}
        return tuple(
            Tensor(library.coil_result_output(handle, i).contents, result)
            for i in range(library.coil_result_num_outputs(handle))
        )

    def __call__(self, *inputs):
        """Runs the program; returns NumPy arrays where NumPy is installed.

        Outputs of types that NumPy does not have (bf16, floats of 8 bits) stay
        `Tensor`.
        """
        outputs = self.run(*inputs)
        if numpy is None:
            return outputs
        return tuple(
            output if output.dtype in FOREIGN else numpy.asarray(output) for output in outputs
        )


def compile(
    path, *, function="main", weights=None, options="", object_cache=None, threads=0, opt_level=2
):
    """Compiles a .pt2 file, or a .mlir file of any stage.

    Args:
      path: the file.
      function: the function of a .mlir file to run.
      weights: the .pt2 file that holds the weights of a .mlir file.
      options: options of the pipelines, such as "library=none".
      object_cache: a directory that keeps compiled objects between processes.
      threads: threads that compile; 0 takes all of the machine.
      opt_level: 1 to 3.
    """
    settings = CompileOptions()
    library.coil_compile_options_init(ctypes.byref(settings))
    settings.function = function.encode()
    settings.weights = os.fsencode(weights) if weights else None
    settings.pipeline_options = options.encode()
    settings.object_cache = os.fsencode(object_cache) if object_cache else None
    settings.threads = threads
    settings.opt_level = opt_level
    handle, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.coil_program_compile(
        os.fsencode(path), ctypes.byref(settings), ctypes.byref(handle), ctypes.byref(error)
    )
    check(status, error)
    return Program(handle)
