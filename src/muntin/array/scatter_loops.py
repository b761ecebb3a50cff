"""The loops of scatters: one value after the other, its place computed and checked beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, reduce
from inspect import Parameter as Named
from inspect import Signature
from math import prod
from operator import add, or_
from typing import Any

from muntin.array.program import Program, program
from muntin.core.loops.parameters import Input, Parameter, Record, Scratch, Update
from muntin.dtypes import DType

__all__ = ["UPDATES", "Form", "Place", "scattering"]

_COLUMNS = 512  # of a block of what is taken whole: blocks are shared among threads
_BLOCKS = 8  # parts of the values that are added up apart
_TABLES = 8  # of each part, by turns: equal neighbours do not wait for each other
_MOST_IN_TURN, _MOST_ENTRIES = 1 << 10, 1 << 16  # of a table: those in turn stay in the first cache

UPDATES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "set": lambda p, old, new: new,
    "add": lambda p, old, new: old + new,
    "minimum": lambda p, old, new: p.minimum(old, new),
    "maximum": lambda p, old, new: p.maximum(old, new),
}


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of the indices along an axis.

    Attributes
    ----------
    dtype
        Their type.
    is_checked
        Whether one may be out of bounds.
    wraps
        Whether those below 0 count from the end; else they are out of bounds.
    """

    dtype: DType
    is_checked: bool
    wraps: bool

    @classmethod
    def of(cls, dtype: DType, size: int, *, wraps: bool = True) -> Place:
        """Return what is known of indices of a type along an axis of a size."""
        least = -size if wraps else 0
        is_safe = least <= dtype.least and dtype.greatest < size
        return cls(dtype, not is_safe, wraps)


@dataclass(frozen=True, slots=True)
class Form:
    """What tells the loops of one scatter from those of another.

    Attributes
    ----------
    operation
        A name in `UPDATES`.
    dtype
        Of the array.
    places
        Of the indices along its first axes.
    has_rows
        Whether there is an axis more, which is taken whole: threads share its columns.
    tables
        In how many tables in turn parts of the values are added up: threads share the parts.
    counts
        Whether all values are 1.
    """

    operation: str
    dtype: DType
    places: tuple[Place, ...]
    has_rows: bool
    tables: int
    counts: bool

    @classmethod
    def of(
        cls,
        operation: str,
        dtype: DType,
        places: Sequence[Place],
        shape: tuple[int, ...],
        size: int,
        *,
        counts: bool = False,
    ) -> Form:
        """Return the form for so many indices of an array of a shape."""
        entries = prod(shape[: len(places)])
        has_rows = len(shape) > len(places)
        is_free = operation == "add" and dtype.is_integer and not has_rows
        tables = _TABLES if entries <= _MOST_IN_TURN else 1
        if not is_free or entries > _MOST_ENTRIES or entries * _BLOCKS * tables > size:
            tables = 0
        return cls(operation, dtype, tuple(places), has_rows, tables, counts)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What the program takes."""
        count, dtype = len(self.places), self.dtype
        found: dict[str, Parameter] = {"x": Update(dtype, count + self.has_rows)}
        found |= {f"index{axis}": Input(each.dtype, 1) for axis, each in enumerate(self.places)}
        if not self.counts:
            found["values"] = Input(dtype, 1 + self.has_rows)
        if any(each.is_checked for each in self.places):
            pairs = lambda x: (self.blocks(x) * count, 2)  # noqa: E731
            found["record"] = Record("int64", 2, pairs, "x", count, self.wraps)
        if self.tables:
            found["tables"] = Scratch(dtype, 2, lambda x: (_BLOCKS, prod(x) * self.tables))
        return found

    @property
    def wraps(self) -> bool:
        """Whether indices below 0 count from the end."""
        return all(each.wraps for each in self.places)

    def blocks(self, shape: tuple[int, ...]) -> int:
        """Return how many parts of the work threads may share."""
        if self.has_rows:
            return max(-(-shape[-1] // _COLUMNS), 1)  # also of empty rows indices are checked
        return _BLOCKS if self.tables else 1


@cache
def scattering(form: Form, operation: str) -> Program:
    """Return the program that takes an array, indices along its first axes, and values.

    Errors are those of the `operation`.
    """
    parameters = form.parameters

    def scatter(p: Any, *arrays: Any) -> None:
        work = _Scatter(form, p, dict(zip(parameters, arrays, strict=True)))
        if form.has_rows:
            work.by_rows()
        elif form.tables:
            work.by_tables()
        else:
            work.by_elements()

    kind = Named.POSITIONAL_OR_KEYWORD
    named = Signature([Named(name, kind) for name in ("p", *parameters)])
    scatter.__signature__ = named  # type: ignore[attr-defined]
    scatter.__name__ = operation
    return program(**parameters)(scatter)


@dataclass(frozen=True, slots=True)
class _Scatter:
    """The loops of one scatter while they are recorded."""

    form: Form
    p: Any
    arrays: dict[str, Any]

    def by_elements(self) -> None:
        """Change one element for each value."""
        x = self.arrays["x"]
        with self.p.for_(self.size) as n, self.place(n, self.p.let(0)) as place:
            x[place] = self.updated(x[place], self.value(n))

    def by_rows(self) -> None:
        """Change a row for each row of values, a block of the columns after the other."""
        p, x, values = self.p, self.arrays["x"], self.arrays["values"]
        width = x.shape[-1]
        with p.parallel(p.maximum((width + _COLUMNS - 1) // _COLUMNS, 1)) as block:
            first = block * _COLUMNS
            last = p.minimum(first + _COLUMNS, width)
            with (
                p.for_(self.size) as n,
                self.place(n, block) as place,
                p.for_(first, last) as column,
            ):
                at = (*place, column)
                x[at] = self.updated(x[at], values[n, column])

    def by_tables(self) -> None:
        """Add up parts of the values in tables of their own, and the tables then."""
        p, size, tables = self.p, self.size, self.form.tables
        with p.parallel(_BLOCKS) as block:
            first, last = size * block // _BLOCKS, size * (block + 1) // _BLOCKS
            in_turn = last - (last - first) % tables
            with p.for_(first, in_turn, tables) as n:
                for table in range(tables):
                    self.add_to_table(block, table, n + table)
            with p.for_(in_turn, last) as n:
                self.add_to_table(block, 0, n)
        with p.for_(_BLOCKS) as block:
            self.add_table(block, (), p.let(0))

    def add_to_table(self, block: Any, table: int, n: Any) -> None:
        x = self.arrays["x"]
        with self.place(n, block) as place:
            at = place[0]
            for index, size in zip(place[1:], x.shape[1:], strict=True):
                at = at * size + index
            self.arrays["tables"][block, at * self.form.tables + table] += self.value(n)

    def add_table(self, block: Any, place: tuple[Any, ...], at: Any) -> None:
        """Add the sums of a part to the elements whose first indices are given."""
        x, axis = self.arrays["x"], len(place)
        if axis == x.ndim:
            sums, first = self.arrays["tables"], at * self.form.tables
            x[place] += reduce(add, [sums[block, first + k] for k in range(self.form.tables)])
            return
        with self.p.for_(x.shape[axis]) as index:
            self.add_table(block, (*place, index), at * x.shape[axis] + index)

    @property
    def size(self) -> Any:
        """The number of values."""
        return self.arrays["index0"].shape[0]

    def value(self, n: Any) -> Any:
        return self.p.let(1, self.form.dtype) if self.form.counts else self.arrays["values"][n]

    def updated(self, old: Any, new: Any) -> Any:
        return UPDATES[self.form.operation](self.p, old, new)

    @contextmanager
    def place(self, n: Any, block: Any) -> Iterator[tuple[Any, ...]]:
        """Do what follows at the place of a value; elsewhere write down the index at fault."""
        p, sizes = self.p, self.arrays["x"].shape
        place = tuple([self.from_front(axis, n) for axis in range(len(self.form.places))])
        outside = {
            axis: (place[axis] < 0) | (place[axis] >= sizes[axis])
            for axis, each in enumerate(self.form.places)
            if each.is_checked
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
        p = self.p
        index = p.cast(self.arrays[f"index{axis}"][n], "int64", "saturate")
        if not self.form.places[axis].wraps or not self.form.places[axis].dtype.least:
            return index
        return p.where(index < 0, index + self.arrays["x"].shape[axis], index)
