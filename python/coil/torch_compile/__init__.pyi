# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dataclasses
from typing import Any

from coil import CompileError, InputError, Program

class OptionError(InputError): ...

def coil_backend(module: Any, example_inputs: Any, *, mode: Any = ..., options: Any = ...) -> Any: ...

def compile_module(module: Any, example_inputs: Any, *, mode: Any = ..., options: Any = ...) -> Any: ...

def register() -> None: ...

class CompiledGraph:
    name: str
    source: str | None
    programs: list[Program]
    fallbacks: list[tuple[str, str, tuple[str, int, str] | None]]
    seconds: float
    error: str | None
    captured: bool
    not_captured: str | None
    def __init__(self, name: Any) -> None: ...
    @property
    def kernels(self) -> int: ...
    @property
    def library_calls(self) -> int: ...
    @property
    def cache_hits(self) -> int: ...

class FallbackError(CompileError): ...

class GraphError(CompileError): ...

def counters() -> dict[str, Any]: ...

def reset_counters() -> None: ...

class Explanation:
    graphs: list[CompiledGraph]
    result: Any
    def __init__(self, graphs: Any, result: Any) -> None: ...
    @property
    def kernels(self) -> int: ...
    @property
    def library_calls(self) -> int: ...
    @property
    def cache_hits(self) -> int: ...
    @property
    def fallbacks(self) -> list[tuple[str, str, tuple[str, int, str] | None]]: ...

def explain(function: Any, *args: Any, mode: Any = ..., options: Any = ..., dynamic: Any = ...,
            **kwargs: Any) -> Explanation: ...

MODES: tuple[str, ...]

@dataclasses.dataclass(frozen=True)
class Options:
    fallback: str
    strict: bool
    pipeline: str
    threads: int
    opt_level: int
    object_cache: str | None
    debug_dir: str | None
    cuda_graphs: int | None
    mode: str
