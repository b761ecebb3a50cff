"""Constructors of reductions and scans: folds of runs of elements, and what combines the parts.

A fold gives the parts of an array, in which each chunk of a run has become one element along the
axis of the run. How the run lies in a kernel is its `mapping`:

- "across": the run is the last axis, and a kernel folds along its rows;
- "channels": the run is the last two axes, pixels of interleaved channels;
- "down": the run is the axis before the last, and a kernel folds its rows into one another;
- "row": the run is the last axis, and the fold of each row stands in all its columns.

The mapping depends on shapes and axes alone. Where the order of the elements changes a result, it
does not depend on the mapping, but for sums of squares about a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from muntin.core.graph.build import (
    broadcast_to,
    cast,
    check_whole,
    constant,
    elementwise,
    number,
    renamed,
    view,
)
from muntin.core.graph.folds import BEFORE, CHUNK, FOLDS, UNIT
from muntin.core.graph.letters import followed_letters
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.ops import op
from muntin.core.graph.order import topological
from muntin.core.graph.reshaping import reshape
from muntin.dtypes import DTYPES
from muntin.errors import ShapeError

__all__ = ["combine", "fold", "folds_of", "kept_dimensions", "reduced", "scanned"]

_FOLD, _COMBINE, _SCAN = op("fold"), op("combine"), op("scan")
_SHORT = 16  # elements of a row that is not worth a loop
_FEWEST_ROWS = 64  # that keep all threads busy
_POSITION, INT64 = DTYPES["int32"], DTYPES["int64"]


def fold(name: str, node: Node, mapping: str) -> Node:
    """Return the parts of `node` under a fold: the run's axis has an element for each chunk.

    In the mapping "row" the parts are combined.
    """
    if mapping == "row":
        return Node(_FOLD, (node,), (name, mapping), None, node.shape, node.dtype)
    rank = len(node.shape)
    run = rank - 1 if mapping == "across" else rank - 2
    shape = list(node.shape)
    if mapping == "channels":
        shape[-2:] = [shape[-2] * shape[-1], 1]
    shape[run] = -(-shape[run] // CHUNK)
    dtype = _POSITION if FOLDS[name].finds else node.dtype
    return Node(_FOLD, (node,), (name, mapping), None, tuple(shape), dtype)


def combine(name: str, parts: Sequence[Node], axes: Sequence[int], length: int) -> Node:
    """Return what the parts along some axes become, neighbours first, in C order.

    Parameters
    ----------
    name
        Of the fold; its own parts come last, after those of "max", "min" or "sum" that positions
        or deviations go by.
    length
        Of a run: chunks are counted from its start.
    """
    last = parts[-1]
    kept = [axis for axis in range(len(last.shape)) if axis not in axes]
    shape = tuple([last.shape[axis] for axis in kept])
    dtype = INT64 if FOLDS[name].finds else last.dtype
    return Node(_COMBINE, tuple(parts), (name, tuple(axes)), length, shape, dtype)


def reduced(name: str, node: Node, axes: Sequence[int], operation: str) -> Node:
    """Return the array without some axes, the elements along them folded into one.

    Halves are folded as float32, and what that gives is rounded.

    Raises
    ------
    BorderError
        If the array is only valid in part.
    ShapeError
        If there is nothing to fold, and no value stands for that.
    """
    check_whole(node, operation)
    if node.dtype.is_half:
        found = reduced(name, cast(node, node.dtype.computed), axes, operation)
        return found if FOLDS[name].finds else cast(found, node.dtype)
    kept = [axis for axis in range(len(node.shape)) if axis not in axes]
    shape = tuple([node.shape[axis] for axis in kept])
    if 0 in node.shape:
        return _of_nothing(name, node, axes, shape, operation)
    if not axes:
        return _of_one(name, node)
    mapping, run, around, arranged = _arranged(node, axes)
    if FOLDS[name].centred and mapping == "down":
        return _about_mean(node, axes, operation)
    parts = [fold(each, arranged, mapping) for each in folds_of(name)]
    along = (*around, len(arranged.shape) - (1 if mapping == "across" else 2))
    if mapping == "channels":
        along = (*along, len(arranged.shape) - 1)
    letters = followed_letters(node.axes, kept)
    if prod(parts[-1].shape[axis] for axis in along) == 1:
        found = _without(parts[-1], along)
    else:
        found = combine(name, parts, along, run)
    found = cast(found, INT64) if FOLDS[name].finds else found
    return renamed(found, letters)


def folds_of(name: str) -> tuple[str, ...]:
    """Return the folds whose parts are needed to combine those of `name`, which is the last."""
    if FOLDS[name].finds:
        return name.removeprefix("arg"), name
    return ("sum", name) if FOLDS[name].centred else (name,)


def _of_one(name: str, node: Node) -> Node:
    """Return the fold of every element by itself."""
    if FOLDS[name].finds:
        return broadcast_to(constant(0, INT64), node.shape)
    return elementwise("subtract", node, node) if FOLDS[name].centred else node


def _of_nothing(
    name: str, node: Node, axes: Sequence[int], shape: tuple[int, ...], operation: str
) -> Node:
    """Return what is left of an array without elements."""
    fold_row = FOLDS[name]
    is_choice = fold_row.least or fold_row.greatest
    if is_choice and any(node.shape[axis] == 0 for axis in axes):
        raise ShapeError(
            f"{operation}: an array of shape {node.shape} has no elements, and no value stands for "
            "none; give at least one along each axis that is reduced"
        )
    nothing = constant(int(name == "prod"), INT64 if fold_row.finds else node.dtype)
    return broadcast_to(nothing, shape)


def _about_mean(node: Node, axes: Sequence[int], operation: str) -> Node:
    """Return the sums of squares about the mean, which is found first."""
    total = reduced("sum", node, axes, operation)
    mean = elementwise("divide", total, number("divide", prod(node.shape[axis] for axis in axes)))
    apart = elementwise("subtract", node, kept_dimensions(cast(mean, node.dtype), axes))
    return reduced("sum", elementwise("multiply", apart, apart), axes, operation)


def kept_dimensions(node: Node, axes: Sequence[int], letters: str | None = None) -> Node:
    """Return the view with axes of length 1 where a reduction took them away."""
    sources = iter(range(len(node.shape)))
    places = range(len(node.shape) + len(axes))
    maps = [AxisMap(None) if place in axes else AxisMap(next(sources)) for place in places]
    shape = [1 if axis.source is None else node.shape[axis.source] for axis in maps]
    return view(node, View(tuple(maps)), tuple(shape), letters)


def _without(parts: Node, axes: Sequence[int]) -> Node:
    """Return the view without some axes of length 1."""
    kept = [axis for axis in range(len(parts.shape)) if axis not in axes]
    affine = View(tuple([AxisMap(axis) for axis in kept]), tuple([(axis, 0) for axis in axes]))
    return view(parts, affine, tuple([parts.shape[axis] for axis in kept]))


def scanned(name: str, node: Node, axis: int, operation: str) -> Node:
    """Return the array in which each element is the fold of all up to it along an axis.

    Along the last axis chunks begin with the fold of the chunks before them, where that makes a
    difference or a single row is to be shared by threads: it is found in the same loop if there are
    rows enough for all threads, in a kernel of its own otherwise. In a chunk, blocks of lanes are
    scanned by steps of 1, 2, 4, … lanes, and what is left after the last block element by element.
    Along other axes elements follow one another. Halves are scanned as float32, and each result
    rounded.

    Raises
    ------
    BorderError
        If the array is only valid in part.
    """
    check_whole(node, operation)
    if node.dtype.is_half:
        return cast(scanned(name, cast(node, node.dtype.computed), axis, operation), node.dtype)
    rank = len(node.shape)
    if 0 in node.shape:
        return node
    if axis < rank - 2:
        order = [*(place for place in range(rank) if place != axis)]
        order.insert(rank - 2, axis)
        back = [order.index(place) for place in range(rank)]
        turned = scanned(name, _permuted(node, order), rank - 2, operation)
        return renamed(_permuted(turned, back), node.axes)
    args: tuple[Node, ...] = (node,)
    mapping = "across" if axis == rank - 1 else "down"
    is_cut = FOLDS[name].is_ordered(node.dtype) or rank == 1
    if mapping == "across" and is_cut and node.shape[-1] > CHUNK:
        if prod(node.shape[:-1]) >= _FEWEST_ROWS:
            mapping = "chunks"
        else:
            parts = fold(name, node, "across")
            started = (BEFORE + name, (rank - 1,))
            args = (node, Node(_COMBINE, (parts,), started, None, parts.shape, parts.dtype))
    return Node(_SCAN, args, (name, mapping), None, node.shape, node.dtype, node.axes)


# --- mappings -------------------------------------------------------------------------------------


def _arranged(node: Node, axes: Sequence[int]) -> tuple[str, int, tuple[int, ...], Node]:
    """Return the mapping of a reduction, the length of its runs, and what is folded.

    The run is the shortest one of trailing axes, of those that are reduced, with so many elements;
    the other axes that are reduced come between the mapping and the node.
    """
    rank, shape = len(node.shape), node.shape
    around = sorted(axes)
    run: list[int] = []
    while around and (not run or prod(shape[axis] for axis in run) < UNIT):
        run.insert(0, around.pop())
    length = prod(shape[axis] for axis in run)
    is_free = not _reads_neighbours(node)
    if run == [rank - 1]:
        if is_free and length < _SHORT <= prod(shape) // length and rank > 1 and not around:
            order = (*range(rank - 2), rank - 1, rank - 2)
            return "down", length, (), _permuted(node, order)
        return "across", length, tuple(around), node
    if run == [rank - 2] and not (is_free and shape[-1] < _SHORT <= length):
        return "down", length, tuple(around), node
    by_pixels = node.plane[1] == rank - 2 and not _reads_across(node)
    if run == [rank - 2, rank - 1] and not is_free and by_pixels:
        return "channels", length, tuple(around), node
    others = [axis for axis in range(rank) if axis not in run]
    turned = _permuted(node, (*others, *run))
    places = tuple([others.index(axis) for axis in around])
    if len(run) == 1:
        return "across", length, places, turned
    joined = reshape(turned, (*[shape[axis] for axis in others], length))
    return "across", length, places, joined


def _permuted(node: Node, order: Sequence[int]) -> Node:
    if tuple(order) == tuple(range(len(order))):
        return node
    shape = tuple([node.shape[axis] for axis in order])
    affine = View(tuple([AxisMap(axis) for axis in order]))
    return view(node, affine, shape, followed_letters(node.axes, order))


def _reads_neighbours(node: Node) -> bool:
    """Say whether a kernel that computes the node has rows and columns of its own."""
    return any(each.reads_at for each in topological([node]))


def _reads_across(node: Node) -> bool:
    """Say whether neighbours along the last axis are read."""
    return any(at and at[-1] for each in topological([node]) for at in each.reads_at)
