# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's flags say about products of f32 on GPUs, as options of Coil."""


def _allows_tf32(backend, old):
    """Whether a backend's flag allows TF32, by the interface of PyTorch 2.9 where there
    is one: the old one refuses to answer where the new one was used."""
    precision = getattr(backend, "fp32_precision", None)
    return old() if precision is None else precision == "tf32"


def torch_precision():
    """Options for `coil.compile` that do with products and convolutions of f32 what
    eager PyTorch does under its flags as they are now:

        coil.compile("model.pt2", options="target=cuda " + coil.torch_precision())

    The flags are `torch.set_float32_matmul_precision`,
    `torch.backends.cuda.matmul.allow_tf32` or `.fp32_precision`, and
    `torch.backends.cudnn.allow_tf32` or `.conv.fp32_precision`.
    """
    import torch

    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    matmul = _allows_tf32(cuda.matmul, lambda: cuda.matmul.allow_tf32)
    conv = _allows_tf32(getattr(cudnn, "conv", None), lambda: cudnn.allow_tf32)
    return (f"float32-matmul-precision={'high' if matmul else 'highest'} "
            f"float32-conv-precision={'high' if conv else 'highest'}")


def per_precision(compile):
    """A callable that does as `compile(options)` does, with the options of
    `torch_precision` for the flags that each call finds. It compiles once for each.

    Dynamo compiles again when the flag for products of matrices changes, but not when
    that for convolutions does, so a backend of `torch.compile` needs this.
    """
    made = {}

    def call(*args, **kwargs):
        options = torch_precision()
        if options not in made:
            made[options] = compile(options)
        return made[options](*args, **kwargs)

    return call
