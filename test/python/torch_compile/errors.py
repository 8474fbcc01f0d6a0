#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What goes wrong, and what is reported: options, fallbacks, graphs that cannot be compiled,
exceptions while compiling and running, threads and forks."""

import os
import runpy
import sys
import tempfile
import threading
import warnings

import coil
import torch
from checks import compile, equal, main, raises
from coil import torch_compile
from coil.torch_compile import _compiler, _piece


@torch.library.custom_op("coil_errors::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] == 13:
        raise ValueError("thirteen rows")
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


def uses_custom_op(x):
    y = x + 1
    y = torch.ops.coil_errors.twice(y)  # The line that errors name.
    return y - 1


def failing_compiler(message):
    """Makes the compiler fail inside the block, as for a node that it does not name."""
    class Failing:
        def __enter__(self):
            self.kept = _piece._program.compile_text

            def fail(*args, **kwargs):
                raise coil.CompileError(message)
            _piece._program.compile_text = fail

        def __exit__(self, *_):
            _piece._program.compile_text = self.kept
    return Failing()


# ===------------------------------------------------------------------------===
# Options
# ===------------------------------------------------------------------------===


def test_unknown_options():
    x = torch.rand(3)

    def call(**given):
        torch._dynamo.reset()
        return torch.compile(lambda x: x + 1, backend="coil", **given)(x)
    error = raises(torch_compile.OptionError, "did you mean 'fallback'", call, options={"fallbak": "error"})
    assert isinstance(error, coil.CoilError)
    raises(torch_compile.OptionError, "did you mean 'max-autotune'", call, mode="max-autotun")
    raises(torch_compile.OptionError, "is one of 'allow', 'error'", call, options={"fallback": "never"})
    raises(torch_compile.OptionError, "is a bool", call, options={"strict": 1})
    raises(torch_compile.OptionError, "is a int", call, options={"threads": True})
    raises(torch_compile.OptionError, "expected a number from 0 to", call, options={"threads": -1})
    raises(torch_compile.OptionError, "no-such-option", call, options={"pipeline": "no-such-option=1"})
    for mode in torch_compile.MODES:
        equal(call(mode=mode), x + 1)
    equal(call(options={"opt_level": 3, "threads": 1, "pipeline": "vector-bits=256"}), x + 1)


# ===------------------------------------------------------------------------===
# Fallbacks
# ===------------------------------------------------------------------------===


def test_fallback_is_an_error_if_asked():
    torch._dynamo.reset()
    compiled = torch.compile(uses_custom_op, backend="coil", options={"fallback": "error"})
    line = uses_custom_op.__code__.co_firstlineno + 2
    error = raises(torch_compile.FallbackError, f"errors.py:{line}: 'coil_errors.twice.default' is not compiled",
                   compiled, torch.rand(4))
    assert isinstance(error, coil.CompileError)
    equal(compile(lambda x: x + 1)(torch.ones(2)), torch.ones(2) + 1)


def test_counters():
    coil.reset_counters()
    torch._dynamo.utils.counters.clear()
    torch._dynamo.reset()
    compile(uses_custom_op)(torch.rand(4))
    found = coil.counters()
    assert found["fallbacks"] == 1 and found["graphs"] == 1 and found["pieces"] == 2, found
    reasons = found["fallbacks_by_operator"]["coil_errors.twice.default"]
    assert list(reasons.values()) == [1] and "dispatcher" in next(iter(reasons)), reasons
    assert torch._dynamo.utils.counters["coil"]["fallbacks"] == 1


def test_explain():
    explanation = coil.explain(uses_custom_op, torch.rand(4))
    (operator, reason, source), = explanation.fallbacks
    assert operator == "coil_errors.twice.default" and source[0].endswith("errors.py")
    assert source[1] == str(uses_custom_op.__code__.co_firstlineno + 2)
    assert explanation.kernels == 2, explanation.kernels
    assert "'coil_errors.twice.default' is not compiled" in str(explanation)
    assert explanation.result.shape == (4,)

    def trains(x):
        x.sin().sum().backward()
    explanation = coil.explain(trains, torch.rand(4, requires_grad=True))
    assert [graph.name.split("_")[0] for graph in explanation.graphs] == ["forward", "backward"]


def test_nodes_that_the_compiler_refuses():
    # No lowering: the compiler names the node, and the rest is compiled.
    def function(x):
        y = torch.hash_tensor(x * 2)
        return y, x.sin() + 1
    explanation = coil.explain(function, torch.rand(6))
    assert [operator for operator, _, _ in explanation.fallbacks] == ["aten.hash_tensor.default"], str(explanation)
    assert explanation.kernels >= 1
    x = torch.rand(6)
    equal(compile(function)(x), function(x))


def test_a_node_that_fails_without_a_name():
    # Nodes are compiled alone to find the one.
    kept = _piece._program.compile_text

    def fails_for_cosines(text, **options):
        if "aten.cos" in text:
            raise coil.CompileError("something is wrong")
        return kept(text, **options)
    _piece._program.compile_text = fails_for_cosines
    try:
        explanation = coil.explain(lambda x: x.sin().cos().exp(), torch.rand(5))
    finally:
        _piece._program.compile_text = kept
    assert [(o, r) for o, r, _ in explanation.fallbacks] == [("aten.cos.default", "something is wrong")]


# ===------------------------------------------------------------------------===
# Graphs that cannot be compiled
# ===------------------------------------------------------------------------===


def test_a_graph_that_fails_runs_eagerly():
    folder = tempfile.mkdtemp()
    os.environ["COIL_REPRODUCERS"] = folder
    x = torch.rand(4, requires_grad=True)
    function = lambda x: (x.sin() * 2).sum()
    kept = _compiler.Plan

    def fails(*_):
        raise coil.CompileError("no plan")
    _compiler.Plan = fails
    try:
        torch._dynamo.reset()
        before = coil.counters()["failed_graphs"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = torch.compile(function, backend="coil")(x)
            result.backward()
        equal(result.detach(), function(x).detach())
        equal(x.grad, 2 * x.detach().cos())
        assert coil.counters()["failed_graphs"] == before + 2
        texts = [str(w.message) for w in caught if "runs eagerly" in str(w.message)]
        assert len(texts) == 2 and "no plan" in texts[0] and "reproduces it" in texts[0], texts
        torch._dynamo.reset()
        strict = torch.compile(function, backend="coil", options={"strict": True})
        raises(torch_compile.GraphError, "no plan", strict, x)

        def fails_otherwise(*_):
            raise KeyError("an internal error")
        _compiler.Plan = fails_otherwise
        torch._dynamo.reset()
        raises(torch_compile.GraphError, "KeyError: 'an internal error'", strict, x)
    finally:
        _compiler.Plan = kept
    # The reproducers run.
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    assert len(files) == 4, files
    for file in files:
        runpy.run_path(file)


def test_everything_is_refused():
    # Then all nodes are called one by one.
    with failing_compiler("node 'nobody': nothing works"):
        torch._dynamo.reset()
        equal(torch.compile(lambda x: x.sin() + 1, backend="coil")(torch.ones(3)), torch.ones(3).sin() + 1)


def test_interrupted_compilation():
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt
    kept = _piece._program.compile_text
    _piece._program.compile_text = interrupt
    torch._dynamo.reset()
    compiled = compile(lambda x: x.sin() + 1)
    try:
        compiled(torch.ones(3))
        raise AssertionError("no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
    finally:
        _piece._program.compile_text = kept
    torch._dynamo.reset()
    equal(compiled(torch.ones(3)), torch.ones(3).sin() + 1)


# ===------------------------------------------------------------------------===
# Runs
# ===------------------------------------------------------------------------===


def test_exceptions_of_operators():
    torch._dynamo.reset()
    compiled = compile(uses_custom_op, dynamic=True)
    equal(compiled(torch.ones(5)), uses_custom_op(torch.ones(5)))
    raises(ValueError, "thirteen rows", compiled, torch.ones(13))
    equal(compiled(torch.ones(6)), uses_custom_op(torch.ones(6)))


def test_indices_out_of_range():
    torch._dynamo.reset()
    compiled = compile(lambda x, i: x[i] * 2)
    x = torch.rand(5, 3)
    raises(coil.RunError, "", compiled, x, torch.tensor([0, 7]))
    raises(RuntimeError, "out of range", compiled, x, torch.tensor([0, 7]))
    i = torch.tensor([0, 4])
    equal(compiled(x, i), x[i] * 2)


def test_memory_ends_with_the_last_use():
    # Inputs that nobody else holds are free while the rest runs: boxed calls.
    import weakref
    torch._dynamo.reset()
    seen = []

    @torch.library.custom_op("coil_errors::look", mutates_args=())
    def look(x: torch.Tensor) -> torch.Tensor:
        seen.append(alive() is not None)
        return x.clone()

    @look.register_fake
    def _(x):
        return torch.empty_like(x)

    from coil.torch_compile import compile_module

    class Module(torch.nn.Module):
        def forward(self, x):
            return (torch.ops.coil_errors.look(x * 2) + 1,)
    given = torch.rand(8)
    call = compile_module(Module(), [given])
    inner = call.__closure__[0].cell_contents
    arguments = [torch.rand(8)]
    alive = weakref.ref(arguments[0])
    inner(arguments)
    assert arguments == [] and seen == [False], seen


def test_results_end_one_by_one():
    # One small result of a call does not keep the large ones of the same call.
    from coil.torch_compile import compile_module

    class Module(torch.nn.Module):
        def forward(self, x):
            return x.sin(), x.cos(), x[0] * 2

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    x = torch.rand(1000, 1000)
    call = compile_module(Module(), [x])
    for _ in range(3):
        call(x)
    before, kept = resident(), []
    for _ in range(40):
        kept.append(call(x)[2])
    # 320 MB if results of a call ended together.
    assert resident() - before < 100e6, resident() - before
    equal(kept[-1], x[0] * 2)


def test_threads():
    torch._dynamo.reset()
    function = lambda x, w: torch.softmax(x @ w, -1)
    w = torch.rand(6, 5)
    compiled = compile(function, dynamic=True)
    # A first capture in a thread that ends leaves torch 2.11 unusable, with any backend.
    compiled(torch.rand(2, 6), w)
    # Dynamo itself captures in one thread at a time, and nobody may call meanwhile.
    errors, lock, captured = [], threading.Lock(), threading.Barrier(4)

    def work(number):
        try:
            own = compile(lambda x: (x * number).sin() + number)
            with lock:
                compiled(torch.rand(number, 6), w)
                for rows in (number, number + 1):
                    own(torch.rand(rows, 6))
            captured.wait(120)
            for i in range(20):
                x = torch.rand(number + i % 3 + 2, 6)
                torch.testing.assert_close(compiled(x, w), function(x, w))
                torch.testing.assert_close(own(x), (x * number).sin() + number)
        except Exception as error:  # pylint: disable=broad-except
            errors.append(error)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(2, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_graphs_compile_in_threads():
    from coil.torch_compile._options import make_options
    from torch.fx.experimental.proxy_tensor import make_fx
    make = lambda n: lambda x: (torch.softmax(x * n, -1) @ x.t() + n,)
    functions = [make(n) for n in range(1, 9)]
    x = torch.rand(4, 6)
    graphs = [make_fx(function, tracing_mode="fake")(x) for function in functions]
    results = [None] * len(graphs)

    def work(number):
        call = _compiler.compile_graph(graphs[number], [x], make_options(None, {"strict": True}), "inference")
        results[number] = call([x])
    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(graphs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for function, result in zip(functions, results):
        equal(result, function(x))


def test_compile_inside_of_a_call():
    @torch.library.custom_op("coil_errors::inner", mutates_args=())
    def inner(x: torch.Tensor) -> torch.Tensor:
        return coil.torch_compile.compile_module(Square(), [x])(x)[0]

    @inner.register_fake
    def _(x):
        return torch.empty_like(x)

    class Square(torch.nn.Module):
        def forward(self, x):
            return (x * x,)
    torch._dynamo.reset()
    x = torch.rand(4)
    equal(compile(lambda x: torch.ops.coil_errors.inner(x + 1) * 2)(x), (x + 1) * (x + 1) * 2)


def test_fork():
    torch._dynamo.reset()
    compiled = compile(lambda x: x.exp() * 2)
    x = torch.rand(1000)
    expected = x.exp() * 2
    equal(compiled(x), expected)
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        os._exit(0 if torch.allclose(compiled(x), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    sys.exit(main(globals()))
