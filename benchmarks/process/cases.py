"""Imports, first results and peak memory, each the median of fresh processes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.case import Case, Contender
from benchmarks.process.child import code, module
from benchmarks.process.entrants import NAMES
from benchmarks.product import Product

__all__ = ["CASES"]

_FIRST = "benchmarks.process.first_result"
_PEAK = "benchmarks.process.peak_memory"
_MEBIBYTE = 1 << 20
_PIXELS = 1 << 25


def _itself(name: str, call: Callable[[], object], form: str = "") -> tuple[Contender, ...]:
    return (Contender(name, call, form=form, measures_itself=True),)


def _entering(product: Product | None) -> Sequence[str]:
    return [name for name in NAMES if product or name != "muntin"]


def _imports(product: Product | None) -> Sequence[Sequence[Contender]]:
    text = (
        "import numpy, time; start = time.perf_counter(); import {}; "
        "print(time.perf_counter() - start)"
    )
    modules = {"OpenCV": "cv2", "numexpr": "numexpr", "Halide": "halide", "SciPy": "scipy.ndimage"}
    if product:
        modules = {"muntin": "muntin", "muntin with vision": "muntin.vision", **modules}
    return [
        _itself(name, partial(code, text.format(imported)), f"import {imported}")
        for name, imported in modules.items()
    ]


def _cold(name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return module(_FIRST, name, settings={"MUNTIN_CACHE_DIR": folder})


def _cold_starts(product: Product | None) -> Sequence[Sequence[Contender]]:
    return [_itself(name, partial(_cold, name)) for name in _entering(product)]


def _second_starts(product: Product | None) -> Sequence[Sequence[Contender]]:
    folder = tempfile.TemporaryDirectory()
    settings = {"MUNTIN_CACHE_DIR": folder.name}
    if product:
        module(_FIRST, "muntin", settings=settings)

    def call(name: str) -> float:
        return module(_FIRST, name, settings={**settings, "MUNTIN_CACHE_DIR": folder.name})

    return [_itself(name, partial(call, name)) for name in _entering(product)]


def _peaks(columns: int, threads: int, product: Product | None) -> Sequence[Sequence[Contender]]:
    size = (str(_PIXELS // columns), str(columns), str(threads))
    return [_itself(name, partial(module, _PEAK, name, *size)) for name in _entering(product)]


def _memory() -> Sequence[Case]:
    """Return the cases of peak memory, where the system tells it."""
    if not Path("/proc/self/clear_refs").exists():
        return ()
    return [
        Case(
            name=f"memory.columns{columns}.threads{threads}",
            about=f"edges, {columns} columns × {_PIXELS // columns} rows, beyond input and output",
            enter=partial(_peaks, columns, threads),
            threads=threads,
            unit="B",
            rounds=3,
            limit=threads * _MEBIBYTE,
        )
        for columns in (1920, 8192, 32768, 131072)
        for threads in (1, 2)
    ]


CASES = (
    Case("latency.import", "beyond `import numpy`", _imports, rounds=15),
    Case(
        "latency.cold",
        "edges, 1920 × 1080: from a finished import to the first result, nothing kept on disk",
        _cold_starts,
        rounds=7,
    ),
    Case(
        "latency.second_process",
        "the same in a process that follows another",
        _second_starts,
        rounds=11,
    ),
    *_memory(),
)
