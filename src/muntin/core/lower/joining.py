"""Functions that join the parts of reductions, where the order makes a difference."""

from __future__ import annotations

from functools import cache

from muntin.core.graph.folds import FOLDS
from muntin.core.graph.ops import op
from muntin.core.program import (
    INDEX,
    POINTER,
    Apply,
    Builder,
    Function,
    Load,
    Parameter,
    Var,
    index,
)
from muntin.dtypes import from_name

__all__ = ["join_function", "join_name"]


def join_name(fold: str, dtype: str) -> str:
    """Return the name of the function for a fold of a type."""
    return f"join_{fold}_{dtype}"


@cache
def join_function(name: str) -> Function:
    """Return the function that `join_name` names so: (parts, count, width).

    The parts are `count` rows, a power of two, of `width` elements. Neighbours are joined, then
    neighbours of what that gives, until the first row is what all become.
    """
    _, fold, dtype_name = name.split("_")
    dtype, row = from_name(dtype_name), op(FOLDS[fold].row)
    parts, count, width = Var(POINTER, "parts"), Var(INDEX, "count"), Var(INDEX, "width")
    b = Builder()
    left = b.variable(count // index(2), "left")
    with b.repeat(left > 0):
        with b.loop("part", index(0), left) as part, b.loop("x", index(0), width) as x:
            lower = part * 2 * width + x
            pair = (Load(dtype, parts, lower), Load(dtype, parts, lower + width))
            b.store(parts, part * width + x, Apply(dtype, row, pair))
        b.set(left, left // index(2))
    parameters = (Parameter(parts, written=True), Parameter(count), Parameter(width))
    return b.function(name, parameters, shared=True)
