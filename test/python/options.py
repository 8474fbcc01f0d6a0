# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles with options that are wrong, and prints the exceptions."""
import sys

import coil


def attempt(**arguments):
    try:
        coil.compile(sys.argv[1], **arguments)
        print("compiled")
    except (coil.CoilError, ValueError) as error:
        print(error)


attempt(options="targt=cpu")
attempt(options="plan=resue")
attempt(insert_passes={"after-fusion": ["func.func(cse)", "topological-sort"], "after-outlining": "cse"})
attempt(insert_passes={"after-fushion": "cse"})
attempt(insert_passes={"after-fusion": "func.func(loop-fuze)"})
attempt(options="insert-passes=after-fusion:cse", insert_passes={"after-fusion": "cse"})
try:
    coil.load_plugin("none.so")
except coil.CoilError as error:
    print(error)
attempt()
