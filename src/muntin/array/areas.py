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
from typing import Any, TypeAlias

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

Table: TypeAlias = npt.NDArray[np.int64]

_MOST_TERMS = 8  # of a sum that is written out; one of more is a loop
_MOST_READS = 16  # of a kernel, along several axes
_LARGEST_KEPT = 1 << 16  # entries of a table


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
            return cast(_mean_of_integers(node, covers, wide, operation), dtype)
    found = cast(node, dtype.computed if dtype.is_float else DTYPES["float64"])
    for axis, cover in covers.items():
        found = cover.mean(_readable(found, axis, covers), axis, operation)
    if dtype.is_integer:
        half = scalar(0.5, found.dtype)
        found = elementwise("floor", elementwise("add", found, half))
    return cast(found, dtype, saturate=True)


def _mean_of_integers(
    node: Node, covers: Mapping[int, _Cover], wide: DType, operation: str
) -> Node:
    """Return the exact means, rounded, in a type that holds all sums."""
    dtype, total, found = node.dtype, 1, node
    for axis, cover in covers.items():
        total *= cover.whole
        held = integer_type(total * dtype.least, total * dtype.greatest)
        assert held is not None
        found = cover.sum(_readable(found, axis, covers), axis, held, operation)
    if total == 1:
        return found
    # How many are added up is compiled in anyway where they are read as views.
    is_known = all(cover.is_even and not cover.is_long for cover in covers.values())
    number = constant if is_known else scalar
    rounded = elementwise("add", cast(found, wide), number(total // 2, wide))
    return elementwise("floor_divide", rounded, number(total, wide))


def _readable(node: Node, axis: int, covers: Mapping[int, _Cover]) -> Node:
    """Return what is read along an axis: stored, if it were too many reads for one kernel."""
    reads = 1
    for each, cover in covers.items():
        is_many = cover.is_even and reads * cover.whole > max(cover.whole, _MOST_READS)
        reads = cover.whole if is_many or not cover.is_even else reads * cover.whole
        if each == axis:
            return keep(node) if is_many else node
    return node


@dataclass(frozen=True, slots=True)
class _Cover:
    """What each of `size` elements of a new axis covers of an old one.

    In lowest terms it is `whole`, of which an old element is a `part`.
    """

    whole: int
    part: int
    size: int

    @classmethod
    def of(cls, length: int, size: int) -> _Cover:
        """Return what `size` elements cover of `length`."""
        common = gcd(length, size)
        return cls(length // common, size // common, size)

    @property
    def is_even(self) -> bool:
        """Whether all elements cover as many whole ones: views show them, and none has a weight."""
        return self.part == 1

    @property
    def terms(self) -> int:
        """How many old elements a new one covers at most."""
        return (self.whole - 2) // self.part + 2

    @property
    def is_long(self) -> bool:
        return self.terms > _MOST_TERMS

    def sum(self, node: Node, axis: int, dtype: DType, operation: str) -> Node:
        """Return the weighted sums along an axis, in an integer type."""

        def weighed(taken: Node, terms: int | slice) -> Node:
            taken = cast(taken, dtype)
            if self.is_even:
                return taken
            weights = _beside(self.tables()[1][terms], node, axis, dtype)
            return elementwise("multiply", taken, weights)

        if self.is_long:
            taken, along = self.spread(node, axis, operation)
            return _folded(weighed(taken, slice(None)), along, node.axes, operation)
        terms = range(self.terms)
        return reduce(_sum, [weighed(self.term(node, axis, k, operation), k) for k in terms])

    def mean(self, node: Node, axis: int, operation: str) -> Node:
        """Return the weighted means along an axis of floats."""
        first = self.term(node, axis, 0, operation)
        same = scalar(-0.0, node.dtype)  # which changes no sum

        def apart(taken: Node, first: Node, terms: int | slice) -> Node:
            if self.is_even:
                weights = scalar(1 / self.whole, node.dtype)
            else:
                weights = _beside(self.tables()[1][terms] / self.whole, node, axis, node.dtype)
            part = elementwise("multiply", elementwise("subtract", taken, first), weights)
            return elementwise("where", elementwise("equal", taken, first), same, part)

        if self.is_long:
            taken, along = self.spread(node, axis, operation)
            line = indexed(first, (*[slice(None)] * along, None))
            found = [_folded(apart(taken, line, slice(None)), along, node.axes, operation)]
        else:
            terms = range(1, self.terms)
            found = [apart(self.term(node, axis, k, operation), first, k) for k in terms]
        return reduce(_sum, found, first)

    def term(self, node: Node, axis: int, number: int, operation: str) -> Node:
        """Return of what each new element covers the old one of some number."""
        if self.is_even:
            return indexed(node, (*[slice(None)] * axis, slice(number, None, self.whole)))
        return _taken(node, axis, self.tables()[0][number], operation)

    def spread(self, node: Node, axis: int, operation: str) -> tuple[Node, int]:
        """Return all that each new element covers along an axis more, and which that is."""
        if not self.is_even:
            return _taken(node, axis, self.tables()[0], operation), axis
        before, after = node.shape[:axis], node.shape[axis + 1 :]
        return reshape(node, (*before, self.size, self.whole, *after), operation), axis + 1

    def tables(self) -> tuple[Table, Table]:
        """Return for each term and new element the old one and its weight.

        Where fewer are covered the first is there again, without weight.
        """
        is_small = self.terms * self.size <= _LARGEST_KEPT
        return (_tables if is_small else _tables.__wrapped__)(self)


@lru_cache(maxsize=64)
def _tables(cover: _Cover) -> tuple[Table, Table]:
    whole, part = cover.whole, cover.part
    start = np.arange(cover.size) * whole
    places = start // part + np.arange(cover.terms)[:, None]
    low = np.maximum(places * part, start)
    weights = np.minimum((places + 1) * part, start + whole) - low
    return np.where(weights > 0, places, places[0]), np.maximum(weights, 0)


def _taken(node: Node, axis: int, places: Table, operation: str) -> Node:
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
