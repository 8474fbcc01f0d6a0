# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless each pass and op of Coil has a section in docs/reference.

    reference_complete.py root-of-the-sources output-of-list-passes
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = "\n".join(path.read_text() for path in sorted((root / "docs/reference").glob("*/*.md")))
sections = set(re.findall(r"^##+ `([\w.-]+)`", text, re.M))

# Passes of MLIR's and those of the tests have their documentation elsewhere.
declared = {name for path in (root / "include/coil").rglob("*.td")
            for name in re.findall(r"def \w+ *: (?:Interface)?Pass<\"([\w-]+)\"", path.read_text())}
listed = set(re.findall(r"^  ([a-z][\w-]+) ", pathlib.Path(sys.argv[2]).read_text(), re.M))
dialects = ("graph", "loop", "wrapper", "sym")
ops = {f"{dialect}.{name}" for dialect in dialects
       for path in (root / "include/coil/Dialect" / dialect.capitalize() / "IR").glob("*.td")
       for name in re.findall(r"def \w+ *: \w+_\w*Op<\"([\w.]+)\"", path.read_text())}
missing = sorted((declared | ops) - sections)
if missing:
    sys.exit("no section for " + ", ".join(missing))
if unlisted := sorted(declared - listed - {"reduce-ops"}):
    sys.exit("coil-opt does not list " + ", ".join(unlisted))
print(f"{len(declared)} passes, {len(ops)} ops")
