# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contexts, locations, diagnostics, and what is current on a thread."""

import ctypes
import dataclasses
import enum
import threading

from coil._library import CoilError
from coil.ir._capi import Diagnostic, capi, checked, pointers, string_ref, take_text


class DiagnosticSeverity(enum.IntEnum):
    ERROR = 0
    WARNING = 1
    NOTE = 2
    REMARK = 3


@dataclasses.dataclass(frozen=True)
class DiagnosticInfo:
    """A diagnostic of the compiler.

    Attributes:
      severity: a `DiagnosticSeverity`.
      location: the `Location` that it is about.
      message: its text.
      notes: a tuple of `DiagnosticInfo` that explain it.
    """

    severity: DiagnosticSeverity
    location: "Location"
    message: str
    notes: tuple = ()

    def __str__(self):
        lines = [f"{self.severity.name.lower()}: {self.location.describe()}: {self.message}"]
        lines += [f"  {line}" for note in self.notes for line in str(note).splitlines()]
        return "\n".join(lines)


class MLIRError(CoilError):
    """IR that cannot be parsed, built, verified or transformed.

    Attributes:
      error_diagnostics: a list of `DiagnosticInfo`, with locations and notes.
    """

    def __init__(self, message, error_diagnostics=()):
        self.message, self.error_diagnostics = message, list(error_diagnostics)
        super().__init__("\n".join([message, *map(str, self.error_diagnostics)]))


class InvalidHandleError(CoilError, ReferenceError):
    """The use of an operation, a block or a value that does not exist any more."""


class _Current(threading.local):
    def __init__(self):
        self.stack = []


_current = _Current()


def _enter(thing):
    _current.stack.append(thing)
    return thing


def _leave(thing):
    if not _current.stack or _current.stack[-1] is not thing:
        raise RuntimeError(f"the {type(thing).__name__} is not the innermost one that was entered")
    _current.stack.pop()


def current_location():
    """The location that `with` made current, or None."""
    from coil.ir._blocks import InsertionPoint

    for thing in reversed(_current.stack):
        if isinstance(thing, Location):
            return thing
        if isinstance(thing, InsertionPoint) and thing.location is not None:
            return thing.location
    return None


def current_insertion_point():
    """The insertion point that `with` made current, or None."""
    from coil.ir._blocks import InsertionPoint

    return next((thing for thing in reversed(_current.stack) if isinstance(thing, InsertionPoint)), None)


def resolve_context(context):
    """The context, or the current one."""
    if context is not None:
        if not isinstance(context, Context):
            raise TypeError(f"expected a Context, got {context!r}")
        return context
    for thing in reversed(_current.stack):
        return thing if isinstance(thing, Context) else thing.context
    raise ValueError("there is no current context: write 'with Context():', or pass one")


def same_context(context, *things):
    """Raises unless types, attributes and locations are in a context."""
    for thing in things:
        if thing is not None and thing.context != context:
            raise ValueError(f"{thing} belongs to another context")


class ContextOwner:
    """Destroys a context of MLIR behind the last one that needs it: objects that Python finds
    in a cycle end in any order."""

    def __init__(self, pointer):
        self._pointer, self._users = pointer, 0

    def retain(self):
        self._users += 1
        return self

    def release(self, destroy=capi.mlirContextDestroy):
        self._users -= 1
        if self._users == 0:
            destroy(self._pointer)


class Context:
    """Owns the types, attributes and operations that are made in it; knows all dialects of
    Coil and of its plugins. `with Context():` makes it the current one of the thread.

    Every object of the IR keeps its context alive.
    """

    def __init__(self):
        made = ctypes.c_void_p()
        checked(capi.coil_ir_context_create, ctypes.byref(made))
        self._ptr = made.value
        self._owner = ContextOwner(made.value).retain()
        self._loads_dialects = True
        # Not on demand, which another thread that runs passes would not stand.
        capi.mlirContextLoadAllAvailableDialects(self._ptr)

    @classmethod
    def _borrow(cls, pointer):
        """The context of a compilation, in which a callback runs."""
        context = cls.__new__(cls)
        context._ptr, context._owner, context._loads_dialects = pointer, None, False
        return context

    def __del__(self):
        if getattr(self, "_owner", None) is not None:
            self._owner.release()

    def __enter__(self):
        return _enter(self)

    def __exit__(self, *_):
        _leave(self)

    def __eq__(self, other):
        return isinstance(other, Context) and self._ptr == other._ptr

    def __hash__(self):
        return hash(self._ptr)

    @property
    def context(self):
        return self

    @property
    def allow_unregistered_dialects(self):
        """Whether operations of unknown dialects are allowed."""
        return capi.mlirContextGetAllowUnregisteredDialects(self._ptr)

    @allow_unregistered_dialects.setter
    def allow_unregistered_dialects(self, allow):
        capi.mlirContextSetAllowUnregisteredDialects(self._ptr, bool(allow))

    def enable_multithreading(self, enable):
        """Whether pass managers use several threads."""
        capi.mlirContextEnableMultithreading(self._ptr, bool(enable))

    def is_registered_operation(self, name):
        """Whether there is an operation of this name; loads its dialect."""
        return bool(capi.coil_ir_knows_operation(self._ptr, string_ref(name), self._loads_dialects))

    def _diagnostics(self):
        return CapturedDiagnostics(self)

    def _check_own(self):
        """Raises in the context of a pass or a legalization that is running."""
        if self._owner is None:
            raise ValueError("what a pass, a hook or a legalization is given is in the context of a compilation: "
                             "modules and pass managers need a Context of their own")


class CapturedDiagnostics:
    """Collects what is reported while it is entered."""

    def __init__(self, context):
        self.context, self.all = context, []

    def __enter__(self):
        self._ptr = capi.coil_ir_diagnostics_begin(self.context._ptr)
        return self

    def __exit__(self, *_):
        found = Diagnostic()
        for i in range(capi.coil_ir_diagnostics_count(self._ptr)):
            capi.coil_ir_diagnostics_get(self._ptr, i, ctypes.byref(found))
            made = DiagnosticInfo(DiagnosticSeverity(found.severity), Location(self.context, found.location),
                                  found.message.decode(errors="replace"))
            if found.is_note and self.all:
                last = self.all[-1]
                self.all[-1] = dataclasses.replace(last, notes=(*last.notes, made))
            else:
                self.all.append(made)
        capi.coil_ir_diagnostics_end(self._ptr)

    @property
    def errors(self):
        return [each for each in self.all if each.severity == DiagnosticSeverity.ERROR]

    def fail(self, message):
        raise MLIRError(message, self.errors)


class Location:
    """Where something comes from. `with Location.file(...):` makes it the one that new
    operations get."""

    def __init__(self, context, pointer):
        self.context, self._ptr = context, pointer

    def __enter__(self):
        return _enter(self)

    def __exit__(self, *_):
        _leave(self)

    def __eq__(self, other):
        return isinstance(other, Location) and self._ptr == other._ptr

    def __hash__(self):
        return hash(self._ptr)

    def __str__(self):
        return take_text(capi.coil_ir_print_attribute(self._ptr))

    def __repr__(self):
        return str(self)

    @classmethod
    def unknown(cls, context=None):
        context = resolve_context(context)
        return cls(context, capi.mlirLocationUnknownGet(context._ptr))

    @classmethod
    def file(cls, filename, line, col, context=None):
        context = resolve_context(context)
        return cls(context, capi.mlirLocationFileLineColGet(context._ptr, string_ref(filename), line, col))

    @classmethod
    def name(cls, name, childLoc=None, context=None):
        context = childLoc.context if childLoc is not None else resolve_context(context)
        child = childLoc._ptr if childLoc is not None else capi.mlirLocationUnknownGet(context._ptr)
        return cls(context, capi.mlirLocationNameGet(context._ptr, string_ref(name), child))

    @classmethod
    def fused(cls, locations, metadata=None, context=None):
        locations = list(locations)
        context = locations[0].context if locations else resolve_context(context)
        same_context(context, metadata, *locations)
        return cls(context, capi.mlirLocationFusedGet(context._ptr, len(locations),
                                                      pointers([each._ptr for each in locations]),
                                                      metadata._ptr if metadata is not None else None))

    @classmethod
    def current(cls):
        """The location that `with` made current."""
        found = current_location()
        if found is None:
            raise ValueError("there is no current location: write 'with Location...:', or pass 'loc'")
        return found

    @property
    def attr(self):
        """The same as an attribute."""
        from coil.ir._attributes import Attribute

        return Attribute._wrap(self.context, capi.mlirLocationGetAttribute(self._ptr))

    def describe(self):
        """The location as compilers print it: model.py:3:5."""
        text = str(self)
        return text[4:-1].replace('"', "") if text.startswith("loc(") and text.endswith(")") else text


def resolve_location(loc, context=None):
    """A location, or the current one, or an unknown one of the context."""
    if loc is not None:
        if not isinstance(loc, Location):
            raise TypeError(f"expected a Location, got {loc!r}")
        return loc
    return current_location() or Location.unknown(context)
