"""The error function and its complement."""

from __future__ import annotations

from muntin.core.graph.mathematics.coefficients import ERF, ERFCX, LOG_ERFC
from muntin.core.graph.mathematics.exponential import power_of_two, reduced
from muntin.core.graph.mathematics.parts import head, polynomial
from muntin.core.graph.mathematics.term import Term

__all__ = ["erf", "erfc"]

_ERF_LIMIT = {32: 4.25, 64: 6.0}  # from here on it is 1
_ERFC_LIMIT = {32: 10.125, 64: 27.375}  # from here on it is 0
_MIDDLE = {32: 2.0, 64: 4.0}


def erf(x: Term) -> Term:
    """Return x·P(x**2) up to 1, from there on 1 - exp(P(x))."""
    size = abs(x).below(_ERF_LIMIT[x.bits])
    near = size + size * polynomial(size * size, ERF[x.bits])
    series, shifted = reduced(polynomial(size, LOG_ERFC[x.bits]))
    far = 1.0 - (1.0 + series) * power_of_two(shifted, 0)
    return (size < 1).choose(near, far).with_sign_of(x)


def erfc(x: Term) -> Term:
    """Return exp(-x**2)·P(t) / (2x + 1), t = (x - c) / (x + c), or for x < 0 the rest of 2."""
    size = abs(x).below(_ERFC_LIMIT[x.bits])
    middle = _MIDDLE[x.bits]
    scale = polynomial((size - middle) / (size + middle), ERFCX[x.bits])
    high = head(size)
    series, shifted = reduced(-(high * high), (high - size) * (high + size))
    reserve = x.bits
    power = power_of_two(shifted, reserve)
    tail = (1.0 + series) * (scale / (size + size + 1.0)) * power * 2.0**-reserve
    return (x < 0).choose(2.0 - tail, tail)
