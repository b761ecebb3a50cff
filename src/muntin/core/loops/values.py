"""Values, variables and arrays of a program while it is recorded."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.loops.slots import ArraySlots
from muntin.core.program import Expr, Var
from muntin.dtypes import DType
from muntin.errors import ParameterError, UnsupportedError

if TYPE_CHECKING:
    from muntin.core.loops.recorder import Recorder

__all__ = ["Elements", "Operand", "Source", "Value", "Variable"]


class Source(IntEnum):
    """What a value depends on."""

    SIZES = 0
    NUMBERS = 1
    DATA = 2


class Value:
    """A typed value of a program; it is computed where it is written, and does not change.

    It has Python's operators, with NumPy's types. A Python number takes the type of the value
    beside it.
    """

    __slots__ = ("_expr", "_recorder", "_scope", "_source")
    __array_ufunc__ = None  # NumPy's scalars leave operators to this class

    def __init__(self, expr: Expr, source: Source, scope: object, recorder: Recorder) -> None:
        self._expr = expr
        self._source = source
        self._scope = scope
        self._recorder = recorder

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its type, as NumPy's."""
        return self._expr.dtype.numpy

    def astype(self, dtype: DType | npt.DTypeLike, overflow: str = "wrap") -> Value:
        """Return the value as another type: see `muntin.Array.astype`."""
        return self._recorder.cast(self, dtype, overflow)

    def assign(self, value: Operand) -> None:
        """Raise UnsupportedError: only variables change."""
        raise UnsupportedError(
            "assign: this is a value, which does not change; declare what changes with "
            "variable() before the loop, and assign to that"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._expr.dtype})"

    def _apply(self, name: str, *operands: object) -> Value:
        for operand in operands:
            if not isinstance(operand, _OPERANDS):
                return NotImplemented  # type: ignore[no-any-return]
        return self._recorder.apply(name, *operands)  # type: ignore[arg-type]

    def __add__(self, other: object) -> Value:
        return self._apply("add", self, other)

    def __radd__(self, other: object) -> Value:
        return self._apply("add", other, self)

    def __sub__(self, other: object) -> Value:
        return self._apply("subtract", self, other)

    def __rsub__(self, other: object) -> Value:
        return self._apply("subtract", other, self)

    def __mul__(self, other: object) -> Value:
        return self._apply("multiply", self, other)

    def __rmul__(self, other: object) -> Value:
        return self._apply("multiply", other, self)

    def __truediv__(self, other: object) -> Value:
        return self._apply("divide", self, other)

    def __rtruediv__(self, other: object) -> Value:
        return self._apply("divide", other, self)

    def __floordiv__(self, other: object) -> Value:
        return self._apply("floor_divide", self, other)

    def __rfloordiv__(self, other: object) -> Value:
        return self._apply("floor_divide", other, self)

    def __mod__(self, other: object) -> Value:
        return self._apply("remainder", self, other)

    def __rmod__(self, other: object) -> Value:
        return self._apply("remainder", other, self)

    def __neg__(self) -> Value:
        return self._apply("negative", self)

    def __abs__(self) -> Value:
        return self._apply("abs", self)

    def __invert__(self) -> Value:
        return self._apply("bitwise_invert", self)

    def __and__(self, other: object) -> Value:
        return self._apply("bitwise_and", self, other)

    def __rand__(self, other: object) -> Value:
        return self._apply("bitwise_and", other, self)

    def __or__(self, other: object) -> Value:
        return self._apply("bitwise_or", self, other)

    def __ror__(self, other: object) -> Value:
        return self._apply("bitwise_or", other, self)

    def __xor__(self, other: object) -> Value:
        return self._apply("bitwise_xor", self, other)

    def __rxor__(self, other: object) -> Value:
        return self._apply("bitwise_xor", other, self)

    def __lshift__(self, other: object) -> Value:
        return self._apply("bitwise_left_shift", self, other)

    def __rlshift__(self, other: object) -> Value:
        return self._apply("bitwise_left_shift", other, self)

    def __rshift__(self, other: object) -> Value:
        return self._apply("bitwise_right_shift", self, other)

    def __rrshift__(self, other: object) -> Value:
        return self._apply("bitwise_right_shift", other, self)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._apply("equal", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._apply("not_equal", self, other)

    def __lt__(self, other: object) -> Value:
        return self._apply("less", self, other)

    def __le__(self, other: object) -> Value:
        return self._apply("less_equal", self, other)

    def __gt__(self, other: object) -> Value:
        return self._apply("greater", self, other)

    def __ge__(self, other: object) -> Value:
        return self._apply("greater_equal", self, other)

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def _refuse(self, *others: object) -> NoReturn:
        raise UnsupportedError(
            "program: Python asks for a value while the program is recorded, where there is none "
            "yet; choose with if_() and else_() or where(), combine conditions with & and |, and "
            "repeat with for_() and while_()"
        )

    __bool__ = __int__ = __float__ = __index__ = __iter__ = __len__ = __array__ = _refuse


class Variable(Value):
    """A value that `assign` and Python's assignments in place change.

    An expression takes the value that it has where the expression is written.
    """

    __slots__ = ()
    _expr: Var

    def assign(self, value: Operand) -> None:
        """Give it another value, of its own type."""
        self._recorder.assign(self, value)

    def _in_place(self, name: str, other: object) -> Self:
        self.assign(self._recorder.apply(name, self, other))  # type: ignore[arg-type]
        return self

    def __iadd__(self, other: object) -> Self:
        return self._in_place("add", other)

    def __isub__(self, other: object) -> Self:
        return self._in_place("subtract", other)

    def __imul__(self, other: object) -> Self:
        return self._in_place("multiply", other)

    def __itruediv__(self, other: object) -> Self:
        return self._in_place("divide", other)

    def __ifloordiv__(self, other: object) -> Self:
        return self._in_place("floor_divide", other)

    def __imod__(self, other: object) -> Self:
        return self._in_place("remainder", other)

    def __iand__(self, other: object) -> Self:
        return self._in_place("bitwise_and", other)

    def __ior__(self, other: object) -> Self:
        return self._in_place("bitwise_or", other)

    def __ixor__(self, other: object) -> Self:
        return self._in_place("bitwise_xor", other)

    def __ilshift__(self, other: object) -> Self:
        return self._in_place("bitwise_left_shift", other)

    def __irshift__(self, other: object) -> Self:
        return self._in_place("bitwise_right_shift", other)


class Elements:
    """An array of a program: ``image[y, x]`` is read, ``labels[y, x] = value`` is written."""

    __slots__ = ("_is_writable", "_number", "_recorder", "_slots", "name")

    def __init__(
        self, name: str, number: int, slots: ArraySlots, is_writable: bool, recorder: Recorder
    ) -> None:
        self.name = name
        self._number = number
        self._slots = slots
        self._is_writable = is_writable
        self._recorder = recorder

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, as NumPy's."""
        return self._slots.dtype.numpy

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._slots.sizes)

    @property
    def shape(self) -> tuple[Value, ...]:
        """The lengths of the axes, as values of type int64."""
        return tuple([self._recorder.size(var) for var in self._slots.sizes])

    def __getitem__(self, index: object) -> Value:
        return self._recorder.load(self, index)

    def __setitem__(self, index: object, value: Operand) -> None:
        self._recorder.store(self, index, value)

    def get(self, index: object, outside: Operand) -> Value:
        """Return the element at an index, or `outside` where there is none."""
        return self._recorder.load_inside(self, index, outside)

    def atomic_add(self, index: object, value: Operand) -> Value:
        """Add to an element in one step, which no other thread divides; return what it was.

        The array holds integers of 32 or 64 bits; sums wrap.
        """
        return self._recorder.atomic_add(self, index, value)

    def __iter__(self) -> NoReturn:
        raise UnsupportedError(
            f"program: {self.name} cannot be iterated while the program is recorded; loop over its "
            f"indices: with p.for_({self.name}.shape[0]) as i"
        )

    def __len__(self) -> NoReturn:
        raise ParameterError(
            f"program: the length of {self.name} is not known while the program is recorded; use "
            f"{self.name}.shape[0]"
        )

    def __repr__(self) -> str:
        return f"Elements({self.name}: {self._slots.dtype}, {self.ndim} axes)"


Operand: TypeAlias = Value | bool | int | float

_OPERANDS = (Value, bool, int, float, np.generic)
