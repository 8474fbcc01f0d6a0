#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists what no test mentions.

  scripts/check_tests.py [--tblgen=llvm-tblgen] [--include=DIR]

* an op that appears in no test, or a pass that no RUN line names
* a constraint (C1).. of an op, a type or an attribute without a negative test;
  those are functions named '<mnemonic>_c1', or '<mnemonic>_c1_<case>'
* a constraint (C1).. of a pass without a negative test; those are named after
  its argument, with '_' for '-': 'loop_fuse_c1', or 'loop_fuse_c1_<case>'
* a diagnostic none of whose fixed text is expected anywhere
* a dialect whose ops the file of a pass creates and that the pass does not declare:
  where a module has none of them yet, it is not loaded, and creating one crashes

Ends with 1 when the list is not empty.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIALECTS = ROOT / "include/coil/Dialect"
OPS = [*sorted(str(p.relative_to(DIALECTS)) for p in DIALECTS.glob("*/IR/*Ops.td")),
       "Loop/IR/LoopDialect.td", "Sym/IR/SymAttributes.td", "Wrapper/IR/WrapperTypes.td"]
PASSES = ["Dialect/Graph/Transforms/Passes.td", "Dialect/Loop/Transforms/Passes.td",
          "Dialect/Sym/Transforms/Passes.td", "Dialect/Wrapper/Transforms/Passes.td", "Conversion/Passes.td",
          "Conversion/BridgePasses.td", "Conversion/GraphStagePasses.td", "Reducer/Passes.td"]


def records(tblgen: str, include: list[str], path: pathlib.Path) -> dict:
    command = [tblgen, "--dump-json", f"-I{ROOT / 'include'}", *(f"-I{d}" for d in include), str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_text() -> str:
    files = [p for kind in ("*.mlir", "*.test", "*.cpp", "*.c", "*.py") for p in (ROOT / "test").rglob(kind)]
    return "\n".join(p.read_text(errors="replace") for p in files)


def untested_constraints(name: str, stem: str, description: str, tests: str) -> list[str]:
    """What to report of the constraints whose tests are called stem_c1 and so on."""
    numbers = sorted(set(re.findall(r"\(C(\d+)\)", description)), key=int)
    return [f"(C{n}) of '{name}' has no test '{stem}_c{n}'" for n in numbers
            if not re.search(rf"\b(?:[a-z]+_)*{stem}_c{n}(?![0-9])", tests)]


def undeclared_dialects(base: str, argument: str, declared: list[str], tests: dict[pathlib.Path, str]) -> list[str]:
    """Dialects of ops that the file of the pass with this base class creates."""
    names = {re.search(r"(\w+)::\w+$", d)[1] for d in declared}
    found = []
    for path, text in tests.items():
        if f"impl::{base}Base<" not in text:
            continue
        used = set(re.findall(r"\b(\w+)::\w+Op::create\(", text)) | set(re.findall(r"replaceOpWithNewOp<(\w+)::", text))
        found += [f"pass '{argument}' creates ops of the dialect '{d}', which it does not declare"
                  for d in sorted(used - names - {"mlir"})]
    return found


def diagnostics() -> list[tuple[str, list[str]]]:
    """The place of each diagnostic and its pieces of fixed text."""
    found = []
    call = re.compile(r"\b(?:emitOpError|emitError|emitOptionalError|createStringError)\b")
    literal = re.compile(r'"((?:[^"\\]|\\.)*)"')
    for path in sorted(p for d in ("lib", "include") for k in ("*.cpp", "*.h", "*.td") for p in (ROOT / d).rglob(k)):
        text = path.read_text()
        for match in call.finditer(text):
            end = text.find(";", match.end())
            statement = text[match.end():end]
            # Adjacent literals are one.
            statement = re.sub(r'"\s*\n?\s*"', "", statement)
            pieces = [p.replace('\\"', '"') for p in literal.findall(statement)]
            if any(len(p) > 4 for p in pieces):
                line = text.count("\n", 0, match.start()) + 1
                found.append((f"{path.relative_to(ROOT)}:{line}", pieces))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", default="/usr/lib/llvm-22/bin/llvm-tblgen")
    parser.add_argument("--include", action="append", default=None)
    args = parser.parse_args()
    include = args.include or ["/usr/lib/llvm-22/include"]
    tests = test_text()
    sources = {p: p.read_text() for p in sorted((ROOT / "lib").rglob("*.cpp"))}
    missing, seen = [], set()

    for name in OPS:
        all_records = records(args.tblgen, include, DIALECTS / name)
        kinds = all_records["!instanceof"]
        for record in sorted({*kinds.get("Op", []), *kinds.get("AttrDef", []), *kinds.get("TypeDef", [])}):
            body = all_records[record]
            dialect = (body.get("opDialect") or body.get("dialect") or {}).get("def")
            if not dialect or f"/{all_records[dialect]['name']}/".lower() not in f"/{name}".lower():
                continue  # Included from another dialect.
            mnemonic = body.get("opName") or body.get("mnemonic")
            if not mnemonic:
                continue
            full = f"{all_records[dialect]['name']}.{mnemonic}"
            if full in seen:
                continue  # Of a file that another one includes.
            seen.add(full)
            if not re.search(rf"\b{re.escape(full)}\b", tests):
                missing.append(f"'{full}' appears in no test")
            stem = mnemonic.replace(".", "_")
            missing += untested_constraints(full, stem, body.get("description", ""), tests)

    for name in PASSES:
        all_records = records(args.tblgen, include, ROOT / "include/coil" / name)
        for record in all_records["!instanceof"].get("PassBase", []):
            body = all_records[record]
            argument = body["argument"]
            if not re.search(rf"(?:--|[(,\"' ]){re.escape(argument)}\b", tests):
                missing.append(f"pass '{argument}' is run by no test")
            missing += untested_constraints(argument, argument.replace("-", "_"), body["description"], tests)
            missing += undeclared_dialects(record, argument, body["dependentDialects"], sources)

    for place, pieces in diagnostics():
        pieces = sorted((p.strip() for p in pieces), key=len, reverse=True)
        if not any(len(p) >= min(12, len(pieces[0])) and p in tests for p in pieces):
            missing.append(f"{place}: {' ... '.join(pieces)}")

    print("\n".join(missing) or "every op, pass, constraint and diagnostic is mentioned")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
