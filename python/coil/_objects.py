# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects that programs pass to methods, and know nothing of."""

import ctypes
import itertools

from coil._library import InputError, library

_vp, _i32 = ctypes.c_void_p, ctypes.c_int32
_Destroy = ctypes.CFUNCTYPE(None, _vp, _vp)


class _Class(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("destroy", _Destroy),
        ("user", _vp),
    ]


for _name, _result, _arguments in (
    ("coil_register_class", _i32, [ctypes.POINTER(_Class)]),
    ("coil_object_create", _i32, [ctypes.c_char_p, _vp, ctypes.POINTER(_vp)]),
    ("coil_object_retain", None, [_vp]),
    ("coil_object_release", None, [_vp]),
    ("coil_object_data", _vp, [_vp]),
    ("coil_object_class", ctypes.c_char_p, [_vp]),
    ("coil_object_count", ctypes.c_int64, []),
    ("coil_bind_object", _i32, [ctypes.c_char_p, _vp]),
    ("coil_rt_bound_object", _i32, [_vp, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(_vp)]),
    ("coil_rt_drop_object", _i32, [_vp, _vp]),
):
    getattr(library, _name).restype = _result
    getattr(library, _name).argtypes = _arguments

# What objects made here hold, by the number that is their data.
_alive = {}
_numbers = itertools.count(1)
# Names of classes that Python has registered, by the Python class if there is one.
_classes = {}
_names = set()


@_Destroy
def _destroy(number, user, alive=_alive):
    alive.pop(number, None)


# Objects that end with the process still call it.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_destroy))


class Object:
    """An owner of an object of the runtime's."""

    def __init__(self, handle):
        self.handle = handle.value
        library.coil_object_retain(handle)

    def __del__(self, release=library.coil_object_release):
        release(self.handle)

    def __repr__(self):
        return f"coil.Object({library.coil_object_class(self.handle).decode()})"


def value_of(handle):
    """The Python object that an object holds, or an `Object` for one of another
    language."""
    if library.coil_object_class(handle).decode() in _names:
        return _alive[library.coil_object_data(handle)]
    return Object(_vp(handle))


def register_class(name, cls=None, *, methods=None):
    """Registers a class whose objects programs use, and its methods: "push" of
    "mylib::Queue" is the host function "mylib::Queue.push".

    Args:
      name: "mylib::Queue".
      cls: the Python class. Its public methods are called with the object.
      methods: names of the methods; those of `cls` that do not begin with "_" by
        default. Needed for classes that Python does not see, such as those of
        `torch.classes`, whose objects are asked for the method.
    """
    from coil._functions import register_function

    if cls is None and not methods:
        raise InputError(f"the class '{name}' needs a Python class, or names of its methods")
    if methods is None:
        methods = [each for each in dir(cls) if not each.startswith("_") and callable(getattr(cls, each))]
    description = _Class(ctypes.sizeof(_Class), 0, name.encode(), _destroy, None)
    if library.coil_register_class(ctypes.byref(description)):
        raise InputError(library.coil_last_error().decode())
    _names.add(name)
    if cls is not None:
        _classes[cls] = name
    for method in methods:
        function = getattr(cls, method, None)
        if function is None:
            # Looked up when it is called: the object has it.
            def function(self, *args, _method=method):
                return getattr(self, _method)(*args)

        register_function(f"{name}.{method}", function)


def _class_of(value):
    for each in type(value).__mro__:
        if each in _classes:
            return _classes[each]
    # Objects of torch.classes say what they are: __torch__.torch.classes.mylib.Queue.
    describe = getattr(value, "_type", None)
    if callable(describe):
        parts = describe().qualified_name().split(".")
        name = "::".join(parts[-2:])
        if name in _names:
            return name
    raise InputError(f"no class is registered for a '{type(value).__name__}'")


def bind_object(name, value):
    """Binds a name to an object, which programs find under it, until it is bound to
    another one or, with None, to nothing. Programs that run hold what they found."""
    if value is None:
        library.coil_bind_object(name.encode(), None)
        return
    number = next(_numbers)
    _alive[number] = value
    handle = _vp()
    if library.coil_object_create(_class_of(value).encode(), number, ctypes.byref(handle)):
        del _alive[number]
        raise InputError(library.coil_last_error().decode())
    status = library.coil_bind_object(name.encode(), handle)
    library.coil_object_release(handle)
    if status:
        raise InputError(library.coil_last_error().decode())


def object_count():
    """How many objects there are in the process, of all classes."""
    return library.coil_object_count()
