# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs."""

import ctypes
import json
import os

from coil._library import CompileOptions, CTensor, RunOptions, RunStats, check, library
from coil._tensor import Tensor, all_to_c

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
        self._stats = None
        self._room = 2 * sum(len(each["sizes"]) for each in self.inputs)
        self._run_options = RunOptions()
        library.coil_run_options_init(ctypes.byref(self._run_options))

    def __del__(self):
        if getattr(self, "_handle", None):
            library.coil_program_destroy(self._handle)

    @property
    def run_stats(self):
        """Counters of the last run that this object made."""
        if self._stats is None:
            return {}
        return {name: getattr(self._stats, name) for name, _ in RunStats._fields_}

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

    def run(self, *inputs, stream=None, device=0):
        """Runs the program; returns a tuple of `Tensor`.

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
        """
        tensors, on_gpu, keep = all_to_c(inputs, stream, self._room)
        options = RunOptions.from_buffer_copy(self._run_options)
        options.device = device
        if stream is not None or on_gpu:
            # Without a stream of the caller's the legacy default stream, which
            # producers of inputs know how to order.
            options.use_stream, options.stream = 1, stream or 0
            options.wait = stream is None
        handle, error = ctypes.c_void_p(), ctypes.c_void_p()
        status = library.coil_program_run_with(
            self._handle,
            tensors,
            len(inputs),
            ctypes.byref(options),
            ctypes.byref(handle),
            ctypes.byref(error),
        )
        if status:
            check(status, error)
        result = _Result(handle, self, (tensors, keep))
        self._stats = RunStats()
        library.coil_result_get_stats(handle, ctypes.byref(self._stats))
        count = library.coil_result_num_outputs(handle)
        if count == 0:
            return ()
        first = library.coil_result_output(handle, 0)
        outputs = (CTensor * count).from_address(ctypes.addressof(first.contents))
        return tuple([Tensor(output, result) for output in outputs])

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
    """Compiles a .pt2 file, or a .mlir file of any stage.

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
