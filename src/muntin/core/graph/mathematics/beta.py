"""The beta function of positive numbers, gamma(p)·gamma(q) / gamma(p + q), and its logarithm.

Of p and q, the greater is at least 5/2: else it is moved up by 3, as B(p, q) is B(p, q + 1)·(p + q)
/ q. Then Stirling's formula for gamma(q) and gamma(p + q) leaves no terms that cancel.
"""

from __future__ import annotations

from math import inf, nan

from muntin.core.graph.mathematics.coefficients import HALF_LOG_2PI, LGAMMA_FAR
from muntin.core.graph.mathematics.exponential import exp
from muntin.core.graph.mathematics.gamma import FAR, lgamma_near
from muntin.core.graph.mathematics.logarithm import log, log1p
from muntin.core.graph.mathematics.parts import polynomial
from muntin.core.graph.mathematics.term import Term

__all__ = ["beta", "betaln"]


def beta(x: Term, y: Term) -> Term:
    return exp(betaln(x, y))


def betaln(x: Term, y: Term) -> Term:
    is_greater = x > y
    p, q = is_greater.choose(y, x), is_greater.choose(x, y)
    is_small, is_far = q < FAR, p >= FAR
    total = p + q
    over = is_small.choose(total * (total + 1.0) * (total + 2.0), 1.0)
    under = is_small.choose(q * (q + 1.0) * (q + 2.0), 1.0)
    q = is_small.choose(q + 3.0, q)
    total = p + q
    slope = p / q
    start = p - 0.5
    # What depends on p alone, but for its own logarithm.
    near = p.times(-log(q), lgamma_near(p) + p)
    far = log(q).times(-0.5, _series(p.above(FAR)) + HALF_LOG_2PI[p.bits][0])
    more = log(is_far.choose(slope, (p < 1).choose(p, 1.0)))
    base = is_far.choose(start * more + far, near - more)
    result = base - (q + start) * log1p(slope) + (_series(q) - _series(total))
    return _at_the_ends(p, q, result + log(over / under))


def _series(x: Term) -> Term:
    """Return what Stirling's formula adds to log(gamma(x))."""
    w = 1.0 / x
    return w * polynomial(w, LGAMMA_FAR[x.bits])


def _at_the_ends(p: Term, q: Term, result: Term) -> Term:
    """Return the logarithm for zeros, infinities, negative numbers and NaN, else the result."""
    result = q.equals(inf).choose(-inf, result)
    result = p.equals(0).choose(q.equals(inf).choose(result.like(nan), inf), result)
    return (p >= 0).both(q >= 0).choose(result, nan)
