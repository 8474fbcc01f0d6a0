"""Runs an emitted program on zeros of the given sizes, on a GPU.

    tf32_emitted.py module.py SIZES...
"""
import ctypes
import importlib.util
import math
import sys

import torch

sys.path.insert(0, sys.path[0] + "/../Corpus/Inputs")
from run_python import contiguous  # noqa: E402

spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)

args = []
for text in sys.argv[2:]:
    sizes = tuple(map(int, text.split("x")))
    zeros = torch.empty_strided(sizes, contiguous(sizes), dtype=torch.float32, device="cpu")
    ctypes.memset(zeros.data_ptr(), 0, 4 * math.prod(sizes))
    args.append(torch.empty_strided(sizes, contiguous(sizes), dtype=torch.float32, device="cuda:0").copy_(zeros))
program.main(args)
program.synchronize()
