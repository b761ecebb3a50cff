"""The order of a kernel's argument slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muntin.core.plan.kernel import Domain
from muntin.core.program import INDEX, POINTER, Var
from muntin.dtypes import DType

__all__ = ["ArraySlots", "IndexSlots", "Layout"]


@dataclass(frozen=True, slots=True)
class ArraySlots:
    """The slots of one operand or output: where element (0, …, 0) lies, and byte strides.

    `mode` says how the rows of an operand are read or how those of an output reach memory: see
    `RowMode`.
    """

    dtype: DType
    pointer: Var
    outer: tuple[Var, ...]
    row: Var
    column: Var
    channel: Var
    mode: Var

    @property
    def variables(self) -> tuple[Var, ...]:
        return (self.pointer, *self.outer, self.row, self.column, self.channel, self.mode)


@dataclass(frozen=True, slots=True)
class IndexSlots:
    """Of an operand that is gathered: byte strides and sizes of the axes that indices choose along.

    `first` is the number of the first of these indices among those of all operands.
    """

    strides: tuple[Var, ...]
    sizes: tuple[Var, ...]
    first: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The argument slots: operands, outputs, the sizes and origins of the axes, scalars, indices.

    `outer_counts` are the sizes of the box that is computed, `outer_sizes`, `rows` and `columns`
    those of the image; a window starts at the origins. `phases` are how many bytes past a cache
    line the outputs' pointers are. `record` is where indices that are out of bounds are written
    down, if there are any.
    """

    operands: tuple[ArraySlots, ...]
    outputs: tuple[ArraySlots, ...]
    outer_counts: tuple[Var, ...]
    outer_sizes: tuple[Var, ...]
    outer_origins: tuple[Var, ...]
    rows: Var
    columns: Var
    row_origin: Var
    column_origin: Var
    phases: tuple[Var, ...]
    scalars: tuple[Var, ...]
    indices: Mapping[int, IndexSlots]
    record: Var

    @classmethod
    def of(
        cls,
        domain: Domain,
        operands: Sequence[DType],
        outputs: Sequence[DType],
        scalars: Sequence[DType],
        indices: Sequence[int],
    ) -> Layout:
        outer = len(domain.outer_axes)
        return cls(
            tuple([_array(f"in{k}", dtype, outer) for k, dtype in enumerate(operands)]),
            tuple([_array(f"out{k}", dtype, outer) for k, dtype in enumerate(outputs)]),
            tuple([Var(INDEX, f"count{k}") for k in range(outer)]),
            tuple([Var(INDEX, f"size{k}") for k in range(outer)]),
            tuple([Var(INDEX, f"origin{k}") for k in range(outer)]),
            Var(INDEX, "height"),
            Var(INDEX, "width"),
            Var(INDEX, "row_origin"),
            Var(INDEX, "column_origin"),
            tuple([Var(INDEX, f"phase{k}") for k in range(len(outputs))]),
            tuple([Var(dtype, f"scalar{k}") for k, dtype in enumerate(scalars)]),
            {k: _index(k, n, sum(indices[:k])) for k, n in enumerate(indices) if n},
            Var(POINTER, "record"),
        )

    @property
    def variables(self) -> tuple[Var, ...]:
        arrays = [var for array in (*self.operands, *self.outputs) for var in array.variables]
        return (
            *arrays,
            *self.outer_counts,
            *self.outer_sizes,
            *self.outer_origins,
            self.rows,
            self.columns,
            self.row_origin,
            self.column_origin,
            *self.phases,
            *self.scalars,
            *[var for each in self.indices.values() for var in (*each.strides, *each.sizes)],
            *([self.record] if self.indices else []),
        )


def _array(name: str, dtype: DType, outer: int) -> ArraySlots:
    return ArraySlots(
        dtype,
        Var(POINTER, name),
        tuple([Var(INDEX, f"{name}_outer{k}") for k in range(outer)]),
        Var(INDEX, f"{name}_row"),
        Var(INDEX, f"{name}_column"),
        Var(INDEX, f"{name}_channel"),
        Var(INDEX, f"{name}_mode"),
    )


def _index(operand: int, count: int, first: int) -> IndexSlots:
    strides = tuple([Var(INDEX, f"in{operand}_stride{k}") for k in range(count)])
    sizes = tuple([Var(INDEX, f"in{operand}_size{k}") for k in range(count)])
    return IndexSlots(strides, sizes, first)
