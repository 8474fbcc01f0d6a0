#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a notebook of a page of the documentation, and runs its cells without Jupyter.

    scripts/notebook.py docs/tutorials/TorchCompileTutorial.md --write examples/tutorial/tutorial.ipynb
    scripts/notebook.py docs/tutorials/TorchCompileTutorial.md --check examples/tutorial/tutorial.ipynb
    scripts/notebook.py docs/tutorials/TorchCompileTutorial.md --run

A block of `python` is a cell; a block of `text` behind it is what the cell prints. Everything
else is text. Links of the page are relative to its folder, those of the notebook to its own.
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import sys

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```\n", re.M | re.S)
_LINK = re.compile(r"\]\((?!https?://|#)([^)#]*)(#[^)]*)?\)")


def read_cells(page):
    """("text" or "code", source, what it prints) of each cell."""
    text, cells, position = page.read_text(), [], 0
    for match in _BLOCK.finditer(text):
        between = text[position : match.start()].strip("\n")
        position = match.end()
        if match[1] == "text":
            if between or not cells or cells[-1][0] != "code":
                sys.exit(f"notebook: error: in '{page}' a block of text is behind no block of Python")
            cells[-1] = (*cells[-1][:2], match[2])
            continue
        if between:
            cells.append(("text", between, ""))
        cells.append(("code", match[2].rstrip("\n"), ""))
    if rest := text[position:].strip("\n"):
        cells.append(("text", rest, ""))
    return cells


def make_notebook(page, target):
    """The notebook as text; cells are numbered, so that equal pages give equal notebooks."""

    def move(match):
        path = os.path.relpath(page.parent / match[1], target.parent)
        return f"]({path}{match[2] or ''})"

    made = []
    for number, (kind, source, printed) in enumerate(read_cells(page)):
        cell = {"cell_type": "code" if kind == "code" else "markdown", "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            outputs = [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(True)}] if printed else []
            cell |= {"execution_count": None, "outputs": outputs}
        else:
            source = _LINK.sub(move, source)
        made.append(cell | {"source": source.splitlines(True)})
    notebook = {
        "cells": made,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                     "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def run_cells(page):
    """Executes the cells in one namespace, and compares what they print."""
    namespace, count = {"__name__": "__main__"}, 0
    for kind, source, expected in read_cells(page):
        if kind != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, f"cell {count} of {page.name}", "exec"), namespace)
        if printed.getvalue() != expected:
            sys.exit(f"notebook: error: cell {count} of '{page}' prints\n{printed.getvalue()}\nnot\n{expected}")
        count += 1
    print(f"{count} cells")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="the notebook to write")
    parser.add_argument("--check", type=pathlib.Path, help="the notebook to compare with")
    parser.add_argument("--run", action="store_true", help="execute the cells")
    arguments = parser.parse_args()
    if arguments.write:
        arguments.write.write_text(make_notebook(arguments.page, arguments.write))
    if arguments.check and arguments.check.read_text() != make_notebook(arguments.page, arguments.check):
        sys.exit(f"notebook: error: '{arguments.check}' is not made of '{arguments.page}'; write it with --write")
    if arguments.run:
        run_cells(arguments.page)


if __name__ == "__main__":
    main()
