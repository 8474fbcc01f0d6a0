# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads docs/reference/FeatureRows.md, and runs the tests that its rows name.

    feature_rows.py --build build [--rows F27,B26] [--jobs 2] [--results rows.json]

A row stands if its state is Proven and each of its tests ran and passed. A test that this machine cannot run (it needs a GPU, or
a PyTorch that the build does not know) leaves a row open, with what it wants. Fails if a test fails.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = ("Proven", "Partly", "Not built", "Does not apply")

Row = collections.namedtuple("Row", "name state proof tests")


def read_rows(root=ROOT):
    """The rows of the table, by name. Tests of what is not built, or does not apply, prove nothing of the row."""
    rows = {}
    for line in (pathlib.Path(root) / "docs" / "reference" / "FeatureRows.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"[FB]\d\d", cells[0]):
            name, _, state, proof = cells
            rows[name] = Row(name, state, proof, re.findall(r"`(test/[^`]+)`", proof))
    return rows


def find_lit_name(test):
    """Where lit finds a file of the table under the build's tests: googletests are found by their folder. None for what other
    tests run (`Inputs`)."""
    path = pathlib.PurePath(test).relative_to("test")
    if "Inputs" in path.parts:
        return None
    return str(path.parent) if path.suffix == ".cpp" else str(path)


def run_tests(names, build, lit, jobs):
    """The result of each test that lit ran, by its name, and what those want that it could not run."""
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "lit.json")
        command = [sys.executable, lit, f"-j{jobs}", "-sv", "--output", results,
                   *(os.path.join(build, "test", name) for name in names)]
        status = subprocess.run(command, stdout=sys.stderr).returncode
        if not os.path.exists(results):
            sys.exit(f"lit wrote no results (status {status})")
        with open(results) as file:
            ran = json.load(file)["tests"]
    found, wanted = {}, {}
    for each in ran:
        suite, _, name = each["name"].partition(" :: ")
        name = ("Unit/" if suite.startswith("Coil-Unit") else "") + name
        found[name] = each["code"]
        features = re.search("unavailable features: (.*)", each["output"])
        if each["code"] == "UNSUPPORTED":
            wanted[name] = features.group(1) if features else each["output"].strip()
    return found, wanted


def judge(row, codes):
    """What the tests of a row say of it: "stands", "fails", "open" or the table's state."""
    results = []
    for test in row.tests:
        name = find_lit_name(test)
        if name is None:
            continue
        # A folder of googletests counts as one test.
        found = [code for ran, code in codes.items() if ran == name or ran.startswith(name + "/")]
        results += found or ["MISSING"]
    bad = [code for code in results if code not in ("PASS", "UNSUPPORTED", "XFAIL", "FLAKYPASS", "EXCLUDED", "SKIPPED")]
    if bad:
        return "fails"
    if row.state != "Proven":
        return row.state.lower()
    return "open" if any(code != "PASS" for code in results) else "stands"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--lit", default=os.environ.get("COIL_LIT", "/usr/lib/llvm-22/bin/lit"))
    parser.add_argument("--rows", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results")
    args = parser.parse_args()
    rows = read_rows()
    chosen = [each for each in args.rows.split(",") if each] or list(rows)
    for each in chosen:
        if each not in rows:
            sys.exit(f"there is no row '{each}'")
    tested = [rows[each] for each in chosen if rows[each].state in STATES[:2]]
    names = sorted({name for row in tested for test in row.tests if (name := find_lit_name(test))})
    codes, wanted = run_tests(names, args.build, args.lit, args.jobs) if names else ({}, {})
    verdicts = {each: judge(rows[each], codes) if rows[each] in tested else rows[each].state.lower() for each in chosen}
    if args.results:
        with open(args.results, "w") as file:
            json.dump({"rows": verdicts, "tests": codes, "wanted": wanted}, file, indent=1)
    groups = collections.defaultdict(list)
    for each, verdict in verdicts.items():
        groups[verdict].append(each)
    for verdict in ("stands", "open", "partly", "not built", "does not apply", "fails"):
        if groups[verdict]:
            print(f"{verdict}: {len(groups[verdict])}: {' '.join(groups[verdict])}")
    for name in sorted(codes):
        if codes[name] not in ("PASS", "UNSUPPORTED"):
            print(f"{codes[name]}: {name}")
        elif name in wanted:
            print(f"not run: {name} wants {wanted[name]}")
    sys.exit(bool(groups["fails"]))


if __name__ == "__main__":
    main()
