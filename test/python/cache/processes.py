# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that compile the same and different programs at once, some of which are killed
while they do."""

import array
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

from coil._program import compile_text

PROGRAM = """{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}],
"outputs": [{"as_tensor": {"name": "y"}}], "nodes": [{"target": "torch.ops.aten.mul.Scalar", "name": "y",
"inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
{"name": "other", "arg": {"as_int": FACTOR}, "kind": 1}],
"outputs": [{"as_tensor": {"name": "y"}}], "metadata": {}}],
"tensor_values": {"x": META, "y": META}, "sym_int_values": {}, "sym_float_values": {}, "sym_bool_values": {}},
"signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
"output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "y"}}}}]}, "module_call_graph": []},
"range_constraints": {}, "schema_version": {"major": 8, "minor": 15}, "verifiers": []}""".replace(
    "META", '{"dtype": 7, "sizes": [{"as_int": 4}], "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, '
            '"layout": 7, "requires_grad": false, "device": {"type": "cpu", "index": null}}')

PROCESSES, PROGRAMS, KILLED = 8, 6, 6


def compile_all(order):
    """Compiles programs in an order, runs each, and prints what the cache had of them."""
    values = array.array("f", [1, 2, 3, 4])
    uses = []
    for factor in order:
        program = compile_text(PROGRAM.replace("FACTOR", str(factor)), threads=1)
        result, = program.run(values)
        assert result.tolist() == [factor * value for value in values], (factor, result.tolist())
        uses.append(program.compile_stats["cache"])
    print(json.dumps(uses))


def start(seed):
    order = list(range(2, 2 + PROGRAMS))
    random.Random(seed).shuffle(order)
    return subprocess.Popen([sys.executable, __file__, "child", *map(str, order)], stdout=subprocess.PIPE, text=True)


def finish(process):
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, process.returncode
    return json.loads(output)


def main():
    directory = pathlib.Path(os.environ["COIL_CACHE_DIR"])
    # Some are killed at different times, also while they write.
    for seed in range(KILLED):
        process = start(seed)
        time.sleep(0.05 + 0.08 * seed)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    uses = [finish(process) for process in [start(seed) for seed in range(PROCESSES)]]
    assert all(use in ("hit", "miss") for each in uses for use in each), uses
    print(f"{len(uses)} processes, each {PROGRAMS} programs: all results are right")
    # Whatever happened, there is one entry for each program, and all are whole.
    entries = sorted(directory.rglob("*.coilpkg"))
    print(f"{len(entries)} entries")
    again = finish(start(0))
    print("then all are found:", set(again) == {"hit"})


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        compile_all([int(each) for each in sys.argv[2:]])
    else:
        main()
