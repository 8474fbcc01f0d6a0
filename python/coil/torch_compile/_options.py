# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modes and options of torch.compile(backend="coil")."""

import dataclasses

from coil._library import InputError
from coil._options import add_keywords, check_text, nearest, to_text
from coil._options import options as declared_options


class OptionError(InputError):
    """An unknown mode or option, or a value that an option does not take."""


# Those that measure schedules when a graph is first compiled, and the seconds that no kernel of a
# piece is begun after, which tuning of a whole GPT-2 is to take at most.
DEFAULT_TUNING_SECONDS = 60
TUNING_MODES = ("max-autotune", "max-autotune-no-cudagraphs")
MODES = ("default", "reduce-overhead", *TUNING_MODES)


@dataclasses.dataclass(frozen=True)
class Options:
    """What options={...} of torch.compile says.

    Attributes:
      fallback: "allow" calls operators that are not compiled through PyTorch's
        dispatcher; "error" raises with the model's source line.
      strict: whether a graph that cannot be compiled raises; otherwise it runs eagerly,
        with a warning and a file that reproduces the failure.
      pipeline: options of Coil's pipelines as text, such as "fast-math=off"; those that are
        given by keyword (fast_math="off") are added to it.
      threads: threads that compile; 0 takes all of the machine.
      opt_level: 1 to 3, of code generation.
      object_cache: a directory that keeps compiled objects between processes.
      cache: whether compiled pieces are looked for in the cache on disk, and kept there.
      debug_dir: a directory that receives everything that is made on the way, in one
        folder for each piece.
      tuning_seconds: measure schedules; no kernel of a piece is begun after so long, 0 is any
        time. None follows the mode.
      cuda_graphs: calls of a piece on a GPU to keep as CUDA graphs; None follows the mode.
    """

    fallback: str = "allow"
    strict: bool = False
    pipeline: str = ""
    threads: int = 0
    opt_level: int = 2
    object_cache: str | None = None
    cache: bool = True
    debug_dir: str | None = None
    tuning_seconds: int | None = None
    cuda_graphs: int | None = None
    mode: str = "default"


_OWN = {"fallback": str, "strict": bool, "pipeline": str, "tuning_seconds": int}
_CHOICES = {"fallback": ("allow", "error")}
# What code generation of a graph has no use for: it has neither a file nor a stage to begin from.
_NOT_OF_GRAPHS = ("function", "weights", "device")


def _unknown(what, name, known):
    hint = nearest(name, known) or "."
    return OptionError(f"unknown {what} '{name}' of the backend 'coil'{hint} There are: {', '.join(known)}")


def _get_declared():
    """The options that Coil declares, by the names that torch.compile takes."""
    return {option.keyword: option for option in declared_options() if option.keyword not in _NOT_OF_GRAPHS}


def _check_type(name, value, kind):
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not fits and not (value is None and getattr(Options, name, None) is None):
        raise OptionError(f"option '{name}' of the backend 'coil' is a {kind.__name__}, not {value!r}")


def make_options(mode=None, options=None):
    """Checks what torch.compile was given; raises OptionError."""
    mode = "default" if mode is None else mode
    if mode not in MODES:
        raise _unknown("mode", mode, MODES)
    declared = _get_declared()
    given, pipeline = {}, {}
    for name, value in (options or {}).items():
        if name in _OWN:
            _check_type(name, value, _OWN[name])
            if name in _CHOICES and value not in _CHOICES[name]:
                raise OptionError(f"option '{name}' of the backend 'coil' is one of "
                                  f"{', '.join(map(repr, _CHOICES[name]))}, not {value!r}")
            given[name] = value
            continue
        if name not in declared:
            raise _unknown("option", name, (*_OWN, *declared))
        option = declared[name]
        if option.scope == "pipeline":
            pipeline[name] = value
            continue
        _check_type(name, value, bool if option.kind == "flag" else str if option.minimum is None else int)
        try:
            if value is not None:
                check_text(option.name, to_text(option, value))
        except InputError as error:
            raise OptionError(f"option '{name}' of the backend 'coil': {error}") from None
        if name == "opt_level" and value == 0:
            raise OptionError("option 'opt_level' of the backend 'coil' is one of 1, 2, 3, not 0")
        given[name] = value
    try:
        given["pipeline"] = add_keywords(given.get("pipeline", ""), pipeline)
    except InputError as error:
        raise OptionError(f"options of the backend 'coil': {error}") from None
    return Options(**given, mode=mode)
