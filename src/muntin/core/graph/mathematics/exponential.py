"""Powers of e and of 2: a power of two times a polynomial."""

from __future__ import annotations

from muntin.core.graph.mathematics.coefficients import EXP, EXP2, LN2
from muntin.core.graph.mathematics.parts import FORMATS, polynomial, scaled, to_whole
from muntin.core.graph.mathematics.term import Term

__all__ = [
    "LOG2_E",
    "exp",
    "exp2",
    "exp2_near_zero",
    "expm1",
    "half_exp",
    "power_of_two",
    "reduced",
]

LOG2_E = 1.4426950408889634
# Below and above these the results are 0 (-1 for expm1) and infinite.
_EXP = {32: (-104.0, 89.0), 64: (-746.0, 710.0)}
_EXP2 = {32: (-151.0, 129.0), 64: (-1076.0, 1025.0)}
_EXPM1 = {32: (-18.0, 89.0), 64: (-38.0, 710.0)}
_HALF_EXP = {32: 90.0, 64: 711.0}


def reduced(x: Term, more: Term | None = None) -> tuple[Term, Term]:
    """Return exp(r) - 1 and the n in the low bits of a float, of x + more = n·log(2) + r.

    `more` is small.
    """
    first, second = LN2[x.bits]
    whole, shifted = to_whole(x * LOG2_E)
    rest = (x - whole * first) - whole * second
    if more is not None:
        rest = rest + more
    return rest + rest * rest * polynomial(rest, EXP[x.bits]), shifted


def exp(x: Term) -> Term:
    low, high = _EXP[x.bits]
    x = x.above(low).below(high)
    series, shifted = reduced(x)
    return scaled(1.0 + series, shifted, x < 0)


def exp2(x: Term) -> Term:
    low, high = _EXP2[x.bits]
    x = x.above(low).below(high)
    whole, shifted = to_whole(x)
    return scaled(1.0 + exp2_near_zero(x - whole), shifted, x < 0)


def exp2_near_zero(x: Term) -> Term:
    """Return 2**x - 1 of an x from -1/2 to 1/2."""
    return x * polynomial(x, EXP2[x.bits])


def expm1(x: Term) -> Term:
    low, high = _EXPM1[x.bits]
    series, shifted = reduced(x.above(low).below(high))
    half = power_of_two(shifted, -1)
    # Twice what is halved: the greatest power of two alone would be infinite.
    return (2.0 * (half * series + (half - 0.5))).with_sign_of(x)


def half_exp(x: Term) -> Term:
    """Return exp(x) / 2 of an x that is not negative: infinite later than exp(x)."""
    series, shifted = reduced(x.below(_HALF_EXP[x.bits]))
    reserve = x.bits
    return (1.0 + series) * power_of_two(shifted, -reserve) * 2.0 ** (reserve - 1)


def power_of_two(shifted: Term, more: int) -> Term:
    """Return 2**(n + more), a normal number, for the n in the low bits of a float."""
    format = FORMATS[shifted.bits]
    power = (shifted.as_bits() << format.fraction) + ((format.bias + more) << format.fraction)
    return power.as_float()
