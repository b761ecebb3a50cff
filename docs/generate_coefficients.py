"""Writes every coefficient of `muntin.core.graph.mathematics`, from the functions themselves.

    python docs/generate_coefficients.py

Polynomials have the least greatest error (Remez's exchange, in 60 digits). Their coefficients are
rounded one after the other, lowest power first, and the others are fitted again where that helps.
Needs mpmath.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import mpmath as mp

__all__ = ["TABLES", "Fit", "Table", "fitted", "parts", "rounded", "source", "texts"]

TARGET = Path(__file__).parents[1] / "src/muntin/core/graph/mathematics/coefficients.py"
DIGITS = {32: 24, 64: 53}
_POINTS = 400
_REFITTED = 14  # with more coefficients, what is gained is not worth the time

mp.mp.dps = 60

Real = Any  # a number of mpmath
Function = Callable[[Real], Real]


def rounded(value: Real, digits: int, whole: Function = mp.nint) -> Real:
    """Return the nearest number of so many binary digits, or as `whole` rounds."""
    if value == 0:
        return mp.mpf(0)
    fraction, exponent = mp.frexp(value)
    return mp.ldexp(whole(mp.ldexp(fraction, digits)), int(exponent) - digits)


def parts(value: Real, digits: Sequence[int], whole: Function = mp.nint) -> tuple[float, ...]:
    """Return numbers of so many digits each that add up to a value."""
    found = []
    for count in digits:
        found.append(rounded(value, count, whole))
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
    """

    function: Function
    low: Real
    high: Real
    count: int
    weight: Function = lambda x: mp.mpf(1)


def fitted(fit: Fit, digits: int) -> tuple[tuple[float, ...], float]:
    """Return the coefficients of a fit and the binary logarithm of its greatest error."""
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    turns = [mp.cos(mp.pi * (k + mp.mpf(1) / 2) / _POINTS) for k in range(_POINTS)]
    points = [(low + high) / 2 - (high - low) / 2 * turn for turn in turns]
    problem = _Problem(
        [fit.function(x) for x in points],
        [fit.weight(x) for x in points],
        [[x**power for power in range(fit.count)] for x in points],
    )
    found = problem.exchange([mp.mpf(0)] * fit.count, 0)
    for power in range(fit.count):
        found[power] = rounded(found[power], digits)
        again = problem.exchange(found, power + 1) if fit.count <= _REFITTED else found
        if problem.worst(again) < problem.worst(found):
            found = again
    return tuple(map(float, found)), float(mp.log(problem.worst(found), 2))


@dataclass(frozen=True, slots=True)
class _Problem:
    """Values to approximate at some points, how errors count there, and powers of the points."""

    values: Sequence[Real]
    weights: Sequence[Real]
    terms: Sequence[Sequence[Real]]

    def errors(self, coefficients: Sequence[Real]) -> list[Real]:
        return [
            (value - mp.fdot(coefficients, term)) * weight
            for value, weight, term in zip(self.values, self.weights, self.terms, strict=True)
        ]

    def worst(self, coefficients: Sequence[Real]) -> Real:
        return max(map(abs, self.errors(coefficients)))

    def exchange(self, coefficients: Sequence[Real], first: int) -> list[Real]:
        """Return the coefficients with those from `first` on made best, or nearly."""
        count, last = len(coefficients) - first, len(self.values) - 1
        best = list(coefficients)
        chosen = [round(last * k / max(count, 1)) for k in range(count + 1)]
        for _ in range(20 if count else 0):
            matrix, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
            for row, place in enumerate(chosen):
                term, weight = self.terms[place], self.weights[place]
                for column in range(count):
                    matrix[row, column] = term[first + column] * weight
                matrix[row, count] = (-1) ** row
                settled = mp.fdot(coefficients[:first], term[:first])
                right[row] = (self.values[place] - settled) * weight
            solution = mp.lu_solve(matrix, right)
            found = [*coefficients[:first], *[solution[k] for k in range(count)]]
            errors = self.errors(found)
            if self.worst(found) < self.worst(best):
                best = found
            extrema = _extrema(errors, count + 1)
            if extrema == chosen or len(extrema) <= count:
                break
            chosen = extrema
        return best


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
        if len(numbers) == 1:
            lines.append(f"    {bits}: ({numbers[0]!r},),")
        else:
            lines += [f"    {bits}: (", *[f"        {number!r}," for number in numbers], "    ),"]
    yield ""
    yield f"# {table.about}"
    if errors:
        yield f"# error {', '.join(errors)}"
    yield f"{table.name} = {{"
    yield from lines
    yield "}"


LN2 = mp.log(2)
_SCALE = 2 / (3 * LN2)
_ABOVE = mp.mpf("1.0001")


def _exp_fit(reach: Real, count: int) -> Fit:
    return Fit(
        lambda x: (mp.exp(x) - 1 - x) / x**2,
        -reach * _ABOVE,
        reach * _ABOVE,
        count,
        lambda x: x**2 * mp.exp(-x),
    )


def _exp2_fit(reach: Real, count: int) -> Fit:
    return Fit(lambda x: (2**x - 1) / x, -reach * _ABOVE, reach * _ABOVE, count, lambda x: x / 2**x)


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


def _log2_fit(count: int) -> Fit:
    fit = _log_fit(count)
    return Fit(lambda z: fit.function(z) / LN2, fit.low, fit.high, count, fit.weight)


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


def _odd_fit(function: Function, reach: Real, count: int) -> Fit:
    """Return the fit of P: an odd function is x + x·z·P(z), where z = x**2."""

    def ratio(z: Real) -> Real:
        return function(mp.sqrt(z)) / mp.sqrt(z)

    return Fit(
        lambda z: (ratio(z) - 1) / z,
        0,
        (reach * mp.mpf("1.0001")) ** 2,
        count,
        lambda z: z / ratio(z),
    )


def _erf_fit(count: int) -> Fit:
    """Return the fit of P: the error function is x + x·P(z), where z = x**2."""

    def ratio(z: Real) -> Real:
        return mp.erf(mp.sqrt(z)) / mp.sqrt(z)

    reach = mp.mpf("1.0001")
    return Fit(lambda z: ratio(z) - 1, mp.mpf(10) ** -12, reach, count, lambda z: 1 / ratio(z))


def _log_erfc_fit(limit: float, count: int) -> Fit:
    return Fit(lambda x: mp.log(mp.erfc(x)), mp.mpf("0.99"), limit, count, mp.erfc)


def _erfcx_fit(middle: int, limit: float, count: int) -> Fit:
    """Erfc(x) is exp(-x**2)·P(t) / (2x + 1), where t = (x - middle) / (x + middle)."""

    def scaled(t: Real) -> Real:
        x = middle * (1 + t) / (1 - t)
        return (1 + 2 * x) * mp.exp(x**2) * mp.erfc(x)

    reach = (mp.mpf(limit) - middle) / (mp.mpf(limit) + middle)
    return Fit(scaled, -1, reach, count, lambda t: 1 / scaled(t))


def _cbrt_fit(count: int) -> Fit:
    reach = mp.sqrt(2) * mp.mpf("1.0001")
    return Fit(mp.cbrt, 1 / reach, reach, count, lambda x: 1 / mp.cbrt(x))


def _reciprocal_gamma(v: Real) -> Real:
    r = v + mp.mpf(3) / 4
    return (mp.rgamma(1 + r) - 1) / (r * (r - 1))


def _stirling(w: Real) -> Real:
    """Return log(gamma(x)) - (x - 1/2)·log(x) + x of x = 1 / w."""
    return mp.loggamma(1 / w) + 1 / w + (mp.mpf(1) / 2 - 1 / w) * mp.log(1 / w)


def _log_gamma(v: Real) -> Real:
    r = v + mp.mpf(3) / 4
    return mp.loggamma(1 + r) / (r * (r - 1))


_DIGAMMA_ZERO = mp.findroot(lambda x: mp.psi(0, x), mp.mpf("1.4616321449683623")) - 1


def _digamma(v: Real) -> Real:
    r = v + mp.mpf(3) / 4
    return mp.psi(0, 1 + r) / (r - _DIGAMMA_ZERO)


def _digamma_far(z: Real) -> Real:
    w = mp.sqrt(z)
    return (-mp.log(w) - w / 2 - mp.psi(0, 1 / w)) / z


def _relative(function: Function, low: Real, high: Real, count: int) -> Fit:
    return Fit(function, low, high, count, lambda x: 1 / function(x))


_HALF_LOG_2PI = mp.log(2 * mp.pi) / 2
_TINY = mp.mpf(10) ** -8
_FAR = mp.mpf("0.4001")
_THREE_QUARTERS = mp.mpf("0.75")


def _half_turns_fit(function: Function, reach: str, count: int) -> Fit:
    """Return the fit of P: a function of pi·x is pi·(x + x·z·P(z)), where z = x**2."""

    def ratio(z: Real) -> Real:
        return function(mp.pi * mp.sqrt(z)) / (mp.pi * mp.sqrt(z))

    return Fit(
        lambda z: (ratio(z) - 1) / z, _TINY**2, mp.mpf(reach) ** 2, count, lambda z: z / ratio(z)
    )


def _parts_of(value: Real, count: int) -> dict[int, tuple[float, ...]]:
    return {bits: parts(value, (digits,) * count) for bits, digits in DIGITS.items()}


_EIGHTH = mp.tan(mp.pi / 8)

TABLES = (
    Table("LN2", "the parts of log(2)", _parts_of(LN2, 2)),
    Table(
        "EXP",
        "P, where exp(x) is 1 + x + x**2·P(x), up to log(2) / 2",
        {32: _exp_fit(LN2 / 2, 5), 64: _exp_fit(LN2 / 2, 11)},
    ),
    Table(
        "EXP_WIDE",
        "P, where exp(x) is 1 + x + x**2·P(x), up to log(2)",
        {32: _exp_fit(LN2, 6), 64: _exp_fit(LN2, 12)},
    ),
    Table(
        "EXP2",
        "P, where 2**x is 1 + x·P(x), up to 1/2",
        {32: _exp2_fit(mp.mpf("0.5"), 6), 64: _exp2_fit(mp.mpf("0.5"), 12)},
    ),
    Table(
        "EXP2_WIDE",
        "P, where 2**x is 1 + x·P(x), up to 1",
        {32: _exp2_fit(mp.mpf(1), 7), 64: _exp2_fit(mp.mpf(1), 14)},
    ),
    Table("LOG10_2", "the parts of log10(2)", _parts_of(mp.log10(2), 2)),
    Table(
        "LOG",
        "(log((1 + s) / (1 - s)) - 2s) / s**3 in z = s**2",
        {32: _log_fit(4), 64: _log_fit(7)},
    ),
    Table(
        "LOG_FINE",
        "(3 atanh(s) / s - 3 - s**2) / s**4 in z = s**2",
        {64: _fine_fit(7)},
    ),
    Table("LOG2_SCALE", "the parts of 2 / (3 log(2))", {64: parts(_SCALE, (53, 53))}),
    Table(
        "LOG2_SINGLE",
        "(log2((1 + s) / (1 - s)) - 2s / log(2)) / s**3 in z = s**2",
        {32: _log2_fit(4)},
    ),
    Table(
        "LOG2_SINGLE_SCALE",
        "the parts of 2 / log(2)",
        {32: parts(2 / LN2, (24, 24))},
    ),
    Table(
        "PI",
        "the parts of pi, all of them positive",
        {bits: parts(mp.pi, (digits,) * 3, mp.floor) for bits, digits in DIGITS.items()},
    ),
    Table(
        "INVERSE_PI",
        "the bits of 1 / pi in words, after one word of zeros",
        {
            32: (0, *_words(lambda: 1 / mp.pi, 32, 7)),
            64: (0, *_words(lambda: 1 / mp.pi, 64, 19)),
        },
    ),
    Table(
        "SIN",
        "(sin(x) - x) / x**3 in z = x**2",
        {32: _odd_fit(mp.sin, mp.pi / 2, 4), 64: _odd_fit(mp.sin, mp.pi / 2, 8)},
    ),
    Table(
        "TAN",
        "(tan(x) - x) / x**3 in z = x**2",
        {32: _odd_fit(mp.tan, mp.pi / 4, 7), 64: _odd_fit(mp.tan, mp.pi / 4, 14)},
    ),
    Table(
        "PI_TAIL",
        "what a float lacks of pi, relative to it",
        {bits: parts(mp.pi / rounded(mp.pi, DIGITS[bits]) - 1, (24,)) for bits in DIGITS},
    ),
    Table(
        "ATAN",
        "(atan(x) - x) / x**3 in z = x**2, up to 1 and to tan(pi / 8)",
        {32: _odd_fit(mp.atan, 1, 8), 64: _odd_fit(mp.atan, _EIGHTH, 11)},
    ),
    Table(
        "ASIN",
        "(asin(x) - x) / x**3 in z = x**2, up to 1/2",
        {32: _odd_fit(mp.asin, mp.mpf(1) / 2, 5), 64: _odd_fit(mp.asin, mp.mpf(1) / 2, 13)},
    ),
    Table(
        "SINH",
        "(sinh(x) - x) / x**3 in z = x**2, up to 1",
        {32: _odd_fit(mp.sinh, 1, 4), 64: _odd_fit(mp.sinh, 1, 7)},
    ),
    Table(
        "CBRT",
        "cbrt(x) from sqrt(1/2) to sqrt(2)",
        {32: _cbrt_fit(3), 64: _cbrt_fit(6)},
    ),
    Table("ERF", "erf(x) / x - 1 in z = x**2, up to 1", {32: _erf_fit(7), 64: _erf_fit(12)}),
    Table(
        "LOG_ERFC",
        "log(erfc(x)) from 1 on, weighted by erfc(x)",
        {32: _log_erfc_fit(4.25, 7), 64: _log_erfc_fit(6.0, 18)},
    ),
    Table(
        "ERFCX",
        "(2x + 1)·exp(x**2)·erfc(x) in t = (x - c) / (x + c), c = 2 and 4",
        {32: _erfcx_fit(2, 10.125, 10), 64: _erfcx_fit(4, 27.375, 22)},
    ),
    Table("LOG2_E_PARTS", "the parts of 1 / log(2)", _parts_of(1 / LN2, 2)),
    Table(
        "SIN_PI",
        "(sin(pi·x) / (pi·x) - 1) / x**2 in z = x**2, up to 1/2",
        {
            32: _half_turns_fit(mp.sin, "0.5001", 4),
            64: _half_turns_fit(mp.sin, "0.5001", 8),
        },
    ),
    Table(
        "TAN_PI",
        "(tan(pi·x) / (pi·x) - 1) / x**2 in z = x**2, up to 1/4",
        {
            32: _half_turns_fit(mp.tan, "0.2501", 7),
            64: _half_turns_fit(mp.tan, "0.2501", 14),
        },
    ),
    Table(
        "RECIPROCAL_GAMMA",
        "(1 / gamma(r + 1) - 1) / (r·(r - 1)) in r - 3/4, from -3/4 to 3/4",
        {
            bits: _relative(_reciprocal_gamma, -_THREE_QUARTERS - _TINY, _THREE_QUARTERS, count)
            for bits, count in ((32, 9), (64, 17))
        },
    ),
    Table(
        "LGAMMA",
        "log(gamma(r + 1)) / (r·(r - 1)) in r - 3/4, from -3/4 to 3/4",
        {
            bits: _relative(_log_gamma, -_THREE_QUARTERS - _TINY, _THREE_QUARTERS, count)
            for bits, count in ((32, 12), (64, 25))
        },
    ),
    Table("HALF_LOG_2PI", "the parts of log(2 pi) / 2", _parts_of(_HALF_LOG_2PI, 2)),
    Table("HALF_LOG2_2PI", "the parts of log2(2 pi) / 2", _parts_of(_HALF_LOG_2PI / LN2, 2)),
    Table(
        "LGAMMA_FAR",
        "(log(gamma(x)) - (x - 1/2)·log(x) + x - log(2 pi) / 2)·x in w = 1 / x, up to 2/5",
        {
            bits: Fit(lambda w: (_stirling(w) - _HALF_LOG_2PI) / w, _TINY, _FAR, count, lambda w: w)
            for bits, count in ((32, 5), (64, 14))
        },
    ),
    Table("DIGAMMA_ZERO", "where digamma(r + 1) is 0, in parts", _parts_of(_DIGAMMA_ZERO, 2)),
    Table(
        "DIGAMMA",
        "digamma(r + 1) / (r - its zero) in r - 3/4, from -3/4 to 3/4",
        {
            bits: _relative(_digamma, -_THREE_QUARTERS, _THREE_QUARTERS, count)
            for bits, count in ((32, 12), (64, 26))
        },
    ),
    Table(
        "DIGAMMA_FAR",
        "(log(x) - 1 / (2x) - digamma(x))·x**2 in z = 1 / x**2, up to 4/25",
        {
            bits: Fit(_digamma_far, _TINY**2, _FAR**2, count, lambda z: z)
            for bits, count in ((32, 5), (64, 13))
        },
    ),
)


def source() -> str:
    """Return the text of the module."""
    lines = ['"""Coefficients, all written by docs/generate_coefficients.py."""']
    for table in TABLES:
        lines += texts(table)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(source(), encoding="utf-8")
