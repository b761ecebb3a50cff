"""Views of other shapes: broadcasting as explicit functions, and the Array API's permutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

from muntin.array.array import Array
from muntin.array.indexing import indexed, squeezed, transposed
from muntin.array.operators import common_device, node_of
from muntin.core.graph.build import broadcast_to as broadcast_node
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import known_strides, reshaped_strides
from muntin.core.graph.reshaping import reshape as reshape_node
from muntin.core.shapes import (
    as_lengths,
    as_shape,
    broadcast_shapes,
    can_broadcast,
    can_broadcast_to,
    expand_ranks,
    normalize_axes,
    normalize_axis,
)
from muntin.errors import ParameterError, ShapeError

__all__ = [
    "broadcast_arrays",
    "broadcast_to",
    "broadcast_to_match",
    "can_broadcast_to_match",
    "expand_dims",
    "expand_to_match_ranks",
    "flip",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "reshape",
    "squeeze",
]

ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


def broadcast_to(x: Any, /, shape: ShapeLike) -> Array:
    """Return x stretched to a shape: axes of length 1 are repeated, new ones come first.

    Raises
    ------
    ShapeError
        If x has more axes, or an axis whose length is neither 1 nor the shape's.
    """
    node = node_of("broadcast_to", x)
    return _like(x, broadcast_node(node, as_shape(shape, "broadcast_to"), "broadcast_to"))


def broadcast_arrays(*arrays: Any) -> tuple[Array, ...]:
    """Return the arrays stretched to their common shape.

    Raises
    ------
    ShapeError
        If there is none.
    """
    return _stretched("broadcast_arrays", arrays)


def _stretched(operation: str, arrays: Sequence[Any]) -> tuple[Array, ...]:
    """Return views of arrays in their common shape."""
    nodes = [node_of(operation, x) for x in arrays]
    shape = broadcast_shapes(*(node.shape for node in nodes), operation=operation).shape
    pairs = zip(arrays, nodes, strict=True)
    return tuple([_like(x, broadcast_node(node, shape)) for x, node in pairs])


def expand_to_match_ranks(a: Any, b: Any, /) -> tuple[Array, Array]:
    """Return both arrays with as many axes: axes of length 1 come before the shorter one's.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = expand_to_match_ranks(np.zeros(9), np.zeros((5, 9)))
    >>> a.shape, b.shape
    ((1, 9), (5, 9))
    """
    nodes = node_of("expand_to_match_ranks", a), node_of("expand_to_match_ranks", b)
    shapes = expand_ranks(nodes[0].shape, nodes[1].shape)
    first, second = (broadcast_node(node, shape) for node, shape in zip(nodes, shapes, strict=True))
    return _like(a, first), _like(b, second)


def broadcast_to_match(a: Any, *others: Any) -> Any:
    """Return an array stretched to a shape, or several stretched to their common shape.

    Parameters
    ----------
    a : array_like
        An array, which is left as it is.
    *others : array_like, int or tuple of int
        A shape, or other arrays.

    Returns
    -------
    Array or tuple of Array
        A view of `a` for a shape; else a view of each array.

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> broadcast_to_match(np.zeros((1, 4)), (3, 4)).shape
    (3, 4)
    >>> [x.shape for x in broadcast_to_match(np.zeros((1, 4)), np.zeros((3, 1)))]
    [(3, 4), (3, 4)]
    """
    if not others:
        raise ParameterError("broadcast_to_match: got one array; give a shape or other arrays too")
    if len(others) == 1 and _is_shape(others[0]):
        node = node_of("broadcast_to_match", a)
        target = as_shape(others[0], "broadcast_to_match")
        return _like(a, broadcast_node(node, target, "broadcast_to_match"))
    return _stretched("broadcast_to_match", (a, *others))


def can_broadcast_to_match(a: Any, b: Any, /) -> bool:
    """Return whether `broadcast_to_match` of an array and a shape, or of two arrays, succeeds.

    Parameters
    ----------
    a : array_like, int or tuple of int
        An array or its shape.
    b : array_like, int or tuple of int
        A shape to stretch to, or another array.

    Examples
    --------
    >>> import numpy as np
    >>> can_broadcast_to_match(np.zeros((3, 1)), (3, 4))
    True
    >>> can_broadcast_to_match(np.zeros(0), np.zeros(5))
    False
    """
    shape = as_shape(a) if _is_shape(a) else node_of("can_broadcast_to_match", a).shape
    if _is_shape(b):
        return can_broadcast_to(shape, as_shape(b))
    return can_broadcast(shape, node_of("can_broadcast_to_match", b).shape)


def permute_dims(x: Any, /, axes: Sequence[SupportsIndex]) -> Array:
    """Return the view with its axes in another order."""
    return _like(x, transposed(node_of("permute_dims", x), axes, "permute_dims"))


def matrix_transpose(x: Any, /) -> Array:
    """Return the view with its last two axes exchanged."""
    node = node_of("matrix_transpose", x)
    ndim = len(node.shape)
    if ndim < 2:
        raise ShapeError(
            f"matrix_transpose: an array of {ndim} axes, shape {node.shape}; it takes two or more"
        )
    order = (*range(ndim - 2), ndim - 1, ndim - 2)
    return _like(x, transposed(node, order, "matrix_transpose"))


def moveaxis(
    x: Any,
    source: SupportsIndex | Sequence[SupportsIndex],
    destination: SupportsIndex | Sequence[SupportsIndex],
    /,
) -> Array:
    """Return the view with some axes moved to other places; the rest keep their order."""
    node = node_of("moveaxis", x)
    ndim = len(node.shape)
    moved = normalize_axes(source, ndim, "moveaxis")
    places = normalize_axes(destination, ndim, "moveaxis")
    if len(moved) != len(places):
        raise ShapeError(
            f"moveaxis: {len(moved)} axes and {len(places)} destinations; give one for each"
        )
    order = [axis for axis in range(ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return _like(x, transposed(node, order, "moveaxis"))


def reshape(x: Any, /, shape: ShapeLike, *, copy: bool | None = None) -> Array:
    """Return the elements, in C order, in another shape.

    Parameters
    ----------
    x : array_like
        An array.
    shape : int or tuple of int
        Lengths whose product is the number of elements. One may be -1: what the others leave.
    copy : bool, optional
        False forbids that elements of an input's memory are moved, which some strides demand. As an
        Array never changes, True and None are the same.

    Raises
    ------
    ShapeError
        If the shape has another number of elements.
    BorderError
        If the array is only valid in part.
    ParameterError
        If elements must move, but may not.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.reshape(mt.arange(6) * 10, (2, -1)))
    array([[ 0, 10, 20],
           [30, 40, 50]])
    """
    node = node_of("reshape", x)
    found = reshape_node(node, as_lengths(shape, "reshape"))
    if copy is False:
        strides = known_strides(node)
        if strides is not None and reshaped_strides(node.shape, strides, found.shape) is None:
            raise ParameterError(
                f"reshape: elements of shape {node.shape}, {strides} bytes apart, must move for "
                f"shape {found.shape}, but copy is False; leave copy away"
            )
    return _like(x, found)


def flip(x: Any, /, *, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    """Return the view with the elements in reverse order along some axes, all by default."""
    node = node_of("flip", x)
    flipped = normalize_axes(axis, len(node.shape), "flip")
    index = tuple([slice(None, None, -1 if k in flipped else 1) for k in range(len(node.shape))])
    return _like(x, indexed(node, index))


def expand_dims(x: Any, /, axis: SupportsIndex) -> Array:
    """Return the view with a new axis of length 1 at a place."""
    node = node_of("expand_dims", x)
    place = normalize_axis(axis, len(node.shape) + 1, "expand_dims")
    index: tuple[Any, ...] = (slice(None),) * place + (None,)
    return _like(x, indexed(node, index))


def squeeze(x: Any, /, axis: SupportsIndex | Sequence[SupportsIndex]) -> Array:
    """Return the view without some axes of length 1.

    Raises
    ------
    ShapeError
        If one has another length.
    """
    return _like(x, squeezed(node_of("squeeze", x), axis))


def _is_shape(x: object) -> bool:
    if isinstance(x, tuple | list):
        return all(isinstance(length, SupportsIndex) for length in x)
    return isinstance(x, SupportsIndex) and not hasattr(x, "dtype")


def _like(x: object, node: Node) -> Array:
    return Array(node, common_device("", (x,)))
