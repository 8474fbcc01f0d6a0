# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compilation does to a program, pass by pass.

    stages.py program.mlir
"""

import sys

from coil.ir import Context, Module
from coil.passmanager import PassManager

with Context():
    module = Module.parse_file(sys.argv[1])
    sizes = {}

    def before(name, operation):
        sizes[name] = len(operation.get_asm())

    def after(name, operation, failed):
        if len(operation.get_asm()) != sizes[name]:
            print(f"  {name}: {sizes[name]} -> {len(operation.get_asm())} characters")

    for stage in ("graph", "loop", "wrapper"):
        manager = PassManager.for_stages(module, stage, library="none")
        manager.add_hooks(before=before, after=after)
        print(f"to the stage '{stage}':")
        manager.run(module)
    print("at the stage", module.stage)
