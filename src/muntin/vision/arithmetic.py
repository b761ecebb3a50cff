"""Sums, products and distances of images, which saturate unless told to wrap."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, nan
from typing import SupportsFloat

import numpy as np

from muntin.array.array import Array
from muntin.dtypes import DTYPES, DType, integer_type, promote
from muntin.errors import DTypeError, ParameterError
from muntin.vision.expression import apply, constant, fitted, quotient, runtime, type_of
from muntin.vision.operands import choice, is_known, pair

__all__ = ["absdiff", "add", "magnitude", "multiply", "subtract", "weighted_average"]

OVERFLOW = ("saturate", "wrap")
_ROUNDING = ("to_zero", "nearest_even")
_FLOAT32, _FLOAT64 = DTYPES["float32"], DTYPES["float64"]


def absdiff(a: object, b: object) -> Array:
    """Return the absolute difference of two images.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one integer or floating dtype.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    A difference of signed integers that the dtype cannot hold saturates. OpenVX 1.1, *Absolute
    Difference*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.absdiff(np.uint8([3, 250]), np.uint8([7, 20])))
    array([  4, 230], dtype=uint8)
    """
    a, b = pair("absdiff", a, b)
    if type_of(a).is_float:
        return abs(a - b)
    return apply("subtract_saturate", apply("maximum", a, b), apply("minimum", a, b))


def add(a: object, b: object, overflow: str = "saturate") -> Array:
    """Return the sum of two images.

    Parameters
    ----------
    a, b : array_like
        Of one shape; the dtypes may differ, and then the result has NumPy's common dtype.
    overflow : {"saturate", "wrap"}
        What becomes of an integer sum that the dtype cannot hold.

    Returns
    -------
    Array
        The sum, of the common dtype.

    Notes
    -----
    OpenVX 1.1, *Arithmetic Addition*. Floats are added as IEEE 754 has it.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.add(np.uint8([200]), np.uint8([100])))
    array([255], dtype=uint8)
    >>> np.asarray(vx.add(np.uint8([200]), np.uint8([100]), overflow="wrap"))
    array([44], dtype=uint8)
    """
    return _sum("add", a, b, overflow)


def subtract(a: object, b: object, overflow: str = "saturate") -> Array:
    """Return the first image minus the second.

    Parameters
    ----------
    a, b : array_like
        Of one shape; the dtypes may differ, and then the result has NumPy's common dtype.
    overflow : {"saturate", "wrap"}
        What becomes of an integer difference that the dtype cannot hold.

    Returns
    -------
    Array
        The difference, of the common dtype.

    Notes
    -----
    OpenVX 1.1, *Arithmetic Subtraction*. Of unsigned images a negative difference saturates at 0.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.subtract(np.uint8([200, 10]), np.uint8([100, 20])))
    array([100,   0], dtype=uint8)
    """
    return _sum("subtract", a, b, overflow)


def _sum(function: str, a: object, b: object, overflow: str) -> Array:
    choice(function, "overflow", overflow, OVERFLOW)
    a, b = pair(function, a, b, is_mixed=True)
    dtype = _common(function, type_of(a), type_of(b))
    saturates = overflow == "saturate" and dtype.is_integer
    row = f"{function}_saturate" if saturates else function
    return apply(row, fitted(a, dtype), fitted(b, dtype))


def _common(function: str, a: DType, b: DType) -> DType:
    dtype = promote(a, b)
    if dtype.is_float and a.is_integer and b.is_integer:
        raise DTypeError(
            f"{function}: no integer dtype holds both {a} and {b}; cast one with "
            f'.astype("{a}"), or both with .astype("float64")'
        )
    return dtype


def multiply(
    a: object,
    b: object,
    scale: float = 1.0,
    overflow: str = "saturate",
    rounding: str = "to_zero",
) -> Array:
    """Return the product of two images times a number.

    Parameters
    ----------
    a, b : array_like
        Of one shape; the dtypes may differ, and then the result has NumPy's common dtype.
    scale : float
        0 or more. Beside integer images it is taken as the nearest float32 and compiled in.
    overflow : {"saturate", "wrap"}
        What becomes of an integer result that the dtype cannot hold.
    rounding : {"to_zero", "nearest_even"}
        How an integer result is rounded.

    Returns
    -------
    Array
        The product, of the common dtype.

    Notes
    -----
    The product of integers and the float32 scale is exact before it is rounded. OpenVX 1.1,
    *Pixel-wise Multiplication*, which asks for scales of 1/2ⁿ and of 1/255 with "nearest_even".
    Floats are multiplied as IEEE 754 has it, first with each other, then with the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.multiply(np.uint8([3, 200]), np.uint8([5, 200]), scale=0.5))
    array([  7, 255], dtype=uint8)
    >>> np.asarray(vx.multiply(np.uint8([128]), np.uint8([255]), 1 / 255, rounding="nearest_even"))
    array([128], dtype=uint8)
    """
    choice("multiply", "overflow", overflow, OVERFLOW)
    choice("multiply", "rounding", rounding, _ROUNDING)
    a, b = pair("multiply", a, b, is_mixed=True)
    dtype = _common("multiply", type_of(a), type_of(b))
    if dtype.is_float:
        product = fitted(a, dtype) * fitted(b, dtype)
        is_one = is_known(scale) and scale == 1
        return product if is_one else product * runtime("multiply", scale, dtype)
    exact = _exact_scale(scale)
    if exact == 1 and overflow == "wrap":
        return fitted(a, dtype) * fitted(b, dtype)
    return fitted(_scaled_product(a, b, exact, rounding), dtype, overflow)


def _exact_scale(scale: object) -> Fraction:
    number = float(scale) if isinstance(scale, SupportsFloat) else nan
    with np.errstate(over="ignore"):
        rounded = float(np.float32(number))
    if not isfinite(rounded) or number < 0:
        raise ParameterError(
            f"multiply: scale is {scale!r}; it takes 0 or a positive number that float32 holds"
        )
    return Fraction(rounded)


def _scaled_product(a: Array, b: Array, scale: Fraction, rounding: str) -> Array:
    corners = [x * y for x in _ends(type_of(a)) for y in _ends(type_of(b))]
    low, high = min(corners) * scale.numerator, max(corners) * scale.numerator
    half = scale.denominator // 2 if rounding == "nearest_even" else 0
    if max(-low, high) + half < scale.denominator:  # all results are 0
        low, high, scale, half = 0, 0, Fraction(0), 0
    dtype = integer_type(min(low, *corners), max(high + half, scale.denominator, *corners))
    if dtype is None:
        raise DTypeError(
            f"multiply: products of {type_of(a)} and {type_of(b)} times {float(scale)} do not fit "
            'in integers of 64 bits; cast the images with .astype("float64"), or use scale=1 '
            'with overflow="wrap"'
        )
    product = fitted(a, dtype) * fitted(b, dtype)
    if scale.numerator != 1:
        product = product * constant(scale.numerator, dtype)
    if not half:
        return quotient(product, scale.denominator)
    divisor, one = constant(scale.denominator, dtype), constant(1, dtype)
    is_odd = apply("bitwise_and", apply("floor_divide", product, divisor), one)
    return apply("floor_divide", product + constant(half - 1, dtype) + is_odd, divisor)


def _ends(dtype: DType) -> tuple[int, int]:
    return dtype.least, dtype.greatest


def weighted_average(a: object, b: object, alpha: float) -> Array:
    """Return alpha × a + (1 - alpha) × b.

    Parameters
    ----------
    a, b : array_like
        Of one shape and one dtype.
    alpha : float
        From 0 to 1.

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    Computed in float32, for 32- and 64-bit integers and float64 in float64; the weight of `b` is
    1 - alpha in that type. An integer result is truncated. OpenVX 1.3, *Weighted Average*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.weighted_average(np.uint8([100]), np.uint8([201]), 0.25))
    array([175], dtype=uint8)
    """
    if is_known(alpha) and not 0 <= alpha <= 1:
        raise ParameterError(f"weighted_average: alpha is {alpha!r}; it takes 0 to 1")
    a, b = pair("weighted_average", a, b)
    dtype = type_of(a)
    real = _FLOAT64 if dtype.itemsize > 2 and dtype is not _FLOAT32 else _FLOAT32
    weight = runtime("weighted_average", alpha, real)
    rest = constant(1, real) - weight
    return fitted(rest * fitted(b, real) + weight * fitted(a, real), dtype)


def magnitude(gx: object, gy: object, norm: str = "l2") -> Array:
    """Return the length of each gradient.

    Parameters
    ----------
    gx, gy : array_like
        Of one shape and one dtype.
    norm : {"l2", "l1"}
        √(gx² + gy²) or abs(gx) + abs(gy).

    Returns
    -------
    Array
        Of the same shape and dtype.

    Notes
    -----
    An integer root is rounded to the nearest integer, and exact; what the dtype cannot hold
    saturates. OpenVX 1.1, *Magnitude*; the L1 norm as in its Canny edge detector. Integers of 64
    bits have no L2 norm here.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.magnitude(np.int16([3, 1, -32768]), np.int16([4, 1, -32768])))
    array([    5,     1, 32767], dtype=int16)
    >>> np.asarray(vx.magnitude(np.int16([3, -1]), np.int16([-4, 1]), norm="l1"))
    array([7, 2], dtype=int16)
    """
    choice("magnitude", "norm", norm, ("l2", "l1"))
    gx, gy = pair("magnitude", gx, gy)
    dtype = type_of(gx)
    if dtype.is_float:
        return abs(gx) + abs(gy) if norm == "l1" else apply("sqrt", gx * gx + gy * gy)
    if norm == "l1":
        unsigned = DTYPES[f"uint{dtype.bits}"]  # holds the absolute value of the least integer
        return fitted(
            apply("add_saturate", fitted(abs(gx), unsigned), fitted(abs(gy), unsigned)),
            dtype,
            "saturate",
        )
    if dtype.bits == 64:
        raise DTypeError(
            f"magnitude: gx and gy are {dtype}, whose squares do not fit in 64 bits; cast them "
            'with .astype("float64"), or use norm="l1"'
        )
    square = apply("add_saturate", *(_squared(g) for g in (gx, gy)))
    # Roots up to the greatest value: the clamp keeps the square in few bits too.
    most = dtype.greatest * (dtype.greatest + 1) - 1
    square = apply("minimum", square, constant(most, type_of(square)))
    root = _wide_root(square) if dtype.bits == 32 else apply("rounded_sqrt", square)
    return fitted(root, dtype)


def _squared(x: Array) -> Array:
    """Return the squares in the unsigned type of twice the width."""
    bits = 2 * type_of(x).bits
    wide = fitted(x, DTYPES[f"{'int' if type_of(x).kind == 'i' else 'uint'}{bits}"])
    return fitted(wide * wide, DTYPES[f"uint{bits}"])


def _wide_root(square: Array) -> Array:
    """Return the nearest integer to the root of 64-bit integers.

    The root r has r² - r < square <= r² + r; a root in float64 is at most 1 away.
    """
    one = constant(1, type_of(square))
    root = fitted(apply("round", apply("sqrt", fitted(square, _FLOAT64))), type_of(square))
    is_high = root * root - root >= square
    root = apply("where", is_high & (root > constant(0, type_of(root))), root - one, root)
    return apply("where", root * root + root < square, root + one, root)
