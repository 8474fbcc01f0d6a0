#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Programs that random draws found, one for each class of mistakes, against eager mode.

    found.py BUILD
"""

import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "op_db")]

import checker  # noqa: E402
import programs  # noqa: E402
import worker  # noqa: E402
from ways import Way  # noqa: E402

FLOATS, COMPLEX = "data((3, 4), torch.float32, 1, device=DEVICE)", "data((3, 4), torch.complex64, 2, device=DEVICE)"
# What is tested, the way, inputs, statements, results.
FOUND = [
    ("updates in place of complex numbers have complex types", "plain", [COMPLEX],
     ["v1 = torch.ops.aten.acos_.default(x0)", "v2 = torch.ops.aten.mul_.Scalar(x0, -0.0)"], "v1 v2"),
    ("strides of sliced inputs are symbols of their own", "dynamic", ["data((8, 3), torch.int32, 1, device=DEVICE)[::2]", FLOATS],
     ["v2 = x0 * 2", "v3 = torch.ops.aten.add_.Scalar(x0, 1)"], "v2 v3"),
    ("a sum of nothing is added to each element", "plain",
     ["data((0, 2), torch.float32, 1, device=DEVICE)", "data((2, 1), torch.float32, 2, device=DEVICE)"], ["v2 = x0.sum() + x1 * 3"], "v2"),
    ("ravel copies what is not contiguous, reshape does not", "plain", ["data((1, 16), torch.float32, 1, device=DEVICE)[:, 1::2]"],
     ["v1 = x0.ravel()", "v2 = x0.reshape([-1])", "v3 = torch.ops.aten.relu_.default(x0)"], "v1 v2"),
    ("_unsafe_view shares memory", "plain", [FLOATS],
     ["v1 = torch.ops.aten._unsafe_view.default(x0, [12])", "v2 = torch.ops.aten.clamp_.default(x0, 0, 0.5)"], "v1"),
    ("bits in words of other sizes", "plain", [FLOATS, COMPLEX],
     ["v2 = x0.view(torch.uint8)", "v3 = v2.view(torch.int64)", "v4 = x0.view(torch.complex64)", "v5 = x1.view(torch.float64)",
      "v6 = v2[:, ::4].contiguous().view(torch.bool)"], "v2 v3 v4 v5 v6"),
    ("out arguments and others that are written", "plain", [FLOATS, "data((3, 4), torch.float32, 3, device=DEVICE)"],
     ["v2 = torch.zeros([3, 4])", "v3 = torch.ops.aten.rrelu_with_noise.out(x0, x1, training=False, out=v2)"], "v3"),
    ("dunder operators with out", "plain", ["data((5,), torch.int32, 1, device=DEVICE)"],
     ["v1 = torch.zeros([5], dtype=torch.int32)", "v2 = torch.ops.aten.__lshift__.Scalar_out(x0, 2, out=v1)"], "v2"),
    ("copies of places in memory", "plain", [FLOATS],
     ["v1 = x0 * 2", "v2 = torch.ops.aten.as_strided_copy.default(v1, [2, 2], [1, 2], 1)",
      "v3 = torch.ops.aten.as_strided_scatter.default(v1, v2, [2, 2], [1, 2], 1)"], "v2 v3"),
    ("transforms are written to, whatever strides they are said to have", "plain", ["data((5, 1, 5), torch.float32, 1, device=DEVICE)"],
     ["v1 = torch.ops.aten.fft_ifftn.default(x0, [2, 6, 3], [-3, -1, -2], 'ortho')", "v1[0] += 1"], "v1"),
    ("complex buffers of emitted programs", "python", [(COMPLEX, True)], ["v1 = x0 * 2"], "v1"),
    ("random numbers of emitted programs", "fx", [FLOATS], ["v1 = torch.rand_like(x0)", "v2 = x0 + 1"], "v1 v2"),
    ("norms of all dimensions but one", "plain", [FLOATS],
     ["v1 = torch.ops.aten.norm_except_dim.default(x0, 2, 1)", "v2 = torch.ops.aten._weight_norm.default(x0, x0[:, :1], 0)",
      "v3 = torch.ops.aten.norm_except_dim.default(x0, 3, -1)"], "v1 v2 v3"),
    ("Vandermonde matrices and products of chains", "plain", [FLOATS],
     ["v1 = torch.vander(x0[0])", "v2 = torch.vander(x0[0], 3, True)", "v3 = torch.chain_matmul(x0, x0.t(), x0)"], "v1 v2 v3"),
    ("windows of one element, and of half precision", "plain", [FLOATS],
     ["v1 = torch.hann_window(1)", "v2 = torch.bartlett_window(8, periodic=False, dtype=torch.float16)", "v3 = torch.kaiser_window(9, True, 5.0)"],
     "v1 v2 v3"),
    ("bilinear products, decomposed", "decompose", [FLOATS, "data((3, 5), torch.float32, 2, device=DEVICE)", "data((2, 4, 5), torch.float32, 3, device=DEVICE)"],
     ["v3 = torch.nn.functional.bilinear(x0, x1, x2)"], "v3"),
    ("areas under infinite values", "plain", ["data((4, 9), torch.float32, 1, 'special', device=DEVICE)"], ["v1 = torch.trapezoid(x0)"], "v1"),
    ("batch norm of nothing", "plain", ["data((0,), torch.float32, 1, device=DEVICE)"],
     ["v1 = torch.nn.functional.batch_norm(x0, x0, x0, training=True)"], "v1"),
]


def main():
    options = types.SimpleNamespace(build=sys.argv[1], device="cpu", engine="module", options="", opt_level=1, timeout=60)
    runner = worker.Runner(options)
    for what, mode, inputs, statements, results in FOUND:
        inputs = [text if isinstance(text, tuple) else (text, False) for text in inputs]
        program = programs.Program([(f"x{i}", text, is_buffer) for i, (text, is_buffer) in enumerate(inputs)], statements,
                                   results.split())
        try:
            state, why = checker.check(program, Way(mode), options, runner, lambda line: None, "rand" in str(statements))
        except worker.Refused as refused:
            state, why = refused.state, refused
        print(f"{state}: {what}" + (f": {why}" if why else ""), flush=True)


if __name__ == "__main__":
    main()
