"""Joining: arrays one after another along an axis, each written where it belongs in the result.

The arguments of a `concat` node are `part` nodes, which nothing else reads: a part is work whose
memory lies in that of the whole. An array that a program changes is a part of what it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate

from muntin.core.graph.build import cast
from muntin.core.graph.letters import agreed_letters
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.regions import Box
from muntin.dtypes import promote
from muntin.errors import BorderError, ParameterError, ShapeError

__all__ = ["boxes_of_parts", "concat", "part", "starts"]

_CONCAT, _PART = op("concat"), op("part")


def concat(nodes: Sequence[Node], axis: int, operation: str = "concat") -> Node:
    """Return the arrays one after another along an axis, in the type that holds them all.

    Raises
    ------
    ParameterError
        If there are none.
    ShapeError
        If their shapes differ elsewhere than along the axis, or their axes have other names.
    BorderError
        If one is only valid in part.
    """
    if not nodes:
        raise ParameterError(f"{operation}: got no arrays; give one or more")
    first = nodes[0]
    for number, node in enumerate(nodes):
        if _beside(node.shape, axis) != _beside(first.shape, axis):
            raise ShapeError(
                f"{operation}: array 0 has shape {first.shape}, array {number} {node.shape}; they "
                f"may differ along axis {axis} alone"
            )
        if node.valid is not None:
            raise BorderError(
                f"{operation}: takes whole arrays, but only {node.valid} of array {number}, "
                f"{node.shape}, is valid; call .valid() to keep that part as an array of its own"
            )
    axes = agreed_letters(operation, [node.axes for node in nodes])
    if len(nodes) == 1:
        return first
    dtype = reduce(promote, [node.dtype for node in nodes])
    parts = []
    for node in nodes:
        inner = node.op is _CONCAT and node.params == (axis,)
        parts += [each.args[0] for each in node.args] if inner else [node]
    args = tuple([part(cast(each, dtype)) for each in parts])
    length = sum(node.shape[axis] for node in nodes)
    shape = (*first.shape[:axis], length, *first.shape[axis + 1 :])
    return Node(_CONCAT, args, (axis,), None, shape, dtype, axes)


def _beside(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], -1, *shape[axis + 1 :])


def part(node: Node) -> Node:
    """Return the node as work whose memory lies in that of what reads it."""
    return Node(_PART, (node,), (), None, node.shape, node.dtype, node.axes)


def starts(node: Node) -> list[int]:
    """Return where each part of a concat node begins along its axis."""
    (axis,) = node.params
    return list(accumulate([each.shape[axis] for each in node.args[:-1]], initial=0))


def boxes_of_parts(node: Node, box: Box) -> list[Box]:
    """Return the boxes of its parts that a box of a concat node is read from."""
    (axis,) = node.params
    boxes = []
    for each, first in zip(node.args, starts(node), strict=True):
        start, stop = list(box.start), list(box.stop)
        start[axis] = min(max(start[axis] - first, 0), each.shape[axis])
        stop[axis] = max(min(stop[axis] - first, each.shape[axis]), start[axis])
        boxes.append(Box(tuple(start), tuple(stop)))
    return boxes
