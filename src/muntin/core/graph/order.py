"""The nodes under some roots, arguments first: a loop, for chains of any length."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.graph.node import Node

__all__ = ["topological"]


def topological(roots: Sequence[Node]) -> list[Node]:
    """Return every node under `roots` once, each after its arguments."""
    order: list[Node] = []
    done: set[Node] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
        elif done.issuperset(node.args):
            stack.pop()
            done.add(node)
            order.append(node)
        else:
            stack.extend([arg for arg in reversed(node.args) if arg not in done])
    return order
