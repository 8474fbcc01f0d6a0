# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless one file contains the other."""

import sys

whole, part = (open(path).read() for path in sys.argv[1:])
if part not in whole:
    sys.exit(f"{sys.argv[1]} does not contain:\n{part}")
