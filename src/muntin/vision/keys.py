"""Floats as integers in the same order, NaN last: comparing those takes one instruction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from muntin.array.array import Array
from muntin.core.border import Border, BorderMode
from muntin.dtypes import DTYPES, DType
from muntin.vision.expression import apply, constant, type_of

__all__ = ["border_of_keys", "from_keys", "keys"]


def keys(x: Array) -> Array:
    """Return signed integers in the order of floats: -0.0 before 0.0, and NaN, whatever its sign.

    The bits of a float are its sign and its size: those of negative numbers, but the sign, are
    inverted.
    """
    bits = _inverted(apply("float_bits", x))
    nan = constant(type_of(bits).greatest, type_of(bits))
    return apply("where", apply("not_equal", x, x), nan, bits)


def from_keys(key: Array, greatest: Sequence[Array]) -> Array:
    """Return the float of a key; NaN if one of the greatest keys that it stands for is that."""
    nan = constant(type_of(key).greatest, type_of(key))
    most = reduce(lambda a, b: apply("maximum", a, b), greatest)
    return apply("from_bits", _inverted(apply("where", apply("equal", most, nan), nan, key)))


def border_of_keys(border: Border, dtype: DType) -> Border:
    """Return the border that keys of an image have where the image has `border`."""
    if border.mode is not BorderMode.CONSTANT:
        return border
    whole, value = DTYPES[f"int{dtype.bits}"], np.array(border.value, dtype.numpy)
    bits = int(value.view(whole.numpy))
    key = bits if bits >= 0 else bits ^ whole.greatest
    return Border(border.mode, whole.greatest if np.isnan(value) else key)


def _inverted(bits: Array) -> Array:
    dtype = type_of(bits)
    signs = apply("bitwise_right_shift", bits, constant(dtype.bits - 1, dtype))
    inverts = apply("bitwise_and", signs, constant(dtype.greatest, dtype))
    return apply("bitwise_xor", bits, inverts)
