"""Steps that join the elements of a run: reductions and scans."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.core.graph import build
from muntin.core.graph.folds import FOLDS
from muntin.core.graph.node import AxisMap, View
from muntin.core.graph.reductions import (
    combine,
    fold,
    folds_of,
    kept_dimensions,
    reduced,
    scanned,
)
from muntin.dtypes import DTYPES
from tests.core.graph.choices import Choices
from tests.core.graph.steps.made import Made

REDUCTIONS = tuple(sorted(FOLDS))
SCANS = ("sum", "prod", "min", "max")


@dataclass(frozen=True)
class Fold:
    """A reduction of the axes whose bits are set, which may stay with length 1."""

    pick: int
    name: str
    axes: int
    keep: bool

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Fold:
        name, bits = choices.one_of(REDUCTIONS), choices.integer(0, 15)
        return cls(choices.integer(0, 3), name, bits, choices.one_of((False, True)))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        axes = [axis for axis in range(len(node.shape)) if self.axes >> axis & 1]
        if node.valid is not None or (0 in node.shape and self.name not in ("sum", "prod")):
            return
        if FOLDS[self.name].centred and not node.dtype.is_float:
            node = build.cast(node, DTYPES["float32"])
        found = reduced(self.name, node, axes, "fold")
        made.add(kept_dimensions(found, axes, node.axes) if self.keep else found)


@dataclass(frozen=True)
class Combine:
    """A reduction of the last axis and some others, whose rows are too short to be parts usually.

    Where it is that of positions or squares, their parts go by others.
    """

    pick: int
    name: str
    axes: int

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Combine:
        return cls(choices.integer(0, 3), choices.one_of(REDUCTIONS), choices.integer(1, 7))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        rank = len(node.shape)
        around = [axis for axis in range(rank - 1) if self.axes >> axis & 1]
        if not around or node.valid is not None or 0 in node.shape:
            return
        if FOLDS[self.name].centred and not node.dtype.is_float:
            node = build.cast(node, DTYPES["float32"])
        node = build.cast(node, node.dtype.computed)
        parts = [fold(each, node, "across") for each in folds_of(self.name)]
        made.add(combine(self.name, parts, (*around, rank - 1), node.shape[-1]))


@dataclass(frozen=True)
class RowFold:
    """Rows, and others as `other` says, beside what each row folds to or beside work on that."""

    pick: int
    name: str
    other: int
    works: bool

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> RowFold:
        pick, name = choices.integer(0, 3), choices.one_of((*SCANS, "deviation"))
        return cls(pick, name, choices.integer(0, 3), choices.one_of((False, True)))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if len(node.shape) < 2 or node.valid is not None or 0 in node.shape:
            return
        if FOLDS[self.name].centred and not node.dtype.is_float:
            node = build.cast(node, DTYPES["float32"])
        node = build.cast(node, node.dtype.computed)
        last = len(node.shape) - 1
        parts = fold(self.name, node, "across")
        rows = View(tuple([AxisMap(axis) for axis in range(last)]), ((last, 0),))
        found = build.view(parts, rows, node.shape[:-1])
        if self.works:
            found = build.elementwise("maximum", found, found)
            found = build.elementwise("equal", found, found)
        shown = build.broadcast_to(kept_dimensions(found, (last,)), node.shape)
        beside = build.cast(made.pick_beside(self.other, [node]), shown.dtype)
        made.add(build.elementwise("minimum", shown, build.cast(node, shown.dtype)))
        made.add(build.elementwise("maximum", beside, shown))


@dataclass(frozen=True)
class Scan:
    """A scan along an axis."""

    pick: int
    name: str
    axis: int

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Scan:
        return cls(choices.integer(0, 3), choices.one_of(SCANS), choices.integer(0, 3))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        if node.shape and node.valid is None:
            made.add(scanned(self.name, node, self.axis % len(node.shape), "scan"))
