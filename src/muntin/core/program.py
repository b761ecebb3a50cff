"""The statement language: typed loops over memory; emitters write it, the interpreter runs it.

Expressions have a type and no effect; statements have an effect and no value. A pointer is an
address in bytes; `Load` and `Store` take an index in elements. A bool is a byte in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from muntin.core.graph.ops import OPS, Op, op
from muntin.dtypes import DTYPES, DType

__all__ = [
    "LOOKUP_LANES",
    "BOOL",
    "INDEX",
    "POINTER",
    "Advance",
    "Apply",
    "AtomicAdd",
    "Builder",
    "Call",
    "Const",
    "Convert",
    "CopyBytes",
    "Expr",
    "For",
    "Function",
    "If",
    "Let",
    "Load",
    "Lookup",
    "Note",
    "Parameter",
    "Program",
    "Return",
    "Set",
    "Shuffle",
    "Statement",
    "Store",
    "Prefetch",
    "StreamBytes",
    "Var",
    "While",
    "Word",
]

INDEX = DTYPES["int64"]
BOOL = DTYPES["bool"]
POINTER = DType("pointer", "p", 64, 8, np.dtype("uintp"))

Number: TypeAlias = int | float


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """A typed value without effect; arithmetic operators are for indices."""

    dtype: DType

    def __add__(self, other: Expr | int) -> Expr:
        if isinstance(other, int) and other == 0:
            return self
        if isinstance(self, Const) and self.value == 0 and isinstance(other, Expr):
            return other
        return _index("add", self, other)

    def __radd__(self, other: int) -> Expr:
        return self + other

    def __sub__(self, other: Expr | int) -> Expr:
        return self if isinstance(other, int) and other == 0 else _index("subtract", self, other)

    def __rsub__(self, other: int) -> Expr:
        return _index("subtract", Const(self.dtype, other), self)

    def __mul__(self, other: Expr | int) -> Expr:
        return self if isinstance(other, int) and other == 1 else _index("multiply", self, other)

    def __rmul__(self, other: int) -> Expr:
        return self * other

    def __and__(self, other: Expr | int) -> Expr:
        return _index("bitwise_and", self, other)

    def __floordiv__(self, other: Expr | int) -> Expr:
        """Divide; both must be non-negative, the divisor not zero."""
        return _index("raw_divide", self, other)

    def __lt__(self, other: Expr | int) -> Expr:
        return _index("less", self, other)

    def __le__(self, other: Expr | int) -> Expr:
        return _index("less_equal", self, other)

    def __gt__(self, other: Expr | int) -> Expr:
        return _index("greater", self, other)

    def __ge__(self, other: Expr | int) -> Expr:
        return _index("greater_equal", self, other)

    def equals(self, other: Expr | int) -> Expr:
        return _index("equal", self, other)

    def both(self, other: Expr) -> Expr:
        return Apply(BOOL, op("logical_and"), (self, other))

    def either(self, other: Expr) -> Expr:
        return Apply(BOOL, op("logical_or"), (self, other))

    def at_least(self, other: Expr | int) -> Expr:
        return _index("maximum", self, other)

    def at_most(self, other: Expr | int) -> Expr:
        return _index("minimum", self, other)

    def choose(self, yes: Expr, no: Expr) -> Expr:
        """Return `yes` where this truth value holds, else `no`."""
        return Apply(yes.dtype, op("where"), (self, yes, no))


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    """A number."""

    value: Number


@dataclass(frozen=True, slots=True, eq=False)
class Var(Expr):
    """A named value: a parameter, or what `Let`, `Set` or a loop names."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Expr):
    """An elementwise row of operands of one type (a choice has its condition first)."""

    op: Op
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Convert(Expr):
    """A cast, as the row `cast` means it."""

    arg: Expr
    saturate: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Load(Expr):
    """The element `index` behind a pointer."""

    pointer: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Word(Expr):
    """The bytes from the first of an element on as an unsigned integer: the first are the low.

    They end with the memory at the latest; between elements there may be anything.
    """

    pointer: Expr


LOOKUP_LANES = 64  # of the loops that keep tables in registers: as many bytes as one holds


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Expr):
    """The element of a table at an index of 8 bits; the table is `size` bytes side by side.

    A loop of `LOOKUP_LANES` keeps the first 256 in registers, where the target can; elsewhere such
    a loop runs lane by lane.
    """

    table: Expr
    size: Expr
    index: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Advance(Expr):
    """A pointer moved by a number of bytes."""

    pointer: Expr
    nbytes: Expr


def _index(name: str, a: Expr, b: Expr | int) -> Expr:
    row = OPS[name]
    if not isinstance(b, Expr):
        b = Const(a.dtype, b)
    return Apply(BOOL if row.rule == "compare" else a.dtype, row, (a, b))


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    """Name a value once."""

    var: Var
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Set:
    """Give a variable a new value; the first such statement of a function declares it."""

    var: Var
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """Make a truth value that was set before true where a condition holds.

    The iterations of an independent loop may note the same variable; they must not read it.
    """

    var: Var
    condition: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """Write the element `index` behind a pointer, past the caches if it is `streamed`."""

    pointer: Expr
    index: Expr
    value: Expr
    streamed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class AtomicAdd:
    """Add to the element `index` behind a pointer in one step, which no other thread divides.

    The element is an integer of 32 or 64 bits; its sum wraps. `old` names what it was before.
    Iterations of an independent loop may add to the same element.
    """

    pointer: Expr
    index: Expr
    value: Expr
    old: Var


@dataclass(frozen=True, slots=True, eq=False)
class Shuffle:
    """Name, in a loop of several lanes, what the lanes of a value hold in another order.

    Lane k gets that of lane `places[k]`, or `fill` where that is -1.
    """

    var: Var
    value: Expr
    fill: Const
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CopyBytes:
    """Copy bytes between places that do not overlap."""

    target: Expr
    source: Expr
    count: Expr


@dataclass(frozen=True, slots=True, eq=False)
class StreamBytes:
    """Copy bytes past the caches; the places do not overlap."""

    target: Expr
    source: Expr
    count: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Prefetch:
    """Ask for the cache line at a place, into the second cache; it need not be anybody's memory.

    One that is to be `written` comes into the first, so that no store waits for it.
    """

    place: Expr
    written: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """Run `body` for var = start, start + step, … below stop; the step is positive.

    `independent` says that no iteration reads what another writes. With several `lanes`, which
    divide the number of iterations, so many are run as one on vectors; the body then consists of
    names and stores of elements, and what is streamed lies at multiples of a vector's size.
    """

    var: Var
    start: Expr
    stop: Expr
    step: int
    body: tuple[Statement, ...]
    independent: bool = False
    lanes: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """Run `body` as long as the condition holds."""

    condition: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """Run one of two bodies."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Call a function of the program for its effect."""

    function: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """Leave the function."""


Statement: TypeAlias = (
    Let
    | Set
    | Note
    | Store
    | Shuffle
    | AtomicAdd
    | CopyBytes
    | StreamBytes
    | Prefetch
    | For
    | While
    | If
    | Call
    | Return
)


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of a function; `unaliased` memory is reached through this pointer alone."""

    var: Var
    unaliased: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function without result; only its parameters are visible in it.

    A `light` one moves more than it computes. A `shared` one is the same in every program that has
    it: the entry may call it, its code may be kept apart and found by its name. The loops of a
    `free` one are the compiler's to reorder, also where iterations may depend on one another.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    light: bool = False
    shared: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Functions, of which the last is the entry.

    The parameters of the entry named in `slots` come from the caller's 8-byte argument slots, in
    this order; its other parameters are the box of the iteration space and the scratch memory.
    """

    functions: tuple[Function, ...]
    slots: tuple[Var, ...]

    @property
    def entry(self) -> Function:
        return self.functions[-1]

    @property
    def shared(self) -> tuple[Function, ...]:
        """The functions whose code may be kept apart."""
        return tuple([function for function in self.functions if function.shared])


@dataclass(slots=True)
class Builder:
    """Collects the statements of one function and gives every variable a name of its own."""

    _blocks: list[list[Statement]] = field(default_factory=lambda: [[]])
    _names: dict[str, int] = field(default_factory=dict)

    def fresh(self, name: str, dtype: DType) -> Var:
        """Return a variable with a name not used before."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return Var(dtype, name if count == 0 else f"{name}_{count}")

    def let(self, value: Expr, name: str = "t") -> Expr:
        """Name a value and return it; numbers and variables need no name."""
        if isinstance(value, Const | Var):
            return value
        var = self.fresh(name, value.dtype)
        self.add(Let(var, value))
        return var

    def shuffle(self, value: Expr, fill: Const, places: tuple[int, ...]) -> Var:
        """Return what the lanes of a value hold in another order: see `Shuffle`."""
        var = self.fresh("shuffled", value.dtype)
        self.add(Shuffle(var, value, fill, places))
        return var

    def variable(self, value: Expr, name: str) -> Var:
        """Declare a variable that `Set` may change."""
        var = self.fresh(name, value.dtype)
        self.add(Set(var, value))
        return var

    def set(self, var: Var, value: Expr) -> None:
        self.add(Set(var, value))

    def note(self, var: Var, condition: Expr) -> None:
        self.add(Note(var, condition))

    def store(self, pointer: Expr, index: Expr, value: Expr, *, streamed: bool = False) -> None:
        self.add(Store(pointer, index, value, streamed))

    def atomic_add(self, pointer: Expr, index: Expr, value: Expr) -> Var:
        """Add to an element in one step; return what it was before."""
        old = self.fresh("old", value.dtype)
        self.add(AtomicAdd(pointer, index, value, old))
        return old

    @property
    def last(self) -> Statement | None:
        """The latest statement of the block that is collected."""
        return self._blocks[-1][-1] if self._blocks[-1] else None

    def add(self, statement: Statement) -> None:
        self._blocks[-1].append(statement)

    @contextmanager
    def loop(
        self,
        name: str,
        start: Expr,
        stop: Expr,
        step: int = 1,
        *,
        independent: bool = False,
        lanes: int = 1,
    ) -> Iterator[Var]:
        """Collect the body of a loop; yields its variable."""
        var = self.fresh(name, INDEX)
        self._blocks.append([])
        yield var
        body = tuple(self._blocks.pop())
        self.add(For(var, start, stop, step, body, independent, lanes))

    @contextmanager
    def when(self, condition: Expr) -> Iterator[None]:
        """Collect what runs where the condition holds."""
        self._blocks.append([])
        yield
        self.add(If(condition, tuple(self._blocks.pop())))

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Collect what runs where the condition of the preceding `when` does not hold."""
        last = self._blocks[-1].pop()
        assert isinstance(last, If)
        self._blocks.append([])
        yield
        self.add(If(last.condition, last.then, tuple(self._blocks.pop())))

    @contextmanager
    def repeat(self, condition: Expr) -> Iterator[None]:
        """Collect the body of a loop that runs as long as the condition holds."""
        self._blocks.append([])
        yield
        self.add(While(condition, tuple(self._blocks.pop())))

    def statements(self) -> tuple[Statement, ...]:
        """Return what was collected."""
        (block,) = self._blocks
        return tuple(block)

    def function(
        self,
        name: str,
        parameters: Sequence[Parameter],
        *,
        light: bool = False,
        shared: bool = False,
    ) -> Function:
        """Return the function made of what was collected."""
        return Function(name, tuple(parameters), self.statements(), light, shared)


def index(value: int) -> Const:
    """Return a number of the index type."""
    return Const(INDEX, value)
