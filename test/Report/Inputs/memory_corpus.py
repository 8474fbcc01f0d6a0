"""Compares memory reports with plans, and looks for buffers that overlap."""

import argparse
import glob
import json
import os
import shutil
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))

import tools


def check_function(f, where):
    errors = []
    if f["peak"] != f["planned_peak"]:
        errors.append(f"peak {f['peak']}, planned {f['planned_peak']}")
    if f["planned_peak"] < f["lower_bound"]:
        errors.append("a peak below the lower bound")
    if f["peak"] != max(f["in_use"], default=0):
        errors.append("the peak is not the largest number of bytes in use")
    allocations, buffers = f["allocations"], f["buffers"]
    for i, b in enumerate(buffers):
        a = allocations[b["allocation"]]
        if not a["begin"] <= b["begin"] <= b["end"] <= a["end"]:
            errors.append(f"{b['name']} outlives its allocation")
        if b["offset"] < 0 or b["offset"] + b["bytes"] > a["bytes"]:
            errors.append(f"{b['name']} is outside of its allocation")
        for c in buffers[:i]:
            if (
                b["allocation"] == c["allocation"]
                and max(b["begin"], c["begin"]) < min(b["end"], c["end"])
                and max(b["offset"], c["offset"])
                < min(b["offset"] + b["bytes"], c["offset"] + c["bytes"])
            ):
                errors.append(f"{b['name']} lies in {c['name']}")
    return [f"{where}, {f['name']}: {e}" for e in errors]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="where the tools are")
    parser.add_argument("--out", required=True)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    os.makedirs(args.out)
    coil_opt, coil_compile = (os.path.join(args.bin, t) for t in ("coil-opt", "coil-compile"))
    files = []
    for folder in args.folders:
        for pattern in ("*.mlir", "*.pt2"):
            files += sorted(glob.glob(os.path.join(folder, pattern)))
    report = os.path.join(args.out, "report.json")
    errors, functions, buffers = [], 0, 0
    for file in files:
        for mode in ("none", "reuse", "pool"):
            program = file
            if file.endswith(".mlir"):
                # Programs of the corpus are host programs without a plan.
                program = os.path.join(args.out, "planned.mlir")
                tools.check(tools.run(
                    [coil_opt, file, "--wrapper-plan-memory=mode=" + mode, "-o", program]))
            tools.check(tools.run([coil_compile, program,
                                   "--memory-report=" + report, "-o", os.devnull]))
            with open(report) as stream:
                for f in json.load(stream)["functions"]:
                    functions += 1
                    buffers += len(f["buffers"])
                    errors += check_function(f, f"{os.path.basename(file)} ({mode})")
    print(f"{len(files)} programs, {functions} functions, {buffers} buffers")
    print("\n".join(errors))
    # A folder that moved would make this pass.
    sys.exit(bool(errors) or functions < 100 or buffers < 300)


if __name__ == "__main__":
    main()
