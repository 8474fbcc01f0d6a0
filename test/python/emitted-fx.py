# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What graphs that were emitted look like, and who compiles them.

    emitted-fx.py facts.py                                  nodes of small programs
    emitted-fx.py module.py model.pt2 in.npy out.npy 1e-4   a model
"""
import ctypes
import importlib.util
import operator
import struct
import sys

import torch

from coil import fx, host

sys.path.insert(0, sys.path[0] + "/../Corpus/Inputs")
from run_python import check_graph, contiguous, elements, read_npy  # noqa: E402

# F53: whoever replaces the hook gets each finished graph, and what it gives is called.
finished = []


def compile_graph(module):
    finished.append(module)
    return module


fx.compile_graph = compile_graph
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
for module in finished:
    assert isinstance(module, torch.fx.GraphModule)
    check_graph(module)


def nodes(module, target):
    return [n for n in module.graph.nodes if n.target is target]


def facts():
    # F08: a size is solved by one floor division, an expression is one node.
    solved = program.F08_solved
    divisions = nodes(solved, operator.floordiv)
    assert len(divisions) == 1 and divisions[0].args[1] == 2
    assert len(nodes(solved, operator.mul)) == 1, "s0 * 2 is written once"
    assert isinstance(divisions[0].meta["val"], torch.SymInt)
    out = solved(torch.ones(6))
    assert tuple(out.shape) == (6,) and out.dtype == torch.float32

    # F07: constants are attributes; one output is not wrapped, several are (and
    # F54: an input that nobody uses is there).
    assert any(n.op == "get_attr" for n in solved.graph.nodes)
    assert isinstance(out, torch.Tensor)
    several = program.F07_several
    assert [n.op for n in several.graph.nodes].count("placeholder") == 2
    both = several(torch.arange(6.0), torch.zeros(3))
    assert isinstance(both, tuple) and len(both) == 2

    # F10: an output is a view of a buffer; nothing is launched for it.
    assert tuple(both[1].stride()) == (1, 3) and tuple(both[1].shape) == (3, 2)
    assert both[0].data_ptr() == both[1].data_ptr()
    assert not nodes(several, fx.coil_launch)

    # B26: a kernel is a call of our operator, F56: which says what it gives.
    (launch,) = nodes(solved, fx.coil_launch)
    assert launch.meta["val"] is None

    # F19, F20: the graphs of branches are fetched before the node that runs one, have
    # inputs of their own, and give tuples; results are elements of the node.
    branch = program.F20_branch
    order = [n.op for n in branch.graph.nodes]
    (cond,) = nodes(branch, torch.ops.higher_order.cond)
    at = list(branch.graph.nodes).index(cond)
    assert order[at - 2 : at] == ["get_attr", "get_attr"]
    true_graph = branch.get_submodule(cond.args[1].target)
    assert [n.op for n in true_graph.graph.nodes].count("placeholder") == len(cond.args[3]) == 1
    assert isinstance(true_graph.graph.output_node().args[0], tuple)
    assert len(nodes(branch, operator.getitem)) == 1
    for flag in True, False:
        x = torch.arange(4.0)
        got = branch(torch.tensor(flag), x, torch.zeros(1))
        assert torch.equal(got, x if flag else torch.ones(4)), got
    print(f"{len(finished)} graphs")


def model():
    path, inputs, expected, tolerance = sys.argv[2:]
    sizes, raw = read_npy(inputs)
    dtype = torch.int64 if b"<i8" in open(inputs, "rb").read(128) else torch.float32
    given = torch.empty_strided(sizes, contiguous(sizes), dtype=dtype, device="cpu")
    ctypes.memmove(given.data_ptr(), raw, len(raw))
    weights = host.load_weights(path, program.WEIGHTS)
    logits = program.main(*[weights.get(i, given) for i in range(len(weights) + 1)])
    sizes, raw = read_npy(expected)
    assert tuple(logits.size()) == sizes, (logits.size(), sizes)
    worst = 0.0
    for i, element in enumerate(elements(logits)):
        (a,), (b,) = struct.unpack("<f", element), struct.unpack_from("<f", raw, 4 * i)
        worst = max(worst, abs(a - b))
    if worst > float(tolerance):
        sys.exit(f"the largest difference is {worst}")
    print(f"{sizes} agree")


facts() if len(sys.argv) == 2 else model()
