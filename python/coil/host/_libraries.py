# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions, convolutions, attention and sorts by libraries."""

import ctypes
import math

from coil.host._runs import _call
from coil.host._types import _address, _dtype, _i32, _i64

_POST = {"none": 0, "relu": 1, "gelu_erf": 2, "gelu_tanh": 3}


class _Contraction(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("a_dtype", "b_dtype", "bias_dtype", "c_dtype")],
        *[(name, _i32) for name in ("batch_rank", "bias_axis", "post_op", "tf32", "reserved")],
        *[(name, _i64) for name in "mnk"],
        *[(name, _i64 * 2) for name in ("a_strides", "b_strides", "c_strides")],
        ("bias_stride", _i64),
        ("batch_sizes", _i64 * 4),
        *[(f"{name}_batch_strides", _i64 * 4) for name in "abc"],
        ("where", ctypes.c_char_p),
    ]


class _Convolution(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("x_dtype", "w_dtype", "bias_dtype", "y_dtype")],
        *[(name, _i32) for name in ("spatial_rank", "transposed", "post_op", "tf32", "reserved")],
        *[(name, _i64) for name in ("batch", "in_channels", "out_channels", "groups")],
        ("bias_stride", _i64),
        *[(name, _i64 * 3) for name in ("in_sizes", "kernel_sizes", "out_sizes")],
        *[(name, _i64 * 3) for name in ("strides", "padding_lo", "padding_hi", "dilations")],
        *[(f"{name}_strides", _i64 * 5) for name in "xwy"],
        ("where", ctypes.c_char_p),
    ]


class _Attention(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "causal", "reserved")],
        ("scale", ctypes.c_double),
        *[(name, _i64) for name in ("batch", "heads", "kv_heads", "queries", "keys", "width", "value_width")],
        *[(f"{name}_strides", _i64 * 4) for name in ("q", "k", "v", "mask", "o")],
        ("where", ctypes.c_char_p),
    ]


class _Sort(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "descending", "reserved")],
        *[(name, _i64) for name in ("outer", "size", "inner", "count")],
        ("where", ctypes.c_char_p),
    ]


def contraction(
    function,
    *,
    dims,
    a,
    a_strides,
    b,
    b_strides,
    c,
    c_strides,
    bias=None,
    bias_strides=None,
    a_offset=0,
    b_offset=0,
    c_offset=0,
    bias_offset=0,
    post="none",
    tf32=False,
    where="",
    device=None,
):
    """`c = post(a @ b + bias)`, batched: sizes and strides along the batches, m,
    n and k, whatever the shapes of the tensors are. `tf32`: a GPU may round factors
    of f32 to TF32."""
    batch = len(dims) - 3
    m, n, k = batch, batch + 1, batch + 2
    along_m = bias is not None and bias_strides[m] != 0
    d = _Contraction(
        a_dtype=_dtype(a),
        b_dtype=_dtype(b),
        bias_dtype=_dtype(bias),
        c_dtype=_dtype(c),
        batch_rank=batch,
        bias_axis=1 if along_m else 0,
        post_op=_POST[post],
        tf32=tf32,
        m=dims[m],
        n=dims[n],
        k=dims[k],
        a_strides=(a_strides[m], a_strides[k]),
        b_strides=(b_strides[k], b_strides[n]),
        c_strides=(c_strides[m], c_strides[n]),
        bias_stride=0 if bias is None else bias_strides[m if along_m else n],
        batch_sizes=dims[:batch],
        a_batch_strides=a_strides[:batch],
        b_batch_strides=b_strides[:batch],
        c_batch_strides=c_strides[:batch],
        where=where.encode() or None,
    )
    _call(
        function,
        d,
        _address(a, a_offset),
        _address(b, b_offset),
        _address(bias, bias_offset),
        _address(c, c_offset),
        device=device,
    )


def convolution(function, x, w, bias, y, *, stride, padding, dilation, groups, post="none",
                tf32=False, where="", device=None):
    """`y = post(convolution of x with w, + bias)`. `tf32`: a GPU may round x and w of f32 to TF32."""
    d = _Convolution(
        x_dtype=_dtype(x),
        w_dtype=_dtype(w),
        bias_dtype=_dtype(bias),
        y_dtype=_dtype(y),
        spatial_rank=x.dim() - 2,
        transposed=0,
        post_op=_POST[post],
        tf32=tf32,
        batch=x.size(0),
        in_channels=x.size(1),
        out_channels=y.size(1),
        groups=groups,
        bias_stride=0 if bias is None else bias.stride(0),
        in_sizes=tuple(x.size())[2:],
        kernel_sizes=tuple(w.size())[2:],
        out_sizes=tuple(y.size())[2:],
        strides=stride,
        padding_lo=padding,
        padding_hi=padding,
        dilations=dilation,
        x_strides=tuple(x.stride()),
        w_strides=tuple(w.stride()),
        y_strides=tuple(y.stride()),
        where=where.encode() or None,
    )
    _call(function, d, _address(x), _address(w), _address(bias), _address(y), device=device)


def attention(function, q, k, v, mask, o, *, causal, scale, where="", device=None):
    """`o = softmax(scale * q k^T + mask) v`; `mask` may be None."""
    d = _Attention(
        dtype=_dtype(o),
        causal=causal,
        scale=scale,
        batch=q.size(0),
        heads=q.size(1),
        kv_heads=k.size(1),
        queries=q.size(2),
        keys=k.size(2),
        width=q.size(3),
        value_width=v.size(3),
        q_strides=tuple(q.stride()),
        k_strides=tuple(k.stride()),
        v_strides=tuple(v.stride()),
        mask_strides=tuple((q if mask is None else mask).stride()),
        o_strides=tuple(o.stride()),
        where=where.encode() or None,
    )
    _call(function, d, *map(_address, (q, k, v, mask, o)), device=device)


def sort(function, x, dim, descending, values, indices, *, where="", device=None):
    """The elements of `x` along `dim` in order, as far as `values` and `indices`
    have room for them; either may be None."""
    sizes = tuple(x.size())
    result = indices if values is None else values
    d = _Sort(
        dtype=_dtype(x),
        descending=descending,
        outer=math.prod(sizes[:dim]),
        size=sizes[dim],
        inner=math.prod(sizes[dim + 1 :]),
        count=result.size(dim),
        where=where.encode() or None,
    )
    _call(function, d, _address(x), _address(values), _address(indices), device=device)
