# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and types that the runtime shares with this package."""

import ctypes

import torch

# The order of coil_dtype.
_NAMES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32"
    " float64 float8_e4m3fn float8_e5m2"
).split()
_RUNTIME_NAMES = "bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 f8E4M3FN f8E5M2".split()
_NUMBERS = {getattr(torch, name): number for number, name in enumerate(_NAMES)}
_TYPES = {number: dtype for dtype, number in _NUMBERS.items()}

# Letters of `struct` for the types that constants are listed in.
_LETTERS = dict(zip(_NAMES, "?bBhHiIqQe fd"))
_i32, _i64 = ctypes.c_int32, ctypes.c_int64


def _address(tensor, offset=0):
    if tensor is None:
        return None
    return tensor.data_ptr() + offset * tensor.element_size()


def _dtype(tensor):
    return 0 if tensor is None else _NUMBERS[tensor.dtype]
