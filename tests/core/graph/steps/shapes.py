"""Steps that show elements in another shape: views, reshapes, and arrays joined."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import factorial, prod
from typing import Any

from muntin.core.graph import build
from muntin.core.graph.joining import concat
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import resolve_index
from muntin.errors import BorderError
from tests.core.graph.choices import Choices
from tests.core.graph.steps.made import MOST_AXES, Made

_PRIMES = (2, 3, 5, 7)


@dataclass(frozen=True)
class Look:
    """A view: "slice", "order", "new", "drop" or "stretch"; the numbers choose among these."""

    pick: int
    kind: str
    numbers: tuple[int, ...]

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Look:
        kind = choices.one_of(tuple(_LOOKS))
        numbers = choices.several(lambda: choices.integer(0, 99), 12, 12)
        return cls(choices.integer(0, 7), kind, numbers)

    def add(self, made: Made) -> None:
        try:
            found = _LOOKS[self.kind](made.pick(self.pick), self.numbers)
        except BorderError:  # the one element taken is not valid
            return
        if found is not None:
            made.add(found)


@dataclass(frozen=True)
class Reshape:
    """The same elements along other axes: each factor of their number goes to one of them."""

    pick: int
    rank: int
    places: tuple[int, ...]

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Reshape:
        places = choices.several(lambda: choices.integer(0, 11), 5, 5)
        return cls(choices.integer(0, 7), choices.integer(1, MOST_AXES), places)

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if node.valid is None and node.shape:
            made.add(reshape(node, self.target(prod(node.shape))))

    def target(self, size: int) -> tuple[int, ...]:
        lengths = [1] * self.rank
        if size == 0:
            lengths = [1 + place % 3 for place in self.places[1 : self.rank]]
            lengths.insert(self.places[0] % self.rank, 0)
            return tuple(lengths)
        places = list(self.places)
        for prime in _PRIMES:
            while size % prime == 0:
                places.append(places.pop(0))
                lengths[places[0] % self.rank] *= prime
                size //= prime
        lengths[places[0] % self.rank] *= size
        return tuple(lengths)


@dataclass(frozen=True)
class Join:
    """Nodes one after another along an axis, some of them computed and some inputs."""

    picks: tuple[int, ...]
    axis: int

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Join:
        picks = choices.several(lambda: choices.integer(0, 7), 2, 3)
        return cls(picks, choices.integer(0, 3))

    def add(self, made: Made) -> None:
        first = made.pick(self.picks[0])
        if not first.shape or first.valid is not None:
            return
        axis = self.axis % len(first.shape)
        fitting = [node for node in made.nodes if _joins(node, first, axis)]
        parts = [first, *[fitting[-1 - number % len(fitting)] for number in self.picks[1:]]]
        shape = list(first.shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        if not made.is_too_large(tuple(shape)):
            made.add(concat(parts, axis))


def _joins(node: Node, first: Node, axis: int) -> bool:
    beside = [(*each.shape[:axis], *each.shape[axis + 1 :]) for each in (node, first)]
    alike = len(node.shape) == len(first.shape) and beside[0] == beside[1]
    return alike and node.valid is None and (node.axes is None or node.axes == first.axes)


# --- views ----------------------------------------------------------------------------------------


def _sliced(node: Node, given: tuple[int, ...]) -> Node | None:
    index = []
    for axis, size in enumerate(node.shape):
        start, length, step = given[3 * axis : 3 * axis + 3]
        step = (1, -1, 2, -2, 3)[step % 5]
        lo = start % max(size, 1)
        hi = size if length % 3 else lo + length % (size - lo + 1)
        part = slice(lo, hi, step)
        index.append(part if step > 0 else slice(hi - 1, lo - 1 if lo else None, step))
    return _indexed(node, tuple(index))


def _dropped(node: Node, given: tuple[int, ...]) -> Node | None:
    if not node.shape:
        return None
    axis = given[0] % len(node.shape)
    if node.shape[axis] == 0:
        return None
    return _indexed(node, (slice(None),) * axis + (given[1] % node.shape[axis],))


def _indexed(node: Node, index: tuple[Any, ...]) -> Node:
    resolved = resolve_index(index, node.shape)
    maps = tuple([AxisMap(axis.source, axis.start, axis.step) for axis in resolved.axes])
    sources = [axis.source for axis in resolved.axes]
    return build.view(
        node, View(maps, resolved.dropped), resolved.shape, _followed(node.axes, sources)
    )


def _followed(letters: str | None, sources: list[int | None]) -> str | None:
    if letters is None or None in sources:
        return None if sources else ""
    return "".join([letters[source] for source in sources if source is not None])


def _ordered(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    order = list(permutations(range(rank)))[given[0] % factorial(rank)]
    shape = tuple([node.shape[axis] for axis in order])
    maps = tuple([AxisMap(axis) for axis in order])
    return build.view(node, View(maps), shape, _followed(node.axes, list(order)))


def _new(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    if rank == MOST_AXES:
        return None
    return _indexed(node, (slice(None),) * (given[0] % (rank + 1)) + (None,))


def _stretched(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    shape = tuple([n if n != 1 else 1 + k % 3 for n, k in zip(node.shape, given, strict=False)])
    if rank < MOST_AXES and given[4] % 2:
        shape = (2, *shape)
    return build.broadcast_to(node, shape)


_LOOKS = {
    "drop": _dropped,
    "new": _new,
    "order": _ordered,
    "slice": _sliced,
    "stretch": _stretched,
}
