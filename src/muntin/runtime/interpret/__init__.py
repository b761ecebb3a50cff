"""Runs any program in Python with every index asserted: the checked build of every lowering."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, TypeAlias

import numpy as np

from muntin.core.program import Function, Parameter, Program
from muntin.errors import InternalError
from muntin.runtime.interpret.log import AccessLog
from muntin.runtime.interpret.memory import Memory, Pointer
from muntin.runtime.interpret.statements import Callee

__all__ = ["BOX", "Interpreter", "Memory", "Pointer", "interpret"]

BOX = ("o0", "o1", "y0", "y1", "x0", "x1")

Slots: TypeAlias = Sequence[int | float | Pointer]
Box: TypeAlias = tuple[int, int, int, int, int, int]


class Interpreter:
    """A program made ready to run on boxes of its iteration space, by one thread.

    Parameters
    ----------
    program : Program
        Its types and scopes are checked at once, those of shared functions when they are called.
    is_strict : bool
        Whether what one of the iterations of an independent loop writes must be its own, but for
        additions in one step.
    is_quick : bool
        Whether types and scopes are checked of what is run alone, and promises (`independent`,
        `unaliased`) are not.

    Raises
    ------
    InternalError
        If the program is at fault.
    """

    def __init__(
        self, program: Program, *, is_strict: bool = False, is_quick: bool = False
    ) -> None:
        self._program, self._entry = program, _with_slots(program)
        self._log, self._random = AccessLog(is_strict, is_quick), Random()
        self._callees: dict[str, Callee] = {}
        for function in (*program.functions[:-1], self._entry):
            callee = Callee(function, self._log, self._callees, self._random, is_lazy=is_quick)
            if not (function.shared or is_quick):
                callee.compile()
            self._callees[function.name] = callee
        self._names = [parameter.var.name for parameter in self._entry.parameters]
        known = {*BOX, "scratch", *[var.name for var in program.slots]}
        for name in self._names:
            if name not in known:
                raise InternalError(f"interpret: parameter {name} of the entry is in no slot")

    def run(self, slots: Slots, box: Box, scratch: Memory, *, seed: int = 0) -> None:
        """Run the program on a box: see `interpret`."""
        program = self._program
        if len(slots) not in (len(program.slots), len(program.slots) + len(program.shared)):
            raise InternalError(
                f"interpret: got {len(slots)} slots; there are {len(program.slots)}"
            )
        self._log.reset()
        self._random.seed(seed)
        known: dict[str, Any] = dict(zip(BOX, map(np.int64, box), strict=True))
        known["scratch"] = scratch.first
        for var, value in zip(program.slots, slots, strict=False):  # code is found by its name
            known[var.name] = value if isinstance(value, Pointer) else var.dtype.numpy.type(value)
        with np.errstate(all="ignore"):
            args = [known[name] for name in self._names]
            self._callees[self._entry.name](*args, is_entry=True)


def interpret(
    program: Program,
    slots: Slots,
    box: Box,
    scratch: Memory,
    *,
    seed: int = 0,
    is_strict: bool = False,
) -> None:
    """Run a program on a box of its iteration space.

    Parameters
    ----------
    program : Program
        Its types, scopes and promises (`independent`, `unaliased`, `written`) are checked too.
    slots : sequence
        The values of the caller's slots: numbers, and pointers to checked memory.
    box : tuple of int
        o0, o1, y0, y1, x0, x1.
    scratch : Memory
        What the entry gets as scratch.
    seed : int
        Of the order in which the iterations of independent loops run.
    is_strict : bool
        Whether what one of these writes must be its own, but for additions in one step.

    Raises
    ------
    InternalError
        If the program is at fault.
    RaceError
        If it is strict, and an independent iteration uses what another writes.
    """
    Interpreter(program, is_strict=is_strict).run(slots, box, scratch, seed=seed)


def _with_slots(program: Program) -> Function:
    """Return the entry with a parameter for each slot."""
    entry = program.entry
    listed = {parameter.var.name for parameter in entry.parameters}
    others = tuple([Parameter(var) for var in program.slots if var.name not in listed])
    return Function(entry.name, (*entry.parameters, *others), entry.body)
