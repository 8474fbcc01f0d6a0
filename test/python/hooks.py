# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks on compiled and emitted programs.

    hooks.py program.mlir [emitted.py]
"""
import array
import importlib.util
import sys

import coil

if len(sys.argv) > 2:
    import torch
    from coil import host

    spec = importlib.util.spec_from_file_location("emitted", sys.argv[2])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    set_hook = host.set_hook

    def run():
        x = [torch.empty_strided((4,), (1,), dtype=torch.float32, device="cpu") for _ in range(2)]
        for each in x:
            each.zero_()
        module.main(x)
else:
    program = coil.compile(sys.argv[1], options="debug-values=hook fuse=false library=none")
    set_hook = program.set_hook

    def run():
        program.run(array.array("f", [0] * 4), array.array("f", [0] * 4))


run()
print("nothing is set")
# CHECK: nothing is set


def show(step, name, where, tensor):
    print(step, name, where, tensor.tolist() if hasattr(tensor, "tolist") else "tensor")


set_hook(show)
run()
# CHECK-NEXT: exp_0:0 out0 model.py:3 [1.0, 1.0, 1.0, 1.0]
# CHECK-NEXT: neg_1:1 out0 model.py:4 [-1.0, -1.0, -1.0, -1.0]


def stop(step, name, where, tensor):
    raise ValueError("enough")


set_hook(stop)
try:
    run()
except coil.RunError as error:
    print("stopped:", error)
# CHECK-NEXT: stopped: {{.*}}failed: ValueError: enough
set_hook(None)
run()
print("done")
# CHECK-NEXT: done
