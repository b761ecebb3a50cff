"""Lowers loops written by hand to a program: operations to what LLVM spells, elements to bytes.

A launch runs one phase. The slots are, for each array, a pointer to element 0, its sizes and its
byte strides; the numbers; the phase; and, where indices are checked, memory in which the first
fault is noted: its place, counted from 1, and the index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

from muntin.core.graph.halves import cast_half, single
from muntin.core.graph.infer import resolve
from muntin.core.graph.intervals import Interval
from muntin.core.graph.ops import OPS, Op
from muntin.core.loops.definition import (
    Definition,
    Element,
    ElementAdd,
    ElementStore,
    Phase,
    Recorded,
)
from muntin.core.plan.ranges import whole_type
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Apply,
    AtomicAdd,
    Builder,
    Call,
    Const,
    Convert,
    Expr,
    For,
    Function,
    If,
    Let,
    Load,
    Parameter,
    Program,
    Return,
    Set,
    Var,
    While,
    index,
)
from muntin.dtypes import DTYPES, DType, from_name
from muntin.errors import InternalError

__all__ = ["lower_loops"]

_BOX = ("o0", "o1", "y0", "y1", "x0", "x1")
_FAULT, _PHASE = Var(POINTER, "fault"), Var(INDEX, "phase")
_UNSIGNED = DTYPES["uint64"]
_FIRST, _LAST = Var(INDEX, "first"), Var(INDEX, "last")


def lower_loops(definition: Definition, *, checked: bool, converts_halves: bool = False) -> Program:
    """Return the program of a definition; a checked one stops at an index outside an array."""
    values = [var for slots in definition.arrays.values() for var in slots.variables]
    values += definition.scalars.values()
    fault = [_FAULT] if checked else []
    b, functions = Builder(), []
    for number, phase in enumerate(definition.phases):
        functions.append(
            _Lowering(definition, checked, converts_halves).function(f"phase{number}", phase)
        )
        with b.when(_PHASE.equals(number)):
            b.add(Call(f"phase{number}", (*values, *fault, Var(INDEX, "x0"), Var(INDEX, "x1"))))
    entry = b.function("entry", [Parameter(Var(INDEX, name)) for name in _BOX])
    return Program((*functions, entry), (*values, _PHASE, *fault))


@dataclass(slots=True)
class _Lowering:
    """The lowering of one phase; `known` has what stands for a value that is not named itself."""

    definition: Definition
    checked: bool
    converts_halves: bool
    builder: Builder = field(default_factory=Builder)
    known: dict[str, Expr] = field(default_factory=dict)
    stored: set[int] = field(default_factory=set)
    shared: set[int] = field(default_factory=set)  # arrays that several threads add to

    def function(self, name: str, phase: Phase) -> Function:
        b = self.builder
        self.block(self.definition.prelude)
        if phase.var is None:
            self.block(phase.body)
        else:
            with b.loop("k", _FIRST, _LAST, independent=True) as k:
                self.known[phase.var.name] = k
                self.block(phase.body)
        return Function(name, tuple(self.parameters()), b.statements(), free=True)

    def parameters(self) -> list[Parameter]:
        found: list[Parameter] = []
        for number, slots in self.definition.arrays.items():
            written = number in self.stored or number in self.shared
            found.append(Parameter(slots.pointer, number not in self.shared, written))
            found += [Parameter(var) for var in (*slots.sizes, *slots.strides)]
        found += [Parameter(var) for var in self.definition.scalars.values()]
        if self.checked:
            found.append(Parameter(_FAULT, unaliased=True, written=True))
        return [*found, Parameter(_FIRST), Parameter(_LAST)]

    # --- statements -------------------------------------------------------------------------------

    def block(self, body: Sequence[Recorded]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Recorded) -> None:
        b = self.builder
        match statement:
            case Let(var, Var() as value):  # a variable may change later
                copy = b.fresh("t", var.dtype)
                b.add(Let(copy, self.value(value)))
                self.known[var.name] = copy
            case Let(var, value):
                self.known[var.name] = self.value(value)
            case Set(var, value):
                b.set(var, self.value(value))
            case ElementStore(array, indices, value, place):
                self.stored.add(array)
                self.check(array, indices, place)
                b.store(self.address(array, indices), index(0), self.value(value))
            case ElementAdd(array, indices, value, old, place):
                self.shared.add(array)
                self.check(array, indices, place)
                address = self.address(array, indices)
                b.add(AtomicAdd(address, index(0), self.value(value), old))
            case For(var, start, stop, step, body):
                with b.loop("k", self.value(start), self.value(stop), step) as k:
                    self.known[var.name] = k
                    self.block(body)
            case While(condition, body):
                with b.repeat(self.value(condition)):
                    self.block(body)
            case If(condition, then, otherwise):
                with b.when(self.value(condition)):
                    self.block(then)
                if otherwise:
                    with b.otherwise():
                        self.block(otherwise)
            case _:
                raise InternalError(
                    f"lower.loops: no meaning for the statement {type(statement).__name__}"
                )

    # --- elements ---------------------------------------------------------------------------------

    def address(self, array: int, indices: Sequence[Expr]) -> Expr:
        slots = self.definition.arrays[array]
        offset: Expr = index(0)
        for position, stride in zip(indices, self.strides(array), strict=True):
            offset = offset + self.value(position) * stride
        return Advance(POINTER, slots.pointer, offset) if indices else slots.pointer

    def strides(self, array: int) -> Sequence[Expr]:
        """Return the byte strides of an array: rows of scratch memory are contiguous."""
        slots = self.definition.arrays[array]
        if array in self.definition.scratch and slots.strides:
            return *slots.strides[:-1], index(slots.dtype.itemsize)
        return slots.strides

    def check(self, array: int, indices: Sequence[Expr], place: int) -> None:
        """Note an index outside an array and leave the function."""
        if not self.checked or not indices:
            return
        b = self.builder
        outside: list[Expr] = []
        positions = [self.value(position) for position in indices]
        for position, size in zip(positions, self.definition.arrays[array].sizes, strict=True):
            pair = (Convert(_UNSIGNED, size), Convert(_UNSIGNED, position))
            outside.append(Apply(BOOL, OPS["less_equal"], pair))
        with b.when(reduce(Expr.either, outside)):
            for word, value in enumerate((index(place + 1), *positions)):
                b.store(_FAULT, index(word), value)
            b.add(Return())

    # --- values -----------------------------------------------------------------------------------

    @property
    def steps(self) -> _Steps:
        return _Steps(self.builder, self.converts_halves)

    def value(self, expr: Expr) -> Expr:
        """Return what an expression is here: a number, or a name."""
        match expr:
            case Const():
                return expr
            case Var(_, name):
                return self.known.get(name, expr)
            case Element(dtype, array, indices, place):
                self.check(array, indices, place)
                return self.builder.let(Load(dtype, self.address(array, indices), index(0)))
            case Convert(dtype, arg, saturate):
                return self.steps.cast(self.value(arg), dtype, saturate=saturate)
            case Apply(dtype, row, args):
                return self.steps.apply(row, *map(self.value, args))
        raise InternalError(f"lower.loops: no meaning for the expression {type(expr).__name__}")


@dataclass(frozen=True, slots=True)
class _Steps:
    """What a body builds with: each row is a method, whose result gets a name."""

    builder: Builder
    converts_halves: bool
    target: str = "llvm"

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        row = OPS.get(name)
        if row is None or not row.is_elementwise:
            raise InternalError(f"lower.loops: a body uses {name!r}, which is no operation")
        return partial(self.apply, row)

    def apply(self, row: Op, *args: Expr) -> Expr:
        dtypes = tuple([arg.dtype for arg in args])
        taken, result = resolve(row.name, row.rule, dtypes)
        if taken != dtypes:
            given = ", ".join(map(str, dtypes))
            raise InternalError(f"lower.loops: {row.name} is given {given}; cast them first")
        if row.is_widened(dtypes):
            return self.cast(single(self, row, args), result)
        if row.is_spelled(dtypes[-1].kind, self.target):
            return self.builder.let(Apply(result, row, args))
        if row.body is None:
            raise InternalError(f"lower.loops: {row.name} of {dtypes[-1]} has no body")
        made: Expr = row.body(self, *args)
        return made

    def like(self, value: int | float, node: Expr) -> Expr:
        """Return a number of the type of `node`."""
        return Const(node.dtype, value)

    def typed(self, value: int | float, dtype: str | DType) -> Expr:
        """Return a number of a type."""
        return Const(from_name(dtype) if isinstance(dtype, str) else dtype, value)

    def cast(self, node: Expr, dtype: str | DType, *, saturate: bool = False) -> Expr:
        """Return the node as another type; integers wrap unless they saturate, floats clamp."""
        dtype = from_name(dtype) if isinstance(dtype, str) else dtype
        if node.dtype is dtype:
            return node
        if dtype.is_half or node.dtype.is_half:
            halved: Expr = cast_half(self, node, dtype)
            return halved
        return self.converted(node, dtype, saturate=saturate)

    def converted(self, node: Expr, dtype: DType, *, saturate: bool = False) -> Expr:
        """Return the node as another type by a cast that the target spells."""
        return self.builder.let(Convert(dtype, node, saturate))

    def rarely(self, condition: Expr, rare: Expr, common: Expr) -> Expr:
        """Choose as `where` does."""
        return self.apply(OPS["where"], condition, rare, common)

    def interval(self, node: Expr) -> Interval:
        """Return the integers that a value can take."""
        if isinstance(node, Const):
            return int(node.value), int(node.value)
        return whole_type(node.dtype)
