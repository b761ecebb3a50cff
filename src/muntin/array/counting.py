"""Counts of numbers, and sums of weights by numbers."""

from __future__ import annotations

from math import prod
from operator import index as as_index
from typing import Any, SupportsIndex

from muntin.array.array import Array
from muntin.array.creation import zeros
from muntin.array.evaluation import eval
from muntin.array.operators import common_device
from muntin.array.reductions import max as greatest_of
from muntin.array.reductions import min as least_of
from muntin.array.scatter_loops import Form, Place, scattering
from muntin.array.scattering import whole_numbers
from muntin.array.tracing import is_tracing
from muntin.core.graph.build import cast, check_whole
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.dtypes import DTYPES, dtype_of
from muntin.errors import BoundsError, DTypeError, ParameterError, ShapeError, UnsupportedError

__all__ = ["bincount", "counted"]


def counted(
    numbers: Node, length: int, dtype: str, weights: Node | None = None, *, is_inside: bool = False
) -> Array:
    """Return how often each number is there, or the sums of weights of one type and shape.

    `is_inside` says that all numbers are known to be from 0 to the length less 1.
    """
    size = prod(numbers.shape)
    place = Place.of(numbers.dtype, length, wraps=False)
    if is_inside:
        place = Place(numbers.dtype, is_checked=False, wraps=False)
    counts = weights is None
    form = Form.of("add", dtype_of(dtype), [place], (length,), size, counts=counts)
    flat = [Array(reshape(each, (size,))) for each in (numbers, weights) if each is not None]
    found: Array = scattering(form, "bincount")(zeros(length, dtype=dtype), *flat)
    return found


def bincount(
    x: Any,
    /,
    weights: Any = None,
    minlength: SupportsIndex = 0,
    *,
    length: SupportsIndex | None = None,
) -> Array:
    """Return how often each number from 0 on is there, or the sums of weights by the numbers.

    Parameters
    ----------
    x : array_like of int
        Numbers of any shape, none below 0.
    weights : array_like, optional
        What a number counts for, in the shape of x. None is 1 for each.
    minlength : int
        The least length of the result.
    length : int, optional
        The length of the result. None is one more than the greatest number, or `minlength` if that
        is more: x is evaluated to find it. With a length the result is lazy.

    Returns
    -------
    Array
        int64, or float64 for weights, which are added in C order.

    Raises
    ------
    DTypeError
        If x does not hold integers or truth values, or weights do not cast to float64.
    ShapeError
        If the weights have another shape.
    ParameterError
        If a length is negative, or both are given.
    BoundsError
        If a number is below 0, or as great as the length or greater: when the result is computed.
    BorderError
        If the numbers are only valid in part.
    UnsupportedError
        If there is no length while a function is traced.

    Notes
    -----
    NumPy's `bincount`, of any number of axes.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.bincount([1, 3, 1, 0]).tolist()
    [1, 2, 0, 1]
    >>> mt.bincount([1, 3, 1], length=6).tolist()
    [0, 2, 0, 1, 0, 0]
    """
    numbers = whole_numbers("bincount", x)
    check_whole(numbers, "bincount", "takes a whole array, but ")
    if numbers.dtype.is_bool:
        numbers = cast(numbers, DTYPES["uint8"])
    if not numbers.dtype.is_integer:
        raise DTypeError(
            f"bincount: the numbers are {numbers.dtype}; they must be integers; cast them with "
            '.astype("int64") first'
        )
    least = as_index(minlength)
    if least < 0 or (length is not None and (as_index(length) < 0 or least)):
        raise ParameterError(
            f"bincount: minlength is {minlength} and length {length}; give one of them, 0 or more"
        )
    device = common_device("bincount", (x, weights))
    targets = _length(numbers, least, device) if length is None else as_index(length)
    if weights is None:
        return Array(counted(numbers, targets, "int64")._node, device)
    return Array(counted(numbers, targets, "float64", _weights(numbers, weights))._node, device)


def _length(numbers: Node, least: int, device: str | None) -> int:
    """Return how long the counts of some numbers are, whose least and greatest are computed."""
    if not prod(numbers.shape):
        return least
    if is_tracing():
        raise UnsupportedError(
            "bincount: the length follows from the numbers, and there are none while "
            "muntin.function traces; give length"
        )
    given = Array(numbers, device)
    lowest, highest = map(int, eval(least_of(given), greatest_of(given)))
    if lowest < 0:
        raise BoundsError(f"bincount: a number is {lowest}; none may be below 0")
    return max(least, highest + 1)


def _weights(numbers: Node, weights: Any) -> Node:
    values = whole_numbers("bincount", weights)
    if values.shape != numbers.shape:
        raise ShapeError(
            f"bincount: weights have shape {values.shape}, the numbers {numbers.shape}; give one "
            "for each number"
        )
    return cast(values, DTYPES["float64"])
