# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the framework operators of a model, with the source line of the first use.

    walk.py model.pt2
"""

import collections
import sys

from coil.dialects import graph
from coil.ir import Context, Module

with Context():
    module = Module.parse_file(sys.argv[1])
    counts, places = collections.Counter(), {}

    def count(operation):
        view = operation.opview
        if isinstance(view, graph.AtenOp):
            name = view.name.value
            counts[name] += 1
            places.setdefault(name, operation.location.describe())

    module.walk(count)

for name, number in counts.most_common():
    print(f"{number:4} {name} ({places[name]})")
