"""Moves reads of neighbours below cheap work, so that no row is kept for it."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.border import BorderMode
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological

__all__ = ["ROWS_PER_STEP", "ROW_COST", "sink_neighbours"]

ROW_COST = 3.0  # what writing and reading a row costs, in additions
PLANE_COST = 3.0  # what reading a row of another plane costs, in additions
ROWS_PER_STEP = 4  # rows made at a time by a loop that reads several rows: it shares what it reads


def sink_neighbours(outputs: Sequence[Node]) -> list[Node]:
    """Return the outputs with reads of cheap work replaced by that work on reads.

    Work is cheap if doing it again for every offset costs less than keeping a row of it. Work on
    neighbours along one axis, read along the other under the same border, is again work on
    neighbours: reads down a column share it, since a loop makes several rows at a time. Under a
    constant border nothing is moved: the constant stands for the result of the work.
    """
    order = topological(outputs)
    offsets: dict[Node, set[tuple[int, ...]]] = {}
    for node in order:
        if node.op.kind == "neighbour":
            offsets.setdefault(node.args[0], set()).add(node.params[0])
    in_place = {arg for node in order if node.op.kind != "neighbour" for arg in node.args}
    in_place |= set(outputs)
    made: dict[Node, Node] = {}
    rolled: set[Node] = set()  # of the nodes made: those that keep their rows
    for node in order:
        args = tuple([made[arg] for arg in node.args])
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        made[node] = node if same else _with_args(node, args)
        if node in offsets:
            again = _repeats(offsets[node], node in in_place)
            if not made[node].op.is_elementwise or _work(made[node], rolled) * again > ROW_COST:
                rolled.add(made[node])
        sinks = node.op.kind == "neighbour" and args[0] not in rolled
        if sinks and all(_composes(leaf, node) for leaf in _cone(args[0], rolled)):
            made[node] = _sunk(args[0], node, rolled)
    return [made[output] for output in outputs]


def _repeats(offsets: set[tuple[int, ...]], in_place: bool) -> float:
    """Return how often work read at `offsets`, or in place too, is done again for each element."""
    moved = [axis for axis in range(len(next(iter(offsets)))) if any(o[axis] for o in offsets)]
    again = len(offsets) - 1 + in_place
    if moved and moved == moved[:1] and _is_row_axis(moved[0], offsets):
        reach = [offset[moved[0]] for offset in offsets]
        return min(again, (max(*reach, 0) - min(*reach, 0)) / ROWS_PER_STEP)
    return again


def _is_row_axis(axis: int, offsets: set[tuple[int, ...]]) -> bool:
    """Say whether reads along `axis` go down a column: it is not the last axis of an image."""
    return axis < len(next(iter(offsets))) - 1


def _work(producer: Node, rolled: set[Node]) -> float:
    """Return the work of a node down to rows, operands and reads of neighbours."""
    work = 0.0
    for node in _cone(producer, rolled):
        if node.op.kind == "neighbour" and _leaves_plane(node):
            work += PLANE_COST
        elif node.op.is_elementwise and (node is producer or node not in rolled):
            work += node.op.cost
    return work


def _leaves_plane(read: Node) -> bool:
    """Say whether a read of neighbours is one of another plane, which seldom lies in cache."""
    return any(offset and axis not in read.plane for axis, offset in enumerate(read.params[0]))


def _cone(producer: Node, rolled: set[Node]) -> list[Node]:
    """Return the work of a node and what it reads, each node after its arguments."""
    inside: set[Node] = set()
    stack = [producer]
    while stack:
        node = stack.pop()
        if node not in inside:
            inside.add(node)
            if node.op.is_elementwise and (node is producer or node not in rolled):
                stack.extend(node.args)
    return [node for node in topological([producer]) if node in inside]


def _composes(leaf: Node, read: Node) -> bool:
    """Say whether reading a node of a cone where `read` reads is one read of rows."""
    if leaf.op.kind == "neighbour":
        (inside, mode), (outside, other) = leaf.params, read.params
        apart = not any(a and b for a, b in zip(inside, outside, strict=True))
        return apart and mode is other and mode is not BorderMode.CONSTANT
    if leaf.op.kind in ("index", "keep", "view", "window_sum", "fold", "scan", "gather"):
        return False
    return read.params[1] is not BorderMode.CONSTANT


def _sunk(producer: Node, read: Node, rolled: set[Node]) -> Node:
    """Return the work of `producer` on what lies where `read` reads."""
    offsets, mode = read.params
    made: dict[Node, Node] = {}
    for node in _cone(producer, rolled):
        if node.op.kind == "neighbour":
            both = tuple([a + b for a, b in zip(node.params[0], offsets, strict=True)])
            made[node] = _read(node.args[0], both, mode, read)
        elif node.op.kind == "input" or node in rolled:
            made[node] = _read(node, offsets, mode, read)
        elif node.op.is_elementwise:
            made[node] = _with_args(node, tuple([made[arg] for arg in node.args]))
        else:
            made[node] = node
    return made[producer]


def _read(node: Node, offsets: tuple[int, ...], mode: BorderMode, like: Node) -> Node:
    return Node(like.op, (node,), (offsets, mode), None, node.shape, node.dtype, like.axes)


def _with_args(node: Node, args: tuple[Node, ...]) -> Node:
    return Node(node.op, args, node.params, node.payload, node.shape, node.dtype, node.axes)
