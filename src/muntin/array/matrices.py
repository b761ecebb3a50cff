"""Matrices, the last two axes of an array, seen by their diagonals."""

from __future__ import annotations

from operator import index as as_index
from typing import Any, SupportsIndex

import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.creation import ones
from muntin.array.operators import common_device, node_of
from muntin.core.graph.build import banded, elementwise, index, scalar
from muntin.core.graph.diagonals import entire
from muntin.core.graph.gathering import Along, gather
from muntin.core.graph.letters import followed_letters
from muntin.core.graph.node import Node
from muntin.core.shapes import as_shape
from muntin.dtypes import DType
from muntin.errors import ShapeError

__all__ = ["diagonal", "eye", "tril", "triu"]


def eye(
    n_rows: SupportsIndex,
    n_cols: SupportsIndex | None = None,
    /,
    *,
    k: SupportsIndex = 0,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
) -> Array:
    """Return a matrix with ones on one diagonal, which takes no memory in an expression.

    Parameters
    ----------
    n_rows, n_cols : int
        The shape; as many columns as rows if they are not given.
    k : int
        The diagonal: above 0 to the right of the main one.
    dtype : data-type, optional
        The element type, float64 if none is given.
    device : str, optional
        Where expressions of the Array are evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(eye(2, 3, k=1, dtype="uint8"))
    array([[0, 1, 0],
           [0, 0, 1]], dtype=uint8)
    """
    shape = as_shape((n_rows, n_rows if n_cols is None else n_cols), "eye")
    whole = ones(shape, dtype=dtype, device=device)
    return Array(_band("eye", whole._node, as_index(k), as_index(k)), whole.device)


def tril(x: Any, /, *, k: SupportsIndex = 0) -> Array:
    """Return the lower part of a matrix, up to diagonal k, and zero above it.

    Raises
    ------
    ShapeError
        If x has fewer than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(tril(np.ones((2, 3), np.uint8)))
    array([[1, 0, 0],
           [1, 1, 0]], dtype=uint8)
    """
    node = node_of("tril", x)
    return Array(_band("tril", node, None, as_index(k)), common_device("tril", (x,)))


def triu(x: Any, /, *, k: SupportsIndex = 0) -> Array:
    """Return the upper part of a matrix, from diagonal k on, and zero below it.

    Raises
    ------
    ShapeError
        If x has fewer than two axes.
    """
    node = node_of("triu", x)
    return Array(_band("triu", node, as_index(k), None), common_device("triu", (x,)))


def diagonal(x: Any, /, *, offset: SupportsIndex = 0) -> Array:
    """Return a diagonal of a matrix, the last two axes, as the last axis.

    Parameters
    ----------
    x : array_like
        Two axes or more.
    offset : int
        The diagonal: above 0 to the right of the main one.

    Raises
    ------
    ShapeError
        If x has fewer than two axes.

    Notes
    -----
    The diagonal of an array is read where it lies; a computed matrix is stored first.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(diagonal(np.arange(6).reshape(2, 3), offset=1))
    array([1, 5])
    """
    node, shift = _matrix("diagonal", node_of("diagonal", x)), as_index(offset)
    *others, rows, columns = node.shape
    down, right = max(-shift, 0), max(shift, 0)
    shape = (*others, max(min(rows - down, columns - right), 0))
    place = index(len(others), shape)
    starts = [elementwise("add", place, scalar(start, place.dtype)) for start in (down, right)]
    coordinates: list[Node | Along] = [*map(Along, range(len(others))), *starts]
    axes = followed_letters(node.axes, [*range(len(others)), None])
    found = gather(node, coordinates, shape, axes, "diagonal", is_inside=True)
    return Array(found, common_device("diagonal", (x,)))


def _matrix(operation: str, node: Node) -> Node:
    if len(node.shape) < 2:
        raise ShapeError(
            f"{operation}: an array of {len(node.shape)} axes, shape {node.shape}; it takes two or "
            "more"
        )
    return node


def _band(operation: str, node: Node, low: int | None, high: int | None) -> Node:
    """Return the matrix with zero below diagonal `low` and above diagonal `high`."""
    node = _matrix(operation, node)
    least, most = node.diagonals or entire(node.shape)
    bottom = least if low is None else min(max(low, least), most + 1)
    top = most if high is None else max(min(high, most), least - 1)
    return banded(node, (bottom, top))
