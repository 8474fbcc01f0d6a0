# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists what the tools of the wheel take from libCoilC.so: a version script that exports
the C APIs of Coil and MLIR and these symbols, and the arguments that make the linker keep them.

Symbols that the tools leave undefined are needed. So is data that tools and library both
define (the addresses of such objects are identities of types in LLVM): exported, there is
one of each in a process.
"""

import argparse
import pathlib
import subprocess


def get_symbols(nm, objects):
    """The names that the objects need, and those that they share with the library."""
    listing = subprocess.run([nm, "--format=posix", *objects], check=True, capture_output=True, text=True).stdout
    defined, undefined, shared = set(), set(), set()
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) < 2 or len(fields[1]) != 1:
            continue  # The name of a file.
        name, kind = fields[:2]
        if kind in "Uwv":
            undefined.add(name)
        elif kind in "Vu":
            shared.add(name)
        elif kind.isupper():
            defined.add(name)
    # What tools define as well needs no member of an archive.
    return sorted(undefined - defined - shared), sorted(shared)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nm", required=True, help="llvm-nm")
    parser.add_argument("--objects", required=True, type=pathlib.Path, help="file with the paths of objects")
    parser.add_argument("--node", required=True, help="the version that the exported symbols get")
    parser.add_argument("--map", required=True, type=pathlib.Path, help="the version script to write")
    parser.add_argument("--roots", required=True, type=pathlib.Path, help="the linker's arguments to write")
    arguments = parser.parse_args()
    needed, shared = get_symbols(arguments.nm, arguments.objects.read_text().split())
    # The same bytes leave the library as it is.
    exports = "".join(f"    {name};\n" for name in ("coil_*", "mlir*", *needed, *shared))
    contents = {
        arguments.map: f"{arguments.node} {{\n  global:\n{exports}  local:\n    *;\n}};\n",
        arguments.roots: "".join(f"--undefined={name}\n" for name in needed),
    }
    for path, text in contents.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
