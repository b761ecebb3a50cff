"""The table of functions: a row each, with its body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muntin.core.graph.mathematics import exponential, logarithm, power, trigonometric
from muntin.core.graph.mathematics.term import Term

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """One function of floats.

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
    """

    name: str
    formula: Callable[..., Term]
    cost: float
    arity: int = 1
    zero: str = "entire"

    def body(self, builder: Any, *nodes: Any) -> Any:
        """Return the node of the result."""
        return self.formula(*[Term(builder, node) for node in nodes]).node


FUNCTIONS = (
    Function("exp", exponential.exp, 25),
    Function("exp2", exponential.exp2, 25),
    Function("expm1", exponential.expm1, 25, zero="argument"),
    Function("sigmoid", exponential.sigmoid, 30),
    Function("log", logarithm.log, 25),
    Function("log2", logarithm.log2, 25),
    Function("log10", logarithm.log10, 25),
    Function("log1p", logarithm.log1p, 30, zero="argument"),
    Function("logaddexp", logarithm.logaddexp, 60, arity=2),
    Function("power", power.power, 80, arity=2),
    Function("sin", trigonometric.sin, 30, zero="argument"),
    Function("cos", trigonometric.cos, 30),
    Function("tan", trigonometric.tan, 40, zero="argument"),
)
