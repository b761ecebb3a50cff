"""The table of functions: a row each, with its body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from muntin.core.graph.mathematics import exponential, logarithm
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
    Function("log", logarithm.log, 25),
)
