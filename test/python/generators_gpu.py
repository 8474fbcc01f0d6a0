# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers of a generator on a GPU against those on the host.

    generators_gpu.py program.mlir loop.mlir
"""
import array
import sys

import coil


def pair(path, options):
    host = coil.compile(path, options="library=none")
    device = coil.compile(path, options="target=cuda:sm_90 library=none" + options, cuda_graphs=8)
    host.random_state = device.random_state = 7, 8
    return host, device


host, device = pair(sys.argv[1], " random=generator partitions=always")
x = array.array("f", [1] * 4096)
equal = [host.run(x)[0].tolist() == device.run(x)[0].tolist() for _ in range(5)]
print("equal", *equal, end=", ")
assert host.random_state == device.random_state
print(device.random_state, end=", ")
print("replayed", device.graph_stats["partitions"]["replayed"] > 0)

# How much the loop draws, only it knows.
host, device = pair(sys.argv[2], "")
equal = [host.run(n)[0].tolist() == device.run(n)[0].tolist() for n in (3, 0, 4)]
print("equal", *equal, end=", ")
assert host.random_state == device.random_state
print(device.random_state)
