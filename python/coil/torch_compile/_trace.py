# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compilation leaves in torch's structured trace (TORCH_TRACE), which tlparse reads: the code that runs a graph,
and what each of its pieces computes, in the format of Inductor's provenance. Nothing here fails a compilation."""

import contextlib
import json


def _piece_name(name, piece):
    return f"{name}.piece_{piece.stage // 2}"


def node_mappings(name, plan, pieces):
    """Which nodes of the graph each piece and each of its kernels computes, and the other way around."""
    steps = {_piece_name(name, piece): [node.name for node in piece.nodes] for piece in plan.pieces}
    for piece in plan.pieces:
        for step, nodes in kernels(name, piece, pieces).items():
            steps[step] = [node.name for node in nodes]
    nodes = {}
    for step, computed in steps.items():
        for node in computed:
            nodes.setdefault(node, []).append(step)
    return {"preToPost": {}, "postToPre": {}, "cppCodeToPost": steps, "postToCppCode": nodes, "version": 2.0}


def kernels(name, piece, pieces):
    """The nodes that each launch and library call of a piece computes, by "piece/handle"."""
    program = pieces[piece.stage // 2].program
    by_name = {node.name: node for node in piece.nodes}
    found = {}
    for handle, sources in program.provenance.items():
        # A source is "node (file:line)".
        names = dict.fromkeys(source.split(" ", 1)[0] for source in sources)
        found[f"{_piece_name(name, piece)}/{handle}"] = [by_name[each] for each in names if each in by_name]
    return found


def stack_traces(name, plan, pieces):
    """Where in the model each piece comes from, and each kernel of it."""
    def traces(nodes):
        return list(dict.fromkeys(node.meta["stack_trace"] for node in nodes if node.meta.get("stack_trace")))

    found = {}
    for piece in plan.pieces:
        found[_piece_name(name, piece)] = traces(piece.nodes)
        found.update((step, traces(nodes)) for step, nodes in kernels(name, piece, pieces).items())
    return found


def summary(graph, plan, pieces):
    """Kernels, library calls and sizes of each piece, and what is left to torch."""
    return {
        "graph": graph.name,
        "seconds": graph.seconds,
        "pieces": {_piece_name(graph.name, piece): {
            "compile_stats": dict(pieces[piece.stage // 2].program.compile_stats),
            "inputs": [node.name for node in piece.inputs],
            "outputs": [node.name for node in piece.outputs],
        } for piece in plan.pieces},
        "fallbacks": [{"operator": str(operator), "reason": reason,
                       "source": f"{source[0]}:{source[1]}" if source else None}
                      for operator, reason, source in graph.fallbacks],
    }


def record(graph, plan, pieces):
    """Writes all of this, where torch keeps a trace."""
    with contextlib.suppress(Exception):
        from torch._logging._internal import trace_log, trace_structured

        if not trace_log.handlers:
            return
        trace_structured("inductor_output_code", lambda: {"filename": f"coil_{graph.name}.py"},
                         payload_fn=lambda: graph.source)
        for name, content in (("inductor_provenance_tracking_node_mappings", node_mappings(graph.name, plan, pieces)),
                              ("inductor_provenance_tracking_kernel_stack_traces", stack_traces(graph.name, plan, pieces)),
                              ("coil_summary", summary(graph, plan, pieces))):
            text = json.dumps(content)
            trace_structured("artifact", lambda name=name: {"name": name, "encoding": "json"},
                             payload_fn=lambda text=text: text)
