# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes SpecialReference.inc: special functions at seeded arguments that a
float holds, by mpmath (which only this script needs) to 25 digits:

    python special_reference.py > SpecialReference.inc
"""

import random
import struct

from mpmath import mp, mpf

# Enough where values are as small as 1e-50, for which mpmath sums absolutely.
mp.dps = 150
random.seed(2026)
POINTS = 60


def to_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def uniform(low, high):
    return lambda: random.uniform(low, high)


def spread(low, high):
    """Logarithms are uniform."""
    return lambda: low * (high / low) ** random.random()


def either_sign(draw):
    return lambda: draw() * random.choice((-1, 1))


def mixed(*draws):
    return lambda: random.choice(draws)()


def non_integer(draw):
    def result():
        x = to_float(draw())
        return x if x != int(x) else result()
    return result


def log_gamma(x):
    return mp.log(abs(mp.gamma(x)))


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def scaled_bessel(order):
    return lambda x: mp.besseli(order, x) * mp.exp(-abs(x))


def bessel(order):
    return lambda x: mp.besseli(order, x)


def scaled_second(order):
    return lambda x: mp.besselk(order, x) * mp.exp(x)


def degree():
    return random.randint(0, 30)


def other_chebyshev(sign):
    """Of the third (-1) and the fourth (1) kind."""
    return lambda x, n: mp.chebyu(int(n), x) + (sign * mp.chebyu(int(n) - 1, x) if n else 0)


# Function, name of its arguments, their distributions, the function by mpmath.
CASES = [
    ("lgamma", "positive", [mixed(spread(1e-6, 1e6), uniform(0.4, 3))], log_gamma),
    ("lgamma", "negative", [non_integer(uniform(-20, 0))], log_gamma),
    ("digamma", "positive", [mixed(spread(1e-6, 1e6), uniform(0.5, 12))], mp.digamma),
    ("digamma", "negative", [non_integer(uniform(-20, 0))], mp.digamma),
    ("erfinv", "all", [mixed(either_sign(uniform(0, 1)), either_sign(spread(1e-6, 1)),
                             lambda: 1 - 2.0 ** -random.randint(2, 24))], mp.erfinv),
    ("erfcx", "-20 to 1e5", [mixed(uniform(-20, 20), spread(1e-3, 1e5))],
     lambda x: mp.exp(x * x) * mp.erfc(x)),
    ("i0", "-80 to 80", [uniform(-80, 80)], bessel(0)),
    ("i0e", "-1e3 to 1e3", [mixed(uniform(-40, 40), either_sign(spread(1e-3, 1e3)))], scaled_bessel(0)),
    ("i1", "-80 to 80", [uniform(-80, 80)], bessel(1)),
    ("i1e", "-1e3 to 1e3", [mixed(uniform(-40, 40), either_sign(spread(1e-3, 1e3)))], scaled_bessel(1)),
    ("ndtri", "all", [mixed(uniform(0, 1), spread(1e-30, 0.5),
                            lambda: 1 - 2.0 ** -random.randint(2, 24))],
     lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1)),
    ("log_ndtr", "-1e3 to 10", [mixed(uniform(-10, 10), lambda: -spread(1, 1e3)())],
     lambda x: mp.log(ndtr(x)) if x < 0 else mp.log1p(-ndtr(-x))),
    ("igamma", "up to 40", [uniform(0.01, 40), uniform(0.01, 40)],
     lambda a, x: mp.gammainc(a, 0, x, regularized=True)),
    ("igamma", "up to 1e4", [spread(40, 1e4), None],
     lambda a, x: mp.gammainc(a, 0, x, regularized=True)),
    ("igammac", "up to 40", [uniform(0.01, 40), uniform(0.01, 40)],
     lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)),
    ("igammac", "up to 1e4", [spread(40, 1e4), None],
     lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)),
    ("zeta", "up to 50", [uniform(1.01, 30), uniform(0.05, 50)], mp.zeta),
    ("trigamma", "positive", [mixed(spread(1e-6, 1e6), uniform(0.5, 12))], lambda x: mp.polygamma(1, x)),
    ("trigamma", "negative", [non_integer(uniform(-20, 0))], lambda x: mp.polygamma(1, x)),
    ("bessel_j0", "0 to 100", [uniform(0, 100)], lambda x: mp.besselj(0, x)),
    ("bessel_j1", "0 to 100", [uniform(0, 100)], lambda x: mp.besselj(1, x)),
    ("bessel_y0", "0 to 100", [uniform(0, 100)], lambda x: mp.bessely(0, x)),
    ("bessel_y1", "0 to 100", [uniform(0, 100)], lambda x: mp.bessely(1, x)),
    ("k0", "0 to 80", [mixed(spread(1e-6, 1), uniform(0.5, 80))], lambda x: mp.besselk(0, x)),
    ("k0e", "0 to 1e3", [mixed(spread(1e-6, 1), uniform(0.5, 1e3))], scaled_second(0)),
    ("k1", "0 to 80", [mixed(spread(1e-6, 1), uniform(0.5, 80))], lambda x: mp.besselk(1, x)),
    ("k1e", "0 to 1e3", [mixed(spread(1e-6, 1), uniform(0.5, 1e3))], scaled_second(1)),
    ("airy_ai", "-20 to 5", [uniform(-20, 5)], mp.airyai),
    ("chebyshev_t", "degrees to 30", [uniform(-1.2, 1.2), degree], lambda x, n: mp.chebyt(int(n), x)),
    ("chebyshev_u", "degrees to 30", [uniform(-1.2, 1.2), degree], lambda x, n: mp.chebyu(int(n), x)),
    ("chebyshev_v", "degrees to 30", [uniform(-1.2, 1.2), degree], other_chebyshev(-1)),
    ("chebyshev_w", "degrees to 30", [uniform(-1.2, 1.2), degree], other_chebyshev(1)),
    ("shifted_chebyshev_t", "degrees to 30", [uniform(0, 1), degree], lambda x, n: mp.chebyt(int(n), 2 * x - 1)),
    ("shifted_chebyshev_u", "degrees to 30", [uniform(0, 1), degree], lambda x, n: mp.chebyu(int(n), 2 * x - 1)),
    ("shifted_chebyshev_v", "degrees to 30", [uniform(0, 1), degree], lambda x, n: other_chebyshev(-1)(2 * x - 1, n)),
    ("shifted_chebyshev_w", "degrees to 30", [uniform(0, 1), degree], lambda x, n: other_chebyshev(1)(2 * x - 1, n)),
    ("hermite_h", "degrees to 30", [uniform(-3, 3), degree], lambda x, n: mp.hermite(int(n), x)),
    ("hermite_he", "degrees to 30", [uniform(-3, 3), degree],
     lambda x, n: mp.hermite(int(n), x / mp.sqrt(2)) * mpf(2) ** (-mpf(n) / 2)),
    ("laguerre_l", "degrees to 30", [uniform(-3, 10), degree], lambda x, n: mp.laguerre(int(n), 0, x)),
    ("legendre_p", "degrees to 30", [uniform(-1.2, 1.2), degree], lambda x, n: mp.legendre(int(n), x)),
]

print("""// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by special_reference.py: function, its arguments, value.""")
for name, range_name, draws, function in CASES:
    for _ in range(POINTS):
        x = to_float(draws[0]())
        arguments = [x]
        if len(draws) == 2:
            # Second arguments of large first ones lie about them.
            y = draws[1]() if draws[1] else x + random.uniform(-4, 4) * x ** 0.5
            arguments.append(to_float(y))
        value = function(*map(mpf, arguments))
        second = arguments[1].hex() if len(arguments) == 2 else "0"
        print(f'{{"{name}", "{range_name}", {x.hex()}, {second}, '
              f'{mp.nstr(value, 25, min_fixed=0, max_fixed=0)}L}},')
