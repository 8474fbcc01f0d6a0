# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with the operators that PT2E quantization leaves in them (`quantized_decomposed`), in comparison with eager mode.

    quantized_decomposed.py [OPTIONS]
"""

import sys
import warnings

import coil
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 (registers the operators)

warnings.filterwarnings("ignore")
Q = torch.ops.quantized_decomposed
U8, I8, F32, F64 = torch.uint8, torch.int8, torch.float32, torch.float64
torch.manual_seed(0)
X, SCALES, ZEROS = torch.randn(3, 4, 6) * 3, torch.rand(4) * 0.1 + 0.01, torch.randint(-5, 5, (4,))
BYTES = torch.randint(-128, 128, (3, 4, 6), dtype=I8)
ROWS, ROW_ZEROS = torch.rand(3, 4, 1) * 0.1 + 0.01, torch.randint(-5, 5, (3, 4, 1))


class Quantized(torch.nn.Module):
    """A convolution and a product as the converter writes them: weights are integers, activations pass through integers."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kernel", torch.randint(-127, 128, (5, 3, 3, 3), dtype=I8))
        self.register_buffer("scales", torch.rand(5) * 0.02 + 0.001)
        self.register_buffer("zeros", torch.zeros(5, dtype=torch.int64))
        self.register_buffer("weight", torch.randint(-127, 128, (7, 5), dtype=I8))

    def forward(self, x):
        x = Q.dequantize_per_tensor(Q.quantize_per_tensor(x, 0.031, 128, 0, 255, U8), 0.031, 128, 0, 255, U8)
        kernel = Q.dequantize_per_channel(self.kernel, self.scales, self.zeros, 0, -127, 127, I8)
        x = torch.relu(torch.nn.functional.conv2d(x, kernel, padding=1))
        x = Q.dequantize_per_tensor(Q.quantize_per_tensor(x, 0.05, -128, -128, 127, I8), 0.05, -128, -128, 127, I8).mean((2, 3))
        # Dynamic quantization: the scale is that of the data.
        scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-6, I8)
        x = Q.dequantize_per_tensor.tensor(Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, I8), scale, zero, -128, 127, I8)
        return torch.nn.functional.linear(x, Q.dequantize_per_tensor(self.weight, 0.01, 0, -127, 127, I8))


def tokens(x):
    scale, zero = Q.choose_qparams_per_token_asymmetric(x, I8)
    q = Q.quantize_per_token(x, scale, zero, -128, 127, I8)
    return scale, zero, q, Q.dequantize_per_token(q, scale, zero, -128, 127, I8, F32)


def symmetric_tokens(x):
    scale, zero = Q.choose_qparams_per_token(x, I8)
    return scale, zero, Q.quantize_per_token(x, scale, zero, -128, 127, I8)


def groups(x, scales, zeros):
    q = Q.quantize_per_channel_group(x, scales, zeros, -8, 7, I8, 4)
    return q, Q.dequantize_per_channel_group(q, scales, zeros, -8, 7, I8, 4, F32), Q.dequantize_per_channel_group(q, scales, None, -8, 7, I8, 4, F32)


PROGRAMS = {
    "per tensor": (lambda x: Q.quantize_per_tensor(x, 0.03, 7, -100, 100, I8), (X,)),
    "per tensor of f16": (lambda x: Q.quantize_per_tensor(x, 0.03, 7, 0, 255, U8), (X.half(),)),
    "per tensor of tensors": (lambda x, s, z, a, b: Q.quantize_per_tensor.tensor2(x, s, z, a, b, I8),
                              (X, torch.tensor([0.03], dtype=F64), torch.tensor([7]), torch.tensor(-100), torch.tensor(100))),
    "back to f16": (lambda q: Q.dequantize_per_tensor(q, 0.03, 7, -128, 127, I8, out_dtype=torch.float16), (BYTES,)),
    "per channel": (lambda x, s, z: Q.quantize_per_channel(x, s, z, 1, -128, 127, I8), (X, SCALES, ZEROS)),
    "per channel of f64": (lambda x, s, z: Q.quantize_per_channel(x, s, z, 1, -128, 127, I8), (X, SCALES.double(), ZEROS)),
    "back per channel": (lambda q, s, z: (Q.dequantize_per_channel(q, s, z, 1, -128, 127, I8), Q.dequantize_per_channel(q, s, None, 1, -128, 127, I8)),
                         (BYTES, SCALES, ZEROS)),
    "per token": (lambda x, s, z: Q.quantize_per_token(x, s, z, -128, 127, I8), (X, ROWS, ROW_ZEROS)),
    "tokens": (tokens, (X,)),
    "symmetric tokens": (symmetric_tokens, (X,)),
    "groups": (groups, (X.reshape(9, 8), torch.rand(9, 2) * 0.5 + 0.1, torch.randint(-2, 2, (9, 2)))),
    "symmetric": (lambda x: (*Q.choose_qparams_symmetric.tensor(x, 0, 255, 1e-6, U8), *Q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-6, I8)), (X,)),
    "fake": (lambda x, s, z: Q.fake_quant_per_channel(x, s, z, 1, -128, 127), (X, SCALES, ZEROS.int())),
    "type": (lambda x: Q.convert_element_type.no_fuse(x, torch.float16), (X,)),
    "model": (Quantized(), (torch.randn(2, 3, 8, 8),)),
}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


for name, (function, args) in PROGRAMS.items():
    module = function if isinstance(function, torch.nn.Module) else Module(function)
    exported = torch.export.export(module, args, strict=False)
    assert "quantized_decomposed" in str(exported.graph), name
    results = coil.compile(exported, options=" ".join(sys.argv[1:]))(*args)
    torch.testing.assert_close(results, module(*args), msg=lambda m, name=name: f"{name}: {m}")
    print(f"{name}: agrees")
