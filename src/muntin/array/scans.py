"""Scans: each element becomes the sum, product or extreme of all up to it along an axis."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.operators import common_device, node_of
from muntin.array.reducing import accumulation
from muntin.dtypes import DType
from muntin.errors import ShapeError

__all__ = ["cumulative_max", "cumulative_min", "cumulative_prod", "cumulative_sum"]


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DType | npt.DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the sums of all elements up to each along an axis.

    Parameters
    ----------
    x : array_like
        The elements.
    axis : int, optional
        The axis; it may be left out where there is a single one.
    dtype : data-type, optional
        The type in which elements are added. None is int64 for bool and signed integers, uint64 for
        unsigned ones, and that of x for floats.
    include_initial : bool
        Whether the sum of no elements comes first, so that the axis is longer by one.

    Returns
    -------
    Array
        Integers wrap. Sums of floats depend on the shape and the axis alone: along the last axis
        chunks of 4096 begin with the sum of those before them (see `sum`), in a chunk blocks of 16
        are summed by steps of 1, 2, 4 and 8; along other axes elements are added one by one. Floats
        of 16 bits are added as float32, and each sum is rounded.

    Raises
    ------
    ShapeError
        If there is no such axis, or it is left out where there are several or none.
    BorderError
        If x is only valid in part.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.cumulative_sum(mt.asarray([1, 2, 3]), include_initial=True).tolist()
    [0, 1, 3, 6]
    """
    return _accumulated("cumulative_sum", "sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: SupportsIndex | None = None,
    dtype: DType | npt.DTypeLike | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the products of all elements up to each along an axis: see `cumulative_sum`."""
    return _accumulated("cumulative_prod", "prod", x, axis, dtype, include_initial)


def cumulative_max(x: Any, /, *, axis: SupportsIndex | None = None) -> Array:
    """Return the greatest of all elements up to each along an axis; from a NaN on all are NaN."""
    return _accumulated("cumulative_max", "max", x, axis, None, False)


def cumulative_min(x: Any, /, *, axis: SupportsIndex | None = None) -> Array:
    """Return the least of all elements up to each along an axis; from a NaN on all are NaN."""
    return _accumulated("cumulative_min", "min", x, axis, None, False)


def _accumulated(
    operation: str,
    fold: str,
    x: Any,
    axis: SupportsIndex | None,
    dtype: DType | npt.DTypeLike | None,
    include_initial: bool,
) -> Array:
    node = node_of(operation, x)
    if axis is None and len(node.shape) != 1:
        raise ShapeError(
            f"{operation}: an array of {len(node.shape)} axes, shape {node.shape}; give the axis"
        )
    place = 0 if axis is None else axis
    found = accumulation(operation, fold, node, place, dtype, include_initial=include_initial)
    return Array(found, common_device(operation, (x,)))
