# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the ranges with the name "main" that torch's profiler sees of three calls of
an emitted program.

    count_ranges.py module.py
"""
import importlib.util
import sys

import torch
from torch.profiler import ProfilerActivity, profile

spec = importlib.util.spec_from_file_location("emitted", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
isGraph = isinstance(module.main, torch.nn.Module)

with profile(activities=[ProfilerActivity.CPU]) as watched:
    for _ in range(3):
        x, y = torch.zeros(4), torch.zeros(4)
        module.main(x, y) if isGraph else module.main([x, y])
print("3 calls,", sum(event.name == "main" for event in watched.events()), "ranges")
