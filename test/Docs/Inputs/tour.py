# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does what the README's five minutes say, and compares what is printed.

  tour.py README.md DIRECTORY

The first block of IR is the program; every later one must be part of what the
command in bold before it prints.
"""
import pathlib
import re
import shlex
import subprocess
import sys

readme, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
tour = re.search(r"^## Five minutes.*?(?=^## )", readme.read_text(), re.M | re.S).group()
blocks = re.findall(r"```mlir\n(.*?)```|\*\*`([^`]*)`", tour, re.S)

directory.mkdir(parents=True, exist_ok=True)
(directory / "softmax.mlir").write_text(blocks[0][0])


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


printed, command, shown = "", "", 0
for block, bold in blocks[1:]:
    if bold:
        # A command that starts with an option goes on with the one before.
        command = bold if not bold.startswith("--") else re.sub(r" --to=.*", "", command) + " " + bold
        arguments = shlex.split(command)
        if arguments[0] == "coil-compile":
            arguments.append("--target=cpu:x86-64-v4")  # The README's machine.
        result = subprocess.run(arguments, cwd=directory, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"'{command}' fails: {result.stderr}")
        printed = result.stdout
        print("ran", command.replace("\n", " "))
        continue
    want, have = lines(block), lines(printed)
    if not any(have[i : i + len(want)] == want for i in range(len(have))):
        sys.exit(f"'{command}' prints\n{printed}\nwhich is not what the README shows:\n{block}")
    shown += 1
print(shown, "blocks as shown")
