# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled piece of a graph, as the code around it calls it."""

import functools
import warnings

import torch

from coil import _memory, _program, _tuning
from coil._library import CoilError, CompileError, call
from coil.torch_compile._options import DEFAULT_TUNING_SECONDS, TUNING_MODES, OptionError


# A program that adds a number to itself.
_TRIVIAL = """{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}],
"outputs": [{"as_tensor": {"name": "y"}}], "nodes": [{"target": "torch.ops.aten.add.Tensor", "name": "y",
"inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
{"name": "other", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "y"}}], "metadata": {}}],
"tensor_values": {"x": META, "y": META}, "sym_int_values": {}, "sym_float_values": {}, "sym_bool_values": {}},
"signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
"output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]}, "module_call_graph": []},
"range_constraints": {}, "schema_version": {"major": 8, "minor": 15}, "verifiers": []}""".replace(
    "META", '{"dtype": 7, "sizes": [], "strides": [], "storage_offset": {"as_int": 0}, "layout": 7, '
            '"requires_grad": false, "device": {"type": "cpu", "index": null}}')


@functools.lru_cache(None)
def check_pipeline(pipeline):
    """Raises OptionError for options of the pipelines that there are not. Otherwise each
    operator would be refused because of them."""
    try:
        _program.compile_text(_TRIVIAL, options=pipeline, threads=1, opt_level=1)
    except CompileError as error:
        if error.__cause__ is not None:
            return  # A pass of the user's in Python does not take this program.
        raise OptionError(f"option 'pipeline' of the backend 'coil': {error}") from None


def _tune(text, pipeline, device, seconds, use_cache):
    """The options with the records of the piece. A graph that cannot be tuned runs all the same."""
    try:
        records = _tuning.records_of_text(text, pipeline, device, seconds, use_cache)
    except (CoilError, OSError) as error:
        warnings.warn(f"torch.compile(backend='coil'): a graph is not tuned: {error}", RuntimeWarning, stacklevel=2)
        return pipeline
    return f"{pipeline} tuning-records='{records}'" if records else pipeline


class CompiledPiece:
    """Runs a program on tensors of torch, and gives tensors of torch.

    Results have the strides that are asked for, and memory of their own: programs may give
    one buffer for equal results, and a part of a larger one. What a graph of AOTAutograd
    wants as views is made outside of pieces.

    Args:
      updates: for each result the number of the input whose final value it is, or -1; None for
        a program that changes no input. Such a result is None where the program has written it to
        the input's own memory.
      consumes: whether calls give inputs away.

    Attributes:
      function: what is called with tensors, `strides`, and `donate` for inputs that are given away.
      options: what else it takes by name.
    """

    def __init__(self, text, device, options, debug_dir, updates=None, consumes=False):
        pipeline, graphs = options.pipeline, 0
        if consumes and " release-inputs=" not in f" {pipeline}":
            pipeline = f"release-inputs=true {pipeline}"
        if updates and " update-inputs=" not in f" {pipeline}":
            pipeline = f"update-inputs=true {pipeline}"
        if device.type == "cuda":
            from coil._precision import torch_precision

            # What the user says counts.
            for option in ("target=cuda", *torch_precision().split()):
                if f" {option.split('=')[0]}=" not in f" {options.pipeline}":
                    pipeline = f"{option} {pipeline}"
            graphs = options.cuda_graphs or 0
        seconds = options.tuning_seconds
        if seconds is None and options.mode in TUNING_MODES:
            seconds = DEFAULT_TUNING_SECONDS
        if seconds is not None and "tuning-records=" not in pipeline:
            pipeline = _tune(text, pipeline, device.index or 0, seconds, options.cache)
        self.program = _program.compile_text(
            text, options=pipeline, object_cache=options.object_cache, threads=options.threads,
            opt_level=options.opt_level, cuda_graphs=graphs, device=device.index or 0, debug_dir=debug_dir,
            cache=options.cache)
        # The method in C itself: no frame of Python for a call.
        self.function, self.options = self.program.run, {"like": torch.Tensor}
        if updates:
            self.options["updates"] = updates
        if device.type == "cuda":
            self.function, self._index = self._run_on_gpu, device.index or 0
            self._stream = torch._C._cuda_getCurrentRawStream
            torch.cuda.init()
            _memory.use_torch()
            self.program.set_generator(torch.cuda.default_generators[self._index])

    def _run_on_gpu(self, *inputs, **options):
        return self.program.run(*inputs, **options, device=self._index, stream=self._stream(self._index))


def fit(result, strides):
    """A result with the strides that are asked for. -1 is any.

    It is no view as autograd sees it: of what a graph returns, users may update only what is
    none where the graph has several results.
    """
    wanted = tuple(own if asked == -1 else asked for asked, own in zip(strides, result.stride()))
    if result.numel() == 0:
        # In memory that may be resized, as an `out=` argument without elements is.
        return result.new_empty_strided(result.shape, wanted)
    if result.stride() == wanted:
        return result
    matters = [(a, b) for size, a, b in zip(result.shape, wanted, result.stride()) if size > 1]
    if all(a == b for a, b in matters):
        return result.as_strided_(result.shape, wanted)
    # Of elements that share memory one is written.
    sizes = [1 if stride == 0 else size for size, stride in zip(result.shape, wanted)]
    made = torch.empty_strided(sizes, wanted, dtype=result.dtype, device=result.device)
    made.copy_(result[tuple(slice(size) for size in sizes)] if result.dim() else result)
    return made.as_strided_(result.shape, wanted)


def as_complex(result):
    """A result of real and imaginary parts as complex numbers in the same memory, and no view."""
    view = torch.view_as_complex(result)
    made = torch.empty(0, dtype=view.dtype, device=view.device)
    return made.set_(view.untyped_storage(), view.storage_offset(), view.shape, view.stride())


def own(result):
    """A copy of a result that shares memory with another."""
    return result.clone(memory_format=torch.preserve_format)


call.set_result_hooks(own, fit)
