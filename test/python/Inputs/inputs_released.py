# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls an emitted program with a list, and says at each launch which of its inputs
are alive.

    inputs_released.py module.py
"""
import gc
import importlib.util
import sys
import weakref

import torch
from coil import host

spec = importlib.util.spec_from_file_location("emitted", sys.argv[1])
module = importlib.util.module_from_spec(spec)
launch = host.Kernel.__call__
alive = {}


def show(where):
    gc.collect()
    print(f"{where}:", *[name for name, reference in alive.items() if reference() is not None])


def watched(self, *args):
    # Of what the launch itself holds, nothing is the caller's.
    show(self.name)
    return launch(self, *args)


host.Kernel.__call__ = watched
spec.loader.exec_module(module)


def make():
    return torch.empty_strided((4,), (1,), dtype=torch.float32, device="cpu")


args = [make(), make()]
alive = {"x": weakref.ref(args[0]), "unused": weakref.ref(args[1])}
module.main(args)
assert args == []
show("end")
