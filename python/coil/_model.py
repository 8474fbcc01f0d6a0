# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and exported programs of PyTorch, compiled without a file of the user's."""

import contextlib
import os
import sys
import tempfile

from coil._library import CompileError, InputError


def is_exported(value):
    """Whether `value` is a `torch.export.ExportedProgram`."""
    export = sys.modules.get("torch.export")
    return export is not None and isinstance(value, export.ExportedProgram)


def is_module(value):
    """Whether `value` is a `torch.nn.Module`."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


class Model:
    """A compiled module: takes and gives what its `forward` does, tensors of torch among
    it, by position or by name and nested in the same way.

    What the module writes to its arguments is written to them; what it writes to its
    buffers and parameters is there in the next call, in the compiled program, which has
    weights of its own. Gradients are not computed: a call with gradients enabled and an
    argument that requires one is refused.
    """

    def __init__(self, program):
        #: The `Program`, which takes and gives flat lists of tensors.
        self.program = program
        # What `forward` takes and returns, where the file has flat tuples in their stead.
        self._in_spec = self._out_spec = None

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args, **kwargs):
        """As the module's own, see the class."""
        import torch

        def take(value):
            if not isinstance(value, torch.Tensor):
                return value
            if value.requires_grad and torch.is_grad_enabled():
                raise InputError(
                    "an argument requires a gradient, which a compiled program does not compute: call it "
                    "under torch.no_grad(), or train with torch.compile(model, backend=\"coil\")")
            return value.detach()

        # Tensors of PyTorch from the start: on a GPU they own memory of its allocator.
        options = {"like": torch.Tensor} if hasattr(torch.Tensor, "__dlpack_c_exchange_api__") else {}
        if self._in_spec:
            args, kwargs = self._flatten(args, kwargs), {}
        result = self.program._call(
            *torch.utils._pytree.tree_map(take, (args, kwargs)),
            lambda outputs: [output if isinstance(output, torch.Tensor) else torch.from_dlpack(output)
                             for output in outputs], **options)
        return torch.utils._pytree.tree_unflatten(result, self._out_spec) if self._out_spec else result

    def _flatten(self, args, kwargs):
        """The leaves of arguments that are nested as those of the example are."""
        from torch.utils import _pytree as pytree

        names = self._in_spec.children()[1].context
        if set(names) == set(kwargs):
            kwargs = {name: kwargs[name] for name in names}
        leaves, spec = pytree.tree_flatten((args, kwargs))
        if spec != self._in_spec:
            given, expected = (" ".join(str(each).split()) for each in (spec, self._in_spec))
            raise InputError(f"the arguments are {given}, but the model was exported with {expected}")
        return tuple(leaves)

    def __repr__(self):
        return f"<coil.Model of {len(self.program.inputs)} inputs and {len(self.program.outputs)} outputs>"


def is_savable(spec):
    """Whether a file of an exported program has a form for `spec`, a structure of `torch.utils._pytree`."""
    from torch.utils import _pytree as pytree

    try:
        pytree.treespec_dumps(spec)
    except NotImplementedError:
        return False
    return True


@contextlib.contextmanager
def savable_structures(exported):
    """Files have no form for some containers of arguments and results, such as `torch.return_types.max`. In the
    `with` statement the program takes or returns flat tuples in place of these; gives what it takes and what it
    returns otherwise, or None where a file says it."""
    from torch.utils import _pytree as pytree

    signature = exported.module_call_graph[0].signature
    if not signature:
        yield None, None
        return
    in_spec, out_spec, names = signature.in_spec, signature.out_spec, signature.forward_arg_names
    keeps_in, keeps_out = is_savable(in_spec), is_savable(out_spec)
    if not keeps_in:
        signature.in_spec = pytree.tree_structure((tuple(range(in_spec.num_leaves)), {}))
        signature.forward_arg_names = None
    if not keeps_out:
        signature.out_spec = pytree.tree_structure(tuple(range(out_spec.num_leaves)))
    try:
        yield None if keeps_in else in_spec, None if keeps_out else out_spec
    finally:
        signature.in_spec, signature.out_spec, signature.forward_arg_names = in_spec, out_spec, names


@contextlib.contextmanager
def exported_file(source, args, kwargs, dynamic_shapes, strict, target="cpu"):
    """Exports `source` unless it is exported already: the path of a file that is there in the
    `with` statement, what the program takes and returns where the file does not say it, and the path
    of a file of its Triton kernels for `target`, if it has such."""
    import torch

    from coil import _triton

    if is_module(source):
        if args is None and kwargs is None:
            raise InputError(
                f"a module is exported with example arguments: coil.compile({type(source).__name__}(...), args=(x,))")
        args = () if args is None else args
        if not isinstance(args, tuple):
            raise InputError(f"args is a tuple of the arguments of forward, not of '{type(args).__name__}'")
        source = torch.export.export(source, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict)
    elif args is not None or kwargs is not None or dynamic_shapes is not None:
        raise InputError("args, kwargs and dynamic_shapes are for a module; a program was exported with its own")
    if any(str(node.target) == "flex_attention" for node in source.graph.nodes):
        from coil.torch_compile import _flex

        try:
            source = _flex.inline_exported(source)
        except NotImplementedError as error:
            raise CompileError(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="coil-") as folder:
        path, kernels = os.path.join(folder, "model.pt2"), None
        if _triton.calls(source.graph):
            kernels = os.path.join(folder, "triton.mlir")
            source = _triton.lower_triton(source, kernels, target=target)
        # Example inputs are of no use any more, and may be large.
        examples, source._example_inputs = source._example_inputs, None
        try:
            with savable_structures(source) as specs:
                torch.export.save(source, path)
        finally:
            source._example_inputs = examples
        yield path, specs, kernels


def compile_model(source, args, kwargs, dynamic_shapes, strict, target, compile_file):
    """Exports `source` unless it is exported already, and compiles it for `target` by `compile_file`,
    which takes the path of a file that is there for as long as the call lasts, and options of its own."""
    with exported_file(source, args, kwargs, dynamic_shapes, strict, target) as (path, specs, kernels):
        program = compile_file(path, {"user_kernels": kernels} if kernels else {})
        # It is read when it is asked for, which the file does not live to see.
        program.structure  # noqa: B018
    model = Model(program)
    model._in_spec, model._out_spec = specs
    return model
