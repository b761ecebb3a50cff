"""Element types as the Array API asks about them: kinds, promotion and limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.dtypes import DType, dtype_of, promote
from muntin.errors import DTypeError, ParameterError

__all__ = [
    "KINDS",
    "FloatLimits",
    "IntegerLimits",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
]

# The letters of NumPy's kinds by the standard's words for them.
KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@dataclass(frozen=True, slots=True)
class FloatLimits:
    """What a floating type holds.

    Attributes
    ----------
    bits : int
        Of one number.
    eps : float
        From 1 to the next number.
    max, min : float
        The greatest and the least finite number.
    smallest_normal : float
        The least positive number with all its digits.
    dtype : dtype
        The type.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class IntegerLimits:
    """What an integer type holds.

    Attributes
    ----------
    bits : int
        Of one number.
    max, min : int
        The greatest and the least number.
    dtype : dtype
        The type.
    """

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def finfo(type: Any, /) -> FloatLimits:
    """Return the limits of a floating type, given it or an array of it.

    Examples
    --------
    >>> finfo("float32").bits, finfo("float64").eps
    (32, 2.220446049250313e-16)
    """
    row = _row(type)
    if not row.is_float:
        raise DTypeError(f"finfo: got {row}; it takes floating types; iinfo takes integers")
    return FloatLimits(
        row.bits,
        2.0 ** (1 - row.digits),
        row.greatest_finite,
        -row.greatest_finite,
        row.smallest_normal,
        row.numpy,
    )


def iinfo(type: Any, /) -> IntegerLimits:
    """Return the limits of an integer type, given it or an array of it.

    Examples
    --------
    >>> iinfo("int16").min, iinfo("int16").max
    (-32768, 32767)
    """
    row = _row(type)
    if not row.is_integer:
        raise DTypeError(f"iinfo: got {row}; it takes integer types; finfo takes floating ones")
    return IntegerLimits(row.bits, row.greatest, row.least, row.numpy)


def can_cast(from_: Any, to: DType | npt.DTypeLike, /) -> bool:
    """Return whether a type, or an array of it, becomes another by promotion.

    Examples
    --------
    >>> can_cast("uint8", "int16"), can_cast("int16", "uint8")
    (True, False)
    """
    target = dtype_of(to)
    return promote(_row(from_), target) is target


def isdtype(dtype: DType | npt.DTypeLike, kind: npt.DTypeLike | tuple[npt.DTypeLike, ...]) -> bool:
    """Return whether a type is of a kind, or of one of several.

    Parameters
    ----------
    dtype : data-type
        The type.
    kind : str, data-type or tuple of them
        ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``,
        ``"real floating"``, ``"complex floating"``, ``"numeric"``, or a type that it may be.

    Raises
    ------
    ParameterError
        If there is no such kind.

    Examples
    --------
    >>> import numpy as np
    >>> isdtype("uint8", "integral"), isdtype("uint8", (np.int16, "real floating"))
    (True, False)
    """
    given = dtype_of(dtype)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(_is_of_kind(given, each) for each in kinds)


def _is_of_kind(dtype: DType, kind: npt.DTypeLike) -> bool:
    if not isinstance(kind, str):
        return dtype.numpy == np.dtype(kind)
    if kind not in KINDS:
        raise ParameterError(f"isdtype: kind is {kind!r}; use one of {', '.join(KINDS)}, or a type")
    return dtype.kind in KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the type in which arrays, types and Python numbers meet.

    Notes
    -----
    NumPy 2's promotion: a Python number takes the type of what stands beside it.

    Examples
    --------
    >>> import numpy as np
    >>> result_type(np.uint8, np.zeros(2, np.int8)), result_type("float32", 2.5)
    (dtype('int16'), dtype('float32'))
    """
    if not arrays_and_dtypes:
        raise ParameterError("result_type: got nothing; give arrays, types or numbers")
    rows = [_row(each) for each in arrays_and_dtypes if not _is_number(each)]
    if any(row.name == "bfloat16" for row in rows):  # NumPy knows few common types of it
        return reduce(promote, rows).numpy
    given = [each if _is_number(each) else _row(each).numpy for each in arrays_and_dtypes]
    return dtype_of(np.result_type(*given)).numpy


def _is_number(x: object) -> bool:
    return type(x) in (bool, int, float)


def _row(x: Any) -> DType:
    return dtype_of(x.dtype if isinstance(x, Array | np.ndarray | np.generic) else x)
