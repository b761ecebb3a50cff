"""Runs any program in Python with every index asserted: the checked build of every lowering."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from muntin.core.program import Function, Parameter, Program
from muntin.errors import InternalError
from muntin.runtime.interpret.log import AccessLog
from muntin.runtime.interpret.memory import Memory, Pointer
from muntin.runtime.interpret.statements import Callee, compile_function

__all__ = ["BOX", "Memory", "Pointer", "interpret"]

BOX = ("o0", "o1", "y0", "y1", "x0", "x1")


def interpret(
    program: Program,
    slots: Sequence[int | float | Pointer],
    box: tuple[int, int, int, int, int, int],
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
    if len(slots) not in (len(program.slots), len(program.slots) + len(program.shared)):
        raise InternalError(f"interpret: got {len(slots)} slots; there are {len(program.slots)}")
    log, random = AccessLog(is_strict), Random(seed)
    entry = _with_slots(program)
    compiled: dict[str, Callee] = {}
    for function in (*program.functions[:-1], entry):
        compiled[function.name] = compile_function(function, log, compiled, random)
    known: dict[str, Any] = dict(zip(BOX, map(np.int64, box), strict=True))
    known["scratch"] = scratch.first
    for var, value in zip(program.slots, slots, strict=False):  # code is found by its name
        known[var.name] = value if isinstance(value, Pointer) else var.dtype.numpy.type(value)
    names = [parameter.var.name for parameter in entry.parameters]
    for name in names:
        if name not in known:
            raise InternalError(f"interpret: parameter {name} of the entry is in no slot")
    with np.errstate(all="ignore"):
        compiled[entry.name](*[known[name] for name in names], is_entry=True)


def _with_slots(program: Program) -> Function:
    """Return the entry with a parameter for each slot."""
    entry = program.entry
    listed = {parameter.var.name for parameter in entry.parameters}
    others = tuple([Parameter(var) for var in program.slots if var.name not in listed])
    return Function(entry.name, (*entry.parameters, *others), entry.body)
