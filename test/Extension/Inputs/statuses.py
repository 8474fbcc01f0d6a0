# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statuses of tools with a plugin that there is not."""

import os
import subprocess
import sys

tools, plugin = sys.argv[1:]
environment = dict(os.environ, COIL_PLUGINS=plugin)
for tool in ("coil-compile", "coil-run", "coil-opt"):
    run = subprocess.run(
        [os.path.join(tools, tool), "x.mlir"], env=environment, stderr=subprocess.DEVNULL
    )
    print(tool, run.returncode, end=" ")
