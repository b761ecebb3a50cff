"""Sums and extremes over windows, first down the columns, then along the rows.

The vertical pass reads no pixel to the left or right, so that an input needs no halo of columns,
and the horizontal pass reads rows that lie in cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np

from muntin.array.array import Array
from muntin.core.border import Border, BorderMode
from muntin.core.graph.node import Number
from muntin.dtypes import DType
from muntin.vision.expression import (
    apply,
    beside,
    constant,
    fitted,
    sum_down,
    type_of,
    whole_type,
)

__all__ = ["box_sum", "correlated", "extreme", "extreme_of", "separated"]

_FEW = 7  # windows of up to this many pixels are read one by one
_REFLECTED = (BorderMode.SYMMETRIC, BorderMode.REFLECT101)
_Read: TypeAlias = Callable[[Array, int, Border], Array]


def _down(x: Array, offset: int, border: Border) -> Array:
    return beside(x, offset, 0, border)


def _along(x: Array, offset: int, border: Border) -> Array:
    return beside(x, 0, offset, border)


# --- weighted sums --------------------------------------------------------------------------------


def reach(dtype: DType, weights: Sequence[Number]) -> tuple[int, int]:
    """Return the least and the greatest weighted sum of integers."""
    least = sum(int(w) * (dtype.least if w > 0 else dtype.greatest) for w in weights)
    greatest = sum(int(w) * (dtype.greatest if w > 0 else dtype.least) for w in weights)
    return least, greatest


def sum_type(function: str, dtype: DType, weights: Sequence[Number]) -> DType:
    """Return the type in which a weighted sum is exact; floats keep theirs."""
    return dtype if dtype.is_float else whole_type(function, dtype, *reach(dtype, weights))


def weighted(terms: Sequence[tuple[Array, Number]], dtype: DType) -> Array:
    """Return the sum of pixels times weights in `dtype`; a weight of 0 is not read.

    Floats are added in the order given. Integers, which are exact in any order, are multiplied
    once for each weight.
    """
    terms = [(fitted(x, dtype), weight) for x, weight in terms if weight]
    if dtype.is_float:
        products = [_times(x, weight) for x, weight in terms]
        return reduce(lambda total, product: total + product, products)
    total: Array | None = None
    sizes = dict.fromkeys(abs(weight) for _, weight in sorted(terms, key=lambda term: term[1] < 0))
    for size in sizes:
        plus = [x for x, weight in terms if weight == size]
        minus = [x for x, weight in terms if weight == -size]
        if plus:
            group = reduce(lambda a, b: a - b, minus, reduce(lambda a, b: a + b, plus))
            total = _times(group, size) if total is None else total + _times(group, size)
        else:
            group = _times(reduce(lambda a, b: a + b, minus), size)
            total = -group if total is None else total - group
    assert total is not None
    return total


def _times(x: Array, weight: Number) -> Array:
    return x if weight == 1 else x * constant(weight, type_of(x))


def correlated(
    function: str, image: Array, matrix: Sequence[Sequence[Number]], border: Border
) -> Array:
    """Return the sums of a centred matrix times the pixels under it, row by row."""
    dtype = sum_type(function, type_of(image), [weight for row in matrix for weight in row])
    top, left = len(matrix) // 2, len(matrix[0]) // 2
    terms = [
        (beside(image, i - top, j - left, border), weight)
        for i, row in enumerate(matrix)
        for j, weight in enumerate(row)
        if weight
    ]
    return weighted(terms, dtype) if terms else _zeros(image, dtype)


def _zeros(image: Array, dtype: DType) -> Array:
    zero = constant(0, dtype)
    return apply("where", image != image, zero, zero)


def separated(
    function: str,
    image: Array,
    column: Sequence[Number],
    row: Sequence[Number],
    border: Border,
    *,
    rows_first: bool = False,
) -> Array:
    """Return the sums of column × row times the pixels under it, columns first unless told."""
    matrix = [a * b for a in column for b in row]
    passes = [(column, _down), (row, _along)]
    (first, read), (second, read_again) = reversed(passes) if rows_first else passes
    whole = sum_type(function, type_of(image), matrix)
    sums = _pass(fitted(image, sum_type(function, type_of(image), first)), first, border, read)
    outside = _outside(border, first, type_of(image))
    return _pass(fitted(sums, whole), second, outside, read_again)


def _pass(x: Array, taps: Sequence[Number], border: Border, read: _Read) -> Array:
    middle = len(taps) // 2
    terms = [(read(x, k - middle, border), tap) for k, tap in enumerate(taps) if tap]
    if tuple(taps) == (1, 2, 1) and not type_of(x).is_float:
        # Two sums of two: the next row, or the last, has one of them too.
        above, here, below = [term for term, _ in terms]
        return (above + here) + (here + below)
    return weighted(terms, type_of(x))


def _outside(border: Border, taps: Sequence[Number], dtype: DType) -> Border:
    """Return the border of the first sums: outside the image all that they add is constant."""
    if border.mode is not BorderMode.CONSTANT:
        return border
    if not dtype.is_float:
        return Border(border.mode, border.value * sum(map(int, taps)))
    kind = dtype.numpy.type
    with np.errstate(all="ignore"):
        products = [kind(border.value) * kind(tap) for tap in taps if tap]
        return Border(border.mode, float(reduce(lambda total, product: total + product, products)))


# --- sums of boxes --------------------------------------------------------------------------------


def box_sum(function: str, image: Array, rows: int, columns: int, border: Border) -> Array:
    """Return the sums over a centred box; of floats row by row, taps in ascending order."""
    if type_of(image).is_float:
        return separated(function, image, (1,) * rows, (1,) * columns, border)
    across = sum_type(function, type_of(image), (rows * columns,))
    down = sum_type(function, type_of(image), (rows,))
    tall = fitted(image, down)
    if rows > _FEW:
        sums = sum_down(tall, rows // 2, border)
    else:
        sums = _pass(tall, (1,) * rows, border, _down)
    return _run(fitted(sums, across), columns, _times_border(border, rows), _along)


def _times_border(border: Border, factor: int) -> Border:
    return Border(border.mode, border.value * factor)


def _run(x: Array, size: int, border: Border, read: _Read) -> Array:
    """Return the sums of `size` pixels in a row by additions of sums, which must be exact.

    A window on one side of a pixel, read beyond that side, holds the same pixel throughout under
    `replicate` and `constant`. A centred one is its own mirror image under the reflections.
    """
    if size <= _FEW:
        return _pass(x, (1,) * size, border, read)
    if border.mode in _REFLECTED:
        return _centred_sum(x, size, border, read)
    half = size // 2 + 1
    sides = _side_sum(x, half, -1, border, read) + _side_sum(x, half, 1, border, read)
    return sides - x


def _side_sum(x: Array, size: int, sign: int, border: Border, read: _Read) -> Array:
    """Return the sums of a pixel and the size - 1 pixels on one side of it."""
    part, width = x, 1
    total: Array | None = None
    taken = 0
    while True:
        outside = _times_border(border, width)
        if size & width:
            moved = read(part, sign * taken, outside)
            total = moved if total is None else total + moved
            taken += width
        if taken == size:
            assert total is not None
            return total
        part = part + read(part, sign * width, outside)
        width *= 2


def _centred_sum(x: Array, size: int, border: Border, read: _Read) -> Array:
    if size == 1:
        return x
    half = size // 2
    if half % 2:
        inner, step = _centred_sum(x, half, border, read), (half + 1) // 2
        return read(inner, -step, border) + x + read(inner, step, border)
    inner, step = _centred_sum(x, half + 1, border, read), half // 2
    return read(inner, -step, border) + read(inner, step, border) - x


# --- minima and maxima ----------------------------------------------------------------------------


def extreme(row: str, image: Array, rows: int, columns: int, border: Border) -> Array:
    """Return the "minimum" or "maximum" over a centred box."""
    lines = _extreme_run(row, image, rows, border, _down)
    return _extreme_run(row, lines, columns, border, _along)


def _extreme_run(row: str, x: Array, size: int, border: Border, read: _Read) -> Array:
    if size <= _FEW:
        half = size // 2
        window = [read(x, offset, border) for offset in range(-half, half + 1)]
        return reduce(lambda a, b: apply(row, a, b), window)
    half = size // 2
    if border.mode in _REFLECTED:
        reached = 1
        x = _extreme_run(row, x, 3, border, read)
        while reached < half:
            step = min(reached, half - reached)
            x = apply(row, read(x, -step, border), read(x, step, border))
            reached += step
        return x
    sides = [_extreme_side(row, x, half + 1, sign, border, read) for sign in (-1, 1)]
    return apply(row, *sides)


def _extreme_side(row: str, x: Array, size: int, sign: int, border: Border, read: _Read) -> Array:
    width = 1
    while width < size:
        step = min(width, size - width)
        x = apply(row, x, read(x, sign * step, border))
        width += step
    return x


def extreme_of(row: str, image: Array, offsets: Sequence[tuple[int, int]], border: Border) -> Array:
    """Return the "minimum" or "maximum" over any set of (row, column) offsets.

    Rows of the set that hold the same columns are one expression, and begin with what a row of
    fewer columns has found.
    """
    lines: dict[int, tuple[int, ...]] = {}
    for dy, dx in sorted(offsets):
        lines[dy] = (*lines.get(dy, ()), dx)
    found: dict[tuple[int, ...], Array] = {}
    for line in sorted(set(lines.values()), key=lambda line: (len(line), line)):
        start = max((part for part in found if set(part) < set(line)), key=len, default=())
        rest = [beside(image, 0, dx, border) for dx in line if dx not in start]
        found[line] = reduce(
            lambda a, b: apply(row, a, b), [found[start], *rest] if start else rest
        )
    moved = [
        beside(found[line], dy, 0, border)
        if len(line) > 1
        else beside(image, dy, min(line), border)
        for dy, line in sorted(lines.items())
    ]
    return reduce(lambda a, b: apply(row, a, b), moved)
