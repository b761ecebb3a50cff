"""The ufuncs of NumPy that are several operations here."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np

from muntin.array import elementwise, mathematics, products
from muntin.array.array import Array
from muntin.array.data_types import isdtype
from muntin.array.operators import common_device, node_of
from muntin.dtypes import dtype_of
from muntin.interop.numpy_protocols import implements, refuse

__all__: list[str] = []

_LOG2 = log(2)
_STEPS = ((1, 0x55), (2, 0x33), (4, 0x0F))  # of bits that are counted in pairs, in fours, in eights


def _array(name: str, x: Any) -> Array:
    return Array(node_of(name, x), common_device(name, (x,)))


def _floats(name: str, x: Any) -> Array:
    """Return an operand in the type of floats that functions give for it."""
    array = _array(name, x)
    return array if isdtype(array.dtype, "real floating") else elementwise.copysign(x, x)


@implements(np.bitwise_count)
def bitwise_count(x: Any) -> Array:
    array = _array("bitwise_count", x)
    if not isdtype(array.dtype, "integral"):
        refuse(f"bitwise_count of {array.dtype}")
    size = array.dtype.itemsize
    counts = elementwise.abs(array).astype(f"uint{size * 8}")
    for width, byte in _STEPS:
        mask = int.from_bytes(bytes([byte]) * size)
        counts = (counts & mask) + (counts >> width & mask)
    total = counts & 0xFF
    for place in range(1, size):
        total = total + (counts >> 8 * place & 0xFF)
    return total.astype("uint8")


@implements(np.conjugate)
def conjugate(x: Any) -> Array:
    return elementwise.conj(x)


@implements(np.divmod)
def divmod(x1: Any, x2: Any) -> tuple[Array, Array]:
    return elementwise.floor_divide(x1, x2), elementwise.remainder(x1, x2)


@implements(np.fabs)
def fabs(x: Any) -> Array:
    return elementwise.abs(_floats("fabs", x))


@implements(np.float_power)
def float_power(x1: Any, x2: Any) -> Array:
    base, power = _array("float_power", x1), _array("float_power", x2)
    return mathematics.pow(base.astype("float64"), power.astype("float64"))


@implements(np.fmax)
def fmax(x1: Any, x2: Any) -> Array:
    return _unless_nan(x1, x2, elementwise.maximum(x1, x2))


@implements(np.fmin)
def fmin(x1: Any, x2: Any) -> Array:
    return _unless_nan(x1, x2, elementwise.minimum(x1, x2))


def _unless_nan(x1: Any, x2: Any, extremum: Array) -> Array:
    other = elementwise.where(elementwise.isnan(x1), x2, x1)
    return elementwise.where(elementwise.isnan(extremum), other, extremum)


@implements(np.heaviside)
def heaviside(x1: Any, x2: Any) -> Array:
    dtype = elementwise.copysign(x1, x2).dtype
    x, at_zero = _array("heaviside", x1).astype(dtype), _array("heaviside", x2).astype(dtype)
    step = elementwise.where(x == 0, at_zero, elementwise.where(x < 0, 0.0, 1.0).astype(dtype))
    return elementwise.where(elementwise.isnan(x), x, step)


@implements(np.logaddexp2)
def logaddexp2(x1: Any, x2: Any) -> Array:
    result = dtype_of(elementwise.copysign(x1, x2).dtype)
    a, b = [_array("logaddexp2", x).astype(result.computed) for x in (x1, x2)]
    more = mathematics.log1p(mathematics.exp2(-elementwise.abs(a - b))) * (1 / _LOG2)
    return elementwise.where(a == b, a + 1, elementwise.maximum(a, b) + more).astype(result)


@implements(np.matmul)
def matmul(x1: Any, x2: Any) -> Array:
    return products.matmul(x1, x2)


@implements(np.modf)
def modf(x: Any) -> tuple[Array, Array]:
    array = _floats("modf", x)
    whole = elementwise.trunc(array)
    broken = elementwise.where(elementwise.isinf(array), 0, array - whole)
    return elementwise.copysign(broken, array), whole


@implements(np.positive)
def positive(x: Any) -> Array:
    return elementwise.positive(x)


@implements(np.spacing)
def spacing(x: Any) -> Array:
    array = _floats("spacing", x)
    outward = elementwise.where(array == 0, inf, elementwise.copysign(inf, array))
    return elementwise.nextafter(array, outward) - array


@implements(np.vecdot)
def vecdot(x1: Any, x2: Any) -> Array:
    return products.vecdot(x1, x2)
