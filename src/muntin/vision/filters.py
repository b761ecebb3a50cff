"""Filters that smooth: means, Gaussians, and convolutions with any matrix."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.core.border import Border
from muntin.core.graph.node import Number
from muntin.dtypes import DTYPES, DType, dtype_of, integer_type
from muntin.errors import DTypeError, ParameterError
from muntin.vision.expression import constant, fitted, quotient, spatial, type_of
from muntin.vision.operands import (
    BorderLike,
    Size,
    edge,
    image,
    per_axis,
    positive,
    size_of,
)
from muntin.vision.taps import UNIT, binomial, fixed_point, normal, separate
from muntin.vision.windows import box_sum, correlated, separated

__all__ = ["box", "convolve", "gaussian", "gaussian3x3", "gaussian5x5"]

Sigma: TypeAlias = float | tuple[float, ...]


def box(img: object, size: Size = 3, border: BorderLike = "replicate") -> Array:
    """Return the mean of the window around each pixel.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    size : int or tuple of int
        An odd number, or odd numbers of rows and columns, of a volume of planes, rows and columns.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    The sum of integers is exact, and divided toward zero: a mean of 8-bit pixels is truncated, not
    rounded, as OpenVX 1.1 has it (*Box Filter*). The windows of integers are summed in a number of
    additions that grows with the logarithm of the size, along z with the size. Floats are added
    along z, down the columns, then along the rows, in ascending order, and divided once. A sum that
    64 bits may not hold is a DTypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.box(np.uint8([[1, 2, 3], [4, 5, 6], [7, 8, 9]])))
    array([[2, 3, 3],
           [4, 5, 5],
           [6, 7, 7]], dtype=uint8)
    """
    x = image("box", img)
    sizes = size_of("box", x, size)
    total = box_sum("box", x, sizes, edge("box", x, border))
    return _divided(total, prod(sizes), type_of(x))


def _divided(total: Array, divisor: int, dtype: DType) -> Array:
    if divisor == 1:
        return fitted(total, dtype)
    if dtype.is_float:
        return total / constant(divisor, dtype)
    return fitted(quotient(total, divisor), dtype)


def gaussian(
    img: object,
    size: Size | None = None,
    sigma: Sigma | None = None,
    border: BorderLike = "replicate",
) -> Array:
    """Return the image smoothed by a Gaussian.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    size : int or tuple of int, optional
        An odd number of taps, or odd numbers along y and x, of a volume along z, y and x. By
        default 3, or if a sigma is given 2 ⌈3 sigma⌉ + 1: what is left out weighs less than 0.3 %.
    sigma : float or tuple of float, optional
        The standard deviation in pixels, or those of y and x, of a volume of z, y and x. By
        default, 3 and 5 taps are the binomials of OpenVX, (1 2 1)/4 and (1 4 6 4 1)/16, and `n`
        taps above have that of the binomial, √(n - 1)/2.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    Beside integers, taps of a sigma are whole multiples of 1/65536 that add up to 1. The sum is
    exact and divided once, toward zero. Floats are added along z, down the columns, then along the
    rows, in ascending order. OpenVX 1.1, *Gaussian Filter*. A sum that 64 bits may not hold is a
    DTypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.gaussian(np.uint8([[0, 0, 0], [0, 160, 0], [0, 0, 0]])))
    array([[10, 20, 10],
           [20, 40, 20],
           [10, 20, 10]], dtype=uint8)
    """
    x = image("gaussian", img)
    count = len(spatial(x))
    sigmas = (None,) * count if sigma is None else _sigmas(x, sigma)
    if size is None:
        sizes = tuple([3 if width is None else 2 * ceil(3 * width) + 1 for width in sigmas])
    else:
        sizes = size_of("gaussian", x, size)
    return _gaussian("gaussian", x, sizes, sigmas, border)


def gaussian3x3(img: object, border: BorderLike = "replicate") -> Array:
    """Return the image smoothed by the 3×3 binomial.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel, and each plane of a volume, is
        filtered by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    As `gaussian` with a size of 3: exact sums, divided by 16 toward zero. OpenVX 1.1, *Gaussian
    Filter*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.gaussian3x3(np.uint8([[0, 0, 0], [0, 16, 0]])))
    array([[1, 2, 1],
           [3, 6, 3]], dtype=uint8)
    """
    return _binomial("gaussian3x3", img, 3, border)


def gaussian5x5(img: object, border: BorderLike = "replicate") -> Array:
    """Return the image smoothed by the 5×5 binomial.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel, and each plane of a volume, is
        filtered by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    As `gaussian` with a size of 5: exact sums, divided by 256 toward zero. The filter of OpenVX's
    *Gaussian Image Pyramid*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.gaussian5x5(np.uint8([[0, 0, 255, 0, 0]])))
    array([[15, 63, 95, 63, 15]], dtype=uint8)
    """
    return _binomial("gaussian5x5", img, 5, border)


def _binomial(function: str, img: object, taps: int, border: BorderLike) -> Array:
    """Return the image smoothed by binomials along y and x."""
    x = image(function, img)
    sizes = [1 if letter == "z" else taps for letter in spatial(x)]
    return _gaussian(function, x, sizes, [None] * len(sizes), border)


def _gaussian(
    function: str,
    x: Array,
    sizes: Sequence[int],
    sigmas: Sequence[float | None],
    border: BorderLike,
) -> Array:
    taps, units = zip(
        *[
            _gaussian_taps(size, width, type_of(x))
            for size, width in zip(sizes, sigmas, strict=True)
        ],
        strict=True,
    )
    total = separated(function, x, taps, edge(function, x, border))
    return _divided(total, prod(units), type_of(x))


def _sigmas(x: Array, sigma: object) -> tuple[float, ...]:
    count = len(spatial(x))
    parts = sigma if isinstance(sigma, Sequence) else (sigma,) * count
    widths = [width for width in map(positive, parts) if width is not None]
    if len(parts) != count or len(widths) != count:
        words = "sigma of z, sigma of y, sigma of x"
        raise ParameterError(
            f"gaussian: sigma is {sigma!r}; it takes a positive number or {per_axis(x, words)}"
        )
    return tuple(widths)


def _gaussian_taps(size: int, sigma: float | None, dtype: DType) -> tuple[Sequence[Number], int]:
    """Return the taps of one axis and what they add up to."""
    if sigma is None and size <= 5:
        return binomial(size), 1 << (size - 1)
    taps = normal(size, sqrt(size - 1) / 2 if sigma is None else sigma)
    return (taps, 1) if dtype.is_float else (fixed_point(taps), UNIT)


def convolve(
    img: object,
    matrix: npt.ArrayLike,
    scale: float | str | None = None,
    dtype: npt.DTypeLike | DType | None = None,
    border: BorderLike = "replicate",
) -> Array:
    """Return the convolution of an image with a matrix.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    matrix : array_like of numbers
        An odd number of rows and of columns; for a volume also of planes. It is compiled in.
    scale : number or "sum", optional
        A positive divisor of the sums; "sum" is the absolute sum of the matrix, or 1 if that is 0.
    dtype : dtype, optional
        Of the result; by default the image's.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape.

    Notes
    -----
    A true convolution: the matrix is rotated by 180 degrees before it is laid over the pixels.

    If the image, the matrix and the scale are integers, the sum is exact, divided toward zero and
    clamped to `dtype`. OpenVX 1.1, *Custom Convolution*. Otherwise all is computed in the image's
    dtype if that is floating, in float32 for integers of 8 and 16 bits and in float64 for wider
    ones; the sum is added row by row in ascending order; an integer `dtype` is truncated and
    clamped. Elements of 0 are not read.

    A matrix that is exactly the product of a column and a row, for a volume of three lines, is
    applied as these, one along z first, columns before rows, where the dtype of the computation
    holds them. That changes nothing for integers, and the rounding of floats.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> x = np.uint8([[10, 20, 40]])
    >>> np.asarray(vx.convolve(x, [[1, 0, -1]], dtype="int16"))
    array([[10, 30, 20]], dtype=int16)
    """
    x = image("convolve", img)
    rule = edge("convolve", x, border)
    taps = _matrix(matrix, len(spatial(x)))
    divisor = _divisor(scale, taps)
    result = type_of(x) if dtype is None else dtype_of(dtype)
    if result.is_bool:
        raise DTypeError("convolve: dtype is bool; it takes integers and floats")
    if type_of(x).is_integer and taps.dtype.kind != "f" and isinstance(divisor, int):
        total = _convolved(x, taps, rule)
        return fitted(quotient(_beside(total, divisor), divisor), result, "saturate")
    if type_of(x).is_integer:
        x = fitted(x, DTYPES["float32" if type_of(x).bits <= 16 else "float64"])
    total = _convolved(x, taps, rule)
    return fitted(total if divisor == 1 else total / constant(divisor, type_of(x)), result)


def _beside(total: Array, divisor: int) -> Array:
    """Return sums in a dtype that holds their divisor too."""
    dtype = type_of(total)
    found = integer_type(dtype.least, max(dtype.greatest, divisor))
    if found is None:
        raise ParameterError(
            f"convolve: scale is {divisor}, which no integer dtype holds beside sums of {dtype}; "
            "give it as a float"
        )
    return fitted(total, found)


def _convolved(x: Array, taps: npt.NDArray[np.generic], border: Border) -> Array:
    turned = np.flip(taps)
    factors = separate(turned.tolist())
    if factors is not None and all(_is_held(tap, type_of(x)) for line in factors for tap in line):
        return separated("convolve", x, factors, border)
    return correlated("convolve", x, turned, border)


def _is_held(tap: Number, dtype: DType) -> bool:
    return not dtype.is_float or float(dtype.numpy.type(tap)) == tap


def _matrix(matrix: npt.ArrayLike, axes: int) -> npt.NDArray[np.generic]:
    try:
        taps = np.asarray(matrix)
    except ValueError as error:
        raise ParameterError(
            f"convolve: matrix is {matrix!r}; it takes rows of one length, such as "
            "[[0, 1, 0], [1, 2, 1], [0, 1, 0]]"
        ) from error
    if taps.dtype.kind not in "buif":
        raise ParameterError(
            f"convolve: matrix is {matrix!r}; it takes rows of integers or floats, such as "
            "[[0, 1, 0], [1, 2, 1], [0, 1, 0]]"
        )
    if taps.ndim != axes or not all(length % 2 for length in taps.shape):
        planes = "" if axes == 2 else ", and for a volume an odd number of planes first"
        raise ParameterError(
            f"convolve: matrix has shape {taps.shape}; it takes an odd number of rows and an odd "
            f"number of columns{planes}"
        )
    if not np.isfinite(taps).all():
        raise ParameterError("convolve: matrix has infinities or NaN; it takes finite numbers")
    return taps.astype(np.int64) if taps.dtype.kind == "b" else taps


def _divisor(scale: object, taps: npt.NDArray[np.generic]) -> int | float:
    if scale is None:
        return 1
    if scale == "sum":
        return abs(sum(taps.ravel().tolist())) or 1
    number = positive(scale)
    if number is None:
        raise ParameterError(
            f'convolve: scale is {scale!r}; it takes a positive number, "sum" or None'
        )
    return int(scale) if isinstance(scale, int | np.integer) else number
