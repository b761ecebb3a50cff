"""Type rules: the operand types and the result type of a row, from what it is given."""

from __future__ import annotations

from functools import cache, reduce

import numpy as np

from muntin.dtypes import DTYPES, DType, dtype_of, promote
from muntin.errors import DTypeError, RangeError

__all__ = ["resolve", "weak_dtype"]

BOOL = DTYPES["bool"]
INT8 = DTYPES["int8"]
FLOAT32 = DTYPES["float32"]
FLOAT64 = DTYPES["float64"]
_FLOAT64_BITS = 1023  # every integer of so many bits has a float64 near it


@cache
def resolve(name: str, rule: str, dtypes: tuple[DType, ...]) -> tuple[tuple[DType, ...], DType]:
    """Return the types to which the operands of a row are cast, and the type of its result.

    Raises
    ------
    DTypeError
        If the operation is not defined for these types.
    """
    if rule == "select":
        common = promote(dtypes[1], dtypes[2])
        return (BOOL, common, common), common
    if rule == "logical":
        return (BOOL,) * len(dtypes), BOOL
    if rule in _SIZES:
        return dtypes, _same_size(name, rule, dtypes[0])
    common = dtypes[0]
    for dtype in dtypes[1:]:
        common = promote(common, dtype)
    if rule == "compare":
        return (common,) * len(dtypes), BOOL
    if rule == "test":
        return dtypes, BOOL
    if rule in ("floating", "promote_floating"):
        # NumPy divides in the type of both; elsewhere it takes one that holds each operand.
        apart = [common] if name == "divide" else [_floating(name, dtype) for dtype in dtypes]
        common = _floating(name, reduce(promote, apart))
    else:
        common = _checked(name, rule, common, dtypes)
    return (common,) * len(dtypes), common


# By rule, the types of the operands and those of the results, which have as many bits.
_SIZES = {
    "to_bits": {
        "float16": "int16",
        "bfloat16": "int16",
        "float32": "int32",
        "float64": "int64",
    },
    "to_whole": {"float32": "int32", "float64": "int64"},
    "from_bits": {"int32": "float32", "int64": "float64"},
    "from_bits_of_float16": {"int16": "float16"},
    "from_bits_of_bfloat16": {"int16": "bfloat16"},
}


def _same_size(name: str, rule: str, dtype: DType) -> DType:
    pairs = _SIZES[rule]
    if dtype.name not in pairs:
        *others, last = pairs
        taken = f"{', '.join(others)} or {last}" if others else last
        raise DTypeError(f"{name}: takes {taken}, but got {dtype}; cast with .astype() first")
    return DTYPES[pairs[dtype.name]]


def _floating(name: str, dtype: DType) -> DType:
    if dtype.is_float:
        return dtype
    if name == "divide" or dtype.bits > 16:
        return FLOAT64
    return FLOAT32


def _checked(name: str, rule: str, common: DType, dtypes: tuple[DType, ...]) -> DType:
    given = " and ".join(str(dtype) for dtype in dtypes)
    if common.is_bool and rule in ("promote_number", "same_number", "promote_integer"):
        if name in ("subtract", "negative", "sign"):
            raise DTypeError(
                f"{name}: is not defined for bool; use logical_xor or logical_not, or cast with "
                '.astype("int8") first'
            )
        return INT8
    if rule in ("promote_integer", "same_integer") and not common.is_integer:
        raise DTypeError(f"{name}: takes integers, but got {given}; cast with .astype() first")
    if rule in ("promote_bits", "same_bits") and common.is_float:
        raise DTypeError(
            f"{name}: takes integers or bool, but got {given}; cast with .astype() first"
        )
    return common


@cache
def _weak_type(kind: type, dtype: DType) -> DType:
    if dtype.is_float:
        return dtype
    example = {bool: True, int: 1, float: 1.0}[kind]
    return dtype_of(np.result_type(dtype.numpy, example))


def weak_dtype(name: str, value: bool | int | float, dtype: DType, rule: str = "") -> DType:
    """Return the type that a Python number takes beside an array of `dtype` (NumPy 2's rule).

    Where the rule of the operation makes floats, an integer is one from the start.

    Raises
    ------
    RangeError
        If that type does not hold the number.
    """
    kind = bool if isinstance(value, bool) else int if isinstance(value, int) else float
    result = _weak_type(kind, dtype)
    if kind is int and rule in ("floating", "promote_floating"):
        result = _floating(name, result)
    if kind is int and not result.is_float and not result.least <= value <= result.greatest:
        raise RangeError(
            f"{name}: the number {value} does not fit in {result} ({result.least} to "
            f"{result.greatest}), the type of the array; cast the array with .astype() first"
        )
    if kind is int and result.is_float and int(value).bit_length() > _FLOAT64_BITS:
        raise RangeError(
            f"{name}: an integer of {int(value).bit_length()} bits does not fit in {result}; use a "
            "float, such as infinity"
        )
    return result
