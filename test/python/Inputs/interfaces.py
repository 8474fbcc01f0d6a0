# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the public functions of the C API name their handles, and that the
Python package compiles and documents what it exports.

    interfaces.py Coil.h package-folder
"""
import ast
import inspect
import pathlib
import re
import sys

header = re.sub(r"//.*", "", open(sys.argv[1]).read())
functions = re.findall(r"COIL_C_API\s+([^;]*?)\s*\(([^;]*)\)\s*;", header)
# What callers pass through: a callback's own data, and streams of a driver.
ALLOWED = {"user", "release_user", "stream"}
for head, parameters in functions:
    name = head.split()[-1].lstrip("*")
    if re.search(r"\bvoid\s*\*", head):
        sys.exit(f"{name} gives an untyped handle")
    plain = re.sub(r"\([^()]*\)\s*\([^()]*\)", "", parameters)
    for each in plain.split(","):
        untyped = re.search(r"\bvoid\s*\*\s*(?:const\s*\*)?\s*(\w*)", each)
        if untyped and untyped.group(1) not in ALLOWED and "arguments" not in each and "buffers" not in each:
            sys.exit(f"{name} takes an untyped handle: {each.strip()}")

for path in sorted(pathlib.Path(sys.argv[2]).glob("*.py")):
    ast.parse(path.read_text(), str(path))

import coil

documented = 0
for name in coil.__all__:
    value = getattr(coil, name)
    if not inspect.getdoc(value):
        sys.exit(f"coil.{name} has no documentation")
    documented += 1
print(f"{len(functions)} functions in C, {documented} in Python")
