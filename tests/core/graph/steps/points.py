"""Steps that go where data says: values put at indices, and images seen at coordinates."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.array.array import Array
from muntin.array.scattering import scatter
from muntin.core.border import BorderMode
from muntin.core.graph import build
from muntin.core.graph.node import Node
from muntin.core.graph.sampling import sampled
from muntin.core.graph.weighting import Weighting
from muntin.core.shapes import broadcast_shapes, can_broadcast
from tests.core.graph.choices import Choices
from tests.core.graph.steps.chosen import BOUNDS, bounded
from tests.core.graph.steps.made import MOST_AXES, Made, border_of

_DEFINED = tuple([mode for mode in BorderMode if mode is not BorderMode.UNDEFINED])


@dataclass(frozen=True)
class Scatter:
    """Values put at indices along the first axis or two, where they may meet."""

    pick: int
    indices: tuple[int, ...]
    values: int
    operation: str
    bounds: str

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Scatter:
        indices = choices.several(lambda: choices.integer(0, 7), 1, 2)
        operation = choices.one_of(("set", "add", "minimum", "maximum"))
        pick, values = choices.integer(0, 7), choices.integer(0, 7)
        return cls(pick, indices, values, operation, choices.one_of(BOUNDS))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if not node.shape or 0 in node.shape or node.valid is not None:
            return
        lines, shape = _lines(made, node, self.indices)
        if any(line.valid is not None for line in lines) or made.is_too_large(shape):
            return
        values = made.pick(self.values)
        if values.valid is not None or not _stretches(values.shape, shape):
            values = build.scalar(3, node.dtype)
        places = [
            Array(bounded(line, size, self.bounds))
            for line, size in zip(lines, node.shape, strict=False)
        ]
        given = Array(build.cast(values, node.dtype, saturate=True))
        made.add(scatter(Array(node), tuple(places), given, operation=self.operation)._node)


@dataclass(frozen=True)
class Sample:
    """Elements along the first axis or two at coordinates, or what lies between them."""

    pick: int
    coordinates: tuple[int, ...]
    mode: BorderMode
    constant: int
    between: bool
    weighting: Weighting

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Sample:
        coordinates = choices.several(lambda: choices.integer(0, 7), 1, 2)
        mode, constant = choices.one_of(_DEFINED), choices.integer(0, 99)
        between, weighting = choices.one_of((False, True)), choices.one_of(tuple(Weighting))
        return cls(choices.integer(0, 7), coordinates, mode, constant, between, weighting)

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if not node.shape or 0 in node.shape or node.valid is not None:
            return
        lines, shape = _lines(made, node, self.coordinates)
        if any(line.valid is not None or line.dtype.is_bool for line in lines):
            return
        if len(shape) > MOST_AXES or made.is_too_large(shape):
            return
        made.add(
            sampled(
                node,
                range(len(lines)),
                lines,
                border_of(node, self),
                "sample",
                between=self.between and not node.dtype.is_bool,
                weighting=self.weighting,
            )
        )


def _lines(made: Made, node: Node, numbers: tuple[int, ...]) -> tuple[list[Node], tuple[int, ...]]:
    """Return nodes for the first axes of another, and the shape of what they choose of it."""
    lines = [made.pick(numbers[0])]
    for number in numbers[1 : len(node.shape)]:
        lines.append(made.pick_beside(number, lines))
    common = broadcast_shapes(*[line.shape for line in lines]).shape
    return lines, (*common, *node.shape[len(lines) :])


def _stretches(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    return can_broadcast(shape, wide) and broadcast_shapes(shape, wide).shape == wide
