"""Arrays joined, split, repeated and rolled: parts are written straight into the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from muntin.array.array import Array
from muntin.array.indexing import indexed
from muntin.array.operators import common_device, node_of
from muntin.core.graph.build import broadcast_to
from muntin.core.graph.joining import concat as join
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import as_lengths, as_shape, normalize_axis
from muntin.errors import ParameterError, ShapeError

__all__ = ["concat", "roll", "stack", "tile", "unstack"]


def concat(arrays: Sequence[Any], /, *, axis: SupportsIndex | None = 0) -> Array:
    """Return arrays one after another along an axis.

    Parameters
    ----------
    arrays : sequence of array_like
        Arrays of one shape, but for the axis. Their common type holds them all.
    axis : int, optional
        The axis; None joins the elements of each, in C order.

    Raises
    ------
    ParameterError
        If there are no arrays.
    ShapeError
        If there is no such axis, or if the shapes differ elsewhere.
    BorderError
        If an array is only valid in part.

    Notes
    -----
    Each array is computed straight into its place. What follows is done on the whole.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.concat([mt.arange(3), mt.arange(2) * 10]))
    array([ 0,  1,  2,  0, 10])
    """
    nodes = _nodes("concat", arrays)
    if axis is None:
        nodes, axis = [reshape(node, (-1,), "concat") for node in nodes], 0
    return _joined("concat", arrays, nodes, axis)


def stack(arrays: Sequence[Any], /, *, axis: SupportsIndex = 0) -> Array:
    """Return arrays of one shape along a new axis.

    Raises
    ------
    ParameterError
        If there are no arrays.
    ShapeError
        If the shapes differ, or there is no such axis.
    BorderError
        If an array is only valid in part.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.stack([mt.arange(3), mt.arange(3) * 10], axis=1))
    array([[ 0,  0],
           [ 1, 10],
           [ 2, 20]])
    """
    nodes = _nodes("stack", arrays)
    for number, node in enumerate(nodes):
        if node.shape != nodes[0].shape:
            raise ShapeError(
                f"stack: array 0 has shape {nodes[0].shape}, array {number} {node.shape}; give "
                "arrays of one shape"
            )
    ndim = len(nodes[0].shape) + 1 if nodes else 1
    place = normalize_axis(axis, ndim, "stack")
    index = ((slice(None),) * place + (None,)) if place else None
    return _joined("stack", arrays, [indexed(node, index) for node in nodes], place)


def unstack(x: Any, /, *, axis: SupportsIndex = 0) -> tuple[Array, ...]:
    """Return the parts of an array along an axis, each a view without it.

    Raises
    ------
    ShapeError
        If there is no such axis.
    """
    node = node_of("unstack", x)
    place = normalize_axis(axis, len(node.shape), "unstack")
    before = (slice(None),) * place
    return tuple([_like(x, indexed(node, (*before, k))) for k in range(node.shape[place])])


def tile(x: Any, repetitions: SupportsIndex | Sequence[SupportsIndex], /) -> Array:
    """Return the array several times beside itself along each axis.

    Parameters
    ----------
    x : array_like
        An array.
    repetitions : int or tuple of int
        How often, for the last axes of x; where there are more, new axes come first.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.tile(mt.arange(2), (2, 2)))
    array([[0, 1, 0, 1],
           [0, 1, 0, 1]])
    """
    node = node_of("tile", x)
    counts = as_shape(repetitions, "tile")
    ndim = max(len(counts), len(node.shape))
    shape = (1,) * (ndim - len(node.shape)) + node.shape
    counts = (1,) * (ndim - len(counts)) + counts
    apart = [length for size in shape for length in (1, size)]
    stretched = [length for pair in zip(counts, shape, strict=True) for length in pair]
    wide = broadcast_to(reshape(node, tuple(apart), "tile"), tuple(stretched))
    tiled = tuple([count * size for count, size in zip(counts, shape, strict=True)])
    return _like(x, reshape(wide, tiled, "tile"))


def roll(
    x: Any,
    /,
    shift: SupportsIndex | Sequence[SupportsIndex],
    *,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> Array:
    """Return the array with elements moved along axes; those that leave come in at the other end.

    Parameters
    ----------
    x : array_like
        An array.
    shift : int or tuple of int
        How far, for each of the axes.
    axis : int or tuple of int, optional
        Along which axes; None moves the elements in C order.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.roll(mt.arange(5), 2))
    array([3, 4, 0, 1, 2])
    """
    node = node_of("roll", x)
    shifts = as_lengths(shift, "roll")
    if axis is None:
        flat = _rolled(reshape(node, (-1,), "roll"), {0: sum(shifts)})
        return _like(x, reshape(flat, node.shape, "roll"))
    axes = as_lengths(axis, "roll")
    if len(shifts) not in (1, len(axes)):
        raise ParameterError(
            f"roll: {len(shifts)} shifts and {len(axes)} axes; give a shift for each axis, or one"
        )
    along: dict[int, int] = {}
    for place, far in zip(axes, shifts * (len(axes) // len(shifts)), strict=True):
        place = normalize_axis(place, len(node.shape), "roll")
        along[place] = along.get(place, 0) + far
    return _like(x, _rolled(node, along))


def _rolled(node: Node, shifts: dict[int, int]) -> Node:
    """Return the node rolled along each axis: two views in the other order, each rolled."""
    for axis, shift in shifts.items():
        size = node.shape[axis]
        far = shift % size if size else 0
        if far:
            rest = {other: by for other, by in shifts.items() if other != axis}
            before = (slice(None),) * axis
            halves = [slice(size - far, None), slice(0, size - far)]
            parts = [_rolled(indexed(node, (*before, half)), rest) for half in halves]
            return join(parts, axis, "roll")
    return node


def _nodes(operation: str, arrays: Sequence[Any]) -> list[Node]:
    return [node_of(operation, x) for x in arrays]


def _joined(
    operation: str, arrays: Sequence[Any], nodes: Sequence[Node], axis: SupportsIndex
) -> Array:
    ndim = len(nodes[0].shape) if nodes else 1
    place = normalize_axis(axis, ndim, operation)
    return Array(join(nodes, place, operation), common_device(operation, tuple(arrays)))


def _like(x: object, node: Node) -> Array:
    return Array(node, common_device("", (x,)))
