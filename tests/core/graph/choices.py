"""Where random choices come from: a seed, for very many cases, or Hypothesis, which shrinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(Protocol):
    """What a drawer of random things asks."""

    def integer(self, low: int, high: int) -> int:
        """Return a number, the ends included."""
        ...

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of some things; those that are there twice are as likely as two."""
        ...

    def several(self, make: Callable[[], T], low: int, high: int) -> tuple[T, ...]:
        """Return so many things made one after another."""
        ...


class Seeded:
    """Choices that follow from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def integer(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def one_of(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def several(self, make: Callable[[], T], low: int, high: int) -> tuple[T, ...]:
        return tuple([make() for _ in range(self.integer(low, high))])


class Drawn:
    """Choices of Hypothesis."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def one_of(self, options: Sequence[T]) -> T:
        return self._draw(st.sampled_from(options))

    def several(self, make: Callable[[], T], low: int, high: int) -> tuple[T, ...]:
        made: list[T] = []
        more = st.integers(0, 9)
        while len(made) < low or (len(made) < high and self._draw(more)):
            made.append(make())  # one that is left out takes its own choices with it
        return tuple(made)
