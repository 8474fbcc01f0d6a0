# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for the extension module of MLIR's own Python package, which generated modules use."""

from coil import ir  # noqa: F401
from coil.ir._operations import register_operation  # noqa: F401


class globals:
    """What MLIR's package knows of the process."""

    @staticmethod
    def register_traceback_file_exclusion(path):
        """Locations come from `with Location...`, not from tracebacks: nothing to exclude."""


def register_dialect(dialect_class):
    """Dialects are those of the context; the class only names one."""
    return dialect_class
