"""Moves reads of neighbours below cheap pointwise work, so that no row is kept for it."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.core.border import BorderMode
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological

__all__ = ["ROW_COST", "sink_neighbours"]

ROW_COST = 3.0  # what writing and reading a row costs, in additions


def sink_neighbours(outputs: Sequence[Node]) -> list[Node]:
    """Return the outputs with reads of cheap pointwise work replaced by that work on reads.

    Work is cheap if doing it once for every offset costs less than keeping a row of it. Under a
    constant border nothing is moved: the constant stands for the result of the work.
    """
    order = topological(outputs)
    offsets: dict[int, set[tuple[int, ...]]] = {}
    for node in order:
        if node.op.kind == "neighbour":
            offsets.setdefault(id(node.args[0]), set()).add(node.params)
    work: dict[int, float | None] = {id(node): None for node in order}
    for node in order:
        work[id(node)] = _work(node, work)
    ends = {id(node) for node in outputs}
    made: dict[int, Node] = {}
    for node in order:
        args = tuple([made[id(arg)] for arg in node.args])
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        made[id(node)] = node if same else _with_args(node, args)
        if node.op.kind == "neighbour" and node.params[1] is not BorderMode.CONSTANT:
            producer = node.args[0]
            cost = work[id(producer)]
            repeats = len(offsets[id(producer)]) - (id(producer) not in ends)
            if producer.op.is_elementwise and cost is not None and cost * repeats <= ROW_COST:
                made[id(node)] = _sunk(node)
    return [made[id(output)] for output in outputs]


def _work(node: Node, work: dict[int, float | None]) -> float | None:
    """Return the pointwise work from the operands to a node; None if it reads neighbours."""
    if node.op.kind in ("input", "scalar", "constant"):
        return 0.0
    if not node.op.is_elementwise:
        return None
    total = node.op.cost
    for arg in node.args:
        below = work[id(arg)]
        if below is None:
            return None
        total += below
    return total


def _with_args(node: Node, args: tuple[Node, ...]) -> Node:
    return Node(node.op, args, node.params, node.payload, node.shape, node.dtype, node.axes)


def _sunk(neighbour: Node) -> Node:
    made: dict[int, Node] = {}
    for node in topological([neighbour.args[0]]):
        if node.op.is_elementwise:
            made[id(node)] = _with_args(node, tuple([made[id(arg)] for arg in node.args]))
        elif node.op.kind == "input":
            made[id(node)] = Node(
                neighbour.op,
                (node,),
                neighbour.params,
                None,
                node.shape,
                node.dtype,
                neighbour.axes,
            )
        else:
            made[id(node)] = node
    return made[id(neighbour.args[0])]
