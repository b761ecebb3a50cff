"""Logarithms: x = m·2**k with m near 1, and log(m) as a series in s = (m - 1) / (m + 1)."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

from muntin.core.graph.mathematics.coefficients import LN2, LOG, LOG10_2
from muntin.core.graph.mathematics.exponential import exp
from muntin.core.graph.mathematics.parts import FORMATS, is_normal, polynomial, split, to_float
from muntin.core.graph.mathematics.term import Term

__all__ = [
    "log",
    "log10",
    "log1p",
    "log2",
    "log_of_ratio",
    "log_of_sum",
    "logaddexp",
    "near_one",
]

LOG2_E = 1.4426950408889634
LOG10_E = 0.4342944819032518
_LEAST_RATIO = {32: 2.0**-100, 64: 2.0**-1000}


def near_one(f: Term) -> Term:
    """Return log(1 + f) as f - s·(f - z·P(z)), for a 1 + f from sqrt(1/2) to sqrt(2)."""
    s = f / (f + 2.0)
    z = s * s
    return s.times(z.times(polynomial(z, LOG[f.bits]), -f), f)


def log(x: Term) -> Term:
    return _logarithm(x, lambda k, f: k.times(LN2[x.bits][0], near_one(f)))


def log2(x: Term) -> Term:
    return _logarithm(x, lambda k, f: near_one(f).times(LOG2_E, k))


def log10(x: Term) -> Term:
    high, low = LOG10_2[x.bits]
    return _logarithm(x, lambda k, f: k.times(high, k.times(low, near_one(f) * LOG10_E)))


def _logarithm(x: Term, formula: Callable[[Term, Term], Term]) -> Term:
    """Return the formula in k and m - 1 of x = m·2**k, and what it has no meaning for."""
    format = FORMATS[x.bits]
    is_rare = is_normal(x).negated()
    is_small = x < 2.0 ** (1 - format.bias)
    up = 2.0**format.fraction
    k, m = split(is_rare.rarely(is_small.choose(x * up, x), x))
    k = to_float(k, x.bits)
    k = is_rare.rarely(is_small.choose(k - format.fraction, k), k)
    result = formula(k, m - 1.0)
    return is_rare.rarely(_at_the_ends(x, result), result)


def _at_the_ends(x: Term, result: Term) -> Term:
    """Return the logarithm of 0, of negative numbers, of infinity and NaN, else the result."""
    bottom = x.equals(0).choose(x.like(-inf), nan)
    return (x > 0).choose((x < inf).choose(result, x), x.is_nan().choose(x, bottom))


def log1p(x: Term) -> Term:
    total = x + 1.0
    back = total - 1.0
    result = log_of_sum(total, (1.0 - (total - back)) + (x - back))
    return is_normal(total).negated().rarely(_at_the_ends(total, result), result.with_sign_of(x))


def log_of_sum(total: Term, lost: Term) -> Term:
    """Return log(total + lost) of a normal total and of what it lacks."""
    k, m = split(total)
    # Four times 2**-k, which may be subnormal.
    down = (total.like(4.0).as_bits() - (k << FORMATS[total.bits].fraction)).as_float()
    f = (lost * down).times(0.25, m - 1.0)
    return to_float(k, total.bits).times(LN2[total.bits][0], near_one(f))


def log_of_ratio(over: Term, under: Term, apart: Term) -> Term:
    """Return log(over / under), given over - under, which is exact where they are alike."""
    is_alike = (over > 0.5 * under).both(over < under + under)
    ratio = is_alike.choose(apart, over) / under
    total = ratio + 1.0
    back = total - 1.0
    lost = (1.0 - (total - back)) + (ratio - back)
    result = log_of_sum(is_alike.choose(total, ratio), is_alike.choose(lost, 0.0))
    is_plain = (ratio > _LEAST_RATIO[over.bits]).both(ratio < inf)
    is_rare = is_alike.either(is_plain).negated()
    return is_rare.rarely(log(over) - log(under), result)


def logaddexp(x: Term, y: Term) -> Term:
    """Return log(exp(x) + exp(y))."""
    apart = abs(x - y)
    greater = (x > y).choose(x, y)
    small = exp(-apart)
    # Of equal infinities the difference is NaN.
    small = x.equals(y).choose(small.like(1.0), small)
    return greater + log1p(small)
