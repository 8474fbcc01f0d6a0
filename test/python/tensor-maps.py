# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensor-maps.py MODULE: launches the kernel of B21-tma-transpose as nodes of a graph do,
which hold tensors and make maps of them, and looks at what a wrong one says."""
import sys

from coil import host
from run_python import elements, load, make

program = load(sys.argv[1])
how = dict(box=(8, 8), where="here:1", device=program.cuda_device0)
function = "coil_rt_tensor_map_cuda"
launch = host.bind_arguments(program.transpose, (
    host.TensorMapOf(function, **how), host.TensorMapOf(function, promotion="b256", **how)))
x = make("12x20xf32=" + " ".join(map(str, range(240))), "cuda:0")
y = make("20x12xf32=0", "cuda:0")
launch(x, y, 3, 2, 1)
program.synchronize()
# The program itself makes maps in front of the launch.
z, = program.main([x])
program.synchronize()
print(elements(y.cpu()) == elements(z.cpu()) != elements(make("20x12xf32=0")))


def refused(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    sys.exit("nothing was refused")


odd = make("4x3xf32=1", "cuda:0")
print(refused(lambda: host.TensorMap(x, function, box=(8,), device=program.cuda_device0)))
print(refused(lambda: launch(odd, y, 1, 1, 1)))
