"""The taps of filters: whole where they can be, else in 16-bit fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, exp, floor, fsum, gcd
from typing import TypeAlias

import numpy as np

from muntin.core.graph.node import Number

__all__ = ["UNIT", "binomial", "fixed_point", "normal", "separate"]

UNIT = 1 << 16

Matrix: TypeAlias = Sequence[Number] | Sequence["Matrix"]  # nested lists, of one length an axis


def binomial(size: int) -> list[int]:
    """Return the binomial coefficients of `size` taps."""
    return [comb(size - 1, k) for k in range(size)]


def normal(size: int, sigma: float) -> list[float]:
    """Return samples of the normal distribution that add up to 1."""
    distances = [(k - size // 2) / sigma for k in range(size)]
    heights = [exp(-(distance * distance) / 2) for distance in distances]
    total = fsum(heights)
    return [height / total for height in heights]


def fixed_point(taps: Sequence[float]) -> list[int]:
    """Return symmetric taps, which add up to 1, as whole multiples of 1/65536 that do so too.

    The sums from either end are rounded, not the taps: no error gathers in the middle.
    """
    radius = len(taps) // 2
    sums = [floor(UNIT * fsum(taps[:count]) + 0.5) for count in range(radius + 1)]
    side = [after - before for before, after in pairwise(sums)]
    return [*side, UNIT - 2 * sums[-1], *reversed(side)]


def separate(matrix: Matrix) -> tuple[list[Number], ...] | None:
    """Return lists, one an axis, whose outer product is exactly `matrix`, if there are such.

    All but the first are whole and have no common divisor; the first is whole if the matrix is.
    """
    array = np.array(matrix, dtype=object)
    if array.ndim == 1:
        return (array.tolist(),)
    exact = [[Fraction(weight) for weight in part] for part in array.reshape(len(array), -1)]
    pivot = next((part for part in exact if any(part)), None)
    if pivot is None:
        return None
    unit = _primitive(pivot)
    at = next(j for j, weight in enumerate(unit) if weight)
    first = [part[at] / unit[at] for part in exact]
    for factor, part in zip(first, exact, strict=True):
        if any(weight != factor * whole for weight, whole in zip(part, unit, strict=True)):
            return None
    rest = separate(np.array(unit, dtype=object).reshape(array.shape[1:]).tolist())
    return None if rest is None else ([_number(factor) for factor in first], *rest)


def _primitive(row: Sequence[Fraction]) -> list[int]:
    denominator = 1
    for weight in row:
        denominator *= weight.denominator // gcd(denominator, weight.denominator)
    whole = [int(weight * denominator) for weight in row]
    divisor = gcd(*whole)
    return [weight // divisor for weight in whole]


def _number(exact: Fraction) -> Number:
    return exact.numerator if exact.denominator == 1 else float(exact)
