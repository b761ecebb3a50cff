"""What reductions compute, on nodes: the methods of an Array and the functions both use it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod as product
from typing import SupportsIndex, TypeAlias

import numpy.typing as npt

from muntin.core.graph.build import broadcast_to, cast, constant, elementwise, renamed
from muntin.core.graph.joining import concat
from muntin.core.graph.node import Node
from muntin.core.graph.reductions import kept_dimensions, reduced, scanned
from muntin.core.shapes import normalize_axes, normalize_axis
from muntin.dtypes import DTYPES, DType, dtype_of

__all__ = ["Axis", "Reduction", "accumulation"]

Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None

BOOL, INT64, UINT64, FLOAT64 = (DTYPES[name] for name in ("bool", "int64", "uint64", "float64"))


_MOST_EXACT = 1 << 23  # numbers of 8 bits, the square of whose sum is no more than int64 holds


class Reduction:
    """One call of a reduction: the array, the axes that go, and whether they stay with length 1."""

    def __init__(self, operation: str, node: Node, axis: Axis, *, keepdims: bool) -> None:
        self.operation = operation
        self.node = node
        self.axes = tuple(sorted(normalize_axes(axis, len(node.shape), operation)))
        self.keepdims = keepdims

    @property
    def count(self) -> int:
        """The number of elements that become one."""
        return product(self.node.shape[axis] for axis in self.axes)

    @property
    def floating(self) -> DType:
        """The type of a mean."""
        return self.node.dtype if self.node.dtype.is_float else FLOAT64

    def accumulated(self, dtype: DType | npt.DTypeLike | None) -> Node:
        """Return the sums or the products."""
        node = cast(self.node, _summing_type(self.node.dtype, dtype))
        return self._result(self._folded(self.operation, node))

    def nonzero(self) -> Node:
        """Return the numbers of elements that are not 0."""
        return self._result(self._folded("sum", cast(_truth(self.node), INT64)))

    def mean(self) -> Node:
        """Return the means; sums of integers of up to 32 bits are exact."""
        node = cast(self.node, self.node.dtype.computed)
        if not node.dtype.is_float:
            node = cast(node, FLOAT64 if node.dtype.bits == 64 else INT64)
        mean = elementwise("divide", self._folded("sum", node), self.count)
        return self._result(cast(mean, self.floating))

    def variance(self, correction: float) -> Node:
        """Return the variances."""
        return self._result(cast(self._variance(correction), self.floating))

    def deviation(self, correction: float) -> Node:
        """Return the standard deviations."""
        deviation = elementwise("sqrt", self._variance(correction))
        return self._result(cast(deviation, self.floating))

    def _variance(self, correction: float) -> Node:
        rest = float(self.count - correction)
        is_exact = self.node.dtype.bits == 8 and self.count <= _MOST_EXACT
        squares = self._exact_squares() if is_exact else self._squares()
        return elementwise("divide", squares, rest if rest > 0 else 0.0)

    def _squares(self) -> Node:
        return self._folded("deviation", cast(self.node, self.floating.computed))

    def _exact_squares(self) -> Node:
        """Return the sums of squares about the mean from exact sums: of numbers of 8 bits."""
        number = cast(self.node, INT64)
        total = self._folded("sum", number)
        squares = self._folded("sum", elementwise("multiply", number, number))
        scaled = elementwise("multiply", squares, self.count)
        apart = elementwise("subtract", scaled, elementwise("multiply", total, total))
        return elementwise("divide", apart, self.count)

    def chosen(self) -> Node:
        """Return extreme elements, or the positions of the first of them."""
        return self._result(self._folded(self.operation, self.node))

    def decided(self, fold: str) -> Node:
        """Return whether any or all elements are not 0."""
        if 0 in self.node.shape:
            shape = [n for axis, n in enumerate(self.node.shape) if axis not in self.axes]
            return self._result(broadcast_to(constant(fold == "min", BOOL), tuple(shape)))
        return self._result(self._folded(fold, _truth(self.node)))

    def logsumexp(self) -> Node:
        """Return the logarithms of sums of exponentials, of what the greatest exceeds."""
        node = cast(self.node, self.node.dtype.computed)
        if 0 in node.shape:
            total = self._folded("sum", elementwise("exp", node))
            found = elementwise("log", total)
        else:
            highest = self._folded("max", node)
            shift = elementwise("where", elementwise("isfinite", highest), highest, 0)
            powers = elementwise("exp", elementwise("subtract", node, self._kept(shift)))
            found = elementwise("add", elementwise("log", self._folded("sum", powers)), shift)
        return self._result(cast(found, self.node.dtype) if self.node.dtype.is_half else found)

    def _folded(self, fold: str, node: Node) -> Node:
        return reduced(fold, node, self.axes, self.operation)

    def _kept(self, node: Node) -> Node:
        return kept_dimensions(node, self.axes, self.node.axes)

    def _result(self, node: Node) -> Node:
        return self._kept(node) if self.keepdims else node


def accumulation(
    operation: str,
    fold: str,
    node: Node,
    axis: SupportsIndex,
    dtype: DType | npt.DTypeLike | None,
    *,
    include_initial: bool = False,
) -> Node:
    """Return the fold of all elements up to each along an axis; the first may be that of none."""
    place = normalize_axis(axis, len(node.shape), operation)
    is_choice = fold in ("min", "max")
    wide = node.dtype if is_choice and dtype is None else _summing_type(node.dtype, dtype)
    found = scanned(fold, cast(node, wide), place, operation)
    if not include_initial:
        return found
    shape = (*node.shape[:place], 1, *node.shape[place + 1 :])
    first = broadcast_to(constant(int(fold == "prod"), wide), shape)
    return concat([renamed(first, node.axes), found], place, operation)


def _summing_type(given: DType, dtype: DType | npt.DTypeLike | None) -> DType:
    if dtype is not None:
        return dtype_of(dtype)
    return given if given.is_float else UINT64 if given.kind == "u" else INT64


def _truth(node: Node) -> Node:
    return node if node.dtype.is_bool else elementwise("not_equal", node, constant(0, node.dtype))
