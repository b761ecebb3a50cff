"""Comparisons that are exact where the common type is not: numbers out of range, mixed signs."""

from __future__ import annotations

from muntin.array.tracing import TracedInt
from muntin.core.graph.build import Operand, cast, elementwise
from muntin.core.graph.node import Node
from muntin.dtypes import DTYPES
from muntin.errors import RangeError

__all__ = ["compare"]

_MIRRORED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
_TRUE_OF_A_LARGER_NUMBER = ("not_equal", "less", "less_equal")
_TRUE_OF_A_SMALLER_NUMBER = ("not_equal", "greater", "greater_equal")
_UINT64, _INT64 = DTYPES["uint64"], DTYPES["int64"]


def compare(name: str, a: Operand, b: Operand) -> Node:
    """Return the node of a comparison, with NumPy's answer for every pair of types."""
    if not isinstance(a, Node):
        if not isinstance(b, Node):
            return elementwise(name, a, b)
        name, a, b = _MIRRORED[name], b, a
    if not isinstance(b, Node):
        return _with_number(name, a, b)
    if a.dtype is _UINT64 and b.dtype.kind == "i":
        return _unsigned_with_signed(name, a, b)
    if b.dtype is _UINT64 and a.dtype.kind == "i":
        return _unsigned_with_signed(_MIRRORED[name], b, a)
    return elementwise(name, a, b)


def _with_number(name: str, x: Node, number: int | float) -> Node:
    row = _INT64 if x.dtype.is_bool else x.dtype
    if row.is_float or isinstance(number, float) or row.least <= number <= row.greatest:
        return elementwise(name, x, number)
    if isinstance(number, TracedInt):  # another call may bring a number in range
        raise RangeError(f"{name}: the number {int(number)} does not fit in {row}")
    x = cast(x, row)
    known = _TRUE_OF_A_LARGER_NUMBER if number > row.greatest else _TRUE_OF_A_SMALLER_NUMBER
    return elementwise("less_equal" if name in known else "greater", x, row.greatest)


def _unsigned_with_signed(name: str, x: Node, y: Node) -> Node:
    answer = elementwise(name, x, cast(y, _UINT64))
    if name in _TRUE_OF_A_SMALLER_NUMBER:
        return elementwise("logical_or", elementwise("less", y, 0), answer)
    return elementwise("logical_and", elementwise("greater_equal", y, 0), answer)
