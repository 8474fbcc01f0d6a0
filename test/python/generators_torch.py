# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A generator of torch's CPU.

    generators_torch.py program.mlir
"""
import sys

import coil
import torch

x = torch.ones(4096)
for options in ("", "random=generator"):
    program = coil.compile(sys.argv[1], options=options)
    program.set_generator(torch.default_generator)
    torch.manual_seed(3)
    first = torch.from_dlpack(program.run(x)[0]).clone()
    second = torch.from_dlpack(program.run(x)[0]).clone()
    after = torch.rand(1)
    torch.manual_seed(3)
    again = torch.from_dlpack(program.run(x)[0]).clone()
    print(torch.equal(first, again), torch.equal(first, second))
    # Each call moves it by one draw of 64 bits.
    torch.manual_seed(3)
    for _ in range(2):
        torch.empty((), dtype=torch.int64).random_()
    print(torch.equal(after, torch.rand(1)))
# CHECK: True False
# CHECK-NEXT: True
# CHECK-NEXT: True False
# CHECK-NEXT: True
