"""The canonical form of a graph: equal work is one node, and what may change is left out.

Sizes, slice starts, strides, scalars and addresses are not in the key, so that a graph that
differs in these alone finds the plan of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from muntin.core.graph.node import Node
from muntin.core.graph.row_folds import fold_in_rows
from muntin.core.graph.views import is_seen_work, push_views

__all__ = ["Canonical", "canonical"]


@dataclass(frozen=True, slots=True)
class Canonical:
    """Nodes in an order in which arguments come first, each with the positions of its arguments."""

    key: tuple[Any, ...]
    nodes: tuple[Node, ...]
    args: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]

    def domain_node(self, position: int) -> Node:
        """Return the node over whose shape a kernel runs that writes the one at `position`."""
        node = self.nodes[position]
        return self.nodes[self.args[position][0]] if node.op.kind == "fold" else node


def canonical(roots: Sequence[Node]) -> Canonical:
    """Return the canonical form of the graph under `roots`.

    Notes
    -----
    Two scalars are one only if they are one node, and two inputs only if they have one source:
    equal numbers never merge nodes, so the key does not depend on them. Indices, work on numbers
    alone, and an array stretched or reshaped twice, are one where their shapes are equal: then, and
    only then, they are the same.
    """
    form, views_work = _hash_consed(roots)
    pushed = push_views(roots) if views_work else roots
    if any(node.op.kind == "fold" for node in form.nodes):
        pushed = fold_in_rows(pushed)
    return form if pushed is roots else _hash_consed(pushed)[0]


def _hash_consed(roots: Sequence[Node]) -> tuple[Canonical, bool]:
    """Return the canonical form, and whether a view or reshape of pointwise work is in it."""
    views_work = False
    nodes: list[Node] = []
    arguments: list[tuple[int, ...]] = []
    key: list[Any] = []
    position: dict[int, int] = {}
    known: dict[Any, int] = {}
    calls: dict[Any, int] = {}
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        identity = id(node)
        if identity in position:
            stack.pop()
            continue
        waiting = [arg for arg in node.args if id(arg) not in position]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        args = tuple([position[id(arg)] for arg in node.args])
        kind = node.op.kind
        sharing: Any = None
        if kind == "input":
            sharing = id(node.payload)
        elif kind in ("scalar", "part", "gathered") or (kind == "view" and not _is_broadcast(node)):
            sharing = identity
        elif kind in ("index", "view", "reshape") or not any(arg.shape for arg in node.args):
            sharing = node.shape
        views_work = views_work or is_seen_work(node)
        word: tuple[Any, ...] = (node.op.name, args, node.params, node.dtype.name, len(node.shape))
        if kind == "program":  # outputs of one call are told from those of several
            word = (*word, calls.setdefault((args, node.payload.identity), len(calls)))
        if node.reads_at:
            word = (*word, node.axes, _channels(node))
        found = known.get((word, sharing))
        if found is None:
            found = known[(word, sharing)] = len(nodes)
            nodes.append(node)
            arguments.append(args)
            key.append(word)
        position[identity] = found
    ends = tuple([position[id(root)] for root in roots])
    return Canonical((tuple(key), ends), tuple(nodes), tuple(arguments), ends), views_work


def _is_broadcast(node: Node) -> bool:
    """Say whether a view shows all of its argument, some axes stretched or new."""
    shown, base = node.payload, node.args[0].shape
    if shown.fixed:
        return False
    for axis, size in zip(shown.axes, node.shape, strict=True):
        if axis.source is not None:
            whole = size if axis.step == 1 else 1
            if axis.start or axis.step not in (0, 1) or base[axis.source] != whole:
                return False
    return True


def _channels(node: Node) -> int:
    """Return how many interleaved channels an image has: they are compiled in."""
    return node.shape[-1] if node.axes and node.axes[-1] == "c" else 1
