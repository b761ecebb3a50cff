"""Numbers and casts as OpenCL C expressions: nothing is left to the target's own conversions."""

from __future__ import annotations

import math

from muntin.dtypes import DType
from muntin.errors import InternalError

__all__ = ["C_TYPES", "cast_text", "literal"]

C_TYPES = {  # of values; in memory a bool is a uchar
    "bool": "int",
    "uint8": "uchar",
    "int8": "char",
    "uint16": "ushort",
    "int16": "short",
    "uint32": "uint",
    "int32": "int",
    "uint64": "ulong",
    "int64": "long",
    "float16": "short",  # by its bits
    "bfloat16": "short",
    "float32": "float",
    "float64": "double",
}
_SUFFIXES = {"uint32": "u", "uint64": "UL", "int64": "L"}


def literal(value: int | float, dtype: DType) -> str:
    """Return a number, floats exactly."""
    if dtype.is_half:
        return f"((short){dtype.float_bits(value)})"
    if dtype.is_float:
        return _float_literal(value, dtype)
    if dtype.is_bool:
        return "1" if value else "0"
    suffix = _SUFFIXES.get(dtype.name, "")
    if value == dtype.least and dtype.bits >= 32 and value < 0:
        text = f"(-{-value - 1}{suffix} - 1)"
    else:
        text = f"{value}{suffix}" if value >= 0 else f"(-{-value}{suffix})"
    return f"(({C_TYPES[dtype.name]}){text})" if dtype.bits < 32 else text


def _float_literal(value: int | float, dtype: DType) -> str:
    number = dtype.rounded(value)
    single = dtype.bits == 32
    if math.isnan(number):
        return "NAN" if single else "((double)NAN)"
    if math.isinf(number):
        text = "INFINITY" if single else "((double)INFINITY)"
    else:
        text = abs(number).hex() + "f" * single
    return f"(-{text})" if math.copysign(1.0, number) < 0 else text


def cast_text(value: str, source: DType, target: DType, *, saturate: bool) -> str:
    """Return the expression that casts `value`, which is a name or a number.

    Integers wrap, or clamp if told to; floats truncate and clamp, and NaN gives 0.
    """
    kind = C_TYPES[target.name]
    plain = f"(({kind}){value})"
    if source is target:
        return value
    if source.is_half or target.is_half:
        raise InternalError(
            f"emit.opencl_c: no cast of {source} to {target}; core.plan.expand should have "
            "replaced it by its body"
        )
    if target.is_bool:
        return f"({value} != {literal(0, source)})"
    if source.is_float and target.is_integer:
        tests = [
            (f"{value} != {value}", 0),
            (f"{value} >= {literal(2.0 ** target.greatest.bit_length(), source)}", target.greatest),
            (f"{value} <= {literal(target.least, source)}", target.least),
        ]
    elif saturate and source.is_integer and target.is_integer:
        tests = _clamps(value, source, target)
    else:
        return plain
    text = plain
    for test, result in reversed(tests):
        text = f"({test} ? {literal(result, target)} : {text})"
    return f"(({kind}){text})" if tests else plain


def _clamps(value: str, source: DType, target: DType) -> list[tuple[str, int]]:
    tests = []
    if source.greatest > target.greatest:
        tests.append((f"{value} > {literal(target.greatest, source)}", target.greatest))
    if source.least < target.least:
        tests.append((f"{value} < {literal(target.least, source)}", target.least))
    return tests
