#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Recurrent networks over packed sequences, which torch.export does not export, against PyTorch
eager: the operator as it would be imported, compiled and run."""

import os
import sys
import tempfile

import torch

import coil

STEPS, ROWS, FEATURES, WIDTH = [4, 3, 1, 1, 1], 10, 5, 7


def program(name, gates, cells, directions):
    weights = ", ".join(f"%w{i}: tensor<{gates * WIDTH}x{n}xf32>" if n else
                        f"%w{i}: tensor<{gates * WIDTH}xf32>"
                        for i, n in enumerate([FEATURES, WIDTH, 0, 0] * directions))
    states = ", ".join(f"%h{i}: tensor<{directions}x{STEPS[0]}x{WIDTH}xf32>" for i in range(cells))
    state = f"tensor<{directions}x{STEPS[0]}x{WIDTH}xf32>"
    output = f"tensor<{ROWS}x{directions * WIDTH}xf32>"
    types = [f"tensor<{gates * WIDTH}x{n}xf32>" if n else f"tensor<{gates * WIDTH}xf32>"
             for n in [FEATURES, WIDTH, 0, 0] * directions]
    operands = ["%x", "%s"] + [f"%h{i}" for i in range(cells)] + [f"%w{i}" for i in range(len(types))]
    names = ["data", "batch_sizes"] + ["hx"] * cells + ["params"] * len(types)
    given = [f"tensor<{ROWS}x{FEATURES}xf32>", f"tensor<{len(STEPS)}xi64>"] + [state] * cells + types
    results = [output] + [state] * cells
    quoted = ", ".join(f'"{n}"' for n in names)
    return f"""
func.func @main(%x: {given[0]}, %s: {given[1]}, {states}, {weights}) -> ({", ".join(results)}) {{
  %0:{len(results)} = graph.aten "aten.{name}.data"({", ".join(operands)}) [{quoted}]
    {{has_biases = true, num_layers = 1 : i64, dropout = 0.0 : f64, train = false,
     bidirectional = {str(directions == 2).lower()}}} : ({", ".join(given)}) -> ({", ".join(results)})
  return {", ".join(f"%0#{i}" for i in range(len(results)))} : {", ".join(results)}
}}
"""


def main():
    torch.manual_seed(0)
    for name, gates, cells in (("lstm", 4, 2), ("gru", 3, 1), ("rnn_tanh", 1, 1)):
        for directions in (1, 2):
            data, sizes = torch.randn(ROWS, FEATURES), torch.tensor(STEPS)
            hx = [torch.randn(directions, STEPS[0], WIDTH) for _ in range(cells)]
            weights = [torch.randn(gates * WIDTH, n) if n else torch.randn(gates * WIDTH)
                       for n in [FEATURES, WIDTH, 0, 0] * directions]
            expected = getattr(torch.ops.aten, name).data(
                data, sizes, hx if cells == 2 else hx[0], weights, True, 1, 0.0, False, directions == 2)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "packed.mlir")
                with open(path, "w") as file:
                    file.write(program(name, gates, cells, directions))
                results = coil.compile(path, opt_level=1).run(data, sizes, *hx, *weights)
            for result, wanted in zip(results, expected):
                torch.testing.assert_close(torch.from_dlpack(result), wanted, rtol=1e-5, atol=1e-5)
            print(f"{name}, {directions} directions: agree")


if __name__ == "__main__":
    sys.exit(main())
