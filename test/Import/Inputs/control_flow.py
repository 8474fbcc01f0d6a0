# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with branches and loops, without PyTorch: makes .pt2 files of what
Torch/control_flow.py wrote as JSON, and runs them.

    control_flow.py control-flow.json OUT [--run=COIL-RUN] [--edit=NAME:PATH=VALUE]

With --run, each case is compared with PyTorch's results and the interpreter. With
--edit, what lies at PATH in the graph of one program is set to a JSON value first.
"""

import argparse
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))

import tools
from pt2 import locate, write

TYPES = {"float32": "f32", "int64": "i64", "bool": "i1"}


def describe(tensor):
    sizes = "".join(f"{size}x" for size in tensor["sizes"])
    values = " ".join(str(value).lower() for value in tensor["values"])
    return f"{sizes}{TYPES[tensor['dtype']]}={values}"


def main():
    parser = argparse.ArgumentParser()
    for option in ("programs", "out", "--run", "--edit"):
        parser.add_argument(option)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    programs = json.load(open(options.programs))
    if options.edit:
        name, _, edit = options.edit.partition(":")
        path, _, value = edit.partition("=")
        container, key = locate(programs[name]["model"]["graph_module"]["graph"], path)
        container[key] = json.loads(value)
    count = 0
    for name, program in programs.items():
        records = {"data/weights/model_weights_config.json": b'{"config":{}}',
                   "data/constants/model_constants_config.json": b'{"config":{}}',
                   "models/model.json": json.dumps(program["model"]).encode(),
                   "archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little"}
        file = os.path.join(options.out, name + ".pt2")
        with open(file, "wb") as out:
            out.write(write([(f"{name}/{record}", data) for record, data in records.items()]))
        for inputs, outputs in program["cases"] if options.run else ():
            count += 1
            done = tools.run(
                [options.run, file, "--reference=interp", *("--input=" + describe(t) for t in inputs),
                 *("--expected-output=" + describe(t) for t in outputs)])
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stdout}{done.stderr}")
    if options.run:
        print(f"{len(programs)} programs, {count} cases")


if __name__ == "__main__":
    main()
