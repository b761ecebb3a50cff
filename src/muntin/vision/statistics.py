"""Statistics of images: counts of values, sums, means and deviations."""

from __future__ import annotations

from functools import cache
from typing import Any

from muntin.array.array import Array
from muntin.array.counting import counted
from muntin.array.elementwise import where
from muntin.array.program import Program, program
from muntin.array.reductions import mean, std
from muntin.array.scans import cumulative_sum
from muntin.core.loops.parameters import Input, Output
from muntin.errors import DTypeError, ParameterError, ShapeError
from muntin.vision.expression import type_of
from muntin.vision.operands import image, whole

__all__ = ["equalize_hist", "histogram", "integral", "mean_stddev"]

_MOST = 1 << 24
_FAR = 1 << 32


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
    counts = counted(places._node, last, "uint32", is_inside=True)
    return Array(counts._node, places._device)[:count]


def _places(pixels: Array, bins: int, offset: int, length: int) -> tuple[Array, int]:
    """Return the bin of each pixel, and how many there are: what is not counted has one too."""
    if type_of(pixels).name == "uint8" and (bins, offset, length) == (256, 0, 256):
        return pixels, bins
    apart = pixels.astype("int64") - offset
    inside = (apart >= 0) & (apart < length)
    dtype = "uint8" if bins < 256 else "uint16" if bins < 1 << 16 else "int32"
    return where(inside, apart * bins // length, bins).astype(dtype), bins + 1


def equalize_hist(img: Any) -> Array:
    """Return an image whose brightness is spread evenly over all 256 values.

    Parameters
    ----------
    img : array_like of uint8
        An image of one channel.

    Returns
    -------
    Array
        uint8. The counts are those of the part that is valid, and so is the result.

    Raises
    ------
    DTypeError
        If the image is not uint8.
    ShapeError
        If it is no image of axes y and x.

    Notes
    -----
    OpenVX 1.1, Equalize Histogram: a value v becomes 255 (c(v) - c0) / (n - c0), rounded to
    nearest, halves up, where c(v) pixels of n are at most v, and c0 have the least value. An image
    of a single value stays what it is. Counted, made a table and looked up by the device, in a few
    kernels, none of which waits for the caller.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> vx.equalize_hist(np.array([[10, 11], [12, 12]], np.uint8)).tolist()
    [[0, 85], [255, 255]]
    """
    pixels = image("equalize_hist", img)
    if type_of(pixels).name != "uint8":
        raise DTypeError(
            f"equalize_hist: the image is {type_of(pixels)} {pixels.shape}; it takes uint8; cast "
            'it with .astype("uint8")'
        )
    if pixels.ndim != 2:
        raise ShapeError(
            f"equalize_hist: the image {pixels.shape} has axes {pixels.axes!r}; it takes one of "
            "axes y and x; take one image and one channel of it"
        )
    table: Array = _levels()(histogram(pixels))
    return table[pixels]


@cache
def _levels() -> Program:
    """Return the program that makes the table of an equalisation of the counts."""

    @program(counts=Input("uint32", 1), table=Output("uint8", 1, lambda counts: counts))
    def levels(p: Any, counts: Any, table: Any) -> None:
        total, least = p.variable(0, "int64"), p.variable(0, "int64")
        with p.for_(counts.shape[0]) as v:
            count = p.cast(counts[v], "int64")
            total += count
            least.assign(p.where(least == 0, count, least))
        apart = p.let(total - least)
        upto = p.variable(0, "int64")
        with p.for_(counts.shape[0]) as v:
            upto += p.cast(counts[v], "int64")
            level = (p.maximum(upto - least, 0) * 510 + apart) // p.maximum(apart * 2, 1)
            table[v] = p.cast(p.where(apart > 0, level, v), "uint8")

    return levels


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
