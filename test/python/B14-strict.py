# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of operators on all values of bf16 and f16: where they are strict, bits are eager mode's."""
import sys
import tempfile

import torch

import coil


class Model(torch.nn.Module):
    def forward(self, x):
        a = torch.exp(x * 0.5)
        b = (a + 1) * x / 3 - torch.sqrt(x.abs())
        c = torch.where(x * 1.1 + 0.3 > x.abs() * 1.2, torch.sigmoid(x), torch.nn.functional.silu(x) * a)  # compares
        d = torch.log(x.abs()) + torch.rsqrt(x.abs()) - torch.reciprocal(x)
        return a, b, c, d


FIRST, LAST = 14, 17
assert "torch.exp" in open(__file__).read().splitlines()[FIRST - 1]
assert "torch.rsqrt" in open(__file__).read().splitlines()[LAST - 1]


def count_other_bits(path, x, options):
    with torch.no_grad():
        expected = Model()(x)
    given = coil.compile(path, options=options)(x)
    counts = []
    for e, g in zip(expected, map(torch.as_tensor, given), strict=True):
        same = (e.view(torch.int16) == g.view(torch.int16)) | (e.isnan() & g.isnan())
        counts.append(int((~same).sum()))
    return counts


for dtype in (torch.bfloat16, torch.float16):
    x = torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/model.pt2"
        torch.export.save(torch.export.export(Model(), (x,)), path)
        name = str(dtype).partition(".")[2]
        print(name, "strict:", count_other_bits(path, x, "strict-lines=*"))
        print(name, "lines:", count_other_bits(path, x, f"strict-lines=B14-strict.py:{FIRST}-{LAST}"))
        fused = f"intermediate-rounding=fused strict-lines=B14-strict.py:{FIRST}-{FIRST}+B14-strict.py:{LAST}"
        counts = count_other_bits(path, x, fused)
        print(name, "a part:", [counts[0], counts[3]], "others differ" if counts[1] else "")
        counts = count_other_bits(path, x, "intermediate-rounding=fused")
        print(name, "fused:", "all chains differ" if counts[1] and counts[2] and counts[3] else counts)
        counts = count_other_bits(path, x, "")
        print(name, "default:", counts)
sys.exit()
