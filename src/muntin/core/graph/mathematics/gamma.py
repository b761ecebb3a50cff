"""The gamma function, its logarithm and the derivative of that.

From 5/2 on they follow Stirling's formula with a polynomial in 1/x for its series; below, a
polynomial of the gamma function from 1 to 5/2 and x·gamma(x) = gamma(x + 1). Negative operands are
reflected: gamma(-x)·gamma(x) = -pi / (x·sin(pi·x)).
"""

from __future__ import annotations

from math import inf, nan, pi

from muntin.core.graph.mathematics.coefficients import (
    DIGAMMA,
    DIGAMMA_FAR,
    DIGAMMA_ZERO,
    HALF_LOG2_2PI,
    HALF_LOG_2PI,
    LGAMMA,
    LGAMMA_FAR,
    LN2,
    LOG2_E_PARTS,
    RECIPROCAL_GAMMA,
    SIN_PI,
    TAN_PI,
)
from muntin.core.graph.mathematics.exponential import LOG2_E, exp2_near_zero
from muntin.core.graph.mathematics.logarithm import log as log_of
from muntin.core.graph.mathematics.parts import (
    FORMATS,
    exact_product,
    exact_sum,
    polynomial,
    scaled,
    split,
    to_float,
    to_whole,
)
from muntin.core.graph.mathematics.power import times, two_logarithm
from muntin.core.graph.mathematics.term import Term

__all__ = ["FAR", "digamma", "gamma", "lgamma", "lgamma_near"]

FAR = 2.5
_LIMIT = {32: 45.0, 64: 190.0}  # from here on gamma is infinite, and of -x it is 0
_HUGE = 2.0**60


def gamma(x: Term) -> Term:
    size = abs(x)
    is_far, is_negative, is_below = size >= FAR, x < 0, size < 1
    sine, is_pole = _sine_of_half_turns(size)
    # Near: the reciprocal of that of size + 1 or of size.
    rest = is_below.choose(size, size - 1.0)
    reciprocal = 1.0 + rest * (rest - 1.0) * polynomial(rest - 0.75, RECIPROCAL_GAMMA[x.bits])
    # Far: a power of two.
    far = size.below(_LIMIT[x.bits])
    logarithm = _logarithm(far)
    high, low = _stirling(far, logarithm)
    # Of -x it is the reciprocal of gamma(x)·x that is needed.
    high, lost = exact_sum(high, is_negative.choose(logarithm[0], 0.0))
    low = low + (lost + is_negative.choose(logarithm[1], 0.0))
    half, tail = HALF_LOG2_2PI[x.bits]
    w = 1.0 / far
    series = w * polynomial(w, LGAMMA_FAR[x.bits]) * LOG2_E
    high, lost = exact_sum(high, high.like(half))
    low = low + (lost + (series + tail))
    high, low = exact_sum(high, low)
    high, low = is_negative.choose(-high, high), is_negative.choose(-low, low)
    format = FORMATS[x.bits]
    whole, shifted = to_whole(high, moved=format.bias)
    power = exp2_near_zero((high - whole) + low)
    # One quotient for all.
    turned = is_below.either(is_far).choose(sine, size * sine)
    over = is_far.choose(power, is_negative.choose(reciprocal, 1.0))
    positive = is_far.choose(power.like(1.0), is_below.choose(x, 1.0) * reciprocal)
    ratio = over / is_negative.choose(-turned, positive)
    shifted = is_far.choose(shifted, format.shifter + format.bias)
    result = scaled(ratio, shifted, is_far.both(is_negative))
    return is_negative.both(is_pole).choose(nan, result)


def _logarithm(x: Term) -> tuple[Term, Term]:
    """Return log2(x) in two parts."""
    k, m = split(x)
    return two_logarithm(to_float(k, x.bits), m)


def _stirling(x: Term, logarithm: tuple[Term, Term]) -> tuple[Term, Term]:
    """Return log2 of x**(x - 1/2)·exp(-x) in two parts, given that of x."""
    powers, more = times(*logarithm, x - 0.5)
    minus, less = exact_product(x, LOG2_E_PARTS[x.bits][0])
    less = x.times(LOG2_E_PARTS[x.bits][1], less)
    high, lost = exact_sum(powers, -minus)
    return high, lost + (more - less)


def _sine_of_half_turns(size: Term) -> tuple[Term, Term]:
    """Return sin(pi·x) / pi, and whether x is a whole number, so that it is 0."""
    whole = size.row("round")
    half = 0.5 * whole
    is_odd = half.row("floor").differs(half)
    rest = size - whole
    z = rest * rest
    sine = (rest * z).times(polynomial(z, SIN_PI[size.bits]), rest)
    return is_odd.choose(-sine, sine), rest.equals(0)


def lgamma(x: Term) -> Term:
    """Return log(|gamma(x)|)."""
    size = abs(x)
    is_negative = x < 0
    is_far = size >= FAR
    is_below = size < 1
    near = lgamma_near(size)
    is_huge = (size < _HUGE).negated()
    held = is_huge.rarely(size.below(_HUGE), size)
    high, low = _stirling(held, _logarithm(held))
    w = 1.0 / held
    start, tail = HALF_LOG_2PI[x.bits]
    powers, more = times(high, low, *LN2[x.bits])
    series = w * polynomial(w, LGAMMA_FAR[x.bits]) + tail
    far = (powers + start) + (more + series)
    far = is_huge.rarely(size * (log_of(size) - 1.0), far)
    base = is_far.choose(far, near)
    sine, is_pole = _sine_of_half_turns(size)
    sine = abs(sine)
    factor = is_negative.choose(is_below.choose(sine, size * sine), is_below.choose(size, 1.0))
    result = (0.0 - log_of(factor)) + is_negative.choose(-base, base)
    return size.equals(inf).either(is_negative.both(is_pole)).choose(inf, result)


def lgamma_near(size: Term) -> Term:
    """Return log(gamma(x)) of an x from 1 to 5/2, and of x + 1 for an x below 1."""
    rest = (size < 1).choose(size, size - 1.0)
    return rest * (rest - 1.0) * polynomial(rest - 0.75, LGAMMA[size.bits])


def digamma(x: Term) -> Term:
    """Return the derivative of log(gamma(x))."""
    size = abs(x)
    is_negative = x < 0
    is_far = size >= FAR
    is_below = size < 1
    rest = is_below.choose(size, size - 1.0)
    high, low = DIGAMMA_ZERO[x.bits]
    near = ((rest - high) - low) * polynomial(rest - 0.75, DIGAMMA[x.bits])
    inverse = 1.0 / size
    held = size.above(FAR)
    w = 1.0 / held
    z = w * w
    far = log_of(held) - (0.5 * w + z * polynomial(z, DIGAMMA_FAR[x.bits]))
    base = is_far.choose(far, near)
    # That of size from 1 on, of size + 1 below.
    turned, is_pole = _cotangent_of_half_turns(size)
    positive = base - is_below.choose(1.0 / x, 0.0)
    negative = base + is_below.choose(inverse.like(0.0), inverse) + turned
    result = is_negative.choose(negative, positive)
    return is_negative.both(is_pole).choose(nan, result)


def _cotangent_of_half_turns(size: Term) -> tuple[Term, Term]:
    """Return pi / tan(pi·x), and whether x is a whole number."""
    rest = size - size.row("round")
    over = abs(rest)
    is_steep = over > 0.25
    part = is_steep.choose(0.5 - over, over)
    z = part * part
    tangent = (part * z).times(polynomial(z, TAN_PI[size.bits]), part)
    result = is_steep.choose(tangent * pi**2, 1.0 / tangent)
    return result.with_sign_of(rest), rest.equals(0)
