# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes and options of torch.compile(backend="coil")."""

import dataclasses
import difflib

from coil._library import InputError


class OptionError(InputError):
    """An unknown mode or option, or a value that an option does not take."""


MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


@dataclasses.dataclass(frozen=True)
class Options:
    """What options={...} of torch.compile says.

    Attributes:
      fallback: "allow" calls operators that are not compiled through PyTorch's
        dispatcher; "error" raises with the model's source line.
      strict: whether a graph that cannot be compiled raises; otherwise it runs eagerly,
        with a warning and a file that reproduces the failure.
      pipeline: options of Coil's pipelines as text, such as "fast-math=none".
      threads: threads that compile; 0 takes all of the machine.
      opt_level: 1 to 3, of code generation.
      object_cache: a directory that keeps compiled objects between processes.
      debug_dir: a directory that receives everything that is made on the way, in one
        folder for each piece.
      cuda_graphs: calls of a piece on a GPU to keep as CUDA graphs; None follows the mode.
    """

    fallback: str = "allow"
    strict: bool = False
    pipeline: str = ""
    threads: int = 0
    opt_level: int = 2
    object_cache: str | None = None
    debug_dir: str | None = None
    cuda_graphs: int | None = None
    mode: str = "default"


_TYPES = {
    "fallback": str, "strict": bool, "pipeline": str, "threads": int, "opt_level": int,
    "object_cache": str, "debug_dir": str, "cuda_graphs": int,
}
_CHOICES = {"fallback": ("allow", "error"), "opt_level": (1, 2, 3)}


def _unknown(what, name, known):
    near = difflib.get_close_matches(str(name), known, 1, 0.4)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return OptionError(f"unknown {what} '{name}' of the backend 'coil'{hint} There are: {', '.join(known)}")


def make_options(mode=None, options=None):
    """Checks what torch.compile was given; raises OptionError."""
    mode = "default" if mode is None else mode
    if mode not in MODES:
        raise _unknown("mode", mode, MODES)
    given = {}
    for name, value in (options or {}).items():
        if name not in _TYPES:
            raise _unknown("option", name, tuple(_TYPES))
        kind = _TYPES[name]
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if not fits and not (value is None and getattr(Options, name) is None):
            raise OptionError(f"option '{name}' of the backend 'coil' is a {kind.__name__}, not {value!r}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise OptionError(f"option '{name}' of the backend 'coil' is one of "
                              f"{', '.join(map(repr, _CHOICES[name]))}, not {value!r}")
        if kind is int and value is not None and value < 0:
            raise OptionError(f"option '{name}' of the backend 'coil' is not negative")
        given[name] = value
    return Options(**given, mode=mode)
