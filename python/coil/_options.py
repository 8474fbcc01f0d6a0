# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a compilation, as the library declares them."""

import ctypes
import dataclasses
import difflib
import functools
import json
import os

from coil._library import InputError, check as _check_status, library


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a compilation.

    Attributes:
      name: what flags of tools and textual options call it, such as "vector-bits".
      keyword: what `coil.compile` calls it, such as "vector_bits".
      scope: "pipeline" (of passes) or "program" (of a program in memory).
      kind: "flag", "choice", "number", "bytes", ...
      default: the default value as text.
      values: the values by name, where the option has such.
      minimum, maximum: of numbers; otherwise None.
      description: what it is for.
    """

    name: str
    keyword: str
    scope: str
    kind: str
    default: str
    values: tuple
    minimum: int | None
    maximum: int | None
    description: str


@functools.lru_cache(None)
def options():
    """All options that `coil.compile` takes, a tuple of `Option`."""
    return tuple(
        Option(entry["name"], entry["keyword"], entry["scope"], entry["kind"], entry["default"],
               tuple(entry["values"]), entry.get("min"), entry.get("max"), entry["description"])
        for entry in json.loads(library.coil_options_json())
        if entry["scope"] != "tool"
    )


@functools.lru_cache(None)
def by_keyword():
    """The options of the pipelines by their keywords."""
    return {option.keyword: option for option in options() if option.scope == "pipeline"}


def to_text(option, value):
    """A value as options in text have it; raises InputError for an object that no value of the option is."""
    if option.kind == "passes" and isinstance(value, dict):
        return ";".join(f"{point}:{pipeline}" for point, given in value.items()
                        for pipeline in ([given] if isinstance(given, str) else given))
    if isinstance(value, bool):
        return "true" if value else "false"
    if option.kind in ("library list", "names") and isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if option.kind == "file" and isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (str, int)):
        return str(value)
    raise InputError(f"the option '{option.name}' is {value!r}, a {type(value).__name__}; "
                     f"expected {_expected(option)}")


def _expected(option):
    if option.kind == "flag":
        return "True or False"
    if option.values:
        return f"one of {', '.join(map(repr, option.values))}"
    if option.kind in ("number", "bytes", "power of two"):
        return f"an integer (a {option.kind})"
    return "a string"


def nearest(name, known):
    """The known name that is nearest, as part of a message."""
    near = difflib.get_close_matches(str(name), known, 1, 0.4)
    return f"; did you mean '{near[0]}'?" if near else ""


def check_text(name, text):
    """Raises InputError unless the option may have the value."""
    error = ctypes.c_void_p()
    _check_status(library.coil_option_check(name.encode(), text.encode(), ctypes.byref(error)), error)


def check(name, value):
    """Raises InputError unless the number is one that the option may be."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"the option '{name}' is {value!r}, a {type(value).__name__}; expected an integer")
    check_text(name, str(value))


def add_keywords(text, given):
    """Adds options that are given by keyword to those in text."""
    for keyword, value in given.items():
        option = by_keyword().get(keyword)
        if option is None:
            raise InputError(f"there is no option '{keyword}'{nearest(keyword, [o.keyword for o in options()])}")
        if value is None:
            continue
        if f" {option.name}=" in f" {text}":
            raise InputError(f"{keyword} and an option '{option.name}' exclude each other")
        written = to_text(option, value)
        check_text(option.name, written)
        if written and (option.kind in ("passes", "file") or " " in written):
            written = f"{{{written}}}"
        text += f" {option.name}={written}"
    return text


def get_target(text):
    """The value of the option 'target' in options in text."""
    given = [word.removeprefix("target=").strip("{}") for word in text.split() if word.startswith("target=")]
    return given[-1] if given else "cpu"
