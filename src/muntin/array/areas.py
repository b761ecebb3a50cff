"""Means over areas: an array made smaller or larger, each element the mean of what it covers.

Along an axis of n elements that becomes one of m, element j covers what lies between j·n/m and
(j + 1)·n/m: whole elements and parts of them. In units of 1/m all parts are whole numbers, whose
sum is n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import gcd, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.array.creation import asarray
from muntin.array.indexing import indexed
from muntin.core.graph.build import cast, constant, elementwise, keep, renamed, scalar
from muntin.core.graph.gathering import Along, gather
from muntin.core.graph.node import Node
from muntin.core.graph.reductions import reduced
from muntin.core.graph.reshaping import reshape
from muntin.dtypes import DTYPES, DType, integer_type

__all__ = ["averaged"]

_MOST_TERMS = 8  # of a sum that is written out; one of more is a loop
_MOST_READS = 16  # of a kernel, along several axes


def averaged(node: Node, sizes: Mapping[int, int], operation: str) -> Node:
    """Return an array with some axes made shorter or longer, its elements means over areas.

    Parameters
    ----------
    node
        Numbers, along whose axes there are some.
    sizes
        The new lengths, at least 1, of some axes.

    Returns
    -------
    Node
        Of the type of the array. Integers are the exact means, rounded to the nearest, halves up,
        where 64 bits hold their sums; others and floats are the mean along one axis after the
        other of the differences to the first element, in float64 or the type of the array. So equal
        elements have themselves as their mean.
    """
    covers = {
        axis: _Cover.of(node.shape[axis], size)
        for axis, size in sizes.items()
        if size != node.shape[axis]
    }
    dtype = node.dtype
    total = prod(cover.whole for cover in covers.values())
    if dtype.is_integer:
        wide = integer_type(total * dtype.least, total * dtype.greatest + total // 2)
        if wide is not None:
            return cast(_integers(node, covers, total, wide, operation), dtype)
    found = cast(node, dtype.computed if dtype.is_float else DTYPES["float64"])
    for axis, cover in covers.items():
        found = cover.mean(found, axis, operation)
    if dtype.is_integer:
        half = scalar(0.5, found.dtype)
        found = elementwise("floor", elementwise("add", found, half))
    return cast(found, dtype, saturate=True)


def _integers(
    node: Node, covers: Mapping[int, _Cover], total: int, wide: DType, operation: str
) -> Node:
    dtype, weight, reads, found = node.dtype, 1, 1, node
    for axis, cover in covers.items():
        reads *= cover.whole
        if cover.is_even and reads > max(cover.whole, _MOST_READS):
            found, reads = keep(found), cover.whole
        weight *= cover.whole
        held = integer_type(weight * dtype.least, weight * dtype.greatest)
        assert held is not None
        found = cover.sum(found, axis, held, operation)
    if total == 1:
        return found
    # How many are added up is compiled in anyway where they are read as views.
    is_known = all(cover.is_even and cover.whole <= _MOST_TERMS for cover in covers.values())
    number = constant if is_known else scalar
    rounded = elementwise("add", cast(found, wide), number(total // 2, wide))
    return elementwise("floor_divide", rounded, number(total, wide))


@dataclass(frozen=True, slots=True, eq=False)
class _Cover:
    """What each element of a new axis covers of an old one.

    Attributes
    ----------
    whole
        What the weights of an element sum to.
    places, weights
        For each term of the sums and each new element an old one and its part. Where fewer are
        covered the first is there again, without weight.
    is_even
        Whether all elements cover as many whole ones.
    """

    whole: int
    places: npt.NDArray[np.int64]
    weights: npt.NDArray[np.int64]
    is_even: bool

    @staticmethod
    @lru_cache(maxsize=64)
    def of(length: int, size: int) -> _Cover:
        """Return what `size` elements cover of `length`."""
        common = gcd(length, size)
        whole, part = length // common, size // common
        start = np.arange(size) * whole
        places = start // part + np.arange((whole - 2) // part + 2)[:, None]
        low = np.maximum(places * part, start)
        weights = np.minimum((places + 1) * part, start + whole) - low
        places = np.where(weights > 0, places, places[0])
        return _Cover(whole, places, np.maximum(weights, 0), part == 1)

    def sum(self, node: Node, axis: int, dtype: DType, operation: str) -> Node:
        """Return the weighted sums along an axis, in an integer type."""

        def product(places: Any, weights: Any) -> Node:
            taken = cast(_taken(node, axis, places, operation), dtype)
            return elementwise("multiply", taken, _beside(weights, node, axis, dtype))

        if self.is_even:
            return self.even_sum(node, axis, dtype, operation)
        if len(self.places) > _MOST_TERMS:
            return _folded(product(self.places, self.weights), axis, node.axes, operation)
        return reduce(_sum, map(product, self.places, self.weights))

    def even_sum(self, node: Node, axis: int, dtype: DType, operation: str) -> Node:
        """Return sums without weights, which are read as views."""
        node = cast(node, dtype)
        if self.whole > _MOST_TERMS:
            before, size, after = node.shape[:axis], len(self.places[0]), node.shape[axis + 1 :]
            apart = reshape(node, (*before, size, self.whole, *after), operation)
            return _folded(apart, axis + 1, node.axes, operation)
        rows = [slice(None)] * axis
        return reduce(
            _sum, [indexed(node, (*rows, slice(k, None, self.whole))) for k in range(self.whole)]
        )

    def mean(self, node: Node, axis: int, operation: str) -> Node:
        """Return the weighted means along an axis of floats."""
        first = _taken(node, axis, self.places[0], operation)
        same = scalar(-0.0, node.dtype)  # which changes no sum

        def difference(places: Any, weights: Any, first: Node) -> Node:
            taken = _taken(node, axis, places, operation)
            parts = _beside(weights / self.whole, node, axis, node.dtype)
            apart = elementwise("multiply", elementwise("subtract", taken, first), parts)
            return elementwise("where", elementwise("equal", taken, first), same, apart)

        places, weights = self.places[1:], self.weights[1:]
        if len(self.places) > _MOST_TERMS:
            line = indexed(first, (*[slice(None)] * axis, None))
            found = [_folded(difference(places, weights, line), axis, node.axes, operation)]
        else:
            found = [difference(*each, first) for each in zip(places, weights, strict=True)]
        return reduce(_sum, found, first)


def _taken(node: Node, axis: int, places: npt.NDArray[np.int64], operation: str) -> Node:
    """Return the elements at some places along an axis, in whose place their axes stand."""
    more = places.ndim - 1
    index = "int32" if node.shape[axis] < 1 << 31 else "int64"
    coordinates = [
        _beside(places, node, axis, DTYPES[index]) if k == axis else Along(k + more * (k > axis))
        for k in range(len(node.shape))
    ]
    shape = (*node.shape[:axis], *places.shape, *node.shape[axis + 1 :])
    letters = None if more else node.axes
    return gather(node, coordinates, shape, letters, operation, is_inside=True)


def _beside(table: npt.NDArray[Any], node: Node, axis: int, dtype: DType) -> Node:
    """Return a table along an axis of a node as an operand beside it."""
    array = table.astype(dtype.numpy).reshape(*table.shape, *[1] * (len(node.shape) - axis - 1))
    return asarray(array)._node


def _folded(node: Node, axis: int, letters: str | None, operation: str) -> Node:
    """Return the sums along an axis, whose other axes have letters."""
    return renamed(reduced("sum", node, (axis,), operation), letters)


def _sum(a: Node, b: Node) -> Node:
    return elementwise("add", a, b)
