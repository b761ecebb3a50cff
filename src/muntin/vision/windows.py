"""Sums and extremes over windows: along z, then down the columns, then along the rows.

The first pass alone reads other planes: those of an input are loaded where they lie, those of an
intermediate would have to be stored. The vertical pass reads no pixel to the left or right, so that
an input needs no halo of columns, and the horizontal pass reads rows that lie in cache. Along z
nothing is shared between windows: every plane is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import product
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.core.border import Border, BorderMode
from muntin.core.graph.node import Number
from muntin.dtypes import DType
from muntin.vision.expression import (
    apply,
    beside,
    constant,
    fitted,
    spatial,
    sum_down,
    type_of,
    whole_type,
)

__all__ = ["Offset", "box_sum", "correlated", "extreme", "extreme_of", "separated"]

Offset: TypeAlias = tuple[int, ...]  # along each spatial axis

_FEW = 7  # windows of up to this many pixels are read one by one
_REFLECTED = (BorderMode.SYMMETRIC, BorderMode.REFLECT101)
_Read: TypeAlias = Callable[[Array, int, Border], Array]
_Part = TypeVar("_Part", bound=Any)  # what a line is made of


def _reader(letter: str) -> _Read:
    return lambda x, offset, border: beside(x, letter, offset, border)


# --- weighted sums --------------------------------------------------------------------------------


def gain(weights: Sequence[Number]) -> tuple[int, int]:
    """Return the sums of the whole weights above 0, and of those below without their sign."""
    return sum(int(w) for w in weights if w > 0), -sum(int(w) for w in weights if w < 0)


def sum_type(function: str, dtype: DType, gains: tuple[int, int]) -> DType:
    """Return the type in which sums of such weights are exact; floats keep theirs."""
    if dtype.is_float:
        return dtype
    plus, minus = gains
    least = plus * dtype.least - minus * dtype.greatest
    greatest = plus * dtype.greatest - minus * dtype.least
    return whole_type(function, dtype, least, greatest)


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
    function: str, image: Array, matrix: npt.NDArray[np.generic], border: Border
) -> Array:
    """Return the sums of a centred matrix times the pixels under it, in raster order."""
    weights = matrix.ravel().tolist()
    dtype = sum_type(function, type_of(image), (0, 0) if type_of(image).is_float else gain(weights))
    offsets = product(*[range(-(size // 2), size - size // 2) for size in matrix.shape])
    terms = [
        (image.at(*offset, border=border), weight)
        for offset, weight in zip(offsets, weights, strict=True)
        if weight
    ]
    return weighted(terms, dtype) if terms else _zeros(image, dtype)


def _zeros(image: Array, dtype: DType) -> Array:
    zero = constant(0, dtype)
    return apply("where", image != image, zero, zero)


def separated(
    function: str,
    image: Array,
    taps: Sequence[Sequence[Number]],
    border: Border,
    *,
    order: str = "zyx",
) -> Array:
    """Return the sums of the outer product of taps, a list an axis, times the pixels under it.

    The axes are summed over one after the other. Reads in z should come first: of sums they need
    all planes stored.
    """
    dtype, (plus, minus) = type_of(image), (1, 0)
    lists = dict(zip(spatial(image), taps, strict=True))
    for letter in order:
        if letter not in lists:
            continue
        along = lists[letter]
        if not dtype.is_float:
            more, less = gain(along)
            plus, minus = plus * more + minus * less, plus * less + minus * more
        x = fitted(image, sum_type(function, dtype, (plus, minus)))
        image = _pass(x, along, border, _reader(letter))
        border = _outside(border, along, dtype)
    return image


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


def box_sum(function: str, image: Array, sizes: Sequence[int], border: Border) -> Array:
    """Return the sums over a centred box; of floats axis by axis, taps in ascending order."""
    dtype = type_of(image)
    if dtype.is_float:
        return separated(function, image, [(1,) * size for size in sizes], border)
    count = 1
    for letter, size in zip(spatial(image), sizes, strict=True):
        x = fitted(image, sum_type(function, dtype, (count * size, 0)))
        outside, read = _times_border(border, count), _reader(letter)
        if letter == "x":
            image = _run(x, size, outside, read)
        elif letter == "y" and size > _FEW:
            image = sum_down(x, size // 2, outside)
        else:
            image = _pass(x, (1,) * size, outside, read)
        count *= size
    return image


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


def extreme(row: str, image: Array, sizes: Sequence[int], border: Border) -> Array:
    """Return the "minimum" or "maximum" over a centred box."""
    for letter, size in zip(spatial(image), sizes, strict=True):
        read = _reader(letter)
        if letter == "z":
            image = _extreme_of_few(row, image, size, border, read)
        else:
            image = _extreme_run(row, image, size, border, read)
    return image


def _extreme_of_few(row: str, x: Array, size: int, border: Border, read: _Read) -> Array:
    window = [read(x, offset - size // 2, border) for offset in range(size)]
    return reduce(lambda a, b: apply(row, a, b), window)


def _extreme_run(row: str, x: Array, size: int, border: Border, read: _Read) -> Array:
    if size <= _FEW:
        return _extreme_of_few(row, x, size, border, read)
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


def extreme_of(row: str, image: Array, offsets: Sequence[Offset], border: Border) -> Array:
    """Return the "minimum" or "maximum" over any set of offsets along the spatial axes.

    Pixels of the set that stand above one another in z are one expression wherever they do so in
    the same way, and so are rows of the set that hold the same.
    """
    rank = len(spatial(image))

    def read(x: Array, *offset: int) -> Array:
        return x.at(*offset[-rank:], border=border)

    stacks: dict[tuple[int, int], tuple[int, ...]] = {}
    for *dz, dy, dx in sorted(offsets):
        stacks[dy, dx] = (*stacks.get((dy, dx), ()), *(dz or (0,)))
    deep = _nested(row, stacks.values(), lambda dz: read(image, dz, 0, 0))

    def pixel(part: tuple[tuple[int, ...], int], dy: int) -> Array:
        stack, dx = part
        return read(deep[stack], 0, dy, dx) if len(stack) > 1 else read(image, *stack, dy, dx)

    lines: dict[int, tuple[tuple[tuple[int, ...], int], ...]] = {}
    for (dy, dx), stack in sorted(stacks.items()):
        lines[dy] = (*lines.get(dy, ()), (stack, dx))
    found = _nested(row, lines.values(), lambda part: pixel(part, 0))
    moved = [
        read(found[line], 0, dy, 0) if len(line) > 1 else pixel(line[0], dy)
        for dy, line in sorted(lines.items())
    ]
    return reduce(lambda a, b: apply(row, a, b), moved)


def _nested(
    row: str, lines: Iterable[tuple[_Part, ...]], read: Callable[[_Part], Array]
) -> dict[tuple[_Part, ...], Array]:
    """Return the extreme of each line, which begins with what a line of fewer parts has found."""
    found: dict[tuple[_Part, ...], Array] = {}
    for line in sorted(set(lines), key=lambda line: (len(line), line)):
        start = max((known for known in found if set(known) < set(line)), key=len, default=())
        rest = [read(part) for part in line if part not in start]
        found[line] = reduce(
            lambda a, b: apply(row, a, b), [found[start], *rest] if start else rest
        )
    return found
