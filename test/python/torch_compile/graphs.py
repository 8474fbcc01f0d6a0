#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Which graphs are captured in PyTorch's trees of CUDA graphs, why others are not, and what the
trees are told: fake tensors on a GPU need none."""

import os
import sys
import threading

import torch
from checks import main
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd
from torch._inductor import cudagraph_trees
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from coil.torch_compile import _graphs
from coil.torch_compile._options import make_options

OPTIONS = make_options("reduce-overhead")


def reason_of(function, *shapes, device="cuda"):
    with FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv()):
        inputs = [torch.empty(shape, device=device) for shape in shapes]
        return _graphs.find_reason(make_fx(function)(*inputs), "inference")


def test_reasons():
    assert reason_of(lambda x, y: x @ y, (3, 4), (4, 5)) is None
    assert reason_of(lambda x: x + 1, (3,), device="cpu") == ""
    reason = reason_of(lambda x: torch.rand_like(x) + x, (3,))
    assert "rand_like" in reason and reason.endswith("draws random numbers"), reason
    reason = reason_of(lambda x: x.copy_(x + 1), (3,))
    assert reason == "input 'x_1', which is updated and may be elsewhere in each call", reason
    reason = reason_of(lambda x: (x * 2, torch.ones(3)), (3,))
    assert "cpu device" in reason, reason
    reason = reason_of(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)), (3,))
    assert reason.startswith("'cond"), reason
    reason = reason_of(lambda x: x.nonzero().sum(), (3,))
    assert "nonzero" in reason, reason


def test_static_inputs():
    linear, static = torch.nn.Linear(4, 3), {}

    def compiler(kind):
        def compile(module, example_inputs):
            inputs = [node.name for node in module.graph.find_nodes(op="placeholder")]
            static[kind] = (inputs, _graphs.get_static_inputs(module, kind), _graphs._get_mutated(module))
            return make_boxed_func(module)
        return compile

    backend = aot_autograd(fw_compiler=compiler("forward"), bw_compiler=compiler("backward"),
                           partition_fn=min_cut_rematerialization_partition)
    torch._dynamo.reset()
    torch.compile(lambda x: linear(x).relu().sum(), backend=backend)(torch.rand(2, 4)).backward()
    inputs, numbers, mutated = static["forward"]
    assert len(inputs) == 3 and len(numbers) == 2 and not mutated, static
    inputs, numbers, mutated = static["backward"]
    assert [name for i, name in enumerate(inputs) if i not in numbers] == ["tangents_1"] and not mutated, static


def test_only_where_asked_for():
    module = torch.fx.symbolic_trace(torch.nn.ReLU())
    for mode, cuda_graphs in (("default", None), ("max-autotune-no-cudagraphs", None), ("reduce-overhead", 3)):
        given = {} if cuda_graphs is None else {"cuda_graphs": cuda_graphs}
        options = make_options(mode, given)
        assert _graphs.prepare(module, "inference", options, _graphs.Model()) == (options, None, None)


def prepare(function, kind, *shapes):
    with FakeTensorMode():
        module = make_fx(function)(*[torch.empty(shape, device="cuda") for shape in shapes])
    model = _graphs.Model()
    return model, *_graphs.prepare(module, kind, OPTIONS, model)


def test_pieces_where_no_tree_can():
    _, options, capture, reason = prepare(lambda x: torch.rand_like(x) * x, "inference", (2, 4))
    assert options.cuda_graphs == _graphs.DEFAULT_GRAPHS and capture is None, (options, capture)
    assert "random numbers" in reason, reason
    _, options, capture, reason = prepare(lambda x: torch.rand_like(x) * x, "backward", (2, 4))
    assert isinstance(capture, _graphs._Backward)


def test_trees():
    model, options, capture, reason = prepare(lambda x: x * 2, "forward", (2, 4))
    assert isinstance(capture, _graphs.Tree) and reason is None and model.device == 0
    # Pieces have no graphs of their own inside of one.
    assert options.cuda_graphs == 0


def test_only_with_memory_of_the_allocator():
    os.environ["COIL_TORCH_MEMORY"] = "0"
    try:
        _, options, capture, reason = prepare(lambda x: x * 2, "forward", (2, 4))
    finally:
        del os.environ["COIL_TORCH_MEMORY"]
    assert capture is None and options.cuda_graphs == _graphs.DEFAULT_GRAPHS and "allocator" in reason, reason


class Trees:
    """Stands for `cudagraphify_impl`, and for a tree that has a forward."""

    def __enter__(self):
        self.calls, self.given, self.backwards = [], [], 0
        self._before = cudagraph_trees.cudagraphify_impl, cudagraph_trees.get_manager

        def cudagraphify_impl(call, inputs, static, **given):
            self.given.append((list(static), given))

            def captured(args):
                self.calls.append(len(args))
                return call(args)
            return captured

        cudagraph_trees.cudagraphify_impl = cudagraphify_impl
        cudagraph_trees.get_manager = lambda device, create_if_none_exists: self
        return self

    def __exit__(self, *_):
        cudagraph_trees.cudagraphify_impl, cudagraph_trees.get_manager = self._before

    def set_to_running_backward(self):
        self.backwards += 1


def make_tree():
    with FakeTensorMode():
        module = make_fx(lambda x: x * 2)(torch.empty(3, device="cuda"))
    return _graphs.Tree(module, "inference", _graphs.Model())


def test_one_tree_for_each_function():
    with Trees() as trees:
        run = make_tree().wrap(lambda args: (args.pop() + 1,))
        assert run([1]) == (2,) and run([5]) == (6,)
        assert trees.calls == [1, 1] and len(trees.given) == 1
        assert trees.given[0][1]["device_index"] == 0 and trees.given[0][1]["is_inference"]


# A thread of the user's has no trees: its calls run without, at the same time as those of others.
def test_threads():
    with Trees() as trees:
        run = make_tree().wrap(lambda args: (args.pop() + 1,))
        results = []
        thread = threading.Thread(target=lambda: results.append(run([1])))
        thread.start()
        thread.join()
        assert results == [(2,)] and not trees.calls
        run([1])
        assert trees.calls == [1]


def test_backward_without_a_tree():
    model = _graphs.Model()
    call = lambda args: tuple(args)
    assert _graphs._Backward(model).wrap(call) is call
    model.device = 0
    with Trees() as trees:
        assert _graphs._Backward(model).wrap(call)([3]) == (3,)
        assert trees.backwards == 1


if __name__ == "__main__":
    sys.exit(main(globals()))
