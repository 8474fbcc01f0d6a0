# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds terms for which the field has another one, in pages, descriptions of ops and
passes, public headers and diagnostics.

    check_words.py root-of-the-sources

Only terms that have one meaning are here. What a term is replaced by is part of the message.
"""
import pathlib
import re
import sys

TERMS = {
    r"matrix products?|products? of matrices": "matrix multiplication, GEMM or contraction",
    r"blocks that stay": "persistent CTAs",
    r"loops? that loads? ahead": "software-pipelined loop, register prefetch",
    r"launches that overlap": "programmatic dependent launch",
    r"room that is free|finds? room": "free SM resources, occupancy",
    r"sums? below a maximum|online sums?": "online softmax",
    r"extrem(?:um|a)": "minimum or maximum, argmin or argmax",
    r"sums of rows over ranges": "segmented reduction",
    r"ring in shared memory": "multi-stage shared-memory pipeline",
    r"(?:first|second) cache": "L1, L2",
    r"dear (?:value|to compute)|is dear": "expensive to recompute",
    r"hand(?:ed|s|ing)? over|lets? go of": "reused, released, donated, transferred",
    r"kept as (?:a )?graphs?|kept as CUDA graphs": "captured in CUDA graphs",
    r"only a run knows": "data-dependent",
    r"kernels of users|users' kernels": "user-defined kernels",
    r"the host's code": "host code",
    r"under way": "in flight",
    r"in front of (?:planning|fusion|the launch)|behind (?:planning|fusion|its last use)": "before, after",
    r"outline[-]kernels|lower[-](?:cpu|gpu|amd|user)-kernel": "the name of scripts/rename_ir.py",
}
# What is searched, and in .cpp files only string literals: diagnostics and help.
SCOPE = ["README.md", "CONTRIBUTING.md", "docs/**/*.md", "include/**/*.td", "include/**/*.h", "include/**/*.def"]
LITERALS = ["lib/**/*.cpp", "tools/**/*.cpp"]


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    problems, count = [], 0
    for literals, patterns in ((False, SCOPE), (True, LITERALS)):
        for path in sorted(p for pattern in patterns for p in root.glob(pattern)):
            count += 1
            lines = path.read_text().splitlines()
            for number, line in enumerate(lines, 1):
                text = " ".join(re.findall(r'"((?:[^"\\]|\\.)*)"', line)) if literals else line
                for term, better in TERMS.items():
                    for found in re.findall(rf"(?<![\w-])(?:{term})\b", text, re.I):
                        problems.append(f"{path.relative_to(root)}:{number}: '{found}': {better}")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"{count} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
