"""Elementwise functions under the Array API's names: lazy, broadcast, typed as NumPy types."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy.typing as npt

from muntin.array.applying import applied, as_array
from muntin.array.array import Array
from muntin.dtypes import DType
from muntin.errors import DTypeError

__all__ = [
    "abs",
    "add",
    "astype",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cast",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "divide",
    "equal",
    "floor",
    "floor_divide",
    "fmod",
    "greater",
    "greater_equal",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sqrt",
    "square",
    "subtract",
    "trunc",
    "where",
]


# --- arithmetic -----------------------------------------------------------------------------------


def abs(x: Any, /) -> Array:
    """Return the absolute values; the least signed integer stays itself."""
    return applied("abs", x)


def add(x1: Any, x2: Any, /) -> Array:
    """Return x1 + x2; integers wrap, truth values give their union."""
    return applied("add", x1, x2)


def subtract(x1: Any, x2: Any, /) -> Array:
    """Return x1 - x2; integers wrap, truth values are refused."""
    return applied("subtract", x1, x2)


def multiply(x1: Any, x2: Any, /) -> Array:
    """Return x1 · x2; integers wrap."""
    return applied("multiply", x1, x2)


def divide(x1: Any, x2: Any, /) -> Array:
    """Return x1 / x2 as floats."""
    return applied("divide", x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> Array:
    """Return x1 / x2 rounded down; integers by zero give 0."""
    return applied("floor_divide", x1, x2)


def remainder(x1: Any, x2: Any, /) -> Array:
    """Return what `floor_divide` leaves, with the sign of x2; integers by zero give 0."""
    return applied("remainder", x1, x2)


def fmod(x1: Any, x2: Any, /) -> Array:
    """Return the remainder of floats with the sign of x1."""
    return applied("fmod", x1, x2)


def negative(x: Any, /) -> Array:
    """Return -x; integers wrap, truth values are refused."""
    return applied("negative", x)


def sign(x: Any, /) -> Array:
    """Return -1, 0 or 1, and NaN for NaN."""
    return applied("sign", x)


def sqrt(x: Any, /) -> Array:
    """Return the square roots as floats, correctly rounded."""
    return applied("sqrt", x)


def square(x: Any, /) -> Array:
    """Return x · x; integers wrap."""
    return applied("square", x)


def reciprocal(x: Any, /) -> Array:
    """Return 1 / x as floats."""
    return applied("reciprocal", x)


def copysign(x1: Any, x2: Any, /) -> Array:
    """Return the magnitudes of x1 with the signs of x2, as floats."""
    return applied("copysign", x1, x2)


def nextafter(x1: Any, x2: Any, /) -> Array:
    """Return the floats next to x1 in the direction of x2, and x2 where they are equal."""
    return applied("nextafter", x1, x2)


def minimum(x1: Any, x2: Any, /) -> Array:
    """Return the lesser elements; NaN wins, and -0.0 is less than 0.0."""
    return applied("minimum", x1, x2)


def maximum(x1: Any, x2: Any, /) -> Array:
    """Return the greater elements; NaN wins, and 0.0 is greater than -0.0."""
    return applied("maximum", x1, x2)


# --- rounding -------------------------------------------------------------------------------------


def floor(x: Any, /) -> Array:
    """Return x rounded down; integers stay as they are."""
    return applied("floor", x)


def ceil(x: Any, /) -> Array:
    """Return x rounded up; integers stay as they are."""
    return applied("ceil", x)


def trunc(x: Any, /) -> Array:
    """Return x rounded toward zero; integers stay as they are."""
    return applied("trunc", x)


def round(x: Any, /) -> Array:
    """Return x rounded to the nearest whole number, halves to the even one."""
    return applied("round", x)


# --- comparison and logic -------------------------------------------------------------------------


def equal(x1: Any, x2: Any, /) -> Array:
    """Return whether elements are equal; integers of any two types compare exactly."""
    return applied("equal", x1, x2)


def not_equal(x1: Any, x2: Any, /) -> Array:
    """Return whether elements differ; NaN differs from itself."""
    return applied("not_equal", x1, x2)


def less(x1: Any, x2: Any, /) -> Array:
    """Return x1 < x2."""
    return applied("less", x1, x2)


def less_equal(x1: Any, x2: Any, /) -> Array:
    """Return x1 <= x2."""
    return applied("less_equal", x1, x2)


def greater(x1: Any, x2: Any, /) -> Array:
    """Return x1 > x2."""
    return applied("greater", x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> Array:
    """Return x1 >= x2."""
    return applied("greater_equal", x1, x2)


def logical_and(x1: Any, x2: Any, /) -> Array:
    """Return whether both are nonzero."""
    return applied("logical_and", x1, x2)


def logical_or(x1: Any, x2: Any, /) -> Array:
    """Return whether one is nonzero or both are."""
    return applied("logical_or", x1, x2)


def logical_xor(x1: Any, x2: Any, /) -> Array:
    """Return whether just one is nonzero."""
    return applied("logical_xor", x1, x2)


def logical_not(x: Any, /) -> Array:
    """Return whether elements are zero."""
    return applied("logical_not", x)


def isnan(x: Any, /) -> Array:
    """Return whether elements are NaN."""
    return applied("isnan", x)


def isinf(x: Any, /) -> Array:
    """Return whether elements are infinite."""
    return applied("isinf", x)


def isfinite(x: Any, /) -> Array:
    """Return whether elements are neither infinite nor NaN."""
    return applied("isfinite", x)


def signbit(x: Any, /) -> Array:
    """Return whether the sign is negative, that of -0.0 and NaN too."""
    return applied("signbit", x)


# --- bits -----------------------------------------------------------------------------------------


def bitwise_and(x1: Any, x2: Any, /) -> Array:
    """Return the bits that are set in both integers."""
    return applied("bitwise_and", x1, x2)


def bitwise_or(x1: Any, x2: Any, /) -> Array:
    """Return the bits that are set in either integer."""
    return applied("bitwise_or", x1, x2)


def bitwise_xor(x1: Any, x2: Any, /) -> Array:
    """Return the bits that are set in just one integer."""
    return applied("bitwise_xor", x1, x2)


def bitwise_invert(x: Any, /) -> Array:
    """Return the bits that are not set; truth values are negated."""
    return applied("bitwise_invert", x)


def bitwise_left_shift(x1: Any, x2: Any, /) -> Array:
    """Return x1 shifted left; a count below 0 or past the width gives 0."""
    return applied("bitwise_left_shift", x1, x2)


def bitwise_right_shift(x1: Any, x2: Any, /) -> Array:
    """Return x1 shifted right with its sign; a count out of range gives 0 or -1."""
    return applied("bitwise_right_shift", x1, x2)


# --- choice and types -----------------------------------------------------------------------------


def positive(x: Any, /) -> Array:
    """Return x; truth values are refused."""
    return +as_array("positive", x)


def real(x: Any, /) -> Array:
    """Return x, whose numbers are real."""
    return as_array("real", x)


def conj(x: Any, /) -> Array:
    """Return x, whose numbers are real."""
    return as_array("conj", x)


def imag(x: Any, /) -> NoReturn:
    """Raise an error: muntin has no complex numbers, and real ones have no imaginary part."""
    dtype = as_array("imag", x).dtype
    raise DTypeError(
        f"imag: got {dtype}; it is defined for complex numbers, which muntin does not have; "
        "muntin.zeros_like(x) gives the zeros"
    )


def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    """Return x1 where the condition is nonzero, else x2, in their common type."""
    return applied("where", condition, x1, x2)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Array:
    """Return x held between two bounds, of which either may be left out.

    Notes
    -----
    `max` wins where the bounds cross, and NaN wins everywhere, as in NumPy.
    """
    return as_array("clip", x).clip(min, max)


def cast(x: Any, dtype: DType | npt.DTypeLike, /, *, overflow: str = "wrap") -> Array:
    """Return x as another element type.

    Parameters
    ----------
    x : array_like
        The elements.
    dtype : data-type
        The type.
    overflow : {"wrap", "saturate"}
        What becomes of integers that a narrower integer type does not hold.

    Notes
    -----
    Floats become integers by truncation toward zero, clamped to the type; NaN becomes 0.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-1, 300], np.int16)
    >>> cast(x, "uint8").dtype
    dtype('uint8')
    """
    return as_array("cast", x).astype(dtype, overflow=overflow)


def astype(
    x: Any, dtype: DType | npt.DTypeLike, /, *, copy: bool = True, device: str | None = None
) -> Array:
    """Return x as another element type, on another device if one is given; integers wrap.

    Notes
    -----
    An Array is a value: there is no difference between it and a copy, and `copy` is not looked at.
    """
    made = cast(x, dtype)
    return made if device is None else made.to(device)
