"""The few words, beside Array's operators, in which vision functions are written."""

from __future__ import annotations

from muntin.array.array import Array
from muntin.array.operators import combine, lower
from muntin.core.border import Border
from muntin.core.graph import build
from muntin.core.graph.node import Node, Number
from muntin.dtypes import DType, integer_type
from muntin.errors import DTypeError

__all__ = [
    "apply",
    "beside",
    "constant",
    "fitted",
    "quotient",
    "runtime",
    "spatial",
    "sum_down",
    "type_of",
    "whole_type",
]


def apply(row: str, *operands: Array) -> Array:
    """Return an elementwise operation by the name of its row."""
    return Array(*combine(row, *operands))


def type_of(x: Array) -> DType:
    """Return the row of an Array's element type."""
    return x._node.dtype


def constant(value: Number, dtype: DType) -> Array:
    """Return a number that is compiled in."""
    number = float(dtype.numpy.type(value)) if dtype.is_float else value
    return Array(build.constant(number, dtype))


def runtime(function: str, value: object, dtype: DType) -> Array:
    """Return a user's number, of which a new value compiles nothing."""
    if isinstance(value, Array):
        return fitted(value, dtype)
    number = lower(function, value)
    if isinstance(number, Node):  # a scalar of NumPy's
        return Array(build.cast(number, dtype))
    return Array(build.scalar(number, dtype))


def fitted(x: Array, dtype: DType, overflow: str = "wrap") -> Array:
    """Return `x` as `dtype`: integers wrap or saturate, floats truncate and clamp."""
    node = build.cast(x._node, dtype, saturate=overflow == "saturate")
    return x if node is x._node else Array(node, x._device)


def quotient(x: Array, divisor: int) -> Array:
    """Return integers divided by a number that is compiled in, toward zero."""
    return x if divisor == 1 else apply("truncated_divide", x, constant(divisor, type_of(x)))


def spatial(image: Array) -> str:
    """Return the letters of the axes along which an image has neighbours, z before y before x."""
    assert image.axes is not None
    return "".join([letter for letter in "zyx" if letter in image.axes])


def beside(image: Array, letter: str, offset: int, border: Border) -> Array:
    """Return the pixels `offset` further along the axis of a letter."""
    return image.at(*[offset * (axis == letter) for axis in spatial(image)], border=border)


def sum_down(image: Array, reach: int, border: Border) -> Array:
    """Return the sums of each integer and of `reach` more on either side, down the columns."""
    assert image.axes is not None
    node = build.window_sum(image._node, image.axes.index("y"), reach, reach, border)
    return Array(node, image._device)


def whole_type(function: str, dtype: DType, least: int, greatest: int) -> DType:
    """Return the narrowest integer type for results of pixels of `dtype`.

    Raises
    ------
    DTypeError
        If none of 64 bits holds them.
    """
    found = integer_type(least, greatest)
    if found is None:
        raise DTypeError(
            f"{function}: sums over {dtype} pixels reach {max(-least, greatest)}, which no 64-bit "
            'integer holds; cast the image with .astype("float64")'
        )
    return found
