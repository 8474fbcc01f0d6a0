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
