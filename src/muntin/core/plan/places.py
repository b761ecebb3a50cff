"""Where parts of joined arrays lie, and what a program changes: in the memory of the whole."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from muntin.core.graph.canonical import Canonical
from muntin.core.graph.joining import starts

__all__ = ["Within", "holder", "places_within"]


class Within(NamedTuple):
    """The memory of a node lies in that of the node at `whole`, from `start` on along an axis."""

    whole: int
    axis: int
    start: int


def places_within(graph: Canonical) -> dict[int, Within]:
    """Return where each part lies, and each whole that is read as a part alone."""
    found: dict[int, Within] = {}
    if not any(node.op.kind == "part" for node in graph.nodes):
        return found
    uses = Counter([*graph.roots, *[arg for args in graph.args for arg in args]])
    for position, node in enumerate(graph.nodes):
        if node.op.kind == "program":
            updates = node.payload.definition.updates
            if node.params[1] in updates:
                changed = graph.args[position][updates.index(node.params[1]) - len(updates)]
                found[changed] = Within(position, 0, 0)
        if node.op.kind != "concat":
            continue
        for part, start in zip(graph.args[position], starts(node), strict=True):
            found[part] = Within(position, node.params[0], start)
            (inner,) = graph.args[part]
            if graph.nodes[inner].op.kind == "concat" and uses[inner] == 1:
                found[inner] = Within(part, 0, 0)
    return found


def holder(within: dict[int, Within], position: int) -> tuple[int, list[Within]]:
    """Return the node in whose memory a node lies, and the way there."""
    way: list[Within] = []
    while position in within:
        way.append(within[position])
        position = within[position].whole
    return position, way
