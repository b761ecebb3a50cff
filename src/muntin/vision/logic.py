"""Bits, extremes, thresholds and conversions of single pixels."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, isfinite

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.tracing import TracedNumber
from muntin.dtypes import DType, dtype_of
from muntin.errors import DTypeError, ParameterError, RangeError
from muntin.vision.arithmetic import OVERFLOW
from muntin.vision.expression import apply, constant, fitted, runtime, type_of
from muntin.vision.operands import ANY, choice, is_known, pair, pixels, whole

__all__ = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "convert_depth",
    "maximum",
    "minimum",
    "threshold",
]

_BITS = "uib"


def bitwise_and(a: object, b: object) -> Array:
    """Return the bits that are set in both images.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one integer or bool dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    OpenVX 1.1, *Bitwise AND*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.bitwise_and(np.uint8([12]), np.uint8([10])))
    array([8], dtype=uint8)
    """
    return apply("bitwise_and", *pair("bitwise_and", a, b, _BITS))


def bitwise_or(a: object, b: object) -> Array:
    """Return the bits that are set in either image.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one integer or bool dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    OpenVX 1.1, *Bitwise INCLUSIVE OR*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.bitwise_or(np.uint8([12]), np.uint8([10])))
    array([14], dtype=uint8)
    """
    return apply("bitwise_or", *pair("bitwise_or", a, b, _BITS))


def bitwise_xor(a: object, b: object) -> Array:
    """Return the bits that are set in one image alone.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one integer or bool dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    OpenVX 1.1, *Bitwise EXCLUSIVE OR*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.bitwise_xor(np.uint8([12]), np.uint8([10])))
    array([6], dtype=uint8)
    """
    return apply("bitwise_xor", *pair("bitwise_xor", a, b, _BITS))


def bitwise_not(image: object) -> Array:
    """Return the bits that are not set.

    Parameters
    ----------
    image : array_like
        Of an integer or bool dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    OpenVX 1.1, *Bitwise NOT*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.bitwise_not(np.uint8([1])))
    array([254], dtype=uint8)
    """
    return ~pixels("bitwise_not", image, _BITS)


def minimum(a: object, b: object) -> Array:
    """Return the lesser pixel of two images.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    NaN wins, and -0.0 is less than 0.0. OpenVX 1.2, *Min*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.minimum(np.int16([3, -8]), np.int16([2, 5])))
    array([ 2, -8], dtype=int16)
    """
    return apply("minimum", *pair("minimum", a, b, ANY))


def maximum(a: object, b: object) -> Array:
    """Return the greater pixel of two images.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    NaN wins, and -0.0 is less than 0.0. OpenVX 1.2, *Max*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.maximum(np.int16([3, -8]), np.int16([2, 5])))
    array([3, 5], dtype=int16)
    """
    return apply("maximum", *pair("maximum", a, b, ANY))


def threshold(
    image: object,
    value: float | Array,
    upper: float | Array | None = None,
    true_value: float = 255,
    false_value: float = 0,
    dtype: npt.DTypeLike | DType = "uint8",
) -> Array:
    """Return one number where a pixel is above a value, or within a range, and another elsewhere.

    Parameters
    ----------
    image : array_like
        Of an integer or floating dtype.
    value : float or Array
        The pixels chosen are greater than this number, or than this pixel.
    upper : float or Array, optional
        If given, the pixels chosen are those from `value` to `upper`, both included.
    true_value, false_value : float
        What the result holds for a pixel that is chosen, and for another.
    dtype : dtype
        Of the result.

    Returns
    -------
    Array
        Of the image's shape.

    Notes
    -----
    Other numbers compile nothing. A fraction beside an integer image and a number outside its
    dtype compare as they do in mathematics. NaN is not chosen. OpenVX 1.3, *Thresholding*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.threshold(np.uint8([99, 100, 101]), 100))
    array([  0,   0, 255], dtype=uint8)
    >>> np.asarray(vx.threshold(np.uint8([99, 100, 101]), 99, 100, true_value=1))
    array([1, 1, 0], dtype=uint8)
    """
    row = dtype_of(dtype)
    x = pixels("threshold", image)
    chosen, other = (
        runtime("threshold", _held(name, number, row), row)
        for name, number in (("true_value", true_value), ("false_value", false_value))
    )
    if upper is None:
        is_chosen = x > _bound("value", x, value, floor)
    else:
        low, high = _bound("value", x, value, ceil), _bound("upper", x, upper, floor)
        is_chosen = (x >= low) & (x <= high)
    return apply("where", is_chosen, chosen, other)


def _bound(
    name: str, x: Array, number: float | Array, nearest: Callable[[float], int]
) -> float | Array:
    """Return a bound of integers as an integer: only these meet it."""
    if isinstance(number, Array | TracedNumber | np.ndarray):
        return number
    if not is_known(number):
        raise ParameterError(
            f"threshold: {name} is {number!r}; it takes a number, or an array that broadcasts to "
            f"the image, {x.shape}"
        )
    return nearest(number) if type_of(x).is_integer and isfinite(number) else number


def _held(name: str, number: float, dtype: DType) -> float:
    if not is_known(number) or dtype.is_float:
        return number
    if not isfinite(number) or int(number) != number or not dtype.least <= number <= dtype.greatest:
        raise RangeError(
            f"threshold: {name} is {number!r}; {dtype} holds whole numbers from {dtype.least} to "
            f"{dtype.greatest}; give such a number or another dtype"
        )
    return int(number)


def convert_depth(
    image: object,
    dtype: npt.DTypeLike | DType,
    shift: int = 0,
    overflow: str = "saturate",
) -> Array:
    """Return an image in another dtype, with its bits shifted.

    Parameters
    ----------
    image : array_like
        Of an integer or floating dtype.
    dtype : dtype
        Of the result.
    shift : int
        The bits by which integers are shifted: to the left on the way to a wider dtype, else to
        the right. 0 where either dtype is floating.
    overflow : {"saturate", "wrap"}
        What becomes of an integer that the dtype cannot hold.

    Returns
    -------
    Array
        Of the image's shape.

    Notes
    -----
    To the right the shift is arithmetic and comes before the conversion; to the left it comes
    after, and no more is accepted than leaves every bit of the image in place. A float becomes an
    integer by truncation, clamped. OpenVX 1.1, *Bit Depth Conversion*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.convert_depth(np.uint8([255]), "int16", shift=7))
    array([32640], dtype=int16)
    >>> np.asarray(vx.convert_depth(np.int16([-9, 700]), "uint8", shift=1))
    array([  0, 255], dtype=uint8)
    """
    choice("convert_depth", "overflow", overflow, OVERFLOW)
    x, row = pixels("convert_depth", image), dtype_of(dtype)
    if row.is_bool:
        raise DTypeError(
            "convert_depth: dtype is bool; it takes integers and floats; compare the image with a "
            "number for a bool one"
        )
    is_wider = row.bits > type_of(x).bits
    most = _most_shift(type_of(x), row) if row.is_integer and type_of(x).is_integer else 0
    count = whole(shift)
    if count is None or not 0 <= count <= most:
        raise ParameterError(
            f"convert_depth: shift is {shift!r}; from {type_of(x)} to {row} it takes 0 to {most}"
        )
    if not count:
        return fitted(x, row, overflow)
    if is_wider:
        wide = fitted(x, row, overflow)
        return apply("bitwise_left_shift", wide, constant(count, row))
    return fitted(apply("bitwise_right_shift", x, constant(count, type_of(x))), row, overflow)


def _most_shift(source: DType, target: DType) -> int:
    if target.bits <= source.bits:
        return source.bits - 1
    is_signed = target.kind == "i"
    return target.bits - source.bits - (is_signed and source.kind == "u")
