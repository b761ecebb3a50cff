"""The nodes under some roots, arguments first: a loop, for chains of any length."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.graph.node import Node

__all__ = ["topological"]


def topological(roots: Sequence[Node]) -> list[Node]:
    """Return every node under `roots` once, each after its arguments."""
    order: list[Node] = []
    done: set[int] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        waiting = [arg for arg in node.args if id(arg) not in done]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        done.add(id(node))
        order.append(node)
    return order
