# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/reference/FeatureRows.md: each row is there, and each test that it points to
exists and names it, unless the row says that there is nothing to prove.

    check_rows.py root-of-the-sources
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from feature_rows import STATES, read_rows

WANTED = [f"F{n:02}" for n in range(1, 68)]
WANTED += [f"B{n:02}" for n in range(1, 39)]

rows = read_rows(root)
problems, tests = [f"row {row} is missing" for row in WANTED if row not in rows], set()
for row, (_, state, proof, paths) in rows.items():
    if state not in STATES:
        problems.append(f"{row}: the state '{state}' is none of {', '.join(STATES)}")
    if state in ("Proven", "Partly") and not paths:
        problems.append(f"{row} is '{state}' by no test")
    if state == "Partly" and "Missing: " not in proof:
        problems.append(f"{row} does not say what is missing")
    if state in ("Not built", "Does not apply"):
        paths = []  # What there is instead need not name the row.
    for path in paths:
        tests.add(path)
        if not (root / path).is_file():
            problems.append(f"{row}: {path} does not exist")
        elif not re.search(rf"\b{row}\b", path + "\n" + (root / path).read_text()):
            problems.append(f"{row}: {path} does not name the row")
if problems:
    sys.exit("\n".join(problems))
counts = ", ".join(f"{sum(row.state == state for row in rows.values())} {state.lower()}" for state in STATES)
print(f"{len(rows)} rows, {len(tests)} tests: {counts}")
