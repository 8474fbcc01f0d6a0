# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the dialect `wrapper`: host programs."""

from coil.dialects import _sym_builders  # noqa: F401
from coil.dialects._wrapper_enum_gen import *  # noqa: F403
from coil.dialects._wrapper_ops_gen import *  # noqa: F403
