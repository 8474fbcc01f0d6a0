# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/reference/FeatureRows.md: each row is there, and each test that it points to
exists and names it.

    feature_rows.py root-of-the-sources
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
WANTED = [f"F{n:02}" for n in range(1, 60)]
WANTED += [f"B{n:02}" for n in range(1, 39)]
REASONS = ("Does not apply", "Not built")

rows = {}
for line in (root / "docs" / "reference" / "FeatureRows.md").read_text().splitlines():
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if len(cells) == 3 and re.fullmatch(r"[FB]\d\d", cells[0]):
        rows[cells[0]] = cells[2]

problems, tests = [f"row {row} is missing" for row in WANTED if row not in rows], set()
for row, proof in rows.items():
    paths = re.findall(r"`(test/[^`]+)`", proof)
    if proof.startswith(REASONS):
        paths = []
    elif not paths:
        problems.append(f"{row} has neither a test nor a reason")
    for path in paths:
        tests.add(path)
        if not (root / path).is_file():
            problems.append(f"{row}: {path} does not exist")
        elif not re.search(rf"\b{row}\b", path + "\n" + (root / path).read_text()):
            problems.append(f"{row}: {path} does not name the row")
if problems:
    sys.exit("\n".join(problems))
print(f"{len(rows)} rows, {len(tests)} tests")
