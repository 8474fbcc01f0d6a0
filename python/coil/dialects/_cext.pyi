# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable
from typing import TypeVar

from coil import ir as ir

_T = TypeVar("_T")

class globals:
    @staticmethod
    def register_traceback_file_exclusion(path: str) -> None: ...

def register_dialect(dialect_class: type[_T]) -> type[_T]: ...
def register_operation(dialect_class: type, replace: bool = ...) -> Callable[[type[_T]], type[_T]]: ...
