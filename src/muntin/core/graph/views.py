"""Moves views and reshapes of pointwise work to what it reads.

So only the elements seen are computed, and nothing is stored to be seen in another shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from muntin.core.graph.build import view
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.core.graph.reshaping import known_strides, reshape, reshaped_strides

__all__ = ["is_seen_work", "push_views"]

_CHEAP = 4.0  # additions that may be done again rather than stored
_MOST_VIEWS = 8  # of one piece of work, which become as many


def push_views(roots: Sequence[Node]) -> Sequence[Node]:
    """Return the roots with every view of pointwise work replaced by that work on views.

    Work whose elements are read more than once, and work on neighbours, stays where it is, but for
    cheap work on indices and numbers alone; so does work that is reshaped, if elements of what it
    reads would have to move for that.
    """
    order = topological(roots)
    if not any(is_seen_work(node) for node in order):
        return roots
    uses = _Uses(order, roots)
    pointwise: dict[Node, bool] = {}
    cheap: dict[Node, float] = {}  # what cheap work that reads no memory costs
    made: dict[int, Node] = {}
    for node in order:
        found = _rebuilt(node, made)
        uses.replace(node, found)
        is_seen = is_seen_work(found) and pointwise[found.args[0]]
        if is_seen and (uses.is_once(found.args[0]) or found.args[0] in cheap):
            found = _pushed(found, uses, cheap)
        made[id(node)] = found
        kind = found.op.kind
        pointwise[found] = kind in ("input", "index", "scalar", "constant", "view", "reshape") or (
            kind == "elementwise" and all(pointwise.get(arg, True) for arg in found.args)
        )
        if kind in ("index", "scalar", "constant"):
            cheap[found] = 0.0
        elif kind == "elementwise" and all(arg in cheap for arg in found.args):
            cost = found.op.cost + sum(cheap[arg] for arg in found.args)
            if cost <= _CHEAP:
                cheap[found] = cost
    return [made[id(root)] for root in roots]


def is_seen_work(node: Node) -> bool:
    """Say whether a node is a view or a reshape of pointwise work."""
    return node.op.kind in ("view", "reshape") and node.args[0].op.kind == "elementwise"


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


class _Uses:
    """How many elements of each node are read, those that are read twice counted twice.

    Of what very many views show, more are said to be read than there are.
    """

    def __init__(self, order: Sequence[Node], roots: Sequence[Node]) -> None:
        self._read = {id(node): 0 for node in order}
        views = Counter[int]()
        for node in order:
            for arg in node.args:
                size = prod(arg.shape)
                is_view = node.op.kind == "view"
                self._read[id(arg)] += min(prod(node.shape), size) if is_view else size
                views[id(arg)] += is_view
        for root in roots:
            self._read[id(root)] += prod(root.shape)
        for node in order:
            if views[id(node)] > _MOST_VIEWS:
                self._read[id(node)] += 1 + prod(node.shape)

    def is_once(self, node: Node) -> bool:
        """Say whether few views read no more elements than there are; false of unknown nodes."""
        read = self._read.get(id(node))
        return read is not None and read <= prod(node.shape)

    def replace(self, old: Node, new: Node) -> None:
        """Let a node be used as another was."""
        self._read[id(new)] = self._read[id(old)]

    def once(self, node: Node) -> None:
        """Let a new node be used once."""
        self._read[id(node)] = prod(node.shape)


def _pushed(outer: Node, uses: _Uses, cheap: dict[Node, float]) -> Node:
    """Return the work under the view `outer`, done on views of what it reads."""
    work = outer.args[0]
    order, inside = _inside(work, uses, cheap)
    is_reshape = outer.op.kind == "reshape"
    if is_reshape and not all(node in inside or _is_free(node, outer.shape) for node in order):
        return outer
    made: dict[Node, Node] = {}
    for node in order:
        if node.op.kind in ("scalar", "constant"):
            made[node] = node
        elif node in inside:
            args = tuple([made[arg] for arg in node.args])
            made[node] = _with_args(node, args, outer)
            if node is work:
                uses.replace(outer, made[node])
            else:
                uses.once(made[node])
        elif is_reshape:
            made[node] = reshape(node, outer.shape)
        else:
            made[node] = view(node, outer.payload, outer.shape, outer.axes)
        if node in cheap:
            cheap[made[node]] = cheap[node]
    return made[work]


def _inside(work: Node, uses: _Uses, cheap: Mapping[Node, float]) -> tuple[list[Node], set[Node]]:
    """Return pointwise work that may be repeated and what it reads, in order, and the work."""
    order: list[Node] = []
    inside: set[Node] = set()
    done: set[Node] = set()
    stack = [work]
    while stack:
        node = stack[-1]
        is_single = node is work or node in cheap or uses.is_once(node)
        is_work = node.op.kind == "elementwise" and is_single
        if is_work and (waiting := [arg for arg in node.args if arg not in done]):
            stack.extend(waiting)
            continue
        stack.pop()
        if node not in done:
            done.add(node)
            order.append(node)
            if is_work:
                inside.add(node)
    return order, inside


def _is_free(node: Node, shape: tuple[int, ...]) -> bool:
    """Say whether an operand is seen in another shape without being moved."""
    if node.op.kind == "view" and node.args[0].op.kind in ("scalar", "constant"):
        return True
    if node.op.kind in ("scalar", "constant"):
        return True
    strides = known_strides(node)
    return strides is not None and reshaped_strides(node.shape, strides, shape) is not None
