#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The calls that families.py compares."""

from dataclasses import dataclass
from typing import Callable, Sequence

import torch
import torch.nn.functional as F

REAL = [torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
SP, LA, FFT = torch.special, torch.linalg, torch.fft


@dataclass
class Case:
    name: str
    fn: Callable
    args: Sequence[torch.Tensor]
    expected: Callable = None  # Instead of `fn`, where eager mode is not exact.


def named(name, dtype):
    return f"{name} {str(dtype)[6:]}"


def uniform(shape, low, high, dtype):
    return torch.rand(shape, dtype=torch.float64).mul(high - low).add(low).to(dtype)


# --- Special functions -------------------------------------------------------

def special():
    cases = []
    unary = [
        ("bessel_j0", SP.bessel_j0, -60, 60), ("bessel_j1", SP.bessel_j1, -60, 60),
        ("bessel_y0", SP.bessel_y0, 0.01, 60), ("bessel_y1", SP.bessel_y1, 0.01, 60),
        ("modified_bessel_i0", SP.modified_bessel_i0, -20, 20),
        ("modified_bessel_i1", SP.modified_bessel_i1, -20, 20),
        ("modified_bessel_k0", SP.modified_bessel_k0, 0.01, 40),
        ("modified_bessel_k1", SP.modified_bessel_k1, 0.01, 40),
        ("scaled_modified_bessel_k0", SP.scaled_modified_bessel_k0, 0.01, 100),
        ("scaled_modified_bessel_k1", SP.scaled_modified_bessel_k1, 0.01, 100),
        ("spherical_bessel_j0", SP.spherical_bessel_j0, -20, 20),
        ("airy_ai", SP.airy_ai, -15, 12),
        ("polygamma 0", lambda x: torch.polygamma(0, x), 0.1, 20),
        ("polygamma 1", lambda x: torch.polygamma(1, x), -4.9, 20),
        ("polygamma 2", lambda x: torch.polygamma(2, x), 0.1, 20),
        ("polygamma 5", lambda x: torch.polygamma(5, x), 0.1, 20),
        ("multigammaln", lambda x: SP.multigammaln(x, 3), 1.1, 20),
        ("gammaln", SP.gammaln, 0.1, 30), ("psi", SP.psi, 0.1, 30),
    ]
    import mpmath
    # Eager mode has these to single precision alone.
    exact = {"bessel_j0": lambda x: mpmath.besselj(0, x), "bessel_j1": lambda x: mpmath.besselj(1, x),
             "bessel_y0": lambda x: mpmath.bessely(0, x), "bessel_y1": lambda x: mpmath.bessely(1, x),
             "airy_ai": mpmath.airyai}

    def elementwise(fn):
        return lambda x: torch.tensor([float(fn(v)) for v in x.tolist()], dtype=x.dtype)

    for dtype in REAL:
        for name, fn, low, high in unary:
            if dtype == torch.float64 and name in exact:
                cases.append(Case(named(name, dtype), fn, (uniform((137,), low, high, dtype),),
                                  elementwise(exact[name])))
                continue
            cases.append(Case(named(name, dtype), fn, (uniform((137,), low, high, dtype),)))
        cases.append(Case(named("bessel_j0 bounds", dtype), SP.bessel_j0,
                          (torch.tensor([0.0, -0.0, 1, 25, torch.nan, torch.inf], dtype=dtype),)))
        cases.append(Case(named("modified_bessel_k1 bounds", dtype), SP.modified_bessel_k1,
                          (torch.tensor([0.0, 1, 30, -1, torch.nan, torch.inf], dtype=dtype),)))
    polynomials = ("chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v "
                   "chebyshev_polynomial_w shifted_chebyshev_polynomial_t "
                   "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
                   "shifted_chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he "
                   "laguerre_polynomial_l legendre_polynomial_p").split()
    for name in polynomials:
        fn = getattr(SP, name)
        # The framework has some of these above degree 6 for double alone.
        x = torch.cat([uniform((61,), -1.2, 1.2, torch.float64),
                       torch.tensor([0.0, 1, -1, 0.5], dtype=torch.float64)])
        degrees = torch.randint(-1, 15, (65,)).double()
        cases.append(Case(name, fn, (x, degrees)))
        cases.append(Case(f"{name} number", lambda x, fn=fn: fn(x, 4), (x.float(),)))
    return cases


# --- Complex numbers ---------------------------------------------------------

def complex_numbers():
    cases = []
    functions = ("abs angle exp log log2 log10 log1p expm1 sqrt rsqrt sin cos tan sinh cosh tanh "
                 "asin acos atan asinh acosh atanh sigmoid reciprocal square sgn neg conj_physical "
                 "isnan isinf isfinite isreal real imag positive").split()
    for dtype in COMPLEX:
        def z(*shape):
            return torch.randn(*shape, dtype=dtype)

        def add(name, fn, *args):
            cases.append(Case(named(name, dtype), fn, args))

        part = torch.float32 if dtype == torch.complex64 else torch.float64
        for name in functions:
            add(name, getattr(torch, name), z(3, 5))
        add("conj", lambda x: torch.conj(x) + 0, z(4))
        add("mH", lambda x: x.mH.contiguous(), z(2, 3, 4))
        add("adjoint", lambda x: x.adjoint().clone(), z(3, 2))
        for name in ("add", "sub", "mul", "div"):
            add(name, getattr(torch, name), z(3, 1), z(5))
            add(f"{name} real", getattr(torch, name), z(3, 1), torch.randn(5, dtype=part))
            add(f"{name} number", lambda x, f=getattr(torch, name): f(x, 2 - 3j), z(7))
        add("add alpha", lambda x, y: torch.add(x, y, alpha=2 + 1j), z(3), z(3))
        add("real to complex", lambda x: x * 2j, torch.randn(5, dtype=part))
        add("pow", torch.pow, z(5), z(5))
        add("pow 2", lambda x: x ** 2, z(5))
        add("pow -3", lambda x: x ** -3, z(5))
        add("pow 2.5", lambda x: x ** 2.5, z(5))
        add("addcmul", lambda x, y, w: torch.addcmul(x, y, w, value=1 - 2j), z(4), z(4), z(4))
        add("addcdiv", lambda x, y, w: torch.addcdiv(x, y, w, value=0.5), z(4), z(4), z(4))
        add("lerp", torch.lerp, z(4), z(4), z(4))
        add("eq", lambda x, y: torch.eq(x, torch.cat([x[:2], y])), z(4), z(2))
        add("ne", torch.ne, z(4), z(4))
        add("isclose", lambda x: torch.isclose(x, x + 1e-9), z(4))
        add("where", lambda x, y: torch.where(x.abs() > y.abs(), x, y), z(3, 5), z(5))
        add("masked_fill", lambda x: x.masked_fill(x.real > 0, 1 + 2j), z(9))
        add("complex", torch.complex, torch.randn(3, dtype=part), torch.randn(3, dtype=part))
        add("polar", torch.polar, torch.rand(3, dtype=part), torch.randn(3, dtype=part))
        add("view_as_real", torch.view_as_real, z(3, 2))
        add("view_as_complex", torch.view_as_complex, torch.randn(3, 5, 2, dtype=part))
        # Views and copies.
        add("reshape", lambda x: x.reshape(5, -1), z(3, 5))
        add("permute", lambda x: x.permute(2, 0, 1), z(2, 3, 5))
        add("slice", lambda x: x[1:, ::2], z(3, 5))
        add("select", lambda x: x[:, -1], z(3, 5))
        add("expand", lambda x: x.expand(4, 3), z(3))
        add("expand_as", lambda x: x.abs().expand_as(x), z(2, 3))
        add("normalize", lambda x: F.normalize(x, dim=0), z(4, 3))
        add("cat", lambda x, y: torch.cat([x, y], -1), z(3, 2), z(3, 5))
        add("stack", lambda x, y: torch.stack([x, y], 1), z(3, 2), z(3, 2))
        add("split", lambda x: torch.split(x, [2, 3], 1), z(3, 5))
        add("unbind", torch.unbind, z(2, 3))
        add("flip", lambda x: x.flip(0), z(3, 2))
        add("roll", lambda x: x.roll(1, 0), z(3, 2))
        add("tril", torch.tril, z(4, 3))
        add("index", lambda x: x[torch.tensor([2, 0])], z(3, 2))
        add("index_put", lambda x, y: x.index_put((torch.tensor([2, 0]),), y), z(3, 2), z(2, 2))
        add("index_add", lambda x, y: x.index_add(0, torch.tensor([1, 1]), y), z(3, 2), z(2, 2))
        add("gather", lambda x: x.gather(1, torch.tensor([[0, 1], [1, 0]])), z(2, 3))
        add("scatter_add", lambda x, y: x.scatter_add(1, torch.tensor([[0, 0], [1, 0]]), y), z(2, 3), z(2, 2))
        add("pad", lambda x: F.pad(x, (1, 2), value=3), z(2, 3))
        add("zeros_like", torch.zeros_like, z(3))
        add("full", lambda x: x + torch.full((3,), 1 + 2j, dtype=x.dtype), z(3))
        add("empty tensor", lambda x: x * x + x.sum(), z(0, 3))
        add("scalar", lambda x: x * x - 1j, z(()))
        # Reductions.
        add("sum", torch.sum, z(3, 5))
        add("sum dim", lambda x: x.sum(1, keepdim=True), z(3, 5))
        add("mean", lambda x: x.mean(0), z(3, 5))
        add("prod", torch.prod, z(3, 5))
        add("prod dim", lambda x: x.prod(1), z(3, 7))
        add("cumsum", lambda x: x.cumsum(1), z(3, 5))
        add("cumprod", lambda x: x.cumprod(1), z(3, 5))
        add("var", torch.var, z(3, 5))
        add("std dim", lambda x: x.std(1), z(3, 5))
        add("norm", lambda x: LA.vector_norm(x, dim=1), z(3, 5))
        add("any", torch.any, z(3, 5))
        add("all dim", lambda x: x.all(1), z(3, 5))
        # Products.
        add("mm", torch.mm, z(3, 5), z(5, 7))
        add("bmm", torch.bmm, z(2, 3, 5), z(2, 5, 7))
        add("matmul", torch.matmul, z(2, 3, 5), z(5, 7))
        add("matmul conj", lambda x, y: x.mH @ y, z(5, 3), z(5, 7))
        add("mv", torch.mv, z(3, 5), z(5))
        add("dot", torch.dot, z(5), z(5))
        add("vdot", torch.vdot, z(5), z(5))
        add("outer", torch.outer, z(5), z(3))
        add("addmm", lambda a, x, y: torch.addmm(a, x, y, beta=2, alpha=1j), z(3, 7), z(3, 5), z(5, 7))
        add("baddbmm", torch.baddbmm, z(2, 3, 7), z(2, 3, 5), z(2, 5, 7))
        add("linear", F.linear, z(3, 5), z(7, 5), z(7))
        add("conv1d", F.conv1d, z(2, 3, 11), z(5, 3, 3), z(5))
        # Conversions.
        add("to wider", lambda x: x.to(torch.complex128) * 2, z(3))
        add("from real", lambda x, d=dtype: x.to(d) * (1 + 1j), torch.randn(3, dtype=part))
        add("to real", lambda x: x.real.to(torch.float64), z(3))
        add("promotion", lambda x: x * torch.arange(3), z(3))
    return cases


# --- Fourier transforms ------------------------------------------------------

def fourier():
    cases = []
    for real, cplx in zip(REAL, COMPLEX):
        def x(*shape):
            return torch.randn(*shape, dtype=real)

        def z(*shape):
            return torch.randn(*shape, dtype=cplx)

        def add(name, fn, *args):
            cases.append(Case(named(name, real), fn, args))

        for n in (1, 2, 7, 12, 37, 64, 97, 210):
            add(f"fft {n}", FFT.fft, z(3, n))
            add(f"ifft {n}", FFT.ifft, z(n))
            add(f"rfft {n}", FFT.rfft, x(2, n))
            add(f"irfft {n}", lambda y, n=n: FFT.irfft(y, n=n), z(2, n // 2 + 1))
        # Vectors of lines with some to spare, along either dimension; long lines, which are matrices.
        for n in (5, 30, 37, 66):
            add(f"fft lines {n}", FFT.fft, z(17, n))
            add(f"ifft columns {n}", lambda y: FFT.ifft(y, dim=0), z(n, 18))
            add(f"rfft columns {n}", lambda y: FFT.rfft(y, dim=0), x(n, 5))
            add(f"rfft lines {n}", FFT.rfft, x(2, 9, n))
            add(f"fft of real lines {n}", FFT.fft, x(19, n))
            add(f"irfft lines {n}", lambda y, n=n: FFT.irfft(y, n=n), z(20, n // 2 + 1))
            add(f"hfft columns {n}", lambda y, n=n: FFT.hfft(y, n=n, dim=0), z(n // 2 + 1, 4))
        add("fft long", FFT.fft, z(4800))
        add("ifft long", FFT.ifft, z(2, 4096))
        add("rfft long", FFT.rfft, x(8192))
        add("irfft long", lambda y: FFT.irfft(y, n=7680), z(1, 3841))
        add("fft of real", FFT.fft, x(3, 10))
        add("fft dim, n, ortho", lambda y: FFT.fft(y, n=7, dim=0, norm="ortho"), z(5, 3))
        add("fft forward", lambda y: FFT.fft(y, n=4, norm="forward"), z(5, 6))
        add("irfft default", FFT.irfft, z(3, 6))
        add("hfft", FFT.hfft, z(3, 6))
        add("hfft n", lambda y: FFT.hfft(y, n=7, norm="ortho"), z(3, 6))
        add("ihfft", FFT.ihfft, x(3, 9))
        add("fft2", FFT.fft2, z(2, 5, 6))
        add("ifft2", lambda y: FFT.ifft2(y, s=(4, 8)), z(2, 5, 6))
        add("fftn", FFT.fftn, z(2, 3, 5))
        add("fftn dims", lambda y: FFT.fftn(y, dim=(0, 2)), z(2, 3, 5))
        add("rfft2", FFT.rfft2, x(3, 5, 8))
        add("rfftn", FFT.rfftn, x(3, 4, 5))
        add("irfft2", FFT.irfft2, z(3, 5, 6))
        add("irfftn", lambda y: FFT.irfftn(y, s=(4, 9)), z(3, 5, 6))
        add("ihfft2", FFT.ihfft2, x(5, 6))
        add("hfftn", FFT.hfftn, z(3, 4, 5))
        add("convolution", lambda a, b: FFT.irfft(FFT.rfft(a, n=32) * FFT.rfft(b, n=32), n=32),
            x(3, 20), x(3, 12))
    return cases


# --- Linear algebra ----------------------------------------------------------

def linear_algebra():
    cases = []
    for dtype in REAL + COMPLEX:
        def a(*shape):
            return torch.randn(*shape, dtype=dtype)

        def spd(*shape):
            x = a(*shape)
            return x @ x.mH + 3 * torch.eye(shape[-1], dtype=dtype)

        def add(name, fn, *args):
            cases.append(Case(named(name, dtype), fn, args))

        def square(n=5, *batch):
            return a(*batch, n, n) + 3 * torch.eye(n, dtype=dtype)

        add("solve", LA.solve, square(), a(5, 3))
        add("solve vector", LA.solve, square(), a(5))
        add("solve batch", LA.solve, square(4, 2, 3), a(3, 4, 2))
        add("solve right", lambda x, y: LA.solve(x, y, left=False), square(), a(3, 5))
        add("solve_ex", lambda x, y: tuple(LA.solve_ex(x, y)), square(), a(5, 3))
        add("inv", LA.inv, square(6, 3))
        add("inverse", torch.inverse, square(1))
        add("inv_ex", lambda x: tuple(LA.inv_ex(x)), square())
        add("det", LA.det, square(4, 3))
        add("slogdet", lambda x: tuple(LA.slogdet(x)), square(4, 3))
        add("logdet", torch.logdet, spd(4, 4))
        add("lu_factor", lambda x: tuple(LA.lu_factor(x)), a(3, 5, 4))
        add("lu", lambda x: tuple(LA.lu(x)), a(2, 5, 3))
        add("lu wide", lambda x: tuple(LA.lu(x)), a(3, 5))
        add("lu_solve", lambda x, y: LA.lu_solve(*LA.lu_factor(x), y), square(), a(5, 2))
        add("lu_solve adjoint", lambda x, y: LA.lu_solve(*LA.lu_factor(x), y, left=False, adjoint=True),
            square(), a(2, 5))
        add("cholesky", LA.cholesky, spd(3, 4, 4))
        add("cholesky upper", lambda x: LA.cholesky(x, upper=True), spd(4, 4))
        add("cholesky_ex", lambda x: tuple(LA.cholesky_ex(x)), spd(4, 4))
        add("cholesky_solve", lambda x, y: torch.cholesky_solve(y, LA.cholesky(x)), spd(4, 4), a(4, 2))
        add("cholesky_inverse", lambda x: torch.cholesky_inverse(LA.cholesky(x)), spd(4, 4))
        add("solve_triangular", lambda x, y: LA.solve_triangular(x.tril(), y, upper=False), square(), a(5, 2))
        add("solve_triangular right", lambda x, y: LA.solve_triangular(x.triu(), y, upper=True, left=False),
            square(), a(2, 5))
        add("triangular_solve", lambda x, y: tuple(torch.triangular_solve(y, x)), square().triu(), a(5, 2))
        add("qr", lambda x: tuple(LA.qr(x)), a(2, 6, 4))
        add("qr wide", lambda x: tuple(LA.qr(x)), a(4, 6))
        add("qr complete", lambda x: tuple(LA.qr(x, mode="complete")), a(6, 4))
        add("qr r", lambda x: LA.qr(x, mode="r")[1], a(6, 4))
        add("geqrf", lambda x: tuple(torch.geqrf(x)), a(6, 4))
        add("householder_product", lambda x: LA.householder_product(*torch.geqrf(x)), a(6, 4))
        add("ormqr", lambda x, y: torch.ormqr(*torch.geqrf(x), y), a(6, 4), a(6, 2))
        add("eigvalsh", LA.eigvalsh, spd(3, 4, 4))
        add("eigh", lambda x: (lambda w, v: (w, v * w[..., None, :] @ v.mH))(*LA.eigh(x)), spd(3, 4, 4))
        add("eigh upper", lambda x: LA.eigh(x, UPLO="U")[0], spd(4, 4))
        # Of eigenvalues only symmetric functions have an order.
        add("eigvals", lambda x: torch.stack([(LA.eigvals(x) ** k).sum(-1) for k in (1, 2, 3)]), square(5, 2))
        add("eig", lambda x: (lambda w, v: v * w[..., None, :] @ LA.inv(v))(*LA.eig(x)), square(5, 2))
        add("svdvals", LA.svdvals, a(2, 5, 3))
        add("svd", lambda x: (lambda u, s, v: (u * s.to(u.dtype) @ v, s))(*LA.svd(x, full_matrices=False)),
            a(5, 3))
        add("svd full", lambda x: (lambda u, s, v: u[:, :3] * s.to(u.dtype) @ v)(*LA.svd(x)), a(5, 3))
        add("matrix_rank", LA.matrix_rank, a(5, 2) @ a(2, 5))
        add("pinv", LA.pinv, a(2, 5, 3))
        add("pinv hermitian", lambda x: LA.pinv(x, hermitian=True), spd(4, 4))
        add("matrix_power", lambda x: LA.matrix_power(x, 5), square(4))
        add("matrix_power -2", lambda x: LA.matrix_power(x, -2), square(4))
        add("cond", LA.cond, square(4, 2))
        add("cond fro", lambda x: LA.cond(x, "fro"), square(4))
        add("cond 1", lambda x: LA.cond(x, 1), square(4))
        add("ldl", lambda x: tuple(LA.ldl_factor(x)), (lambda m: m + m.mT)(a(4, 4)))
        add("ldl_solve", lambda x, y: LA.ldl_solve(*LA.ldl_factor(x), y), (lambda m: m + m.mT)(a(4, 4)), a(4, 2))
        add("empty", lambda x, y: LA.solve(x, y), a(2, 0, 0), a(2, 0, 3))
        add("strided", lambda x: LA.inv(x.mT), square())
    return cases


# --- Recurrent networks ------------------------------------------------------

def recurrent():
    cases = []

    # The exporter gives the last states of an LSTM a dimension of size one more than eager mode.
    def add(name, module, *args):
        def call(*a):
            output, *states = _leaves(module(*a))
            return [output] + [state.flatten() for state in states]

        cases.append(Case(name, call, args))

    kinds = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}
    for dtype in (torch.float32, torch.float64):
        for name, kind in kinds.items():
            for steps in (1, 5, 23):
                add(named(f"{name} {steps}", dtype), kind(5, 7, dtype=dtype).eval(),
                    torch.randn(steps, 3, 5, dtype=dtype))
            add(named(f"{name} layers, directions", dtype),
                kind(5, 7, num_layers=2, bidirectional=True, dtype=dtype).eval(),
                torch.randn(4, 3, 5, dtype=dtype))
            add(named(f"{name} batch first, long", dtype),
                kind(5, 7, batch_first=True, bidirectional=True, dtype=dtype).eval(),
                torch.randn(2, 19, 5, dtype=dtype))
            add(named(f"{name} no bias, unbatched", dtype), kind(5, 7, bias=False, dtype=dtype).eval(),
                torch.randn(4, 5, dtype=dtype))
            state = torch.randn(1, 3, 7, dtype=dtype)
            if name != "lstm":
                add(named(f"{name} state", dtype), kind(5, 7, dtype=dtype).eval(),
                    torch.randn(4, 3, 5, dtype=dtype), state)
    add("rnn relu", torch.nn.RNN(5, 7, nonlinearity="relu").eval(), torch.randn(4, 3, 5))
    add("lstm projection", torch.nn.LSTM(5, 7, proj_size=3, num_layers=2).eval(), torch.randn(4, 3, 5))
    add("lstm cell", torch.nn.LSTMCell(5, 7).eval(), torch.randn(3, 5))
    add("gru cell", torch.nn.GRUCell(5, 7).eval(), torch.randn(3, 5))
    add("rnn cell", torch.nn.RNNCell(5, 7).eval(), torch.randn(3, 5))
    return cases


def _leaves(result):
    if isinstance(result, torch.Tensor):
        return [result]
    return [leaf for part in result for leaf in _leaves(part)]


# --- Quantized products ------------------------------------------------------

def quantized():
    def integers(*shape):
        return torch.randint(-128, 128, shape).to(torch.int8)

    f8 = torch.float8_e4m3fn
    return [
        Case("_int_mm", torch._int_mm, (integers(17, 8), integers(8, 16))),
        Case("_weight_int8pack_mm f32", torch._weight_int8pack_mm,
             (torch.randn(5, 32), integers(16, 32), torch.rand(16))),
        Case("_weight_int8pack_mm bf16", torch._weight_int8pack_mm,
             (torch.randn(5, 32).bfloat16(), integers(16, 32), torch.rand(16).bfloat16())),
        Case("_scaled_mm", lambda x, y, s, t: torch._scaled_mm(x, y.t(), s, t, out_dtype=torch.float32),
             (torch.randn(16, 32).to(f8), torch.randn(16, 32).to(f8),
              torch.tensor(0.5), torch.tensor(2.0))),
        *_packed(), *_scaled_blocks(),
    ]


def _packed():
    """Weights of 4 bits: complete blocks of rows, and what remains."""
    cases = []
    for rows, columns, group in (64, 64, 32), (96, 64, 64), (48, 32, 32), (160, 128, 128):
        weight = torch.randint(0, 16, (rows, columns), dtype=torch.int32)
        cases.append(Case(f"_convert_weight_to_int4pack_for_cpu {rows}",
                          lambda w: torch.ops.aten._convert_weight_to_int4pack_for_cpu(w, 1), (weight,)))
        packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(weight, 1)
        for dtype in torch.float32, torch.bfloat16:
            cases.append(Case(
                named(f"_weight_int4pack_mm_for_cpu {rows}", dtype),
                lambda x, p, s, g=group: torch.ops.aten._weight_int4pack_mm_for_cpu(x, p, g, s),
                (torch.randn(5, columns).to(dtype), packed, torch.rand(columns // group, rows, 2).to(dtype))))
    return cases


def _scaled_blocks():
    """`_scaled_mm_v2` for each pair of recipes, which eager mode has on GPUs alone: expected are products of scaled matrices."""
    m, k, n, f8 = 256, 384, 128, torch.float8_e4m3fn
    x, y = torch.randn(m, k).to(f8), torch.randn(n, k).to(f8)
    number, rows, columns = torch.tensor(0.5), torch.rand(m, 1), torch.rand(1, n)
    left, right = torch.rand(k // 128, m).t(), torch.rand(k // 128, n).t()
    left_blocks, right_blocks = torch.rand(m // 128, 4).t(), torch.rand(n // 128, 4).t()

    def spread(scale, dim):
        return scale.repeat_interleave(128, dim)

    recipes = [
        (0, 0, number, number, lambda a, b: (a, b)), (1, 1, rows, columns, lambda a, b: (a, b)),
        (4, 4, left, right, lambda a, b: (spread(a, 1), spread(b, 1).t())),
        (4, 5, left, right_blocks, lambda a, b: (spread(a, 1), spread(spread(b, 0)[:k], 1))),
        (5, 4, left_blocks, right, lambda a, b: (spread(spread(a, 0)[:k], 1).t(), spread(b, 1).t())),
    ]

    def make(left_recipe, right_recipe, a, b, spread_both):
        def expected(x, y, a, b):
            a, b = spread_both(a.double(), b.double())
            return ((x.double() * a) @ (y.double().t() * b)).float()

        return Case(f"_scaled_mm_v2 {left_recipe} {right_recipe}", lambda x, y, a, b: torch._scaled_mm_v2(
            x, y.t(), [a], [left_recipe], [0], [b], [right_recipe], [0], None, torch.float32), (x, y, a, b), expected)

    return [make(*recipe) for recipe in recipes]


FAMILIES = {"special": special, "complex": complex_numbers, "fft": fourier,
            "linalg": linear_algebra, "rnn": recurrent, "quantized": quantized}
