"""Binding of loops written by hand: the argument slots and windows of each of their phases."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING

from muntin.runtime.bind import Binding, Limits

if TYPE_CHECKING:
    from muntin.core.loops.definition import Call

__all__ = ["bind_loops"]

_SHARES = 8  # pieces a thread
_LEAST_PIECES = 64  # between two of them a signal is seen
_SERIAL_BYTES = 1 << 15  # arrays smaller than this stay in the calling thread, in one piece


def bind_loops(call: Call, strides: Mapping[int, tuple[int, ...]], limits: Limits) -> list[Binding]:
    """Return the binding of each phase: see `lower_loops` for the slots.

    Pointers go to the operand slots: those of the arrays, and that of the fault if there is one.

    Parameters
    ----------
    call
        The program, and the shapes of its arrays.
    strides
        Byte strides of the arrays, by the numbers of the parameters.
    limits
        Of this machine and call.
    """
    definition = call.definition
    slots: list[int] = []
    pointers: list[int] = []
    for number in definition.arrays:
        pointers.append(len(slots))
        slots += [0, *call.shapes[number], *strides[number]]
    scalar_slot = len(slots)
    slots += [0] * len(definition.scalars)
    phase_slot = len(slots)
    slots.append(0)
    if call.checked:
        pointers.append(len(slots))
        slots.append(0)
    nbytes = sum(
        prod(call.shapes[number]) * each.dtype.itemsize
        for number, each in definition.arrays.items()
    )
    # A checked run meets its first fault first, and ends there: its iterations are one piece.
    is_whole = call.checked or nbytes < _SERIAL_BYTES
    threads = 1 if is_whole else limits.threads
    pieces = 1 if is_whole else max(_SHARES * threads, _LEAST_PIECES)
    bindings = []
    for number, phase in enumerate(definition.phases):
        slots[phase_slot] = number
        count = call.extent(phase)
        extent, piece = (1, 1, count), (1, 1, max(-(-count // pieces), 1))
        words = array("q", slots)
        bindings.append(
            Binding(
                words,
                tuple(pointers),
                (),
                (),
                (),
                phase_slot,
                scalar_slot,
                extent,
                piece,
                0,
                threads,
                (1, 1, 1),
            )
        )
    return bindings
