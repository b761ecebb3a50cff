"""Floats of 16 bits in rows of wider types: how they are cast, and how they are computed.

Numbers are stored as halves and computed as float32. A builder that `converts_halves` has a
conversion between float16 and float32 of its own, with the same bits as the rows here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from muntin.dtypes import DTYPES, DType

__all__ = ["cast_half", "cut", "rounded_bfloat16", "single"]

FLOAT16, FLOAT32, FLOAT64 = DTYPES["float16"], DTYPES["float32"], DTYPES["float64"]
_SIGN = -(1 << 31)  # the bit of it, in int32
_MAGNITUDE = (1 << 31) - 1


def single(b: Any, row: Any, args: Sequence[Any]) -> Any:
    """Return a row of halves, not rounded to a half yet."""
    return getattr(b, row.name)(*[b.cast(arg, arg.dtype.computed) for arg in args])


def cast_half(b: Any, x: Any, dtype: DType) -> Any:
    """Return a cast from or to a half, rounded once."""
    if b.converts_halves and {x.dtype, dtype} == {FLOAT16, FLOAT32}:
        return b.converted(x, dtype)
    if x.dtype.is_half:
        widened = _from_float16 if x.dtype is FLOAT16 else _from_bfloat16
        return b.cast(widened(b, x), dtype)
    if x.dtype is FLOAT32:
        return _to_float16(b, x) if dtype is FLOAT16 else cut(b, rounded_bfloat16(b, x), dtype)
    if x.dtype is FLOAT64:
        return b.cast(_to_odd(b, x), dtype)
    if x.dtype.bits <= 16 or dtype is FLOAT16:  # exact in float32, or past all of float16
        return b.cast(b.cast(x, FLOAT32), dtype)
    real = FLOAT64 if x.dtype.bits == 64 else FLOAT32
    return b.cast(b.cast(_fitted(b, x, real), real), dtype)


def _from_bfloat16(b: Any, x: Any) -> Any:
    bits = b.cast(b.float_bits(x), "int32")
    return b.from_bits(b.raw_left_shift(bits, b.like(16, bits)))


def cut(b: Any, x: Any, dtype: DType) -> Any:
    """Return a float32 that a half holds as that half."""
    if dtype is FLOAT16:
        return b.cast(x, dtype)
    bits = b.float_bits(x)
    return b.bfloat16_from_bits(b.cast(b.raw_right_shift(bits, b.like(16, bits)), "int16"))


def rounded_bfloat16(b: Any, x: Any, *, is_tame: bool = False) -> Any:
    """Return a float32 rounded to the digits of a bfloat16.

    A NaN is `tame` if it is quiet and its last 16 bits are zeros, so that rounding leaves it one.
    """
    bits = b.float_bits(x)
    rounded = b.bitwise_and(_past_ties(b, bits, 16), b.like(-(1 << 16), bits))
    if not is_tame:
        rounded = b.where(b.isnan(x), b.bitwise_or(bits, b.like(1 << 22, bits)), rounded)
    return b.from_bits(rounded)


def _past_ties(b: Any, bits: Any, lost: int) -> Any:
    """Return bits of which the last may be cut off to round: of two neighbours, to the even one.

    Half a unit less one is added, and one more where the last digit that stays is odd. That digit
    is the sign of what is shifted, which no pass takes for a number of 8 bits.
    """
    odd = b.raw_right_shift(b.raw_left_shift(bits, b.like(31 - lost, bits)), b.like(31, bits))
    return b.subtract(b.add(bits, b.like((1 << lost - 1) - 1, bits)), odd)


def _from_float16(b: Any, x: Any) -> Any:
    bits = b.cast(b.float_bits(x), "int32")
    magnitude = b.raw_left_shift(b.bitwise_and(bits, b.like((1 << 15) - 1, bits)), b.like(13, bits))
    sign = b.bitwise_and(b.raw_left_shift(bits, b.like(16, bits)), b.like(_SIGN, bits))
    least_normal, infinity = b.like(1 << 23, bits), b.like(31 << 23, bits)
    normal = b.add(magnitude, b.like((127 - 15) << 23, bits))
    # Digits of a subnormal as those of a number of the least exponent, less that power of two.
    least = b.like((127 - 14) << 23, bits)
    raised = b.from_bits(b.bitwise_or(magnitude, least))
    small = b.float_bits(b.subtract(raised, b.from_bits(least)))
    beyond = b.bitwise_or(magnitude, b.like(255 << 23, bits))
    found = b.where(b.less(magnitude, infinity), normal, beyond)
    found = b.where(b.less(magnitude, least_normal), small, found)
    return b.from_bits(b.bitwise_or(found, sign))


def _to_float16(b: Any, x: Any) -> Any:
    bits = b.float_bits(x)
    magnitude = b.bitwise_and(bits, b.like(_MAGNITUDE, bits))
    sign = b.bitwise_and(b.raw_right_shift(bits, b.like(16, bits)), b.like(-(1 << 15), bits))
    normal = b.add(_past_ties(b, magnitude, 13), b.like((15 - 127) << 23, bits))
    normal = b.raw_right_shift(normal, b.like(13, bits))
    # The sum with a number whose last digit is the least subnormal is rounded to its digits.
    ruler = b.like((127 - 1) << 23, bits)
    laid = b.add(b.from_bits(magnitude), b.from_bits(ruler))
    small = b.subtract(b.float_bits(laid), ruler)
    infinity = b.like(31 << 10, bits)
    digits = b.bitwise_and(b.raw_right_shift(magnitude, b.like(13, bits)), b.like(511, bits))
    quiet = b.bitwise_or(digits, b.like(63 << 9, bits))
    found = b.where(b.less(magnitude, b.like((127 - 14) << 23, bits)), small, normal)
    found = b.where(b.less(magnitude, b.like((127 + 16) << 23, bits)), found, infinity)
    found = b.where(b.isnan(x), quiet, found)
    return b.float16_from_bits(b.cast(b.bitwise_or(found, sign), "int16"))


def _to_odd(b: Any, x: Any) -> Any:
    """Return a float64 as float32: if that is not exact, the neighbour whose last digit is odd.

    Rounded again to fewer digits it becomes what x does (Boldo and Melquiond, Emulation of FMA and
    correctly rounded sums, 2008).
    """
    near = b.cast(x, FLOAT32)
    size, exact = b.abs(b.cast(near, FLOAT64)), b.abs(x)
    is_less, is_more = b.less(size, exact), b.greater(size, exact)
    bits = b.float_bits(near)
    is_even = b.equal(b.bitwise_and(bits, b.like(1, bits)), b.like(0, bits))
    moved = b.from_bits(b.add(bits, b.where(is_less, b.like(1, bits), b.like(-1, bits))))
    return b.where(b.logical_and(is_even, b.logical_or(is_less, is_more)), moved, near)


def _fitted(b: Any, x: Any, real: DType) -> Any:
    """Return an integer that a floating type holds; its last digit there is odd if it was cut."""
    large, lost = 1 << real.digits - 1, real.bits - real.digits
    is_large = b.greater_equal(x, b.like(large, x))
    if x.dtype.kind == "i":
        is_large = b.logical_or(is_large, b.less_equal(x, b.like(-large, x)))
    high = b.bitwise_and(x, b.bitwise_invert(b.like((1 << lost) - 1, x)))
    is_cut = b.logical_and(is_large, b.not_equal(high, x))
    return b.where(is_cut, b.bitwise_or(high, b.like(1 << lost, x)), x)
