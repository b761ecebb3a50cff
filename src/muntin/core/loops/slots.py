"""The variables of a program's parameters, by their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.core.loops.parameters import Input, Output, Scalar, Scratch, Update
from muntin.core.program import INDEX, POINTER, Var
from muntin.dtypes import DType, dtype_of

__all__ = ["ArraySlots", "array_slots", "scalar_slot"]


@dataclass(frozen=True, slots=True)
class ArraySlots:
    """The variables of an array in a program: where it begins, its sizes and its byte strides."""

    dtype: DType
    pointer: Var
    sizes: tuple[Var, ...]
    strides: tuple[Var, ...]

    @property
    def variables(self) -> tuple[Var, ...]:
        return (self.pointer, *self.sizes, *self.strides)


def array_slots(number: int, array: Input | Output | Update | Scratch) -> ArraySlots:
    """Return the variables of the parameter with a number."""
    name, axes = f"array{number}", range(array.ndim)
    return ArraySlots(
        dtype_of(array.dtype),
        Var(POINTER, name),
        tuple([Var(INDEX, f"{name}_size{axis}") for axis in axes]),
        tuple([Var(INDEX, f"{name}_stride{axis}") for axis in axes]),
    )


def scalar_slot(number: int, scalar: Scalar) -> Var:
    """Return the variable of the parameter with a number."""
    return Var(dtype_of(scalar.dtype), f"scalar{number}")
