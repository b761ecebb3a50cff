"""Times and peak memory of filters of volumes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.case import Case, Contender
from benchmarks.images import aligned, plane
from benchmarks.process.child import module
from benchmarks.product import Product
from benchmarks.volumes.filters import FILTERS, Filter

__all__ = ["CASES"]

_PEAK = "benchmarks.volumes.peak_memory"


def _contenders(filtered: Filter, product: Product | None) -> Sequence[Sequence[Contender]]:
    volume = plane(filtered.shape, filtered.dtype)
    ours: tuple[Contender, ...] = ()
    if product is not None:
        out = aligned(filtered.shape, filtered.dtype)
        call = product.compiled(filtered.muntin, (volume,), (out,))
        ours = (Contender("muntin", call, (out,)),)
    theirs = aligned(filtered.shape, filtered.dtype)
    peer = Contender("SciPy", partial(filtered.scipy, volume, theirs), (theirs,))
    return ours, (peer,)


def _peaks(name: str, product: Product | None) -> Sequence[Sequence[Contender]]:
    libraries = ("muntin", "SciPy") if product else ("SciPy",)
    return [
        (Contender(library, partial(module, _PEAK, library, name), measures_itself=True),)
        for library in libraries
    ]


def _about(filtered: Filter) -> str:
    size = filtered.size
    return f"{size} × {size} × {size} {filtered.dtype}"


def _cases() -> Sequence[Case]:
    cases = [
        Case(
            name=f"volumes.{name}",
            about=f"{_about(filtered)}, one thread",
            enter=partial(_contenders, filtered),
            agreement=filtered.agreement,
            rounds=7,
        )
        for name, filtered in FILTERS.items()
    ]
    if Path("/proc/self/clear_refs").exists():
        cases += [
            Case(
                name=f"volumes.memory.{name}",
                about=f"{_about(filtered)}, beyond input and output",
                enter=partial(_peaks, name),
                unit="B",
                rounds=1,
                limit=1 << 20,
            )
            for name, filtered in FILTERS.items()
        ]
    return cases


CASES: tuple[Case, ...] = tuple(_cases())
