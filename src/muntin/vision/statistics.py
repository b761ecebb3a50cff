"""Statistics of images: counts of values, sums, means and deviations."""

from __future__ import annotations

from functools import cache
from typing import Any

from muntin.array.array import Array
from muntin.array.elementwise import where
from muntin.array.program import Program, program
from muntin.array.reductions import mean, std
from muntin.array.scans import cumulative_sum
from muntin.core.loops.parameters import Input, Output, Scalar, Scratch
from muntin.errors import DTypeError, ParameterError
from muntin.vision.expression import type_of
from muntin.vision.operands import image, whole

__all__ = ["histogram", "integral", "mean_stddev"]

_MOST = 1 << 24
_FAR = 1 << 32
_BLOCKS = 16  # parts of an image that are counted apart
_MOST_COUNTS = 1 << 20  # in all tables, unless a single part has more
_TABLES = 4  # of each part, in turn: equal neighbours do not wait for each other


def histogram(img: Any, bins: int = 256, offset: int = 0, range: int = 256) -> Array:
    """Return how often the values of an image fall into bins.

    Parameters
    ----------
    img : array_like of integers
        An image, or several, of up to 32 bits.
    bins : int
        The number of bins.
    offset : int
        The least value that is counted.
    range : int
        So many values from `offset` on are counted: value v in bin (v - offset) * bins // range.

    Returns
    -------
    Array
        `bins` counts, uint32. Of an image that is only valid in part that part counts.

    Raises
    ------
    DTypeError
        If the image does not hold integers of up to 32 bits.
    ParameterError
        If `bins` or `range` is not a positive int, or `offset` no int, or if they are too large.

    Notes
    -----
    OpenVX 1.1, Histogram.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> vx.histogram(np.array([[0, 1], [1, 250]], np.uint8), bins=4).tolist()
    [3, 0, 0, 1]
    """
    pixels = image("histogram", img, "ui").valid()
    if type_of(pixels).bits > 32:
        raise DTypeError(
            f"histogram: the image is {type_of(pixels)} {pixels.shape}; it takes integers of up to "
            '32 bits; cast it with .astype("int32", overflow="saturate")'
        )
    count, first, length = whole(bins) or 0, whole(offset), whole(range) or 0
    if first is None or abs(first) > _FAR or not (0 < count < _MOST and 0 < length < _MOST):
        raise ParameterError(
            f"histogram: bins is {bins!r}, offset {offset!r} and range {range!r}; bins and range "
            f"must be from 1 to {_MOST - 1}, offset an int of up to 32 bits"
        )
    places, last = _places(pixels, count, first, length)
    rows = places.reshape(-1, places.shape[-1]) if places.size else places.reshape(1, 0)
    counts: Array = _counting(type_of(rows).name)(rows, last)
    return counts[:count]


def _places(pixels: Array, bins: int, offset: int, length: int) -> tuple[Array, int]:
    """Return the bin of each pixel, and how many there are: what is not counted has one too."""
    if type_of(pixels).name == "uint8" and (bins, offset, length) == (256, 0, 256):
        return pixels, bins
    apart = pixels.astype("int64") - offset
    inside = (apart >= 0) & (apart < length)
    dtype = "uint8" if bins < 256 else "uint16" if bins < 1 << 16 else "int32"
    return where(inside, apart * bins // length, bins).astype(dtype), bins + 1


@cache
def _counting(dtype: str) -> Program:
    """Return the program that counts each of so many numbers in the rows of an image."""

    def tables(numbers: tuple[int, ...], bins: int) -> tuple[int, int, int]:
        most = max(_MOST_COUNTS // (_TABLES * bins), 1)
        return min(numbers[0], _BLOCKS, most), _TABLES, bins

    @program(
        numbers=Input(dtype, 2),
        bins=Scalar("int64"),
        counts=Output("uint32", 1, lambda bins: bins),
        tables=Scratch("uint32", 3, tables),
    )
    def count(p: Any, numbers: Any, bins: Any, counts: Any, tables: Any) -> None:
        rows, columns = numbers.shape
        blocks = tables.shape[0]
        in_turn = columns // _TABLES * _TABLES
        with (
            p.parallel(blocks) as block,
            p.for_(rows * block // blocks, rows * (block + 1) // blocks) as y,
        ):
            with p.for_(0, in_turn, _TABLES) as x:
                for table in (0, 1, 2, 3):
                    tables[block, table, numbers[y, x + table]] += 1
            with p.for_(in_turn, columns) as x:
                tables[block, 0, numbers[y, x]] += 1
        with p.for_(blocks) as block, p.for_(_TABLES) as table, p.for_(bins) as number:
            counts[number] += tables[block, table, number]

    return count


def integral(img: Any) -> Array:
    """Return the sums of all pixels above and to the left of each, the pixel included.

    Parameters
    ----------
    img : array_like of uint8
        An image, or several; channels are summed apart.

    Returns
    -------
    Array
        uint32; sums wrap.

    Raises
    ------
    BorderError
        If the image is only valid in part.

    Notes
    -----
    OpenVX 1.1, Integral Image. One kernel, if x is the last axis.
    """
    pixels = image("integral", img, "u")
    assert pixels.axes is not None
    along = cumulative_sum(pixels, axis=pixels.axes.index("x"), dtype="uint32")
    return cumulative_sum(along, axis=pixels.axes.index("y"), dtype="uint32")


def mean_stddev(img: Any) -> tuple[Array, Array]:
    """Return the mean and the standard deviation of all pixels.

    Parameters
    ----------
    img : array_like
        An image, or several.

    Returns
    -------
    mean, stddev : Array
        Single numbers, float32. Of an image that is only valid in part that part counts.

    Notes
    -----
    OpenVX 1.1, Mean and Standard Deviation, of a population. Both in one pass.
    """
    pixels = image("mean_stddev", img).valid()
    return mean(pixels).astype("float32"), std(pixels).astype("float32")
