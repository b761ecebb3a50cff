"""Products with logarithms, 0 where the factor is 0, and the entropies made of them."""

from __future__ import annotations

from math import inf, nan

from muntin.core.graph.mathematics.logarithm import log, log1p, log_of_ratio
from muntin.core.graph.mathematics.term import Term

__all__ = ["entr", "rel_entr", "xlog1py", "xlogy"]


def xlogy(x: Term, y: Term) -> Term:
    return _product(x, y, log(y))


def xlog1py(x: Term, y: Term) -> Term:
    return _product(x, y, log1p(y))


def _product(x: Term, y: Term, logarithm: Term) -> Term:
    return x.equals(0).both(y.is_nan().negated()).choose(0.0, x * logarithm)


def entr(x: Term) -> Term:
    """Return -x·log(x), 0 at 0, -inf below."""
    result = x.equals(0).choose(0.0, -(x * log(x)))
    return (x < 0).choose(-inf, result)


def rel_entr(x: Term, y: Term) -> Term:
    """Return x·log(x / y), 0 for an x of 0, infinite for negative operands."""
    result = x * log_of_ratio(x, y, x - y)
    inside = (x > 0).both(y > 0)
    border = x.equals(0).both(y >= 0).choose(result.like(0.0), inf)
    result = inside.choose(result, border)
    return x.is_nan().either(y.is_nan()).choose(nan, result)
