"""Chains with one input and with three, on one thread and on two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numexpr  # type: ignore[import-untyped]
import numpy as np

from benchmarks.case import Array, Arrays, Case, Contender
from benchmarks.chain import streaming
from benchmarks.images import aligned, plane
from benchmarks.product import Product

__all__ = ["CASES"]

_ELEMENTS = 1 << 24


@dataclass(frozen=True, slots=True)
class _Chain:
    """A chain as Python, which NumPy and muntin run alike, and as numexpr's text."""

    name: str
    names: tuple[str, ...]
    python: Callable[..., Any]
    text: str
    scalars: tuple[tuple[str, float], ...]


_ONE = _Chain(
    "one",
    ("a",),
    lambda a: abs((a * 1.5 + 0.25) * (a - 0.5)) + 0.125,
    "abs((a * p + q) * (a - r)) + s",
    (("p", 1.5), ("q", 0.25), ("r", 0.5), ("s", 0.125)),
)
_THREE = _Chain(
    "three",
    ("a", "b", "c"),
    lambda a, b, c: abs((a * b + c) * (a - b)) + 0.125,
    "abs((a * b + c) * (a - b)) + s",
    (("s", 0.125),),
)


@cache
def _inputs(count: int) -> Arrays:
    return tuple(plane((_ELEMENTS,), "float32", seed) for seed in range(count))


@cache
def _reference(chain: _Chain) -> Arrays:
    result: Array = chain.python(*_inputs(len(chain.names)))
    return (result,)


def _numexpr(chain: _Chain, inputs: Arrays, out: Array) -> Iterator[Contender]:
    """Yield numexpr with its scalars given as float32, so that it computes in float32."""
    scalars = {name: np.float32(value) for name, value in chain.scalars}
    names = {**dict(zip(chain.names, inputs, strict=True)), **scalars}
    call = partial(numexpr.evaluate, chain.text, local_dict=names, global_dict={}, out=out)
    yield Contender("numexpr", call, (out,))


def _ours(chain: _Chain, inputs: Arrays, product: Product | None) -> Iterator[Contender]:
    if product is not None:
        out = aligned((_ELEMENTS,), "float32")

        def expression(_: Any, *arrays: Any) -> Any:
            return chain.python(*arrays)

        yield Contender("muntin", product.compiled(expression, inputs, (out,)), (out,))


def _enter(chain: _Chain, threads: int, product: Product | None) -> Sequence[Sequence[Contender]]:
    numexpr.set_num_threads(threads)
    inputs = _inputs(len(chain.names))
    out = aligned((_ELEMENTS,), "float32")
    return (
        tuple(_ours(chain, inputs, product)),
        tuple(_numexpr(chain, inputs, out)),
        tuple(streaming.contenders(inputs, out, threads)),
    )


CASES = tuple(
    Case(
        name=f"chain.{chain.name}.threads{threads}",
        about=f"{chain.text}; 16 Mi float32",
        enter=partial(_enter, chain, threads),
        threads=threads,
        reference=partial(_reference, chain),
    )
    for chain in (_ONE, _THREE)
    for threads in (1, 2)
)
