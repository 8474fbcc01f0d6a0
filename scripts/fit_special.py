#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the polynomials of f64 in lib/Runtime/SpecialFunctions.h and lib/Device.

  scripts/fit_special.py [NAME...]        (needs mpmath)

Each interpolates at Chebyshev points, with values of 300 bits. Coefficients are rounded
to f64, that of the highest power first; the last `pairs` of them are sums of two. Prints
the logarithm to base 2 of the largest error, before coefficients are rounded, relative to
the function that the polynomial is a part of.
"""
import sys

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
}


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
        series = reciprocal_gamma_series(28)
        print("1 / gamma(1 + t): " + ", ".join(
            float(c).hex() if k < 10 else "{" + ", ".join(v.hex() for v in get_pair(c)) + "}" for k, c in enumerate(series)))


if __name__ == "__main__":
    main()
