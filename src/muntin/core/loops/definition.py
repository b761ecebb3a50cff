"""A program that was recorded, as data: what it takes, its phases, and where elements are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from linecache import getline
from typing import Any, TypeAlias

import numpy as np

from muntin.core.graph.arrays import cast_array
from muntin.core.loops.parameters import (
    Input,
    Output,
    Parameter,
    Record,
    Scalar,
    Scratch,
    Update,
)
from muntin.core.loops.slots import ArraySlots, array_slots, scalar_slot
from muntin.core.program import Apply, Const, Convert, Expr, For, If, Let, Statement, Var, While
from muntin.errors import BoundsError, InternalError

__all__ = [
    "Call",
    "Definition",
    "Element",
    "ElementAdd",
    "ElementStore",
    "Phase",
    "Place",
    "Recorded",
    "at_line",
    "every",
]


@dataclass(frozen=True, slots=True, eq=False)
class Element(Expr):
    """An element of the array with a number, read at a place of the user's text."""

    array: int
    indices: tuple[Expr, ...]
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class ElementStore:
    """Write an element."""

    array: int
    indices: tuple[Expr, ...]
    value: Expr
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class ElementAdd:
    """Add to an element in one step; `old` names what it was before."""

    array: int
    indices: tuple[Expr, ...]
    value: Expr
    old: Var
    place: int


Recorded: TypeAlias = Statement | ElementStore | ElementAdd


def every(statements: Iterable[Recorded]) -> Iterator[Recorded]:
    """Return statements and those inside of them."""
    pending = list(statements)[::-1]
    while pending:
        statement = pending.pop()
        yield statement
        match statement:
            case For(body=inner) | While(body=inner):
                pending += inner[::-1]
            case If(then=then, otherwise=otherwise):
                pending += [*otherwise[::-1], *then[::-1]]
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Phase:
    """Statements that run once, or for each value of `var` below `extent`, in any order."""

    body: tuple[Recorded, ...]
    var: Var | None = None
    extent: Expr | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's text at which an element is used."""

    array: int
    word: str
    file: str
    line: int

    def __str__(self) -> str:
        return at_line(self.file, self.line)


def at_line(file: str, line: int) -> str:
    """Return a place of the user's text, with the text if it is there."""
    text = getline(file, line).strip()
    return f"{file}:{line}" + (f", `{text}`" if text else "")


@dataclass(frozen=True, eq=False)
class Definition:
    """A program: its parameters by name, and what it does.

    The values of the `prelude` depend on sizes and numbers alone, and are the same in all phases.
    """

    name: str
    parameters: Mapping[str, Parameter]
    prelude: tuple[Let, ...]
    phases: tuple[Phase, ...]
    places: tuple[Place, ...] = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """What programs that do the same have in common."""
        kinds = [
            (type(each).__name__, each.dtype, getattr(each, "ndim", 0))
            for each in self.parameters.values()
        ]
        return sha256(repr((kinds, self.prelude, self.phases)).encode()).hexdigest()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.parameters)

    @cached_property
    def arrays(self) -> Mapping[int, ArraySlots]:
        """The variables of the arrays, by the numbers of the parameters."""
        return {
            number: array_slots(number, each)
            for number, each in enumerate(self.parameters.values())
            if not isinstance(each, Scalar)
        }

    @cached_property
    def scalars(self) -> Mapping[int, Var]:
        """The variables of the numbers, by the numbers of the parameters."""
        return {
            number: scalar_slot(number, each)
            for number, each in enumerate(self.parameters.values())
            if isinstance(each, Scalar)
        }

    @property
    def operations(self) -> list[str]:
        """The names of all operations, once for each place where it is written."""
        written = every([*self.prelude, *(each for phase in self.phases for each in phase.body)])
        values = [each.value for each in written if isinstance(each, Let)]
        return [value.op.name for value in values if isinstance(value, Apply)]

    def numbers_of(self, *kinds: type[Parameter]) -> tuple[int, ...]:
        """Return the numbers of the parameters of some kinds."""
        found = enumerate(self.parameters.values())
        return tuple([number for number, each in found if isinstance(each, kinds)])

    @property
    def inputs(self) -> tuple[int, ...]:
        return self.numbers_of(Input)

    @property
    def updates(self) -> tuple[int, ...]:
        return self.numbers_of(Update)

    @property
    def outputs(self) -> tuple[int, ...]:
        return self.numbers_of(Output, Update)

    @property
    def scratch(self) -> tuple[int, ...]:
        return self.numbers_of(Scratch)

    @property
    def records(self) -> Mapping[int, Record]:
        """The records of indices, by the numbers of the parameters."""
        found = enumerate(self.parameters.values())
        return {number: each for number, each in found if isinstance(each, Record)}

    def extent(self, phase: Phase, shapes: Mapping[int, Sequence[int]]) -> int:
        """Return how often a phase runs for arrays of some shapes."""
        if phase.extent is None:
            return 1
        known: dict[str, Any] = {}
        for number, slots in self.arrays.items():
            for var, size in zip(slots.sizes, shapes[number], strict=True):
                known[var.name] = np.int64(size)
        made = {let.var.name: let.value for let in self.prelude}
        with np.errstate(all="ignore"):
            return max(int(_number(phase.extent, known, made)), 0)


def _number(expr: Expr, known: dict[str, Any], made: Mapping[str, Expr]) -> Any:
    """Return the value of an expression of sizes."""
    match expr:
        case Const(dtype, value):
            return dtype.numpy.type(value)
        case Var(_, name):
            if name not in known:
                known[name] = _number(made[name], known, made)
            return known[name]
        case Convert(dtype, arg, saturate):
            number = np.atleast_1d(_number(arg, known, made))
            return cast_array(number, dtype, is_saturating=saturate)[0]
        case Apply(dtype, row, args) if row.reference is not None:
            values = [np.atleast_1d(_number(arg, known, made)) for arg in args]
            return np.asarray(row.reference(*values), dtype.numpy)[0]
    raise InternalError(f"loops: no number for the expression {type(expr).__name__}")


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A program and the shapes of all its arrays, by the numbers of the parameters.

    A `checked` one finds out every index outside an array.
    """

    definition: Definition
    shapes: Mapping[int, tuple[int, ...]]
    checked: bool

    @property
    def identity(self) -> tuple[Any, ...]:
        """What calls with the same results have in common beside their arguments."""
        return self.definition.digest, self.checked, tuple(self.shapes.values())

    def extent(self, phase: Phase) -> int:
        return self.definition.extent(phase, self.shapes)

    @property
    def fault_shape(self) -> tuple[int]:
        """The size of the memory of a fault: a place, counted from 1, and an index."""
        return (1 + max(len(shape) for shape in self.shapes.values()),)

    def indexed(self, number: int) -> list[tuple[int, int]]:
        """Return the axis that each pair of a record is about, and its size."""
        record = self.definition.records[number]
        shape = self.shapes[self.definition.names.index(record.of)]
        pairs, _ = self.shapes[number]
        return [*enumerate(shape[: record.axes])] * (pairs // record.axes)

    def refuse(self, fault: Sequence[int]) -> None:
        """Raise BoundsError if a run noted a fault: the place, counted from 1, and the index."""
        if not fault[0]:
            return
        definition = self.definition
        place = definition.places[fault[0] - 1]
        shape = self.shapes[place.array]
        index = ", ".join(map(str, fault[1 : 1 + len(shape)]))
        advice = ", or read with get()" if place.word == "read" else ""
        raise BoundsError(
            f"{definition.name}: {definition.names[place.array]}[{index}] is outside of its shape "
            f"{shape}; it was {place.word} at {place}; an index counts from 0 to the size less 1; "
            f"guard it with if_(){advice}"
        )
