"""All cases, in the order in which they run."""

from __future__ import annotations

from benchmarks import expressions, latency
from benchmarks.case import Case
from benchmarks.chain import cases as chain
from benchmarks.edges import cases as edges
from benchmarks.functions import arithmetic, filters, gathers, irregular
from benchmarks.functions.row import cases as functions
from benchmarks.mathematics import cases as mathematics
from benchmarks.process import cases as process
from benchmarks.reductions import cases as reductions
from benchmarks.scatters import cases as scatters
from benchmarks.volumes import cases as volumes

__all__ = ["CASES"]

CASES: tuple[Case, ...] = (
    *edges.CASES,
    *functions(arithmetic.ROWS),
    *functions(filters.ROWS),
    *functions(irregular.ROWS),
    *functions(gathers.ROWS, "gathers"),
    *volumes.CASES,
    *chain.CASES,
    *mathematics.CASES,
    *reductions.CASES,
    *scatters.CASES,
    *expressions.CASES,
    *latency.CASES,
    *process.CASES,
)
