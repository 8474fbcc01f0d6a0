#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the polynomials of f64 in lib/Runtime/SpecialFunctions.h and lib/Device; `narrow_` ones, whose results are
rounded to f32, are those of lib/Device/NarrowText.h.

  scripts/fit_special.py [NAME...]        (needs mpmath)

Each interpolates at Chebyshev points, with values of 300 bits. Coefficients are rounded
to f64, that of the highest power first; the last `pairs` of them are sums of two. Prints
the logarithm to base 2 of the largest error, before coefficients are rounded, relative to
the function that the polynomial is a part of.
"""
import sys
from fractions import Fraction

import mpmath as mp

mp.mp.prec = 300
TINY = mp.mpf(10)**-25
ROOT_PI = mp.sqrt(mp.pi)


def inverse_erfc(q):
    """The y with erfc(y) = q."""
    y = mp.sqrt(-mp.log(q)) if q < 0.1 else mp.erfinv(1 - q)
    while True:
        step = (mp.erfc(y) - q) / (-2 / ROOT_PI * mp.exp(-y * y))
        following = y - step / (1 + y * step)
        if abs(following - y) < mp.mpf(2)**-280 * abs(y):
            return following
        y = following


def erfinv_centre(z):
    x = mp.sqrt(z)
    return (inverse_erfc(1 - x) / x - ROOT_PI / 2) / z


def erfinv_side(t):
    """erfinv(a) / a, t = -log(1 - a^2) - 1.44."""
    power = mp.exp(-(t + mp.mpf("1.44")))
    a = mp.sqrt(1 - power)
    return inverse_erfc(power / (1 + a)) / a


def erfcinv_start(t):
    """y - s, s = sqrt(-log(erfc(y))), t = (s - 6) / (s + 6)."""
    s = 6 * (1 + t) / (1 - t)
    return inverse_erfc(mp.exp(-s * s)) - s


def erfcx_rational(t):
    """(1 + 2 x) erfcx(x), t = (x - 4) / (x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    if x < 60:
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    total = term = mp.mpf(1)
    for k in range(1, 30):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return (2 + 1 / x) / ROOT_PI * total


def bessel_series(order):
    def rest(q):
        x = 2 * mp.sqrt(q)
        return (mp.besseli(order, x) / (x / 2)**order - 1) / q
    return rest


def bessel_tail(order):
    """sqrt(x) exp(-x) I(x), t = 16 / x - 1."""
    def tail(t):
        x = 16 / (1 + t)
        if x < 2000:
            return mp.besseli(order, x) * mp.exp(-x) * mp.sqrt(x)
        total = term = mp.mpf(1)
        for k in range(1, 25):
            term *= -(4 * order * order - (2 * k - 1)**2) / (k * 8 * x)
            total += term
        return total / mp.sqrt(2 * mp.pi)
    return tail


DIGAMMA_ROOT = mp.findroot(mp.digamma, 1.4616)


def digamma_slope(t):
    """digamma(x) / (x - root), t = x - 1.5."""
    x = t + mp.mpf("1.5")
    return mp.digamma(x) / (x - DIGAMMA_ROOT)


def lgamma_centre(t):
    """log(gamma(2 + t)) / t."""
    return mp.loggamma(2 + t) / t if abs(t) > TINY else 1 - mp.euler


def reciprocal_gamma_series(count):
    """The Taylor series of 1 / gamma(1 + t)."""
    return mp.taylor(lambda t: mp.rgamma(1 + t), 0, count - 1)[::-1]


#===----------------------------------------------------------------------===//
# What is rounded to f32
#===----------------------------------------------------------------------===//


def narrow_log(f):
    """(log(1 + f) - f) / f^2."""
    return (mp.log1p(f) - f) / (f * f) if abs(f) > TINY else -mp.mpf(1) / 2


def narrow_erfinv_low(w):
    """erfinv(a) / a, w = -log(1 - a^2)."""
    return erfinv_side(w - mp.mpf("1.44"))


def narrow_erfcinv_high(t):
    """y - s, s = sqrt(-log(erfc(y))), t = (s - 3) / (s + 3)."""
    s = 3 * (1 + t) / (1 - t)
    return inverse_erfc(mp.exp(-s * s)) - s


def narrow_k_series(order):
    """K0 + log(x/2) I0, and (K1 - log(x/2) I1 - 1/x) / x, q = x^2."""
    def rest(q):
        x = mp.sqrt(q)
        if order == 0:
            return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)
        return (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x) - 1 / x) / x
    return rest


def narrow_i_series(order):
    """I / x^order, q = x^2."""
    return lambda q: mp.besseli(order, mp.sqrt(q)) / mp.sqrt(q)**order


def narrow_k_tail(order):
    """sqrt(x) exp(x) K(x), t = 4 / x - 1."""
    def tail(t):
        x = 4 / (1 + t)
        if x < 200:
            return mp.besselk(order, x) * mp.exp(x) * mp.sqrt(x)
        total = term = mp.mpf(1)
        for k in range(1, 60):
            term *= (4 * order * order - (2 * k - 1)**2) / (k * 8 * x)
            total += term
        return total * mp.sqrt(mp.pi / 2)
    return tail


def get_bessel_argument(t):
    return mp.sqrt(32 * (t + 1))


def narrow_j_series(order):
    """J / x^order, t = x^2 / 32 - 1."""
    def series(t):
        x = get_bessel_argument(t)
        return mp.besselj(order, x) / x**order
    return series


def narrow_y_series(order):
    """(Y - 2 / pi (log(x) J - order / x)) / x^order, t = x^2 / 32 - 1."""
    def series(t):
        x = get_bessel_argument(t)
        return (mp.bessely(order, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(order, x) - mp.mpf(order) / x)) / x**order
    return series


def narrow_modulus(order):
    """sqrt(pi x / 2 (J^2 + Y^2)), t = 128 / x^2 - 1."""
    def modulus(t):
        x = 8 / mp.sqrt((1 + t) / 2)
        if x > 5000:
            return mp.sqrt(1 + mp.mpf(4 * order * order - 1) / (8 * x * x))
        return mp.sqrt((mp.besselj(order, x)**2 + mp.bessely(order, x)**2) * mp.pi * x / 2)
    return modulus


def narrow_phase(order):
    """x times the angle of J + i Y less x - order pi / 2 - pi / 4, t = 128 / x^2 - 1."""
    def phase(t):
        x, mu = 8 / mp.sqrt((1 + t) / 2), mp.mpf(4 * order * order)
        if x > 5000:
            return (mu - 1) / 8 + (mu - 1) * (mu - 25) / (384 * x * x)
        angle = mp.atan2(mp.bessely(order, x), mp.besselj(order, x)) - (x - order * mp.pi / 2 - mp.pi / 4)
        return (angle - 2 * mp.pi * mp.nint(angle / (2 * mp.pi))) * x
    return phase


def narrow_lgamma(t):
    """log(gamma(y)) / ((y - 1) (y - 2)), t = y - 1.5."""
    y = t + mp.mpf("1.5")
    return mp.loggamma(y) / ((y - 1) * (y - 2))


def narrow_stirling(u):
    """x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2), u = x^-2."""
    x = 1 / mp.sqrt(u)
    if x > 60:
        return mp.mpf(1) / 12 - u / 360 + u * u / 1260
    return x * (mp.loggamma(x) - (x - mp.mpf("0.5")) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def narrow_digamma_tail(u):
    """x^2 (log(x) - 1 / (2 x) - digamma(x)), u = x^-2."""
    x = 1 / mp.sqrt(u)
    if x > 60:
        return mp.mpf(1) / 12 - u / 120 + u * u / 252
    return x * x * (mp.log(x) - 1 / (2 * x) - mp.digamma(x))


def narrow_trigamma(t):
    return mp.polygamma(1, t + mp.mpf("1.5"))


def narrow_trigamma_tail(u):
    """x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)), u = x^-2."""
    x = 1 / mp.sqrt(u)
    if x > 60:
        return mp.mpf(1) / 6 - u / 30 + u * u / 42
    return x**3 * (mp.polygamma(1, x) - 1 / x - 1 / (2 * x * x))


def one(t):
    return mp.mpf(1)


# The function, from where to where, the number of coefficients and of pairs, and what errors are relative to.
FITS = {
    "erfinv_centre": (erfinv_centre, TINY, 0.25, 14, 0, lambda z: ROOT_PI / 2 / max(z, 0.001)),
    "erfinv_side": (erfinv_side, -1.153, 1.16, 17, 1, erfinv_side),
    "erfcinv_start": (erfcinv_start, -0.54, 0.643, 12, 0, lambda t: mp.mpf(1)),
    "erfcx_rational": (erfcx_rational, -0.8, 1 - TINY, 24, 1, erfcx_rational),
    "i0_series": (bessel_series(0), TINY, 16, 15, 0, lambda q: mp.besseli(0, 2 * mp.sqrt(q)) / q),
    "i1_series": (bessel_series(1), TINY, 16, 15, 0, lambda q: mp.besseli(1, 2 * mp.sqrt(q)) / mp.sqrt(q) / q),
    "i0_tail": (bessel_tail(0), -1 + TINY, 1, 25, 0, bessel_tail(0)),
    "i1_tail": (bessel_tail(1), -1 + TINY, 1, 25, 0, bessel_tail(1)),
    "lgamma_centre": (lgamma_centre, -0.5, 0.5, 21, 2, lgamma_centre),
    "digamma_slope": (digamma_slope, -0.5, 0.5, 23, 0, digamma_slope),
    "narrow_log": (narrow_log, mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 12, 0, lambda f: mp.log1p(f) / f / abs(f)),
    "narrow_erfinv_low": (narrow_erfinv_low, TINY, 3.4, 11, 0, narrow_erfinv_low),
    "narrow_erfcinv_high": (narrow_erfcinv_high, -0.2, 0.549, 12, 0, one),
    "narrow_erfcx": (erfcx_rational, -1, 1 - TINY, 16, 0, erfcx_rational),
    "narrow_i0_near": (narrow_i_series(0), TINY, 4, 7, 0, narrow_i_series(0)),
    "narrow_i1_near": (narrow_i_series(1), TINY, 4, 7, 0, narrow_i_series(1)),
    "narrow_k0_near": (narrow_k_series(0), TINY, 4, 7, 0, lambda q: mp.besselk(0, mp.sqrt(q))),
    "narrow_k1_near": (narrow_k_series(1), TINY, 4, 7, 0, lambda q: mp.besselk(1, mp.sqrt(q)) / mp.sqrt(q)),
    "narrow_k0_tail": (narrow_k_tail(0), -1 + TINY, 1, 12, 0, narrow_k_tail(0)),
    "narrow_k1_tail": (narrow_k_tail(1), -1 + TINY, 1, 12, 0, narrow_k_tail(1)),
    "narrow_i0_series": (narrow_i_series(0), TINY, 64, 13, 0, narrow_i_series(0)),
    "narrow_i1_series": (narrow_i_series(1), TINY, 64, 12, 0, narrow_i_series(1)),
    "narrow_i0_tail": (bessel_tail(0), -1 + TINY, 1, 10, 0, bessel_tail(0)),
    "narrow_i1_tail": (bessel_tail(1), -1 + TINY, 1, 10, 0, bessel_tail(1)),
    "narrow_j0": (narrow_j_series(0), -1 + TINY, 1, 16, 0, one),
    "narrow_j1": (narrow_j_series(1), -1 + TINY, 1, 16, 0, one),
    "narrow_y0": (narrow_y_series(0), -1 + TINY, 1, 16, 0, one),
    "narrow_y1": (narrow_y_series(1), -1 + TINY, 1, 16, 0, one),
    "narrow_modulus0": (narrow_modulus(0), -1 + TINY, 1, 8, 0, one),
    "narrow_modulus1": (narrow_modulus(1), -1 + TINY, 1, 8, 0, one),
    "narrow_phase0": (narrow_phase(0), -1 + TINY, 1, 11, 0, one),
    "narrow_phase1": (narrow_phase(1), -1 + TINY, 1, 11, 0, one),
    "narrow_lgamma": (narrow_lgamma, -0.5, 0.5, 20, 0, narrow_lgamma),
    "narrow_stirling": (narrow_stirling, TINY, 0.0625, 8, 0, one),
    "narrow_digamma": (digamma_slope, -0.5, 0.5, 20, 0, digamma_slope),
    "narrow_digamma_tail": (narrow_digamma_tail, TINY, 0.0625, 8, 0, one),
    "narrow_trigamma": (narrow_trigamma, -0.5, 0.5, 20, 0, narrow_trigamma),
    "narrow_trigamma_tail": (narrow_trigamma_tail, TINY, 0.0625, 8, 0, one),
}


def gamma_expansion(rows, count):
    """Coefficients of Temme's uniform expansion of the incomplete gamma function (DLMF 8.12): row k has those of c_k(eta) for powers of
    eta, of which row k has k / 2 less. eta^2 / 2 = mu - log(1 + mu), with the sign of mu."""
    n = count + 2 * rows
    # mu by powers of eta, from mu mu' = eta (1 + mu).
    mu = [Fraction(0), Fraction(1)]
    for k in range(2, n + 2):
        mu.append((2 * mu[k - 1] / Fraction(k + 1) - sum(mu[i] * mu[k + 1 - i] for i in range(2, k))) / 2)
    # eta / mu.
    inverse = [Fraction(1)]
    for k in range(1, n + 1):
        inverse.append(-sum(mu[i + 1] * inverse[k - i] for i in range(1, k + 1)))
    # The series of gamma(z) / (sqrt(2 pi / z) (z / e)^z), from that of its logarithm.
    logarithm = [Fraction(0)] * (rows + 1)
    for k in range(1, rows // 2 + 1):
        p, q = mp.bernfrac(2 * k)
        logarithm[2 * k - 1] = Fraction(int(p), int(q)) / (2 * k * (2 * k - 1))
    stirling = [Fraction(1)]
    for m in range(1, rows):
        stirling.append(sum(j * logarithm[j] * stirling[m - j] for j in range(1, m + 1)) / m)
    table = [inverse[1:]]
    for k in range(1, rows):
        slope = [c * i for i, c in enumerate(table[-1])][1:]
        sign = (-1) ** k * stirling[k]
        assert slope[0] + sign == 0
        table.append([a + sign * b for a, b in zip(slope[1:], inverse[1:])])
    return [[float(c) for c in row[:count - k // 2]] for k, row in enumerate(table)]


def interpolate(function, begin, end, count):
    """Coefficients, that of the highest power first."""
    middle, half = (mp.mpf(begin) + end) / 2, (mp.mpf(end) - begin) / 2
    points = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    divided = [function(x) for x in points]
    for j in range(1, count):
        for i in range(count - 1, j - 1, -1):
            divided[i] = (divided[i] - divided[i - 1]) / (points[i] - points[i - j])
    # From Newton's form to powers.
    powers = [divided[-1]]
    for i in range(count - 2, -1, -1):
        longer = [mp.mpf(0)] + powers
        for k, value in enumerate(powers):
            longer[k] -= value * points[i]
        longer[0] += divided[i]
        powers = longer
    return powers[::-1]


def get_pair(value):
    high = float(value)
    return high, float(value - mp.mpf(high))


def print_pairs(name, value):
    print(f"{name}: " + ", ".join(v.hex() for v in get_pair(value)))


def main():
    for name in sys.argv[1:] or FITS:
        function, begin, end, count, pairs, relative = FITS[name]
        powers = interpolate(function, begin, end, count)
        error = max(abs((mp.polyval(powers, x) - function(x)) / relative(x))
                    for x in mp.linspace(mp.mpf(begin) + TINY, mp.mpf(end) - TINY, 97))
        texts = [float(c).hex() for c in powers[:count - pairs]]
        texts += [" + ".join(v.hex() for v in get_pair(c)) for c in powers[count - pairs:]]
        print(f"{name}: {count} coefficients, error 2^{mp.nstr(mp.log(error, 2), 4)}: " + ", ".join(texts))
    if not sys.argv[1:]:
        print_pairs("digamma's root", DIGAMMA_ROOT)
        print_pairs("pi", mp.pi)
        print_pairs("log(pi)", mp.log(mp.pi))
        print_pairs("sqrt(pi) / 2", ROOT_PI / 2)
        print_pairs("sqrt(1/2)", mp.sqrt(0.5))
        for row in gamma_expansion(9, 14):
            print("incomplete gamma: " + ", ".join(c.hex() for c in row[::-1]))
        series = reciprocal_gamma_series(28)
        print("1 / gamma(1 + t): " + ", ".join(
            float(c).hex() if k < 10 else "{" + ", ".join(v.hex() for v in get_pair(c)) + "}" for k, c in enumerate(series)))


if __name__ == "__main__":
    main()
