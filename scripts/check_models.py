#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile real architectures with random weights for every target, or run them and compare.

  scripts/check_models.py --bin=build/bin [--shard=0/4] [--only=REGEX] [--targets=cpu,cuda:sm_90a]
  scripts/check_models.py --bin=build/bin --run [--shard=0/4] [--only=REGEX]
  scripts/check_models.py --random=SEED --count=N ...    # architectures that nobody listed

Needs the environment of test/models/requirements.txt. Each architecture of
test/models/architectures.py is exported by torch.export and compiled by coil-compile,
in processes of their own, for each target. A signal, an assertion, an 'LLVM ERROR' or a
timeout is a failure and ends the script with status 1. An error that names an operator
without a lowering is none: the architecture is skipped by name. So is one that
torch.export refuses.

With --run each is compiled and run by the Python module on the CPU and compared with eager mode;
test/models/running.py states what agrees. Results that do not, and runs that end with an error,
are failures, too.

With --random=SEED, --count architectures are drawn from the registries of the libraries (test/models/drawing.py);
those above its limits, or whose inputs it does not know, are skipped.

Results are lines of JSON in --results, with the seconds that each compilation took, which a later
run continues: what has a line is not repeated unless it failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/models"))
sys.dont_write_bytecode = True
import architectures  # noqa: E402

TARGETS = "cpu,cuda:sm_90a,cuda:sm_80"
FAILURES = ("crash", "timeout", "error", "wrong")
# What no compiler should say, whatever its status.
CRASH = re.compile(r"LLVM ERROR|Assertion `|PLEASE submit a bug report|AddressSanitizer|terminate called"
                   r"|Stack dump|UNREACHABLE")
# A program that is not functional, which `run_decompositions` makes it.
MUTATES = re.compile(r"it mutates (the|its) ")
# How the importer and the legalisation say that there is no lowering.
UNSUPPORTED = re.compile(r"error: .*(no lowering|not supported|unsupported|has no rule|cannot be legalised|are supported"
                         r"|unknown operator|no schema|failed to legali[sz]e|is not known|does not know"
                         r"|no registered function|is not registered)", re.I)


def export(name, path, functional):
    """In a process of its own: export an architecture."""
    import torch
    torch.manual_seed(0)
    module, inputs = architectures.make(name)
    with torch.no_grad():
        program = torch.export.export(module, inputs)
        if functional:
            program = program.run_decompositions({})
        torch.export.save(program, path)


def compare(name, path, bin_folder):
    """In a process of its own: export an architecture, run it and compare; the outcome goes to a file beside it."""
    sys.path.insert(0, str(pathlib.Path(bin_folder).parent / "python"))
    import torch
    import coil
    import running
    torch.manual_seed(0)
    module, inputs = architectures.make(name)
    for functional in False, True:
        with torch.no_grad():
            program = torch.export.export(module, inputs)
            if functional:
                program = program.run_decompositions({})
            torch.export.save(program, path)
        pathlib.Path(path + ".json").write_text(json.dumps({"outcome": "error", "why": "the process ended"}))
        entry = running.compare(coil, path, module, inputs)
        if not MUTATES.search(entry.get("why", "")):
            break
    pathlib.Path(path + ".json").write_text(json.dumps(entry))


def run(command, limit):
    """Status and text of a command; a status of None is a timeout."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def compile_for(args, model, target):
    """What became of one compilation, and the text that says why."""
    with tempfile.TemporaryDirectory() as directory:
        status, text = run([str(args.bin / "coil-compile"), str(model), f"--target={target}",
                            *args.option, "-o", f"{directory}/model.coilpkg"], args.timeout)
    if status is None:
        return "timeout", ""
    if status < 0 or status >= 128 or CRASH.search(text):
        return "crash", text[-4000:]
    if status == 0:
        return "compiled", ""
    errors = [line for line in text.splitlines() if "error" in line] or text.splitlines()[-1:]
    return ("unsupported" if UNSUPPORTED.search(text) else "error"), "\n".join(errors[:5])


def run_and_compare(args, name):
    with tempfile.TemporaryDirectory() as directory:
        model = pathlib.Path(directory) / "model.pt2"
        status, text = run([sys.executable, __file__, "--compare", name, str(model), str(args.bin)], args.timeout)
        outcome = pathlib.Path(f"{model}.json")
        # There is a file as soon as torch.export is done.
        if not outcome.exists():
            why = text.strip().splitlines()[-1:] or ["timeout"]
            return {"name": name, "export": why} if status == 1 or status is None else \
                {"name": name, "targets": {"run": {"outcome": "crash", "why": text[-4000:]}}}
        entry = json.loads(outcome.read_text())
        if status is None:
            entry = {"outcome": "timeout"}
        elif status < 0 or status >= 128 or CRASH.search(text):
            entry = {"outcome": "crash", "why": text[-4000:]}
        elif status != 0:
            entry = {"outcome": "error", "why": text[-4000:]}
        if entry["outcome"] == "refused" and not UNSUPPORTED.search(entry["why"]):
            entry["outcome"] = "error"
        return {"name": name, "targets": {"run": entry}}


def check(args, name):
    if args.run:
        return run_and_compare(args, name)
    with tempfile.TemporaryDirectory() as directory:
        model = pathlib.Path(directory) / "model.pt2"
        for functional in [], ["--functional"]:
            status, text = run([sys.executable, __file__, "--export", name, str(model), *functional],
                               args.timeout)
            if status != 0 or not model.exists():
                return {"name": name, "export": text.strip().splitlines()[-1:] or ["timeout"]}
            results = {}
            for target in args.targets.split(","):
                start = time.monotonic()
                outcome, why = compile_for(args, model, target)
                results[target] = {"outcome": outcome, "seconds": round(time.monotonic() - start, 1),
                                   **({"why": why} if why else {})}
            if not any(MUTATES.search(r.get("why", "")) for r in results.values()):
                break
        return {"name": name, "targets": results}


def has_failed(entry):
    return any(r["outcome"] in FAILURES for r in entry.get("targets", {}).values())


def report(entry):
    if "export" in entry:
        return f"SKIPPED {entry['name']}: torch.export: {entry['export'][0][:160]}"
    outcomes = ", ".join(f"{target} {r['outcome']}" for target, r in entry["targets"].items())
    whys = {r.get("why", "").splitlines()[0][:200] for r in entry["targets"].values() if r.get("why")}
    state = "FAILED" if has_failed(entry) else "SKIPPED" if whys else "PASSED"
    return f"{state} {entry['name']}: {outcomes}" + "".join(f"\n    {why}" for why in sorted(whys))


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--export":
        return export(sys.argv[2], sys.argv[3], "--functional" in sys.argv)
    if len(sys.argv) > 1 and sys.argv[1] == "--compare":
        return compare(*sys.argv[2:5])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin", help="where coil-compile is")
    parser.add_argument("--targets", default=TARGETS, help=f"separated by commas (default: {TARGETS})")
    parser.add_argument("--run", action="store_true", help="run on the CPU, and compare with eager mode")
    parser.add_argument("--option", action="append", default=[], help="another option of coil-compile")
    parser.add_argument("--only", default="", help="a regular expression that names have to match")
    parser.add_argument("--random", type=int, metavar="SEED", help="draw architectures instead of those listed")
    parser.add_argument("--count", type=int, default=100, help="how many to draw")
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th architecture from the i-th on")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one process")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("check-models.jsonl"))
    args = parser.parse_args()
    index, count = map(int, args.shard.split("/"))
    names = [n for n in architectures.get_names(args.random, args.count) if re.search(args.only, n)][index::count]
    entries = {}
    if args.results.exists():
        for line in args.results.read_text().splitlines():
            entry = json.loads(line)
            entries[entry["name"]] = entry
    for name in names:
        if name not in entries or has_failed(entries[name]):
            entries[name] = check(args, name)
            with args.results.open("a") as file:
                file.write(json.dumps(entries[name]) + "\n")
        print(report(entries[name]), flush=True)
    done = [entries[name] for name in names]
    outcomes = collections.Counter(report(entry).split()[0] for entry in done)
    passed = "agree with eager mode" if args.run else "compile for all targets"
    print(f"{len(done)} architectures: {outcomes['PASSED']} {passed}, "
          f"{outcomes['SKIPPED']} skipped, {outcomes['FAILED']} failures")
    return 1 if outcomes["FAILED"] or not done else 0


if __name__ == "__main__":
    sys.exit(main())
