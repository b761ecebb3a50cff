"""Scatters: an array with elements at computed places set, or combined with others, in order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from muntin.array.array import Array
from muntin.array.operators import Operators, common_device, lower, node_of
from muntin.array.scatter_loops import UPDATES, Form, Place, scattering
from muntin.core.graph.build import broadcast_to, cast, check_whole, keep, scalar
from muntin.core.graph.infer import weak_dtype
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import DType
from muntin.errors import BoundsError, DTypeError, ParameterError

__all__ = ["scatter", "whole_numbers"]


def scatter(x: Any, indices: Any, values: Any, /, *, operation: str = "set") -> Array:
    """Return an array with elements at some indices set, or combined with others.

    Parameters
    ----------
    x : array_like
        An array.
    indices : array_like of int, or tuple of them
        Indices along the first axis, or along as many of the first axes as there are arrays. They
        are stretched to a common shape; below 0 they count from the end. Other axes are taken
        whole.
    values : array_like or number
        What is put there: stretched to the shape of the indices, followed by that of the axes that
        are taken whole.
    operation : {"set", "add", "minimum", "maximum"}
        What becomes of an element.

    Returns
    -------
    Array
        Of the shape and type of `x`.

    Raises
    ------
    ParameterError
        If there is no such operation, or if there are no indices.
    DTypeError
        If indices are not integers, or values of a kind that `x` cannot hold.
    RangeError
        If a Python number among the values does not fit in the type of `x`.
    ShapeError
        If shapes do not fit.
    BoundsError
        If there are more indices than axes; if an index is out of bounds: when the result is
        computed, before an out is written.
    BorderError
        If an array is only valid in part.

    Notes
    -----
    Values come one after the other, in the C order of the indices: where an element is set twice
    the last value stays, and sums of floats are those of `numpy.add.at`, for any number of threads.
    Sums of integers wrap; NaN wins over numbers, and -0.0 is less than 0.0.

    Indices and values that are expressions are stored first, in one kernel if they have one shape.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.scatter(mt.zeros(4), np.array([1, 3, 1]), 2.0, operation="add"))
    array([0., 4., 0., 2.])
    >>> np.asarray(mt.scatter(mt.zeros((2, 3), dtype="int64"), (0, np.array([2, -3])), [7, 9]))
    array([[9, 0, 7],
           [0, 0, 0]])
    """
    if operation not in UPDATES:
        raise ParameterError(
            f"scatter: operation is {operation!r}; use one of {', '.join(map(repr, UPDATES))}"
        )
    node = node_of("scatter", x)
    given = indices if isinstance(indices, tuple) else (indices,)
    places = [whole_numbers("scatter", each) for each in given]
    _check_places(node, places)
    common = broadcast_shapes(*[place.shape for place in places], operation="scatter").shape
    count, size = len(places), prod(common)
    rows = node.shape[count:]
    flat = [_flat(place, common, (size,)) for place in places]
    columns = (prod(rows),) if rows else ()
    taken = _flat(_values(values, node.dtype), (*common, *rows), (size, *columns))
    target = reshape(node, (*node.shape[:count], *columns), "scatter") if rows else node
    kinds = [Place.of(each.dtype, length) for each, length in zip(places, node.shape, strict=False)]
    form = Form.of(operation, node.dtype, kinds, target.shape, size)
    found: Array = scattering(form, "scatter")(Array(target), *map(Array, flat), Array(taken))
    device = common_device("scatter", (x, *given, values))
    result = reshape(found._node, node.shape, "scatter") if len(rows) > 1 else found._node
    return Array(result, device)


def whole_numbers(operation: str, numbers: Any) -> Node:
    """Return indices or the like as a node: of integers if there are none."""
    if isinstance(numbers, Operators):
        return node_of(operation, numbers)
    array = np.asarray(numbers)
    return node_of(operation, array if array.size else array.astype(np.int64))


def _check_places(node: Node, places: Sequence[Node]) -> None:
    if not places:
        raise ParameterError("scatter: there are no indices; give an array for the first axis")
    if len(places) > len(node.shape):
        raise BoundsError(
            f"scatter: {len(places)} indices are given for an array of shape {node.shape}; give "
            "one for each axis at most"
        )
    check_whole(node, "scatter", "takes a whole array, but ")
    for axis, place in enumerate(places):
        if not place.dtype.is_integer:
            raise DTypeError(
                f"scatter: indices are {place.dtype}; they must be integers; cast them with "
                '.astype("int64") first'
            )
        if 0 not in place.shape and not node.shape[axis]:
            raise BoundsError(
                f"scatter: an index is given for axis {axis} of shape {node.shape}, which is "
                "empty; there is nothing to change"
            )


def _values(values: Any, dtype: DType) -> Node:
    """Return what is scattered in the type of the array; a Python number takes it."""
    if isinstance(values, list | tuple):
        values = _listed(np.asarray(values), dtype)
    operand = lower("scatter", values)
    if not isinstance(operand, Node):
        operand = scalar(operand, weak_dtype("scatter", operand, dtype))
    if not np.can_cast(operand.dtype.numpy, dtype.numpy, "same_kind"):
        raise DTypeError(
            f"scatter: values are {operand.dtype} for an array of {dtype}; cast them with "
            f'.astype("{dtype}") first'
        )
    return cast(operand, dtype)


def _listed(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Return an array of Python's numbers in the type that one of them would take."""
    if array.dtype.kind not in "biu" or dtype.is_bool or not array.size:
        return array if array.size else array.astype(dtype.numpy)
    for number in (int(array.min()), int(array.max())):
        weak_dtype("scatter", number, dtype)
    return array.astype(dtype.numpy)


def _flat(node: Node, common: tuple[int, ...], shape: tuple[int, ...]) -> Node:
    """Return an operand stretched and reshaped; computed work is stored before it is stretched."""
    if node.shape != common:
        node = broadcast_to(keep(node), common, "scatter")
    return reshape(node, shape, "scatter") if node.shape != shape else node
