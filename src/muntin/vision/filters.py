"""Filters that smooth: means, Gaussians, and convolutions with any matrix."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.core.border import Border
from muntin.core.graph.node import Number
from muntin.dtypes import DTYPES, DType, dtype_of, integer_type
from muntin.errors import DTypeError, ParameterError
from muntin.vision.expression import constant, fitted, quotient, type_of
from muntin.vision.operands import BorderLike, Size, edge, image, positive, size_of
from muntin.vision.taps import UNIT, binomial, fixed_point, normal, separate
from muntin.vision.windows import box_sum, correlated, separated

__all__ = ["box", "convolve", "gaussian", "gaussian3x3", "gaussian5x5"]


def box(img: object, size: Size = 3, border: BorderLike = "replicate") -> Array:
    """Return the mean of the window around each pixel.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel is filtered by itself.
    size : int or (int, int)
        An odd number, or odd numbers of rows and columns.
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
    additions that grows with the logarithm of the size. Floats are added down the columns, then
    along the rows, in ascending order, and divided once. A sum that 64 bits may not hold is a
    DTypeError.

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
    rows, columns = size_of("box", size)
    total = box_sum("box", x, rows, columns, edge("box", x, border))
    return _divided(total, rows * columns, type_of(x))


def _divided(total: Array, divisor: int, dtype: DType) -> Array:
    if divisor == 1:
        return fitted(total, dtype)
    if dtype.is_float:
        return total / constant(divisor, dtype)
    return fitted(quotient(total, divisor), dtype)


def gaussian(
    img: object,
    size: Size = 3,
    sigma: float | tuple[float, float] | None = None,
    border: BorderLike = "replicate",
) -> Array:
    """Return the image smoothed by a Gaussian.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel is filtered by itself.
    size : int or (int, int)
        An odd number of taps, or odd numbers down the columns and along the rows.
    sigma : float or (float, float), optional
        The standard deviation in pixels, or those of y and x. By default, 3 and 5 taps are the
        binomials of OpenVX, (1 2 1)/4 and (1 4 6 4 1)/16, and `n` taps above have that of the
        binomial, √(n - 1)/2.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape and dtype.

    Notes
    -----
    Beside integers, taps of a sigma are whole multiples of 1/65536 that add up to 1. The sum is
    exact and divided once, toward zero. Floats are added down the columns, then along the rows, in
    ascending order. OpenVX 1.1, *Gaussian Filter*. A sum that 64 bits may not hold is a DTypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.gaussian(np.uint8([[0, 0, 0], [0, 160, 0], [0, 0, 0]])))
    array([[10, 20, 10],
           [20, 40, 20],
           [10, 20, 10]], dtype=uint8)
    """
    return _gaussian("gaussian", img, size, sigma, border)


def gaussian3x3(img: object, border: BorderLike = "replicate") -> Array:
    """Return the image smoothed by the 3×3 binomial.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel is filtered by itself.
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
    return _gaussian("gaussian3x3", img, 3, None, border)


def gaussian5x5(img: object, border: BorderLike = "replicate") -> Array:
    """Return the image smoothed by the 5×5 binomial.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel is filtered by itself.
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
    return _gaussian("gaussian5x5", img, 5, None, border)


def _gaussian(
    function: str,
    img: object,
    size: Size,
    sigma: object,
    border: BorderLike,
) -> Array:
    x = image(function, img)
    sizes = size_of(function, size)
    sigmas = _sigmas(function, sigma)
    (column, down), (row, along) = (
        _gaussian_taps(taps, width, type_of(x)) for taps, width in zip(sizes, sigmas, strict=True)
    )
    total = separated(function, x, column, row, edge(function, x, border))
    return _divided(total, down * along, type_of(x))


def _sigmas(function: str, sigma: object) -> tuple[float, float] | tuple[None, None]:
    if sigma is None:
        return None, None
    pair = sigma if isinstance(sigma, Sequence) else (sigma, sigma)
    widths = [width for width in map(positive, pair) if width is not None]
    if len(pair) != 2 or len(widths) != 2:
        raise ParameterError(
            f"{function}: sigma is {sigma!r}; it takes a positive number or a pair of them, "
            "(sigma of y, sigma of x)"
        )
    return widths[0], widths[1]


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
        An image of an integer or floating dtype; each channel is filtered by itself.
    matrix : array_like of numbers
        An odd number of rows and of columns. It is compiled in.
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

    A matrix that is exactly the product of a column and a row is applied as these two, columns
    first, where the dtype of the computation holds them. That changes nothing for integers, and the
    rounding of floats.

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
    taps = _matrix(matrix)
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
    turned = taps[::-1, ::-1].tolist()
    factors = separate(turned)
    if factors is not None and all(_is_held(tap, type_of(x)) for line in factors for tap in line):
        return separated("convolve", x, *factors, border)
    return correlated("convolve", x, turned, border)


def _is_held(tap: Number, dtype: DType) -> bool:
    return not dtype.is_float or float(dtype.numpy.type(tap)) == tap


def _matrix(matrix: npt.ArrayLike) -> npt.NDArray[np.generic]:
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
    if taps.ndim != 2 or not all(length % 2 for length in taps.shape):
        raise ParameterError(
            f"convolve: matrix has shape {taps.shape}; it takes an odd number of rows and an odd "
            "number of columns"
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
