# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of graphs without gradients that pass by what AOTAutograd puts around them.

AOTAutograd's wrappers update inputs, make results that are views, switch gradients off, know subclasses of
tensors. Where its description of a graph says that there is nothing of that kind, the compiled function is called
without them, which takes a quarter of the time.
"""

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass


def _is_plain(value):
    """Whether an input is one that a wrapper does nothing about."""
    if isinstance(value, torch.Tensor):
        return not is_traceable_wrapper_subclass(value)
    return isinstance(value, (int, float, torch.SymInt, torch.SymFloat))


def _needs_nothing(described, count):
    """Whether AOTAutograd's wrappers of a graph of so many inputs do nothing, by its description."""
    from torch._functorch._aot_autograd.schemas import OutputType

    fresh = (OutputType.non_alias, OutputType.unsafe_view_alias, OutputType.custom_function_view)
    return (described is not None and len(described.input_info) == count
            and not any(info.mutates_data or info.mutates_metadata for info in described.input_info)
            and all(info.output_type in fresh and not getattr(info, "dynamic_dims", None) for info in described.output_info)
            and not described.num_intermediate_bases and not described.tokens and not described.is_rng_op_functionalized
            and described.grad_enabled_mutation is None and not described.dynamic_outputs)


class Direct:
    """Watches the compilation of a graph of Dynamo's, and gives a shorter way to call it.

    Args:
      module, inputs: what the backend is given.
    """

    def __init__(self, module, inputs):
        self._count = len(inputs)
        # Attributes would be arguments that AOTAutograd adds.
        self._is_plain = all(map(_is_plain, inputs)) and next(module.parameters(), None) is None and (
            next(module.buffers(), None) is None)
        self._compiled = []

    def watch(self, compiler, kind):
        """The compiler of one kind of graphs, watched."""

        def compile_one(graph, example_inputs):
            call = compiler(graph, example_inputs)
            context = torch._guards.TracingContext.try_get()
            described = context.fw_metadata if context is not None else None
            is_short = (kind == "inference" and self._is_plain and len(example_inputs) == self._count
                        and _needs_nothing(described, self._count) and not torch._C._is_any_autocast_enabled())
            self._compiled.append(call if is_short else None)
            return call

        return compile_one

    def shorten(self, whole):
        """What Dynamo calls: `whole`, or the one compiled function itself."""
        if len(self._compiled) != 1 or self._compiled[0] is None or torch._dynamo.config.repro_after is not None:
            return whole
        call = self._compiled[0]

        def run(*inputs):
            return call(list(inputs))

        return run
