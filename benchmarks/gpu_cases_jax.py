# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of `gpu_cases.py` in JAX, for XLA's column of `gpu_kernels.py`.

Each function takes arrays of the same types and sizes as the case of that name
takes tensors, and gives the same results; dropout draws its own numbers.
"""
import jax
import jax.numpy as jnp
from jax import lax

bf16, f32 = jnp.bfloat16, jnp.float32


def wide(f):
    """Computes in f32 what PyTorch computes in f32 inside of one operator."""
    return lambda x, *rest: f(x.astype(f32), *(r.astype(f32) for r in rest)).astype(x.dtype)


def normalize(x, dims):
    mean = x.mean(dims, keepdims=True)
    variance = jnp.square(x - mean).mean(dims, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5)


def swiglu(x):
    gate, up = jnp.split(x, 2, -1)
    return jax.nn.silu(gate) * up


def rms_residual(x, r, w):
    h = x + r
    y = h.astype(f32)
    y = y * lax.rsqrt(jnp.square(y).mean(-1, keepdims=True) + 1e-6)
    return (y * w.astype(f32)).astype(x.dtype), h


def over_channels(v):
    return v[None, :, None, None]


def batch_norm(x, mean, var, w, b):
    scale = w * lax.rsqrt(jnp.abs(var) + 1e-5)
    return (x - over_channels(mean)) * over_channels(scale) + over_channels(b)


def batch_norm_training(x, w, b):
    return normalize(x, (0, 2, 3)) * over_channels(w) + over_channels(b)


@wide
def group_norm(x, w, b):
    y = normalize(x.reshape(x.shape[0], 32, -1), (2,)).reshape(x.shape)
    return y * over_channels(w) + over_channels(b)


def var_mean(x):
    mean = x.mean(1)
    return jnp.square(x - mean[:, None]).sum(1) / (x.shape[1] - 1), mean


def cross_entropy(x, t):
    y = jax.nn.log_softmax(x.astype(f32), -1)
    return -jnp.take_along_axis(y, t[:, None], 1).mean().astype(x.dtype)


def rotary(x, cos, sin):
    a, b = jnp.split(x, 2, -1)
    return x * cos + jnp.concatenate((-b, a), -1) * sin


def quantize(x):
    scale = jnp.abs(x).max(-1, keepdims=True).astype(f32) / 448.0
    return (x.astype(f32) / scale).astype(jnp.float8_e4m3fn), scale


def adam(*tensors):
    n = len(tensors) // 4
    out = []
    for p, g, m, v in zip(tensors[:n], tensors[n : 2 * n], tensors[2 * n : 3 * n], tensors[3 * n :]):
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g * g * 0.001
        out += [p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v]
    return tuple(out)


def cummax(x):
    """Values and where they are; of equal ones the last."""
    where = lax.broadcasted_iota(jnp.int64 if jax.config.jax_enable_x64 else jnp.int32, x.shape, 1)

    def later(a, b):
        take = b[0] >= a[0]
        return jnp.where(take, b[0], a[0]), jnp.where(take, b[1], a[1])

    return lax.associative_scan(later, (x, where), axis=1)


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1)))


@wide
def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4


def dropout(x):
    kept = jax.random.bernoulli(jax.random.key(0), 0.9, x.shape)
    return jnp.where(kept, x / 0.9, jnp.zeros((), x.dtype))


CASES = {
    "relu(x + y) f32": lambda x, y: jax.nn.relu(x + y),
    "gelu(x + bias) bf16": lambda x, b: wide(lambda h: jax.nn.gelu(h, approximate=False))(x + b),
    "gelu(x + bias) f32": lambda x, b: jax.nn.gelu(x + b, approximate=False),
    "tanh gelu(x + bias) bf16": lambda x, b: wide(lambda h: jax.nn.gelu(h, approximate=True))(x + b),
    "tanh chain f32": lambda x: jnp.tanh(x * 2 + 1) * 0.5 - 3,
    "swiglu bf16": swiglu,
    "softmax 1024 bf16": wide(lambda x: jax.nn.softmax(x, -1)),
    "softmax 1024 f32": lambda x: jax.nn.softmax(x, -1),
    "softmax 32768 bf16": wide(lambda x: jax.nn.softmax(x, -1)),
    "softmax 32768 f32": lambda x: jax.nn.softmax(x, -1),
    "layer norm 4096 bf16": wide(lambda x, w, b: normalize(x, (-1,)) * w + b),
    "rms norm + residual bf16": rms_residual,
    "batch norm f32 (inference)": batch_norm,
    "batch norm f32 (training)": batch_norm_training,
    "group norm bf16": group_norm,
    "var/mean rows 4096 f32": var_mean,
    "full sum f32": lambda x: x.sum(),
    "row sum f32": lambda x: x.sum(1),
    "column sum f32": lambda x: x.sum(0),
    "column sum bf16": lambda x: x.sum(0),
    "middle sum f32": lambda x: x.sum(1),
    "argmax 32768 f32": lambda x: x.argmax(1),
    "cross entropy 50k bf16": cross_entropy,
    "transpose + add f32": lambda x, y: x.T + y,
    "transpose + add bf16": lambda x, y: x.T + y,
    "nchw to nhwc bf16": lambda x: x.transpose(0, 2, 3, 1),
    "rotary bf16": rotary,
    "cat of three f32": lambda x, y, z: jnp.concatenate((x, y * 2, z), 1),
    "embedding bf16": lambda w, i: w[i],
    "gather rows + bias f32": lambda x, i: x[i] + 1.5,
    "index_put with duplicates f32": lambda x, i, v: x.at[i].add(v),
    "embedding backward f32": lambda g, i: jnp.zeros((65536, g.shape[1]), g.dtype).at[i].add(g),
    "embedding backward words f32": lambda g, i: jnp.zeros((65536, g.shape[1]), g.dtype).at[i].add(g),
    "embedding backward one row f32": lambda g, i: jnp.zeros((65536, g.shape[1]), g.dtype).at[i].add(g),
    "cumsum rows of 8192 f32": lambda x: x.cumsum(1),
    "cumsum columns f32": lambda x: x.cumsum(0),
    "cumsum one row f32": lambda x: x.cumsum(0),
    "cummax 4096 f32": cummax,
    "cumsum 4096 f32": lambda x: x.cumsum(1),
    "max pool 3x3/2 f32": max_pool,
    "average pool 2x2 bf16": average_pool,
    "fp8 quantisation bf16": quantize,
    "dropout bf16": dropout,
    "adam over 60 tensors f32": adam,
}


def find(name):
    """The function of a case in either element type. Sums that are one operator of
    PyTorch's are not rounded within it."""
    if name in CASES:
        return CASES[name]
    if "bf16" in name:
        other = CASES[name.replace("bf16", "f32")]
        return wide(other) if any(part in name for part in ("sum", "batch norm")) else other
    return CASES[name.replace("f32", "bf16")]


class Compiled:
    """A case compiled by XLA for tensors of PyTorch, which it shares."""

    def __init__(self, name, tensors):
        # Indices of 64 bits stay what they are.
        jax.config.update("jax_enable_x64", True)
        self.inputs = [jax.dlpack.from_dlpack(t) for t in tensors]
        self.compiled = jax.jit(find(name)).lower(*self.inputs).compile()

    def __call__(self):
        result = self.compiled(*self.inputs)
        return result if isinstance(result, (tuple, list)) else (result,)

    def wait(self, result):
        jax.block_until_ready(result)
