"""The places in a flat array that indices lead to, checked as those of a gather.

Programs that count trust their indices. They are checked where they are computed: beside
the place a gather node reads a number at the same indices, a zero that the place is added to.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from muntin.core.graph.build import broadcast_to, cast, constant, elementwise, keep, scalar
from muntin.core.graph.gathering import from_the_front, gather, is_safe
from muntin.core.graph.node import Node
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import DTYPES

__all__ = ["place_type", "scattered_places"]

_INT64, _INT32 = DTYPES["int64"], DTYPES["int32"]


def place_type(size: int) -> str:
    """Return the type for the places of so many elements."""
    fits = (name for name in ("uint8", "uint16", "uint32") if size <= 1 << DTYPES[name].bits)
    return next(fits, "int64")


def scattered_places(
    sizes: tuple[int, ...], indices: Sequence[Node], operation: str, *, wraps: bool = True
) -> Node:
    """Return where the elements lie, in C order, that indices along each axis lead to.

    Parameters
    ----------
    sizes
        The lengths of the axes.
    indices
        Indices along each of them, which are broadcast.
    wraps
        Whether indices below 0 count from the end; else they are out of bounds.

    Raises
    ------
    DTypeError
        If indices are not integers.
    ShapeError
        If they do not broadcast.
    BoundsError
        If an axis is empty. Other indices that are out of bounds are found at the evaluation.
    """
    shape = broadcast_shapes(*[each.shape for each in indices], operation=operation).shape
    first, *_ = indices
    if wraps or all(each.dtype.least >= 0 for each in indices):
        given = indices
    else:  # too far below 0 to be wrapped
        far = constant(-(1 << 63), _INT64)
        given = [
            elementwise("where", elementwise("less", each, 0), far, cast(each, _INT64))
            for each in indices
        ]
    checked = not all(map(is_safe, given, sizes))
    dtype = DTYPES[place_type(prod(sizes))]
    if len(indices) == 1 and not checked and first.dtype.least >= 0:
        return cast(first, dtype)
    place: Node | None = None
    for index, size in zip(given, sizes, strict=True):
        front = from_the_front(index, size, operation)
        place = front if place is None else elementwise("multiply", place, scalar(size, _INT64))
        if place is not front:
            place = elementwise("add", place, front)
    assert place is not None
    if checked:
        nothing = broadcast_to(keep(constant(0, _INT32)), sizes)  # a single number in memory
        zero = gather(nothing, given, shape, None, operation)
        place = elementwise("add", place, cast(zero, _INT64))
    return broadcast_to(cast(place, dtype), shape, operation)
