"""Floats taken apart and put together by their bits, and polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.core.graph.mathematics.term import Term

__all__ = [
    "FORMATS",
    "Format",
    "exact_product",
    "exact_sum",
    "head",
    "is_normal",
    "polynomial",
    "scaled",
    "split",
    "to_float",
    "to_whole",
]


@dataclass(frozen=True, slots=True)
class Format:
    """The numbers of an IEEE format.

    Attributes
    ----------
    fraction
        The bits of the fraction that is stored.
    bias
        What is added to exponents.
    """

    fraction: int
    bias: int

    @property
    def shifter(self) -> float:
        """Added to a small number, it leaves the nearest whole number in the low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def shifter_bits(self) -> int:
        """The bits of `shifter`."""
        return (self.bias + self.fraction << self.fraction) + (1 << self.fraction - 1)

    @property
    def one(self) -> int:
        """The bits of 1."""
        return self.bias << self.fraction


FORMATS = {32: Format(23, 127), 64: Format(52, 1023)}


def polynomial(x: Term, coefficients: Sequence[float]) -> Term:
    """Return the polynomial in x; the coefficient of the highest power comes last."""
    result: Term = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result.times(x, coefficient)
    return result


def to_whole(x: Term, factor: float = 1.0, moved: int = 0) -> tuple[Term, Term]:
    """Return the whole number nearest to a small product, and that number in a float's low bits.

    There it is moved by a number.
    """
    shifter = FORMATS[x.bits].shifter + moved
    shifted = x + shifter if factor == 1 else x.times(factor, shifter)
    return shifted - shifter, shifted


def head(x: Term) -> Term:
    """Return x with the upper half of its digits alone: two such have an exact product."""
    cut = FORMATS[x.bits].fraction // 2 + 1
    return (x.as_bits() & -(1 << cut)).as_float()


def exact_product(x: Term, y: Term | float) -> tuple[Term, Term]:
    """Return x·y rounded, and what that lacks."""
    product = x * y
    return product, x.times(y, -product)


def exact_sum(x: Term, y: Term) -> tuple[Term, Term]:
    """Return x + y rounded, and what that lacks (Knuth)."""
    total = x + y
    added = total - x
    return total, (x - (total - added)) + (y - added)


def to_float(whole: Term, bits: int) -> Term:
    """Return a small signed integer as a float of so many bits."""
    if bits == 32:
        return whole.cast("float32")
    format = FORMATS[bits]
    return (whole + format.shifter_bits).as_float() - format.shifter


def is_normal(x: Term) -> Term:
    """Return whether x is positive and neither subnormal nor infinite."""
    format = FORMATS[x.bits]
    least = 1 << format.fraction
    # Unsigned, what is below the least normal number becomes very large.
    moved = (x.as_bits() - least).cast(f"uint{x.bits}")
    return moved < (2 * format.bias << format.fraction)


def split(x: Term) -> tuple[Term, Term]:
    """Return k and m, from sqrt(1/2) to sqrt(2), of a positive normal x = m·2**k."""
    format = FORMATS[x.bits]
    root = int(0.5**0.5 * 2 ** (format.fraction + 1)) + (format.bias - 2 << format.fraction)
    moved = x.as_bits() - root
    exponent = moved >> format.fraction
    return exponent, (x.as_bits() - (exponent << format.fraction)).as_float()


def scaled(value: Term, shifted: Term, is_small: Term) -> Term:
    """Return value·2**n, rounded once, for an n that `to_whole` has moved by the bias.

    `value` is near 1; `is_small` says that n is below 1, and must not hold where n is large.
    """
    format = FORMATS[value.bits]
    reserve = value.bits * 2 if value.bits == 32 else 512
    power = shifted.as_bits() << format.fraction
    step = power.like(reserve << format.fraction)
    power = power + is_small.choose(step, -(reserve << format.fraction))
    return value * power.as_float() * is_small.choose(value.like(2.0**-reserve), 2.0**reserve)
