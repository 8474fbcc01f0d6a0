# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions that functions of Python raise where compiled code calls them: passes and
legalizations. They reach whoever called the compiler."""

import collections
import threading
import traceback

# Exceptions with the text that the diagnostic has of them. Those that nobody asks for, as of a
# compilation that another program runs, make room for new ones.
_pending = collections.deque(maxlen=64)
_lock = threading.Lock()


def describe(error):
    """What diagnostics say of an exception: its type, message and the innermost line of the
    user's code."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def keep(error):
    """Keeps an exception, and returns its description."""
    text = describe(error)
    with _lock:
        _pending.append((text, error))
    return text


def take(message):
    """The first exception that an error message is about, or None; all that it is about are
    forgotten."""
    with _lock:
        found = [entry for entry in _pending if entry[0] in message]
        for entry in found:
            _pending.remove(entry)
    return found[0][1] if found else None


def raise_from_callback(error):
    """Raises an error of the compiler from the exception of Python's that is behind it, if
    there is one. What ends programs, such as Ctrl-C, is raised itself."""
    cause = take(str(error))
    if cause is not None and not isinstance(cause, Exception):
        raise cause
    raise error from cause
