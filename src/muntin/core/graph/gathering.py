"""Gathering: reads of an array at integer coordinates that are computed.

The first argument of a `gather` node is a `gathered` node: the array with the axes of the result
first (stretched where the result does not follow an axis of the array), then those axes along which
indices choose. The other arguments are the indices, in the shape of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.core.graph.build import broadcast_to, cast, check_whole, elementwise, scalar
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.ops import op
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.errors import BoundsError, DTypeError

__all__ = ["Along", "box_gathered", "checks_indices", "gather", "gather_together"]

MANY_CHANNELS = 8  # make up a row that is long enough

_GATHER, _GATHERED = op("gather"), op("gathered")
_INT64 = DTYPES["int64"]


@dataclass(frozen=True, slots=True)
class Along:
    """Where the coordinate along an axis of the array comes from: an axis of the result."""

    axis: int


def gather(
    source: Node,
    coordinates: Sequence[Node | Along],
    shape: tuple[int, ...],
    axes: str | None = None,
    operation: str = "index",
    *,
    is_inside: bool = False,
) -> Node:
    """Return the elements of `source` at some coordinates.

    Parameters
    ----------
    source
        The array.
    coordinates
        For each of its axes the indices, which are stretched to `shape`, or the axis of the result
        that follows it. Indices below 0 count from the end.
    shape, axes
        Of the result.
    is_inside
        Whether all indices are known to be in bounds, counted from the front.

    Raises
    ------
    DTypeError
        If indices are not integers.
    BorderError
        If the array is only valid in part.
    BoundsError
        If an axis is empty along which an index chooses. Other indices that are out of bounds are
        found when the result is evaluated.
    """
    check_whole(source, operation, "takes a whole array, but ")
    chosen = [axis for axis, place in enumerate(coordinates) if isinstance(place, Node)]
    indices, safe = [], []
    for axis in chosen:
        index = coordinates[axis]
        assert isinstance(index, Node)
        if 0 not in shape and not source.shape[axis]:
            raise BoundsError(
                f"{operation}: an index is given for axis {axis} of shape {source.shape}, which is "
                "empty; there is nothing to choose"
            )
        if is_inside:
            indices.append(broadcast_to(index, shape, operation))
        else:
            indices.append(_wrapped(index, source.shape[axis], shape, operation))
        safe.append(is_inside or _is_safe(index, source.shape[axis]))
    return _gather(_held(source, coordinates, shape), indices, tuple(safe), shape, axes)


def gather_together(
    source: Node,
    coordinates: Sequence[Sequence[Node | Along]],
    shape: tuple[int, ...],
    axes: str | None,
    operation: str,
    *,
    is_close: bool,
) -> list[Node]:
    """Return the elements at some coordinates, and those at others, of one array.

    All indices are known to be in bounds, counted from the front. Where they are `close`, what
    differs in its last index alone lies at most one element apart along that axis.
    """
    check_whole(source, operation, "takes a whole array, but ")
    held = _held(source, coordinates[0], shape)
    found = []
    for each in coordinates:
        nodes = [place for place in each if isinstance(place, Node)]
        indices = [broadcast_to(node, shape, operation) for node in nodes]
        found.append(_gather(held, indices, (True,) * len(indices), shape, axes, is_close))
    return found


def _held(source: Node, coordinates: Sequence[Node | Along], shape: tuple[int, ...]) -> Node:
    maps = [AxisMap(None)] * len(shape)
    for axis, place in enumerate(coordinates):
        if isinstance(place, Along):
            maps[place.axis] = AxisMap(axis)
    chosen = tuple([k for k, place in enumerate(coordinates) if isinstance(place, Node)])
    sizes = tuple([source.shape[axis] for axis in chosen])
    follows = tuple([each.source is not None for each in maps])
    affine = View((*maps, *[AxisMap(axis) for axis in chosen]))
    return Node(_GATHERED, (source,), (chosen, follows), affine, (*shape, *sizes), source.dtype)


def _gather(
    held: Node,
    indices: Sequence[Node],
    safe: tuple[bool, ...],
    shape: tuple[int, ...],
    axes: str | None,
    is_close: bool = False,
) -> Node:
    valid: Box | None = None
    for index in indices:
        if index.valid is not None:
            valid = index.valid if valid is None else valid.intersect(index.valid)
    follows = held.params[1]
    channels = 1
    if axes and axes[-1] == "c" and follows[-2:] == (False, True):
        channels = shape[-1] if shape[-1] <= MANY_CHANNELS else 1
    params = (safe, any(follows), is_close, channels)
    return Node(_GATHER, (held, *indices), params, None, shape, held.dtype, axes, valid)


def _wrapped(index: Node, size: int, shape: tuple[int, ...], operation: str) -> Node:
    """Return indices from the front, in the shape of the result."""
    if not index.dtype.is_integer:
        raise DTypeError(
            f"{operation}: indices are {index.dtype}; they must be integers; cast them with "
            '.astype("int64") first'
        )
    wide = cast(index, _INT64, saturate=True)
    if index.dtype.least < 0:
        length = scalar(size, _INT64)
        wide = elementwise(
            "where", elementwise("less", wide, 0), elementwise("add", wide, length), wide
        )
    return broadcast_to(wide, shape, operation)


def checks_indices(node: Node) -> bool:
    """Say whether a node chooses by indices that may be out of bounds."""
    return node.op.kind == "gather" and not all(node.params[0])


def _is_safe(index: Node, size: int) -> bool:
    """Say whether no number of the type of some indices is out of bounds."""
    return -size <= index.dtype.least and index.dtype.greatest < size


def box_gathered(node: Node, box: Box) -> Box:
    """Return the box of a gathered node that a box of its gather node may read."""
    sizes = node.args[0].shape[len(node.shape) :]
    return Box((*box.start, *[0 for _ in sizes]), (*box.stop, *sizes))
