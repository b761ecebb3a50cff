"""Powers: the logarithm and its product with the exponent in two parts each, then 2 to it."""

from __future__ import annotations

from math import inf, nan

from muntin.core.graph.mathematics.coefficients import (
    LOG2_SCALE,
    LOG2_SINGLE,
    LOG2_SINGLE_SCALE,
    LOG_FINE,
)
from muntin.core.graph.mathematics.exponential import exp2_near_zero, power_of_two
from muntin.core.graph.mathematics.parts import (
    FORMATS,
    exact_product,
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
# A greater exponent gives what this one does, but for the sign.
_EXPONENT = {32: 2.0**40, 64: 2.0**80}


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
    logarithm = two_logarithm(k, m)
    high, low = times(*logarithm, y)
    total = high + low
    is_rare = is_odd_one.either((abs(total) < _PLAIN[x.bits]).negated())
    # There, a total that may not even be a number is held.
    bound, limit = _EXPONENT[x.bits], _LIMIT[x.bits]
    held_high, held_low = times(*logarithm, y.above(-bound).below(bound))
    held = held_high + held_low
    is_inside = abs(held) < limit
    high, low = is_rare.rarely(held_high, high), is_rare.rarely(held_low, low)
    total = is_rare.rarely(held.above(-limit).below(limit), total)
    whole, shifted = to_whole(total, moved=format.bias)
    rest = (high - whole) + low
    series = exp2_near_zero(is_rare.rarely(is_inside.choose(rest, 0.0), rest))
    plain = series * power_of_two(shifted)
    return is_rare.rarely(_special(x, y, scaled(series, shifted, held < 0)), plain)


def two_logarithm(k: Term, m: Term) -> tuple[Term, Term]:
    """Return log2(m·2**k) in two parts, of which the second may be some hundredths.

    m is from sqrt(1/2) to sqrt(2). Its logarithm is 2·s + s**3·P(s**2), s = (m - 1) / (m + 1).
    """
    f = m - 1.0
    inverse = 1.0 / (f + 2.0)
    s = f * inverse
    # What it lacks; f and 2·s are so near that their difference is exact.
    s_low = inverse * s.times(-f, s.times(-2.0, f))
    high, low = _single(s, s_low) if m.bits == 32 else _double(s, s_low)
    total = k + high
    return total, (high - (total - k)) + low


def _single(s: Term, s_low: Term) -> tuple[Term, Term]:
    """Return log2(m) as a main term that is in two parts, and a rest that is rounded."""
    z = s * s
    # What s lacks moves its cube too.
    high, low = times(s, s_low.times(z, s_low), *LOG2_SINGLE_SCALE[s.bits])
    return high, (s * z).times(polynomial(z, LOG2_SINGLE[s.bits]), low)


def _double(s: Term, s_low: Term) -> tuple[Term, Term]:
    """Return log2(m) as 2/3·s·(3 + s**2 + …) / log(2), where s**2 too is in two parts."""
    z, z_low = exact_product(s, s)
    z_low = (s + s).times(s_low, z_low)
    factor = z + 3.0
    factor_low = (z - (factor - 3.0)) + (z * z).times(polynomial(z, LOG_FINE[s.bits]), z_low)
    high, low = exact_product(s, factor)
    low = s.times(factor_low, s_low.times(factor, low))
    return times(high, low, *LOG2_SCALE[s.bits])


def times(
    high: Term, low: Term, other: Term | float, other_low: Term | float = 0.0
) -> tuple[Term, Term]:
    """Return the product of numbers in two parts, in two parts."""
    product, lost = exact_product(high, other)
    if other_low != 0:
        lost = high.times(other_low, lost)
    return product, low.times(other, lost)


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
