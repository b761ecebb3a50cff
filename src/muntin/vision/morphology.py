"""Filters by rank: minima, maxima and medians of windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.core.border import Border
from muntin.errors import ParameterError
from muntin.vision.expression import apply, beside, spatial, type_of
from muntin.vision.keys import border_of_keys, from_keys, keys
from muntin.vision.operands import ANY, BorderLike, Size, choice, edge, image, size_of, whole
from muntin.vision.sorting import middle, middle_of_columns, sort
from muntin.vision.windows import Offset, extreme, extreme_of

__all__ = ["closing", "dilate", "erode", "median", "nonlinear", "opening"]

Element: TypeAlias = Size | npt.NDArray[np.generic]
Window: TypeAlias = tuple[int, ...] | list[Offset]  # the sizes of a box, or what a mask reads

_MOST = 81  # pixels of a median's window
_ROWS = {"min": "minimum", "max": "maximum"}


def erode(img: object, element: Element = 3, border: BorderLike = "replicate") -> Array:
    """Return the minimum of the window around each pixel.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    element : int, tuple of int, or array
        An odd size, odd numbers of rows and columns, or a 2-D mask: its elements that are not 0 are
        read, laid over the image with the middle, (rows // 2, columns // 2), on the pixel. Of a
        volume, planes come before rows, and a mask is 3-D.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    NaN wins, and -0.0 is less than 0.0. The number of comparisons for a box grows with the
    logarithm of its size, along z with the size. OpenVX 1.1, *Erode Image*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.erode(np.uint8([[5, 4, 3, 4, 5]])))
    array([[4, 3, 3, 3, 4]], dtype=uint8)
    """
    return _morphology("erode", img, element, border, ("minimum",))


def dilate(img: object, element: Element = 3, border: BorderLike = "replicate") -> Array:
    """Return the maximum of the window around each pixel.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    element : int, tuple of int, or array
        An odd size, odd numbers of rows and columns, or a 2-D mask: its elements that are not 0 are
        read, laid over the image with the middle, (rows // 2, columns // 2), on the pixel. Of a
        volume, planes come before rows, and a mask is 3-D.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    The mask is not mirrored. NaN wins, and -0.0 is less than 0.0. The number of comparisons for a
    box grows with the logarithm of its size, along z with the size. OpenVX 1.1, *Dilate Image*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.dilate(np.uint8([[0, 0, 7, 0, 0]])))
    array([[0, 7, 7, 7, 0]], dtype=uint8)
    """
    return _morphology("dilate", img, element, border, ("maximum",))


def opening(img: object, element: Element = 3, border: BorderLike = "replicate") -> Array:
    """Return the dilation, by the mirrored element, of the erosion.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    element : int, tuple of int, or array
        As for `erode`.
    border : str, BorderMode or Border
        What is read outside the image, and outside the erosion.

    Returns
    -------
    Array
        Of the image's shape and dtype; bright spots smaller than the element are gone.

    Notes
    -----
    No pixel is greater than it was, and a second opening changes nothing; near the edge that holds
    for boxes under the replicate border and the reflections. J. Serra, *Image Analysis and
    Mathematical Morphology*, 1982.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.opening(np.uint8([[0, 9, 0, 5, 5, 5]])))
    array([[0, 0, 0, 5, 5, 5]], dtype=uint8)
    """
    return _morphology("opening", img, element, border, ("minimum", "maximum"))


def closing(img: object, element: Element = 3, border: BorderLike = "replicate") -> Array:
    """Return the erosion, by the mirrored element, of the dilation.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    element : int, tuple of int, or array
        As for `dilate`.
    border : str, BorderMode or Border
        What is read outside the image, and outside the dilation.

    Returns
    -------
    Array
        Of the image's shape and dtype; dark spots smaller than the element are gone.

    Notes
    -----
    No pixel is less than it was, and a second closing changes nothing; near the edge that holds
    for boxes under the replicate border and the reflections. J. Serra, *Image Analysis and
    Mathematical Morphology*, 1982.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.closing(np.uint8([[9, 0, 9, 5, 5, 5]])))
    array([[9, 9, 9, 5, 5, 5]], dtype=uint8)
    """
    return _morphology("closing", img, element, border, ("maximum", "minimum"))


def _morphology(
    function: str, img: object, element: Element, border: BorderLike, rows: Sequence[str]
) -> Array:
    x = image(function, img, ANY)
    rule = edge(function, x, border)
    window = _window(function, x, element)
    for step, row in enumerate(rows):
        x = _over(row, x, _mirrored(window) if step % 2 else window, rule)
    return x


def _over(row: str, x: Array, window: Window, rule: Border) -> Array:
    if isinstance(window, tuple):
        return extreme(row, x, window, rule)
    return extreme_of(row, x, window, rule)


def _mirrored(window: Window) -> Window:
    if isinstance(window, tuple):
        return window
    return [tuple([-part for part in offset]) for offset in window]


def _window(function: str, x: Array, element: object) -> Window:
    """Return the sizes of a box, or the offsets of any other mask."""
    given = np.asarray(element)
    if given.ndim < 2:
        return size_of(function, x, given.tolist(), "element")
    mask = _mask(function, x, "element", given)
    if mask.all() and all(size % 2 for size in mask.shape):
        return mask.shape
    return _offsets(mask, _middle(mask))


def _mask(function: str, x: Array, name: str, mask: object) -> npt.NDArray[np.bool_]:
    found, count = np.asarray(mask), len(spatial(x))
    if found.ndim != count or found.dtype.kind not in "buif" or not found.any():
        raise ParameterError(
            f"{function}: {name} has dtype {found.dtype} and shape {found.shape}; it takes a "
            f"{count}-D array of numbers that are not all 0"
        )
    is_read: npt.NDArray[np.bool_] = found != 0
    return is_read


def _middle(mask: npt.NDArray[np.bool_]) -> Offset:
    return tuple([size // 2 for size in mask.shape])


def _offsets(mask: npt.NDArray[np.bool_], origin: Offset) -> list[Offset]:
    """Return where the elements of a mask lie from its origin, in raster order."""
    return list(map(tuple, (np.argwhere(mask) - origin).tolist()))


# --- medians --------------------------------------------------------------------------------------


def median(img: object, size: Size = 3, border: BorderLike = "replicate") -> Array:
    """Return the median of the window around each pixel.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    size : int or tuple of int
        An odd number, or odd numbers of rows and columns, of a volume of planes, rows and columns;
        at most 81 pixels in all.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    Each column of a window is sorted once and serves all windows that it is part of. The median of
    a window that holds a NaN is NaN. OpenVX 1.1, *Median Filter*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.median(np.uint8([[1, 1, 1], [1, 99, 2], [2, 2, 2]])))
    array([[1, 1, 1],
           [1, 2, 2],
           [2, 2, 2]], dtype=uint8)
    """
    x = image("median", img, ANY)
    rule = edge("median", x, border)
    sizes = size_of("median", x, size)
    _check_count("median", "size", prod(sizes))
    planes, rows, columns = (1, *sizes)[-3:]
    pixels = _line(x, "z", planes, rule)
    if type_of(x).is_float:
        pixels, rule = [keys(pixel) for pixel in pixels], border_of_keys(rule, type_of(x))
    column = [level for stack in sort(pixels) for level in sort(_line(stack, "y", rows, rule))]
    # Outside the columns of a constant border, all of a sorted column is that constant.
    window = list(zip(*[_line(level, "x", columns, rule) for level in column], strict=True))
    is_nine = planes == 1 and rows == columns == 3
    found = _middle_of_nine(window) if is_nine else middle_of_columns(window, planes)
    return from_keys(found, [line[-1] for line in window]) if type_of(x).is_float else found


def _line(x: Array, letter: str, size: int, border: Border) -> list[Array]:
    """Return the pixels of a centred line along an axis."""
    return [beside(x, letter, k - size // 2, border) for k in range(size)]


def _middle_of_nine(columns: Sequence[Sequence[Array]]) -> Array:
    low, mid, high = zip(*columns, strict=True)
    lowest = reduce(lambda a, b: apply("maximum", a, b), low)
    highest = reduce(lambda a, b: apply("minimum", a, b), high)
    return middle([lowest, middle(mid), highest])


def _check_count(function: str, name: str, count: int) -> None:
    if count > _MOST:
        raise ParameterError(
            f"{function}: {name} makes a window of {count} pixels; a median takes at most {_MOST}"
        )


def nonlinear(
    img: object,
    function: str,
    mask: npt.ArrayLike,
    origin: Offset | None = None,
    border: BorderLike = "replicate",
) -> Array:
    """Return the median, the minimum or the maximum of the pixels under a mask.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of any dtype; each channel is filtered by itself.
    function : {"median", "min", "max"}
        What is taken of the pixels; of an even number, the upper of the two medians.
    mask : array_like
        2-D, for a volume 3-D. The elements that are not 0 are read: at most 81 for a median.
    origin : tuple of int, optional
        The row and column of the mask that lie on the pixel, of a volume the plane first; by
        default the middle, (rows // 2, columns // 2).
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    The mask is not mirrored. NaN wins, and -0.0 is less than 0.0. Under an undefined border a pixel
    is valid if all that it reads is. OpenVX 1.1, *Non Linear Filter*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> cross = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    >>> np.asarray(vx.nonlinear(np.uint8([[1, 5, 9], [7, 3, 2]]), "median", cross))
    array([[1, 5, 9],
           [7, 3, 2]], dtype=uint8)
    """
    x = image("nonlinear", img, ANY)
    choice("nonlinear", "function", function, ("median", *_ROWS))
    rule = edge("nonlinear", x, border)
    read = _mask("nonlinear", x, "mask", mask)
    offsets = _offsets(read, _middle(read) if origin is None else _origin(origin, read.shape))
    if function in _ROWS:
        return extreme_of(_ROWS[function], x, offsets, rule)
    _check_count("nonlinear", "mask", len(offsets))
    return middle([x.at(*offset, border=rule) for offset in offsets])


def _origin(origin: Sequence[int], shape: tuple[int, ...]) -> Offset:
    places = [place for place in map(whole, origin) if place is not None]
    if (
        len(origin) != len(shape)
        or len(places) != len(shape)
        or not all(0 <= place < length for place, length in zip(places, shape, strict=True))
    ):
        words = "(row, column)" if len(shape) == 2 else "(plane, row, column)"
        raise ParameterError(
            f"nonlinear: origin is {origin!r}; it takes a {words} of the mask, whose shape is "
            f"{shape}"
        )
    return tuple(places)
