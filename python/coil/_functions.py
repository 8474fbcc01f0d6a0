# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host functions: what programs call that Coil did not compile."""

import contextlib
import contextvars
import ctypes
import inspect
import os
import sys
import warnings

from coil import _objects
from coil._library import CoilError, CTensor, InputError, library
from coil._tensor import CPU, CUDA, DTYPES, SIZES, Tensor, to_c, torch_stream


class CArgument(ctypes.Structure):
    pass


class _Value(ctypes.Union):
    _fields_ = [
        ("tensor", ctypes.POINTER(CTensor)),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("string", ctypes.c_char_p),
        ("elements", ctypes.POINTER(CArgument)),
        ("object", ctypes.c_void_p),
    ]


CArgument._fields_ = [
    ("kind", ctypes.c_int32),
    ("is_mutable", ctypes.c_int32),
    ("count", ctypes.c_int64),
    ("value", _Value),
]

NONE, TENSOR, INT, FLOAT, BOOL, STRING, LIST, DTYPE, OBJECT = range(9)

_Pointer = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)


class _Function(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("device_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("call", _Pointer),
        ("user", ctypes.c_void_p),
    ]


_vp, _i32 = ctypes.c_void_p, ctypes.c_int32
for _name, _result, _arguments in (
    ("coil_register_function", _i32, [ctypes.POINTER(_Function)]),
    ("coil_find_function", _i32, [ctypes.c_char_p, _i32, _vp]),
    ("coil_load_functions", _i32, [ctypes.c_char_p]),
    ("coil_set_function_resolver", None, [_vp, _vp]),
    ("coil_call_num_arguments", _i32, [_vp]),
    ("coil_call_argument", ctypes.POINTER(CArgument), [_vp, _i32]),
    ("coil_call_argument_name", ctypes.c_char_p, [_vp, _i32]),
    ("coil_call_num_results", _i32, [_vp]),
    (
        "coil_call_result",
        _i32,
        [_vp, _i32, _i32, _i32, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.POINTER(CTensor))],
    ),
    ("coil_call_fail", _i32, [_vp, ctypes.c_char_p]),
    ("coil_call_stream", _vp, [_vp]),
    ("coil_call_device_type", _i32, [_vp]),
    ("coil_call_device_index", _i32, [_vp]),
):
    getattr(library, _name).restype = _result
    getattr(library, _name).argtypes = _arguments


class View:
    """A tensor of a call: the program's memory, for the time of the call. NumPy,
    DLPack and `tolist` read it as they read a `coil.Tensor`; NumPy and DLPack
    write it, too."""

    def __init__(self, tensor):
        self._tensor = tensor

    for _each in (
        "dtype shape strides _data _device device __dlpack_device__ __dlpack__ _capsule __len__"
        " __array_interface__ tolist"
    ).split():
        locals()[_each] = Tensor.__dict__[_each]
    del _each

    def __repr__(self):
        return f"coil.View(shape={self.shape}, dtype={self.dtype}, device={self.device})"


def _torch():
    """torch, if the process has it."""
    return sys.modules.get("torch")


def _is_torch():
    return hasattr(_torch(), "from_dlpack")


def _copy(to, source):
    """Copies the elements of one `CTensor` in host memory to another of the same
    sizes and type."""
    rank, width = to.rank, SIZES[DTYPES[to.dtype]]
    sizes, a, b = to.sizes[:rank], to.strides[:rank], source.strides[:rank]

    def rows(dim, target, origin):
        if dim == rank:
            ctypes.memmove(target, origin, width)
        elif dim == rank - 1 and a[dim] == b[dim] == 1:
            ctypes.memmove(target, origin, sizes[dim] * width)
        else:
            for i in range(sizes[dim]):
                rows(dim + 1, target + i * a[dim] * width, origin + i * b[dim] * width)

    if 0 not in sizes:
        rows(0, to.data, source.data)


# ===------------------------------------------------------------------------===
# Calls
# ===------------------------------------------------------------------------===


class _Arguments:
    """The arguments of a call as Python values."""

    def __init__(self):
        self.views = []
        # Tensors of torch that the function must not write, and their versions.
        self.fixed = []

    def tensor(self, argument):
        view = View(argument.value.tensor.contents)
        self.views.append(view)
        if not _is_torch():
            return view
        tensor = _torch().from_dlpack(view)
        if not argument.is_mutable:
            with contextlib.suppress(RuntimeError):  # Inference mode does not count.
                self.fixed.append((tensor, tensor._version))
        return tensor

    def value(self, argument):
        kind, value = argument.kind, argument.value
        if kind == TENSOR:
            return self.tensor(argument)
        if kind == LIST:
            return [self.value(value.elements[i]) for i in range(argument.count)]
        if kind == DTYPE:
            name = DTYPES[value.integer]
            return getattr(_torch(), _TORCH_TYPES[name]) if _is_torch() else name
        if kind == STRING:
            return value.string.decode()
        if kind == OBJECT:
            return _objects.value_of(value.object)
        return {NONE: None, INT: value.integer, FLOAT: value.number, BOOL: value.integer != 0}[kind]

    def check(self):
        for tensor, version in self.fixed:
            if tensor._version != version:
                raise CoilError(
                    "the function wrote to a tensor that the program does not let it write"
                )


_TORCH_TYPES = dict(
    zip(
        DTYPES,
        "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32"
        " float64 float8_e4m3fn float8_e5m2".split(),
    )
)


def _flatten(value):
    """The tensors of a result: None, a tensor, or any containers of them."""
    if value is None:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in _flatten(part)]
    return [value]


def _give(call, number, value):
    """Makes `value` result number `number`."""
    source, keep = to_c(value.detach() if hasattr(value, "detach") else value)
    place = ctypes.POINTER(CTensor)()
    if library.coil_call_result(
        call, number, source.dtype, source.rank, source.sizes, ctypes.byref(place)
    ):
        return False
    if _is_torch() and isinstance(value, _torch().Tensor):
        _torch().from_dlpack(View(place.contents)).copy_(value.detach())
    elif source.device_type != CPU or place.contents.device_type != CPU:
        raise InputError("results on a GPU are torch tensors")
    else:
        _copy(place.contents, source)
    del keep
    return True


def _wants_names(function):
    """Whether a function takes its arguments by their names in the schema: it has
    such parameters, or is an operator of torch."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return lambda names: True
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return lambda names: True
    known = {each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY}
    return lambda names: known.issuperset(names)


@contextlib.contextmanager
def _on_stream(call):
    """Makes torch work on the stream of a call on a GPU."""
    if library.coil_call_device_type(call) != CUDA or not _is_torch():
        yield
        return
    cuda = _torch().cuda
    index = library.coil_call_device_index(call)
    stream = torch_stream(library.coil_call_stream(call), index)
    with cuda.device(index), cuda.stream(stream):
        yield


def _call(call, function, wants_names):
    count = library.coil_call_num_arguments(call)
    arguments = _Arguments()
    values, names = [], []
    for i in range(count):
        values.append(arguments.value(library.coil_call_argument(call, i).contents))
        name = library.coil_call_argument_name(call, i)
        names.append(name.decode() if name else None)
    try:
        with _on_stream(call):
            if names and None not in names and wants_names(names):
                results = function(**dict(zip(names, values)))
            else:
                results = function(*values)
            arguments.check()
            results = _flatten(results)
            expected = library.coil_call_num_results(call)
            # A function that works in place may return what it changed.
            if expected == 0:
                results = []
            if len(results) != expected:
                raise CoilError(
                    f"the function gives {len(results)} results, but the program expects {expected}"
                )
            for number, value in enumerate(results):
                if not _give(call, number, value):
                    return 3
    finally:
        for view in arguments.views:
            view._tensor = None
    return 0


# ===------------------------------------------------------------------------===
# Registration
# ===------------------------------------------------------------------------===

# By name and device: what is called, and what keeps it callable.
_functions = {}


def _find_operator(name):
    """The operator of torch that has a name of the form "mylib::foo"."""
    if not _is_torch():
        raise InputError(f"no function is given for '{name}', and torch is not imported")
    space, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    try:
        return getattr(getattr(getattr(_torch().ops, space), packet), overload or "default")
    except AttributeError:
        raise InputError(f"torch has no operator '{name}'") from None


def register_function(name, function=None, *, device="cpu", capturable=False, replace=False):
    """Registers a function that programs call by name, such as a custom operator.

    The function gets tensors as torch tensors if torch is imported, else as
    objects with DLPack and NumPy's array interface; they are the program's
    memory, for the time of the call. Optional arguments that are absent are
    None, and what the program leaves out has the function's own default.
    It returns its results, which are copied into the program's memory: None, a
    tensor, or tuples, lists or dictionaries of tensors. An exception fails the
    run, with its text.

    Args:
      name: "mylib::foo", or "mylib::foo.overload".
      function: what is called; by default the operator of torch of that name.
      device: "cpu" or "cuda": where its tensors are. For the latter, torch works
        on the stream of the run.
      capturable: whether its work on a GPU may be recorded in a CUDA graph and
        replayed in its place.
      replace: whether a function that Python has registered under the name may
        be replaced. Otherwise another version needs a name of its own, such as
        "mylib::foo_v2".
    """
    if device not in ("cpu", "cuda"):
        raise InputError(f"unknown device '{device}', expected 'cpu' or 'cuda'")
    if function is None:
        function = _find_operator(name)
    if not callable(function):
        raise InputError(f"'{name}' is not a function but a '{type(function).__name__}'")
    key = name, device
    if replace and key in _functions:
        _functions[key][0] = function, _wants_names(function)
        return
    entry = [(function, _wants_names(function)), None]

    def enter(call, user):
        try:
            return _call(call, *entry[0])
        except BaseException as error:  # Nothing passes through the compiled program.
            text = f"{type(error).__name__}: {error}"
            return library.coil_call_fail(call, text.encode("utf-8", "replace"))

    entry[1] = _Pointer(enter)
    description = _Function(
        ctypes.sizeof(_Function),
        1 if capturable else 0,
        name.encode(),
        CUDA if device == "cuda" else CPU,
        0,
        entry[1],
        None,
    )
    if library.coil_register_function(ctypes.byref(description)):
        raise InputError(library.coil_last_error().decode())
    _functions[key] = entry
    # Programs that end with the process still call it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(entry))


def load_functions(path):
    """Loads a shared library, whose `coil_register_functions` registers what it
    has (coil/Runtime/Functions.h)."""
    if library.coil_load_functions(os.fsencode(path)):
        raise InputError(library.coil_last_error().decode())


def has_function(name, device="cpu"):
    """Whether a function is registered."""
    number = CUDA if device == "cuda" else CPU
    with torch_fallbacks(False):
        return library.coil_find_function(name.encode(), number, None) == 0


# ===------------------------------------------------------------------------===
# Operators that PyTorch runs
# ===------------------------------------------------------------------------===


class FallbackWarning(UserWarning):
    """An operator of a program runs through PyTorch's dispatcher."""


# By name and device: how often PyTorch has run an operator.
_fallbacks = {}
_are_allowed = contextvars.ContextVar("torch_fallbacks", default=None)


@contextlib.contextmanager
def torch_fallbacks(allowed):
    """A context in which operators that Coil does not know, and that nobody has registered, run through PyTorch's
    dispatcher, or are an error. Without it they run if torch is imported and `COIL_TORCH_FALLBACKS` is not 0."""
    token = _are_allowed.set(allowed)
    try:
        yield
    finally:
        _are_allowed.reset(token)


def fallbacks():
    """The operators that PyTorch runs for programs of this process, with how often it did: {"mylib::norm": 3}."""
    counts = {}
    for (name, _), count in _fallbacks.items():
        counts[name] = counts.get(name, 0) + count
    return counts


def _resolve(user, name, kind):
    """Registers torch's operator of a name that nobody has registered; called by the runtime."""
    try:
        allowed, name = _are_allowed.get(), name.decode()
        if allowed is None:
            allowed = os.environ.get("COIL_TORCH_FALLBACKS", "1") != "0"
        # What begins with these is Coil's own, or has rules of its own.
        if not allowed or not _is_torch() or name.split("::")[0] in ("coil", "_c10d_functional"):
            return 0
        device = "cuda" if kind == CUDA else "cpu"
        operator = _find_operator(name)
        # Where warnings are errors, nobody has the function.
        warnings.warn(f"the operator '{name}' has no rule in Coil and is not registered: PyTorch's dispatcher runs it "
                      f"on {device}", FallbackWarning, stacklevel=2)

        def run(*args, **kwargs):
            _fallbacks[name, device] += 1
            return operator(*args, **kwargs)

        _fallbacks[name, device] = 0
        register_function(name, run, device=device)
        return 1
    except (InputError, FallbackWarning):
        return 0


_resolver = ctypes.CFUNCTYPE(_i32, _vp, ctypes.c_char_p, _i32)(_resolve)
library.coil_set_function_resolver(ctypes.cast(_resolver, _vp), None)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_resolver))
