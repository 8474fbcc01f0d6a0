# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers at the border of a program, which knows them by their parts: a last
dimension of the real and the imaginary part."""

import array
import sys

from coil._library import InputError
from coil._tensor import CPU, Tensor

# Complex element types by those of their parts.
TYPES = {"f16": "c32", "f32": "c64", "f64": "c128"}
_TYPESTR = {"c64": "<c8", "c128": "<c16"}  # NumPy has no complex halves.
_BYTES = {"c32": 4, "c64": 8, "c128": 16}


def to_parts(value, dtype):
    """What `run` takes for a complex tensor, array or number: its parts. Values that are
    no complex numbers are what they are; they may be parts already.

    Args:
        value: A tensor of torch, a NumPy array, a `ComplexTensor` or a number.
        dtype: The element type of the parts.
    """
    if isinstance(value, ComplexTensor):
        return value.parts
    if isinstance(value, (bool, int, float, complex)):
        number = complex(value)
        return memoryview(array.array("d" if dtype == "f64" else "f", (number.real, number.imag)))
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):
        return torch.view_as_real(value.detach().resolve_conj()) if value.is_complex() else value
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, (numpy.ndarray, numpy.generic)) and value.dtype.kind == "c":
        value = numpy.asarray(value)
        parts = numpy.ascontiguousarray(value).reshape(value.shape)
        return parts[..., None].view(parts.real.dtype)
    return value


class ComplexTensor:
    """An output of complex numbers. Shares the memory of `parts`, the `Tensor` of their
    real and imaginary parts; NumPy and others read it as they read that."""

    __slots__ = ("parts", "__weakref__")

    def __init__(self, parts):
        if parts.dtype not in TYPES or not parts.shape or parts.shape[-1] != 2:
            raise InputError(f"a tensor of {parts.dtype} has no parts of complex numbers")
        self.parts = parts

    @property
    def dtype(self):
        """The name of the element type: "c32", "c64" or "c128"."""
        return TYPES[self.parts.dtype]

    @property
    def shape(self):
        """The sizes."""
        return self.parts.shape[:-1]

    @property
    def strides(self):
        """Elements from one position to the next, for each dimension."""
        return tuple(stride // 2 for stride in self.parts.strides[:-1])

    @property
    def device(self):
        """Where the elements are: "cpu", or "cuda:0"."""
        return self.parts.device

    def __repr__(self):
        return f"coil.ComplexTensor(shape={self.shape}, dtype={self.dtype}, device={self.device})"

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    def __dlpack_device__(self):
        return self.parts.__dlpack_device__()

    def __dlpack__(self, **options):
        """A DLPack capsule, as of `Tensor`."""
        return self.parts._capsule(
            self.shape, self.strides, "c", 8 * _BYTES[self.dtype], **options
        )

    @property
    def __array_interface__(self):
        if self.parts._device[0] != CPU:
            raise AttributeError(f"the elements are on {self.device}")
        if self.dtype not in _TYPESTR:
            raise AttributeError(f"NumPy has no {self.dtype}")
        size = _BYTES[self.dtype]
        return {
            "version": 3,
            "typestr": _TYPESTR[self.dtype],
            "shape": self.shape,
            "strides": tuple(stride * size for stride in self.strides),
            "data": (self.parts._data, False),
        }

    def tolist(self):
        """The elements as nested lists."""

        def join(parts, dims):
            return complex(*parts) if dims == 0 else [join(part, dims - 1) for part in parts]

        return join(self.parts.tolist(), len(self.shape))


def wrap(output, spec):
    """An output as callers know it."""
    if not spec.get("complex"):
        return output
    if type(output).__module__ == "torch":
        import torch  # pylint: disable=import-outside-toplevel

        return torch.view_as_complex(output)
    return ComplexTensor(output) if output.dtype in TYPES else output


__all__ = ["ComplexTensor", "Tensor", "to_parts", "wrap"]
