"""The function that computes a row of some values, or two: a loop over contiguous memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muntin.core.graph.node import Node
from muntin.core.plan.kernel import Domain
from muntin.core.plan.stages import Group
from muntin.core.program import (
    INDEX,
    POINTER,
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
from muntin.errors import InternalError

__all__ = ["RowLoop", "row_loop"]

LIGHT_WORK = 5.0  # additions an element that are hidden behind its way to memory


@dataclass(frozen=True, slots=True, eq=False)
class RowLoop:
    """A row loop's function, and what its parameters stand for, in their order.

    The parameters are: the number of elements; the pointers of `reads` (stage, row offset); those
    of the targets, all of the first row and then all of the next; the scalars; and, if an index is
    computed, the first column, the row and the outer positions.
    """

    function: Function
    reads: tuple[tuple[int, int], ...]
    scalars: tuple[int, ...]
    has_index: bool


def row_loop(name: str, group: Group, domain: Domain) -> RowLoop:
    """Return the function that computes the rows of the targets of `group`."""
    lines = range(group.rows)
    reads = sorted(
        {(read.stage, read.rows + line) for read in group.reads.values() for line in lines}
    )
    pointers = {key: Var(POINTER, f"row{k}") for k, key in enumerate(reads)}
    targets = [Var(POINTER, f"target{k}") for k in range(len(group.targets) * group.rows)]
    numbers = sorted({n.payload for n in group.order if n.op.kind == "scalar"})
    scalars = {
        n.payload: Var(n.dtype, f"scalar{n.payload}") for n in group.order if n.op.kind == "scalar"
    }
    has_index = any(node.op.kind == "index" for node in group.order)
    count = Var(INDEX, "count")
    first, row = Var(INDEX, "first"), Var(INDEX, "row")
    outer = [Var(INDEX, f"outer{k}") for k in range(len(domain.outer_axes))]
    b = Builder()
    with b.loop("x", index(0), count, independent=True) as x:
        results: list[Expr] = []
        loads: dict[tuple[int, int, int], Expr] = {}
        for line in lines:
            places = _places(domain, x, first, row + line, outer) if has_index else {}
            values = _values(b, group, line, domain, x, pointers, loads, scalars, places)
            results += [values[node] for node, _ in group.targets]
        for target, result in zip(targets, results, strict=True):
            b.store(target, x, result)
    parameters = [Parameter(count)]
    parameters += [Parameter(pointers[key], unaliased=True) for key in reads]
    parameters += [Parameter(target, unaliased=True, written=True) for target in targets]
    parameters += [Parameter(scalars[number]) for number in numbers]
    if has_index:
        parameters += [Parameter(var) for var in (first, row, *outer)]
    work = sum(node.op.cost for node in group.order if node.op.is_elementwise)
    function = b.function(name, parameters, light=domain.pointwise and work <= LIGHT_WORK)
    return RowLoop(function, tuple(reads), tuple(numbers), has_index)


def _places(
    domain: Domain, x: Expr, first: Expr, row: Expr, outer: Sequence[Expr]
) -> dict[int | None, Expr]:
    places: dict[int | None, Expr] = dict(zip(domain.outer_axes, outer, strict=True))
    places[domain.row_axis] = row
    channels = domain.channels
    places[domain.column_axis] = first + (x if channels == 1 else x // index(channels))
    if domain.channel_axis is not None:
        places[domain.channel_axis] = x - (x // index(channels)) * channels
    return places


def _values(
    b: Builder,
    group: Group,
    line: int,
    domain: Domain,
    x: Expr,
    pointers: Mapping[tuple[int, int], Var],
    loads: dict[tuple[int, int, int], Expr],
    scalars: Mapping[int, Var],
    places: Mapping[int | None, Expr],
) -> dict[Node, Expr]:
    """Return the value of each node in row `line` of those that the loop makes."""
    values: dict[Node, Expr] = {}
    for node in group.order:
        read = group.reads.get(node)
        if read is not None:
            rows = read.rows + line
            key = (read.stage, rows, read.columns)
            if key not in loads:
                place = x + read.columns * domain.channels
                loads[key] = b.let(Load(node.dtype, pointers[read.stage, rows], place), "load")
            values[node] = loads[key]
        elif node.op.kind == "constant":
            values[node] = Const(node.dtype, node.payload)
        elif node.op.kind == "scalar":
            values[node] = scalars[node.payload]
        elif node.op.kind == "index":
            values[node] = b.let(places[node.params[0]], "index")
        elif node.op.name == "cast":
            arg = values[node.args[0]]
            values[node] = b.let(Convert(node.dtype, arg, bool(node.params)), "cast")
        elif node.op.is_elementwise:
            args = tuple([values[arg] for arg in node.args])
            values[node] = b.let(Apply(node.dtype, node.op, args), "value")
        else:
            raise InternalError(
                f"row_loop: a {node.op.kind} node is left in the work of a row; "
                "the plan should have given it a stage"
            )
    return values
