"""Which box of every input a box of a result needs: regions pulled through the graph."""

from __future__ import annotations

from collections.abc import Mapping

from muntin.core.graph.gathering import box_gathered
from muntin.core.graph.joining import boxes_of_parts
from muntin.core.graph.node import Node, View
from muntin.core.graph.order import topological
from muntin.core.graph.reshaping import box_behind_reshape
from muntin.core.regions import Box, Footprint, required_region

__all__ = ["required"]


def required(root: Node, box: Box) -> Mapping[Node, Box]:
    """Return the box of each input that `box` of `root` needs, empty where nothing is read."""
    order = topological([root])
    needs: dict[Node, Box] = {root: box}
    for node in reversed(order):
        for arg, part in zip(node.args, _of_arguments(node, needs[node]), strict=True):
            known = needs.get(arg)
            needs[arg] = part if known is None else known.union_hull(part)
    return {node: needs[node] for node in order if node.op.kind == "input"}


def _of_arguments(node: Node, box: Box) -> list[Box]:
    """Return the boxes of the arguments that a box of the node reads."""
    kind = node.op.kind
    if kind == "gather":
        return [box_gathered(node, box), *[box for _ in node.args[1:]]]
    if kind in ("view", "gathered"):
        return [_behind_view(node.payload, box, node.args[0].shape)]
    if kind == "reshape":
        return [box_behind_reshape(box, node.shape, node.args[0].shape)]
    if kind == "neighbour":
        offsets, mode = node.params
        image, *number = node.args
        part = required_region(box, Footprint((offsets,)), mode, image.shape)
        return [part, *(Box((), ()) for _ in number)]
    if kind == "window_sum":
        *ends, mode = node.params
        image, *number = node.args
        part = required_region(box, Footprint(tuple(ends)), mode, image.shape)
        return [part, *(Box((), ()) for _ in number)]
    if kind == "concat":
        return boxes_of_parts(node, box)
    if kind in ("elementwise", "keep", "part"):
        return [box if arg.shape == node.shape else Box.full(arg.shape) for arg in node.args]
    return [Box.full(arg.shape) for arg in node.args]


def _behind_view(affine: View, box: Box, shape: tuple[int, ...]) -> Box:
    start, stop = [0] * len(shape), [0] * len(shape)
    if box.is_empty:
        return Box(tuple(start), tuple(stop))
    for axis, index in affine.fixed:
        start[axis], stop[axis] = index, index + 1
    for axis_map, low, high in zip(affine.axes, box.start, box.stop, strict=True):
        if axis_map.source is None:
            continue
        ends = (axis_map.start + axis_map.step * low, axis_map.start + axis_map.step * (high - 1))
        start[axis_map.source], stop[axis_map.source] = min(ends), max(ends) + 1
    return Box(tuple(start), tuple(stop))
