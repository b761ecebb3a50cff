"""What builds the loops of a program: the first parameter of its function."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy.typing as npt

from muntin.dtypes import DType

if TYPE_CHECKING:
    from muntin.core.loops.recorder import Recorder
    from muntin.core.loops.values import Operand, Value, Variable

__all__ = ["Loops"]


class Loops:
    """Builds the loops of a program; every elementwise operation is a method of it too.

    Loops and choices are context managers. What is written inside of one runs there, in order.
    Operations have the names of `muntin`'s functions: ``p.sqrt(x)``, ``p.minimum(a, b)``,
    ``p.where(condition, a, b)``; arithmetic and comparisons are Python's operators.
    """

    __slots__ = ("_recorder",)

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def for_(
        self, start: Operand, stop: Operand | None = None, step: int = 1
    ) -> AbstractContextManager[Value]:
        """Run a block for start, start + step, … below stop, or for 0, 1, … below a single number.

        The context manager gives the index, of type int64. The bounds are computed once.
        """
        first, last = (0, start) if stop is None else (start, stop)
        return self._recorder.loop(first, last, step)

    def while_(self, condition: Callable[[], Operand] | Variable) -> AbstractContextManager[None]:
        """Run a block as long as a condition holds: a variable, or a function that computes it."""
        return self._recorder.repetition(condition)

    def if_(self, condition: Operand) -> AbstractContextManager[None]:
        """Run a block where a condition holds."""
        return self._recorder.choice(condition)

    def else_(self) -> AbstractContextManager[None]:
        """Run a block where the condition of the `if_` that ends just before does not hold."""
        return self._recorder.otherwise()

    def parallel(self, count: Operand) -> AbstractContextManager[Value]:
        """Run a block for 0, 1, … below count, on several threads and in any order.

        It stands outside of other loops, and its count follows from shapes. Phases, which are
        parallel loops and what stands between them, run one after the other. No iteration may
        read or write an element that another writes, but by `atomic_add`.
        """
        return self._recorder.parallel(count)

    def let(self, value: Operand, dtype: DType | npt.DTypeLike | None = None) -> Value:
        """Return a number as a value, or what a variable is here."""
        return self._recorder.named(value, dtype)

    def variable(self, initial: Operand, dtype: DType | npt.DTypeLike | None = None) -> Variable:
        """Return a new variable with a first value, for the block in which it is declared."""
        return self._recorder.variable(initial, dtype)

    def cast(self, value: Operand, dtype: DType | npt.DTypeLike, overflow: str = "wrap") -> Value:
        """Return a value as another type: see `muntin.Array.astype`."""
        return self._recorder.cast(value, dtype, overflow)

    def __getattr__(self, name: str) -> Callable[..., Value]:
        return self._recorder.row(name)

    def __repr__(self) -> str:
        return f"Loops({self._recorder.name})"
