# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pass managers: run passes of Coil, of MLIR and of Python on a module.

    from coil.passmanager import PassManager

    PassManager.parse("builtin.module(func.func(canonicalize,cse))").run(module.operation)
    PassManager.for_stages(module, "loop", library="none").run(module.operation)
"""

import collections
import contextlib
import ctypes
import dataclasses
import sys
import threading
import time

from coil import _callbacks, _options
from coil._library import CompileError
from coil.ir import MLIRError
from coil.ir import _context
from coil.ir._capi import AfterPass, BeforePass, PassHooks, capi, checked, take_text
from coil.ir._scopes import Scope

__all__ = ["PassManager", "PassTime"]


@dataclasses.dataclass
class PassTime:
    """What a pass took: how many times it ran, and the seconds of all runs together."""

    runs: int = 0
    seconds: float = 0.0


class PassManager:
    """A list of passes for an operation, `builtin.module` by default."""

    def __init__(self, anchor_op="builtin.module", context=None):
        self.context = _context.resolve_context(context)
        self.context._check_own()
        self._before, self._after, self._raised = [], [], []
        self._anchor, self._verifies = anchor_op, True
        # The library calls these as long as it has the pass manager.
        self._hooks = PassHooks(ctypes.sizeof(PassHooks), None, BeforePass(self._call_before),
                                AfterPass(self._call_after))
        self._ptr = capi.coil_ir_pass_manager_create(self.context._ptr, anchor_op.encode(),
                                                     ctypes.byref(self._hooks))
        self._owner = self.context._owner.retain()
        self.times = collections.defaultdict(PassTime)

    def __del__(self, destroy=capi.coil_ir_pass_manager_destroy):
        if getattr(self, "_owner", None) is not None:
            destroy(self._ptr)
            self._owner.release()

    @classmethod
    def parse(cls, pipeline, context=None):
        """A pass manager for a textual pipeline that names what it runs on, such as
        "builtin.module(func.func(cse))". Raises InputError for a pass or an option that there
        is not, with the nearest name."""
        anchor, opening, rest = pipeline.strip().partition("(")
        if not opening or not rest.endswith(")"):
            raise ValueError(f"expected a pipeline such as builtin.module(cse), got '{pipeline}'")
        made = cls(anchor.strip(), context)
        if rest[:-1].strip():
            made.add(rest[:-1])
        return made

    @classmethod
    def for_stages(cls, module, to, *, options="", **pipeline_options):
        """What compilation does with a module from the stage that it is at to the stage `to`:
        "graph", "loop", "wrapper" or "native". Options are those of `coil.compile`."""
        made = cls("builtin.module", module.context)
        text = _options.add_keywords(options, pipeline_options)
        checked(capi.coil_ir_pass_manager_add_stages, made._ptr, module.operation._pointer(), to.encode(),
                text.encode())
        return made

    def add(self, pipeline):
        """Appends passes, such as "func.func(cse),coil-loop-pipeline"."""
        checked(capi.coil_ir_pass_manager_add, self._ptr, pipeline.encode())

    def enable_verifier(self, enable=True):
        """Whether the verifier runs before the first pass and after each one, as it does by
        default."""
        self._verifies = bool(enable)
        capi.mlirPassManagerEnableVerifier(self._passes(), bool(enable))

    def enable_statistics(self):
        """Prints the statistics of passes to the standard error after each run."""
        capi.mlirPassManagerEnableStatistics(self._passes(), 1)

    def enable_timing(self):
        """Fills `times` in, a dictionary from names of passes to `PassTime`."""
        started = {}

        def begin(name, operation):
            started[threading.get_ident(), name] = time.perf_counter()

        def end(name, operation, failed):
            seconds = time.perf_counter() - started.pop((threading.get_ident(), name))
            entry = self.times[name]
            entry.runs, entry.seconds = entry.runs + 1, entry.seconds + seconds

        self.add_hooks(before=begin, after=end)

    def enable_ir_printing(self, *, print_before_all=False, print_after_all=True, print_after_change=False,
                           print_after_failure=False, only=None, file=None, **print_options):
        """Prints the operation around each pass.

        Args:
          print_before_all: before each pass.
          print_after_all: after each pass.
          print_after_change: after a pass that changed something, in place of all.
          print_after_failure: after a pass that failed, in place of all.
          only: names of passes; None means all.
          file: where to; the standard error by default.
          print_options: those of `Operation.print`.
        """
        known = {}
        chosen = print_after_change or print_after_failure

        def write(when, name, operation):
            target = file if file is not None else sys.stderr
            target.write(f"// -----// IR Dump {when} {name} //----- //\n{operation.get_asm(**print_options)}\n")

        def before(name, operation):
            if only is not None and name not in only:
                return
            if print_after_change:
                known[threading.get_ident(), name] = operation.get_asm(**print_options)
            if print_before_all:
                write("Before", name, operation)

        def after(name, operation, failed):
            if only is not None and name not in only:
                return
            changed = print_after_change and known.pop((threading.get_ident(), name)) != operation.get_asm(
                **print_options)
            if (print_after_all and not chosen) or changed or (print_after_failure and failed):
                write("After", name + (" Failed" if failed else ""), operation)

        self.add_hooks(before=before, after=after)

    def add_hooks(self, *, before=None, after=None):
        """Calls `before(name, operation)` and `after(name, operation, failed)` around each
        pass, one call at a time, on the threads that run passes. They look at the operation,
        and change nothing. An exception in one ends the run."""
        if before is not None:
            self._before.append(before)
        if after is not None:
            self._after.append(after)

    def run(self, operation):
        """Runs the passes on an operation (or a Module). Handles of what is inside end; that
        of the operation itself stays.

        Raises MLIRError with all diagnostics where a pass fails or leaves invalid IR, from the
        exception of a pass that is written in Python, if that was the reason. Ctrl-C takes
        effect between passes: the module is then as the last one left it.
        """
        operation = operation.operation
        pointer, scope = operation._pointer(), operation._scope
        if operation.name != self._anchor and self._anchor != "any":
            raise ValueError(f"the pass manager is for '{self._anchor}', got '{operation.name}'")
        scope.context._check_own()
        if scope.owner is None or scope.context != self.context:
            raise ValueError("a pass manager runs on modules of its own context")
        if self._verifies:
            operation.verify()  # Passes rely on it.
        problem = None
        self._raised.clear()
        scope.closed = "a pass manager is running on the module"
        with self.context._diagnostics() as found:
            try:
                checked(capi.coil_ir_pass_manager_run, self._ptr, pointer)
            except CompileError as error:
                problem = error
            finally:
                scope.closed = None
                scope.forget_all_but(pointer, "was there before a pass manager ran; get it anew")
        if self._raised:
            raise self._raised[0]
        if problem is not None:
            _callbacks.raise_from_callback(MLIRError(str(problem), found.errors))

    def __str__(self):
        """The textual pipeline."""
        return take_text(capi.coil_ir_pass_manager_print(self._ptr))

    # -- What the library calls -------------------------------------------------------------

    def _passes(self):
        return capi.coil_ir_pass_manager_get(self._ptr)

    @contextlib.contextmanager
    def _handle(self, pointer):
        scope = Scope(self.context, pointer)
        try:
            yield scope.operation(pointer)
        finally:
            scope.end("the hook of the pass manager has returned")

    def _call_before(self, name, pointer, is_runner, user):
        if self._raised:
            return 1
        try:
            if self._before:
                with self._handle(pointer) as operation:
                    for hook in self._before:
                        hook(name.decode(), operation)
            return 0
        except BaseException as error:  # Whatever it is, `run` raises it.
            self._raised.append(error)
            return 1

    def _call_after(self, name, pointer, failed, user):
        try:
            if self._after:
                with self._handle(pointer) as operation:
                    for hook in self._after:
                        hook(name.decode(), operation, bool(failed))
        except BaseException as error:
            self._raised.append(error)
