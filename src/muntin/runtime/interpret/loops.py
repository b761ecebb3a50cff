"""Runs loops written by hand in Python, with every index and every parallel loop checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.loops.definition import Call
from muntin.core.lower.loops import lower_loops
from muntin.runtime.indices import check_record
from muntin.runtime.interpret import interpret
from muntin.runtime.interpret.memory import Memory, Pointer

__all__ = ["interpret_loops"]

Array: TypeAlias = npt.NDArray[Any]


def interpret_loops(call: Call, args: Sequence[Array]) -> dict[int, Array]:
    """Return the outputs of a call, by the numbers of the parameters.

    Parameters
    ----------
    call
        The program and the shapes of its arrays.
    args
        The inputs, the numbers, and what the program changes, in the order of the parameters.

    Raises
    ------
    BoundsError
        If an index is outside an array.
    RaceError
        If an iteration of a parallel loop uses what another writes.
    """
    definition, checked = call.definition, replace(call, checked=True)
    first = len(args) - len(definition.updates)
    inputs = dict(zip(definition.inputs, args, strict=False))
    changed = dict(zip(definition.updates, args[first:], strict=True))
    arrays = {}
    for number, each in definition.arrays.items():
        if number in inputs:
            arrays[number] = _read_only(inputs[number])
        elif number in changed:
            arrays[number] = np.array(changed[number], order="C")
        else:
            arrays[number] = np.zeros(call.shapes[number], each.dtype.numpy)
    slots: list[Any] = []
    for number, array in arrays.items():
        memory = Memory(array, name=definition.names[number])
        slots += [memory.first, *array.shape, *array.strides]
    slots += [value[()] for value in args[len(inputs) : first]]
    fault = np.zeros(checked.fault_shape, np.int64)
    place: Pointer = Memory(fault, name="fault").first
    program = lower_loops(definition, checked=True)
    for number, phase in enumerate(definition.phases):
        box = (0, 1, 0, 1, 0, call.extent(phase))
        interpret(program, [*slots, number, place], box, Memory.scratch(0), is_strict=True)
        checked.refuse(fault.tolist())
    for number, record in definition.records.items():
        found, indexed = arrays[number].tolist(), call.indexed(number)
        check_record(found, indexed, wraps=record.wraps, operation=definition.name)
    return {number: arrays[number] for number in definition.outputs}


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
