"""Bodies in simpler rows, and the NumPy meanings that NumPy itself has no function for.

A body takes a builder, whose methods are the rows' names, and nodes of the operand type. The
builder knows the range of every integer node, so that a test which cannot fail is never written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from muntin.dtypes import from_name

__all__ = ["Body"]

Body: TypeAlias = Callable[..., Any]


# --- meanings in NumPy ----------------------------------------------------------------------------


def truncated_quotient(a: Any, b: Any) -> Any:
    """a / b toward zero; by zero gives 0, the least integer by -1 itself."""
    a, b = np.asarray(a), np.asarray(b)
    safe = np.where(b == 0, np.ones_like(b), b)
    with np.errstate(all="ignore"):
        quotient = np.floor_divide(a, safe)
        remainder = np.subtract(a, np.multiply(quotient, safe))
        quotient = quotient + ((remainder != 0) & (quotient < 0)).astype(a.dtype)
    if a.dtype.kind == "i":
        least = np.iinfo(a.dtype).min
        quotient = np.where((a == least) & (b == -1), a, quotient)
    return np.where(b == 0, np.zeros_like(quotient), quotient).astype(a.dtype)


def floor_quotient(a: Any, b: Any) -> Any:
    """NumPy's floor division; integers by zero give 0, the least integer by -1 itself."""
    with np.errstate(all="ignore"):
        return np.floor_divide(a, b)


def floor_remainder(a: Any, b: Any) -> Any:
    """NumPy's remainder; integers by zero give 0."""
    with np.errstate(all="ignore"):
        return np.remainder(a, b)


def saturated_sum(a: Any, b: Any) -> Any:
    """a + b of integers, clamped to their type."""
    with np.errstate(over="ignore"):
        total = np.add(a, b)
    return _clamp(total, a, total < a, (a ^ total) & (b ^ total) < 0)


def saturated_difference(a: Any, b: Any) -> Any:
    """a - b of integers, clamped to their type."""
    with np.errstate(over="ignore"):
        rest = np.subtract(a, b)
    return _clamp(rest, a, a < b, (a ^ b) & (a ^ rest) < 0, least=True)


def _clamp(wrapped: Any, a: Any, past: Any, wraps: Any, *, least: bool = False) -> Any:
    info = np.iinfo(wrapped.dtype)
    if wrapped.dtype.kind == "u":
        bound = wrapped.dtype.type(info.min if least else info.max)
        return np.where(past, bound, wrapped)
    bound = np.where(a < 0, wrapped.dtype.type(info.min), wrapped.dtype.type(info.max))
    return np.where(wraps, bound, wrapped)


def rounding(function: Callable[..., Any]) -> Callable[..., Any]:
    """A rounding of floats; integers and truth values stay as they are."""

    def reference(x: Any) -> Any:
        x = np.asarray(x)
        return function(x) if x.dtype.kind == "f" else x

    return reference


def _in_width(counts: Any, dtype: np.dtype[Any]) -> Any:
    return (counts >= 0) & (counts < dtype.itemsize * 8)


def shifted_left(a: Any, counts: Any) -> Any:
    """A left shift; a count below 0 or past the width gives 0."""
    a = np.asarray(a)
    fits = _in_width(counts, a.dtype)
    return np.where(fits, np.left_shift(a, np.where(fits, counts, 0)), np.zeros_like(a)).astype(
        a.dtype
    )


def shifted_right(a: Any, counts: Any) -> Any:
    """An arithmetic right shift; a count below 0 or past the width gives 0 or the sign."""
    a = np.asarray(a)
    fits = _in_width(counts, a.dtype)
    sign = np.where(a < 0, -1, 0).astype(a.dtype) if a.dtype.kind == "i" else np.zeros_like(a)
    return np.where(fits, np.right_shift(a, np.where(fits, counts, 0)), sign).astype(a.dtype)


def signed(x: Any) -> Any:
    """NumPy's signbit for floats; a test for negative numbers elsewhere."""
    x = np.asarray(x)
    return np.signbit(x) if x.dtype.kind == "f" else np.less(x, 0)


def with_same_bits(x: Any) -> Any:
    """Floats as the signed integers that have their bits, and back."""
    x = np.asarray(x)
    return x.view(f"{'f' if x.dtype.kind == 'i' else 'i'}{x.itemsize}")


def with_bits_of(half: str) -> Callable[[Any], Any]:
    """Return the function that gives floats of 16 bits from the integers that have their bits."""
    return lambda x: np.asarray(x).view(from_name(half).numpy)


def next_after(x: Any, y: Any) -> Any:
    """The number next to x on the way to y; of halves NumPy gives x, not y, where both are 0."""
    return np.where(x == y, y, np.nextafter(x, y))


def whole_numbers(x: Any) -> Any:
    """Whole floats as the signed integers of their size, which must hold them."""
    x = np.asarray(x)
    return x.astype(f"i{x.itemsize}")


def rounded_square_root(x: Any) -> Any:
    """floor(sqrt(x) + 0.5) of non-negative integers below 2**32."""
    x = np.asarray(x)
    return np.floor(np.sqrt(x.astype(np.float64)) + 0.5).astype(x.dtype)


# --- bodies ---------------------------------------------------------------------------------------


def truncated_divide(b: Any, x: Any, y: Any) -> Any:
    low, high = b.interval(y)
    least = b.interval(x)[0]
    if b.target == "llvm" and low != high and _real_type(b, x, y) is None:
        # A CPU's integer division traps, and a row made in vain may divide by anything.
        low, high, least = y.dtype.least, y.dtype.greatest, x.dtype.least
    unsafe = None
    if low <= 0 <= high:
        unsafe = zero = b.equal(y, b.like(0, y))
    if low <= -1 <= high and least == x.dtype.least and x.dtype.kind == "i":
        wraps = b.logical_and(b.equal(x, b.like(x.dtype.least, x)), b.equal(y, b.like(-1, y)))
        unsafe = wraps if unsafe is None else b.logical_or(unsafe, wraps)
    if unsafe is None:
        return _quotient(b, x, y)
    quotient = _quotient(b, x, b.where(unsafe, b.like(1, y), y))
    if low <= 0 <= high:
        return b.where(zero, b.like(0, x), quotient)
    return quotient


def _quotient(b: Any, x: Any, y: Any) -> Any:
    """Divide toward zero by what is not zero."""
    real = _real_type(b, x, y)
    if b.target != "llvm" or real is None:
        return b.raw_divide(x, y)
    return b.cast(b.divide(b.cast(x, real), b.cast(y, real)), x.dtype)


def _real_type(b: Any, x: Any, y: Any) -> str | None:
    """Return the type of floats in which integers divide exactly, None to divide as integers.

    CPUs have no vectors of integer divisions. A quotient x / y that is no integer is at least
    1 / y away from the next, which is 1 / x of itself: while x is at most 2**23, more than a
    float32 is rounded by; at most 2**52, more than a float64.
    """
    low, high = b.interval(y)
    bound = max(abs(value) for value in (*b.interval(x), low, high))
    if low == high or bound > 1 << 52:
        return None
    return "float32" if bound <= 1 << 23 else "float64"


def floor_divide(b: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return _float_floor_divide(b, x, y)
    low, high = b.interval(y)
    if low == high and low > 0 and low & (low - 1) == 0:
        return b.raw_right_shift(x, b.like(low.bit_length() - 1, x))
    quotient = truncated_divide(b, x, y)
    if b.interval(x)[0] >= 0 and low >= 0:
        return quotient
    remainder = b.subtract(x, b.multiply(quotient, y))
    zero = b.like(0, x)
    apart = b.not_equal(b.less(remainder, zero), b.less(y, zero))
    below = b.logical_and(b.not_equal(remainder, zero), apart)
    if low <= 0 <= high:
        below = b.logical_and(below, b.not_equal(y, zero))
    return b.subtract(quotient, b.where(below, b.like(1, x), zero))


def remainder(b: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return _float_remainder(b, x, y)
    low, high = b.interval(y)
    if low == high and low > 0 and low & (low - 1) == 0:
        return b.bitwise_and(x, b.like(low - 1, x))
    rest = b.subtract(x, b.multiply(truncated_divide(b, x, y), y))
    zero = b.like(0, x)
    if low <= 0 <= high:
        rest = b.where(b.equal(y, zero), zero, rest)
    if b.interval(x)[0] >= 0 and low >= 0:
        return rest
    apart = b.not_equal(b.less(rest, zero), b.less(y, zero))
    below = b.logical_and(b.not_equal(rest, zero), apart)
    return b.where(below, b.add(rest, y), rest)


def _float_remainder(b: Any, x: Any, y: Any) -> Any:
    zero = b.like(0, x)
    rest = b.fmod(x, y)
    apart = b.not_equal(b.less(rest, zero), b.less(y, zero))
    moved = b.where(apart, b.add(rest, y), rest)
    signed = b.where(b.equal(rest, zero), b.copysign(zero, y), moved)
    return b.where(b.equal(y, zero), rest, signed)


def _float_floor_divide(b: Any, x: Any, y: Any) -> Any:
    zero, one = b.like(0, x), b.like(1, x)
    rest = b.fmod(x, y)
    apart = b.logical_and(b.not_equal(rest, zero), b.not_equal(b.less(rest, zero), b.less(y, zero)))
    quotient = b.divide(b.subtract(x, rest), y)
    quotient = b.where(apart, b.subtract(quotient, one), quotient)
    floor = b.floor(quotient)
    over = b.greater(b.subtract(quotient, floor), b.like(0.5, x))
    floor = b.where(over, b.add(floor, one), floor)
    signed_zero = b.copysign(zero, b.divide(x, y))
    result = b.where(b.not_equal(quotient, zero), floor, signed_zero)
    return b.where(b.equal(y, zero), b.divide(x, y), result)


def left_shift(b: Any, x: Any, count: Any) -> Any:
    return _shift(b, x, count, b.raw_left_shift, b.like(0, x))


def right_shift(b: Any, x: Any, count: Any) -> Any:
    past = b.like(0, x)
    if b.interval(x)[0] < 0:
        past = b.where(b.less(x, past), b.like(-1, x), past)
    return _shift(b, x, count, b.raw_right_shift, past)


def _shift(b: Any, x: Any, count: Any, raw: Any, past: Any) -> Any:
    low, high = b.interval(count)
    if low >= 0 and high < x.dtype.bits:
        return raw(x, count)
    shifted = raw(x, b.bitwise_and(count, b.like(x.dtype.bits - 1, count)))
    fits = b.less(count, b.like(x.dtype.bits, count))
    if low < 0:
        fits = b.logical_and(fits, b.greater_equal(count, b.like(0, count)))
    return b.where(fits, shifted, past)


def nextafter(b: Any, x: Any, y: Any) -> Any:
    """Add 1 to the bits to go away from 0, take 1 to go toward it."""
    zero, bits = b.like(0, x), b.float_bits(x)
    is_outward = b.equal(b.less(x, y), b.greater(x, zero))
    from_bits = getattr(b, f"{x.dtype}_from_bits") if x.dtype.is_half else b.from_bits
    moved = from_bits(b.add(bits, b.where(is_outward, b.like(1, bits), b.like(-1, bits))))
    least = b.like(x.dtype.smallest_subnormal, x)
    moved = b.where(b.equal(x, zero), b.copysign(least, y), moved)
    moved = b.where(b.equal(x, y), y, moved)
    return b.where(b.logical_or(b.isnan(x), b.isnan(y)), b.add(x, y), moved)


def isinf(b: Any, x: Any) -> Any:
    if x.dtype.kind != "f":
        return b.not_equal(x, x)
    return b.equal(b.abs(x), b.like(float("inf"), x))


def isfinite(b: Any, x: Any) -> Any:
    if x.dtype.kind != "f":
        return b.equal(x, x)
    return b.less(b.abs(x), b.like(float("inf"), x))


def sign(b: Any, x: Any) -> Any:
    zero, one = b.like(0, x), b.like(1, x)
    if x.dtype.kind == "u":
        return b.where(b.greater(x, zero), one, zero)
    rest = zero if x.dtype.kind == "i" else b.where(b.equal(x, x), zero, x)
    negative = b.where(b.less(x, zero), b.like(-1, x), rest)
    return b.where(b.greater(x, zero), one, negative)


def rounded_sqrt(b: Any, x: Any) -> Any:
    """A float32 root, then one correction in integers: exact for every x below 2**32 - 2**16.

    The root r is the integer with r*r - r < x <= r*r + r.
    """
    wide = b.cast(x, "uint32") if b.interval(x)[1] >= 1 << 30 else b.cast(x, "int32")
    root = b.cast(b.add(b.sqrt(b.cast(wide, "float32")), b.typed(0.5, "float32")), wide.dtype)
    one = b.like(1, root)
    square = b.multiply(root, root)
    high = b.less(b.add(square, root), wide)
    root_up = b.where(high, b.add(root, one), root)
    low = b.logical_and(
        b.greater_equal(b.subtract(square, root), wide), b.greater(root, b.like(0, root))
    )
    return b.cast(b.where(low, b.subtract(root, one), root_up), x.dtype)
