"""Powers of e and of 2: a power of two times a polynomial.

A large power of two is the square of one that no operand takes out of range, so that a result is
rounded once where it is subnormal, and infinite where it has to be, without any choice.
"""

from __future__ import annotations

from muntin.core.graph.mathematics.coefficients import EXP, EXP2, EXP2_WIDE, EXP_WIDE, LN2
from muntin.core.graph.mathematics.parts import FORMATS, polynomial, to_whole
from muntin.core.graph.mathematics.term import Term

__all__ = [
    "LOG2_E",
    "exp",
    "exp2",
    "exp2_near_zero",
    "expm1",
    "half_exp",
    "half_expm1",
    "power_of_two",
    "reduced",
]

LOG2_E = 1.4426950408889634
# Below and above these the results are 0 (-1 for expm1) and infinite.
_EXP = {32: 150.0, 64: 1300.0}
_EXP2 = {32: 200.0, 64: 1900.0}
_EXPM1 = {32: (-18.0, 89.0), 64: (-38.0, 710.0)}


def reduced(x: Term, more: Term | None = None) -> tuple[Term, Term]:
    """Return exp(r) - 1 and the n in the low bits of a float, of x + more = n·log(2) + r.

    `more` is small. The n is moved by the bias of exponents: see `power_of_two`.
    """
    high, low = LN2[x.bits]
    whole, shifted = to_whole(x, LOG2_E, FORMATS[x.bits].bias)
    rest = whole.times(-low, whole.times(-high, x))
    if more is not None:
        rest = rest + more
    return (rest * rest).times(polynomial(rest, EXP[x.bits]), rest), shifted


def power_of_two(shifted: Term, more: int = 0) -> Term:
    """Return 2**(n + more), a normal number, for an n that is moved by the bias of exponents."""
    fraction = FORMATS[shifted.bits].fraction
    power = shifted.as_bits() << fraction
    return (power + (more << fraction) if more else power).as_float()


def _exp(x: Term) -> tuple[Term, Term]:
    """Return two numbers: exp(x) is the first times the square of the second."""
    high, low = LN2[x.bits]
    half, shifted = to_whole(x, LOG2_E / 2, FORMATS[x.bits].bias)
    rest = half.times(-2 * low, half.times(-2 * high, x))
    return polynomial(rest, (1.0, 1.0, *EXP_WIDE[x.bits])), power_of_two(shifted)


def exp(x: Term) -> Term:
    limit = _EXP[x.bits]
    value, root = _exp(x.above(-limit).below(limit))
    return value * root * root


def half_exp(x: Term) -> Term:
    """Return exp(x) / 2 of an x that is not negative: infinite later than exp(x)."""
    value, root = _exp(x.below(_EXP[x.bits]))
    return value * root * (root * 0.5)


def exp2(x: Term) -> Term:
    limit = _EXP2[x.bits]
    x = x.above(-limit).below(limit)
    half, shifted = to_whole(x, 0.5, FORMATS[x.bits].bias)
    rest = half.times(-2.0, x)
    root = power_of_two(shifted)
    return polynomial(rest, (1.0, *EXP2_WIDE[x.bits])) * root * root


def exp2_near_zero(x: Term) -> Term:
    """Return 2**x of an x from -1/2 to 1/2."""
    return polynomial(x, (1.0, *EXP2[x.bits]))


def expm1(x: Term) -> Term:
    low, high = _EXPM1[x.bits]
    # Twice what is halved: the greatest power of two alone would be infinite.
    half = half_expm1(x.above(low).below(high))
    return (half + half).with_sign_of(x)


def half_expm1(x: Term) -> Term:
    """Return (exp(x) - 1) / 2 of an x that is not large."""
    series, shifted = reduced(x)
    half = power_of_two(shifted, -1)
    return half.times(series, half - 0.5)
