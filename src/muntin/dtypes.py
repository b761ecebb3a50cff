"""A row a type: name, kind, width, and the type in which it is computed."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.errors import DTypeError

__all__ = ["DTYPES", "DType", "dtype_of", "from_name", "integer_type", "promote"]


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type.

    Rows are compared by identity: there is one object a type. `known` is None where a package
    other than NumPy defines the type: it is imported when the type is first asked for.
    """

    name: str
    kind: str  # "b" bool, "u" unsigned, "i" signed, "f" floating
    bits: int  # of the value: 1 for bool, which is stored in a byte
    itemsize: int
    known: np.dtype[Any] | None = field(repr=False)
    digits: int = 0  # of a floating number, in base 2

    @property
    def numpy(self) -> np.dtype[Any]:
        """The type in NumPy."""
        return _bfloat16() if self.known is None else self.known

    @property
    def is_integer(self) -> bool:
        return self.kind in "ui"

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_half(self) -> bool:
        """Whether this is a floating type of 16 bits: numbers are stored in it, not computed."""
        return self.kind == "f" and self.bits == 16

    @property
    def is_bool(self) -> bool:
        return self.kind == "b"

    @property
    def computed(self) -> DType:
        """The type in which numbers of this type are computed."""
        return _FLOAT32 if self.is_half else self

    @property
    def least(self) -> int:
        """The least value of an integer or boolean type."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def greatest(self) -> int:
        """The greatest value of an integer or boolean type."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "i" else (1 << self.bits) - 1

    @property
    def exponents(self) -> int:
        """The exponent of the power of two that is the first to overflow a floating type."""
        return 1 << (self.bits - self.digits - 1)

    @property
    def greatest_finite(self) -> float:
        """The greatest finite number of a floating type."""
        return math.ldexp(1 - math.ldexp(1, -self.digits), self.exponents)

    @property
    def smallest_normal(self) -> float:
        """The least positive number of a floating type that has all its digits."""
        return math.ldexp(1, 2 - self.exponents)

    @property
    def smallest_subnormal(self) -> float:
        """The least positive number of a floating type."""
        return math.ldexp(1, 3 - self.exponents - self.digits)

    def rounded(self, value: float) -> float:
        """Return the value of a floating type nearest to a number, infinite where it overflows."""
        if self.is_half:
            return self._rounded_half(float(value))
        with np.errstate(over="ignore"):
            return float(self.numpy.type(value))

    def _rounded_half(self, value: float) -> float:
        if not math.isfinite(value):
            return value
        exponent = max(math.frexp(value)[1], 3 - self.exponents)
        unit = math.ldexp(1, exponent - self.digits)
        nearest = round(value / unit) * unit  # of two the even one
        nearest = math.inf if abs(nearest) > self.greatest_finite else abs(nearest)
        return math.copysign(nearest, value)

    def float_bits(self, value: float) -> int:
        """Return the bits of the value of a floating type nearest to a number, as an integer."""
        codes = {"float16": "eH", "bfloat16": "fI", "float32": "fI", "float64": "dQ"}[self.name]
        (bits,) = struct.unpack("<" + codes[1], struct.pack("<" + codes[0], self.rounded(value)))
        return int(bits) >> (struct.calcsize(codes[0]) - self.itemsize) * 8

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return from_name, (self.name,)


def _row(name: str, kind: str, bits: int, digits: int = 0) -> DType:
    numpy_type = np.dtype(name)
    return DType(name, kind, bits, numpy_type.itemsize, numpy_type, digits)


DTYPES: dict[str, DType] = {
    row.name: row
    for row in (
        _row("bool", "b", 1),
        _row("uint8", "u", 8),
        _row("int8", "i", 8),
        _row("uint16", "u", 16),
        _row("int16", "i", 16),
        _row("uint32", "u", 32),
        _row("int32", "i", 32),
        _row("uint64", "u", 64),
        _row("int64", "i", 64),
        _row("float16", "f", 16, 11),
        DType("bfloat16", "f", 16, 2, None, 8),
        _row("float32", "f", 32, 24),
        _row("float64", "f", 64, 53),
    )
}

_FLOAT32, _BFLOAT16 = DTYPES["float32"], DTYPES["bfloat16"]
_BY_NUMPY = {row.known: row for row in DTYPES.values() if row.known is not None}


@cache
def _bfloat16() -> np.dtype[Any]:
    """Return NumPy's type of bfloat16, which the package ml_dtypes gives it."""
    try:
        from ml_dtypes import bfloat16
    except ImportError as error:
        raise DTypeError(
            "dtype: bfloat16 needs the package ml_dtypes; install it with "
            '`pip install "muntin[bfloat16]"`'
        ) from error
    numpy_type: np.dtype[Any] = np.dtype(bfloat16)
    return numpy_type


def from_name(name: str) -> DType:
    """Return the row called `name`."""
    return DTYPES[name]


def dtype_of(dtype: DType | npt.DTypeLike) -> DType:
    """Return the row of a NumPy type, a type's name or a row.

    Raises
    ------
    DTypeError
        If muntin has no such element type (complex, object, strings, other byte orders), or if it
        is bfloat16 and the package ml_dtypes is not installed.
    """
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, str) and dtype == _BFLOAT16.name:
        dtype = _BFLOAT16.numpy
    try:
        numpy_type = np.dtype(_given(dtype))
    except TypeError as error:
        raise DTypeError(f"dtype: {dtype!r} is no element type; use one of {_names()}") from error
    row = _BY_NUMPY.get(numpy_type)
    if row is not None:
        return row
    # Told by its name, so that ml_dtypes is imported only where an array has its type.
    if numpy_type.name == _BFLOAT16.name and numpy_type == _BFLOAT16.numpy:
        return _BFLOAT16
    raise DTypeError(f"dtype: {numpy_type!r} is not supported; use one of {_names()}")


def _given(dtype: npt.DTypeLike) -> npt.DTypeLike:
    """Return a type that is given: NumPy takes None for float64."""
    if dtype is None:
        raise TypeError("None is no type")
    return dtype


def _names() -> str:
    return ", ".join(DTYPES)


@cache
def promote(a: DType, b: DType) -> DType:
    """Return the common type of two arrays' types, as NumPy 2 has it.

    With bfloat16 small integers and truth values give bfloat16, and all others what they give with
    float32; NumPy has no common type of float16 or of wider integers with it.
    """
    if a is b:
        return a
    if _BFLOAT16 in (a, b):
        other = b if a is _BFLOAT16 else a
        return _BFLOAT16 if other.bits <= 8 else promote(_FLOAT32, other)
    return dtype_of(np.promote_types(a.numpy, b.numpy))


def integer_type(least: int, greatest: int) -> DType | None:
    """Return the narrowest integer type that holds `least` to `greatest`, or None.

    A signed type is taken where the range has negative values, an unsigned one elsewhere.
    """
    kind = "int" if least < 0 else "uint"
    for bits in (8, 16, 32, 64):
        row = DTYPES[f"{kind}{bits}"]
        if row.least <= least and greatest <= row.greatest:
            return row
    return None
