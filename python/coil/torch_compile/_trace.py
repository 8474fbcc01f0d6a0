# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compilation leaves in torch's structured trace (TORCH_TRACE), which tlparse reads: the code that runs a graph,
and what each of its pieces computes, in the format of Inductor's provenance. Nothing here fails a compilation."""

import contextlib
import json


def _piece_name(name, piece):
    return f"{name}.piece_{piece.stage // 2}"


def node_mappings(name, plan):
    """Which nodes of the graph each piece computes, and the other way around."""
    pieces = {_piece_name(name, piece): [node.name for node in piece.nodes] for piece in plan.pieces}
    nodes = {}
    for piece, computed in pieces.items():
        for node in computed:
            nodes.setdefault(node, []).append(piece)
    return {"preToPost": {}, "postToPre": {}, "cppCodeToPost": pieces, "postToCppCode": nodes, "version": 2.0}


def stack_traces(name, plan):
    """Where in the model each piece comes from."""
    return {_piece_name(name, piece): list(dict.fromkeys(
        node.meta["stack_trace"] for node in piece.nodes if node.meta.get("stack_trace"))) for piece in plan.pieces}


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
        for name, content in (("inductor_provenance_tracking_node_mappings", node_mappings(graph.name, plan)),
                              ("inductor_provenance_tracking_kernel_stack_traces", stack_traces(graph.name, plan)),
                              ("coil_summary", summary(graph, plan, pieces))):
            text = json.dumps(content)
            trace_structured("artifact", lambda name=name: {"name": name, "encoding": "json"},
                             payload_fn=lambda text=text: text)
