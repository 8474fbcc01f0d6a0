# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs."""

import collections
import ctypes
import functools
import json
import os
import sys
import warnings

from coil._functions import fallbacks
from coil._library import (
    CompileError,
    CompileOptions,
    InputError,
    Release,
    UpdateOptions,
    Weight,
    WeightsInfo,
    call,
    check,
    fail,
    library,
)
from coil import _callbacks, _complex, _hooks, _memory, _model, _options, generators
from coil._structure import Structure
from coil._tensor import DTYPES, Tensor, check_writable, read, to_c, torch_stream, write

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
    "input_copies",
    "input_copy_bytes",
)


# The order of coil_inactive_weights.
_INACTIVE = (None, "previous", "updated", "prepared")

# What keeps the memory of weights that are used where they are, by number.
_kept = {}


@Release
def _release(number, kept=_kept):
    kept.pop(number or 0, None)


# Programs that end with the process still call it.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_release))


def _hand_over(inputs, numbers, stream):
    """A function for each input: what ends it, or None."""
    ends = [None] * len(inputs)
    counts = collections.Counter(map(id, inputs))
    for number in numbers:
        if not 0 <= number < len(inputs):
            raise InputError(f"there is no input {number} to donate, there are {len(inputs)}")
        value = inputs[number]
        if counts[id(value)] > 1:
            other = next(i for i, other in enumerate(inputs) if other is value and i != number)
            raise InputError(f"input {number} cannot be donated: it is input {other}, too")
        if isinstance(value, Tensor):
            ends[number] = value._end
        elif hasattr(value, "untyped_storage") and hasattr(value, "new_empty"):
            ends[number] = functools.partial(_empty, value, stream or 0)
        else:
            raise InputError(
                f"input {number} is of '{type(value).__name__}', whose memory cannot be donated; "
                "that of coil.Tensor and torch.Tensor can")
    return tuple(ends)


def _empty(tensor, stream):
    """Lets a tensor of torch go of its memory, which the stream may still read."""
    if tensor.is_cuda:
        tensor.record_stream(torch_stream(stream, tensor.device))
    tensor.data = tensor.detach().new_empty(0)


class Program(call.Runner):
    """A compiled program. Call it with its inputs; weights are inside. `run` and
    `bind` are those of its base, in C.

    The weights can be changed while other threads call the program: `update`
    makes another set of them, `swap` puts it in use. A call works with the set
    that was in use when it began.
    """

    def __new__(cls, handle):
        return super().__new__(cls, handle.value, Tensor, read, fail, _hand_over)

    def __init__(self, handle):
        self._handle = handle
        signature = json.loads(library.coil_program_signature_json(handle))
        #: What it takes: a list of {"name", "dtype", "sizes"}.
        self.inputs = signature["inputs"]
        #: What it gives, in the same form.
        self.outputs = signature["outputs"]
        #: The symbols in sizes: a list of {"name", "min", "max", "hint"}.
        self.symbols = signature["symbols"]
        #: Seconds of each stage of compilation, counts of kernels, and what the cache on
        #: disk had to do with it: "off", "miss" or "hit".
        self.compile_stats = json.loads(library.coil_program_stats_json(handle))
        #: What each launch and library call computes, by its handle ("relu_0:3", the kernel's name and the step's
        #: number): the nodes and lines of the model. Of every program, those of packages and of the cache, too.
        self.provenance = self.compile_stats.pop("provenance")
        if warning := self.compile_stats.pop("cache_warning"):
            warnings.warn(f"compiled programs are not kept: {warning}", RuntimeWarning, stacklevel=4)
        self._hook = self._generator = None
        self._path = self._structure = None

    @property
    def fallbacks(self):
        """The steps that PyTorch's dispatcher runs, since Coil has no rule for their operators, by their handles,
        with the nodes and lines of the model."""
        ran = fallbacks()
        return {step: sources for step, sources in self.provenance.items() if step.rpartition(":")[0] in ran}

    @property
    def structure(self):
        """How arguments and results are nested and called, for a program that was
        compiled from a .pt2 file."""
        if self._structure is None:
            if self._path is None:
                raise InputError("only a program that was compiled from a .pt2 file knows how "
                                 "arguments are nested")
            self._structure = Structure(self._path)
        return self._structure

    def forward(self, *args, **kwargs):
        """Runs the program as the model that it was exported from: takes the arguments
        of its `forward`, nested as they were, and returns what that returned.

        Numbers, strings and None that export made constant are compared with what
        they were; they may be left out. Integers of which a size or a result depends
        are passed as such. What the model writes to its arguments is written to them,
        and what it writes to buffers and parameters is there in the next call.
        """
        return self._call(args, kwargs, _arrays)

    def _call(self, args, kwargs, convert, **options):
        structure = self.structure
        inputs = structure.flatten(args, kwargs)
        for spec, value in zip(self.inputs, inputs):
            if "updated" in spec:
                check_writable(spec["name"], value)
        outputs = self.run(*inputs, **options)
        # What is written comes before the results, and the gradients of a loss after them.
        last = sum("gradient" not in spec for spec in self.outputs)
        first = last - structure.num_results
        buffers = {}
        passed = [spec["name"] for spec in self.inputs if "weight" not in spec]
        for spec, value in zip(self.outputs[:first], outputs):
            mutation = spec["mutation"]
            if mutation["kind"] == "user_input":
                write(inputs[passed.index(mutation["target"])], value)
            elif "updated" not in spec:  # Else the program has written it there.
                buffers[mutation["target"]] = value
        if buffers:
            self.update(buffers)
            self.swap()
        return structure.unflatten(convert(outputs[first:last]))

    @property
    def run_stats(self):
        """Counters of the last run that this object made; zero before."""
        return dict(zip(_STATS, self._stats))

    @property
    def graph_stats(self):
        """What became of graphs on a GPU so far: counts of calls and of partitions
        that were recorded, replayed and run plainly, and why."""
        return json.loads(library.coil_program_graph_stats_json(self._handle))

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

    def set_hook(self, function):
        """Calls a function for each result of a step, in programs that were compiled
        with `options="debug-values=hook"`: with the handle of the step, the name of the
        value, its place in the model or "", and the tensor, of torch if that is
        imported, for the time of the call and not to be written. An exception stops
        the run. None calls nothing. Not while the program runs."""
        self._hook = None if function is None else _hooks.make_hook(function)
        library.coil_program_set_hook(self._handle, self._hook, None)

    def set_generator(self, generator):
        """Draws random numbers from a generator of torch, and moves it: one of CUDA
        exactly as eager does; from one of the CPU each run draws a seed. Also from any
        object with `state()`, seed and offset, and `set_state(seed, offset)`. None goes
        back to `random_state`. Not while the program runs."""
        if generator is None:
            library.coil_program_set_generator(self._handle, None)
            self._generator = None
            return
        made = _hooks.make_generator(generators.wrap(generator))
        if library.coil_program_set_generator(self._handle, ctypes.byref(made)):
            raise ValueError("the generator cannot be used")
        self._generator = made

    @property
    def weights(self):
        """The weights, by name: {"dtype", "sizes"} of each."""
        weight, error = Weight(), ctypes.c_void_p()
        result = {}
        for i in range(library.coil_program_num_weights(self._handle)):
            check(
                library.coil_program_get_weight(
                    self._handle, i, ctypes.byref(weight), ctypes.byref(error)
                ),
                error,
            )
            tensor = weight.tensor
            result[weight.name.decode()] = {
                "dtype": DTYPES[tensor.dtype],
                "sizes": tuple(tensor.sizes[: tensor.rank]),
            }
        return result

    @property
    def weights_info(self):
        """The number of the set in use ("active": 0 for the first, one more for
        each that updates began), what there is beside it ("inactive": None,
        "previous", "updated" or "prepared"), and how many sets are in memory,
        those of calls that have not ended included ("num_sets")."""
        info = WeightsInfo()
        library.coil_program_get_weights_info(self._handle, ctypes.byref(info))
        return {
            "active": info.active,
            "inactive": _INACTIVE[info.inactive],
            "num_sets": info.num_sets,
        }

    def update(self, weights, *, complete=False, copy=True):
        """Makes the set of weights that is not in use anew.

        Weights that are not given are those of earlier updates since the last
        swap, else those in use. What fails changes nothing: `InputError` names
        the weight.

        Args:
          weights: a dictionary from names to NumPy arrays, PyTorch tensors or
            anything else that `run` takes; or the path of a .pt2
            file or a package, which has to have all weights, and is mapped: it
            must not change as long as a set refers to it.
          complete: whether every weight has to be given.
          copy: False uses the memory of the arrays, which then must not change
            as long as a set refers to them, and have to be row-major in host
            memory.
        """
        error = ctypes.c_void_p()
        if not hasattr(weights, "items"):
            status = library.coil_program_update_weights_from_file(
                self._handle, os.fsencode(weights), ctypes.byref(error)
            )
            check(status, error)
            return
        pairs = [(name.encode(), to_c(value)) for name, value in weights.items()]
        array = (Weight * max(len(pairs), 1))()
        for entry, (name, (tensor, _)) in zip(array, pairs):
            entry.name = name
            entry.tensor = tensor
        options = UpdateOptions()
        library.coil_update_options_init(ctypes.byref(options))
        options.complete = complete
        if not copy:
            # An object that lives has an address of its own.
            _kept[id(pairs)] = pairs
            options.in_place = 1
            options.release = _release
            options.user = id(pairs)
        status = library.coil_program_update_weights(
            self._handle, array, len(pairs), ctypes.byref(options), ctypes.byref(error)
        )
        if status != 0 and not copy:
            del _kept[id(pairs)]
        check(status, error)

    def prepare(self):
        """Computes what depends on updated weights alone, and brings them to the
        GPUs that the program runs on. `swap` does it otherwise, and then takes
        that long."""
        error = ctypes.c_void_p()
        check(library.coil_program_prepare_weights(self._handle, ctypes.byref(error)), error)

    def swap(self):
        """Puts the updated weights in use, or, if there are none, those before
        the last swap. Waits for no call: each works to its end with the weights
        that it began with."""
        error = ctypes.c_void_p()
        check(library.coil_program_swap_weights(self._handle, ctypes.byref(error)), error)

    def drop(self):
        """Frees the set that is not in use once no call works with it."""
        library.coil_program_drop_weights(self._handle)

    def __call__(self, *inputs):
        """Runs the program; returns NumPy arrays where NumPy is installed.

        Outputs of types that NumPy does not have (bf16, floats of 8 bits) and
        outputs on a GPU stay `Tensor`.
        """
        return _arrays(self.run(*inputs))


def _arrays(outputs):
    """Outputs as NumPy arrays, where NumPy is installed and has their type."""
    if numpy is None:
        return outputs
    return tuple(
        numpy.asarray(output) if hasattr(output, "__array_interface__") else output
        for output in outputs
    )


class ComplexProgram(Program):
    """A program with complex inputs or outputs. Those in `inputs` and `outputs` have
    "complex", and the real and the imaginary part as their last dimension, which is how
    `bind` takes and gives them; calls take and give complex tensors."""

    def run(self, *inputs, **options):
        """As `Program.run`, with `ComplexTensor` for complex outputs."""
        if len(inputs) == len(self.inputs):
            inputs = [
                _complex.to_parts(value, spec["dtype"]) if spec.get("complex") else value
                for value, spec in zip(inputs, self.inputs)
            ]
        outputs = super().run(*inputs, **options)
        return tuple(_complex.wrap(output, spec) for output, spec in zip(outputs, self.outputs))


def _make_program(handle):
    signature = json.loads(library.coil_program_signature_json(handle))
    tensors = signature["inputs"] + signature["outputs"]
    is_complex = any(tensor.get("complex") for tensor in tensors)
    return ComplexProgram(handle) if is_complex else Program(handle)


def load_plugin(path):
    """Loads a plugin with all that it offers (dialects, passes, extensions of
    the pipelines, devices, emitters, functions), as the environment variable
    COIL_PLUGINS does."""
    error = ctypes.c_void_p()
    check(library.coil_plugin_load(os.fsencode(path), ctypes.byref(error)), error)


def _make_settings(options, object_cache, threads, opt_level, cuda_graphs, device, debug_dir, cache):
    for name, value in (("num-threads", threads), ("opt-level", opt_level), ("cuda-graphs", cuda_graphs),
                        ("device", device)):
        _options.check(name, value)
    # In C 0 is the default.
    if opt_level == 0:
        raise InputError("the option 'opt-level' is '0', expected a number from 1 to 3; 0 is for coil-run")
    settings = CompileOptions()
    library.coil_compile_options_init(ctypes.byref(settings))
    settings.pipeline_options = options.encode()
    settings.object_cache = os.fsencode(object_cache) if object_cache else None
    settings.threads = threads
    settings.opt_level = opt_level
    settings.cuda_graphs = cuda_graphs
    settings.device = device
    settings.debug_directory = os.fsencode(debug_dir) if debug_dir else None
    settings.no_cache = not cache
    return settings


def _check_compiled(status, error):
    """Raises what went wrong, from the exception of a pass or a legalization of Python's."""
    try:
        check(status, error)
    except CompileError as failure:
        _callbacks.raise_from_callback(failure)


def compile_text(text, *, options="", object_cache=None, threads=0, opt_level=2, cuda_graphs=0, device=0,
                 debug_dir=None, cache=True):
    """Compiles the text that a .pt2 file has of a program without weights; complex numbers
    stay two real ones. Arguments are as in `compile`."""
    settings = _make_settings(options, object_cache, threads, opt_level, cuda_graphs, device, debug_dir, cache)
    encoded = text.encode()
    handle, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.coil_program_compile_text(
        encoded, len(encoded), ctypes.byref(settings), ctypes.byref(handle), ctypes.byref(error)
    )
    _check_compiled(status, error)
    return Program(handle)


def compile(
    source,
    *,
    args=None,
    kwargs=None,
    dynamic_shapes=None,
    strict=False,
    function="main",
    weights=None,
    options="",
    object_cache=None,
    threads=0,
    opt_level=2,
    cuda_graphs=0,
    device=0,
    debug_dir=None,
    cache=True,
    **pipeline_options,
):
    """Compiles a module or an exported program of PyTorch, a .pt2 file, or a .mlir file
    of any stage, or loads a package (.coilpkg), for which only `function`, `cuda_graphs`
    and `device` matter.

        model = coil.compile(module, args=(x,))         # A Model: called as the module.
        model = coil.compile(torch.export.export(...))  # The same.
        program = coil.compile("model.pt2")             # A Program: takes and gives flat lists.

    Args:
      source: a `torch.nn.Module`, a `torch.export.ExportedProgram`, or the path of a file.
      args, kwargs: the example arguments of a module's `forward`, with which
        `torch.export.export` exports it: a tuple and a dictionary.
      dynamic_shapes, strict: as `torch.export.export` takes them, for a module.
      function: the function of a .mlir file to run.
      weights: the .pt2 file that holds the weights of a .mlir file.
      options: options of the pipelines as text, such as "target=cuda library=none".
      object_cache: a directory that keeps compiled objects between processes.
      threads: threads that compile; 0 takes all of the machine.
      opt_level: 1 to 3.
      cuda_graphs: calls of a program for a GPU to keep as CUDA graphs, one for
        each combination of input sizes; 0 keeps none.
      device: the GPU to load kernels onto.
      debug_dir: a directory that receives everything that is made on the way;
        its index.html leads through it. None writes nothing.
      cache: whether to look for the compiled program in the cache on disk, and to
        keep it there. Its directory and size are those of the environment variables
        COIL_CACHE_DIR and COIL_CACHE_SIZE; COIL_CACHE=0 does without it.
      pipeline_options: the same by keyword, such as target="cuda", plan="pool",
        fuse=False or vector_bits=256: `coil.options()` lists them. `insert_passes`
        is a dictionary from extension points to textual pipelines, or to lists of
        them: {"after-fusion": "func.func(cse)"}. `coil-opt --list-stages` prints
        the extension points.
    """
    if not isinstance(source, (str, bytes, os.PathLike)):
        if not (_model.is_exported(source) or _model.is_module(source)):
            raise InputError("expected a torch.nn.Module, a torch.export.ExportedProgram or the path of a file "
                             f"but got '{type(source).__name__}'")
        if function != "main" or weights is not None:
            raise InputError("function and weights are for files of MLIR text")
        text = _options.add_keywords(options, pipeline_options)
        return _model.compile_model(
            source, args, kwargs, dynamic_shapes, strict, _options.get_target(text),
            lambda path, own: compile(
                path, options=text, object_cache=object_cache, threads=threads, opt_level=opt_level,
                cuda_graphs=cuda_graphs, device=device, debug_dir=debug_dir, cache=cache, **own))
    if args is not None or kwargs is not None or dynamic_shapes is not None:
        raise InputError("args, kwargs and dynamic_shapes are for a module; a file has its own")
    path = source
    options = _options.add_keywords(options, pipeline_options)
    settings = _make_settings(options, object_cache, threads, opt_level, cuda_graphs, device, debug_dir, cache)
    settings.function = function.encode()
    settings.weights = os.fsencode(weights) if weights else None
    handle, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.coil_program_compile(
        os.fsencode(path), ctypes.byref(settings), ctypes.byref(handle), ctypes.byref(error)
    )
    _check_compiled(status, error)
    program = _make_program(handle)
    if os.fsdecode(path).endswith(".pt2"):
        program._path = os.path.abspath(path)
    return program
