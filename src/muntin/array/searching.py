"""Places in sorted arrays."""

from __future__ import annotations

from typing import Any, Literal, get_args

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import common_device
from muntin.array.taking import take
from muntin.core.graph.build import broadcast_to, cast, elementwise, scalar
from muntin.core.graph.gathering import gather
from muntin.core.graph.node import Node
from muntin.dtypes import DTYPES, promote
from muntin.errors import ParameterError, ShapeError

__all__ = ["searchsorted"]

_INT64 = DTYPES["int64"]
_Side = Literal["left", "right"]


def searchsorted(x1: Any, x2: Any, /, *, side: _Side = "left", sorter: Any | None = None) -> Array:
    """Return where numbers would be inserted into a sorted array to keep it sorted.

    Parameters
    ----------
    x1 : array_like
        A sorted array of one axis, NaN last; one that is not sorted gives places without meaning.
    x2 : array_like
        The numbers, of any shape.
    side : {"left", "right"}
        Whether a number is inserted before the elements that equal it, or after them.
    sorter : array_like of int, optional
        Indices that sort x1.

    Returns
    -------
    Array
        Places from 0 to the length of x1, int64, in the shape of x2.

    Raises
    ------
    ShapeError
        If x1 has not one axis.
    ParameterError
        If there is no such side.
    BoundsError
        If an index of the sorter is out of bounds: when the result is computed.

    Notes
    -----
    Numbers are compared in the common type of both. Each step of the search reads one element for
    each number: all steps are one kernel.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.searchsorted(np.array([1, 2, 2, 5]), np.array([2, 0, 9])))
    array([1, 0, 4])
    """
    if side not in get_args(_Side):
        raise ParameterError(f"searchsorted: side is {side!r}; it is 'left' or 'right'")
    table, numbers = asarray(x1), asarray(x2)
    if table.ndim != 1:
        raise ShapeError(
            f"searchsorted: the sorted array has shape {table.shape}; give one of one axis"
        )
    if sorter is not None:
        table = take(table, sorter, axis=0)
    found = _places(table._node, numbers._node, after=side == "right")
    return Array(found, common_device("searchsorted", (x1, x2, sorter)))


def _places(table: Node, numbers: Node, *, after: bool) -> Node:
    """Return how many elements are less than each number, or not greater; NaN is the greatest."""
    size, dtype = table.shape[0], promote(table.dtype, numbers.dtype)
    wanted = cast(numbers, dtype)
    place = broadcast_to(scalar(0, _INT64), numbers.shape)
    if 0 in numbers.shape:
        return place
    for step in [1 << power for power in reversed(range(size.bit_length()))]:
        beyond = elementwise("add", place, scalar(step, _INT64))
        is_there = elementwise("less_equal", beyond, scalar(size, _INT64))
        last = elementwise("subtract", elementwise("minimum", beyond, scalar(size, _INT64)), 1)
        seen = cast(gather(table, [last], numbers.shape, is_inside=True), dtype)
        if after:
            is_before = elementwise("logical_not", _less(wanted, seen))
        else:
            is_before = _less(seen, wanted)
        goes_on = elementwise("logical_and", is_there, is_before)
        place = elementwise("where", goes_on, beyond, place)
    return place


def _less(a: Node, b: Node) -> Node:
    """Return whether a comes before b: NaN comes after all numbers."""
    is_less = elementwise("less", a, b)
    if not a.dtype.is_float:
        return is_less
    is_last = elementwise("logical_and", elementwise("isnan", b), _number(a))
    return elementwise("logical_or", is_less, is_last)


def _number(a: Node) -> Node:
    return elementwise("logical_not", elementwise("isnan", a))
