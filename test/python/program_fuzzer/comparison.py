#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Shows that the comparison of the fuzzer can fail, that it does not fail where rounding errors decide,
and that a failing program becomes small."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "op_db")]

import torch  # noqa: E402

import judge  # noqa: E402
import programs  # noqa: E402
import reduction  # noqa: E402

form = {"inputs": [["x0", "data((3, 5), torch.float32, 1, device=DEVICE)", False],
                   ["x1", "data((5,), torch.int8, 2, 'special', device=DEVICE)", True]],
        "statements": ["v2 = x0 * 3", "v3 = torch.ops.aten.add_.Scalar(x1, 1)", "v4 = v2.sum(1)",
                       "v5 = torch.floor(v4 * 1e7)", "v6 = torch.exp(v4)"],
        "results": ["v6", "v4", "v5"]}
program = programs.Program.load(form)
expectation = judge.Expectation(program, is_random=False)
results, after = expectation.first.results, expectation.first.after
print("same:", expectation.judge(results, after))
print("rounded:", expectation.judge([results[0] * (1 + 1e-6), *results[1:]], after))
print("value:", expectation.judge([results[0] * 1.001, *results[1:]], after))
print("type:", expectation.judge([results[0].double(), *results[1:]], after))
print("input:", expectation.judge(results, {**after, "x1": after["x1"] - 1}))
print("amplified:", expectation.judge([*results[:2], results[2] + 1], after)[0])

# Fails as long as the exponential is there.
small = reduction.Reducer(form, lambda f: any("exp" in s for s in f["statements"]) and "v6" in f["results"]).reduce()
print("reduced:", small["inputs"], small["statements"], small["results"])

# The same seed is the same program, in any order.
table, _ = programs.read_table()
texts = [programs.draw(seed, table, None, size=6).source() for seed in (5, 6, 5)]
print("repeatable:", texts[0] == texts[2] != texts[1])
