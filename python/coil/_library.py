# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API through ctypes, and the extension for calls: where they are, their
types and errors."""

import ctypes
import importlib.machinery
import importlib.util
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

API_VERSION = 11


class CoilError(Exception):
    """Something that Coil refused; the message says where and why."""


class CompileError(CoilError):
    """The file cannot be read, verified or compiled."""


class InputError(CoilError, ValueError):
    """An argument that does not fit the program."""


class RunError(CoilError, RuntimeError):
    """The program stopped while it ran."""


_ERRORS = {2: InputError, 3: CompileError, 4: RunError}


class CTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("sizes", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("rank", c_int32),
        ("dtype", c_int32),
        ("device_type", c_int32),
        ("device_index", c_int32),
    ]


class CompileOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("function", c_char_p),
        ("weights", c_char_p),
        ("pipeline_options", c_char_p),
        ("object_cache", c_char_p),
        ("threads", c_uint32),
        ("opt_level", c_uint32),
        ("cuda_graphs", c_uint32),
        ("device", c_int32),
        ("debug_directory", c_char_p),
        ("no_cache", c_int32),
    ]


class Weight(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("tensor", CTensor), ("num_bytes", c_uint64)]


Release = ctypes.CFUNCTYPE(None, c_void_p)


class UpdateOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("complete", c_int32),
        ("in_place", c_int32),
        ("release", Release),
        ("user", c_void_p),
    ]


class WeightsInfo(ctypes.Structure):
    _fields_ = [("active", c_uint64), ("inactive", c_int32), ("num_sets", c_int64)]


def _find():
    """The library: named by COIL_C_LIBRARY, or in `lib` of the package (the wheel), or beside it."""
    named = os.environ.get("COIL_C_LIBRARY")
    if named:
        return named
    package = pathlib.Path(os.path.abspath(__file__)).parent
    for folder in (package / "lib", package.parents[1] / "lib"):
        for name in ("libCoilC.so.0", "libCoilC.so"):
            if (folder / name).exists():
                return str(folder / name)
    raise ImportError(
        "libCoilC.so is in 'lib' neither of the package nor beside it; set COIL_C_LIBRARY to its path"
    )


def _load():
    library = ctypes.CDLL(_find())
    signatures = {
        "coil_api_version": (c_uint32, []),
        "coil_version": (c_char_p, []),
        "coil_string_free": (None, [c_void_p]),
        "coil_cache_stats_json": (c_char_p, []),
        "coil_options_json": (c_char_p, []),
        "coil_option_check": (c_int32, [c_char_p, c_char_p, POINTER(c_void_p)]),
        "coil_compile_options_init": (None, [POINTER(CompileOptions)]),
        "coil_program_compile_text": (
            c_int32,
            [c_char_p, c_size_t, POINTER(CompileOptions), POINTER(c_void_p), POINTER(c_void_p)],
        ),
        "coil_plugin_load": (c_int32, [c_char_p, POINTER(c_void_p)]),
        "coil_program_compile": (
            c_int32,
            [c_char_p, POINTER(CompileOptions), POINTER(c_void_p), POINTER(c_void_p)],
        ),
        "coil_program_signature_json": (c_char_p, [c_void_p]),
        "coil_program_stats_json": (c_char_p, [c_void_p]),
        "coil_program_graph_stats_json": (c_char_p, [c_void_p]),
        "coil_program_get_random_state": (
            None,
            [c_void_p, POINTER(c_uint64), POINTER(c_uint64)],
        ),
        "coil_program_set_random_state": (None, [c_void_p, c_uint64, c_uint64]),
        "coil_program_set_generator": (c_int32, [c_void_p, c_void_p]),
        "coil_program_set_hook": (None, [c_void_p, c_void_p, c_void_p]),
        "coil_program_bind_object": (c_int32, [c_void_p, c_char_p, c_void_p]),
        "coil_run_set_hook": (None, [c_void_p, c_void_p, c_void_p]),
        "coil_run_set_generator": (c_int32, [c_void_p, c_void_p]),
        "coil_get_random_state": (None, [POINTER(c_uint64), POINTER(c_uint64)]),
        "coil_set_random_state": (c_int32, [c_uint64, c_uint64]),
        "coil_rt_fail": (c_int32, [c_void_p, c_int32, c_char_p]),
        "coil_update_options_init": (None, [POINTER(UpdateOptions)]),
        "coil_program_update_weights": (
            c_int32,
            [c_void_p, POINTER(Weight), c_size_t, POINTER(UpdateOptions), POINTER(c_void_p)],
        ),
        "coil_program_update_weights_from_file": (
            c_int32,
            [c_void_p, c_char_p, POINTER(c_void_p)],
        ),
        "coil_program_prepare_weights": (c_int32, [c_void_p, POINTER(c_void_p)]),
        "coil_program_swap_weights": (c_int32, [c_void_p, POINTER(c_void_p)]),
        "coil_program_drop_weights": (None, [c_void_p]),
        "coil_program_num_weights": (c_size_t, [c_void_p]),
        "coil_program_get_weight": (
            c_int32,
            [c_void_p, c_size_t, POINTER(Weight), POINTER(c_void_p)],
        ),
        "coil_program_get_weights_info": (None, [c_void_p, POINTER(WeightsInfo)]),
        "coil_kernels_compile": (
            c_int32,
            [
                c_char_p,
                c_size_t,
                POINTER(CompileOptions),
                POINTER(c_void_p),
                POINTER(c_void_p),
            ],
        ),
        "coil_kernels_destroy": (None, [c_void_p]),
        "coil_kernels_lookup": (c_void_p, [c_void_p, c_char_p]),
        "coil_kernel_num_buffers": (c_size_t, [c_void_p]),
        "coil_kernel_num_symbols": (c_size_t, [c_void_p]),
        "coil_kernel_launch": (
            c_int32,
            [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_int64), POINTER(c_void_p)],
        ),
        "coil_kernel_launch_user": (
            c_int32,
            [c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_int64), POINTER(c_void_p)],
        ),
        "coil_weights_open": (c_int32, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
        "coil_weights_close": (None, [c_void_p]),
        "coil_weights_get": (
            c_int32,
            [c_void_p, c_char_p, POINTER(CTensor), POINTER(c_void_p)],
        ),
        # Of the runtime.
        "coil_run_create": (c_int32, [POINTER(c_void_p)]),
        "coil_run_destroy": (None, [c_void_p]),
        "coil_last_error": (c_char_p, []),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    found = library.coil_api_version()
    if found < API_VERSION:
        raise ImportError(f"libCoilC.so has API version {found}, expected {API_VERSION}")
    return library


library = _load()


def _load_call():
    """The extension that makes calls, beside the library."""
    path = pathlib.Path(library._name).parent / "coil_call.abi3.so"
    if not path.exists():
        raise ImportError(f"'{path.name}' is not beside '{library._name}'")
    loader = importlib.machinery.ExtensionFileLoader("coil_call", str(path))
    spec = importlib.machinery.ModuleSpec("coil_call", loader, origin=str(path))
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


call = _load_call()


def check(status, error):
    """Raises what a call reported; frees its message."""
    if status == 0:
        return
    text = ctypes.string_at(error.value).decode() if error.value else "unknown error"
    library.coil_string_free(error)
    fail(status, text)


def fail(status, text):
    """Raises the error that a status stands for."""
    raise _ERRORS.get(status, CoilError)(text)


def version():
    """The version of the compiler."""
    return library.coil_version().decode()
