"""Records of a prepared run: its launches, their memory, and how results are delivered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from muntin.core.plan.kernel import KernelGraph
from muntin.dtypes import DType
from muntin.runtime.bind import Binding, scalar_bits
from muntin.runtime.compiled import CompiledKernel

if TYPE_CHECKING:
    from muntin.core.loops.definition import Call

__all__ = [
    "Aside",
    "Delivery",
    "Fresh",
    "HostStep",
    "Overlap",
    "Place",
    "Prepared",
    "Step",
    "Strides",
]

Strides: TypeAlias = tuple[int, ...]


class Overlap(NamedTuple):
    """An out that shares memory with an input; `is_same` if both lie the same way."""

    out: int
    position: int
    is_same: bool


class Place(NamedTuple):
    """Where element (0, …, 0) of an array lies: bytes past the data of the node at `position`.

    An `aside` place is in memory that nobody reads.
    """

    position: int
    offset: int
    strides: Strides
    aside: bool = False


class Fresh(NamedTuple):
    """Memory that a run takes for the node at `position`; `is_zero` if it must be cleared."""

    position: int
    shape: tuple[int, ...]
    dtype: DType
    nbytes: int
    is_zero: bool


class Aside(NamedTuple):
    """Memory that nobody reads: `length` elements, `offset` bytes before the pointer in `slot`."""

    slot: int
    offset: int
    length: int
    dtype: DType


class Step(NamedTuple):
    """One launch: the binding, and where its pointers and numbers come from."""

    graph: KernelGraph
    kernel: CompiledKernel
    binding: Binding
    fresh: tuple[Fresh, ...]
    pointers: tuple[tuple[int, int, int], ...]  # slot, position, offset
    asides: tuple[Aside, ...]
    scalars: tuple[tuple[int, int, DType], ...]  # slot, position, type
    released: tuple[int, ...]
    cleared: tuple[int, ...] = ()  # memory that was given, which the launch finds zero
    fault: tuple[Call, int] | None = None  # a checked call, and the memory of its fault
    indexed: tuple[tuple[int, int], ...] = ()  # axes that indices choose along, and their sizes
    # of a program: where records lie, what they are about, whether indices wrap, and its name
    records: tuple[tuple[int, list[tuple[int, int]], bool, str], ...] = ()


class HostStep(NamedTuple):
    """The host computes the node at `position` from those at others, into memory that it takes."""

    position: int
    operands: tuple[int, ...]
    fresh: Fresh
    released: tuple[int, ...]


class Delivery(NamedTuple):
    """How a root reaches its caller.

    `is_in_place` if its out or its fresh memory was written by a kernel; else the elements of the
    node at `position`, seen through the view node at `view`, are copied in `region`.
    """

    position: int
    view: int | None
    is_in_place: bool
    region: tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """The launches of a run, which outs are written by them, and how the roots are delivered."""

    steps: tuple[Step | HostStep, ...]
    targets: tuple[tuple[int, int], ...]  # position, out
    deliveries: tuple[Delivery, ...]
    is_direct: bool  # every root is in place

    def holding(self, numbers: Mapping[int, Any]) -> Prepared:
        """Return the same with some numbers, by position, in their slots for all runs."""
        return replace(self, steps=tuple([_holding(step, numbers) for step in self.steps]))

    @property
    def launches(self) -> list[Step]:
        """The steps that run a kernel."""
        return [step for step in self.steps if isinstance(step, Step)]


def _holding(step: Step | HostStep, numbers: Mapping[int, Any]) -> Step | HostStep:
    if not isinstance(step, Step):
        return step
    slots = step.binding.slots[:]
    for slot, position, dtype in step.scalars:
        if position in numbers:
            slots[slot] = scalar_bits(numbers[position], dtype)
    left = tuple([scalar for scalar in step.scalars if scalar[1] not in numbers])
    return step._replace(binding=replace(step.binding, slots=slots), scalars=left)
