# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations of dialects: Coil's `graph`, `loop`, `sym` and `wrapper`, and those of
upstream that the pipelines use (`arith`, `cf`, `func`, `math`, `memref`, `scf`, `tensor`,
`vector`). Each module has a class and a function of each operation, which mlir-tblgen makes
from ODS: `graph.AddOp(lhs, rhs)` creates one, and `graph.add(lhs, rhs)` gives its result.
"""
