# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the dialect `memref`: buffers."""

from coil.dialects._memref_ops_gen import *  # noqa: F403
