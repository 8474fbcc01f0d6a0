# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools as console scripts. A script becomes the tool, so that signals,
exit statuses and standard streams are those of the tool itself."""

import os
import pathlib
import sys


def find(name):
    """The path of a tool: in `bin` of the package, or beside the package in a build tree."""
    package = pathlib.Path(os.path.abspath(__file__)).parent
    folders = package / "bin", package.parents[1] / "bin"
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    raise FileNotFoundError(f"the tool '{name}' is neither in '{folders[0]}' nor in '{folders[1]}'")


def run():
    """Becomes the tool that the script is called by."""
    name = os.path.basename(sys.argv[0])
    os.execv(find(name), [name, *sys.argv[1:]])
