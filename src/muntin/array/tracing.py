"""Numbers whose value a traced function does not know yet."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn, TypeAlias

from muntin.errors import UnsupportedError

__all__ = [
    "Formula",
    "TracedFloat",
    "TracedInt",
    "TracedNumber",
    "check_not_tracing",
    "is_tracing",
    "tracing",
]

_is_tracing: ContextVar[bool] = ContextVar("muntin_tracing", default=False)


@contextmanager
def tracing() -> Iterator[None]:
    """Refuse evaluations within a block."""
    token = _is_tracing.set(True)
    try:
        yield
    finally:
        _is_tracing.reset(token)


def is_tracing() -> bool:
    """Return whether a function is traced in this context."""
    return _is_tracing.get()


def check_not_tracing(operation: str) -> None:
    """Raise UnsupportedError while a function is traced."""
    if _is_tracing.get():
        raise UnsupportedError(
            f"{operation}: a value was asked for while muntin.function traces, where there is "
            "none yet; use muntin.where for a choice between arrays, or compute it outside"
        )


Formula: TypeAlias = Callable[[Sequence[Any]], Any]  # from the arguments of a call to the number


class TracedInt(int):
    """An integer as a node holds it: the value of the first call, and how to get it of another."""

    formula: Formula


class TracedFloat(float):
    """A float as a node holds it: the value of the first call, and how to get it of another."""

    formula: Formula


class TracedNumber:
    """A number argument of a traced function; it stands for the value of each later call.

    Arithmetic with numbers gives another one, which is computed anew at each call; with Arrays it
    gives Arrays, by the rules for Python numbers. What needs its value raises UnsupportedError.
    """

    __slots__ = ("formula", "value")
    __array_ufunc__ = None

    def __init__(self, value: Any, formula: Formula) -> None:
        self.value = value
        self.formula = formula

    @property
    def payload(self) -> int | float:
        """The number as a node holds it."""
        traced = TracedFloat(self.value) if isinstance(self.value, float) else TracedInt(self.value)
        traced.formula = self.formula
        return traced

    def _unary(self, function: Callable[[Any], Any]) -> TracedNumber:
        formula = self.formula
        return TracedNumber(function(self.value), lambda args: function(formula(args)))

    def _binary(self, function: Callable[[Any, Any], Any], other: object) -> TracedNumber:
        formula = self.formula
        if isinstance(other, TracedNumber):
            second = other.formula
            value = function(self.value, other.value)
            return TracedNumber(value, lambda args: function(formula(args), second(args)))
        if type(other) not in (bool, int, float):
            return NotImplemented  # type: ignore[no-any-return]
        value = function(self.value, other)
        return TracedNumber(value, lambda args: function(formula(args), other))

    def _reflected(self, function: Callable[[Any, Any], Any], other: object) -> TracedNumber:
        return self._binary(lambda a, b: function(b, a), other)

    def __add__(self, other: object) -> TracedNumber:
        return self._binary(operator.add, other)

    def __radd__(self, other: object) -> TracedNumber:
        return self._reflected(operator.add, other)

    def __sub__(self, other: object) -> TracedNumber:
        return self._binary(operator.sub, other)

    def __rsub__(self, other: object) -> TracedNumber:
        return self._reflected(operator.sub, other)

    def __mul__(self, other: object) -> TracedNumber:
        return self._binary(operator.mul, other)

    def __rmul__(self, other: object) -> TracedNumber:
        return self._reflected(operator.mul, other)

    def __truediv__(self, other: object) -> TracedNumber:
        return self._binary(operator.truediv, other)

    def __rtruediv__(self, other: object) -> TracedNumber:
        return self._reflected(operator.truediv, other)

    def __floordiv__(self, other: object) -> TracedNumber:
        return self._binary(operator.floordiv, other)

    def __rfloordiv__(self, other: object) -> TracedNumber:
        return self._reflected(operator.floordiv, other)

    def __mod__(self, other: object) -> TracedNumber:
        return self._binary(operator.mod, other)

    def __rmod__(self, other: object) -> TracedNumber:
        return self._reflected(operator.mod, other)

    def __pow__(self, other: object) -> TracedNumber:
        return self._binary(operator.pow, other)

    def __rpow__(self, other: object) -> TracedNumber:
        return self._reflected(operator.pow, other)

    def __neg__(self) -> TracedNumber:
        return self._unary(operator.neg)

    def __pos__(self) -> TracedNumber:
        return self

    def __abs__(self) -> TracedNumber:
        return self._unary(abs)

    def __repr__(self) -> str:
        return f"TracedNumber({type(self.value).__name__})"

    def _refuse(self, *others: object) -> NoReturn:
        raise UnsupportedError(
            "function: the value of a number argument was asked for while it is traced, where it "
            "may differ from call to call; use it in arithmetic with Arrays and numbers, or make "
            "it a constant of the function, as in function(lambda x: f(x, 3))"
        )

    __bool__ = __int__ = __float__ = __index__ = __complex__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __round__ = _refuse
    __trunc__ = __floor__ = __ceil__ = __array__ = _refuse
