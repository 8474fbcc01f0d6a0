# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pass managers and passes of Python. Raises where something is not as it should be."""

import io
import os
import signal
import tempfile
import threading
import traceback

import array
import coil
from coil import extend
from coil.dialects import func, graph
from coil.ir import *
from coil.passmanager import PassManager

# Where the signal was ignored, as in the background of a shell, Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

FUNCTION = """
func.func @f{0}(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = graph.add %a, %b : tensor<4xf32>
  %1 = graph.mul %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}}
"""
MANY = "".join(FUNCTION.format(i) for i in range(64))


def raises(kind, function, *words):
    """The exception that a call raises, whose text has these words."""
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"'{word}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


@extend.register_pass("test-add-to-sub", op="func.func")
def add_to_sub(function):
    """Adds become subtractions.

    More is not said.
    """
    assert function.parent is None and isinstance(function, func.FuncOp)

    def rewrite(operation):
        view = operation.opview
        if isinstance(view, graph.AddOp):
            with InsertionPoint(view), view.location:
                view.replace_with(graph.sub(view.lhs, view.rhs))

    function.walk(rewrite)


held = []
refused = []


@extend.register_pass("test-nested", op="func.func")
def nested(function):
    raises(ValueError, lambda: PassManager.parse("builtin.module(cse)", function.context), "of their own")
    raises(ValueError, lambda: Module.parse(MANY, function.context), "of their own")
    raises(ValueError, lambda: Module.create(function.location), "of their own")
    raises(ValueError, lambda: outer.run(function), "of their own")
    refused.append(function.name.value)


outer = None


@extend.register_pass("test-fail")
def fail(operation):
    held.append(operation)
    raise ZeroDivisionError("nothing to divide")


@extend.register_pass("test-invalid", op="func.func")
def leave_invalid(function):
    function.entry_block.terminator.erase()


@extend.register_pass("test-erase-root", op="func.func")
def erase_root(function):
    function.erase()


@extend.register_pass("test-interrupt", op="func.func")
def interrupt(function):
    raise KeyboardInterrupt


@extend.register_pass("test-long", op="builtin.module")
def long_pass(module):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        module.walk(lambda op: None)


def text_of_pipelines():
    manager = PassManager.parse("builtin.module(func.func(test-add-to-sub,cse),symbol-dce)")
    assert str(manager) == "builtin.module(func.func(test-add-to-sub,cse),symbol-dce)", str(manager)
    raises(coil.InputError, lambda: PassManager.parse("builtin.module(func.func(test-add-to-sup))"),
           "did you mean 'test-add-to-sub'")
    raises(coil.InputError, lambda: PassManager.parse("builtin.module(canonicalize{top-dawn=true})"), "top-dawn")
    raises(ValueError, lambda: PassManager.parse("cse"), "builtin.module(cse)")
    raises(coil.InputError, lambda: PassManager.parse("builtin.module(func.func(cse)"), "")
    raises(coil.InputError, lambda: extend.register_pass("cse")(fail), "already")
    raises(coil.InputError, lambda: extend.register_pass("a b")(fail), "letters")
    raises(coil.InputError, lambda: extend.register_pass("test-fail")(fail), "already")
    extend.register_pass("test-fail", replace=True)(fail)
    raises(ValueError, lambda: PassManager.parse("func.func(cse)").run(Module.parse(MANY)), "builtin.module")


def runs():
    module = Module.parse(MANY)
    names, before = [], module.body.operations[0]
    manager = PassManager.parse("builtin.module(func.func(test-add-to-sub,canonicalize))")
    manager.enable_timing()
    manager.add_hooks(before=lambda name, op: names.append((name, op.name)))
    manager.run(module.operation)
    assert "graph.add" not in str(module) and str(module).count("graph.sub") == 64 and module.verify()
    raises(InvalidHandleError, lambda: before.attributes["sym_name"], "before a pass manager ran")
    assert manager.times["test-add-to-sub"].runs == 64 == names.count(("test-add-to-sub", "func.func"))
    manager.run(module)
    assert manager.times["test-add-to-sub"].runs == 128
    nested = module.body.operations[3]
    PassManager.parse("func.func(test-add-to-sub)").run(nested)
    assert nested.is_valid

    for threads in (True, False):
        module.context.enable_multithreading(threads)
        file = io.StringIO()
        manager = PassManager.parse("builtin.module(func.func(test-add-to-sub,cse))")
        manager.enable_ir_printing(print_after_change=True, file=file)
        manager.run(Module.parse(MANY))
        assert file.getvalue().count("IR Dump After test-add-to-sub") == 64 and "cse" not in file.getvalue()
    file = io.StringIO()
    manager = PassManager.parse("builtin.module(symbol-dce)")
    manager.enable_ir_printing(print_before_all=True, file=file, print_generic_op_form=True)
    manager.run(module)
    assert file.getvalue().count("// -----// IR Dump") == 2 and '"func.func"' in file.getvalue()


def nesting():
    global outer
    outer = PassManager.parse("any(cse)")
    PassManager.parse("builtin.module(func.func(test-nested))").run(Module.parse(FUNCTION.format(0)))
    assert refused == ["f0"]
    with Context() as other:
        raises(ValueError, lambda: outer.run(Module.parse(MANY, other)), "its own context")


def failures():
    module = Module.parse(MANY)
    error = raises(MLIRError, lambda: PassManager.parse("builtin.module(func.func(test-fail))").run(module),
                   "Python pass 'test-fail' raised ZeroDivisionError: nothing to divide", "passes.py:")
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "in fail" in "".join(traceback.format_exception(error))
    assert error.error_diagnostics[0].location.describe().startswith("<string>:")
    raises(InvalidHandleError, lambda: held[0].name, "'test-fail' has returned")
    module = Module.parse(FUNCTION.format(0))
    raises(MLIRError, lambda: PassManager.parse("builtin.module(func.func(test-invalid))").run(module), "no terminator")
    raises(MLIRError, lambda: PassManager.parse("builtin.module(func.func(test-erase-root))").run(
        Module.parse(FUNCTION.format(0))), "ValueError", "root")
    raises(KeyboardInterrupt, lambda: PassManager.parse("builtin.module(func.func(test-interrupt))").run(
        Module.parse(FUNCTION.format(0))))
    module = Module.parse(FUNCTION.format(0))
    raises(KeyboardInterrupt, lambda: PassManager.parse("builtin.module(test-long,func.func(test-add-to-sub))").run(
        module))
    assert "graph.add" in str(module)

    # Ctrl-C while passes in C++ run takes effect before the next one.
    manager = PassManager.parse("builtin.module(symbol-dce,func.func(test-add-to-sub))")
    manager.add_hooks(after=lambda name, op, failed: name == "symbol-dce" and os.kill(os.getpid(), signal.SIGINT))
    raises(KeyboardInterrupt, lambda: manager.run(module))
    assert "graph.add" in str(module)
    manager = PassManager.parse("builtin.module(symbol-dce,func.func(test-add-to-sub))")

    def stop(name, operation):
        raise LookupError(name)

    manager.add_hooks(before=stop)
    raises(LookupError, lambda: manager.run(module), "symbol-dce")

    # Other threads cannot touch the module meanwhile.
    seen = []

    def look():
        try:
            module.operation.name
        except InvalidHandleError as error:
            seen.append(str(error))

    manager = PassManager.parse("builtin.module(symbol-dce)")
    manager.add_hooks(before=lambda name, op: _run_thread(look))
    manager.run(module)
    assert seen == ["a pass manager is running on the module"] and module.operation.name == "builtin.module"


def _run_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def stages():
    module = Module.parse(FUNCTION.format(0))
    assert module.stage == "graph"
    for stage in ("loop", "wrapper", "native"):
        PassManager.for_stages(module, stage, library="none").run(module)
        assert module.stage == stage
    raises(coil.InputError, lambda: PassManager.for_stages(module, "loop"), "after 'loop'")
    module = Module.parse(FUNCTION.format(0))
    raises(coil.InputError, lambda: PassManager.for_stages(module, "lop"), "did you mean 'loop'")
    raises(coil.InputError, lambda: PassManager.for_stages(module, "loop", libary="none"), "did you mean 'library'")
    raises(coil.InputError, lambda: PassManager.for_stages(module, "loop", options="vector-bits=7"), "vector-bits")


def compilations():
    """Passes of Python in programs that are compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.mlir")
        with open(path, "w") as file:
            file.write(FUNCTION.format("").replace("@f", "@main"))

        def run(**options):
            program = coil.compile(path, **options)
            return program.run(array.array("f", [1, 2, 3, 4]), array.array("f", [1, 1, 2, 2]))[0].tolist()

        assert run() == [2, 3, 10, 12]
        assert run(insert_passes={"after-legalization": "func.func(test-add-to-sub)"}) == [0, 1, 2, 4]
        error = raises(coil.CompileError, lambda: run(insert_passes={"before-fusion": "func.func(test-fail)"}),
                       "ZeroDivisionError")
        assert isinstance(error.__cause__, ZeroDivisionError) and "in fail" in "".join(
            traceback.format_exception(error))
        raises(KeyboardInterrupt, lambda: run(insert_passes={"before-fusion": "func.func(test-interrupt)"}))
        raises(coil.CompileError, lambda: run(insert_passes={"before-fusion": "func.func(test-fial)"}), "'test-fail'")
        assert run() == [2, 3, 10, 12]

        counted = []

        @extend.register_pass("test-count", op="func.func", at="before-fusion")
        def count(function):
            counted.append(sum(1 for each in function.entry_block.operations))

        assert run() == [2, 3, 10, 12] and counted == [3]
        raises(coil.InputError, lambda: extend.register_pipeline_extension("before-fusion", "test-count", "cse"),
               "already")
        raises(coil.InputError, lambda: extend.register_pipeline_extension("before-fuzion", "x", "cse"),
               "before-fusion")
        raises(coil.InputError, lambda: extend.register_pipeline_extension("before-fusion", "x", "csee"), "cse")

        # Several compilations at a time.
        results = []
        threads = [threading.Thread(target=lambda: results.append(run(
            insert_passes={"after-legalization": "func.func(test-add-to-sub)"}))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [[0, 1, 2, 4]] * 4


for test in (text_of_pipelines, runs, nesting, failures, stages, compilations):
    with Context(), Location.unknown():
        test()
    print(test.__name__, "done")
