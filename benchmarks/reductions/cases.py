"""Reductions of a computed expression, on one thread and on two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.case import Agreement, Array, Arrays, Case, Contender
from benchmarks.images import aligned, plane
from benchmarks.product import Product
from benchmarks.reductions import reading

__all__ = ["CASES"]

_SIDE = 1 << 13
_ROUNDED = Agreement(relative=2e-5, why="sums of floats in another order")


@dataclass(frozen=True, slots=True)
class _Row:
    """Some results of one expression; `python` is run by NumPy and by muntin alike."""

    name: str
    about: str
    python: Callable[[Any, Any], Sequence[Any]]
    is_scan: bool = False


def _choices(xp: Any, x: Any) -> Sequence[Any]:
    return xp.min(x), xp.max(x), xp.argmax(x)


_ROWS = (
    _Row("sum", "the sum", lambda xp, x: (xp.sum(x),)),
    _Row("mean_std", "mean and standard deviation", lambda xp, x: (xp.mean(x), xp.std(x))),
    _Row("choices", "minimum, maximum, position of the maximum", _choices),
    _Row("rows", "the sum of each of 8192 rows", lambda xp, x: (xp.sum(x, axis=1),)),
    _Row("columns", "the sum of each of 8192 columns", lambda xp, x: (xp.sum(x, axis=0),)),
    _Row("scan", "cumulative sums", lambda xp, x: (xp.cumulative_sum(x, axis=1),), True),
)


@cache
def _source() -> Array:
    return plane((_SIDE, _SIDE), "float32", 0)


def _outputs(row: _Row) -> Arrays:
    """Return the outputs of a row; zeros stand for the elements, whose number matters here."""
    if row.is_scan:
        return (aligned((_SIDE, _SIDE), "float32"),)
    results = row.python(np, np.zeros((_SIDE, _SIDE), np.float32))
    return tuple(np.zeros(np.shape(result), np.asarray(result).dtype) for result in results)


@cache
def _reference(row: _Row) -> Arrays:
    wide = _source() * np.float64(1.5) + 0.25
    results = row.python(np, wide)
    return tuple(
        np.asarray(result).astype(out.dtype)
        for result, out in zip(results, _outputs(row), strict=True)
    )


def _ours(row: _Row, product: Product | None) -> Iterator[Contender]:
    if product is not None:
        outs = _outputs(row)

        def expression(mt: Any, x: Any) -> Any:
            results = row.python(mt, x * 1.5 + 0.25)
            return tuple(results) if len(results) > 1 else results[0]

        yield Contender("muntin", product.compiled(expression, (_source(),), outs), outs)


def _numpy(row: _Row) -> Contender:
    scratch, outs = aligned((_SIDE, _SIDE), "float32"), _outputs(row)

    def call() -> None:
        np.multiply(_source(), np.float32(1.5), out=scratch)
        np.add(scratch, np.float32(0.25), out=scratch)
        for out, result in zip(outs, row.python(np, scratch), strict=True):
            out[...] = result

    return Contender("NumPy", call, outs)


def _enter(row: _Row, threads: int, product: Product | None) -> Sequence[Sequence[Contender]]:
    found = (tuple(_ours(row, product)), (_numpy(row),))
    return *found, tuple(reading.contenders(_source(), threads))


CASES = tuple(
    Case(
        name=f"reductions.{row.name}.threads{threads}",
        about=f"{row.about} of a * p + q; 64 Mi float32",
        enter=partial(_enter, row, threads),
        threads=threads,
        agreement=_ROUNDED,
        reference=partial(_reference, row),
        rounds=5,
    )
    for row in _ROWS
    for threads in (1, 2)
)
