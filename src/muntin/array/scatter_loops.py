"""The loops of scatters: one value after the other, its place computed and checked beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, reduce
from inspect import Parameter as Named
from inspect import Signature
from math import prod
from operator import or_
from typing import Any

from muntin.array.program import Program, program
from muntin.core.loops.parameters import Input, Parameter, Record, Scratch, Update
from muntin.dtypes import DType

__all__ = ["UPDATES", "Form", "scattering"]

_COLUMNS = 512  # of a block of what is taken whole: blocks are shared among threads
_BLOCKS = 16  # parts of the values that are added up apart
_TABLES = 4  # of each part, in turn: equal neighbours do not wait for each other
_MOST_ENTRIES = 1 << 14  # of a table

UPDATES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "set": lambda p, old, new: new,
    "add": lambda p, old, new: old + new,
    "minimum": lambda p, old, new: p.minimum(old, new),
    "maximum": lambda p, old, new: p.maximum(old, new),
}


@dataclass(frozen=True, slots=True)
class Form:
    """What tells the loops of one scatter from those of another.

    Attributes
    ----------
    operation
        A name in `UPDATES`.
    dtype
        Of the array.
    kinds
        The types of the indices along its first axes.
    checked
        Whether such an index may be out of bounds.
    has_rows
        Whether there is an axis more, which is taken whole: threads share its columns.
    in_tables
        Whether parts of the values are added up in tables: threads share the parts.
    """

    operation: str
    dtype: DType
    kinds: tuple[DType, ...]
    checked: tuple[bool, ...]
    has_rows: bool
    in_tables: bool

    @classmethod
    def of(
        cls,
        operation: str,
        dtype: DType,
        kinds: Sequence[DType],
        shape: tuple[int, ...],
        size: int,
    ) -> Form:
        """Return the form for so many indices of an array of a shape."""
        count = len(kinds)
        entries = prod(shape[:count])
        has_rows = len(shape) > count
        is_free = operation == "add" and dtype.is_integer and not has_rows
        return cls(
            operation,
            dtype,
            tuple(kinds),
            tuple([not _is_safe(*each) for each in zip(kinds, shape, strict=False)]),
            has_rows,
            is_free and entries <= _MOST_ENTRIES and entries * _BLOCKS * _TABLES <= size,
        )

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What the program takes."""
        count, dtype = len(self.kinds), self.dtype
        found: dict[str, Parameter] = {
            "x": Update(dtype, count + self.has_rows),
            "values": Input(dtype, 1 + self.has_rows),
            **{f"index{axis}": Input(kind, 1) for axis, kind in enumerate(self.kinds)},
        }
        if any(self.checked):
            found["record"] = Record("int64", 2, lambda x: (self.blocks(x) * count, 2), "x", count)
        if self.in_tables:
            found["tables"] = Scratch(dtype, 3, lambda x: (_BLOCKS, _TABLES, prod(x)))
        return found

    def blocks(self, shape: tuple[int, ...]) -> int:
        """Return how many parts of the work threads may share."""
        if self.has_rows:
            return -(-shape[-1] // _COLUMNS)
        return _BLOCKS if self.in_tables else 1


def _is_safe(kind: DType, size: int) -> bool:
    """Say whether no index of a type is out of bounds."""
    return -size <= kind.least and kind.greatest < size


@cache
def scattering(form: Form) -> Program:
    """Return the program that takes an array, values, and indices along its first axes."""
    parameters = form.parameters

    def scatter(p: Any, *arrays: Any) -> None:
        work = _Scatter(form, p, dict(zip(parameters, arrays, strict=True)))
        if form.has_rows:
            work.by_rows()
        elif form.in_tables:
            work.by_tables()
        else:
            work.by_elements()

    kind = Named.POSITIONAL_OR_KEYWORD
    named = Signature([Named(name, kind) for name in ("p", *parameters)])
    scatter.__signature__ = named  # type: ignore[attr-defined]
    return program(**parameters)(scatter)


@dataclass(frozen=True, slots=True)
class _Scatter:
    """The loops of one scatter while they are recorded."""

    form: Form
    p: Any
    arrays: dict[str, Any]

    def by_elements(self) -> None:
        """Change one element for each value."""
        x, values = self.arrays["x"], self.arrays["values"]
        with self.p.for_(values.shape[0]) as n, self.place(n, self.p.let(0)) as place:
            x[place] = self.updated(x[place], values[n])

    def by_rows(self) -> None:
        """Change a row for each row of values, a block of the columns after the other."""
        p, x, values = self.p, self.arrays["x"], self.arrays["values"]
        width = x.shape[-1]
        with p.parallel((width + _COLUMNS - 1) // _COLUMNS) as block:
            first = block * _COLUMNS
            last = p.minimum(first + _COLUMNS, width)
            with (
                p.for_(values.shape[0]) as n,
                self.place(n, block) as place,
                p.for_(first, last) as column,
            ):
                at = (*place, column)
                x[at] = self.updated(x[at], values[n, column])

    def by_tables(self) -> None:
        """Add up parts of the values in tables of their own, and the tables then."""
        p, size = self.p, self.arrays["values"].shape[0]
        with p.parallel(_BLOCKS) as block:
            first, last = size * block // _BLOCKS, size * (block + 1) // _BLOCKS
            in_turn = last - (last - first) % _TABLES
            with p.for_(first, in_turn, _TABLES) as n:
                for table in range(_TABLES):
                    self.add_to_table(block, table, n + table)
            with p.for_(in_turn, last) as n:
                self.add_to_table(block, 0, n)
        with p.for_(_BLOCKS) as block, p.for_(_TABLES) as table:
            self.add_table(block, table, (), p.let(0))

    def add_to_table(self, block: Any, table: int, n: Any) -> None:
        x = self.arrays["x"]
        with self.place(n, block) as place:
            at = place[0]
            for index, size in zip(place[1:], x.shape[1:], strict=True):
                at = at * size + index
            self.arrays["tables"][block, table, at] += self.arrays["values"][n]

    def add_table(self, block: Any, table: Any, place: tuple[Any, ...], at: Any) -> None:
        """Add a table to the elements whose first indices are given."""
        x, axis = self.arrays["x"], len(place)
        if axis == x.ndim:
            x[place] += self.arrays["tables"][block, table, at]
            return
        with self.p.for_(x.shape[axis]) as index:
            self.add_table(block, table, (*place, index), at * x.shape[axis] + index)

    def updated(self, old: Any, new: Any) -> Any:
        return UPDATES[self.form.operation](self.p, old, new)

    @contextmanager
    def place(self, n: Any, block: Any) -> Iterator[tuple[Any, ...]]:
        """Do what follows at the place of a value; elsewhere write down the index at fault."""
        p, sizes = self.p, self.arrays["x"].shape
        place = tuple([self.from_front(axis, n) for axis in range(len(self.form.kinds))])
        outside = {
            axis: (place[axis] < 0) | (place[axis] >= sizes[axis])
            for axis, is_checked in enumerate(self.form.checked)
            if is_checked
        }
        if not outside:
            yield place
            return
        with p.if_(~reduce(or_, outside.values())):
            yield place
        with p.else_():
            record = self.arrays["record"]
            for axis, is_outside in outside.items():
                pair = block * len(place) + axis
                with p.if_(is_outside & (record[pair, 0] == 0)):
                    record[pair, 0] = 1
                    record[pair, 1] = place[axis]

    def from_front(self, axis: int, n: Any) -> Any:
        """Return an index counted from the front."""
        p, kind = self.p, self.form.kinds[axis]
        index = p.cast(self.arrays[f"index{axis}"][n], "int64", "saturate")
        if not kind.least:
            return index
        return p.where(index < 0, index + self.arrays["x"].shape[axis], index)
