"""Reshaping: the same elements in C order along other axes, moved only where strides demand it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, reduce
from itertools import pairwise
from math import prod

from muntin.core.graph.build import (
    broadcast_to,
    check_whole,
    elementwise,
    index,
    renamed,
    scalar,
    view,
)
from muntin.core.graph.letters import followed_letters
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.ops import op
from muntin.core.regions import Box
from muntin.core.shapes import Shape
from muntin.dtypes import DTYPES
from muntin.errors import ShapeError

__all__ = [
    "axis_groups",
    "box_behind_reshape",
    "known_strides",
    "reshape",
    "reshaped_strides",
    "resolved_shape",
]

_RESHAPE = op("reshape")
_INT64 = DTYPES["int64"]


def resolved_shape(shape: tuple[int, ...], target: tuple[int, ...], operation: str) -> Shape:
    """Return `target` with a length of -1 replaced by what is left of the elements of `shape`.

    Raises
    ------
    ShapeError
        If there is no such length, or if the numbers of elements differ.
    """
    size = prod(shape)
    rest = prod([length for length in target if length != -1])
    found = target
    if target.count(-1) == 1 and rest > 0 and size % rest == 0:
        found = tuple([size // rest if length == -1 else length for length in target])
    if min(found, default=0) < 0 or prod(found) != size:
        raise ShapeError(
            f"{operation}: an array of shape {shape} has {size} elements, which do not take shape "
            f"{target}; give lengths whose product is {size}, one of which may be -1"
        )
    return found


@lru_cache(maxsize=1024)
def axis_groups(shape: Shape, target: Shape) -> tuple[tuple[range, range], ...]:
    """Return the shortest runs of axes of two shapes of one size that hold as many elements.

    >>> axis_groups((2, 3, 4), (6, 2, 2))
    ((range(0, 2), range(0, 1)), (range(2, 3), range(1, 3)))
    """
    if 0 in shape:
        return ((range(len(shape)), range(len(target))),)
    groups: list[tuple[range, range]] = []
    i = j = 0
    while i < len(shape) and j < len(target):
        first, other = i, j
        here, there = shape[i], target[j]
        i, j = i + 1, j + 1
        while here != there:
            if here < there:
                here, i = here * shape[i], i + 1
            else:
                there, j = there * target[j], j + 1
        groups.append((range(first, i), range(other, j)))
    if i < len(shape) or j < len(target):  # axes of length 1 are left
        groups.append((range(i, len(shape)), range(j, len(target))))
    return tuple(groups)


def reshaped_strides(shape: Shape, strides: Shape, target: Shape) -> Shape | None:
    """Return the strides that show an array in another shape, None if its elements must move."""
    if 0 in shape:
        return (0,) * len(target)
    found = [0] * len(target)
    for sources, axes in axis_groups(shape, target):
        long = _long(sources, shape)
        for outer, inner in pairwise(long):
            if strides[outer] != strides[inner] * shape[inner]:
                return None
        step = strides[long[-1]] if long else 0
        for axis in reversed(axes):
            found[axis] = step
            step *= target[axis]
    return tuple(found)


def _long(axes: range, shape: Shape) -> list[int]:
    return [axis for axis in axes if shape[axis] != 1]


def known_strides(node: Node) -> Shape | None:
    """Return the strides of an input, or of what is seen of it without moving elements."""
    if node.op.kind == "input":
        strides: Shape = node.payload.strides
        return strides
    if node.op.kind not in ("view", "reshape"):
        return None
    (below,) = node.args
    held = known_strides(below)
    if held is None:
        return None
    if node.op.kind == "view":
        affine: View = node.payload
        return affine.strides(held)
    return reshaped_strides(below.shape, held, node.shape)


def box_behind_reshape(box: Box, target: Shape, shape: Shape) -> Box:
    """Return the box of an array of `shape` that a box of it in shape `target` is read from."""
    start, stop = [0] * len(shape), [0] * len(shape)
    if box.is_empty:
        return Box(tuple(start), tuple(stop))
    for sources, axes in axis_groups(shape, target):
        low = high = 0
        for axis in axes:
            low = low * target[axis] + box.start[axis]
            high = high * target[axis] + box.stop[axis] - 1
        for axis in sources:
            inner = prod(shape[axis + 1 : sources.stop])
            start[axis], stop[axis] = low // inner, high // inner + 1
            if low // inner != high // inner:  # the ends lie in different rows: rows are whole
                low, high = 0, inner - 1
            else:
                low, high = low % inner, high % inner
    return Box(tuple(start), tuple(stop))


def reshape(node: Node, shape: Shape, operation: str = "reshape") -> Node:
    """Return the elements of `node`, in C order, in another shape of as many elements.

    One length may be -1. Axes of length 1 come and go by views, and a reshape of a reshape is one
    reshape.

    Raises
    ------
    ShapeError
        If the shape has another number of elements.
    BorderError
        If the array is only valid in part.
    """
    shape = resolved_shape(node.shape, shape, operation)
    if node.shape == shape:
        return node
    if [n for n in node.shape if n != 1] == [n for n in shape if n != 1]:
        return _with_ones(node, shape)
    check_whole(node, operation, "takes a whole array, but ")
    axes = _followed(node, shape)
    keeps_matrix = len(shape) > 1 < len(node.shape) and node.shape[-2:] == shape[-2:]
    diagonals = node.diagonals if keeps_matrix else None
    base = node.args[0] if node.op is _RESHAPE else node
    if base is not node:
        made = reshape(base, shape, operation)
        return replace(renamed(made, axes), diagonals=diagonals)
    if node.op.kind == "view" and node.args[0].op.kind in ("scalar", "constant"):
        return renamed(broadcast_to(node.args[0], shape), axes)
    if node.op.kind == "index":
        return _reshaped_index(node, shape, axes)
    return Node(_RESHAPE, (node,), (), None, shape, node.dtype, axes, None, diagonals)


def _with_ones(node: Node, shape: Shape) -> Node:
    """Return the view of a node in which axes of length 1 come and go."""
    maps: list[AxisMap] = []
    gone: list[tuple[int, int]] = []
    place = 0
    for length in shape:
        while place < len(node.shape) and node.shape[place] == 1 != length:
            gone.append((place, 0))
            place += 1
        if place < len(node.shape) and node.shape[place] == length:
            maps.append(AxisMap(place))
            place += 1
        else:
            maps.append(AxisMap(None))
    gone += [(axis, 0) for axis in range(place, len(node.shape))]
    letters = followed_letters(node.axes, [axis.source for axis in maps])
    return view(node, View(tuple(maps), tuple(gone)), shape, letters)


def _followed(node: Node, shape: Shape) -> str | None:
    """Return the letters of the axes: an axis that stays whole keeps its own."""
    sources: list[int | None] = [None] * len(shape)
    for before, after in axis_groups(node.shape, shape):
        old, new = _long(before, node.shape), _long(after, shape)
        if len(old) == len(new) == 1:
            sources[new[0]] = old[0]
    return followed_letters(node.axes, sources)


def _reshaped_index(node: Node, shape: Shape, axes: str | None) -> Node:
    """Return the reshape of an index node, which is not in memory, as arithmetic."""
    (along,) = node.params
    if 0 in shape:
        return index(0, shape, axes)
    before, after = next(pair for pair in axis_groups(node.shape, shape) if along in pair[0])
    parts = []
    for axis in _long(after, shape):
        inner = prod(shape[axis + 1 : after.stop])
        part = index(axis, shape, axes)
        parts.append(part if inner == 1 else elementwise("multiply", part, _number(inner)))
    if not parts:
        return renamed(broadcast_to(_number(0), shape), axes)
    found = reduce(lambda a, b: elementwise("add", a, b), parts)
    inner = prod(node.shape[along + 1 : before.stop])
    if inner > 1:
        found = elementwise("floor_divide", found, _number(inner))
    if prod(node.shape[before.start : along]) > 1:
        found = elementwise("remainder", found, _number(node.shape[along]))
    return found


def _number(value: int) -> Node:
    return scalar(value, _INT64)
