"""Sine, cosine and tangent: an odd polynomial of what is left of whole turns."""

from __future__ import annotations

from muntin.core.graph.mathematics.coefficients import SIN, TAN
from muntin.core.graph.mathematics.parts import polynomial
from muntin.core.graph.mathematics.reduction import half_turns, quarter_turns, shifted_half_turns
from muntin.core.graph.mathematics.term import Term

__all__ = ["cos", "sin", "tan"]


def sin(x: Term) -> Term:
    count, rest = half_turns(abs(x))
    sign = x.as_bits() & -(1 << x.bits - 1)
    return (_turned(_sine(rest), count).as_bits() ^ sign).as_float()


def cos(x: Term) -> Term:
    """Return the cosine: as cos((n + 1/2)·pi + r) = -sin(r) for even n."""
    count, rest = shifted_half_turns(abs(x))
    return _turned(-_sine(rest), count)


def _turned(value: Term, count: Term) -> Term:
    """Return the value, or minus it where the count is odd."""
    return (value.as_bits() ^ (count << value.bits - 1)).as_float()


def _sine(rest: Term) -> Term:
    z = rest * rest
    return (rest * z).times(polynomial(z, SIN[rest.bits]), rest)


def tan(x: Term) -> Term:
    count, rest = quarter_turns(x)
    z = rest * rest
    tangent = (rest * z).times(polynomial(z, TAN[x.bits]), rest)
    is_odd = (count & 1).differs(0)
    return is_odd.choose(tangent.like(-1.0), tangent) / is_odd.choose(tangent, 1.0)
