"""Hyperbolic functions and their inverses, from exponentials and logarithms."""

from __future__ import annotations

from math import log, nan

from muntin.core.graph.mathematics.coefficients import SINH
from muntin.core.graph.mathematics.exponential import half_exp, half_expm1
from muntin.core.graph.mathematics.logarithm import log1p
from muntin.core.graph.mathematics.parts import polynomial
from muntin.core.graph.mathematics.term import Term

__all__ = ["acosh", "asinh", "atanh", "cosh", "sinh", "tanh"]

_FLAT = {32: 10.0, 64: 20.0}  # from here on the tangent is 1
_LARGE = {32: 2.0**60, 64: 2.0**500}  # from here on the inverses are log(2x)
LN2 = log(2)


def sinh(x: Term) -> Term:
    size = abs(x)
    half = half_exp(size)
    z = x * x
    series = (size * z).times(polynomial(z, SINH[x.bits]), size)
    return (size < 1).choose(series, half - 0.25 / half).with_sign_of(x)


def cosh(x: Term) -> Term:
    half = half_exp(abs(x))
    return half + 0.25 / half


def tanh(x: Term) -> Term:
    size = abs(x).below(_FLAT[x.bits])
    half = half_expm1(size + size)
    return (half / (half + 1.0)).with_sign_of(x)


def asinh(x: Term) -> Term:
    size = abs(x)
    square = size * size
    near = size + square / ((square + 1.0).sqrt() + 1.0)
    is_large = (size < _LARGE[x.bits]).negated()
    result = log1p(is_large.rarely(size, near))
    return is_large.rarely(result + LN2, result).with_sign_of(x)


def acosh(x: Term) -> Term:
    more = x - 1.0
    near = more + (more * (more + 2.0)).sqrt()
    is_rare = (x >= 1).both(x < _LARGE[x.bits]).negated()
    result = log1p(is_rare.rarely((x < 1).choose(nan, more), near))
    return is_rare.rarely(result + LN2, result)


def atanh(x: Term) -> Term:
    size = abs(x)
    return (0.5 * log1p((2.0 * size) / (1.0 - size))).with_sign_of(x)
