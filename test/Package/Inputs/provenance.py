# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the provenance of a compiled program with that of its package."""
import sys

import coil

compiled = coil.compile(sys.argv[1], options="library=none")
loaded = coil.compile(sys.argv[2])
assert compiled.provenance == loaded.provenance, (compiled.provenance, loaded.provenance)
print("the same in both")
steps = loaded.compile_stats["launches"] + loaded.compile_stats["library_calls"]
# Steps that run once, of weights alone, have one, too.
assert len(loaded.provenance) >= steps and all(loaded.provenance.values()), loaded.provenance
print("every launch has a source")
