"""Elementary functions under the Array API's names, and NumPy's for those it lacks.

Notes
-----
Operands are real and broadcast; bool and integers of 8 and 16 bits give float32, wider integers
float64. Functions of float16 and bfloat16 are those of float32, rounded. Results are the same bits
on every device, within 4 units in the last place of what is right: docs/mathematics.md has the
errors measured. NaN gives NaN but where it is said.
"""

from __future__ import annotations

from typing import Any

from muntin.array.applying import applied, as_array
from muntin.array.array import Array

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "hypot",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "pow",
    "rad2deg",
    "rsqrt",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
]


def acos(x: Any, /) -> Array:
    """Return the inverse cosines, from 0 to pi.

    Notes
    -----
    1 gives 0.0. Outside [-1, 1] the result is NaN. C17, F.10.1.1.
    """
    return applied("acos", x)


def acosh(x: Any, /) -> Array:
    """Return the inverse hyperbolic cosines, which are not negative.

    Notes
    -----
    1 gives 0.0, inf gives inf. Below 1 the result is NaN. C17, F.10.2.1.
    """
    return applied("acosh", x)


def asin(x: Any, /) -> Array:
    """Return the inverse sines, from -pi/2 to pi/2.

    Notes
    -----
    ±0 gives ±0. Outside [-1, 1] the result is NaN. C17, F.10.1.2.
    """
    return applied("asin", x)


def asinh(x: Any, /) -> Array:
    """Return the inverse hyperbolic sines.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±inf. C17, F.10.2.2.
    """
    return applied("asinh", x)


def atan(x: Any, /) -> Array:
    """Return the inverse tangents, from -pi/2 to pi/2.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±pi/2. C17, F.10.1.3.
    """
    return applied("atan", x)


def atan2(x1: Any, x2: Any, /) -> Array:
    """Return the angles from the first axis to the points (x2, x1), from -pi to pi.

    Notes
    -----
    The signs of zeros choose the quadrant, infinities count as equally far away. C17, F.10.1.4.
    """
    return applied("atan2", x1, x2)


def atanh(x: Any, /) -> Array:
    """Return the inverse hyperbolic tangents.

    Notes
    -----
    ±0 gives ±0, ±1 gives ±inf. Outside [-1, 1] the result is NaN. C17, F.10.2.3.
    """
    return applied("atanh", x)


def cbrt(x: Any, /) -> Array:
    """Return the cube roots, with the signs of x.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±inf. C17, F.10.4.1.
    """
    return applied("cbrt", x)


def cos(x: Any, /) -> Array:
    """Return the cosines of angles in radians.

    Notes
    -----
    ±inf gives NaN. Angles of every size are reduced by pi exactly. C17, F.10.1.5.
    """
    return applied("cos", x)


def cosh(x: Any, /) -> Array:
    """Return the hyperbolic cosines.

    Notes
    -----
    ±0 gives 1, ±inf gives inf. C17, F.10.2.4.
    """
    return applied("cosh", x)


def deg2rad(x: Any, /) -> Array:
    """Return angles in degrees as radians.

    Notes
    -----
    The product with pi/180, rounded twice.
    """
    return applied("deg2rad", x)


def exp(x: Any, /) -> Array:
    """Return e to the power of x.

    Notes
    -----
    -inf gives 0.0, inf gives inf; results below the least normal number are rounded once. C17,
    F.10.3.1.
    """
    return applied("exp", x)


def exp2(x: Any, /) -> Array:
    """Return 2 to the power of x.

    Notes
    -----
    Whole x give powers of two exactly; -inf gives 0.0, inf gives inf. C17, F.10.3.2.
    """
    return applied("exp2", x)


def expm1(x: Any, /) -> Array:
    """Return exp(x) - 1, with all digits near 0.

    Notes
    -----
    ±0 gives ±0, -inf gives -1, inf gives inf. C17, F.10.3.3.
    """
    return applied("expm1", x)


def hypot(x1: Any, x2: Any, /) -> Array:
    """Return the lengths of the vectors (x1, x2).

    Notes
    -----
    Squares neither overflow nor vanish. If one operand is infinite the result is inf, even if
    the other is NaN. C17, F.10.4.3.
    """
    return applied("hypot", x1, x2)


def log(x: Any, /) -> Array:
    """Return the natural logarithms.

    Notes
    -----
    ±0 gives -inf, 1 gives 0.0, inf gives inf. Below 0 the result is NaN. C17, F.10.3.7.
    """
    return applied("log", x)


def log10(x: Any, /) -> Array:
    """Return the logarithms to base 10.

    Notes
    -----
    ±0 gives -inf, 1 gives 0.0, inf gives inf. Below 0 the result is NaN. C17, F.10.3.8.
    """
    return applied("log10", x)


def log1p(x: Any, /) -> Array:
    """Return log(1 + x), with all digits near 0.

    Notes
    -----
    ±0 gives ±0, -1 gives -inf, inf gives inf. Below -1 the result is NaN. C17, F.10.3.9.
    """
    return applied("log1p", x)


def log2(x: Any, /) -> Array:
    """Return the logarithms to base 2.

    Notes
    -----
    ±0 gives -inf, 1 gives 0.0, inf gives inf. Below 0 the result is NaN. C17, F.10.3.10.
    """
    return applied("log2", x)


def logaddexp(x1: Any, x2: Any, /) -> Array:
    """Return log(exp(x1) + exp(x2)).

    Notes
    -----
    Neither exponential overflows. If one operand is -inf the result is the other one. The error
    is in units of the greater operand.
    """
    return applied("logaddexp", x1, x2)


def pow(x1: Any, x2: Any, /) -> Array:
    """Return x1 to the power of x2.

    Notes
    -----
    Floats have the special cases of C17, F.10.4.4. Integers wrap; negative exponents, cut off to
    whole numbers, give -1, 0 or 1. An exponent that is a Python int becomes multiplications: from
    0 to 1024 for integers, to 8 for floats.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(pow(np.array([1.0, 2.0, 4.0]), 0.5))
    array([1.        , 1.41421356, 2.        ])
    """
    if type(x2) is int:
        return as_array("pow", x1) ** x2
    return applied("pow", x1, x2)


def rad2deg(x: Any, /) -> Array:
    """Return angles in radians as degrees.

    Notes
    -----
    The product with 180/pi, rounded twice.
    """
    return applied("rad2deg", x)


def rsqrt(x: Any, /) -> Array:
    """Return 1 / sqrt(x).

    Notes
    -----
    ±0 gives ±inf, inf gives 0.0. Below 0 the result is NaN. IEEE 754-2019, 9.2.1.
    """
    return applied("rsqrt", x)


def sin(x: Any, /) -> Array:
    """Return the sines of angles in radians.

    Notes
    -----
    ±0 gives ±0, ±inf gives NaN. Angles of every size are reduced by pi exactly. C17, F.10.1.6.
    """
    return applied("sin", x)


def sinc(x: Any, /) -> Array:
    """Return sin(pi x) / (pi x), and 1 at 0.

    Notes
    -----
    Whole numbers other than 0 give 0. ±inf gives NaN. NumPy's `sinc`.
    """
    return applied("sinc", x)


def sinh(x: Any, /) -> Array:
    """Return the hyperbolic sines.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±inf. C17, F.10.2.5.
    """
    return applied("sinh", x)


def tan(x: Any, /) -> Array:
    """Return the tangents of angles in radians.

    Notes
    -----
    ±0 gives ±0, ±inf gives NaN. Angles of every size are reduced by pi exactly. C17, F.10.1.7.
    """
    return applied("tan", x)


def tanh(x: Any, /) -> Array:
    """Return the hyperbolic tangents.

    Notes
    -----
    ±0 gives ±0, ±inf gives ±1. C17, F.10.2.6.
    """
    return applied("tanh", x)
