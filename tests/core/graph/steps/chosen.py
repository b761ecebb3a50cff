"""Steps that read an array at indices which are computed."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.array.array import Array
from muntin.array.choosing import chosen
from muntin.core.graph import build
from muntin.core.graph.gathering import Along, gather
from muntin.core.graph.node import Node
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import DTYPES
from tests.core.graph.choices import Choices
from tests.core.graph.steps.made import MOST_AXES, Made

INT64 = DTYPES["int64"]
# Where indices lie: counted from the front, from both ends, or anywhere, where most are a fault.
BOUNDS = ("front",) * 6 + ("both",) * 6 + ("any",)


@dataclass(frozen=True)
class Take:
    """Elements at indices along the axes whose bits are set, of which there may be two."""

    pick: int
    indices: tuple[int, int]
    axes: int
    bounds: str

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Take:
        indices = (choices.integer(0, 7), choices.integer(0, 7))
        bits = choices.integer(1, 15)
        return cls(choices.integer(0, 7), indices, bits, choices.one_of(BOUNDS))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if not node.shape or 0 in node.shape or node.valid is not None:
            return
        along = [axis for axis in range(len(node.shape)) if self.axes >> axis & 1][:2] or [0]
        first = made.pick(self.indices[0])
        lines = [first]
        if len(along) == 2:
            lines.append(made.pick_beside(self.indices[1], lines))
        common = broadcast_shapes(*[line.shape for line in lines]).shape
        rest = [length for axis, length in enumerate(node.shape) if axis not in along]
        if not all(line.shape for line in lines) or len(common) + len(rest) > MOST_AXES:
            return
        if made.is_too_large((*common, *rest)) or any(line.valid is not None for line in lines):
            return
        items: list[object] = [slice(None)] * len(node.shape)
        for axis, line in zip(along, lines, strict=True):
            items[axis] = Array(bounded(line, node.shape[axis], self.bounds))
        made.add(chosen(node, tuple(items)))


@dataclass(frozen=True)
class TakeAlong:
    """For each place the element at its own index along an axis."""

    pick: int
    index: int
    axis: int
    bounds: str

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> TakeAlong:
        axis, bounds = choices.integer(0, 3), choices.one_of(BOUNDS)
        return cls(choices.integer(0, 7), choices.integer(0, 7), axis, bounds)

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if not node.shape or 0 in node.shape or node.valid is not None:
            return
        index = made.pick_beside(self.index, [node])
        if len(index.shape) > len(node.shape):
            return
        shape = broadcast_shapes(node.shape, index.shape).shape
        axis = self.axis % len(shape)
        places = bounded(index, node.shape[axis], self.bounds)
        source = list(shape)
        source[axis] = node.shape[axis]
        coordinates = [
            build.broadcast_to(places, shape) if k == axis else Along(k) for k in range(len(shape))
        ]
        wide = build.broadcast_to(node, tuple(source))
        made.add(gather(wide, coordinates, shape, node.axes))


def bounded(node: Node, size: int, bounds: str) -> Node:
    """Return a node as indices for an axis of some size."""
    if bounds == "any":
        return node if node.dtype.is_integer else build.cast(node, DTYPES["int16"])
    wide = build.cast(node, INT64, saturate=node.dtype.is_float)
    count = size if bounds == "front" else 2 * size
    rest = build.elementwise("remainder", wide, build.scalar(count, INT64))
    if bounds == "front":
        return rest
    return build.elementwise("subtract", rest, build.scalar(size, INT64))
