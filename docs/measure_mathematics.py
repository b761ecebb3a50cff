"""Measures the functions of mathematics and writes what it finds: docs/mathematics.md.

    python -m docs.measure_mathematics              # all functions; some minutes
    python -m docs.measure_mathematics exp ndtr     # prints the rows of some

Operands are of all exponents and signs, and from where functions are hard. What is right is found
by mpmath, of some thousands of operands and of those that, among millions, are furthest from what
NumPy and SciPy give in float64. The devices give the same bits, so that one is measured. Needs
mpmath and SciPy.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.special

import muntin as mt
from muntin.core.graph.mathematics import FUNCTIONS, Function
from tests.reference.mathematics import errors, samples

__all__ = ["TARGET", "measured", "page", "row"]

TARGET = Path(__file__).parent / "mathematics.md"
SAMPLES = 4000  # of all exponents, and as many from each place where a function is hard
DENSE = 700_000
WORST = 200
HEAD = """# Functions of mathematics

Written by `python -m docs.measure_mathematics`. Errors are the greatest that were found, in units
in the last place of what is right, and *at* is where; where terms of the sum that gives a result
cancel (`logaddexp`, `beta`, `betaln`, and `lgamma` and `digamma` below 0) units are those of the
terms. Operands are of all exponents and signs, subnormal ones too, and from where functions are
hard. No function is off by more than 4. Devices give the same bits; `sqrt` and the arithmetic
operators are correctly rounded.

Operands of bool and of 8 and 16 bits give float32, wider integers float64. NaN gives NaN but where
it is said.

| function | float32 | at | float64 | at | domain and special values |
|---|---|---|---|---|---|
"""
_RIGHT: dict[str, Callable[..., Any]] = {
    "digamma": scipy.special.psi,
    "lgamma": scipy.special.gammaln,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}

Array = npt.NDArray[Any]


def _computed(name: str, operands: Iterable[Array]) -> Array:
    result: Array = np.asarray(mt.eval(getattr(mt, name)(*operands), threads=1))
    return result


def _right(name: str, operands: Iterable[Array]) -> Array:
    """Return what a function gives in float64."""
    known = getattr(np, name, None) or getattr(scipy.special, name, None)
    function = _RIGHT.get(name) or known
    with np.errstate(all="ignore"):
        result: Array = function(*[operand.astype(np.float64) for operand in operands])
    return result


def _suspects(name: str, dtype: str) -> list[Array]:
    """Return the operands of many with the greatest errors, so far as NumPy and SciPy know."""
    operands = samples(name, dtype, DENSE, seed=2)
    info = np.finfo(dtype)
    got, wanted = _computed(name, operands), _right(name, operands)
    with np.errstate(all="ignore"):
        unit = np.maximum(np.abs(wanted) * float(info.eps), float(info.smallest_subnormal))
        far = np.nan_to_num(np.abs(got - wanted) / unit, nan=0.0, posinf=0.0)
    chosen = np.argsort(-far)[:WORST]
    return [operand[chosen] for operand in operands]


def measured(function: Function, dtype: str) -> tuple[float, tuple[float, ...]]:
    """Return the greatest error of a function, and the operands that it has there."""
    name = function.name
    pairs = zip(samples(name, dtype, SAMPLES, seed=1), _suspects(name, dtype), strict=True)
    operands = [np.concatenate(pair) for pair in pairs]
    found = errors(name, _computed(name, operands), operands)
    worst = int(np.argmax(found))
    return float(found[worst]), tuple([float(operand[worst]) for operand in operands])


def row(function: Function) -> str:
    """Return the row of a function."""
    parameters = inspect.signature(getattr(mt, function.name)).parameters
    cells = [f"`{function.name}({', '.join(parameters)})`"]
    for dtype in ("float32", "float64"):
        error, place = measured(function, dtype)
        cells += [f"{error:.2f}", ", ".join(f"{value:.6g}" for value in place)]
    return f"| {' | '.join([*cells, notes(function.name)])} |\n"


def notes(name: str) -> str:
    """Return what the docstring of a function says about its values."""
    text = inspect.getdoc(getattr(mt, name)) or ""
    paragraph = text.partition("-----\n")[2].partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")


def page() -> str:
    """Return the page, after minutes."""
    rows = []
    for function in sorted(FUNCTIONS, key=lambda function: function.name):
        rows.append(row(function))
        print(rows[-1], end="", flush=True)
    return HEAD + "".join(rows)


if __name__ == "__main__":
    chosen = [function for function in FUNCTIONS if function.name in sys.argv[1:]]
    for function in chosen:
        print(row(function), end="", flush=True)
    if not chosen:
        TARGET.write_text(page(), encoding="utf-8")
