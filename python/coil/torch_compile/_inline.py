# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the nodes of regions (`torch.compiler.nested_compile_region`) where they are called, so
that they are compiled with what is around them."""

import torch

from coil.torch_compile import _fx


def _calls(graph):
    operator = torch.ops.higher_order.invoke_subgraph
    return [node for node in graph.nodes if node.op == "call_function" and node.target is operator
            and node.args[0].op == "get_attr" and all(_fx.is_getitem(user) for user in node.users)]


def inline_regions(module):
    """Returns the module, or a new one whose graph has no calls of regions."""
    if not _calls(module.graph):
        return module
    copied = torch.fx.Graph()
    copied.output(copied.graph_copy(module.graph, {}))
    made = torch.fx.GraphModule(module, copied)
    while calls := _calls(copied):
        for node in calls:
            region = getattr(made, node.args[0].target)
            # Attributes of the region become attributes of the module.
            names = {}
            for inner in region.graph.nodes:
                if inner.op == "get_attr":
                    names[inner.target] = f"{node.args[0].target}_{inner.target}"
                    setattr(made, names[inner.target], getattr(region, inner.target))
            inputs = [inner for inner in region.graph.nodes if inner.op == "placeholder"]
            before = set(copied.nodes)
            with copied.inserting_before(node):
                results = copied.graph_copy(region.graph, dict(zip(inputs, node.args[2:])))
            for inner in copied.nodes:
                if inner.op == "get_attr" and inner not in before:
                    inner.target = names[inner.target]
            for user in list(node.users):
                result = results[user.args[1]]
                if isinstance(result, torch.fx.Node):
                    user.replace_all_uses_with(result)
                else:
                    _replace_constant(user, result)
                copied.erase_node(user)
            copied.erase_node(node)
    for node in list(copied.nodes):
        if node.op == "get_attr" and not node.users:
            copied.erase_node(node)
    made.recompile()
    return made


def _replace_constant(node, value):
    """Puts a result that is no node where a node was used."""
    put = lambda each: value if each is node else each
    for user in list(node.users):
        user.args = torch.fx.node.map_arg(user.args, put)
        user.kwargs = torch.fx.node.map_arg(user.kwargs, put)
