# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the nodes of an emitted graph for two GPUs hold where it calls functions. Torch need
not have a GPU for that: it is the graph that is looked at."""
import importlib.util
import sys

import torch

import coil
from coil import fx, host

coil.load_functions(sys.argv[2])
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
main = module.main
main.graph.lint()
calls = [node for node in main.graph.nodes if node.target is fx.do_on]
assert len(calls) == 3, main.graph
assert all(fx._actions[node.args[0]] is host.call for node in calls)
records = [module.cuda_device0, module.cuda_device1, module.cuda_device1]
assert [fx._devices[node.args[1]] for node in calls] == records
places = [node.kwargs.get("place") for node in calls]
assert places == [(f"cuda:{n}", "coil_rt_copy_cuda", "coil_rt_free_cuda") if n is not None else None
                  for n in (0, None, 1)], places
# A function that brings memory gives a tuple on its GPU; one that writes gives nothing.
given, nothing, other = (node.meta["val"] for node in calls)
assert [each.device for each in given + other] == [torch.device("cuda:0"), torch.device("cuda:1")]
assert nothing is None
# The text of the graph is Python that finds what it names.
text = main.code
compile(text, "graph", "exec")
assert text.count("do_on(") == 3 and " object at " not in text, text
print("nodes of calls on GPUs agree")
