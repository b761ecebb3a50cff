"""Products of vectors, of matrices and of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, SupportsIndex

from muntin.array.array import Array
from muntin.array.indexing import transposed
from muntin.array.operators import common_device, node_of
from muntin.core.graph import products
from muntin.core.graph.build import elementwise
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import as_lengths, normalize_axes, normalize_axis
from muntin.errors import ShapeError

__all__ = ["matmul", "tensordot", "vecdot"]


def matmul(x1: Any, x2: Any, /) -> Array:
    """Return the product of matrices, which are the last two axes; other axes broadcast.

    Parameters
    ----------
    x1, x2 : array_like
        One axis or more. A vector is a row on the left, a column on the right, and its axis is not
        in the result.

    Returns
    -------
    Array
        Of the common type of both.

    Raises
    ------
    ShapeError
        If an operand has no axes, or if the shapes do not fit.
    BorderError
        If an operand is only valid in part.
    DeviceError
        On OpenCL devices, when it is evaluated.

    Notes
    -----
    Matrices are multiplied by `numpy.matmul`, where they lie: floats by the BLAS of NumPy, with its
    threads, integers and bool by loops. Integers wrap; a product of bool is true where one of the
    products of elements is. The order in which floats are added, and so the last bits of sums, NaNs
    of infinities and the overflow of partial sums, are up to BLAS: they may depend on its version,
    on the machine, on threads and on strides. The product of two vectors is `vecdot`, whose bits
    depend on the elements alone. What operands are computed by, and what follows, is fused as ever.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> a = mt.asarray([[1, 2], [3, 4]])
    >>> np.asarray(mt.matmul(a, mt.asarray([10, 1])))
    array([12, 34])
    """
    first, second = node_of("matmul", x1), node_of("matmul", x2)
    return Array(products.matmul(first, second), common_device("matmul", (x1, x2)))


def vecdot(x1: Any, x2: Any, /, *, axis: SupportsIndex = -1) -> Array:
    """Return the sums of products of elements along an axis; other axes broadcast.

    Parameters
    ----------
    x1, x2 : array_like
        Arrays of one length along the axis.
    axis : int
        The axis of both.

    Returns
    -------
    Array
        Without the axis, of the common type of both.

    Raises
    ------
    ShapeError
        If there is no such axis, or if the shapes do not fit.
    BorderError
        If an operand is only valid in part.

    Notes
    -----
    Products are summed as they are found. Integers wrap; of bool it is whether one of the products
    is true. Floats are multiplied and added in their own type, halves as float32 that is rounded at
    the end, in the order of `muntin.sum`, which depends on places alone.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> np.asarray(mt.vecdot(np.array([[1, 2], [3, 4]]), np.array([10, 1])))
    array([12, 34])
    """
    first, second = [_last(node_of("vecdot", x), axis) for x in (x1, x2)]
    return Array(products.vecdot(first, second), common_device("vecdot", (x1, x2)))


def tensordot(
    x1: Any,
    x2: Any,
    /,
    *,
    axes: SupportsIndex | tuple[Sequence[SupportsIndex], Sequence[SupportsIndex]] = 2,
) -> Array:
    """Return the sums of products of elements along several axes of both.

    Parameters
    ----------
    x1, x2 : array_like
        Arrays.
    axes : int or pair of sequences of int
        The last so many axes of x1 and as many first ones of x2, or the axes of x1 and those of x2
        that they meet.

    Returns
    -------
    Array
        With the other axes of x1, then those of x2; of the common type of both.

    Raises
    ------
    ShapeError
        If there are no such axes, if they are not as many, or not as long.
    BorderError
        If an operand is only valid in part.

    Notes
    -----
    The product of two matrices, as `matmul` says. Elements are moved first where strides do not
    show the matrices. Where no axes are given, each element meets each, without a sum.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> x = mt.asarray(np.arange(6).reshape(2, 3))
    >>> np.asarray(mt.tensordot(x, x, axes=((0, 1), (0, 1))))
    array(55)
    """
    first, second = node_of("tensordot", x1), node_of("tensordot", x2)
    left, right = _contracted(first, second, axes)
    found = _tensordot(first, second, left, right)
    return Array(found, common_device("tensordot", (x1, x2)))


def _last(node: Node, axis: SupportsIndex) -> Node:
    """Return the view whose last axis is the one given."""
    rank = len(node.shape)
    place = normalize_axis(axis, rank, "vecdot")
    if place == rank - 1:
        return node
    return transposed(node, [*(k for k in range(rank) if k != place), place], "vecdot")


def _contracted(first: Node, second: Node, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes of both that meet, counted from the front."""
    rank = len(first.shape)
    pair = axes if isinstance(axes, Sequence) else None
    if pair is None:
        (count,) = as_lengths(axes, "tensordot")
        if not 0 <= count <= min(rank, len(second.shape)):
            raise ShapeError(
                f"tensordot: axes is {count} for operands of shapes {first.shape} and "
                f"{second.shape}; give 0 or more, and as many as both have"
            )
        pair = range(rank - count, rank), range(count)
    if len(pair) != 2:
        raise ShapeError(
            f"tensordot: axes are {axes!r}; give a number, or the axes of x1 and those of x2"
        )
    left = normalize_axes(pair[0], rank, "tensordot")
    right = normalize_axes(pair[1], len(second.shape), "tensordot")
    lengths = [[node.shape[k] for k in places] for node, places in ((first, left), (second, right))]
    if lengths[0] != lengths[1]:
        raise ShapeError(
            f"tensordot: axes {left} of shape {first.shape} meet axes {right} of shape "
            f"{second.shape}; they must be as many and as long"
        )
    return left, right


def _tensordot(first: Node, second: Node, left: tuple[int, ...], right: tuple[int, ...]) -> Node:
    free = [axis for axis in range(len(first.shape)) if axis not in left]
    other = [axis for axis in range(len(second.shape)) if axis not in right]
    rows, columns = [first.shape[k] for k in free], [second.shape[k] for k in other]
    if not left:
        return elementwise("multiply", reshape(first, (*rows, *[1] * len(columns))), second)
    depth = prod(first.shape[k] for k in left)
    a = reshape(transposed(first, (*free, *left), "tensordot"), (prod(rows), depth), "tensordot")
    b = transposed(second, (*right, *other), "tensordot")
    product = products.matmul(a, reshape(b, (depth, prod(columns)), "tensordot"), "tensordot")
    return reshape(product, (*rows, *columns), "tensordot")
