"""Logarithms: x = m·2**k with m near 1, and log(m) as a series in s = (m - 1) / (m + 1)."""

from __future__ import annotations

from math import inf, nan

from muntin.core.graph.mathematics.coefficients import LN2, LOG
from muntin.core.graph.mathematics.parts import (
    FORMATS,
    is_normal,
    polynomial,
    split,
    to_float,
)
from muntin.core.graph.mathematics.term import Term


def log(x: Term) -> Term:
    fraction = FORMATS[x.bits].fraction
    is_rare = is_normal(x).negated()
    is_tiny = x < 2.0 ** (2 - FORMATS[x.bits].bias)
    y = is_rare.rarely(is_tiny.choose(x * 2.0**fraction, x), x)
    k, m = split(y)
    whole = to_float(k, x.bits)
    whole = is_rare.rarely(is_tiny.choose(whole - fraction, whole), whole)
    high, low = LN2[x.bits]
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    square = 0.5 * (f * f)
    series = z * polynomial(z, LOG[x.bits])
    result = whole * high + (f - (square - (s * (square + series) + whole * low)))
    special = (x > 0).choose(x, x.equals(0).choose(x.like(-inf), nan))
    return is_rare.rarely((x > 0).both(x < inf).choose(result, special), result)
