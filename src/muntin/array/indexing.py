"""Basic indices and transposition as views of nodes; the letters of axes follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from muntin.core.graph.build import view
from muntin.core.graph.letters import followed_letters
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.shapes import normalize_axes, resolve_index
from muntin.errors import ShapeError

__all__ = ["indexed", "squeezed", "transposed"]


def indexed(node: Node, index: object) -> Node:
    """Return the view that a basic index (integers, slices, ellipsis, None) takes."""
    resolved = resolve_index(index, node.shape)
    axes = tuple([AxisMap(axis.source, axis.start, axis.step) for axis in resolved.axes])
    return view(
        node,
        View(axes, resolved.dropped),
        resolved.shape,
        followed_letters(node.axes, [axis.source for axis in resolved.axes]),
    )


def transposed(node: Node, axes: Sequence[SupportsIndex] | None, operation: str) -> Node:
    """Return the view with its axes permuted, reversed if none are given.

    Raises
    ------
    ShapeError
        If not every axis is named once.
    """
    ndim = len(node.shape)
    order = tuple(reversed(range(ndim))) if axes is None else normalize_axes(axes, ndim, operation)
    if len(order) != ndim:
        raise ShapeError(
            f"{operation}: axes {order} of an array of {ndim} axes; name each axis once"
        )
    return view(
        node,
        View(tuple([AxisMap(axis) for axis in order])),
        tuple([node.shape[axis] for axis in order]),
        followed_letters(node.axes, order),
    )


def squeezed(node: Node, axes: SupportsIndex | Sequence[SupportsIndex]) -> Node:
    """Return the view without some axes of length 1.

    Raises
    ------
    ShapeError
        If one has another length.
    """
    gone = normalize_axes(axes, len(node.shape), "squeeze")
    for place in gone:
        if node.shape[place] != 1:
            raise ShapeError(
                f"squeeze: axis {place} of shape {node.shape} has length {node.shape[place]}; "
                "only axes of length 1 can go"
            )
    kept = [place for place in range(len(node.shape)) if place not in gone]
    affine = View(
        tuple([AxisMap(place) for place in kept]), tuple([(place, 0) for place in sorted(gone)])
    )
    shape = tuple([node.shape[place] for place in kept])
    return view(node, affine, shape, followed_letters(node.axes, kept))
