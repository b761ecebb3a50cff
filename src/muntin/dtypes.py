"""A row a type: name, kind, width, and the type in which it is computed."""

from __future__ import annotations

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

    Rows are compared by identity: there is one object a type.
    """

    name: str
    kind: str  # "b" bool, "u" unsigned, "i" signed, "f" floating
    bits: int  # of the value: 1 for bool, which is stored in a byte
    itemsize: int
    numpy: np.dtype[Any] = field(repr=False)

    @property
    def is_integer(self) -> bool:
        return self.kind in "ui"

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_bool(self) -> bool:
        return self.kind == "b"

    @property
    def least(self) -> int:
        """The least value of an integer or boolean type."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def greatest(self) -> int:
        """The greatest value of an integer or boolean type."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "i" else (1 << self.bits) - 1

    def rounded(self, value: float) -> float:
        """Return the value of a floating type nearest to a number, infinite where it overflows."""
        with np.errstate(over="ignore"):
            return float(self.numpy.type(value))

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return from_name, (self.name,)


def _row(name: str, kind: str, bits: int) -> DType:
    numpy_type = np.dtype(name)
    return DType(name, kind, bits, numpy_type.itemsize, numpy_type)


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
        _row("float32", "f", 32),
        _row("float64", "f", 64),
    )
}

_BY_NUMPY = {row.numpy: row for row in DTYPES.values()}


def from_name(name: str) -> DType:
    """Return the row called `name`."""
    return DTYPES[name]


def dtype_of(dtype: DType | npt.DTypeLike) -> DType:
    """Return the row of a NumPy type, a type's name or a row.

    Raises
    ------
    DTypeError
        If muntin has no such element type (complex, object, strings, other byte orders).
    """
    if isinstance(dtype, DType):
        return dtype
    try:
        numpy_type = np.dtype(_given(dtype))
    except TypeError as error:
        raise DTypeError(f"dtype: {dtype!r} is no element type; use one of {_names()}") from error
    row = _BY_NUMPY.get(numpy_type)
    if row is None:
        raise DTypeError(f"dtype: {numpy_type!r} is not supported; use one of {_names()}")
    return row


def _given(dtype: npt.DTypeLike) -> npt.DTypeLike:
    """Return a type that is given: NumPy takes None for float64."""
    if dtype is None:
        raise TypeError("None is no type")
    return dtype


def _names() -> str:
    return ", ".join(DTYPES)


@cache
def promote(a: DType, b: DType) -> DType:
    """Return the common type of two arrays' types, as NumPy 2 has it."""
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
