"""Sorting networks over images: every exchange is a minimum and a maximum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from muntin.array.array import Array
from muntin.vision.expression import apply

__all__ = ["exchanges", "middle", "middle_of_columns", "sort"]


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """Yield the places that K. E. Batcher's merge exchange compares (Knuth, TAOCP 3, 5.2.2)."""
    top = 1 << max((count - 1).bit_length() - 1, 0)
    block = top if count > 1 else 0
    while block:
        step, rest, distance = top, 0, block
        while distance:
            for place in range(count - distance):
                if place & block == rest:
                    yield place, place + distance
            distance, step, rest = step - block, step >> 1, block
        block >>= 1


def sort(values: Sequence[Array]) -> list[Array]:
    """Return the values at each pixel in ascending order; what nobody reads is not computed."""
    ordered = list(values)
    for low, high in exchanges(len(ordered)):
        a, b = ordered[low], ordered[high]
        ordered[low], ordered[high] = apply("minimum", a, b), apply("maximum", a, b)
    return ordered


def middle(values: Sequence[Array]) -> Array:
    """Return the median at each pixel; of an even number, the upper one."""
    return sort(values)[len(values) // 2]


def middle_of_columns(columns: Sequence[Sequence[Array]], planes: int = 1) -> Array:
    """Return the median of columns of equal, odd length, each in ascending order.

    A column of several planes holds those of each plane in ascending order, which ascend from plane
    to plane. Once the rows across the columns are sorted too, the value in plane h, row i and
    column j has (h + 1)(i + 1)(j + 1) - 1 others below it and as many above as its opposite has
    below: many can no longer be the median.
    """
    rows, wide = len(columns[0]) // planes, len(columns)
    rank = planes * rows * wide // 2
    left: list[Array] = []
    for place, row in enumerate(zip(*columns, strict=True)):
        h, i = divmod(place, rows)
        for j, value in enumerate(sort(row)):
            below = (h + 1) * (i + 1) * (j + 1) - 1
            above = (planes - h) * (rows - i) * (wide - j) - 1
            if below <= rank and above <= rank:
                left.append(value)
    return middle(left)
