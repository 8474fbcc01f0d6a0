# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws wrong command lines of every tool from its own --help, and checks how each is refused: by one error that names what is
wrong, with a status of failure, and with nothing written.

    random_lines.py BIN MODEL [--count=200] [--seed=1]

A line is right but for one mistake: a misspelled flag, a value that the flag cannot have (numbers, bools, choices), a chip that
there is not, a flag that is given twice, a file that is missing, an output in a folder that is missing, an argument too many."""

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile

PROGRAM = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""

# What makes a right command line of each tool, beside its output. Tools whose flags are LLVM's and upstream's own
# (coil-lsp-server) have none here.
RIGHT = {
    "coil-bisect": ["program.mlir"],
    "coil-compile": ["program.mlir"],
    "coil-fuzz": ["--count=1"],
    "coil-import": ["program.pt2"],
    "coil-interpret": ["program.mlir", "--function=main", "--input=dense<1.0> : tensor<8xf32>"],
    "coil-opt": ["program.mlir"],
    "coil-package": ["inspect", "program.coilpkg"],
    "coil-run": ["program.mlir", "--random-inputs"],
    "coil-translate": ["program.mlir", "--mlir-to-llvmir"],
    "coil-tune": ["program.mlir", "--records=records.json"],
}
WITH_OUTPUT = ("coil-compile", "coil-import", "coil-opt", "coil-translate")
NUMBERS = {"n", "uint", "int", "long", "ulong", "x", "bytes", "number"}


class Flag:
    def __init__(self, name, value, isOptional, text):
        self.name, self.value, self.isOptional, self.text = name, value, isOptional, text
        self.choices = []


def read_flags(tools, tool):
    """The flags under a tool's own heading in what --help prints; of coil-opt also those under upstream's."""
    text = subprocess.run([os.path.join(tools, tool), "--help"], capture_output=True, text=True, check=True).stdout
    flags, isOwn = [], False
    for line in text.splitlines():
        if re.match(r"\S.*:$", line):
            isOwn = line.startswith(tool)
        found = re.match(r"  --([a-z][a-z0-9-]*)(\[)?(?:=<([^>]*)>)?\]?\s+- (.*)", line)
        choice = re.match(r"    =(\S+)\s+- ", line)
        if isOwn and found:
            flags.append(Flag(found[1], found[3], bool(found[2]), found[4]))
        elif isOwn and choice and flags:
            flags[-1].choices.append(choice[1])
    return flags


def misspell(rng, word, others):
    """A word a letter or two away from one, and from all others."""
    while True:
        letters = list(word)
        at = rng.randrange(1, len(letters))
        how = rng.randrange(3)
        if how == 0 and at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif how == 1 and len(letters) > 2:
            del letters[at]
        else:
            letters.insert(at, rng.choice(string.ascii_lowercase))
        wrong = "".join(letters)
        if wrong not in others and not wrong.endswith("-"):
            return wrong


def draw(rng, tool, flags):
    """The arguments that are wrong, and what the message has to have."""
    names = {flag.name for flag in flags}
    typed = [flag for flag in flags if flag.choices or flag.isOptional and flag.value == "bool" or flag.value in NUMBERS]
    # `one of` in the text: choices that the declaration of Coil's options lists.
    named = [flag for flag in flags if re.search(r"\bone of [a-z0-9-]+(, |\)| \()", flag.text)]
    # Twice the same value is no mistake.
    single = [flag for flag in typed if len(flag.choices) > 1 or flag.value == "bool"]
    kinds = ["flag", "missing", "surplus"]
    kinds += ["value"] * 3 * bool(typed or named) + ["twice"] * bool(single)
    kinds += ["chip"] * ("target" in names) + ["folder"] * (tool in WITH_OUTPUT)
    kind = rng.choice(kinds)
    if kind == "flag":
        if not flags:
            return draw(rng, tool, flags) if len(set(kinds)) > 1 else (["--no-such-flag"], ["--no-such-flag"])
        flag = rng.choice(flags)
        wrong = misspell(rng, flag.name, names)
        return [f"--{wrong}" + ("=1" if flag.value else "")], [f"--{wrong}"]
    if kind == "missing":
        wrong = "missing" + rng.choice([".mlir", ".pt2", ""])
        return [("replace", wrong)], [wrong]
    if kind == "surplus":
        # Upstream's drivers register their argument too late to name it.
        return ["surplus.mlir"], ["positional" if tool in ("coil-opt", "coil-translate") else "surplus.mlir"]
    if kind == "chip":
        wrong = rng.choice(["cuda:sm_", "cuda:", "cpu:", "rocm:"]) + "".join(rng.choices("0123456789az", k=4))
        return [f"--target={wrong}"], [wrong.split(":")[1]]
    if kind == "folder":
        return ["-o", "folder/that/is/missing/x.mlir"], ["folder/that/is/missing/x.mlir"]
    if kind == "twice":
        flag = rng.choice(single)
        values = flag.choices[:2] or ["true", "false"]
        return [f"--{flag.name}={value}" for value in values], [flag.name]
    flag = rng.choice(typed + named)
    if flag in named:
        listed = re.search(r"\bone of ([a-z0-9, -]+)", flag.text)[1].split(", ")
        wrong = misspell(rng, listed[0], set(listed))
    elif flag.choices:
        wrong = misspell(rng, rng.choice(flag.choices), set(flag.choices))
    elif flag.value == "bool":
        wrong = rng.choice(["maybe", "2", "TRUEE", "on off"])
    else:
        wrong = rng.choice(["many", "1x", "--", "0x", "1e"] + ["9" * 30, "1.5"] * (flag.value != "x"))
    return [f"--{flag.name}={wrong}"], [flag.name]


def check(tools, folder, number, tool, arguments, wanted):
    """None, or what is wrong with how a tool refuses the line."""
    output = os.path.join(folder, f"output{number}")
    right = list(RIGHT[tool])
    if arguments and isinstance(arguments[0], tuple):
        at = next((i for i, each in enumerate(right) if each.startswith("program.")), None)
        if at is None:
            return None
        right[at], arguments = arguments[0][1], []
    if tool in WITH_OUTPUT and "-o" not in arguments:
        right += ["-o", output]
    before = set(os.listdir(folder))
    run = subprocess.run([os.path.join(tools, tool), *right, *arguments], capture_output=True, text=True, cwd=folder,
                         stdin=subprocess.DEVNULL, timeout=120, check=False)
    problems = [f"no {text!r}" for text in wanted if text not in run.stderr]
    if not 0 < run.returncode <= 4:
        problems.append(f"status {run.returncode}")
    # "error: ..." or LLVM's "<tool>: for the --flag option: ...", which a hint may follow; upstream's on files.
    complaints = [line for line in run.stderr.splitlines()
                  if re.match(rf"(\S+: )?error: |{tool}: (?!Did you mean)|\S+:\d+:\d+: error: |cannot open ", line)]
    if len(complaints) != 1:
        problems.append(f"{len(complaints)} errors")
    if os.path.exists(output) or any(each.startswith("missing") for each in set(os.listdir(folder)) - before):
        problems.append("an output was written")
    line = " ".join([tool, *right, *arguments])
    return f"{line}: {', '.join(problems)}: {run.stderr[:400]}" if problems else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("model", help="a .pt2 file")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    rng = random.Random(args.seed)
    flags = {tool: read_flags(args.bin, tool) for tool in RIGHT}
    lines = [(tool, *draw(rng, tool, flags[tool])) for tool in (rng.choice(sorted(RIGHT)) for _ in range(args.count))]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program.mlir"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        shutil.copy(args.model, os.path.join(folder, "program.pt2"))
        subprocess.run([os.path.join(args.bin, "coil-compile"), "program.mlir", "-o", "program.coilpkg"], cwd=folder, check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda each: check(args.bin, folder, each[0], *each[1]), enumerate(lines)))
    bad = [problem for problem in problems if problem]
    if bad:
        sys.exit("\n".join([*bad, f"{len(bad)} of {len(lines)}"]))
    print(len(lines), "command lines of", len({tool for tool, *_ in lines}), "tools, each refused")


main()
