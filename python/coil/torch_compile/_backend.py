# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entry of the backend: AOTAutograd around `compile_graph`."""

import functools

import torch

from coil.torch_compile import _decompositions, _direct, _graphs, _joint, _masks
from coil.torch_compile._compiler import compile_graph
from coil.torch_compile._options import make_options
from coil.torch_compile._piece import check_pipeline


def coil_backend(module, example_inputs, *, mode=None, options=None):
    """Compiles a graph that Dynamo has captured: `torch.compile(model, backend="coil")`.

    Args:
      module: a torch.fx.GraphModule.
      example_inputs: what it is called with.
      mode: one of `MODES`; None is "default".
      options: a dictionary; see `Options`. Unknown ones raise OptionError.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._dynamo.repro.after_aot import wrap_compiler_debug

    made = make_options(mode, options)
    if made.pipeline:
        check_pipeline(made.pipeline)

    _masks.drop_visible_masks(module)
    model, direct = _graphs.Model(), _direct.Direct(module, example_inputs)

    def compiler(kind):
        compile_one = functools.partial(compile_graph, options=made, kind=kind, model=model)
        return wrap_compiler_debug(direct.watch(compile_one, kind), "coil")

    return direct.shorten(aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        partition_fn=_joint.partition,
        decompositions=_decompositions.table,
        keep_inference_input_mutations=True,
    )(module, example_inputs))


def compile_module(module, example_inputs, *, mode=None, options=None):
    """Compiles a module of ATen operators on a flat list of inputs without Dynamo, as
    files that reproduce failures do. Returns a function of those inputs; raises
    where it cannot be compiled."""
    from torch.fx.experimental.proxy_tensor import make_fx

    traced = make_fx(module, tracing_mode="fake")(*example_inputs)
    given = dict(options or {}, strict=True)
    call = compile_graph(traced, example_inputs, make_options(mode, given), "inference")
    return lambda *args: call(list(args))


def register():
    """Makes the backend known to Dynamo in this process. An entry point does it for an
    installed package; a second registration does nothing."""
    from torch._dynamo.backends import registry

    if "coil" not in registry._COMPILER_FNS:
        registry.register_backend(coil_backend, name="coil")
