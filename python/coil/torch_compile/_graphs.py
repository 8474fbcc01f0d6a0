# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA graphs of whole graphs of AOTAutograd, in PyTorch's trees.

In modes that ask for it, the function that runs a graph (its pieces, calls and copies) is
captured by torch._inductor.cudagraph_trees, as Inductor's functions are: graphs that run one
after the other share a private pool of PyTorch's allocator, what a forward leaves alive for its
backward stays, and results live until the next step begins. What a tree cannot hold is captured
piece by piece, by Coil.
"""

import dataclasses
import sys

import torch

from coil import _memory
from coil.torch_compile import _fx

# Modes that capture, and calls of a piece that Coil captures by itself there.
MODES = ("reduce-overhead", "max-autotune")
DEFAULT_GRAPHS = 8

_TREES = "torch._inductor.cudagraph_trees"


class Model:
    """What forward and backward graphs of one model share: the GPU whose tree has the forward."""

    def __init__(self):
        self.device = None


def find_reason(module, kind):
    """Why no tree of graphs can hold a graph of AOTAutograd; None if one can, and "" if it has no tensor
    on a GPU."""
    from torch._dynamo.backends.cudagraphs import get_device_node_mapping
    from torch._inductor.cudagraph_utils import check_multiple_devices_or_any_cpu_nodes
    from torch._inductor.utils import get_first_incompatible_cudagraph_node

    devices = get_device_node_mapping(module)
    if not any(device.type == "cuda" for device in devices):
        return ""
    prefix = "skipping cudagraphs due to "
    if reason := check_multiple_devices_or_any_cpu_nodes(devices):
        return reason.removeprefix(prefix)
    if node := get_first_incompatible_cudagraph_node(module):
        return f"'{node.name}' ({_fx.name_of(node)})" if node.op == "call_function" else f"'{node.name}'"
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        if node.target is torch.ops.higher_order.with_effects or _has_subgraphs(module, node):
            return f"'{node.name}' ({_fx.name_of(node)}), whose effects or subgraphs are the host's"
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            return f"'{node.name}' ({_fx.name_of(node)}), which draws random numbers"
    known = (torch.Tensor, torch.SymInt, int, type(None))
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node in inputs:
        if not isinstance(_fx.value_of(node), known):
            return f"input '{node.name}' of type '{type(_fx.value_of(node)).__name__}'"
    for value in _get_results(module):
        if not isinstance(value, known):
            return f"a result of type '{type(value).__name__}'"
    static = get_static_inputs(module, kind)
    for number in sorted(_get_mutated(module)):
        if number not in static:
            return f"input '{inputs[number].name}', which is updated and may be elsewhere in each call"
    return None


def _has_subgraphs(module, node):
    return any(each.op == "get_attr" and isinstance(_attribute(module, each.target), torch.nn.Module)
               for each in node.all_input_nodes)


def _get_results(module):
    from torch._inductor.utils import output_node

    results = output_node(module).args[0]
    results = results if isinstance(results, (tuple, list)) else (results,)
    return [_fx.value_of(each) if isinstance(each, torch.fx.Node) else each for each in results]


def _get_mutated(module):
    from torch._dynamo.backends.cudagraphs import find_input_mutations

    return set(find_input_mutations(module.graph))


def get_static_inputs(module, kind):
    """The numbers of inputs that stay where they are: parameters and buffers; in a backward graph all but
    the gradients that come in, since what the forward has saved is in the tree."""
    if kind == "backward":
        from torch._inductor.utils import count_tangents

        return list(range(count_tangents(module)))
    context = torch._guards.TracingContext.try_get()
    if context is None or context.fw_metadata is None:
        return []
    return list(context.fw_metadata.static_input_indices)


def prepare(module, kind, options, model):
    """Options for the pieces of a graph, and what makes the function that runs it one that is
    captured, or None; and why not, or None."""
    if options.mode not in MODES or options.cuda_graphs is not None:
        return options, None, None
    reason = find_reason(module, kind)
    if reason == "":
        return options, None, None
    if reason is None and not _memory.use_torch():
        reason = "memory that is not that of PyTorch's allocator"
    if reason is None:
        return dataclasses.replace(options, cuda_graphs=0), Tree(module, kind, model), None
    pieces = dataclasses.replace(options, cuda_graphs=DEFAULT_GRAPHS)
    return pieces, (_Backward(model) if kind == "backward" else None), reason


class Tree:
    """Captures the function of a graph."""

    def __init__(self, module, kind, model):
        from torch._dynamo.backends.cudagraphs import get_device_node_mapping, get_stack_traces
        from torch._inductor.cudagraph_utils import get_placeholder_info

        device = next(iter(get_device_node_mapping(module)))
        if kind == "forward":
            model.device = device.index
        constants = [_attribute(module, node.target) for node in module.graph.nodes if node.op == "get_attr"]
        self._static = get_static_inputs(module, kind)
        self._given = {
            "device_index": device.index,
            "is_backward": kind == "backward",
            "is_inference": kind == "inference",
            "stack_traces": get_stack_traces(module),
            "constants": tuple(each for each in constants if isinstance(each, torch.Tensor)),
            "placeholders": get_placeholder_info(module.graph),
            "mutated_input_idxs": tuple(sorted(_get_mutated(module))),
        }

    def wrap(self, call):
        """The function that captures and replays `call`."""
        from torch._inductor import cudagraph_trees as trees

        owner, captured = None, None

        def run(args):
            nonlocal owner, captured
            # Trees are those of a thread and of the threads that autograd starts for it.
            trees_here = _get_trees(trees)
            if trees_here is None:
                return call(args)
            if captured is None:
                owner = trees_here
                captured = trees.cudagraphify_impl(call, args, self._static, **self._given)
            return captured(args) if trees_here is owner else call(args)

        return run


class _Backward:
    """The function of a backward graph that is not captured: the tree of the forward learns that the
    backward has come, so that a new step may begin."""

    def __init__(self, model):
        self._model = model

    def wrap(self, call):
        device = self._model.device
        if device is None:
            return call

        def run(args):
            trees = sys.modules.get(_TREES)
            if trees is not None and _get_trees(trees) is not None:
                manager = trees.get_manager(device, create_if_none_exists=False)
                if manager is not None:
                    manager.set_to_running_backward()
            return call(args)

        return run


def _get_trees(trees):
    """What this thread has its trees in; None for a thread that PyTorch gives none."""
    name = "tree_manager_containers"
    if hasattr(trees.local, name) or torch._C._is_key_in_tls(name):
        return trees.get_obj(trees.local, name)
    return None


def _attribute(module, target):
    for part in target.split("."):
        module = getattr(module, part)
    return module
