# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs."""

import ctypes
import json
import os

from coil._library import CompileOptions, call, check, fail, library
from coil._tensor import Tensor, read

try:
    import numpy
except ImportError:
    numpy = None


# The order of coil_run_stats.
_STATS = (
    "live_bytes",
    "peak_bytes",
    "allocated_bytes",
    "live_allocations",
    "allocations",
    "launches",
    "library_calls",
)


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
        self._runner = call.Runner(handle.value, Tensor, read, fail)

    @property
    def run_stats(self):
        """Counters of the last run that this object made; zero before."""
        return dict(zip(_STATS, self._runner.stats))

    @property
    def random_state(self):
        """Where the random numbers of the next run begin: seed and offset of
        PyTorch's CUDA generator. Every run moves the offset by what it draws."""
        seed, offset = ctypes.c_uint64(), ctypes.c_uint64()
        library.coil_program_get_random_state(
            self._handle, ctypes.byref(seed), ctypes.byref(offset)
        )
        return seed.value, offset.value

    @random_state.setter
    def random_state(self, state):
        seed, offset = state
        if offset < 0 or offset % 4:
            raise ValueError(f"the offset {offset} is not a multiple of 4")
        library.coil_program_set_random_state(self._handle, seed % 2**64, offset)

    def run(self, *inputs, stream=None, device=0, like=None):
        """Runs the program; returns a tuple of `Tensor`, or of `like`.

        Outputs are in device memory if any input is, else in host memory.

        Args:
          inputs: NumPy arrays, PyTorch tensors (of the host or, for a program
            for a GPU, of a GPU) or anything else that has DLPack, buffers,
            numbers.
          stream: the CUDA stream to work on, as an integer, such as
            `torch.cuda.current_stream().cuda_stream`. Inputs must be ready, and
            outputs are, in the order of the stream; the call does not wait. The
            caller keeps inputs and outputs until the stream has come that far,
            as it does with memory that the stream's allocator owns. Without
            one the outputs are complete on return.
          device: the GPU, when no input is on one.
          like: what outputs are: a type that has DLPack's table of C functions,
            such as `torch.Tensor` since PyTorch 2.10. They share the memory of
            the run, as `Tensor` does.
        """
        return self._runner.run(inputs, stream, device, like)

    def __call__(self, *inputs):
        """Runs the program; returns NumPy arrays where NumPy is installed.

        Outputs of types that NumPy does not have (bf16, floats of 8 bits) and
        outputs on a GPU stay `Tensor`.
        """
        outputs = self.run(*inputs)
        if numpy is None:
            return outputs
        return tuple(
            numpy.asarray(output) if hasattr(output, "__array_interface__") else output
            for output in outputs
        )


def compile(
    path,
    *,
    function="main",
    weights=None,
    options="",
    object_cache=None,
    threads=0,
    opt_level=2,
    cuda_graphs=0,
    device=0,
):
    """Compiles a .pt2 file, or a .mlir file of any stage, or loads a package
    (.coilpkg), for which only `function`, `cuda_graphs` and `device` matter.

    Args:
      path: the file.
      function: the function of a .mlir file to run.
      weights: the .pt2 file that holds the weights of a .mlir file.
      options: options of the pipelines, such as "target=cuda library=none".
      object_cache: a directory that keeps compiled objects between processes.
      threads: threads that compile; 0 takes all of the machine.
      opt_level: 1 to 3.
      cuda_graphs: calls of a program for a GPU to keep as CUDA graphs, one for
        each combination of input sizes; 0 keeps none.
      device: the GPU to load kernels onto.
    """
    settings = CompileOptions()
    library.coil_compile_options_init(ctypes.byref(settings))
    settings.function = function.encode()
    settings.weights = os.fsencode(weights) if weights else None
    settings.pipeline_options = options.encode()
    settings.object_cache = os.fsencode(object_cache) if object_cache else None
    settings.threads = threads
    settings.opt_level = opt_level
    settings.cuda_graphs = cuda_graphs
    settings.device = device
    handle, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.coil_program_compile(
        os.fsencode(path), ctypes.byref(settings), ctypes.byref(handle), ctypes.byref(error)
    )
    check(status, error)
    return Program(handle)
