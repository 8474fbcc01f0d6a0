# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable
from typing import Any

class Capture:
    warmups: int
    recorded: int
    replayed: int
    plain: int
    failures: dict[str, int]
    def __init__(self, function: Callable[..., Any], limit: int = ...) -> None: ...
    def __call__(self, args: list[Any]) -> Any: ...

def capture(partition: Callable[..., Any], limit: int = ...) -> Capture: ...
