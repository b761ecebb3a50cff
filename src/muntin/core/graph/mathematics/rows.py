"""The table of functions: a row each, with its body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muntin.core.graph.mathematics import (
    arc,
    beta,
    entropy,
    error_function,
    exponential,
    gamma,
    hyperbolic,
    logarithm,
    logistic,
    power,
    roots,
    trigonometric,
)
from muntin.core.graph.mathematics.term import Term

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Attributes
    ----------
    formula
        Its body, written over terms.
    cost
        Work relative to one addition.
    arity
        The number of operands.
    zero
        How the diagonals of the result follow: "argument" where 0 gives 0.
    rule
        How its types follow from those of its operands (see `infer`).
    """

    name: str
    formula: Callable[..., Term]
    cost: float
    arity: int = 1
    zero: str = "entire"
    rule: str = "floating"

    def body(self, builder: Any, *nodes: Any) -> Any:
        """Return the node of the result."""
        return self.formula(*[Term(builder, node) for node in nodes]).node


FUNCTIONS = (
    Function("exp", exponential.exp, 25),
    Function("exp2", exponential.exp2, 25),
    Function("expm1", exponential.expm1, 25, zero="argument"),
    Function("log", logarithm.log, 25),
    Function("log2", logarithm.log2, 25),
    Function("log10", logarithm.log10, 25),
    Function("log1p", logarithm.log1p, 30, zero="argument"),
    Function("logaddexp", logarithm.logaddexp, 60, arity=2),
    Function("pow", power.pow, 80, arity=2, rule="promote_number"),
    Function("sin", trigonometric.sin, 30, zero="argument"),
    Function("cos", trigonometric.cos, 30),
    Function("tan", trigonometric.tan, 40, zero="argument"),
    Function("asin", arc.asin, 40, zero="argument"),
    Function("acos", arc.acos, 40),
    Function("atan", arc.atan, 35, zero="argument"),
    Function("atan2", arc.atan2, 45, arity=2),
    Function("sinh", hyperbolic.sinh, 45, zero="argument"),
    Function("cosh", hyperbolic.cosh, 35),
    Function("tanh", hyperbolic.tanh, 40, zero="argument"),
    Function("asinh", hyperbolic.asinh, 60, zero="argument"),
    Function("acosh", hyperbolic.acosh, 55),
    Function("atanh", hyperbolic.atanh, 45, zero="argument"),
    Function("rsqrt", roots.rsqrt, 12),
    Function("cbrt", roots.cbrt, 45, zero="argument"),
    Function("hypot", roots.hypot, 15, arity=2, zero="union"),
    Function("sinc", roots.sinc, 30),
    Function("deg2rad", roots.deg2rad, 1, zero="argument"),
    Function("rad2deg", roots.rad2deg, 1, zero="argument"),
    Function("erf", error_function.erf, 70, zero="argument"),
    Function("erfc", error_function.erfc, 70),
    Function("gamma", gamma.gamma, 190),
    Function("lgamma", gamma.lgamma, 190),
    Function("digamma", gamma.digamma, 120),
    Function("beta", beta.beta, 190, arity=2),
    Function("betaln", beta.betaln, 165, arity=2),
    Function("expit", logistic.expit, 30),
    Function("log_expit", logistic.log_expit, 60),
    Function("logit", logistic.logit, 35),
    Function("xlogy", entropy.xlogy, 30, arity=2),
    Function("xlog1py", entropy.xlog1py, 35, arity=2),
    Function("entr", entropy.entr, 30, zero="argument"),
    Function("rel_entr", entropy.rel_entr, 40, arity=2),
    Function("ndtr", error_function.ndtr, 70),
    Function("log_ndtr", error_function.log_ndtr, 100),
)
