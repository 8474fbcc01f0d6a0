# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What accuracy.py uses of python-flint, on mpmath."""
import types

import mpmath
from mpmath import mp

__version__ = mpmath.__version__
ctx = types.SimpleNamespace(prec=200)


class arb:
    """A real number of 240 bits, with the methods that flint's has."""

    def __init__(self, value):
        mp.prec = 240
        if isinstance(value, mp.mpc):
            raise ValueError("not a real number")
        self.v = value.v if isinstance(value, arb) else mp.mpf(value)

    @staticmethod
    def pi():
        return arb(+mp.pi)

    @staticmethod
    def atan2(y, x):
        return arb(mp.atan2(y.v, x.v))

    def is_finite(self):
        return bool(mp.isfinite(self.v))

    def is_nan(self):
        return bool(mp.isnan(self.v))

    def is_zero(self):
        return self.v == 0

    def is_integer(self):
        return bool(mp.isint(self.v))

    def unique_fmpz(self):
        return int(self.v)

    def rel_accuracy_bits(self):
        return 200

    def mid(self):
        return self

    def erfcinv(self):
        with mp.workprec(2400):
            return arb(mp.erfinv(1 - self.v))

    def bessel_i(self, order):
        return arb(mp.besseli(order, self.v))

    def zeta(self, q):
        return arb(mp.zeta(self.v, q.v))

    def gamma_lower(self, a, regularized):
        return arb(mp.gammainc(a.v, 0, self.v, regularized=bool(regularized)))

    def gamma_upper(self, a, regularized):
        return arb(mp.gammainc(a.v, self.v, mp.inf, regularized=bool(regularized)))

    def rsqrt(self):
        return arb(1 / mp.sqrt(self.v))

    def lgamma(self):
        return arb(mp.loggamma(self.v))

    def __float__(self):
        return float(self.v)

    def __neg__(self):
        return arb(-self.v)

    def __abs__(self):
        return arb(abs(self.v))

    def __pow__(self, other):
        return arb(self.v ** (other.v if isinstance(other, arb) else other))

    def __rpow__(self, other):
        return arb(mp.mpf(other) ** self.v)


def _add_functions():
    def real(function):
        def method(self):
            return arb(function(self.v))
        return method

    for name in ("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
                 "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "sqrt", "digamma"):
        setattr(arb, name, real(getattr(mp, name)))

    def operator(function):
        def forward(self, other):
            return arb(function(self.v, other.v if isinstance(other, arb) else mp.mpf(other)))

        def backward(self, other):
            return arb(function(mp.mpf(other), self.v))
        return forward, backward

    for name, function in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y),
                           ("mul", lambda x, y: x * y), ("truediv", lambda x, y: x / y)):
        forward, backward = operator(function)
        setattr(arb, f"__{name}__", forward)
        setattr(arb, f"__r{name}__", backward)
    for name in ("lt", "le", "gt", "ge", "eq"):
        def compare(self, other, name=name):
            return bool(getattr(self.v, f"__{name}__")(other.v if isinstance(other, arb) else mp.mpf(other)))
        setattr(arb, f"__{name}__", compare)


_add_functions()
