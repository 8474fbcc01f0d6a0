# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tools and the Python API with wrong options, and checks that each is refused
with a message that names the option and what is allowed. Most come from the
declaration of the options, the others are written out in wrong_lines.py."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from wrong_lines import LINES, PIPELINE, PYTHON, TARGETS

PROGRAM = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def swap(word):
    """A misspelled word: its second and third letter change places."""
    return word[0] + word[2] + word[1] + word[3:]


def wrong_values(option):
    """Values that the option cannot have, each with what the message has to have."""
    kind, values = option["kind"], option["values"]
    if kind in ("flag", "choice", "library list"):
        # The message lists all that there are.
        allowed = [f"'{value}'" for value in values]
        yield "mistake", allowed
        for value in values:
            if len(value) > 2 and swap(value) not in values and swap(value) != value:
                yield swap(value), ["did you mean", *allowed]
                break
        yield values[0].upper(), allowed
        if kind == "library list":
            yield values[0] + ",mistake", ["'mistake'", *allowed]
    elif kind == "number":
        yield "wide", ["expected a number"]
        yield "1.5", ["expected a number"]
        yield str(option["min"] - 1), ["expected a number", str(option["min"])]
        if option["max"] < 2**63 - 1:
            yield str(option["max"] + 1), ["expected a number", str(option["max"])]
    elif kind == "bytes":
        for value in ("lots", "-1", "1X", "99999999999G"):
            yield value, ["expected a number of bytes"]
    elif kind == "power of two":
        for value in ("7", "12", "-8", "wide"):
            yield value, ["expected a power of two from 8 on"]


def list_runs(options):
    """All command lines: the tool, the arguments, what the message has to have."""
    for option in options:
        name, tools = option["name"], option["tools"]
        for value, wanted in wrong_values(option):
            for tool in tools:
                yield tool, [f"--{name}={value}"], [f"'{name}'", *wanted]
            if option["scope"] == "pipeline":
                yield "coil-opt", [f"--coil-cpu-pipeline={name}={value}"], [f"'{name}'", *wanted]
        # Names.
        if len(name) > 3 and swap(name) != name:
            for tool in tools:
                yield tool, [f"--{swap(name)}=x"], [f"--{swap(name)}", name]
            if option["scope"] == "pipeline":
                yield ("coil-opt", [f"--coil-graph-pipeline={swap(name)}=x"],
                       [f"'{swap(name)}'", f"did you mean '{name}'?"])
    for text, wanted in PIPELINE:
        for pipeline in ("graph", "cpu"):
            yield "coil-opt", [f"--coil-{pipeline}-pipeline={text}"], [wanted]
    for target in TARGETS:
        kind = target.split(":")[-1].split("@")[-1].split("=")[-1 if target.endswith("x") else 0]
        yield "coil-compile", [f"--target={target}"], [kind]
        yield "coil-run", [f"--target={target}"], [kind]
        yield "coil-opt", [f"--coil-cpu-pipeline=target={target}"], [kind]
    for tool, arguments, wanted in LINES:
        yield tool, arguments, [wanted]


def check_tool(tools, folder, number, line):
    """None, or what is wrong with how a tool refuses the line."""
    tool, arguments, wanted = line
    # What must not appear.
    output = os.path.join(folder, f"output{number}.mlir")
    always = {"coil-run": ["program.mlir", "--random-inputs", f"--output=@{output}"],
              "coil-compile": ["program.mlir", "-o", output],
              "coil-opt": ["program.mlir", "-o", output]}.get(tool, [])
    if any(argument.startswith(("-o", "--output")) for argument in arguments):
        always = always[:1]
    run = subprocess.run([os.path.join(tools, tool), *always, *arguments], capture_output=True, text=True,
                         cwd=folder, timeout=120, check=False)
    problems = [f"no {text!r}" for text in wanted if text not in run.stderr]
    if run.returncode <= 0 or run.returncode > 4:
        problems.append(f"status {run.returncode}")
    if os.path.exists(output):
        problems.append("an output was written")
    return f"{tool} {arguments}: {', '.join(problems)}: {run.stderr[:500]}" if problems else None


def list_calls(options):
    """Keywords of coil.compile and what the message has to have."""
    for option in options:
        keyword, scope = option["keyword"], option["scope"]
        if scope == "tool":
            continue
        numeric = option["kind"] in ("number", "bytes", "power of two")
        for value, wanted in wrong_values(option):
            if numeric and value.lstrip("-").isdigit():
                yield {keyword: int(value)}, [f"'{option['name']}'", *wanted]
            elif scope == "pipeline":
                yield {keyword: value}, [f"'{option['name']}'", *wanted]
        if scope == "pipeline" or numeric:
            yield {keyword: object()}, [f"'{option['name']}'", "object"]
        if len(keyword) > 3 and swap(keyword) != keyword:
            yield {swap(keyword): 1}, [f"'{swap(keyword)}'", f"did you mean '{keyword}'?"]
    yield from PYTHON


def check_call(program, keywords, wanted):
    """None, or what is wrong with how Python refuses the call."""
    import coil

    try:
        coil.compile(program, **keywords)
    except coil.CoilError as error:
        missing = [text for text in wanted if text not in str(error)]
        return f"coil.compile({keywords}): no {missing}: {error}" if missing else None
    return f"coil.compile({keywords}): compiled"


def main():
    tools = sys.argv[1]
    listed = subprocess.run([os.path.join(tools, "coil-opt"), "--list-options=json"], capture_output=True,
                            text=True, check=True)
    options = json.loads(listed.stdout)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.mlir")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        runs = list(list_runs(options))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda run: check_tool(tools, folder, *run), enumerate(runs)))
        calls = list(list_calls(options))
        problems += [check_call(program, *call) for call in calls]
    bad = [problem for problem in problems if problem]
    if bad:
        sys.exit("\n".join([*bad, f"{len(bad)} of {len(problems)}"]))
    print(len(runs), "command lines and", len(calls), "calls, each refused")


main()
