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
import re
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
    ("numbers that are drawn by rejection", "plain", ["data((3, 4), torch.float32, 1, 'unit', device=DEVICE)"],
     ["v1 = torch.poisson(x0 * 30)", "v2 = torch.binomial(x0 * 0 + 9, x0)"], "v1 v2"),
    ("pieces from indices that are not sorted, or beyond the end", "dynamic", ["data((2, 5), torch.float32, 1, device=DEVICE)"],
     ["v1, v2, v3, v4 = torch.tensor_split(x0, [3, 1, 9], 1)", "v5, v6, v7 = torch.tensor_split(x0, [-2, -4], 1)", "v8, v9, v10 = x0.hsplit([3, 2])"],
     "v1 v2 v3 v4 v5 v6 v7 v8 v9 v10"),
    ("derivatives of distances", "plain", ["data((2, 3, 5), torch.float32, 1, device=DEVICE)", "data((2, 4, 5), torch.float32, 2, device=DEVICE)",
     "data((2, 3, 4), torch.float32, 3, device=DEVICE)"],
     [f"v{i} = torch.ops.aten._cdist_backward(x2, x0, x1, {p}, torch.cdist(x0, x1, {p}))" for i, p in enumerate((0.5, 1.0, 1.5, 2.0, 3.0, "math.inf"), 1)] +
     ["v7 = torch.ops.aten._cdist_backward(x2[:, :, :3], x0, x0, 2.0, torch.cdist(x0, x0))"], "v1 v2 v3 v4 v5 v6 v7"),
    ("derivatives of adaptive means", "plain", ["data((3, 7, 9), torch.float16, 2, device=DEVICE)", "data((3, 2, 2), torch.float16, 2, device=DEVICE)",
     "data((2, 3, 4, 5, 6), torch.float64, 2, device=DEVICE)", "data((2, 3, 2, 3, 4), torch.float64, 2, device=DEVICE)"],
     ["v1 = torch.ops.aten._adaptive_avg_pool2d_backward(x1, x0)", "v2 = torch.ops.aten._adaptive_avg_pool3d_backward(x3, x2)"], "v1 v2"),
    ("nuclear norms", "plain", ["data((2, 3, 4), torch.float32, 1, device=DEVICE)", COMPLEX],
     ["v1 = torch.nuclear_norm(x0, (0, 2))", "v2 = torch.nuclear_norm(x1)", "v3 = torch.nuclear_norm(x1, True)"], "v1 v2 v3"),
    ("sizes that are symbols", "dynamic", ["data((7, 6), torch.float32, 1, device=DEVICE)"],
     ["v1 = torch.pdist(x0)", "v2 = torch.fft.rfft2(x0, (5, 9))", "v3 = torch.fft.irfft(x0, 8)", "v4 = torch.fft.fft(x0, 4)"], "v1 v2 v3 v4"),
    ("matrices of types that no library has", "plain", ["data((3, 3), torch.int64, 1, device=DEVICE)", "data((3, 3), torch.bfloat16, 1, device=DEVICE)",
     "torch.tensor([1, 3, 3], dtype=torch.int32)"],
     ["v1 = torch.linalg.matrix_power(x0, 3)", "v2 = torch.linalg.matrix_power(x1, 3)", "v3, v4, v5 = torch.lu_unpack(x1, x2)", "v6, v7, v8 = torch.lu_unpack(x0, x2)"],
     "v1 v2 v3 v4 v5 v6 v7 v8"),
    ("products of real parts", "plain", [COMPLEX], ["v1 = torch.prod(x0, 0, dtype=torch.int32)", "v2 = torch.cumprod(x0, 1, dtype=torch.float32)"], "v1 v2"),
    ("where NaN is in windows", "plain", ["data((1, 2, 6, 7), torch.float32, 5, 'special', device=DEVICE)"],
     ["v1, v2 = torch.nn.functional.adaptive_max_pool2d(x0, (2, 3), return_indices=True)", "v3, v4 = torch.nn.functional.max_pool2d(x0, 3, 2, 1, return_indices=True)"],
     "v1 v2 v3 v4"),
    ("integers of which all are dropped", "plain", ["data((3, 4), torch.int64, 1, device=DEVICE)", "data((3, 4), torch.bool, 1, device=DEVICE)"],
     ["v1 = torch.dropout(x0, 1.0, True)", "v2 = torch.dropout(x1, 1.0, True)"], "v1 v2"),
    ("operators of nothing, for any type", "plain", ["data((1, 0), torch.int8, 1, device=DEVICE)", "data((2, 0, 3), torch.float64, 1, device=DEVICE)"],
     ["v1 = torch.ops.aten._log_softmax(x0, 0, False)", "v2 = torch.ops.aten.cholesky.default(x1)"], "v1 v2"),
    ("complex functions of infinities and NaN", "plain", ["torch.view_as_complex(torch.cartesian_prod(*[torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.0])] * 2))"],
     [f"v{i} = torch.{name}(x0)" for i, name in enumerate(
         "exp log log1p expm1 sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh reciprocal square sigmoid log2 exp2 abs angle".split(), 1)] +
     ["v30 = torch.pow(x0[:, None], x0)", "v31 = x0[:, None] * x0", "v32 = x0[:, None] / x0", "v33 = x0 ** 0.5", "v34 = 2.0 ** x0",
      "v35 = torch.logaddexp(x0[:, None], x0)"], " ".join(f"v{i}" for i in [*range(1, 26), *range(30, 36)])),
    ("scatters, sums and losses of complex numbers", "plain", [COMPLEX, "positions((2, 3), 3, 1, True, device=DEVICE)", "positions((3,), 3, 1, True, device=DEVICE)"],
     ["v3 = torch.scatter(x0, 0, x1, 5, reduce='multiply')", "v4 = torch.scatter_reduce(x0, 0, x1, x0 * 2, 'mean')", "v5 = torch.index_add(x0, 0, x2, x0, alpha=1 + 2j)",
      "v6 = torch.ops.aten.soft_margin_loss.default(x0, x0 * 0.5, 2)", "v7 = torch.norm_except_dim(x0, 2, 1)", "v8 = torch.vander(x0[0])",
      "v9 = torch.nn.functional.bilinear(x0, x0[:, :3], torch.ones([2, 4, 3], dtype=x0.dtype))"],
     "v3 v4 v5 v6 v7 v8 v9"),
    ("real results of complex operands, written to complex tensors", "plain", [COMPLEX],
     ["v1 = torch.zeros([3], dtype=torch.complex64)", "v2 = torch.ops.aten.var.out(x0, [1], True, False, out=v1)"], "v2"),
    ("complex random numbers around means", "plain", [COMPLEX, FLOATS], ["v2 = torch.normal(x0)", "v3 = torch.normal(x0, x1.abs())"], "v2 v3"),
    ("integers to the last of their type", "plain", [FLOATS, "data((3, 4), torch.int8, 1, device=DEVICE)"],
     ["v2 = torch.ops.aten.random.from_out(x1, 3, None, out=torch.empty([3, 4], dtype=torch.int8))", "v3 = torch.ops.aten.randint_like.Tensor(x0, torch.tensor(5))"], "v2 v3"),
    ("tolerances with more dimensions than singular values", "plain", ["data((2, 3, 3), torch.float32, 1, device=DEVICE)", "data((4, 1), torch.float32, 1, 'unit', device=DEVICE)"],
     ["v2 = torch.ops.aten.linalg_matrix_rank.atol_rtol_tensor(x0, atol=x1, rtol=x1)", "v3 = torch.ops.aten.linalg_pinv.atol_rtol_tensor(x0[0], atol=x1, rtol=x1)"], "v2 v3"),
    ("selections of scalars", "plain", ["data((), torch.float32, 1, device=DEVICE)"],
     ["v1, v2 = torch.topk(x0, 0, 0)", "v3, v4 = torch.topk(x0, 1, 0)", "v5, v6 = torch.kthvalue(x0, 1)", "v7, v8 = torch.sort(x0)"], "v1 v2 v3 v4 v5 v6 v7 v8"),
    ("lists of no dimensions", "plain", [FLOATS], ["v1 = torch.ops.aten.all.dims(x0, [])", "v2 = torch.ops.aten.any.dims(x0, [1, 0])"], "v1 v2"),
    ("sums and products of bools", "plain", [FLOATS], ["v1 = torch.sum(x0 > 9, dtype=torch.bool)", "v2 = torch.prod(x0 < 9, 0, dtype=torch.bool)",
     "v3 = torch.einsum('ij,ij->ij', x0 > 0, x0 > 1)"], "v1 v2 v3"),
    ("common divisors of numbers without a magnitude", "plain", ["data((20, 11), torch.int16, 171, 'special', device=DEVICE)"],
     ["v1 = torch.gcd(x0, x0.flip(0))", "v2 = torch.lcm(x0, x0.flip(0))"], "v1 v2"),
    ("what returns its operand is updated with it", "plain", [FLOATS, "data((5,), torch.float32, 2, device=DEVICE)"],
     ["v3 = x0.to_dense()", "v3.add_(1)", "v4 = torch.ops.aten.flatten_dense_tensors([x1])", "v4.mul_(2)", "v5, v6 = x0.hsplit(2)",
      "v7 = torch.ops.aten.flatten_dense_tensors([v6])", "v7.neg_()", "v8 = x0 + 1"], "v7 v8"),
    ("operands that are only written", "plain", [FLOATS],
     ["v1 = torch.zeros([3, 4])", "v2 = torch.zeros([3, 4], dtype=torch.int64)", "torch.ops.aten._cummax_helper(x0, v1, v2, 1)"], "v1 v2"),
    ("numbers of attention and losses that change nothing", "plain", [FLOATS],
     ["v1 = torch.ops.aten.scaled_dot_product_attention.default(x0, x0, x0, dropout_p=-1.0)",
      "v2 = torch.ops.aten.cross_entropy_loss.default(x0, x0.abs(), label_smoothing=-1.0)"], "v1 v2"),
    ("bits of the common type", "plain", ["data((3, 4), torch.bool, 1, device=DEVICE)"],
     ["v1 = torch.zeros([3, 4])", "v2 = torch.ops.aten.bitwise_left_shift.Tensor_Scalar_out(x0, 1, out=v1)"], "v2"),
    ("polynomials at zero", "plain", ["data((20,), torch.float32, 1, 'unit', device=DEVICE)"],
     ["v1 = torch.special.chebyshev_polynomial_t(x0 * 0, 7) == 0", "v2 = torch.special.polygamma(6, x0 + math.inf)"], "v1 v2"),
    ("complex functions of the largest numbers", "plain",
     ["torch.view_as_complex(torch.cartesian_prod(*[torch.tensor([1.7e308, -1.7e308, 1e300, 0.0, -2.0], dtype=torch.float64)] * 2))"],
     ["v1 = torch.atanh(x0)", "v2 = torch.atan(x0)"], "v1 v2"),
    ("how many elements differ, where one is NaN", "plain", ["torch.tensor([[math.nan, 1, 2], [math.inf, 1, 2]])"],
     ["v1 = torch.cdist(x0, x0.flip(1), 0.0)", "v2 = torch.nn.functional.pdist(x0, 0.0)"], "v1 v2"),
    ("indices along a dimension beyond its ends", "plain", [FLOATS, "torch.tensor([[-1], [7], [-9]])"], ["v2 = torch.take_along_dim(x0, x1, 1)"], "v2"),
    ("roots of minus infinity", "plain", ["torch.tensor([-math.inf, -0.0, 4.0])"],
     ["v1 = torch.float_power(x0, 0.5)", "v2 = 1 / v1"], "v1 v2"),
    ("windows in the gap of a dilation", "plain", ["data((1, 1, 1), torch.float32, 1, device=DEVICE)", "data((1, 1, 1, 3), torch.int8, 1, device=DEVICE)"],
     ["v2, v3 = torch.nn.functional.max_pool1d(x0, 2, 1, 1, 2, return_indices=True)",
      "v4, v5 = torch.nn.functional.max_pool2d(x1, 2, 1, 1, 2, return_indices=True)"], "v2 v3 v4 v5"),
    ("factors of a singular matrix whose errors nobody asks for", "plain", ["torch.tensor([[0.0, 1, 1], [0, 1, 0], [0, 0, 1]])"],
     ["v1, v2 = torch.lu(x0)"], "v1 v2"),
    ("products and differences of integers in losses and slopes", "plain", ["torch.tensor([100, -100, 3, 127, -128], dtype=torch.int8)"],
     ["v1 = torch.nn.functional.poisson_nll_loss(x0, x0.flip(0), reduction='none')", "v2, = torch.gradient(x0)", "v3, = torch.gradient(x0, edge_order=2)"], "v1 v2 v3"),
    ("infinities that are all dropped", "plain", ["torch.tensor([math.inf, -math.inf, math.nan, 1.0])"],
     ["v1, v2 = torch.ops.aten.native_dropout.default(x0, 1.0, None)"], "v1 v2"),
    ("incomplete gamma functions of large numbers", "plain", ["torch.tensor([3.0, 40.0, 1e6, 1e12, 1e20, 1e30], dtype=torch.float64)"],
     ["v1 = torch.special.gammainc(x0, x0)", "v2 = torch.special.gammaincc(x0, x0 * 1.0001)"], "v1 v2"),
    ("integers whose difference is beyond their type", "plain", ["torch.tensor([-1, 100, -128], dtype=torch.int8)", "torch.tensor([127, -100, 127], dtype=torch.int8)"],
     ["v2 = torch.isclose(x0, x1)"], "v2"),
    ("a loss of scalars with a weight", "dynamic", ["torch.tensor(-8.5)", "torch.tensor(0)", "torch.tensor(2.0)"],
     ["v3 = torch.ops.aten.multi_margin_loss.default(x0, x1, weight=x2)"], "v3"),
    ("buffers that decompositions write smaller values of other types to", "decompose",
     [("data((4, 2), torch.int8, 1, device=DEVICE)", True), ("data((5,), torch.complex128, 1, device=DEVICE)", True), FLOATS],
     ["x0[...] = -1.5", "x1[...] = 5", "v3 = x2 + 1"], "v3"),
    ("kernels of convolutions whose sizes are symbols", "dynamic",
     ["data((2, 4, 9), torch.float32, 1, device=DEVICE)", "data((6, 2, 3), torch.float32, 2, device=DEVICE)", "data((6,), torch.float32, 3, device=DEVICE)",
      "data((3, 2, 7, 5), torch.bfloat16, 4, device=DEVICE)", "data((4, 2, 2, 3), torch.bfloat16, 5, device=DEVICE)"],
     ["v5 = torch.conv1d(x0, x1, x2, 2, 1, 2, 2)", "v6 = torch.conv1d(x0, x1, x2, 1, 'same', 1, 2)", "v7 = torch.conv2d(x3, x4, None, [1, 2], [2, 0])",
      "v8 = torch.conv1d(x0[0], x1, groups=2)"], "v5 v6 v7 v8"),
    ("transposed convolutions whose kernels are symbols", "dynamic",
     ["data((2, 4, 5), torch.float64, 1, device=DEVICE)", "data((4, 3, 3), torch.float64, 2, device=DEVICE)", "data((6,), torch.float64, 3, device=DEVICE)",
      "data((2, 2, 3, 4), torch.float32, 4, device=DEVICE)", "data((2, 3, 2, 3), torch.float32, 5, device=DEVICE)"],
     ["v5 = torch.conv_transpose1d(x0, x1, x2, 3, 2, 1, 2, 2)", "v6 = torch.conv_transpose2d(x3, x4, None, 2, 0, 1)",
      "v7 = torch.conv_transpose1d(x0, x1, None, 1, 1)"], "v5 v6 v7"),
    ("updates of conjugate transposes", "plain", [COMPLEX, "data((2, 3, 4), torch.complex64, 5, device=DEVICE)"],
     ["v2 = torch.ops.aten.mH.a(x0)", "v2[1] = 5 + 2j", "v3 = x1.adjoint()", "v3 += 1j", "v4 = torch.ops.aten.matrix_H.default(x0)", "v4 *= 2j"], "v2 v3 v4"),
    ("embeddings, dropout, losses and windows of complex numbers", "plain", [COMPLEX, "data((3, 4), torch.complex64, 3, device=DEVICE)"],
     ["v2 = torch.embedding(x0, torch.tensor([2, 0, 2]))", "v3, v4 = torch.ops.aten.native_dropout.default(x0, 1.0, True)",
      "v5 = torch.poisson_nll_loss(x0, x1, True, False, 1e-8, 1)", "v6 = torch.poisson_nll_loss(x0, x1, False, False, 0.5, 0)",
      "v7 = torch.hann_window(1, dtype=torch.complex64)", "v8 = torch.ops.aten.pad_sequence.default([x0, x1[:2]], True, 3.0)"], "v2 v3 v4 v5 v6 v7 v8"),
    ("largest distances of what is no number", "plain", ["torch.tensor([[1.0, math.nan], [math.inf, 2.0]])"],
     ["v1 = torch.cdist(x0, x0, p=math.inf)", "v2 = torch.pdist(x0, p=math.inf)", "v3 = torch.cdist(x0, x0, p=1.0)"], "v1 v2 v3"),
    ("copies of places in memory, written to results", "plain", [FLOATS],
     ["v1 = torch.zeros([2, 2])", "v2 = torch.ops.aten.as_strided_copy.out(x0 * 2, [2, 2], [4, 1], 1, out=v1)", "v3 = torch.empty([17, 4])",
      "v4 = torch.ops.aten.fill.Scalar_out(v3, 2.5, out=v3)", "v5 = torch.ops.aten.as_strided_scatter.out(v3, x0[:, 0], [3], [5], 2, out=torch.zeros([17, 4]))"],
     "v2 v4 v5"),
    ("pieces between positions are views, empty ones, too", "plain", ["data((3, 2, 4), torch.float32, 5, device=DEVICE)"],
     ["v1, v2, v3, v4 = torch.ops.aten.dsplit.array(x0, [0, 2, 0])", "v5, v6 = torch.ops.aten.tensor_split.indices(x0, [-1], 0)", "v2 *= 2",
      "v6 += 1"], "v1 v2 v3 v4 v5 v6"),
    ("the sum of a scalar is a copy", "plain", ["torch.tensor(1.3)"], ["v1 = torch.ops.aten.sum_to_size.default(x0, [])", "v2 = x0.trunc_()"], "v1"),
    ("signs of converted numbers", "plain", ["data((1, 1), torch.float16, 1, device=DEVICE)", "data((3, 17), torch.float16, 2, 'unit', device=DEVICE)"],
     ["v2 = torch.atanh(torch.std(x0, True))", "v3 = torch.atanh(torch.std(x1, 1) / 4)"], "v2 v3"),
    ("margins of what is no number", "plain",
     ["torch.tensor([[math.nan, 1.0, 3.0], [0.5, math.nan, 1.0], [2.0, 1.0, -math.inf]])", "torch.tensor([1, 2, 0])", "torch.tensor([[1, 2, -1], [0, -1, 2], [2, -1, 0]])"],
     ["v3 = torch.nn.functional.multi_margin_loss(x0, x1, reduction='none')", "v4 = torch.nn.functional.multilabel_margin_loss(x0, x2, reduction='none')"],
     "v3 v4"),
    ("means, progressions and areas of one element", "plain", ["data((2, 1), torch.float32, 1, device=DEVICE)", "torch.tensor(2.0)"],
     ["v2 = torch.ops.aten.adaptive_avg_pool2d.default(x0, [1, 1])", "v3 = torch.ops.aten.linspace.default(0.5, 1, 1, dtype=torch.bool, device=DEVICE)",
      "v4 = torch.ops.aten.trapezoid.x(x0, x1, dim=1)"], "v2 v3 v4"),
    ("complex numbers that are padded, and complex targets", "plain", [COMPLEX, FLOATS, "torch.tensor([[1, -1, 2, 1j]]).to(torch.complex64)"],
     ["v3 = torch.ops.aten.replication_pad1d.default(x0, [2, 1])", "v4 = torch.ops.aten.reflection_pad1d.default(x0, [1, 2])",
      "v5 = torch.nn.functional.hinge_embedding_loss(x1, x2)"], "v3 v4 v5"),
    ("derivatives of gates", "plain", ["data((2, 4), torch.float32, 1, device=DEVICE)", "data((2, 4), torch.float32, 2, device=DEVICE)"],
     ["v2 = torch.ops.aten.glu_jvp.default(torch.nn.functional.glu(x0), x0, x1, -1)"], "v2"),
    ("gradients along complex places", "plain", ["data((4, 5), torch.complex64, 1, device=DEVICE)", "data((4,), torch.complex64, 2, device=DEVICE)", "data((5,), torch.complex128, 3, device=DEVICE)",
      FLOATS],
     ["v4, v5 = torch.gradient(x0, spacing=[x1, x2.to(torch.complex64)])", "v6 = torch.gradient(x0, spacing=[x1], dim=0, edge_order=2)[0]",
      "v7 = torch.gradient(x3, spacing=[x1], dim=1, edge_order=2)[0]"], "v4 v5 v6 v7"),
    ("complex functions of numbers whose magnitude is infinite", "plain",
     ["torch.view_as_complex(torch.cartesian_prod(*[torch.tensor([3.4e38, -3.4e38, 1e30, 1.0, -1.0, 1e-38])] * 2))"],
     ["v1 = torch.sqrt(x0)", "v2 = torch.log(x0)", "v3 = torch.asin(x0)", "v4 = torch.acos(x0)", "v5 = torch.asinh(x0)", "v6 = torch.acosh(x0)", "v7 = torch.atanh(x0)",
      "v8 = torch.log1p(x0)", "v9 = torch.log10(x0)", "v10 = torch.rsqrt(x0)", "v11 = torch.atan(x0)"], "v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11"),
    ("special functions at poles and limits, of NaN, too", "plain", ["torch.cartesian_prod(*[torch.tensor([math.nan, math.inf, -math.inf, 0.0, 1.0, -2.0, 7.0])] * 2)"],
     ["v1 = torch.special.gammainc(x0[:, 0], x0[:, 1])", "v2 = torch.special.gammaincc(x0[:, 0], x0[:, 1])", "v3 = torch.special.zeta(x0[:, 0], x0[:, 1])"], "v1 v2 v3"),
    ("inverses of vectors of one element, and complex numbers that are all dropped", "plain", ["torch.tensor([2.0])", COMPLEX],
     ["v2 = torch.linalg.tensorinv(x0, 1)", "v3 = torch.feature_dropout(x1, 1.0, True)"], "v2 v3"),
    ("equations that only reorder dimensions", "plain", [FLOATS], ["v1 = torch.einsum('ij->ji', x0)", "v1[1] = 5", "v3 = torch.einsum('ij->j', x0)"], "v1 v3"),
    ("convolutions by the names of their functions", "plain", ["data((1, 2, 5, 6), torch.float32, 1, device=DEVICE)", "data((3, 2, 2, 3), torch.float32, 2, device=DEVICE)", "data((3,), torch.float32, 3, device=DEVICE)"],
     ["v3 = torch.ops.aten.thnn_conv2d.default(x0, x1, [2, 3], x2, [1, 2], [1, 0])", "v4 = torch.ops.aten.slow_conv3d.default(x0[None], x1[None, :1], [2, 2, 3])[0]",
      "v5 = torch.ops.aten.slow_conv_dilated2d.default(x0, x1, [2, 3], x2, [1, 1], [0, 0], [2, 1])"], "v3 v4 v5"),
    ("chunks of symbolic sizes", "dynamic", ["data((5, 3), torch.float32, 1, device=DEVICE)", "data((7, 2), torch.float32, 2, device=DEVICE)"],
     ["v2 = torch.ops.aten._chunk_cat.default([x0, x1], 0, 3)"], "v2"),
]


def main():
    options = types.SimpleNamespace(build=sys.argv[1], device="cpu", engine="module", options="", opt_level=1, timeout=60)
    runner = worker.Runner(options)
    for what, mode, inputs, statements, results in FOUND:
        inputs = [text if isinstance(text, tuple) else (text, False) for text in inputs]
        program = programs.Program([(f"x{i}", text, is_buffer) for i, (text, is_buffer) in enumerate(inputs)], statements,
                                   results.split())
        try:
            state, why = checker.check(program, Way(mode), options, runner, lambda line: None, bool(re.search("rand|poisson|binomial", str(statements))))
        except worker.Refused as refused:
            state, why = refused.state, refused
        print(f"{state}: {what}" + (f": {why}" if why else ""), flush=True)


if __name__ == "__main__":
    main()
