"""Ranges: the integers that every node can take, found forwards from the operands.

What may change without compiling (inputs, scalars, sizes) counts as the whole type.
"""

from __future__ import annotations

from collections.abc import Mapping

from muntin.core.graph.intervals import Interval
from muntin.core.graph.node import Node
from muntin.dtypes import DType
from muntin.errors import InternalError

__all__ = ["interval_of", "whole_type"]


def whole_type(dtype: DType) -> Interval:
    """Return the least and the greatest value of an integer or boolean type."""
    if dtype.is_float:
        raise InternalError(f"ranges: {dtype} is a floating type; only integers have an interval")
    return dtype.least, dtype.greatest


def interval_of(node: Node, known: Mapping[Node, Interval]) -> Interval:
    """Return the interval of one integer or boolean node, given those of its operands.

    An operand that is not known counts as the whole type.
    """
    whole = whole_type(node.dtype)
    kind = node.op.kind
    if kind == "constant":
        return int(node.payload), int(node.payload)
    if kind == "index":
        return 0, whole[1]
    if kind in ("fold", "combine", "scan", "matmul"):
        return whole
    if not node.args or any(arg.dtype.is_float for arg in node.args):
        return whole
    args = tuple([known.get(arg) or whole_type(arg.dtype) for arg in node.args])
    if kind in ("view", "keep", "neighbour"):
        return min(low for low, _ in args), max(high for _, high in args)
    if kind == "window_sum":
        first, last, _ = node.params
        count = sum(last) - sum(first) + 1
        low, high = min(low for low, _ in args) * count, max(high for _, high in args) * count
        return (low, high) if whole[0] <= low and high <= whole[1] else whole
    if node.op.name == "cast":
        return _cast(node, args[0])
    if node.op.interval is None:
        return whole
    low, high = node.op.interval(node.dtype, args)
    return (low, high) if whole[0] <= low and high <= whole[1] else whole


def _cast(node: Node, interval: Interval) -> Interval:
    low, high = interval
    least, greatest = whole_type(node.dtype)
    if node.dtype.is_bool:
        return int(low > 0 or high < 0), int(low != 0 or high != 0)
    if node.params:
        return min(max(low, least), greatest), min(max(high, least), greatest)
    return (low, high) if least <= low and high <= greatest else (least, greatest)
