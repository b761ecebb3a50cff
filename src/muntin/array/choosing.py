"""Indices that are arrays of integers or truth values, by NumPy's rules."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_index
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.array.indexing import indexed
from muntin.array.operators import Operators, node_of
from muntin.core.graph.gathering import Along, gather
from muntin.core.graph.letters import agreed_letters, followed_letters
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import broadcast_shapes
from muntin.errors import BoundsError

__all__ = ["chosen", "has_arrays"]

Item: TypeAlias = Node | slice | int | None


def has_arrays(index: object) -> bool:
    """Say whether an array, or a list, is among the items of an index."""
    return any(map(_is_array, index if isinstance(index, tuple) else (index,)))


def _is_array(item: object) -> bool:
    if isinstance(item, Operators):
        return bool(item._node.shape)
    return isinstance(item, list) or (isinstance(item, np.ndarray) and item.ndim > 0)


def chosen(node: Node, index: object) -> Node:
    """Return the elements that an index with arrays chooses.

    Raises
    ------
    BoundsError
        If there are too many indices, or a mask has another shape than what it masks.
    DTypeError
        If an array holds neither integers nor truth values.
    ShapeError
        If the arrays do not broadcast.
    """
    items = _items(node, index)
    arrays = [place for place, item in enumerate(items) if isinstance(item, Node | int)]
    nodes = [item for item in items if isinstance(item, Node)]
    common = broadcast_shapes(*[each.shape for each in nodes], operation="index").shape
    # Numbers and slices first: they make a view, along whose axes the arrays choose.
    seen = indexed(node, tuple([slice(None) if isinstance(each, Node) else each for each in items]))
    kept = [item for item in items if not isinstance(item, int)]
    together = arrays[-1] - arrays[0] + 1 == len(arrays)
    before = sum(not isinstance(item, Node | int) for item in items[: arrays[0]]) if together else 0
    axes = [axis for axis, item in enumerate(kept) if not isinstance(item, Node)]
    after = len(axes) - before
    lengths = [seen.shape[axis] for axis in axes]
    shape = (*lengths[:before], *common, *lengths[before:])
    places = [*range(before), *range(before + len(common), len(shape))]
    followed = dict(zip(axes, map(Along, places), strict=True))
    coordinates = [
        reshape(item, (*item.shape, *[1] * after)) if isinstance(item, Node) else followed[axis]
        for axis, item in enumerate(kept)
    ]
    letters = _letters(seen, kept, axes, before, len(common))
    return gather(seen, coordinates, shape, letters)


def _letters(
    seen: Node, kept: Sequence[Item], axes: Sequence[int], before: int, count: int
) -> str | None:
    arrays = [item for item in kept if isinstance(item, Node)]
    if not axes:
        return agreed_letters("index", [each.axes for each in arrays if len(each.shape) == count])
    line = [axis for axis, item in enumerate(kept) if isinstance(item, Node)]
    middle: list[int | None] = [None] * count
    if len(line) == count == 1:
        middle = [line[0]]
    return followed_letters(seen.axes, [*axes[:before], *middle, *axes[before:]])


def _items(node: Node, index: object) -> list[Item]:
    """Return an item for each axis, and None for new ones: a mask becomes where it is true."""
    given = list(index) if isinstance(index, tuple) else [index]
    given = [_array(item) if _is_array(item) else item for item in given]
    if not any(item is Ellipsis for item in given):
        given.append(Ellipsis)
    rest = max(len(node.shape) - sum(map(_axes_of, given)), 0)
    items: list[Item] = []
    axis = 0
    for item in given:
        if item is Ellipsis:
            items += [slice(None)] * rest
            axis += rest
        elif isinstance(item, np.ndarray):
            items += _true_places(item, axis, node.shape)
        elif isinstance(item, Node | slice) or item is None:
            items.append(item)
        else:
            items.append(_number(node, item))
        axis += _axes_of(item)
    return items


def _array(item: Any) -> Node | npt.NDArray[Any]:
    """Return an index as a node, a mask with its elements."""
    if isinstance(item, list):
        item = np.asarray(item)
        item = item if item.size else item.astype(np.int64)
    node = node_of("index", item)
    return np.asarray(item) if node.dtype.is_bool else node


def _axes_of(item: object) -> int:
    if isinstance(item, np.ndarray):
        return item.ndim
    return 0 if item is None or item is Ellipsis else 1


def _number(node: Node, item: Any) -> int:
    if not isinstance(item, bool | np.bool_) and hasattr(item, "__index__"):
        return as_index(item)
    raise BoundsError(
        f"index: {type(item).__name__} stands beside arrays; only integers, slices, an ellipsis "
        "(...), None (newaxis) and arrays of integers or truth values may"
    )


def _true_places(mask: npt.NDArray[Any], axis: int, shape: tuple[int, ...]) -> list[Item]:
    """Return the indices at which a mask is true, an array for each of its axes."""
    covered = shape[axis : axis + mask.ndim]
    if mask.shape != covered:
        raise BoundsError(
            f"index: a mask of shape {mask.shape} is given from axis {axis} of an array of shape "
            f"{shape} on; it must have the shape {covered} of what it masks"
        )
    return [node_of("index", places) for places in np.nonzero(mask)]
