# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the calls of the driver that make and run graphs fail, one at a time.

    fail_each.py <folder of tools> <folder for files> program.mlir

A run either gives the right results or says that it failed; it never ends with a
mismatch or a signal.
"""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "../Inputs"))

import tools

bin, out, program = sys.argv[1:]
os.makedirs(out, exist_ok=True)
package, expected = (os.path.join(out, name) for name in ("program.coilpkg", "expected.npy"))


def run(tool, *arguments, **environment):
    return tools.run([os.path.join(bin, tool), *arguments],
                     env=dict(os.environ, COIL_CUDA_CACHING="1", **environment))


def need(*arguments):
    done = run(*arguments)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}")


inputs = ["--input=2x4xf32=1 2 3 4 5 6 7 9"]
need("coil-compile", program, "-o", package, "--target=cuda:sm_90", "--library=none")
need("coil-run", package, *inputs, "--output=@" + expected)
calls = {"cuStreamBeginCapture": 3, "cuStreamEndCapture": 3, "cuGraphInstantiate": 4, "cuGraphLaunch": 5,
         "cuEventCreate": 2, "cuEventRecord": 4, "cuStreamCreate": 2, "cuMemAlloc": 8, "cuLaunchKernel": 12}
plain = failed = 0
for name, count in calls.items():
    for number in range(1, count + 1):
        done = run("coil-run", package, *inputs, "--expected-output=@" + expected, "--cuda-graphs=4",
                   "--iterations=5", "--time", COIL_CUDA_SIM_FAIL=f"{name}:{number}")
        if done.returncode not in (0, 3, 4):
            sys.exit(f"{name}:{number}: status {done.returncode}\n{done.stdout}{done.stderr}")
        failed += done.returncode != 0
        plain += "ran plainly" in done.stdout
print(f"{sum(calls.values())} failures: {plain > 0 and failed > 0} that some runs go on and some stop, "
      "none with a wrong result")
