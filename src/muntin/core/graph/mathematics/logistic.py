"""The logistic function, its logarithm and its inverse."""

from __future__ import annotations

from muntin.core.graph.mathematics.exponential import exp
from muntin.core.graph.mathematics.logarithm import log1p, log_of_ratio
from muntin.core.graph.mathematics.term import Term

__all__ = ["expit", "log_expit", "logit"]


def expit(x: Term) -> Term:
    """Return 1 / (1 + exp(-x))."""
    small = exp(-abs(x))
    return (x < 0).choose(small, 1.0) / (small + 1.0)


def log_expit(x: Term) -> Term:
    """Return -log(1 + exp(-x))."""
    return (x < 0).choose(x, 0.0) - log1p(exp(-abs(x)))


def logit(x: Term) -> Term:
    """Return log(x / (1 - x))."""
    return log_of_ratio(x, 1.0 - x, x + x - 1.0)
