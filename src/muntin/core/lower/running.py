"""Window sums down the rows: each from the one above, by what enters and what leaves."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.core.graph.ops import op
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
from muntin.dtypes import DType

__all__ = ["RunningSum", "running_sum"]


@dataclass(frozen=True, slots=True, eq=False)
class RunningSum:
    """The functions of a window sum.

    `start` (count, target) clears a row, `add` (count, row, target) adds one to it, and `move`
    (count, entering, leaving, above, target) makes a row from the one above.
    """

    start: Function
    add: Function
    move: Function
    stage: int
    first: int
    last: int

    @property
    def functions(self) -> tuple[Function, ...]:
        return self.start, self.add, self.move


def running_sum(name: str, group: Group, row_axis: int) -> RunningSum:
    """Return the functions of the window sum that `group` makes."""
    node = group.running
    assert node is not None
    rows, sums = node.args[0].dtype, node.dtype
    first, last, _ = node.params
    read = group.reads[node]
    return RunningSum(
        _start(f"{name}_start", sums),
        _add(f"{name}_add", rows, sums),
        _move(f"{name}_move", rows, sums),
        read.stage,
        first[row_axis],
        last[row_axis],
    )


_COUNT, _TARGET = Var(INDEX, "count"), Var(POINTER, "target")


def _read(pointer: Var) -> Parameter:
    return Parameter(pointer, unaliased=True)


def _written() -> Parameter:
    return Parameter(_TARGET, unaliased=True, written=True)


def _combine(name: str, a: Expr, b: Expr) -> Expr:
    return Apply(a.dtype, op(name), (a, b))


def _widened(pointer: Var, x: Expr, rows: DType, sums: DType) -> Expr:
    value = Load(rows, pointer, x)
    return value if rows is sums else Convert(sums, value)


def _start(name: str, sums: DType) -> Function:
    b = Builder()
    with b.loop("x", index(0), _COUNT, independent=True) as x:
        b.store(_TARGET, x, Const(sums, 0))
    return b.function(name, (Parameter(_COUNT), _written()))


def _add(name: str, rows: DType, sums: DType) -> Function:
    b, row = Builder(), Var(POINTER, "row")
    with b.loop("x", index(0), _COUNT, independent=True) as x:
        total = _combine("add", Load(sums, _TARGET, x), _widened(row, x, rows, sums))
        b.store(_TARGET, x, total)
    return b.function(name, (Parameter(_COUNT), _read(row), _written()))


def _move(name: str, rows: DType, sums: DType) -> Function:
    b = Builder()
    entering, leaving, above = (Var(POINTER, word) for word in ("entering", "leaving", "above"))
    with b.loop("x", index(0), _COUNT, independent=True) as x:
        gained = _widened(entering, x, rows, sums)
        total = _combine("add", Load(sums, above, x), gained)
        b.store(_TARGET, x, _combine("subtract", total, _widened(leaving, x, rows, sums)))
    parameters = (
        Parameter(_COUNT),
        _read(entering),
        _read(leaving),
        _read(above),
        _written(),
    )
    return b.function(name, parameters)
