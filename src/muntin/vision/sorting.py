"""Sorting networks over images: every exchange is a minimum and a maximum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from muntin.array.array import Array
from muntin.vision.expression import apply

__all__ = ["exchanges", "middle", "middle_of_columns", "sort"]

# Three columns of 3 x 3 values that ascend from plane to plane and from row to row have their
# median at place 15 after these exchanges: what is left of a sorting network without all that such
# columns do not need.
# fmt: off
_OF_27 = (
    (6, 15), (16, 7), (7, 25), (19, 1), (11, 20), (22, 4), (23, 14), (9, 0), (6, 24), (14, 17),
    (7, 16), (2, 20), (10, 1), (5, 26), (7, 1), (2, 11), (14, 20), (5, 23), (2, 10), (3, 12),
    (8, 23), (13, 22), (13, 6), (5, 11), (10, 0), (12, 21), (0, 12), (15, 24), (4, 22), (18, 19),
    (4, 21), (12, 6), (24, 8), (16, 14), (24, 16), (22, 24), (11, 4), (6, 19), (5, 15), (5, 11),
    (7, 21), (7, 11), (19, 3), (3, 22), (15, 21), (1, 4), (1, 11), (1, 3), (11, 22), (11, 15),
    (3, 11), (15, 11),
)
# fmt: on
_MEDIAN_OF_27 = 15


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
    return _exchanged(values, exchanges(len(values)))


def _exchanged(values: Sequence[Array], network: Iterable[tuple[int, int]]) -> list[Array]:
    """Return the values at each pixel after exchanges: the lesser one goes to the first place."""
    placed = list(values)
    for low, high in network:
        a, b = placed[low], placed[high]
        placed[low], placed[high] = apply("minimum", a, b), apply("maximum", a, b)
    return placed


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
    if planes == rows == wide == 3:
        return _exchanged([value for column in columns for value in column], _OF_27)[_MEDIAN_OF_27]
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
