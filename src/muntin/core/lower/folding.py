"""Folds in the march down the rows: a chunk of a row into its lanes, or rows into one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from muntin.core.graph.folds import FOLDS, LANES
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.lower.lanes import POSITION, Lanes, lanes_of_fold
from muntin.core.lower.row_loop import Columns, RowLoop, stream_lanes
from muntin.core.plan.kernel import Domain
from muntin.core.plan.stages import Group
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Apply,
    Builder,
    Const,
    Convert,
    Expr,
    Function,
    Load,
    Parameter,
    Var,
    index,
)

__all__ = ["Folding", "combine_parts", "folding", "lanes_of"]


def lanes_of(group: Group) -> int:
    """Return the number of lanes of the folds of a group: one for all of them."""
    folds = [FOLDS[node.params[0]] for node, _ in group.targets]
    dtypes = [node.args[0].dtype for node, _ in group.targets]
    if any(fold.is_ordered(dtype) for fold, dtype in zip(folds, dtypes, strict=True)):
        return LANES
    if group.mapping == "down":
        return 1
    if any(fold.finds for fold in folds):
        return LANES
    kept = [lanes_of_fold(node).dtypes[0] for node, _ in group.targets]
    return max(fold.lanes(dtype) for fold, dtype in zip(folds, kept, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """The functions of a group of folds.

    `take` takes a row, or a chunk of one, into the lanes. For rows that are folded into one another
    `starts` (count, row_bytes, lanes) clear the lanes of each fold, which are rows, and `ends`
    (count, row_bytes, lanes, target) fold them into a row of parts; elsewhere `take` does it all.
    `lanes` says for each fold what is kept.
    """

    take: RowLoop
    count: int
    lanes: tuple[Lanes, ...]
    starts: tuple[Function, ...] = ()
    ends: tuple[Function, ...] = ()

    @property
    def functions(self) -> tuple[Function, ...]:
        return self.take.function, *self.starts, *self.ends


def folding(name: str, group: Group, domain: Domain) -> Folding:
    """Return the functions of a group of folds."""
    count = lanes_of(group)
    lanes = tuple([lanes_of_fold(node) for node, _ in group.targets])
    if group.mapping != "down":
        return Folding(_Chunk.of(group, domain, count).function(name), count, lanes)
    starts = tuple([_start(f"{name}_start{k}", held, count) for k, held in enumerate(lanes)])
    ends = tuple([_end(f"{name}_end{k}", held, count) for k, held in enumerate(lanes)])
    return Folding(_rows(name, group, domain), count, lanes, starts, ends)


def _apply(row: str, a: Expr, b: Expr) -> Expr:
    return Apply(a.dtype, op(row), (a, b))


def combine_parts(b: Builder, fold: Node, parts: Expr, count: Expr, most: int) -> None:
    """Combine `count` parts in place, neighbours first: the first becomes what they give.

    There is memory for `most` of them, a power of two; the identity stands for those that miss.
    """
    row = FOLDS[fold.params[0]]
    identity = Const(fold.dtype, row.identity(fold.dtype))
    with b.loop("part", count, index(most)) as part:
        b.store(parts, part, identity)
    left = most // 2
    while left:
        with b.loop("part", index(0), index(left)) as part:
            lower, upper = (Load(fold.dtype, parts, part * 2 + k) for k in (0, 1))
            b.store(parts, part, _apply(row.row, lower, upper))
        left //= 2


# --- along a row ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """The function that folds a chunk of a row; each fold has memory for its lanes."""

    columns: Columns
    folds: Sequence[Node]
    memory: Sequence[Sequence[Var]]
    count: int

    @classmethod
    def of(cls, group: Group, domain: Domain, count: int) -> _Chunk:
        folds = [node for node, _ in group.targets]
        memory = [
            [Var(POINTER, f"lanes{k}_{place}") for place in range(len(lanes_of_fold(fold).dtypes))]
            for k, fold in enumerate(folds)
        ]
        return cls(Columns.of(group, domain), folds, memory, count)

    def function(self, name: str) -> RowLoop:
        centred = [fold for fold in self.folds if FOLDS[fold.params[0]].centred]
        self.fold_all(self.folds, self.taken, half=0 if centred else None)
        if centred:
            b, elements = self.columns.builder, self.columns.count
            means = {
                fold: b.let(
                    _apply("divide", self.held(fold, index(0))[0], Convert(fold.dtype, elements)),
                    "mean",
                )
                for fold in centred
            }
            self.fold_all(
                centred, lambda fold, x, value: self.apart(fold, value, means[fold]), half=1
            )
        for fold, target in zip(self.folds, self.columns.targets, strict=True):
            result = lanes_of_fold(fold).result(self.held(fold, index(0)))
            self.columns.builder.store(target, index(0), result)
        lanes = [pointer for held in self.memory for pointer in held]
        return self.columns.row_loop(name, [*self.columns.targets, *lanes])

    def taken(self, fold: Node, x: Expr, value: Expr) -> tuple[Expr, Expr]:
        return value, Convert(POSITION, x & index(-self.count))

    def apart(self, fold: Node, value: Expr, mean: Expr) -> tuple[Expr, Expr]:
        difference = self.columns.builder.let(_apply("subtract", value, mean), "apart")
        return _apply("multiply", difference, difference), index(0)

    def fold_all(
        self,
        folds: Sequence[Node],
        element: Callable[[Node, Expr, Expr], tuple[Expr, Expr]],
        half: int | None,
    ) -> None:
        """Fold what `element` gives for each element: a value and its position.

        Where this is one of two passes, that `half` of the next chunk is asked for.
        """
        b, count = self.columns.builder, self.count
        for fold in folds:
            with b.loop("lane", index(0), index(count), independent=True) as lane:
                self.hold(fold, lane, lanes_of_fold(fold).start)
        whole = b.let(self.columns.count & index(-count), "whole")
        spans: list[tuple[Expr, Expr, int]]
        spans = [(index(0), whole, count), (whole, self.columns.count, 1)]
        for first, stop, at_once in spans:
            with b.loop("x", first, stop, lanes=at_once) as x:
                if at_once > 1:
                    self.columns.ask_ahead(x, at_once, half)
                values = self.columns.values(x, 0, self.columns.group.work, {}, None)
                for fold in folds:
                    place = x & index(count - 1)
                    value, position = element(fold, x, values[fold.args[0]])
                    held = self.held(fold, place)
                    self.hold(fold, place, lanes_of_fold(fold).taken(held, value, position))
        for fold in folds:
            self.join(fold)

    def join(self, fold: Node) -> None:
        """Fold the lanes into the first."""
        b, half = self.columns.builder, self.count // 2
        if FOLDS[fold.params[0]].finds:
            with b.loop("lane", index(0), index(self.count), independent=True) as lane:
                value, start = self.held(fold, lane)
                self.hold(fold, lane, (value, _apply("add", start, Convert(POSITION, lane))))
        while half:
            with b.loop("lane", index(0), index(half), independent=True) as lane:
                lower, upper = self.held(fold, lane), self.held(fold, lane + half)
                self.hold(fold, lane, lanes_of_fold(fold).joined(lower, upper))
            half //= 2

    def held(self, fold: Node, lane: Expr) -> list[Expr]:
        b, memory = self.columns.builder, self.memory[self.folds.index(fold)]
        return [
            b.let(Load(dtype, pointer, lane), "held")
            for pointer, dtype in zip(memory, lanes_of_fold(fold).dtypes, strict=True)
        ]

    def hold(self, fold: Node, lane: Expr, values: Sequence[Expr]) -> None:
        b = self.columns.builder
        named = [b.let(value, "taken") for value in values]
        for pointer, value in zip(self.memory[self.folds.index(fold)], named, strict=True):
            b.store(pointer, lane, value)


# --- down the rows --------------------------------------------------------------------------------


def _rows(name: str, group: Group, domain: Domain) -> RowLoop:
    """Return the function that takes a row into one lane of each fold: rows too.

    The last parameter is the number of the row within its chunk.
    """
    columns = Columns.of(group, domain)
    b, position = columns.builder, Var(INDEX, "position")
    memory = [
        [Var(POINTER, f"lane{k}_{place}") for place in range(len(lanes_of_fold(fold).dtypes))]
        for k, (fold, _) in enumerate(group.targets)
    ]
    place = b.let(Convert(POSITION, position), "place")
    wide = stream_lanes(group)
    whole = b.let(columns.count & index(-wide), "whole")
    for first, stop, at_once in ((index(0), whole, wide), (whole, columns.count, 1)):
        with b.loop("x", first, stop, independent=True, lanes=at_once) as x:
            if at_once > 1:
                columns.ask_ahead(x, at_once)
            values = columns.values(x, 0, group.work, {}, None)
            for (fold, _), rows in zip(group.targets, memory, strict=True):
                lanes = lanes_of_fold(fold)
                held = [
                    b.let(Load(dtype, row, x), "held")
                    for row, dtype in zip(rows, lanes.dtypes, strict=True)
                ]
                taken = [b.let(each) for each in lanes.taken(held, values[fold.args[0]], place)]
                for row, value in zip(rows, taken, strict=True):
                    b.store(row, x, value)
    written = [row for rows in memory for row in rows]
    return columns.row_loop(name, written, last=(position,))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The parameters of a function over the rows in which a fold keeps its lanes."""

    lanes: Lanes
    count: Var
    row_bytes: tuple[Var, ...]
    memory: tuple[Var, ...]

    @classmethod
    def of(cls, lanes: Lanes) -> _Rows:
        places = range(len(lanes.dtypes))
        return cls(
            lanes,
            Var(INDEX, "count"),
            tuple([Var(INDEX, f"row_bytes{place}") for place in places]),
            tuple([Var(POINTER, f"lanes{place}") for place in places]),
        )

    def row(self, b: Builder, lane: Expr | int) -> list[Expr]:
        """Return where the rows of a lane begin."""
        return [
            b.let(Advance(POINTER, first, nbytes * lane), "row")
            for first, nbytes in zip(self.memory, self.row_bytes, strict=True)
        ]

    def parameters(self, *, written: bool) -> list[Parameter]:
        memory = [Parameter(var, unaliased=True, written=written) for var in self.memory]
        return [Parameter(self.count), *map(Parameter, self.row_bytes), *memory]


def _start(name: str, lanes: Lanes, count: int) -> Function:
    b, rows = Builder(), _Rows.of(lanes)
    with b.loop("lane", index(0), index(count)) as lane:
        places = rows.row(b, lane)
        with b.loop("x", index(0), rows.count, independent=True) as x:
            for place, value in zip(places, lanes.start, strict=True):
                b.store(place, x, value)
    return b.function(name, rows.parameters(written=True))


def _end(name: str, lanes: Lanes, count: int) -> Function:
    b, rows, target = Builder(), _Rows.of(lanes), Var(POINTER, "target")
    places = [rows.row(b, lane) for lane in range(count)]
    with b.loop("x", index(0), rows.count, independent=True) as x:
        taken = [
            [b.let(Load(dtype, row, x)) for row, dtype in zip(place, lanes.dtypes, strict=True)]
            for place in places
        ]
        while len(taken) > 1:
            half = len(taken) // 2
            pairs = zip(taken[:half], taken[half:], strict=True)
            taken = [[b.let(each) for each in lanes.joined(low, high)] for low, high in pairs]
        b.store(target, x, lanes.result(taken[0]))
    ends = Parameter(target, unaliased=True, written=True)
    return b.function(name, [*rows.parameters(written=False), ends])
