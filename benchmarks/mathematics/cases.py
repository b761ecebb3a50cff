"""Functions of floats, of sizes that fit into the last cache and that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numexpr  # type: ignore[import-untyped]
import numpy as np
import scipy.special

from benchmarks.case import Agreement, Array, Arrays, Case, Contender
from benchmarks.images import aligned
from benchmarks.product import Product

__all__ = ["CASES"]

_MEBI = 1 << 20
_ERRORS = {
    "float32": Agreement(relative=1e-6, why="errors of up to 4 ulp"),
    "float64": Agreement(relative=2e-15, why="errors of up to 4 ulp"),
}


@dataclass(frozen=True, slots=True)
class _Row:
    """A function, where its operands lie, and how libraries spell it.

    NumPy's way is given the operands and the output, numexpr's is a text or nothing.
    """

    name: str
    spans: tuple[tuple[float, float], ...]
    muntin: Callable[..., Any]
    numpy: Callable[..., Any]
    text: str = ""


def _exp_plus_one(a: Array, out: Array) -> None:
    np.exp(a, out=out)
    np.add(out, 1, out=out)


_ROWS = (
    _Row("exp1", ((-20, 20),), lambda mt, a: mt.exp(a) + 1, _exp_plus_one, "exp(a) + one"),
    _Row("exp", ((-20, 20),), lambda mt, a: mt.exp(a), np.exp, "exp(a)"),
    _Row("sin", ((-10, 10),), lambda mt, a: mt.sin(a), np.sin, "sin(a)"),
    _Row("log", ((0, 100),), lambda mt, a: mt.log(a), np.log, "log(a)"),
    _Row("pow", ((0, 10), (-9, 9)), lambda mt, a, b: mt.pow(a, b), np.power, "a ** b"),
    _Row("atan2", ((-1, 1), (-1, 1)), lambda mt, a, b: mt.atan2(a, b), np.arctan2, "arctan2(a, b)"),
    _Row("tanh", ((-3, 3),), lambda mt, a: mt.tanh(a), np.tanh, "tanh(a)"),
    _Row("erf", ((-3, 3),), lambda mt, a: mt.erf(a), scipy.special.erf),
)


@cache
def _inputs(row: _Row, dtype: str, count: int) -> Arrays:
    random = np.random.default_rng(0)
    arrays = tuple(aligned((count,), dtype) for _ in row.spans)
    for array, (low, high) in zip(arrays, row.spans, strict=True):
        array[...] = random.uniform(low, high, count)
    return arrays


def _reference(row: _Row, dtype: str, count: int) -> Arrays:
    wide = [array.astype(np.float64) for array in _inputs(row, dtype, count)]
    out = np.empty(count)
    row.numpy(*wide, out=out)
    return (out.astype(dtype),)


def _peers(row: _Row, inputs: Arrays, out: Array) -> Iterator[Sequence[Contender]]:
    library = "SciPy" if row.name == "erf" else "NumPy"
    yield (Contender(library, partial(row.numpy, *inputs, out=out), (out,)),)
    if row.text:
        numexpr.set_num_threads(1)
        names = {**dict(zip("ab", inputs, strict=False)), "one": out.dtype.type(1)}
        names = {name: value for name, value in names.items() if name in row.text}
        call = partial(numexpr.evaluate, row.text, local_dict=names, global_dict={}, out=out)
        yield (Contender("numexpr", call, (out,)),)


def _enter(
    row: _Row, dtype: str, count: int, product: Product | None
) -> Sequence[Sequence[Contender]]:
    inputs, out = _inputs(row, dtype, count), aligned((count,), dtype)
    ours: tuple[Contender, ...] = ()
    if product is not None:
        ours = (Contender("muntin", product.compiled(row.muntin, inputs, (out,)), (out,)),)
    return ours, *_peers(row, inputs, out)


CASES = tuple(
    Case(
        name=f"mathematics.{row.name}.{dtype}.{size}Mi",
        about="one thread",
        enter=partial(_enter, row, dtype, size * _MEBI),
        agreement=_ERRORS[dtype],
        reference=partial(_reference, row, dtype, size * _MEBI),
    )
    for row in _ROWS
    for dtype in _ERRORS
    for size in (1, 4)
)
