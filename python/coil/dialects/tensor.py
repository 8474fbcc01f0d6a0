# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the dialect `tensor`: tensors."""

from coil.dialects._tensor_ops_gen import *  # noqa: F403
