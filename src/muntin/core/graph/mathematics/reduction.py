"""Angles reduced to half and quarter turns.

An angle that is not large is reduced by parts of pi whose products with whole numbers are exact.
A large one is a whole number times a power of two: it is multiplied by the bits of 1 / pi from
where whole turns end (Payne and Hanek).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf, nan, pi

from muntin.core.graph.mathematics.coefficients import INVERSE_PI, PI
from muntin.core.graph.mathematics.parts import FORMATS, to_whole
from muntin.core.graph.mathematics.term import Term

__all__ = ["half_turns", "quarter_turns", "shifted_half_turns"]

# From here on the parts of pi are too few.
_HALF_TURNS = {32: 3200.0, 64: 50000.0}
_QUARTER_TURNS = {32: 1600.0, 64: 25000.0}


def half_turns(x: Term) -> tuple[Term, Term]:
    """Return n, in the low bit of an integer, and r of x = n·pi + r."""
    whole, shifted = to_whole(x, 1 / pi)
    near = shifted, _without(x, whole, pi)
    return _near_or_far(x, near, _HALF_TURNS[x.bits], pi, _fixed_half_turns)


def shifted_half_turns(x: Term) -> tuple[Term, Term]:
    """Return n, in the low bit of an integer, and r of x = (n + 1/2)·pi + r."""
    whole, shifted = to_whole(x.times(1 / pi, -0.5))
    near = shifted, _without(x, whole + 0.5, pi)

    def fixed(x: Term) -> tuple[Term, Term]:
        high, low = _fixed_half_turns(x)
        return high - (1 << 62), low

    return _near_or_far(x, near, _HALF_TURNS[x.bits], pi, fixed)


def quarter_turns(x: Term) -> tuple[Term, Term]:
    """Return n, in the low bit of an integer, and r of x = n·pi/2 + r."""
    whole, shifted = to_whole(x, 2 / pi)
    near = shifted, _without(x, whole, pi / 2)

    def fixed(x: Term) -> tuple[Term, Term]:
        high, low = _fixed_half_turns(x)
        return (high << 1) | (low >> 63), low << 1

    return _near_or_far(x, near, _QUARTER_TURNS[x.bits], pi / 2, fixed)


def _without(x: Term, count: Term, turn: float) -> Term:
    """Return what is left of x, of which the first difference is exact."""
    for part in PI[x.bits]:
        x = count.times(-part * (turn / pi), x)
    return x


def _near_or_far(
    x: Term,
    near: tuple[Term, Term],
    limit: float,
    turn: float,
    fixed: Callable[[Term], tuple[Term, Term]],
) -> tuple[Term, Term]:
    """Return the count and the rest that are near up to a limit, and else those of `fixed`.

    It gives |x| / turn modulo 2 with 127 bits after the point, in two words.
    """
    size = abs(x)
    is_far = (size <= limit).negated()
    high, low = fixed(size)
    parity = ((high + (1 << 62)) >> 63).cast(f"int{x.bits}")
    signed = ((high << 1) | (low >> 63)).cast("int64")
    far = signed.cast(x.dtype) * (turn * 2.0**-64)
    if x.bits == 64:
        far = far + (low << 1).cast(x.dtype) * (turn * 2.0**-128)
    far = (size < inf).choose(far * far.like(1.0).with_sign_of(x), nan)
    return is_far.rarely(parity, near[0].as_bits()), is_far.rarely(far, near[1])


def _fixed_half_turns(x: Term) -> tuple[Term, Term]:
    """Return x / pi modulo 2 with 127 bits after the point, in two words."""
    format = FORMATS[x.bits]
    bits = x.as_bits()
    hidden = 1 << format.fraction
    fraction = ((bits & (hidden - 1)) | hidden).cast("uint64")
    # The fraction is a whole number that ends at 2**(exponent - bias - fraction bits).
    place = (bits >> format.fraction) + (x.bits - 1 - format.bias - format.fraction)
    if x.bits == 32:
        first, second, third = [word.cast("uint64") for word in _window(place, 32)]
        high = fraction * ((first << 32) | second) + ((fraction * third) >> 32)
        return high, high.like(0)
    first, second, third = _window(place, 64)
    above, high = _product(fraction, second)
    carried, _ = _product(fraction, third)
    low = high + carried
    carry = (low < carried).cast("uint64")
    return fraction * first + above + carry, low


def _window(place: Term, width: int) -> list[Term]:
    """Return the three words of 1 / pi that begin at a bit."""
    table = INVERSE_PI[width]
    words = [Term(place.builder, place.builder.typed(word, f"uint{width}")) for word in table]
    step = 1 << (len(words) - 4).bit_length() - 1
    while step:
        is_later = (place & step * width).differs(0)
        moved = [
            is_later.choose(later, word) for word, later in zip(words, words[step:], strict=False)
        ]
        words = [*moved, *words[len(moved) :]][: 3 + step]
        step >>= 1
    count = (place & (width - 1)).cast(f"uint{width}")
    rest = (width - 1) - count
    return [(a << count) | ((b >> 1) >> rest) for a, b in pairwise(words)]


def _product(a: Term, b: Term) -> tuple[Term, Term]:
    """Return the two words of a product of 64-bit numbers."""
    mask = (1 << 32) - 1
    a_high, a_low, b_high, b_low = a >> 32, a & mask, b >> 32, b & mask
    middle = a_high * b_low + ((a_low * b_low) >> 32)
    other = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> 32) + (other >> 32), a * b
