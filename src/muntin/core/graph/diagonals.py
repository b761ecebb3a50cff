"""Extreme diagonals: outside them every element of a matrix, the last two axes, is zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from muntin.core.graph.node import Diagonals, Node, View

__all__ = ["PARTS", "combined", "entire", "extremes", "part_of", "viewed"]

PARTS = ("entire", "lower", "upper", "diagonal")

Shape: TypeAlias = tuple[int, ...]


def entire(shape: Shape) -> Diagonals:
    """Return the extreme diagonals of a matrix: element (i, j) is on diagonal j - i."""
    return (-max(shape[-2] - 1, 0), max(shape[-1] - 1, 0))


def extremes(part: str, shape: Shape) -> Diagonals:
    """Return the extreme diagonals of a part of a matrix."""
    bottom, top = entire(shape)
    return (
        0 if part in ("upper", "diagonal") else bottom,
        0 if part in ("lower", "diagonal") else top,
    )


def part_of(diagonals: Diagonals, shape: Shape) -> str:
    """Return the name of the smallest part that holds the diagonals."""
    if diagonals == entire(shape):
        return "entire"
    bottom, top = diagonals
    if bottom >= 0 >= top:
        return "diagonal"
    if top <= 0:
        return "lower"
    return "upper" if bottom >= 0 else "entire"


def combined(rule: str, args: Sequence[Node], shape: Shape) -> Diagonals | None:
    """Return the diagonals of an elementwise result by the rule of its row; None for all."""
    if rule == "argument":
        return args[0].diagonals
    known = [arg.diagonals for arg in args if arg.diagonals is not None]
    if rule == "intersection":
        return _settled(max(low for low, _ in known), min(high for _, high in known), shape)
    if rule == "union" and len(known) == len(args):
        return _settled(min(low for low, _ in known), max(high for _, high in known), shape)
    return None


def viewed(diagonals: Diagonals, affine: View, shape: Shape, base: Shape) -> Diagonals | None:
    """Return the diagonals of a view of a matrix: of a slice of it, or of one transposed."""
    if len(shape) < 2:
        return None
    rows, columns = affine.axes[-2:]
    if rows.step != 1 or columns.step != 1 or rows.source is None or columns.source is None:
        return None
    last = len(base) - 1
    bottom, top = diagonals
    shift = rows.start - columns.start
    if (rows.source, columns.source) == (last - 1, last):
        return _settled(bottom + shift, top + shift, shape)
    if (rows.source, columns.source) == (last, last - 1):
        return _settled(shift - top, shift - bottom, shape)
    return None


def _settled(bottom: int, top: int, shape: Shape) -> Diagonals | None:
    least, most = entire(shape)
    found = (max(bottom, least), min(top, most))
    return None if found == (least, most) else found
