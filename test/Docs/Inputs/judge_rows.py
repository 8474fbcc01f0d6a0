# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/feature_rows.py says of rows by what their tests did."""
import sys

sys.path.insert(1, sys.argv[1] + "/scripts")

from feature_rows import Row, judge


def say(state, *codes):
    tests = {f"a/{i}.test": code for i, code in enumerate(codes) if code}
    return judge(Row("F00", state, "", [f"test/a/{i}.test" for i in range(len(codes))]), tests)


print(say("Proven", "PASS"), say("Proven", "PASS", "PASS"), say("Proven", "PASS", "UNSUPPORTED"), say("Proven", "PASS", "FAIL"),
      say("Proven", None), say("Partly", "PASS"), say("Partly", "TIMEOUT"))
