"""Moves views of pointwise work to what it reads, so that only the elements seen are computed."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.graph.build import view
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological

__all__ = ["push_views"]


def push_views(roots: Sequence[Node]) -> Sequence[Node]:
    """Return the roots with every view of pointwise work replaced by that work on views.

    Work that something else reads too, and work on neighbours, stays where it is.
    """
    order = topological(roots)
    if not any(_is_view_of_work(node) for node in order):
        return roots
    uses = _count_uses(order, roots)
    pointwise: dict[int, bool] = {}
    for node in order:
        kind = node.op.kind
        pointwise[id(node)] = kind in ("input", "scalar", "constant", "view") or (
            kind == "elementwise" and all(pointwise[id(arg)] for arg in node.args)
        )
    made: dict[int, Node] = {}
    for node in order:
        made[id(node)] = _rebuilt(node, made)
        uses[id(made[id(node)])] = uses[id(node)]
        if _is_view_of_work(node) and pointwise[id(node.args[0])] and uses[id(node.args[0])] == 1:
            made[id(node)] = _pushed(made[id(node)], uses)
    return [made[id(root)] for root in roots]


def _is_view_of_work(node: Node) -> bool:
    return node.op.kind == "view" and node.args[0].op.kind == "elementwise"


def _rebuilt(node: Node, made: dict[int, Node]) -> Node:
    args = tuple([made[id(arg)] for arg in node.args])
    if all(new is old for new, old in zip(args, node.args, strict=True)):
        return node
    return _with_args(node, args)


def _with_args(node: Node, args: tuple[Node, ...], like: Node | None = None) -> Node:
    like = node if like is None else like
    return Node(
        node.op, args, node.params, node.payload, like.shape, node.dtype, like.axes, like.valid
    )


def _pushed(outer: Node, uses: dict[int, int]) -> Node:
    """Return the work under the view `outer`, done on views of what it reads."""
    work = outer.args[0]
    made: dict[int, Node] = {}
    stack = [work]
    while stack:
        node = stack[-1]
        is_work = node.op.kind == "elementwise" and (node is work or uses.get(id(node), 2) == 1)
        if is_work and (waiting := [arg for arg in node.args if id(arg) not in made]):
            stack.extend(waiting)
            continue
        stack.pop()
        if node.op.kind in ("scalar", "constant"):
            made[id(node)] = node
        elif is_work:
            args = tuple([made[id(arg)] for arg in node.args])
            made[id(node)] = _with_args(node, args, outer)
            uses[id(made[id(node)])] = uses[id(outer)] if node is work else 1
        else:
            made[id(node)] = view(node, outer.payload, outer.shape, outer.axes)
    return made[id(work)]


def _count_uses(order: Sequence[Node], roots: Sequence[Node]) -> dict[int, int]:
    uses = {id(node): 0 for node in order}
    for node in order:
        for arg in node.args:
            uses[id(arg)] += 1
    for root in roots:
        uses[id(root)] += 1
    return uses
