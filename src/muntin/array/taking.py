"""Elements taken at indices along an axis, and elements repeated."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from muntin.array.array import Array
from muntin.array.choosing import chosen
from muntin.array.operators import Operators, common_device, node_of
from muntin.core.graph.build import broadcast_to
from muntin.core.graph.gathering import Along, gather
from muntin.core.graph.letters import agreed_letters
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import broadcast_shapes, normalize_axis
from muntin.errors import DTypeError, ParameterError, ShapeError

__all__ = ["repeat", "take", "take_along_axis"]


def take(x: Any, indices: Any, /, *, axis: SupportsIndex | None = None) -> Array:
    """Return the elements at some indices along an axis.

    Parameters
    ----------
    x : array_like
        An array.
    indices : array_like of int
        Indices, of any shape, which stands in the place of the axis; below 0 from the end.
    axis : int, optional
        The axis; None takes of the elements in C order.

    Raises
    ------
    BoundsError
        If an index is out of bounds: when the result is computed, before an out is written.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.take(mt.arange(5) * 10, np.array([3, -1, 0])))
    array([30, 40,  0])
    """
    node = node_of("take", x)
    if axis is None:
        node, axis = reshape(node, (-1,), "take"), 0
    place = normalize_axis(axis, len(node.shape), "take")
    index = node_of("take", indices if isinstance(indices, Operators) else np.asarray(indices))
    line = Array(reshape(index, (-1,), "take") if index.shape == () else index)
    found = chosen(node, (*[slice(None)] * place, line))
    if index.shape == ():
        found = reshape(found, (*node.shape[:place], *node.shape[place + 1 :]), "take")
    return Array(found, common_device("take", (x, indices)))


def take_along_axis(x: Any, indices: Any, /, *, axis: SupportsIndex = -1) -> Array:
    """Return for each place the element at its own index along an axis.

    Parameters
    ----------
    x : array_like
        An array.
    indices : array_like of int
        Indices, as many axes as x; along the others both are stretched to a common shape.
    axis : int
        The axis.

    Raises
    ------
    ShapeError
        If the numbers of axes differ, or the shapes do not fit.
    BoundsError
        If an index is out of bounds: when the result is computed, before an out is written.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> x = mt.asarray([[3, 1], [5, 9]])
    >>> np.asarray(mt.take_along_axis(x, np.array([[1], [0]])))
    array([[1],
           [5]])
    """
    node, index = node_of("take_along_axis", x), node_of("take_along_axis", indices)
    place = normalize_axis(axis, len(node.shape), "take_along_axis")
    if len(index.shape) != len(node.shape):
        raise ShapeError(
            f"take_along_axis: indices have shape {index.shape}, the array {node.shape}; give as "
            "many axes"
        )
    beside = [(*shape[:place], 1, *shape[place + 1 :]) for shape in (node.shape, index.shape)]
    common = broadcast_shapes(*beside, operation="take_along_axis").shape
    source, shape = (
        (*common[:place], length, *common[place + 1 :])
        for length in (node.shape[place], index.shape[place])
    )
    stretched = broadcast_to(index, shape)
    coordinates = [stretched if k == place else Along(k) for k in range(len(shape))]
    letters = agreed_letters("take_along_axis", [node.axes, index.axes])
    found = gather(broadcast_to(node, source), coordinates, shape, letters, "take_along_axis")
    return Array(found, common_device("take_along_axis", (x, indices)))


def repeat(x: Any, repeats: Any, /, *, axis: SupportsIndex | None = None) -> Array:
    """Return the array with each element repeated along an axis.

    Parameters
    ----------
    x : array_like
        An array.
    repeats : int or array_like of int
        How often: all elements, or each along the axis. An array is evaluated, since the shape
        of the result depends on it.
    axis : int, optional
        The axis; None repeats the elements in C order.

    Raises
    ------
    ParameterError
        If a number is negative, or there are not as many as elements.
    DTypeError
        If the numbers are not integers.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.repeat(mt.arange(3), 2))
    array([0, 0, 1, 1, 2, 2])
    >>> np.asarray(mt.repeat(mt.arange(3), [0, 1, 3]))
    array([1, 2, 2, 2])
    """
    node = node_of("repeat", x)
    if axis is None:
        node, axis = reshape(node, (-1,), "repeat"), 0
    place = normalize_axis(axis, len(node.shape), "repeat")
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iu":
        raise DTypeError(f"repeat: repeats are {counts.dtype}; they must be integers")
    size = node.shape[place]
    if counts.min(initial=0) < 0 or counts.shape not in ((), (1,), (size,)):
        raise ParameterError(
            f"repeat: repeats are {repeats!r} for axis {place} of length {size}; give a number "
            "that is not negative, or one for each element"
        )
    if counts.size == 1:
        found = _repeated(node, place, counts.item())
    else:
        before = (slice(None),) * place
        found = chosen(node, (*before, np.repeat(np.arange(size), counts)))
    return Array(found, common_device("repeat", (x,)))


def _repeated(node: Node, axis: int, count: int) -> Node:
    """Return a node with each element repeated: stretched along a new axis, which is merged."""
    before, size, after = node.shape[:axis], node.shape[axis], node.shape[axis + 1 :]
    apart = reshape(node, (*before, size, 1, *after), "repeat")
    wide = broadcast_to(apart, (*before, size, count, *after))
    return reshape(wide, (*before, size * count, *after), "repeat")
