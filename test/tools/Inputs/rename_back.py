# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives files the names of passes and ops of before, and checks that rename_ir.py undoes that.

    rename_back.py root-of-the-sources DIR folder...
"""
import pathlib
import re
import shutil
import subprocess
import sys

root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "scripts"))
import rename_ir  # noqa: E402


def rename_back(text: str) -> str:
    for old, new in {**rename_ir.PASSES, **rename_ir.OPTIONS}.items():
        text = re.sub(rf"(?<!\w)(?<!\w-){re.escape(new)}(?!-?\w)", old, text)
    for old, (new, dialects) in rename_ir.OPS.items():
        text = re.sub(rf"\b({'|'.join(dialects)})\.{new}\b", rf"\1.{old}", text)
    return text


shutil.rmtree(out, ignore_errors=True)
files, changed = 0, {}
for folder in sys.argv[3:]:
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in rename_ir.TEXT:
            continue
        files += 1
        text = path.read_text()
        before = rename_back(text)
        if before != text:
            copy = out / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(before)
            changed[copy] = text
subprocess.run([sys.executable, str(root / "scripts/rename_ir.py"), str(out)], check=True, stdout=subprocess.DEVNULL)
for copy, text in changed.items():
    if copy.read_text() != text:
        sys.exit(f"{copy} is not what it was")
print(f"{len(changed)} files of {files} have names that changed")
