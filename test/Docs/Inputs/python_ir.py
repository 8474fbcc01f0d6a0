# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the blocks of Python in a page are the programs of a folder, each once.

    python_ir.py page.md folder
"""
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).read_text()
blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
programs = {path.name: path.read_text().split("\n", 2)[2] for path in pathlib.Path(sys.argv[2]).glob("*.py")}
for name, text in programs.items():
    if blocks.count(text) != 1:
        sys.exit(f"{name} is in the page {blocks.count(text)} times")
if len(blocks) != len(programs):
    sys.exit(f"the page has {len(blocks)} blocks, the folder {len(programs)} programs")
print(f"{len(blocks)} programs")
