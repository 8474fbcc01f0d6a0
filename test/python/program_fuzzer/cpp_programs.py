#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Programs that were emitted as C++ and are libraries now."""

import ctypes
import os

import torch

import worker


class CppProgram:
    def __init__(self, library, model):
        from coil import host
        from coil._library import CTensor
        from coil.host._types import _NUMBERS, _TYPES
        self.tensor_type, self.numbers, self.types = CTensor, _NUMBERS, _TYPES
        self.library = ctypes.CDLL(library)
        self.library.coil_last_error.restype = ctypes.c_char_p
        self.library.coil_run_destroy.argtypes = [ctypes.c_void_p]
        prefix = os.path.basename(library).partition(".")[0] + "_main"
        weight = getattr(self.library, prefix + "_input_weight")
        weight.restype, weight.argtypes = ctypes.c_char_p, [ctypes.c_size_t]
        self.inputs = getattr(self.library, prefix + "_num_inputs")()
        self.outputs = getattr(self.library, prefix + "_num_outputs")()
        names = {i: weight(i).decode() for i in range(self.inputs) if weight(i)}
        self.weights = host.load_weights(model, names)
        self.entry = getattr(self.library, prefix)
        self.entry.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]

    def to_c(self, tensor):
        rank = tensor.dim()
        numbers = ctypes.c_int64 * max(rank, 1)
        return self.tensor_type(tensor.data_ptr(), numbers(*tensor.size()), numbers(*tensor.stride()), rank,
                                self.numbers[tensor.dtype], 0, 0)

    def from_c(self, tensor):
        sizes, strides = tuple(tensor.sizes[:tensor.rank]), tuple(tensor.strides[:tensor.rank])
        result = torch.empty_strided(sizes, strides, dtype=self.types[tensor.dtype])
        if result.numel():
            last = sum((size - 1) * stride for size, stride in zip(sizes, strides))
            ctypes.memmove(result.data_ptr(), tensor.data, (last + 1) * result.element_size())
        return result

    def run(self, tensors):
        given = iter(torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in tensors)
        kept = [self.weights[i] if i in self.weights else next(given) for i in range(self.inputs)]
        arguments = (self.tensor_type * max(self.inputs, 1))(*map(self.to_c, kept))
        outputs, run = (self.tensor_type * max(self.outputs, 1))(), ctypes.c_void_p()
        if self.library.coil_run_create(ctypes.byref(run)):
            raise worker.Refused("run", self.library.coil_last_error().decode())
        try:
            if self.entry(run, arguments, self.inputs, outputs, self.outputs):
                raise worker.Refused("run", self.library.coil_last_error().decode())
            return [self.from_c(outputs[i]) for i in range(self.outputs)]
        finally:
            self.library.coil_run_destroy(run)
