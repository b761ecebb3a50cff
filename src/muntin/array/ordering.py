"""Sorted elements, different elements, and where elements are, as NumPy finds them.

They are evaluated at once: which element goes where depends on all of them, so that no expression
could be fused with them, and of most the shape does too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import common_device, node_of
from muntin.array.tracing import is_tracing
from muntin.core.graph.build import check_whole
from muntin.core.shapes import normalize_axis
from muntin.errors import ShapeError, UnsupportedError

__all__ = [
    "UniqueAll",
    "UniqueCounts",
    "UniqueInverse",
    "argsort",
    "nonzero",
    "sort",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAll(NamedTuple):
    """What `unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `unique_inverse` returns."""

    values: Array
    inverse_indices: Array


def sort(
    x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """Return the elements in order along an axis; computed at once.

    Parameters
    ----------
    x : array_like
        An array of at least one axis.
    axis : int
        The axis along which elements are moved.
    descending : bool
        Whether the greatest comes first.
    stable : bool
        Whether equal elements keep their order.

    Returns
    -------
    Array
        Of the shape and type of x. NaN counts as greater than all numbers; -0.0 and 0.0 are equal.

    Raises
    ------
    ShapeError
        If there is no such axis.
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> mt.sort(np.array([[3, 1, 2], [9, 7, 8]]), descending=True).tolist()
    [[3, 2, 1], [9, 8, 7]]
    """
    given, values = _values("sort", x)
    place = _axis("sort", values, axis)
    if not descending:
        return given(np.sort(values, axis=place, stable=stable))
    return given(np.flip(np.sort(np.flip(values, place), axis=place, stable=stable), place))


def argsort(
    x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, stable: bool = True
) -> Array:
    """Return the indices that put the elements in order along an axis; computed at once.

    Parameters
    ----------
    x : array_like
        An array of at least one axis.
    axis : int
        The axis along which indices count.
    descending : bool
        Whether the greatest comes first.
    stable : bool
        Whether equal elements keep their order.

    Returns
    -------
    Array
        Of the shape of x, int64. NaN counts as greater than all numbers.

    Raises
    ------
    ShapeError
        If there is no such axis.
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> mt.argsort(np.array([20, 10, 20, 30]), descending=True).tolist()
    [3, 0, 2, 1]
    """
    given, values = _values("argsort", x)
    place = _axis("argsort", values, axis)
    if not descending:
        return given(np.argsort(values, axis=place, stable=stable))
    found = np.argsort(np.flip(values, place), axis=place, stable=stable)
    return given(values.shape[place] - 1 - np.flip(found, place))


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero, in C order; computed at once.

    Parameters
    ----------
    x : array_like
        An array of at least one axis.

    Returns
    -------
    tuple of Array
        For each axis the indices along it, int64. NaN is not zero.

    Raises
    ------
    ShapeError
        If x has no axis.
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> [each.tolist() for each in mt.nonzero(np.array([[0, 5], [7, 0]]))]
    [[0, 1], [1, 0]]
    """
    given, values = _values("nonzero", x)
    if not values.ndim:
        raise ShapeError("nonzero: the array has no axis; give it one: muntin.expand_dims(x)")
    return tuple([given(each) for each in np.nonzero(values)])


def unique_all(x: Any, /) -> UniqueAll:
    """Return the different elements, where each is first, which each is, and how often it is there.

    Parameters
    ----------
    x : array_like
        An array of any shape.

    Returns
    -------
    UniqueAll
        `values`, in order, each once, of one axis; `indices` of the first of each in the flat array
        and `counts`, of that shape; `inverse_indices`, in the shape of x, of each element among the
        values. Indices and counts are int64. No NaN equals another; -0.0 and 0.0 are equal.

    Raises
    ------
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> found = mt.unique_all(np.array([5, 2, 5]))
    >>> found.values.tolist(), found.indices.tolist()
    ([2, 5], [1, 0])
    >>> found.inverse_indices.tolist(), found.counts.tolist()
    ([1, 0, 1], [1, 2])
    """
    return _different("unique_all", x)


def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the different elements and how often each is there: see `unique_all`.

    Parameters
    ----------
    x : array_like
        An array of any shape.

    Returns
    -------
    UniqueCounts
        `values` and `counts`.

    Raises
    ------
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.
    """
    found = _different("unique_counts", x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the different elements and which each element is: see `unique_all`.

    Parameters
    ----------
    x : array_like
        An array of any shape.

    Returns
    -------
    UniqueInverse
        `values` and `inverse_indices`.

    Raises
    ------
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.
    """
    found = _different("unique_inverse", x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Array:
    """Return the different elements, in order: see `unique_all`.

    Parameters
    ----------
    x : array_like
        An array of any shape.

    Returns
    -------
    Array
        Of one axis and the type of x.

    Raises
    ------
    BorderError
        If x is only valid in part.
    UnsupportedError
        While a function is traced, when there are no elements.
    """
    return _different("unique_values", x).values


def _different(operation: str, x: Any) -> UniqueAll:
    given, values = _values(operation, x)
    different, first, places, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(
        given(different), given(first), given(places.reshape(values.shape)), given(counts)
    )


def _values(operation: str, x: Any) -> tuple[Callable[[npt.NDArray[Any]], Array], npt.NDArray[Any]]:
    """Return what makes Arrays that are committed as an operand is, and its elements."""
    array = x if isinstance(x, Array) else asarray(x)
    check_whole(node_of(operation, array), operation, "takes a whole array, but ")
    if is_tracing():
        raise UnsupportedError(
            f"{operation}: it needs elements, and there are none while muntin.function traces; "
            "call it on what the function returns"
        )
    device = common_device(operation, (array,))
    return lambda values: Array(asarray(values)._node, device), np.asarray(array)


def _axis(operation: str, values: npt.NDArray[Any], axis: SupportsIndex) -> int:
    return normalize_axis(axis, values.ndim, operation)
