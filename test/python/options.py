# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles with an option that there is none of, and prints the exception."""
import sys

import coil

try:
    coil.compile(sys.argv[1], options="targt=cpu")
except coil.CoilError as error:
    print(error)
