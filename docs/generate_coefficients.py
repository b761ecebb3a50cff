"""Writes every coefficient of `muntin.core.graph.mathematics`, from the functions themselves.

    python docs/generate_coefficients.py

Polynomials have the least greatest error (Remez's exchange, in 80 digits). Their coefficients are
rounded one after the other, lowest power first, and those that remain are fitted again each time.
Needs mpmath.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath as mp

__all__ = ["TABLES", "Fit", "Table", "fitted", "parts", "rounded", "source", "texts"]

TARGET = Path(__file__).parents[1] / "src/muntin/core/graph/mathematics/coefficients.py"
DIGITS = {32: 24, 64: 53}
_POINTS = 400

mp.mp.dps = 80

Real = Any  # a number of mpmath
Function = Callable[[Real], Real]


def rounded(value: Real, digits: int) -> Real:
    """Return the nearest number of so many binary digits."""
    if value == 0:
        return mp.mpf(0)
    fraction, exponent = mp.frexp(value)
    return mp.ldexp(mp.nint(mp.ldexp(fraction, digits)), int(exponent) - digits)


def parts(value: Real, digits: Sequence[int]) -> tuple[float, ...]:
    """Return numbers of so many digits each that add up to a value."""
    found = []
    for count in digits:
        found.append(rounded(value, count))
        value -= found[-1]
    return tuple(map(float, found))


@dataclass(frozen=True, slots=True)
class Fit:
    """A polynomial to be found.

    Attributes
    ----------
    function
        What it approximates.
    low, high
        Where.
    count
        The number of its coefficients.
    weight
        By what an error counts.
    fixed
        Coefficients that are given, by their power.
    """

    function: Function
    low: Real
    high: Real
    count: int
    weight: Function = lambda x: mp.mpf(1)
    fixed: Mapping[int, float] = field(default_factory=dict)


def fitted(fit: Fit, digits: int) -> tuple[tuple[float, ...], float]:
    """Return the coefficients of a fit and the binary logarithm of its greatest error."""
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    turns = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / _POINTS) for k in range(_POINTS)]
    points = [(low + high) / 2 - (high - low) / 2 * turn for turn in turns]
    weights = [fit.weight(x) for x in points]
    rest = [fit.function(x) for x in points]
    known: dict[int, Real] = {}

    def settle(power: int, value: Real) -> None:
        known[power] = value
        for place, x in enumerate(points):
            rest[place] -= value * x**power

    for power, value in fit.fixed.items():
        settle(power, mp.mpf(value))
    open_powers = [power for power in range(fit.count) if power not in known]
    while open_powers:
        found = _exchange(points, rest, weights, open_powers)
        settle(open_powers.pop(0), rounded(found[0], digits))
    error = max(abs(r * w) for r, w in zip(rest, weights, strict=True))
    return tuple([float(known[power]) for power in sorted(known)]), float(mp.log(error, 2))


def _exchange(
    points: Sequence[Real], values: Sequence[Real], weights: Sequence[Real], powers: Sequence[int]
) -> list[Real]:
    """Return the coefficients of the powers with the least greatest weighted error."""
    count = len(powers)
    terms = [[x**power for power in powers] for x in points]
    last = len(points) - 1
    chosen = sorted({round(last * (1 - mp.cos(mp.pi * k / count)) / 2) for k in range(count + 1)})
    for _ in range(50):
        matrix = mp.matrix(count + 1, count + 1)
        right = mp.matrix(count + 1, 1)
        for row, place in enumerate(chosen):
            for column, term in enumerate(terms[place]):
                matrix[row, column] = term * weights[place]
            matrix[row, count] = (-1) ** row
            right[row] = values[place] * weights[place]
        solution = mp.lu_solve(matrix, right)
        found = [solution[k] for k in range(count)]
        errors = [
            (value - mp.fdot(found, term)) * weight
            for value, term, weight in zip(values, terms, weights, strict=True)
        ]
        worst = max(map(abs, errors))
        extrema = _extrema(errors, count + 1)
        if worst <= abs(solution[count]) * mp.mpf("1.0001") or len(extrema) <= count:
            break
        chosen = extrema
    return found


def _extrema(errors: Sequence[Real], count: int) -> list[int]:
    """Return `count` places where errors of changing sign are greatest."""
    found: list[int] = []
    for place, error in enumerate(errors):
        if found and (errors[found[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[found[-1]]):
                found[-1] = place
        elif error != 0:
            found.append(place)
    while len(found) > count:
        sizes = [abs(errors[place]) for place in found]
        if len(found) == count + 1:
            found.pop(0 if sizes[0] < sizes[-1] else -1)
            continue
        pairs = [max(pair) for pair in pairwise(sizes)]
        least = pairs.index(min(pairs))
        if least in (0, len(pairs) - 1):
            found.pop(0 if least == 0 else -1)
        else:
            del found[least : least + 2]
    return found


# --- what is written ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers under one name, for each width: a fit, or the numbers themselves."""

    name: str
    about: str
    rows: Mapping[int, Fit | tuple[float, ...]]


def texts(table: Table) -> Iterator[str]:
    """Yield the lines of a table."""
    lines, errors = [], []
    for bits, row in table.rows.items():
        numbers = row
        if isinstance(row, Fit):
            numbers, error = fitted(row, DIGITS[bits])
            errors.append(f"2**{error:.1f}")
        lines += [f"    {bits}: (", *[f"        {number!r}," for number in numbers], "    ),"]
    yield f"# {table.about}{'; error ' + ', '.join(errors) if errors else ''}"
    yield f"{table.name} = {{"
    yield from lines
    yield "}"


LN2 = mp.log(2)
_SCALE = 2 / (3 * LN2)
_HALF = LN2 / 2 * mp.mpf("1.0001")


def _exp_fit(count: int) -> Fit:
    return Fit(
        lambda x: (mp.exp(x) - 1 - x) / x**2, -_HALF, _HALF, count, lambda x: x**2 * mp.exp(-x)
    )


def _exp2_fit(count: int) -> Fit:
    half = mp.mpf("0.50001")
    return Fit(lambda x: (2**x - 1) / x, -half, half, count, lambda x: x / 2**x)


_LOG_REACH = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)


def _log_fit(count: int) -> Fit:
    """Log(m) is 2s + s·z·P(z), where s = (m - 1) / (m + 1) and z = s**2."""
    return Fit(
        lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) * 2 / z,
        0,
        _LOG_REACH**2 * mp.mpf("1.0001"),
        count,
        lambda z: z,
    )


def _sine_fit(count: int) -> Fit:
    """Sin(x) is x + x·z·P(z), where z = x**2."""

    def ratio(z: Real) -> Real:
        return mp.sin(mp.sqrt(z)) / mp.sqrt(z)

    reach = (mp.pi / 2 * mp.mpf("1.0001")) ** 2
    return Fit(lambda z: (ratio(z) - 1) / z, 0, reach, count, lambda z: z / ratio(z))


def _tangent_fit(count: int) -> Fit:
    """Tan(x) is x + x·z·P(z), where z = x**2."""

    def ratio(z: Real) -> Real:
        return mp.tan(mp.sqrt(z)) / mp.sqrt(z)

    reach = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
    return Fit(lambda z: (ratio(z) - 1) / z, 0, reach, count, lambda z: z / ratio(z))


def _words(value: Callable[[], Real], width: int, count: int) -> tuple[int, ...]:
    """Return the bits of a number below 1, in words."""
    with mp.workprec(width * (count + 4)):
        whole = int(mp.floor(value() * mp.mpf(2) ** (width * count)))
    mask = (1 << width) - 1
    return tuple([whole >> width * (count - 1 - place) & mask for place in range(count)])


def _fine_fit(count: int) -> Fit:
    """Log(m) is 2/3·s·(3 + z + z**2·P(z))."""
    fit = _log_fit(count)

    def rest(z: Real) -> Real:
        return 3 * (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2

    return Fit(rest, fit.low, fit.high, count, lambda z: z**2)


TABLES = (
    Table(
        "LN2",
        "log(2) in parts; the first times a whole number of an exponent is exact",
        {32: parts(LN2, (14, 24)), 64: parts(LN2, (40, 53))},
    ),
    Table("EXP", "(exp(x) - 1 - x) / x**2", {32: _exp_fit(5), 64: _exp_fit(11)}),
    Table("EXP2", "(2**x - 1) / x", {32: _exp2_fit(6), 64: _exp2_fit(12)}),
    Table(
        "LOG10_2",
        "log10(2) in parts; the first times a whole number of an exponent is exact",
        {32: parts(mp.log10(2), (14, 24)), 64: parts(mp.log10(2), (40, 53))},
    ),
    Table(
        "LOG",
        "(log((1 + s) / (1 - s)) - 2s) / s**3 in z = s**2",
        {32: _log_fit(4), 64: _log_fit(7)},
    ),
    Table(
        "LOG_FINE",
        "(3 atanh(s) / s - 3 - s**2) / s**4 in z = s**2",
        {32: _fine_fit(3), 64: _fine_fit(7)},
    ),
    Table(
        "LOG2_SCALE",
        "2 / (3 log(2)), and in parts",
        {
            32: (*parts(_SCALE, (24,)), *parts(_SCALE, (12, 24))),
            64: (*parts(_SCALE, (53,)), *parts(_SCALE, (26, 53))),
        },
    ),
    Table(
        "PI",
        "pi in parts; whole and half numbers of it times the first ones are exact",
        {32: parts(mp.pi, (13, 13, 13, 24)), 64: parts(mp.pi, (38, 38, 53))},
    ),
    Table(
        "HALF_PI",
        "pi / 2 in parts; whole numbers of it times the first ones are exact",
        {32: parts(mp.pi / 2, (13, 13, 13, 24)), 64: parts(mp.pi / 2, (38, 38, 53))},
    ),
    Table(
        "INVERSE_PI",
        "the bits of 1 / pi in words, after one word of zeros",
        {
            32: (0, *_words(lambda: 1 / mp.pi, 32, 7)),
            64: (0, *_words(lambda: 1 / mp.pi, 64, 19)),
        },
    ),
    Table("SIN", "(sin(x) - x) / x**3 in z = x**2", {32: _sine_fit(4), 64: _sine_fit(8)}),
    Table("TAN", "(tan(x) - x) / x**3 in z = x**2", {32: _tangent_fit(7), 64: _tangent_fit(14)}),
)


def source() -> str:
    """Return the text of the module."""
    lines = ['"""Coefficients, all written by docs/generate_coefficients.py."""', ""]
    for table in TABLES:
        lines += texts(table)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(source(), encoding="utf-8")
