"""What a call costs when there is next to nothing to compute: 64 × 64 elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial

import numexpr  # type: ignore[import-untyped]
import numpy as np

from benchmarks.case import Arrays, Case, Contender
from benchmarks.edges import cases as edges
from benchmarks.images import aligned, plane
from benchmarks.product import Product

__all__ = ["CASES"]

_SHAPE = (64, 64)


@cache
def _planes() -> Arrays:
    return plane(_SHAPE, "float32", 0), plane(_SHAPE, "float32", 1)


def _fresh(product: Product | None) -> Iterator[Sequence[Contender]]:
    """Yield five operations, written anew in every call."""
    a, b = _planes()
    if product is not None:
        mt = product.mt
        out = aligned(_SHAPE, "float32")

        def ours() -> None:
            x, y = mt.asarray(a), mt.asarray(b)
            mt.eval(abs((x + y) * 0.5 - x * y), out=out)

        yield (Contender("muntin", ours, (out,)),)

    def eager(out: np.ndarray) -> None:
        np.abs((a + b) * 0.5 - a * b, out=out)

    target = aligned(_SHAPE, "float32")
    yield (Contender("NumPy", partial(eager, target), (target,)),)
    numexpr.set_num_threads(1)
    names = {"a": a, "b": b, "half": np.float32(0.5)}
    target = aligned(_SHAPE, "float32")
    call = partial(
        numexpr.evaluate,
        "abs((a + b) * half - a * b)",
        local_dict=names,
        global_dict={},
        out=target,
    )
    yield (Contender("numexpr", call, (target,), "its text compiled before"),)


def _fresh_reference() -> Arrays:
    a, b = _planes()
    return (np.abs((a + b) * np.float32(0.5) - a * b),)


CASES = (
    Case(
        "latency.call",
        "edges, 64 × 64 uint8, a compiled function",
        partial(edges.enter, _SHAPE, 1),
        reference=partial(edges.reference, _SHAPE),
    ),
    Case(
        "latency.fresh",
        "a new expression of five operations, 64 × 64 float32",
        lambda product: tuple(_fresh(product)),
        reference=_fresh_reference,
    ),
)
