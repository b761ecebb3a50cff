"""Casts as LLVM IR lines: wrap or clamp between integers, truncate and clamp from floats."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from muntin.dtypes import DType

__all__ = ["cast_lines"]


def _type(dtype: DType) -> str:
    if dtype.kind == "f":
        return "float" if dtype.bits == 32 else "double"
    return f"i{dtype.bits}"


def _float(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def cast_lines(
    value: str, source: DType, target: DType, *, saturate: bool, name: Callable[[], str]
) -> tuple[list[str], str]:
    """Return the lines that cast `value`, and the name of the result.

    Parameters
    ----------
    value
        The operand, a value of type `source`.
    source, target
        The two types.
    saturate
        Clamp integers to the target's range.
    name
        Gives a new name.
    """
    lines: list[str] = []

    def line(text: str) -> str:
        result = name()
        lines.append(f"{result} = {text}")
        return result

    if source is target:
        return lines, value
    if target.is_bool:
        zero = _float(0.0) if source.is_float else "0"
        compare = "fcmp une" if source.is_float else "icmp ne"
        return lines, line(f"{compare} {_type(source)} {value}, {zero}")
    if source.is_float and target.is_float:
        word = "fpext" if target.bits > source.bits else "fptrunc"
        return lines, line(f"{word} {_type(source)} {value} to {_type(target)}")
    if target.is_float:
        word = "sitofp" if source.kind == "i" else "uitofp"
        return lines, line(f"{word} {_type(source)} {value} to {_type(target)}")
    if source.is_float:
        return lines, _float_to_integer(value, source, target, line)
    if saturate:
        value = _clamp_integer(value, source, target, line)
    return lines, _resize(value, source, target, line)


def _resize(value: str, source: DType, target: DType, line: Callable[[str], str]) -> str:
    if source.bits == target.bits:
        return value
    if source.bits > target.bits:
        word = "trunc"
    else:
        word = "sext" if source.kind == "i" else "zext"
    return line(f"{word} {_type(source)} {value} to {_type(target)}")


def _clamp_integer(value: str, source: DType, target: DType, line: Callable[[str], str]) -> str:
    kind, sign = _type(source), "s" if source.kind == "i" else "u"
    if target.greatest < source.greatest:
        value = line(
            f"call {kind} @llvm.{sign}min.{kind}({kind} {value}, {kind} {target.greatest})"
        )
    if target.least > source.least:
        value = line(f"call {kind} @llvm.{sign}max.{kind}({kind} {value}, {kind} {target.least})")
    return value


def _float_to_integer(value: str, source: DType, target: DType, line: Callable[[str], str]) -> str:
    kind = _type(source)
    mantissa = 24 if source.bits == 32 else 53
    # Compare-and-select maps NaN to the lower bound, which is the 0 it must give if unsigned.
    low = float(target.least)
    above = line(f"fcmp ogt {kind} {value}, {_float(low)}")
    clamped = line(f"select i1 {above}, {kind} {value}, {kind} {_float(low)}")
    exact = target.greatest.bit_length() <= mantissa
    limit = (
        float(target.greatest) if exact else _below(2.0 ** target.greatest.bit_length(), mantissa)
    )
    below = line(f"fcmp olt {kind} {clamped}, {_float(limit)}")
    clamped = line(f"select i1 {below}, {kind} {clamped}, {kind} {_float(limit)}")
    if target.bits < 32:
        wide = line(f"fptosi {kind} {clamped} to i32")
        result = line(f"trunc i32 {wide} to {_type(target)}")
    else:
        word = "fptosi" if target.kind == "i" else "fptoui"
        result = line(f"{word} {kind} {clamped} to {_type(target)}")
    integer = _type(target)
    if not exact:
        past = line(f"fcmp oge {kind} {value}, {_float(2.0 ** target.greatest.bit_length())}")
        result = line(f"select i1 {past}, {integer} {target.greatest}, {integer} {result}")
    if target.kind == "i":
        ordered = line(f"fcmp ord {kind} {value}, {value}")
        result = line(f"select i1 {ordered}, {integer} {result}, {integer} 0")
    return result


def _below(power: float, mantissa: int) -> float:
    """Return the largest float of `mantissa` bits below a power of two."""
    return power - math.ldexp(power, -mantissa)
