# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""F63: what torch.compile(backend="coil") leaves in the structured trace that tlparse reads.

    TORCH_TRACE=<folder> trace.py           compiles
    trace.py --read <folder>                 reads the trace
"""
import glob
import json
import os
import sys

if sys.argv[1:2] == ["--read"]:
    # As tlparse does: a line with a glog prefix and JSON, and its payload in the lines that begin with a tab.
    found, last = {}, None
    for path in glob.glob(os.path.join(sys.argv[2], "*.log")):
        for line in open(path):
            if line.startswith("\t"):
                found[last] = found.get(last, "") + line[1:]
                continue
            entry = json.loads(line[line.index("{"):])
            last = (entry["artifact"]["name"] if "artifact" in entry
                    else "inductor_output_code" if "inductor_output_code" in entry else None)
            if last == "inductor_output_code":
                print("file", entry[last]["filename"])
    print("code", "def " in found["inductor_output_code"])
    mappings = json.loads(found["inductor_provenance_tracking_node_mappings"])
    steps = mappings["cppCodeToPost"]
    (piece, nodes), = ((step, of) for step, of in steps.items() if "/" not in step)
    kernels = {step: of for step, of in steps.items() if "/" in step}
    print(piece, len(nodes) >= 2, all(mappings["postToCppCode"][n][0] == piece for n in nodes), mappings["version"])
    for step, of in kernels.items():
        print("kernel", step, of == [n for n in nodes if step in mappings["postToCppCode"][n]], len(of) >= 2)
    traces = json.loads(found["inductor_provenance_tracking_kernel_stack_traces"])
    print("source", "in model" in "".join(traces[piece]), all("in model" in "".join(traces[step]) for step in kernels))
    summary = json.loads(found["coil_summary"])
    print("launches", summary["pieces"][piece]["compile_stats"]["launches"] >= 1, summary["fallbacks"])
    sys.exit()

import torch

import coil  # noqa: F401  registers the backend
import coil.torch_compile


def model(x):
    return torch.softmax(x * 2, -1).sum(0)


coil.torch_compile.register()
x = torch.rand(8, 16)
torch.testing.assert_close(torch.compile(model, backend="coil")(x), model(x))
print("compiled")
