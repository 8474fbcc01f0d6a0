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
        return self.program._call(
            *torch.utils._pytree.tree_map(take, (args, kwargs)),
            lambda outputs: [output if isinstance(output, torch.Tensor) else torch.from_dlpack(output)
                             for output in outputs], **options)

    def __repr__(self):
        return f"<coil.Model of {len(self.program.inputs)} inputs and {len(self.program.outputs)} outputs>"


@contextlib.contextmanager
def exported_file(source, args, kwargs, dynamic_shapes, strict):
    """Exports `source` unless it is exported already: the path of a file that is there in the
    `with` statement."""
    import torch

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
        path = os.path.join(folder, "model.pt2")
        # Example inputs are of no use any more, and may be large.
        examples, source._example_inputs = source._example_inputs, None
        try:
            torch.export.save(source, path)
        finally:
            source._example_inputs = examples
        yield path


def compile_model(source, args, kwargs, dynamic_shapes, strict, compile_file):
    """Exports `source` unless it is exported already, and compiles it by `compile_file`,
    which takes the path of a file that is there for as long as the call lasts."""
    with exported_file(source, args, kwargs, dynamic_shapes, strict) as path:
        program = compile_file(path)
        # It is read when it is asked for, which the file does not live to see.
        program.structure  # noqa: B018
    return Model(program)
