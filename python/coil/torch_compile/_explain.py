# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.compile(backend="coil") makes of a function."""

from coil.torch_compile import _counters


class Explanation:
    """What became of a call.

    Attributes:
      graphs: a `CompiledGraph` for each graph, in the order of compilation.
      result: what the call returned.
    """

    def __init__(self, graphs, result):
        self.graphs, self.result = graphs, result

    @property
    def kernels(self):
        """The number of kernels of all graphs."""
        return sum(graph.kernels for graph in self.graphs)

    @property
    def library_calls(self):
        return sum(graph.library_calls for graph in self.graphs)

    @property
    def cache_hits(self):
        """The number of compiled pieces that the cache on disk had."""
        return sum(graph.cache_hits for graph in self.graphs)

    @property
    def fallbacks(self):
        """(operator, reason, (file, line, function) or None) of each operator that
        PyTorch's dispatcher is called for."""
        return [each for graph in self.graphs for each in graph.fallbacks]

    def __str__(self):
        lines = [f"{len(self.graphs)} graphs, {sum(len(g.programs) for g in self.graphs)} compiled pieces, "
                 f"{self.kernels} kernels, {self.library_calls} library calls, {len(self.fallbacks)} fallbacks"]
        for graph in self.graphs:
            lines.append(f"{graph.name}: {len(graph.programs)} pieces, {graph.kernels} kernels, "
                         f"{graph.library_calls} library calls, compiled in {graph.seconds:.3f} s"
                         + (f", {graph.cache_hits} pieces from the cache" if graph.cache_hits else ""))
            if graph.captured:
                lines.append("  captured as a whole in a CUDA graph")
            elif graph.not_captured:
                lines.append(f"  captured piece by piece in CUDA graphs, because of {graph.not_captured.splitlines()[0]}")
            if graph.error:
                lines.append(f"  runs eagerly: {graph.error.splitlines()[0]}")
            for operator, text, source in graph.remarks:
                where = f"{source[0]}:{source[1]}: " if source else ""
                lines.append(f"  {where}'{operator}' {text}")
            for operator, source in graph.draws:
                where = f"{source[0]}:{source[1]}: " if source else ""
                lines.append(f"  {where}'{operator}' draws from PyTorch's generator")
            for operator, reason, source in graph.fallbacks:
                where = f"{source[0]}:{source[1]}: " if source else ""
                lines.append(f"  {where}'{operator}' is not compiled: {reason}")
        return "\n".join(lines)


def explain(function, *args, mode=None, options=None, dynamic=None, **kwargs):
    """Compiles a function or module for some arguments, calls it once, and says what was
    compiled and what was not, and why. Graphs of an earlier torch.compile are left as they are.

    Backward graphs are compiled when the result's gradients are asked for; to see them,
    explain a function that calls `backward`.
    """
    import torch

    from coil.torch_compile._backend import coil_backend

    compiled = torch.compile(function, backend=_Fresh(coil_backend, mode, options), dynamic=dynamic)
    with _counters.recording() as graphs:
        result = compiled(*args, **kwargs)
    return Explanation(list(graphs), result)


class _Fresh:
    """A backend of its own: Dynamo keeps compiled code for each."""

    def __init__(self, backend, mode, options):
        self._backend, self._given = backend, {"mode": mode, "options": options}

    def __call__(self, module, example_inputs):
        return self._backend(module, example_inputs, **self._given)
