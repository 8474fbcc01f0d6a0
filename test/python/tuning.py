# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes from Python and by torch.compile, and sees that nothing is measured twice."""

import os
import sys

import torch

import coil
from coil import _tools

folder = sys.argv[1]
torch.manual_seed(0)
x, y = torch.randn(32, 64), torch.randn(64, 32)


def function(x, y):
    return torch.softmax(x + y.t(), -1)


class Module(torch.nn.Module):
    def forward(self, x, y):
        return function(x, y)


records = os.path.join(folder, "here.records")
report = coil.tune(Module(), args=(x, y), records=records, candidates=2)
assert "0 were in the records" in report, report
report = coil.tune(torch.export.export(Module(), (x, y)), records=records, candidates=2)
assert report.startswith("0 kernels measured"), report
model = coil.compile(Module(), args=(x, y), tuning_records=records)
torch.testing.assert_close(model(x, y), function(x, y))
print("tuned a module")

try:
    coil.tune(os.path.join(folder, "missing.pt2"), records=records)
except coil.CoilError as error:
    print(f"error: {'missing.pt2' in str(error)}")

coil.reset_counters()
compiled = torch.compile(function, backend="coil", mode="max-autotune")
torch.testing.assert_close(compiled(x, y), function(x, y))
files = os.listdir(os.path.join(os.environ["COIL_CACHE_DIR"], "tuning"))
print(f"torch.compile: {len(files)} file, whole: {all(f.endswith('.records') for f in files)}")
print(f"cache: {'hit' if coil.counters()['cache']['hits'] else 'miss'}")
