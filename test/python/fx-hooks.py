# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches in graphs of torch.fx are operators that other compilers understand: two backends in one process, each
with a hook of its own, of which one is Inductor; graphs that are traced again, pickled and exported.

    fx-hooks.py module.py <folder>
    fx-hooks.py --load <folder>      what was pickled and exported there, in another process
"""
import copy
import importlib.util
import os
import pickle
import sys

import torch

from coil import fx

x = torch.arange(20.0).reshape(5, 4)


def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def agrees(function, what):
    assert torch.equal(function(x), 5 * x), what
    print(what, "agrees")


if sys.argv[1] == "--load":
    folder = sys.argv[2]
    module = pickle.load(open(os.path.join(folder, "module.pickle"), "rb"))
    agrees(module, "pickled graph")
    launches = [n for n in module.graph.nodes if n.target is fx.coil_launch]
    assert [n.meta["coil"]["handle"] for n in launches] == ["twice:0", "twice:1", "add:2"]
    exported = torch.export.load(os.path.join(folder, "module.pt2"))
    agrees(exported.module(), "exported graph")
    sys.exit()

path, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
plain = load(path).main
agrees(plain, "graph")

# F09, B26, F17, F26: what a launch does is in its node.
launches = [n for n in plain.graph.nodes if n.target is fx.coil_launch]
assert len(launches) == 3
first, second, third = launches
assert first.kwargs["kernel"] == second.kwargs["kernel"] != third.kwargs["kernel"]
assert list(third.kwargs["arguments"]) == ["in0", "in1", "out0", "k"] and third.kwargs["writes"] == ("out0",)
assert first.kwargs["configuration"]["schedule"].startswith("schedule<") or "vector_width = 8" in first.kwargs["configuration"]["schedule"]
rows, columns = third.kwargs["grid"]
assert columns == 4 and isinstance(rows.meta["val"], torch.SymInt)
assert third.meta["coil"]["handle"] == "add:2" and third.meta["coil"]["source"].endswith("fx-hooks.mlir:34"), third.meta["coil"]
assert "line 34, in add:2" in third.meta["stack_trace"]
schema = fx.coil_launch.gen_schema(**torch.fx.map_arg(dict(third.kwargs), lambda n: n.meta["val"]))
assert [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write] == ["out0"], schema
print("launches say what they do")

# F53, F67: two backends in one process, each with a hook of its own.
seen = {"small": [], "inductor": []}


def small(module):
    """A compiler that removes what does nothing: it traces the graph again, with launches made functional."""
    from torch._subclasses.functional_tensor import FunctionalTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    traced = make_fx(torch.func.functionalize(module), tracing_mode="real")(x)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    seen["small"].append(traced)
    return traced


def inductor(module):
    from torch._inductor.compile_fx import compile_fx

    compiled = compile_fx(module, [x])
    seen["inductor"].append(module)
    return compiled


def result(value):
    return value[0] if isinstance(value, (tuple, list)) else value


fx.register_backend("inductor", inductor)
with fx.backend(small):
    a = load(path)
with fx.backend("inductor"):
    b = load(path)
assert len(seen["small"]) == 1 and len(seen["inductor"]) == 1
agrees(lambda x: result(a.main(x)), "small compiler")
agrees(lambda x: result(b.main(x)), "Inductor")
targets = [n.target for n in seen["small"][0].graph.nodes if n.op == "call_function"]
assert any("functional" in str(t) for t in targets) and fx.coil_launch not in targets, targets
assert load(path).main is not a.main and len(seen["small"]) == 1, "others have no hook"
assert not torch._dynamo.utils.counters["inductor"].get("fallback_graph")
try:
    with fx.backend("missing"):
        pass
    sys.exit("no error")
except Exception as error:
    print(error)

# Traced again, copied, pickled and exported.
again = torch.fx.Transformer(plain).transform()
assert [n.target for n in again.graph.nodes].count(fx.coil_launch) == 3
agrees(again, "traced graph")
agrees(copy.deepcopy(plain), "copied graph")
pickle.dump(plain, open(os.path.join(folder, "module.pickle"), "wb"))
agrees(pickle.load(open(os.path.join(folder, "module.pickle"), "rb")), "pickled graph")
exported = torch.export.export(plain, (x,))
assert any(n.target is torch.ops.coil.launch.default for n in exported.graph.nodes), exported.graph
torch.export.save(exported, os.path.join(folder, "module.pt2"))
agrees(exported.module(), "exported graph")
