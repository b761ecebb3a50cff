"""Powers: the logarithm and its product with the exponent in two parts each, then 2 to it.

Products are exact where one part of each factor has half of the digits.
"""

from __future__ import annotations

from math import inf, nan

from muntin.core.graph.mathematics.coefficients import LOG2_SCALE, LOG_FINE
from muntin.core.graph.mathematics.exponential import exp2_near_zero, power_of_two
from muntin.core.graph.mathematics.parts import (
    FORMATS,
    head,
    is_normal,
    polynomial,
    scaled,
    split,
    to_float,
    to_whole,
)
from muntin.core.graph.mathematics.term import Term

__all__ = ["pow", "times", "two_logarithm"]

# A result with a greater logarithm in absolute value may be subnormal or infinite.
_PLAIN = {32: 125.0, 64: 1021.0}
# One beyond these is 0 or infinite.
_LIMIT = {32: 160.0, 64: 1200.0}


def pow(x: Term, y: Term) -> Term:
    """Return x**y with the special cases of C."""
    if not x.dtype.is_float:
        return _whole_power(x, y)
    size = abs(x)
    is_odd_one = is_normal(x).negated()
    format = FORMATS[x.bits]
    is_small = size < 2.0 ** (1 - format.bias)
    up = is_small.choose(size * 2.0**format.fraction, size)
    base = is_odd_one.rarely(up, x)
    k, m = split(base)
    k = to_float(k, x.bits)
    k = is_odd_one.rarely(is_small.choose(k - format.fraction, k), k)
    high, low = times(y, *two_logarithm(k, m))
    total = high + low
    is_rare = is_odd_one.either((abs(total) < _PLAIN[x.bits]).negated())
    limit = _LIMIT[x.bits]
    held = total.above(-limit).below(limit)
    whole, shifted = to_whole(is_rare.rarely(held, total))
    rest = (high - whole) + low
    rest = is_rare.rarely((abs(total) < limit).choose(rest, 0.0), rest)
    series = 1.0 + exp2_near_zero(rest)
    plain = series * power_of_two(shifted, 0)
    return is_rare.rarely(_special(x, y, scaled(series, shifted, total < 0)), plain)


def two_logarithm(k: Term, m: Term) -> tuple[Term, Term]:
    """Return log2(m·2**k) in two parts, the first with half of the digits.

    m is from sqrt(1/2) to sqrt(2). Its logarithm is 2/3·s·(3 + s**2 + …), s = (m - 1) / (m + 1).
    """
    below, above = m - 1.0, m + 1.0
    inverse = 1.0 / above
    s = below * inverse
    s_high = head(s)
    above_high = head(above)
    above_low = m - (above_high - 1.0)
    s_low = inverse * ((below - s_high * above_high) - s_high * above_low)
    z = s * s
    rest = z * z * polynomial(z, LOG_FINE[m.bits]) + s_low * (s_high + s)
    square = s_high * s_high
    factor_high = head(3.0 + square + rest)
    factor_low = rest - ((factor_high - 3.0) - square)
    exact = s_high * factor_high
    more = s_low * factor_high + factor_low * s
    high = head(exact + more)
    low = more - (high - exact)
    scale, scale_high, scale_low = LOG2_SCALE[m.bits]
    exact = high * scale_high
    more = high * scale_low + low * scale
    high = head((exact + more) + k)
    return high, more - ((high - k) - exact)


def times(y: Term, high: Term | float, low: Term | float) -> tuple[Term, Term]:
    """Return y times what is in two parts, in two parts."""
    y_high = head(y)
    return y_high * high, (y - y_high) * high + y * low


def _special(x: Term, y: Term, result: Term) -> Term:
    """Return x**y where an operand is negative, 0, infinite or NaN, else the result."""
    size = abs(x)
    half = 0.5 * y
    is_whole = y.row("floor").equals(y)
    is_odd = is_whole.both(half.row("floor").differs(half))
    has_limit = size.equals(0).either(size.equals(inf)).either(abs(y).equals(inf))
    grows = (size > 1).row("equal", y > 0)
    result = has_limit.choose(grows.choose(result.like(inf), 0.0), result)
    is_undefined = (x < 0).both(is_whole.negated()).both(size < inf)
    result = is_undefined.choose(nan, result)
    result = is_odd.choose(result.with_sign_of(x), result)
    result = x.is_nan().either(y.is_nan()).choose(nan, result)
    is_one = y.equals(0).either(x.equals(1)).either(size.equals(1).both(abs(y).equals(inf)))
    return is_one.choose(1.0, result)


def _whole_power(x: Term, y: Term) -> Term:
    """Return x**y of integers: those of negative exponents are cut off to -1, 0 or 1."""
    low, high = y.builder.interval(y.node)
    result, square = x.like(1), x
    for place in range(high.bit_length()):
        result = (y & (1 << place)).differs(0).choose(result * square, result)
        square = square * square
    if low < 0:
        sign = (y & 1).equals(0).choose(x * x, x)
        inverse = (x.equals(1).either(x.equals(-1))).choose(sign, 0)
        result = (y < 0).choose(inverse, result)
    return result
