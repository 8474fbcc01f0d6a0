# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed weights of torch, an object of torch.classes, in a program.

    objects_torch.py program.mlir
"""
import gc
import sys

import coil
import torch

weight = torch.quantize_per_tensor(torch.arange(8.0).reshape(4, 2), 0.5, 0, torch.qint8)
packed = torch.ops.quantized.linear_prepack(weight, torch.tensor([1.0, 2.0, 3.0, 4.0]))
coil.register_class("quantized::LinearPackedParamsBase", methods=["bias"])
coil.bind_object("packed", packed)
program = coil.compile(sys.argv[1])
print(program.run()[0].tolist())
gc.collect()
before = coil.object_count()
coil.bind_object("packed", None)
print(before, coil.object_count())
