"""Interval rules: the exact integers that a result can take, from those of its operands.

A rule gives the mathematical range; the caller falls back to the whole type where it does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import TypeAlias

from muntin.dtypes import DType

__all__ = ["Interval", "IntervalRule"]

Interval: TypeAlias = tuple[int, int]
IntervalRule: TypeAlias = Callable[[DType, tuple[Interval, ...]], Interval]


def _hull(*values: int) -> Interval:
    return min(values), max(values)


def add(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    return a + c, b + d


def subtract(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    return a - d, b - c


def multiply(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    return _hull(a * c, a * d, b * c, b * d)


def square(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    a, b = absolute(dtype, args)
    return a * a, b * b


def negative(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    ((a, b),) = args
    return -b, -a


def absolute(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    ((a, b),) = args
    if a >= 0:
        return a, b
    return (-b, -a) if b <= 0 else (0, max(-a, b))


def sign(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    ((a, b),) = args
    return (a > 0) - (a < 0), (b > 0) - (b < 0)


def same(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    return args[0]


def _clamped(dtype: DType, interval: Interval) -> Interval:
    low, high = interval
    return (
        min(max(low, dtype.least), dtype.greatest),
        min(max(high, dtype.least), dtype.greatest),
    )


def add_saturate(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    return _clamped(dtype, add(dtype, args))


def subtract_saturate(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    return _clamped(dtype, subtract(dtype, args))


def minimum(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    return min(a, c), min(b, d)


def maximum(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    return max(a, c), max(b, d)


def where(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    _, (a, b), (c, d) = args
    return min(a, c), max(b, d)


def truth(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    return 0, 1


def truncated_divide(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if c > 0:
        return _hull(*(_toward_zero(x, y) for x in (a, b) for y in (c, d)))
    largest = max(abs(a), abs(b))
    return _clamped(dtype, (-largest if a < 0 or c < 0 else 0, largest))


def _toward_zero(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)


def floor_divide(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if c > 0:
        return _hull(a // c, a // d, b // c, b // d)
    largest = max(abs(a), abs(b))
    return _clamped(dtype, (-largest if a < 0 or c < 0 else 0, largest))


def remainder(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, _), (c, d) = args
    low, high = min(c + 1, 0), max(d - 1, 0)
    return (0, max(high, 0)) if a >= 0 and c >= 0 else (low, high)


def bitwise_and(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if a >= 0 and c >= 0:
        return 0, min(b, d)
    if a >= 0:
        return 0, b
    if c >= 0:
        return 0, d
    return dtype.least, dtype.greatest


def bitwise_or(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if a >= 0 and c >= 0:
        return 0, (1 << max(b.bit_length(), d.bit_length())) - 1
    return dtype.least, dtype.greatest


def bitwise_invert(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    ((a, b),) = args
    if dtype.kind == "i":
        return ~b, ~a
    return dtype.greatest - b, dtype.greatest - a


def left_shift(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if c < 0 or d >= dtype.bits:
        return dtype.least, dtype.greatest
    return _hull(a << c, a << d, b << c, b << d)


def right_shift(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    (a, b), (c, d) = args
    if c < 0 or d >= dtype.bits:
        return min(a, 0) if a >= 0 else min(a, -1), max(b, 0)
    return _hull(a >> c, a >> d, b >> c, b >> d)


def rounded_sqrt(dtype: DType, args: tuple[Interval, ...]) -> Interval:
    ((_, b),) = args
    return 0, isqrt(max(b, 0)) + 1
