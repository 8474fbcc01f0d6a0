#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the polynomials of f32 in lib/ExecutionEngine/MathBodies.cpp and InlineMath.cpp, and `sin_narrow` of
lib/Device/Single.h.

  scripts/fit_math.py [NAME...]        (needs NumPy and mpmath)

Each approximates (f(x) - x) / x^3 as a polynomial of z = x^2, for the least relative
error of f: Lawson's iteration on Chebyshev points, values by mpmath with 200 bits. The
`exp2_narrow` approximates 2^(r + 1) for |r| <= 1/2. The
coefficients are rounded to f32 from the lowest up, and those that are left are fitted
again after each. Prints the degree, the relative error with the rounded coefficients,
and these, that of the highest power first.
"""
import sys

import mpmath as mp
import numpy as np

mp.mp.prec = 200
POINTS, ITERATIONS = 400, 60
# The function, the largest z, and the degree.
FITS = {
    "asin": (mp.asin, 0.25, 5),
    "atan": (mp.atan, float(mp.tan(mp.pi / 8) ** 2) * 1.001, 5),
    "sin_narrow": (mp.sin, float(mp.pi / 2) ** 2, 2),
    "sinh": (mp.sinh, 1.0, 3),
    "tanh": (mp.tanh, 0.9605, 7),
}


def lawson(powers, xs, ys, weights):
    """The polynomial of these powers with the least weighted maximum."""
    measure = np.ones(len(xs), dtype=np.longdouble) / len(xs)
    basis = np.stack([xs**k for k in powers], 1)
    for _ in range(ITERATIONS):
        scale = np.sqrt(measure) * weights
        q, r = np.linalg.qr((basis * scale[:, None]).astype(np.float64))
        coefficients = np.linalg.solve(r, q.T @ (ys * scale).astype(np.float64)).astype(np.longdouble)
        # Once more, for what double has lost.
        rest = (ys - basis @ coefficients) * scale
        coefficients += np.linalg.solve(r, q.T @ rest.astype(np.float64))
        measure *= np.abs(weights * (ys - basis @ coefficients))
        measure /= measure.sum()
    return coefficients


def fit(function, end, degree):
    """Rounded coefficients, lowest first, and their relative error."""
    def rest(z):
        x = mp.sqrt(z)
        return (function(x) / x - 1) / z

    half = mp.mpf(end) / 2
    zs = [half + half * mp.cos(mp.pi * (2 * i + 1) / (2 * POINTS)) for i in range(POINTS)]
    xs = np.array([float(z) for z in zs], dtype=np.longdouble)
    exact = [rest(z) for z in zs]
    ys = np.array([np.longdouble(mp.nstr(y, 25)) for y in exact])
    weights = np.array([np.longdouble(float(z / (1 + z * y))) for z, y in zip(zs, exact)])
    return fit_values(xs, ys, weights, degree)


def fit_values(xs, ys, weights, degree):
    """The same of values at points, for the least weighted error."""
    rounded, left = [], ys.copy()
    for lowest in range(degree + 1):
        coefficient = np.float32(lawson(range(lowest, degree + 1), xs, left, weights)[0])
        rounded.append(coefficient)
        left = left - np.longdouble(coefficient) * xs**lowest
    return rounded, float(np.abs(weights * left).max())


def fit_exp2_narrow(degree=4):
    xs = [mp.cos(mp.pi * (2 * i + 1) / (2 * POINTS)) / 2 for i in range(POINTS)]
    ys = np.array([np.longdouble(mp.nstr(mp.mpf(2) ** (x + 1), 25)) for x in xs])
    return fit_values(np.array([np.longdouble(mp.nstr(x, 25)) for x in xs]), ys, 1 / ys, degree)


def main():
    for name in sys.argv[1:] or [*FITS, "exp2_narrow"]:
        coefficients, error = fit_exp2_narrow() if name == "exp2_narrow" else fit(*FITS[name])
        text = ", ".join(float(c).hex() for c in reversed(coefficients))
        print(f"{name}: degree {len(coefficients) - 1}, relative error {error:.2g}: {text}")


if __name__ == "__main__":
    main()
