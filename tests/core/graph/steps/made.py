"""A graph in the making: its nodes so far, and which of them a step may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.node import Node
from muntin.core.shapes import broadcast_shapes, can_broadcast
from tests.core.graph.laid_out import numbers

Array: TypeAlias = np.ndarray[Any, Any]

MOST_AXES = 4
_GROWTH, _ROOM = 4, 64  # nodes may become so many times larger than the sizes, and so much more


@dataclass
class Made:
    """The nodes of a graph, the inputs and the larger arrays that hold them.

    `shape` and `axes` are those of a whole input. With `keep_all` every node is stored.
    """

    shape: tuple[int, ...]
    axes: str | None
    rng: np.random.Generator
    keep_all: bool = False
    nodes: list[Node] = field(default_factory=list)
    inputs: list[Array] = field(default_factory=list)
    held: list[Array] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Append a node, unless it is one of many axes or of a great many elements."""
        if len(node.shape) > MOST_AXES or self.is_too_large(node.shape):
            return
        self.nodes.append(build.keep(node) if self.keep_all and node.args else node)

    def is_too_large(self, shape: tuple[int, ...]) -> bool:
        return prod(shape) > _GROWTH * prod(self.shape) + _ROOM

    def pick(self, number: int) -> Node:
        """Return a node, counted from the last."""
        return self.nodes[-1 - number % len(self.nodes)]

    def pick_beside(self, number: int, others: list[Node]) -> Node:
        """Return a node that can be an operand beside others."""
        fitting = [node for node in self.nodes if _fits(node, others)]
        return fitting[-1 - number % len(fitting)]


class Step(Protocol):
    """What a recipe does: it may add a node, and does nothing where nothing fits."""

    def add(self, made: Made) -> None: ...


class Beside(Protocol):
    """A step that reads past the ends of an array."""

    @property
    def mode(self) -> BorderMode: ...

    @property
    def constant(self) -> int: ...


def border_of(node: Node, step: Beside) -> Border:
    """Return the border of a step; `constant` is a place among the numbers of the type."""
    if node.valid is not None:  # no other border is allowed
        return Border(BorderMode.UNDEFINED)
    choices = numbers(node.dtype)
    constant = choices[step.constant % len(choices)]
    return Border(step.mode, constant if step.mode is BorderMode.CONSTANT else 0)


def _fits(node: Node, others: list[Node]) -> bool:
    shapes = [node.shape, *[other.shape for other in others]]
    if not all(can_broadcast(a, b) for a, b in combinations(shapes, 2)):
        return False
    rank = len(broadcast_shapes(*shapes).shape)
    letters = {n.axes for n in [node, *others] if n.axes is not None and len(n.shape) == rank}
    return len(letters) < 2
