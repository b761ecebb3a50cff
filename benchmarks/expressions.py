"""Twenty expressions of one line on a million elements, as NumPy's users write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.case import Agreement, Arrays, Case, Contender
from benchmarks.images import aligned, plane
from benchmarks.product import Product

__all__ = ["CASES"]

_SIDE = 1 << 10
_ROUNDED = Agreement(difference=1e-5, relative=1e-4, why="sums and functions rounded otherwise")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of Python over arrays a, b and i, which NumPy and muntin run alike."""

    name: str
    python: Callable[[Any, Any, Any, Any], Any]


_ROWS = (
    _Row("axpy", lambda xp, a, b, i: 2 * a + b),
    _Row("polynomial", lambda xp, a, b, i: ((a * 3 + 2) * a - 1) * a + 4),
    _Row("distance", lambda xp, a, b, i: xp.sqrt(a * a + b * b)),
    _Row("difference", lambda xp, a, b, i: abs(a - b)),
    _Row("clipped", lambda xp, a, b, i: xp.minimum(xp.maximum(a * 2 - 0.5, 0), 1)),
    _Row("chosen", lambda xp, a, b, i: xp.where(a > b, a, -b)),
    _Row("ratio", lambda xp, a, b, i: (a - b) / (a + b + 1)),
    _Row("outer", lambda xp, a, b, i: a[0] * b[0, :, None] + 1),
    _Row("mask", lambda xp, a, b, i: (a > 0.25) & (b < 0.75)),
    _Row("bits", lambda xp, a, b, i: (i & 255) ^ (i >> 8)),
    _Row("modulo", lambda xp, a, b, i: i // 7 + i % 7),
    _Row("sum", lambda xp, a, b, i: xp.sum(a)),
    _Row("mean_of_squares", lambda xp, a, b, i: xp.mean((a - b) ** 2)),
    _Row("rows", lambda xp, a, b, i: xp.sum(a * b, axis=1)),
    _Row("columns", lambda xp, a, b, i: xp.max(a - b, axis=0)),
    _Row("normalized", lambda xp, a, b, i: (a - xp.mean(a)) / xp.std(a)),
    _Row("centred", lambda xp, a, b, i: a - xp.mean(a, axis=0, keepdims=True)),
    _Row("sigmoid", lambda xp, a, b, i: 1 / (1 + xp.exp(-a))),
    _Row("entropy", lambda xp, a, b, i: -xp.sum(a * xp.log(a + 1))),
    _Row("neighbours", lambda xp, a, b, i: a[1:, 1:] - a[:-1, :-1]),
)


@cache
def _inputs() -> Arrays:
    a, b = (plane((_SIDE, _SIDE), "float32", seed) for seed in (0, 1))
    return a, b, (a * (1 << 20)).astype(np.int32)


@cache
def _reference(row: _Row) -> Arrays:
    return (np.asarray(row.python(np, *_inputs())),)


def _enter(row: _Row, product: Product | None) -> Sequence[Sequence[Contender]]:
    (expected,) = _reference(row)
    ours: tuple[Contender, ...] = ()
    if product is not None:
        out = aligned(expected.shape, expected.dtype.name)
        call = product.compiled(row.python, _inputs(), (out,))
        ours = (Contender("muntin", call, (out,)),)
    theirs = aligned(expected.shape, expected.dtype.name)

    def numpy() -> None:
        theirs[...] = row.python(np, *_inputs())

    def fresh() -> None:
        row.python(np, *_inputs())

    kept = Contender("NumPy", numpy, (theirs,), "copied to an output")
    return ours, (kept, Contender("NumPy", fresh, (), "a fresh output", ()))


CASES = tuple(
    Case(
        name=f"expressions.{row.name}",
        about="1024 × 1024 float32 or int32; NumPy has one thread, muntin two",
        enter=partial(_enter, row),
        threads=2,
        agreement=_ROUNDED,
        reference=partial(_reference, row),
    )
    for row in _ROWS
)
