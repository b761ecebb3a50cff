"""Scans in the march down the rows: along a row by vectors, or a row after the one above."""

from __future__ import annotations

from dataclasses import dataclass, replace

from muntin.core.graph.folds import FOLDS, LANES
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.graph.reductions import fold
from muntin.core.lower.folding import Folding, folding
from muntin.core.lower.row_loop import Columns, RowLoop
from muntin.core.plan.kernel import Domain
from muntin.core.plan.stages import Group
from muntin.core.program import (
    INDEX,
    POINTER,
    Apply,
    Builder,
    Const,
    Expr,
    Function,
    Load,
    Parameter,
    Var,
    index,
)

__all__ = ["Scanning", "identity", "joined", "scanning"]

_LAST = (LANES - 1,) * LANES  # the last lane, for all


@dataclass(frozen=True, slots=True, eq=False)
class Scanning:
    """The functions of a group of scans.

    `take` writes a row or a chunk of one, and keeps for each scan what the next begins with: the
    same number in so many lanes, or a row of numbers. `starts` (count, kept) clear such rows. Scans
    that are carried on read where chunks begin from the `carried` operands, one each, or add up
    what `chunks` folds.
    """

    take: RowLoop
    starts: tuple[Function, ...] = ()
    carried: tuple[int, ...] = ()
    chunks: Folding | None = None

    @property
    def functions(self) -> tuple[Function, ...]:
        of_chunks = self.chunks.functions if self.chunks is not None else ()
        return self.take.function, *self.starts, *of_chunks


def scanning(name: str, group: Group, domain: Domain) -> Scanning:
    """Return the functions of a group of scans."""
    scans = [node for node, _ in group.targets]
    if group.mapping == "down":
        starts = tuple([_start(f"{name}_start{k}", scan) for k, scan in enumerate(scans)])
        return Scanning(_rows(name, group, domain), starts)
    if group.mapping == "chunks":
        folds: list[tuple[Node, int | None]] = [
            (fold(scan.params[0], scan.args[0], "across"), None) for scan in scans
        ]
        chunks = folding(f"{name}_fold", replace(group, targets=folds), domain)
        return Scanning(_chunk(name, group, domain), chunks=chunks)
    carried = tuple([scan.args[1].payload for scan in scans if len(scan.args) > 1])
    return Scanning(_chunk(name, group, domain), carried=carried)


def joined(scan: Node, a: Expr, b: Expr) -> Expr:
    """Return what a scan goes on with after `a` and then `b`."""
    return Apply(scan.dtype, op(FOLDS[scan.params[0]].row), (a, b))


def identity(scan: Node) -> Const:
    """Return what a scan begins with."""
    return Const(scan.dtype, FOLDS[scan.params[0]].identity(scan.dtype))


def _chunk(name: str, group: Group, domain: Domain) -> RowLoop:
    """Return the function that scans a chunk of a row: after its targets, what it keeps."""
    columns = Columns.of(group, domain)
    b, scans = columns.builder, [node for node, _ in group.targets]
    kept = [Var(POINTER, f"kept{k}") for k in range(len(scans))]
    starts = [Var(POINTER, f"start{k}") for k in range(len(scans))]
    is_carried = group.mapping == "chunks" or len(scans[0].args) > 1
    for scan, memory, start in zip(scans, kept, starts, strict=True):
        first = b.let(Load(scan.dtype, start, index(0)), "start") if is_carried else identity(scan)
        _start_lanes(b, scan, memory, first)
    for begin, stop, lanes in _spans(columns):
        with b.loop("x", begin, stop, lanes=lanes) as x:
            if lanes > 1:
                columns.ask_ahead(x, lanes)
                columns.ask_to_write(x, lanes)
            values = columns.values(x, 0, group.work, {}, None)
            for scan, target, memory in zip(scans, columns.targets, kept, strict=True):
                b.store(target, x, _next(b, scan, values[scan.args[0]], memory, x, lanes))
    read = starts if is_carried else []
    return columns.row_loop(name, [*columns.targets, *kept], read=read)


def _start_lanes(b: Builder, scan: Node, memory: Expr, first: Expr) -> None:
    """Let a scan along a row go on from a number, which is kept in so many lanes."""
    with b.loop("lane", index(0), index(LANES), independent=True) as lane:
        b.store(memory, lane, first)


def _spans(columns: Columns) -> list[tuple[Expr, Expr, int]]:
    """Return the parts of a row, and how many elements are taken at once."""
    whole = columns.builder.let(columns.count & index(-LANES), "whole")
    return [(index(0), whole, LANES), (whole, columns.count, 1)]


def _next(b: Builder, scan: Node, value: Expr, memory: Expr, x: Expr, lanes: int) -> Expr:
    """Return the next elements of a scan along a row, and keep what it goes on from."""
    place = x & index(LANES - 1) if lanes > 1 else index(0)
    block = _prefixes(b, scan, value) if lanes > 1 else value
    done = b.let(joined(scan, Load(scan.dtype, memory, place), block), "done")
    b.store(memory, place, b.shuffle(done, identity(scan), _LAST) if lanes > 1 else done)
    return done


def _prefixes(b: Builder, scan: Node, value: Expr) -> Expr:
    """Return in each lane what all lanes up to it give, by steps of 1, 2, 4, … lanes."""
    step = 1
    while step < LANES:
        places = tuple([max(lane - step, -1) for lane in range(LANES)])
        before = b.shuffle(b.let(value, "prefix"), identity(scan), places)
        value = joined(scan, before, value)
        step *= 2
    return b.let(value, "prefix")


def _rows(name: str, group: Group, domain: Domain) -> RowLoop:
    """Return the function that scans a row: after its targets, the row of what was before.

    Scans along the row that are taken in are found in the same loop; what they go on from comes
    last.
    """
    columns = Columns.of(group, domain)
    b, scans, within = columns.builder, [node for node, _ in group.targets], group.scans_within
    kept = [Var(POINTER, f"kept{k}") for k in range(len(scans))]
    memory = [Var(POINTER, f"before{k}") for k in range(len(within))]
    for scan, before in zip(within, memory, strict=True):
        _start_lanes(b, scan, before, identity(scan))
    for first, stop, lanes in _spans(columns) if within else [(index(0), columns.count, 1)]:
        with b.loop("x", first, stop, independent=not within, lanes=lanes) as x:
            if lanes > 1:
                columns.ask_ahead(x, lanes)
                columns.ask_to_write(x, lanes)
            values = columns.values(x, 0, group.work, {}, None)
            for scan, before in zip(within, memory, strict=True):
                values[scan] = _next(b, scan, values[scan.args[0]], before, x, lanes)
            for scan, target, row in zip(scans, columns.targets, kept, strict=True):
                done = b.let(joined(scan, Load(scan.dtype, row, x), values[scan.args[0]]), "done")
                b.store(row, x, done)
                b.store(target, x, done)
    return columns.row_loop(name, [*columns.targets, *kept, *memory])


def _start(name: str, scan: Node) -> Function:
    b, count, row = Builder(), Var(INDEX, "count"), Var(POINTER, "row")
    with b.loop("x", index(0), count, independent=True) as x:
        b.store(row, x, identity(scan))
    return b.function(name, (Parameter(count), Parameter(row, unaliased=True, written=True)))
