"""Places boxes in layers so that arrows point down: a layout for graphs without cycles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Layout", "layered"]

Point = tuple[float, float]

_GAP, _LAYER_GAP = 24.0, 48.0
_DUMMY = 8.0  # width that an arrow takes where it passes a layer
_PORT_GAP = 16.0  # between arrows at an edge of a box
_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Layout:
    """The centre of each box, the points of each arrow from box to box, and the size of it all."""

    centres: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def layered(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Layout:
    """Return where boxes of some widths and heights go, and how the arrows between them run.

    Parameters
    ----------
    sizes : sequence of (width, height)
        Of the boxes.
    edges : sequence of (from, to)
        Arrows by the numbers of their boxes, without cycles.

    Examples
    --------
    >>> layered([(40, 20), (40, 20)], [(0, 1)]).centres
    ((20.0, 10.0), (20.0, 78.0))
    """
    return _Layering(list(sizes), list(edges)).layout()


class _Layering:
    def __init__(self, sizes: list[Point], edges: list[tuple[int, int]]) -> None:
        self.sizes = sizes
        self.count = len(sizes)
        self.layer = _layers(len(sizes), edges)
        self.chains = [self.chain(start, stop) for start, stop in edges]
        self.above: list[list[int]] = [[] for _ in self.sizes]
        self.below: list[list[int]] = [[] for _ in self.sizes]
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                self.above[lower].append(upper)
                self.below[upper].append(lower)
        self.rows: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        for box, layer in enumerate(self.layer):
            self.rows[layer].append(box)
        self.x = [0.0] * len(self.sizes)

    def chain(self, start: int, stop: int) -> list[int]:
        """Return the boxes along an arrow; layers that it passes get an empty one each."""
        chain = [start]
        for layer in range(self.layer[start] + 1, self.layer[stop]):
            chain.append(len(self.sizes))
            self.sizes.append((_DUMMY, 0.0))
            self.layer.append(layer)
        return [*chain, stop]

    def layout(self) -> Layout:
        for row in self.rows:
            self.pack(row, range(len(row)))
        for sweep in range(_SWEEPS):
            is_down = sweep % 2 == 0
            neighbours = self.above if is_down else self.below
            for row in self.rows if is_down else reversed(self.rows):
                wanted = {box: self.wanted(box, neighbours[box]) for box in row}
                row.sort(key=wanted.__getitem__)
                self.pack(row, [wanted[box] for box in row])
        for _ in range(_SWEEPS):
            for row in self.rows:
                around = [self.wanted(box, self.above[box] + self.below[box]) for box in row]
                self.pack(row, around)
        return self.placed()

    def wanted(self, box: int, neighbours: Sequence[int]) -> float:
        if not neighbours:
            return self.x[box]
        return sum(self.x[other] for other in neighbours) / len(neighbours)

    def pack(self, row: Sequence[int], wanted: Iterable[float]) -> None:
        """Move the boxes of a row as near to the wanted centres as their order allows.

        Pushing from the left and pushing from the right both keep the distances, and so does the
        mean of the two.
        """
        aims = [float(aim) for aim in wanted]
        halves = [self.sizes[box][0] / 2 for box in row]
        rights, lefts = list(aims), list(aims)
        for k in range(1, len(row)):
            rights[k] = max(aims[k], rights[k - 1] + halves[k - 1] + halves[k] + _GAP)
        for k in range(len(row) - 2, -1, -1):
            lefts[k] = min(aims[k], lefts[k + 1] - halves[k + 1] - halves[k] - _GAP)
        for box, right, left in zip(row, rights, lefts, strict=True):
            self.x[box] = (right + left) / 2

    def placed(self) -> Layout:
        left = min((self.x[box] - size[0] / 2 for box, size in enumerate(self.sizes)), default=0.0)
        centres: dict[int, Point] = {}
        top = 0.0
        for row in self.rows:
            height = max(self.sizes[box][1] for box in row)
            for box in row:
                centres[box] = (self.x[box] - left, top + height / 2)
                if box >= self.count:  # an arrow passes the whole layer
                    self.sizes[box] = (_DUMMY, height)
            top += height + _LAYER_GAP
        width = max((x + self.sizes[box][0] / 2 for box, (x, _) in centres.items()), default=0.0)
        paths = [self.path(chain, centres) for chain in self.chains]
        boxes = tuple([centres[box] for box in range(self.count)])
        return Layout(boxes, tuple(paths), width, max(top - _LAYER_GAP, 0.0))

    def path(self, chain: Sequence[int], centres: Mapping[int, Point]) -> tuple[Point, ...]:
        """Return the points of an arrow, from the lower edge of a box to the upper of another."""
        first, last = chain[0], chain[-1]
        points = [(self.port(first, chain[1], self.below, centres), self.edge(first, 1, centres))]
        for box in chain[1:-1]:
            points += [(centres[box][0], self.edge(box, side, centres)) for side in (-1, 1)]
        end = self.port(last, chain[-2], self.above, centres)
        return (*points, (end, self.edge(last, -1, centres)))

    def edge(self, box: int, side: int, centres: Mapping[int, Point]) -> float:
        """Return the height of the upper (-1) or lower (1) edge of a box."""
        return centres[box][1] + side * self.sizes[box][1] / 2

    def port(
        self, box: int, other: int, ends: list[list[int]], centres: Mapping[int, Point]
    ) -> float:
        """Return where along its edge a box is left for another or reached from it."""
        others = sorted(set(ends[box]), key=lambda end: centres[end][0])
        place = others.index(other) - (len(others) - 1) / 2
        return centres[box][0] + place * min(self.sizes[box][0] / (len(others) + 1), _PORT_GAP)


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each box: below all that point to it, and close to what it points to."""
    after: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for start, stop in edges:
        after[start].append(stop)
        waiting[stop] += 1
    sources = {box for box in range(count) if waiting[box] == 0}
    layer = [0] * count
    ready = sorted(sources)
    while ready:
        box = ready.pop()
        for other in after[box]:
            layer[other] = max(layer[other], layer[box] + 1)
            waiting[other] -= 1
            if waiting[other] == 0:
                ready.append(other)
    for box in sources:
        layer[box] = min((layer[other] for other in after[box]), default=1) - 1
    return layer
