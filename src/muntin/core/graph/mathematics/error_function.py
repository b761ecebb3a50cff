"""The error function, its complement, and the normal distribution that is made of it."""

from __future__ import annotations

from math import nan, pi

from muntin.core.graph.mathematics.coefficients import ERF, ERFCX, LOG_ERFC
from muntin.core.graph.mathematics.exponential import power_of_two, reduced
from muntin.core.graph.mathematics.logarithm import log_of_sum
from muntin.core.graph.mathematics.parts import exact_product, polynomial
from muntin.core.graph.mathematics.term import Term

__all__ = ["erf", "erfc", "log_ndtr", "ndtr"]

_ERF_LIMIT = {32: 4.25, 64: 6.0}  # from here on it is 1
_ERFC_LIMIT = {32: 10.125, 64: 27.375}  # from here on it is 0
_NDTR_LIMIT = {32: 14.3125, 64: 38.6875}  # from here down it is 0
_MIDDLE = {32: 2.0, 64: 4.0}
_FAR = (1.0, -1.0, 3.0, -15.0, 105.0, -945.0)


def erf(x: Term) -> Term:
    """Return x·P(x**2) up to 1, from there on 1 - exp(P(x))."""
    size = abs(x).below(_ERF_LIMIT[x.bits])
    near = size.times(polynomial(size * size, ERF[x.bits]), size)
    series, shifted = reduced(polynomial(size, LOG_ERFC[x.bits]))
    far = (1.0 + series).times(-power_of_two(shifted), 1.0)
    return (size < 1).choose(near, far).with_sign_of(x)


def erfc(x: Term) -> Term:
    size = abs(x).below(_ERFC_LIMIT[x.bits])
    tail = _tail(_scale(size), size, 1.0)
    tail = (size < 0.7).choose(_one_less(size), tail)
    return (x < 0).choose(2.0 - tail, tail)


def _one_less(size: Term) -> Term:
    """Return 1 - erf(x) of an x below 1."""
    return 1.0 - size.times(polynomial(size * size, ERF[size.bits]), size)


def _scale(size: Term, unit: float = 1.0) -> Term:
    """Return exp(x**2)·erfc(x) of size = unit·x: P(t) / (2x + 1), t = (x - c) / (x + c)."""
    middle = _MIDDLE[size.bits] * unit
    slope = (size - middle) / (size + middle)
    return polynomial(slope, ERFCX[size.bits]) / size.times(2.0 / unit, 1.0)


def _tail(scale: Term, x: Term, part: float) -> Term:
    """Return scale·exp(-part·x**2), rounded once where it is subnormal."""
    square, lost = exact_product(x, x)
    series, shifted = reduced(square * -part, lost * -part)
    reserve = x.bits
    return series.times(scale, scale) * power_of_two(shifted, reserve) * 2.0**-reserve


def _half_tail(size: Term) -> tuple[Term, Term]:
    """Return the part of the normal distribution that is above x, and `scale` of `_tail`."""
    scale = 0.5 * _scale(size, 2**0.5)
    tail = _tail(scale, size, 0.5)
    return (size < 1).choose(0.5 * _one_less(size * 0.5**0.5), tail), scale


def ndtr(x: Term) -> Term:
    """Return erfc(-x / sqrt(2)) / 2."""
    tail, _ = _half_tail(abs(x).below(_NDTR_LIMIT[x.bits]))
    return (x > 0).choose(1.0 - tail, tail)


def log_ndtr(x: Term) -> Term:
    """Return log(ndtr(x)), from -1 down as a sum that does not vanish."""
    limit = _NDTR_LIMIT[x.bits]
    tail, scale = _half_tail(abs(x).below(limit))
    is_low, is_negative = x < -1, x < 0
    inverse = 1.0 / x.above(-(2.0**60))
    far = polynomial(inverse * inverse, _FAR) * inverse * -((0.5 / pi) ** 0.5)
    scale = (x < -limit).rarely(far, scale)
    total = is_low.choose(scale, is_negative.choose(tail, 1.0 - tail))
    result = log_of_sum(total, is_negative.choose(0.0, (1.0 - total) - tail))
    result = is_low.choose(result - 0.5 * x * x, result)
    return x.is_nan().choose(nan, result)
