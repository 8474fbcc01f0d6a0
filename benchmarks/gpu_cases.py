# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory-bound fusions that `gpu_kernels.py` times.

A case is a function of tensors with its inputs, drawn when asked for. `bytes`
is the least traffic: each input read once and each output written once, unless
the case says otherwise (a gather reads only the rows it takes). `share` is the
goal: the part of copy bandwidth that the least traffic should reach.
"""
import dataclasses
from typing import Callable, Optional

import torch
import torch.nn.functional as F


@dataclasses.dataclass
class Case:
    name: str
    function: Callable
    make: Callable  # device -> inputs
    bytes: Optional[Callable] = None  # (inputs, outputs) -> int
    share: float = 0.90
    rtol: float = 1e-2
    atol: float = 1e-2
    # Eager rounds partial sums to the element type: it is asked in f32 instead.
    wide: bool = False

    def reference(self, inputs):
        """What eager makes of the inputs."""
        if not self.wide:
            return self.function(*inputs)
        result = self.function(*(x.float() if x.is_floating_point() else x for x in inputs))
        return result.to(inputs[0].dtype)

    def minimal_bytes(self, inputs, outputs):
        if self.bytes:
            return self.bytes(inputs, outputs)
        return size_of(inputs) + size_of(outputs)


def size_of(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def rand(*shapes, dtype=torch.float32):
    return lambda device: tuple(torch.randn(s, device=device, dtype=torch.float32).to(dtype) for s in shapes)


def strict(**kwargs):
    return dict(rtol=2e-5, atol=2e-5, **kwargs)


bf16, f32 = torch.bfloat16, torch.float32


def bias_gelu(x, b):
    return F.gelu(x + b)


def bias_tanh_gelu(x, b):
    return F.gelu(x + b, approximate="tanh")


def swiglu(x):
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def rms_residual(x, r, w):
    h = x + r
    y = h.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
    return (y * w.float()).to(x.dtype), h


def rotary(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def quantize(x):
    scale = x.abs().amax(-1, keepdim=True).float() / 448.0
    return (x.float() / scale).to(torch.float8_e4m3fn), scale


def cross_entropy(x, t):
    return F.cross_entropy(x, t)


def adam(*tensors):
    n = len(tensors) // 4
    out = []
    for p, g, m, v in zip(tensors[:n], tensors[n : 2 * n], tensors[2 * n : 3 * n], tensors[3 * n :]):
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g * g * 0.001
        out += [p - 1e-3 * m / (v.sqrt() + 1e-8), m, v]
    return tuple(out)


def adam_inputs(dtype):
    sizes = [(1024, 1024), (4096, 1024), (1024,), (4096,), (1023, 517), (7,)] * 10
    return lambda device: tuple(torch.randn(s, device=device).abs().to(dtype) for _ in range(4) for s in sizes)


def indices(count, limit, device):
    return torch.randint(0, limit, (count,), device=device)


def frequencies(count, limit, device):
    """Positions as words are: number k about 1/k as often as the first."""
    weights = 1 / torch.arange(1, limit + 1, device=device, dtype=torch.float32)
    return torch.multinomial(weights, count, replacement=True)


def gather_inputs(dtype):
    return lambda device: (torch.randn(262144, 1024, device=device).to(dtype), indices(131072, 262144, device))


def scatter_inputs(dtype, columns=1024):
    return lambda device: (
        torch.zeros(65536, columns, device=device, dtype=dtype),
        indices(65536, 65536, device),
        torch.randn(65536, columns, device=device).to(dtype),
    )


CASES = [
    Case("relu(x + y) f32", lambda x, y: torch.relu(x + y), rand((65536, 1024), (65536, 1024)), **strict()),
    Case("gelu(x + bias) bf16", bias_gelu, rand((65536, 4096), (4096,), dtype=bf16)),
    Case("gelu(x + bias) f32", bias_gelu, rand((32768, 4096), (4096,)), **strict()),
    Case("tanh gelu(x + bias) bf16", bias_tanh_gelu, rand((65536, 4096), (4096,), dtype=bf16)),
    Case("tanh chain f32", lambda x: torch.tanh(x * 2 + 1) * 0.5 - 3, rand((65536, 2048)), **strict()),
    Case("swiglu bf16", swiglu, rand((32768, 8192), dtype=bf16)),
    Case("softmax 1024 bf16", lambda x: torch.softmax(x, -1), rand((131072, 1024), dtype=bf16)),
    Case("softmax 1024 f32", lambda x: torch.softmax(x, -1), rand((65536, 1024)), **strict()),
    Case("softmax 32768 bf16", lambda x: torch.softmax(x, -1), rand((4096, 32768), dtype=bf16)),
    Case("softmax 32768 f32", lambda x: torch.softmax(x, -1), rand((2048, 32768)), **strict()),
    Case("layer norm 4096 bf16", lambda x, w, b: F.layer_norm(x, (4096,), w, b), lambda d: rand((32768, 4096), (4096,), (4096,), dtype=bf16)(d)),
    Case("rms norm + residual bf16", rms_residual, rand((32768, 4096), (32768, 4096), (4096,), dtype=bf16), rtol=2e-2, atol=2e-2),
    Case("batch norm f32 (inference)", lambda x, m, v, w, b: F.batch_norm(x, m, v.abs(), w, b), rand((256, 128, 56, 56), (128,), (128,), (128,), (128,)), rtol=1e-4, atol=1e-4),
    Case("batch norm f32 (training)", lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), rand((128, 64, 56, 56), (64,), (64,)), bytes=lambda i, o: 2 * size_of(i) + size_of(o), rtol=1e-4, atol=1e-4),
    Case("group norm bf16", lambda x, w, b: F.group_norm(x, 32, w, b), rand((512, 256, 32, 32), (256,), (256,), dtype=bf16), rtol=2e-2, atol=2e-2),
    Case("var/mean rows 4096 f32", lambda x: torch.var_mean(x, 1), rand((32768, 4096)), rtol=1e-4, atol=1e-4),
    Case("full sum f32", lambda x: x.sum(), rand((16384, 16384)), rtol=1e-3, atol=1.0),
    Case("row sum f32", lambda x: x.sum(1), rand((65536, 4096)), rtol=1e-3, atol=1e-3),
    Case("column sum f32", lambda x: x.sum(0), rand((65536, 4096)), rtol=1e-3, atol=1e-2),
    Case("column sum bf16", lambda x: x.sum(0), rand((131072, 4096), dtype=bf16), rtol=2e-2, atol=2.0),
    Case("middle sum f32", lambda x: x.sum(1), rand((512, 512, 1024)), rtol=1e-3, atol=1e-2),
    Case("argmax 32768 f32", lambda x: x.argmax(1), rand((8192, 32768)), **strict()),
    Case("cross entropy 50k bf16", cross_entropy, lambda d: (torch.randn(8192, 50257, device=d).to(bf16), indices(8192, 50257, d))),
    Case("transpose + add f32", lambda x, y: x.t() + y, rand((8192, 16384), (16384, 8192)), **strict()),
    Case("transpose + add bf16", lambda x, y: x.t() + y, rand((16384, 16384), (16384, 16384), dtype=bf16)),
    Case("nchw to nhwc bf16", lambda x: x.permute(0, 2, 3, 1).contiguous(), rand((256, 256, 56, 56), dtype=bf16), rtol=0, atol=0),
    Case("rotary bf16", rotary, lambda d: (torch.randn(16, 4096, 32, 128, device=d).to(bf16), torch.randn(4096, 1, 128, device=d).to(bf16), torch.randn(4096, 1, 128, device=d).to(bf16)), rtol=2e-2, atol=5e-2),
    Case("cat of three f32", lambda x, y, z: torch.cat((x, y * 2, z), 1), rand((65536, 512), (65536, 1024), (65536, 512)), **strict()),
    Case("embedding bf16", lambda w, i: F.embedding(i, w), gather_inputs(bf16), bytes=lambda i, o: 2 * size_of(o) + size_of(i[1:]), rtol=0, atol=0),
    Case("gather rows + bias f32", lambda x, i: x[i] + 1.5, gather_inputs(f32), bytes=lambda i, o: 2 * size_of(o) + size_of(i[1:]), **strict()),
    Case("index_put with duplicates f32", lambda x, i, v: x.index_put((i,), v, accumulate=True), scatter_inputs(f32), bytes=lambda i, o: size_of(i) + 3 * size_of(o), share=0.80, rtol=1e-4, atol=1e-4),
    Case("embedding backward f32", lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, 65536, -1, False), lambda d: (torch.randn(65536, 1024, device=d), indices(65536, 65536, d)), bytes=lambda i, o: size_of(i) + size_of(o), share=0.80, rtol=1e-4, atol=1e-4),
    Case("cumsum rows of 8192 f32", lambda x: x.cumsum(1), rand((16384, 8192)), share=0.80, rtol=1e-3, atol=1e-2),
    Case("cumsum columns f32", lambda x: x.cumsum(0), rand((8192, 16384)), share=0.80, rtol=1e-3, atol=1e-2),
    Case("cumsum one row f32", lambda x: x.cumsum(0), lambda d: (torch.rand(64 << 20, device=d),), share=0.80, rtol=1e-3, atol=1e-2),
    Case("cummax 4096 f32", lambda x: tuple(x.cummax(1)), rand((16384, 4096)), share=0.80, rtol=0, atol=0),
    Case("cumsum 4096 f32", lambda x: x.cumsum(1), rand((32768, 4096)), share=0.80, rtol=1e-3, atol=1e-3),
    Case("max pool 3x3/2 f32", lambda x: F.max_pool2d(x, 3, 2, 1), rand((256, 64, 112, 112)), share=0.80, **strict()),
    Case("average pool 2x2 bf16", lambda x: F.avg_pool2d(x, 2), rand((256, 128, 112, 112), dtype=bf16), share=0.80),
    Case("fp8 quantisation bf16", quantize, rand((32768, 8192), dtype=bf16), rtol=0.13, atol=0.5),
    Case("dropout bf16", lambda x: F.dropout(x, 0.1, True), rand((65536, 4096), dtype=bf16)),
    Case("adam over 60 tensors f32", adam, adam_inputs(f32), rtol=1e-4, atol=1e-5),
]

# The same in the other element type, over as many bytes, so that no kind of
# kernel is timed only where it happens to be fast.
CASES += [
    Case("relu(x + y) bf16", lambda x, y: torch.relu(x + y), rand((131072, 1024), (131072, 1024), dtype=bf16)),
    Case("tanh gelu(x + bias) f32", bias_tanh_gelu, rand((32768, 4096), (4096,)), **strict()),
    Case("tanh chain bf16", lambda x: torch.tanh(x * 2 + 1) * 0.5 - 3, rand((131072, 2048), dtype=bf16), rtol=2e-2, atol=3e-2),
    Case("swiglu f32", swiglu, rand((16384, 8192)), **strict()),
    Case("layer norm 4096 f32", lambda x, w, b: F.layer_norm(x, (4096,), w, b), rand((16384, 4096), (4096,), (4096,)), rtol=1e-4, atol=1e-4),
    Case("rms norm + residual f32", rms_residual, rand((16384, 4096), (16384, 4096), (4096,)), rtol=1e-4, atol=1e-4),
    Case("batch norm bf16 (inference)", lambda x, m, v, w, b: F.batch_norm(x, m, v.abs(), w, b), lambda d: rand((512, 128, 56, 56), dtype=bf16)(d) + rand((128,), (128,), (128,), (128,))(d), rtol=2e-2, atol=2e-2),
    Case("batch norm bf16 (training)", lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), lambda d: rand((256, 64, 56, 56), dtype=bf16)(d) + rand((64,), (64,))(d), bytes=lambda i, o: 2 * size_of(i) + size_of(o), rtol=2e-2, atol=2e-2),
    Case("group norm f32", lambda x, w, b: F.group_norm(x, 32, w, b), rand((256, 256, 32, 32), (256,), (256,)), rtol=1e-4, atol=1e-4),
    Case("var/mean rows 4096 bf16", lambda x: torch.var_mean(x, 1), rand((65536, 4096), dtype=bf16)),
    Case("full sum bf16", lambda x: x.sum(), rand((32768, 16384), dtype=bf16), rtol=2e-2, atol=64.0),
    Case("row sum bf16", lambda x: x.sum(1), rand((131072, 4096), dtype=bf16), rtol=2e-2, atol=1.0),
    Case("middle sum bf16", lambda x: x.sum(1), rand((1024, 512, 1024), dtype=bf16), rtol=2e-2, atol=0.5),
    Case("argmax 32768 bf16", lambda x: x.argmax(1), rand((16384, 32768), dtype=bf16), rtol=0, atol=0),
    Case("cross entropy 50k f32", cross_entropy, lambda d: (torch.randn(4096, 50257, device=d), indices(4096, 50257, d)), rtol=1e-4, atol=1e-4),
    Case("nchw to nhwc f32", lambda x: x.permute(0, 2, 3, 1).contiguous(), rand((128, 256, 56, 56)), rtol=0, atol=0),
    Case("rotary f32", rotary, lambda d: (torch.randn(8, 4096, 32, 128, device=d), torch.randn(4096, 1, 128, device=d), torch.randn(4096, 1, 128, device=d)), **strict()),
    Case("cat of three bf16", lambda x, y, z: torch.cat((x, y * 2, z), 1), rand((131072, 512), (131072, 1024), (131072, 512), dtype=bf16), rtol=0, atol=0),
    Case("embedding f32", lambda w, i: F.embedding(i, w), gather_inputs(f32), bytes=lambda i, o: 2 * size_of(o) + size_of(i[1:]), rtol=0, atol=0),
    Case("gather rows + bias bf16", lambda x, i: x[i] + 1.5, gather_inputs(bf16), bytes=lambda i, o: 2 * size_of(o) + size_of(i[1:])),
    Case("index_put with duplicates bf16", lambda x, i, v: x.index_put((i,), v, accumulate=True), scatter_inputs(bf16, 2048), bytes=lambda i, o: size_of(i) + 3 * size_of(o), share=0.80, rtol=3e-2, atol=0.1),
    Case("embedding backward bf16", lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, 65536, -1, False), lambda d: (torch.randn(65536, 2048, device=d).to(bf16), indices(65536, 65536, d)), bytes=lambda i, o: size_of(i) + size_of(o), share=0.80, rtol=3e-2, atol=0.1),
    Case("embedding backward words bf16", lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, 65536, -1, False), lambda d: (torch.randn(65536, 2048, device=d).to(bf16), frequencies(65536, 65536, d)), bytes=lambda i, o: size_of(i) + size_of(o), share=0.80, rtol=3e-2, atol=0.1),
    Case("embedding backward one row bf16", lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, 65536, -1, False), lambda d: (torch.randn(65536, 2048, device=d).to(bf16), torch.full((65536,), 12345, device=d)), bytes=lambda i, o: size_of(i) + size_of(o), share=0.80, rtol=3e-2, atol=0.1),
    Case("cumsum rows of 8192 bf16", lambda x: x.cumsum(1), rand((32768, 8192), dtype=bf16), share=0.80, atol=0.5, wide=True),
    Case("cumsum columns bf16", lambda x: x.cumsum(0), rand((8192, 32768), dtype=bf16), share=0.80, atol=0.5, wide=True),
    Case("cumsum one row bf16", lambda x: x.cumsum(0), lambda d: (torch.rand(128 << 20, device=d).to(bf16),), share=0.80, wide=True),
    Case("cummax 4096 bf16", lambda x: tuple(x.cummax(1)), rand((32768, 4096), dtype=bf16), share=0.80, rtol=0, atol=0),
    Case("cumsum 4096 bf16", lambda x: x.cumsum(1), rand((65536, 4096), dtype=bf16), share=0.80, atol=0.5, wide=True),
    Case("max pool 3x3/2 bf16", lambda x: F.max_pool2d(x, 3, 2, 1), rand((512, 64, 112, 112), dtype=bf16), share=0.80, rtol=0, atol=0),
    Case("average pool 2x2 f32", lambda x: F.avg_pool2d(x, 2), rand((128, 128, 112, 112)), share=0.80, **strict()),
    Case("fp8 quantisation f32", quantize, rand((16384, 8192)), rtol=0.13, atol=0.5),
    Case("dropout f32", lambda x: F.dropout(x, 0.1, True), rand((32768, 4096))),
    Case("adam over 60 tensors bf16", adam, adam_inputs(bf16), rtol=2e-2, atol=2e-2),
]
