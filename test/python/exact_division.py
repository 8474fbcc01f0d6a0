# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients of rows by a number for each row, on the GPU or the simulated one: the bits of PyTorch's.

    exact_division.py FOLDER

Where the dividend is below 2^-100 the last bit may differ. Dividends of all magnitudes, zeros of both signs, infinities, NaN and subnormal numbers; divisors of all magnitudes.
Rows of whole vectors, and of 1001 elements, in which vectors go across the ends of rows."""
import pathlib
import sys

import torch

import coil


class Divide(torch.nn.Module):
    def forward(self, x, s, n):
        return x / s, n.float() / s, x / 255, n.float() / 0.225


def floats(generator, *sizes):
    bits = torch.randint(-(2**31), 2**31, sizes, generator=generator, dtype=torch.int64).to(torch.int32)
    return bits.view(torch.float32)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(7)
    special = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-45, -1e-40, 1.17549435e-38, 3.4e38, 1.0])
    failed = 0
    for columns in (1024, 1001):
        rows = 96
        wide = floats(generator, rows, columns)
        # Most lanes take the fast way, some of each row do not.
        near = torch.randn(rows, columns, generator=generator) * 2.0 ** torch.randint(-50, 50, (rows, columns), generator=generator)
        x = torch.where(torch.rand(rows, columns, generator=generator) < 0.02, wide, near)
        x[:8] = near[:8]
        x[8:16] = wide[8:16]
        x[:, : len(special)] = torch.where(torch.rand(rows, len(special), generator=generator) < 0.3, special, x[:, : len(special)])
        x[0] = torch.where(torch.rand(columns, generator=generator) < 0.5, near[0], torch.tensor(-0.0))
        s = floats(generator, rows, 1)
        s[:64] = torch.randn(64, 1, generator=generator) * 2.0 ** torch.randint(-20, 20, (64, 1), generator=generator)
        s[64 : 64 + len(special), 0] = special
        n = torch.randint(-(2**31), 2**31, (rows, columns), generator=generator, dtype=torch.int64).to(torch.int32)
        n[:, ::7] = 0
        file = folder / f"divide-{columns}.pt2"
        torch.export.save(torch.export.export(Divide(), (x, s, n)), file)
        program = coil.compile(file, options="target=cuda:sm_90a")
        for number, (actual, expected) in enumerate(zip(program(x, s, n), Divide()(x, s, n))):
            actual = torch.from_dlpack(actual)
            same = (actual.view(torch.int32) == expected.view(torch.int32)) | (actual.isnan() & expected.isnan())
            # Of what is so small the remainder is subnormal: within one bit.
            if number % 2 == 0:
                near = (actual.view(torch.int32).long() - expected.view(torch.int32).long()).abs() <= 1
                same |= near & (x.abs() < 2.0**-100)
            if not same.all():
                i = tuple((~same).nonzero()[0].tolist())
                print(f"{columns} columns, result {number}: {int((~same).sum())} differ, at {i}: {x[i].item()!r} / {s[i[0], 0].item()!r} is {expected[i].item()!r}, not {actual[i].item()!r}")
                failed += 1
            print(f"{columns} columns, result {number}: {same.numel()} quotients")
    print(f"{failed} results differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
