"""Floats of 16 bits from their definition: every number of a type, and the nearest of them."""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache

# By name, the digits of a number and the exponent of the least that overflows.
TYPES = {"float16": (11, 16), "bfloat16": (8, 128)}


def number(bits: int, name: str) -> float:
    """Return the number that some bits are."""
    digits, most = TYPES[name]
    sign = -1.0 if bits >> 15 else 1.0
    exponent, fraction = (bits & 0x7FFF) >> (digits - 1), bits & ((1 << (digits - 1)) - 1)
    if exponent == 2 * most - 1:
        return math.nan if fraction else sign * math.inf
    if exponent:
        fraction += 1 << (digits - 1)
    return sign * math.ldexp(fraction, max(exponent, 1) - most - digits + 2)


@cache
def _sizes(name: str) -> list[Fraction]:
    """Return all numbers from 0 on, and the power of two that would follow the last."""
    found = (number(bits, name) for bits in range(1 << 15))
    sizes = [Fraction(each) for each in found if math.isfinite(each)]
    return [*sizes, Fraction(2) ** TYPES[name][1]]


def nearest(value: float, name: str) -> float:
    """Return the number of a type that is nearest to another, of two the even one."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    sizes, size = _sizes(name), abs(Fraction(value))
    place = bisect_left(sizes, size)
    if place == len(sizes):
        place -= 1
    elif place:
        below, above = size - sizes[place - 1], sizes[place] - size
        place -= below < above or (below == above and place % 2 == 1)
    found = math.inf if place == len(sizes) - 1 else float(sizes[place])
    return math.copysign(found, value)
