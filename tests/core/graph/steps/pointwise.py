"""Steps that compute each element by itself: rows of the vocabulary, casts and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.core.graph import build
from muntin.core.graph.node import Node
from muntin.core.graph.ops import OPS
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError
from tests.core.graph.choices import Choices
from tests.core.graph.laid_out import numbers
from tests.core.graph.steps.made import Made

_TAKEN = [
    row
    for row in OPS.values()
    if row.is_elementwise
    and row.name not in ("cast", "pow")  # that of integers is long
    and not row.name.startswith("raw_")
]
ROWS = tuple([row.name for row in _TAKEN if row.body is None or row.cost < 16])
FUNCTIONS = tuple([row.name for row in _TAKEN if row.name not in ROWS])  # of long bodies
SUMS = ("add", "subtract", "maximum", "minimum")
INTEGERS = tuple([name for name, row in DTYPES.items() if row.is_integer])
FLOATS = tuple([name for name, row in DTYPES.items() if row.is_float])
TYPES = tuple(DTYPES)
_OF_SIGNS = ("signbit", "copysign", "float_bits")  # the sign of a NaN is the hardware's


@dataclass(frozen=True)
class Work:
    """An elementwise row; operands that it does not take are cast to one of the types."""

    name: str
    picks: tuple[int, int, int]
    integer: str = "int32"
    floating: str = "float32"

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Work:
        picks = (choices.integer(0, 7), choices.integer(0, 7), choices.integer(0, 7))
        if choices.integer(0, 2) == 0:
            return cls(choices.one_of(SUMS), picks)
        floating = choices.one_of(FLOATS)
        rows = ROWS if choices.integer(0, 9) else FUNCTIONS
        return cls(choices.one_of(rows), picks, choices.one_of(INTEGERS), floating)

    def add(self, made: Made) -> None:
        args = [made.pick(self.picks[0])]
        for number in self.picks[1 : OPS[self.name].arity]:
            args.append(made.pick_beside(number, args))
        made.add(self.worked(args))

    def worked(self, args: list[Node]) -> Node:
        """Return the row of operands, cast to the first of some types that it takes."""
        if self.name == "rounded_sqrt":
            args = [build.cast(arg, DTYPES["uint16"]) for arg in args]
        for name in (None, self.integer, self.floating, "int32", "int16"):
            cast = args if name is None else [build.cast(arg, DTYPES[name]) for arg in args]
            if self.name in _OF_SIGNS and cast[-1].dtype.is_float:
                cast = [*cast[:-1], _without_nan(cast[-1])]
            try:
                return build.elementwise(self.name, *cast)
            except DTypeError:
                continue
        raise AssertionError(f"{self} takes no operands")


@dataclass(frozen=True)
class Cast:
    pick: int
    dtype: str
    saturate: bool = False

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Cast:
        return cls(choices.integer(0, 7), choices.one_of(TYPES), choices.one_of((False, True)))

    def add(self, made: Made) -> None:
        node = made.pick(self.pick)
        made.add(build.cast(node, DTYPES[self.dtype], saturate=self.saturate))


@dataclass(frozen=True)
class Keep:
    """A node that is stored."""

    pick: int

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Keep:
        return cls(choices.integer(0, 7))

    def add(self, made: Made) -> None:
        made.add(build.keep(made.pick(self.pick)))


@dataclass(frozen=True)
class Number:
    """A number, passed to the kernel or compiled in."""

    place: int
    dtype: str
    is_constant: bool

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Number:
        return cls(choices.integer(0, 99), choices.one_of(TYPES), choices.one_of((False, True)))

    def add(self, made: Made) -> None:
        dtype = DTYPES[self.dtype]
        few = numbers(dtype)
        make = build.constant if self.is_constant else build.scalar
        made.add(make(few[self.place % len(few)], dtype))


@dataclass(frozen=True)
class Count:
    """The indices along an axis."""

    axis: int

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Count:
        return cls(choices.integer(0, 3))

    def add(self, made: Made) -> None:
        if made.shape:
            made.add(build.index(self.axis % len(made.shape), made.shape, made.axes))


def _without_nan(node: Node) -> Node:
    is_nan = build.elementwise("isnan", node)
    return build.elementwise("where", is_nan, build.constant(1, node.dtype), node)
