"""Values scattered to indices at random, and numbers that are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.case import Array, Arrays, Case, Contender
from benchmarks.product import Product

__all__ = ["CASES"]

_MEBI = 1 << 20
_FEW, _MANY = 4096, 16 * _MEBI


@dataclass(frozen=True, slots=True)
class _Row:
    """Work on indices below `size`, one for each row of `width` values, and how it is spelled.

    Both ways are given the indices and the values; NumPy's the output too.
    """

    name: str
    size: int
    count: int
    width: int
    dtype: str
    muntin: Callable[..., Any]
    numpy: Callable[..., Any]

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,) if self.width == 1 else (self.size, self.width)


def _scattered(operation: str, size: int) -> Callable[..., Any]:
    def scattered(mt: Any, index: Any, values: Any) -> Any:
        x = mt.zeros((size, *values.shape[1:]), dtype=values.dtype)
        return mt.scatter(x, index, values, operation=operation)

    return scattered


def _set(index: Array, values: Array, out: Array) -> None:
    out[...] = 0
    out[index] = values


def _added(index: Array, values: Array, out: Array) -> None:
    out[...] = 0
    np.add.at(out, index, values)


def _counted(index: Array, values: Array, out: Array) -> None:
    out[...] = np.bincount(index, minlength=out.size)


def _weighed(index: Array, values: Array, out: Array) -> None:
    out[...] = np.bincount(index, values, minlength=out.size)


_ROWS = (
    _Row("set.few", _FEW, _MEBI, 1, "float64", _scattered("set", _FEW), _set),
    _Row("set.many", _MANY, _MEBI, 1, "float64", _scattered("set", _MANY), _set),
    _Row("add.few", _FEW, _MEBI, 1, "float64", _scattered("add", _FEW), _added),
    _Row("add.many", _MANY, _MEBI, 1, "float64", _scattered("add", _MANY), _added),
    _Row("add.rows", 1000, 4096, 256, "float32", _scattered("add", 1000), _added),
    _Row(
        "bincount",
        1000,
        4 * _MEBI,
        1,
        "int64",
        lambda mt, index, values: mt.bincount(index, length=1000),
        _counted,
    ),
    _Row(
        "bincount.weights",
        1000,
        4 * _MEBI,
        1,
        "float64",
        lambda mt, index, values: mt.bincount(index, values, length=1000),
        _weighed,
    ),
)


@cache
def _inputs(row: _Row) -> Arrays:
    random = np.random.default_rng(0)
    shape = (row.count,) if row.width == 1 else (row.count, row.width)
    return random.integers(0, row.size, row.count), random.random(shape).astype(row.dtype)


def _reference(row: _Row) -> Arrays:
    out = np.empty(row.shape, row.dtype)
    row.numpy(*_inputs(row), out)
    return (out,)


def _enter(row: _Row, product: Product | None) -> Sequence[Sequence[Contender]]:
    inputs, out = _inputs(row), np.empty(row.shape, row.dtype)
    ours: tuple[Contender, ...] = ()
    if product is not None:
        ours = (Contender("muntin", product.compiled(row.muntin, inputs, (out,)), (out,)),)
    return ours, (Contender("NumPy", partial(row.numpy, *inputs, out), (out,)),)


CASES = tuple(
    Case(
        name=f"scatters.{row.name}.{row.dtype}",
        about=f"{row.count} indices into {row.shape}, one thread",
        enter=partial(_enter, row),
        reference=partial(_reference, row),
    )
    for row in _ROWS
)
