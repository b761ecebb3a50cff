"""Schedulers and runs that look at what a kernel does with its window and its memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pytest

from muntin.core.plan.facts import KernelFacts
from muntin.core.program import POINTER, Program
from muntin.dtypes import dtype_of
from muntin.errors import BoundsError
from muntin.runtime import native
from muntin.runtime.bind import Binding
from muntin.runtime.compiled import CompiledKernel
from muntin.runtime.indices import check_record
from muntin.runtime.interpret import Interpreter, Memory, Pointer
from muntin.runtime.launch import Launch
from muntin.runtime.scheduler import CPUScheduler
from muntin.runtime.steps import Step

Array: TypeAlias = np.ndarray[Any, Any]

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 6, ctypes.c_void_p)
_GUARD = 256


def assert_same(got: Array, wanted: Array) -> None:
    """Check that two arrays have the same type, shape and bits; all NaNs count as equal."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    with np.errstate(all="ignore"):  # bfloat16 warns of NaN
        alike = got == wanted
        if dtype_of(got.dtype).is_float:
            alike &= np.signbit(got) == np.signbit(wanted)
            alike |= np.isnan(got) & np.isnan(wanted)
    if not alike.all():
        place = tuple(np.argwhere(~alike)[0].tolist())
        count = int((~alike).sum())
        raise AssertionError(
            f"{count} of {alike.size} differ; the first at {place}: got {got[place]!r}, wanted "
            f"{wanted[place]!r}\ngot\n{got}\nwanted\n{wanted}"
        )


def pieces(
    extent: tuple[int, int, int], grain: tuple[int, int, int]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Return the boxes that a launch is cut into."""
    starts = [range(0, size, step) for size, step in zip(extent, grain, strict=True)]
    for corner in product(*starts):
        box: list[int] = []
        for start, size, step in zip(corner, extent, grain, strict=True):
            box += [start, min(start + step, size)]
        yield tuple(box)  # type: ignore[misc]


def finer(rng: np.random.Generator, launch: Launch | Binding) -> tuple[int, int, int]:
    """Return a random grain that is not coarser than that of a launch."""
    sizes = []
    for size, unit in zip(launch.grain, launch.unit, strict=True):
        count = int(rng.integers(1, -(-size // unit), endpoint=True))
        sizes.append(min(count * unit, size))
    return tuple(sizes)  # type: ignore[return-value]


@dataclass
class Auditor:
    """Runs pieces finer than asked, in any order, each with scratch memory full of rubbish.

    The bytes beside the scratch memory must stay as they are. `grain` is that of all launches, of
    random size if None; `rubbish` is one byte, random ones if None.
    """

    rng: np.random.Generator
    threads: int = 1
    grain: tuple[int, int, int] | None = None
    rubbish: int | None = None
    launches: list[Launch] = field(default_factory=list)

    def launch(self, launch: Launch) -> None:
        self.launches.append(launch)
        boxes = list(pieces(launch.extent, self.grain or finer(self.rng, launch)))
        self.rng.shuffle(boxes)  # type: ignore[arg-type]
        call = _ENTRY(launch.entry)
        for box in boxes:
            whole = self.rng.integers(0, 256, launch.scratch_bytes + 2 * _GUARD + 64, np.uint8)
            if self.rubbish is not None:
                whole[:] = self.rubbish
            start = _GUARD + -(whole.ctypes.data + _GUARD) % 64
            stop = start + launch.scratch_bytes
            before, after = whole[:start].copy(), whole[stop:].copy()
            call(launch.args, *map(int, box), whole.ctypes.data + start)
            assert (whole[:start] == before).all(), "bytes before the scratch memory were written"
            assert (whole[stop:] == after).all(), "bytes after the scratch memory were written"


@dataclass
class Crowd:
    """Runs pieces finer than asked on two threads."""

    rng: np.random.Generator
    scheduler: CPUScheduler
    threads: int = 2

    def launch(self, launch: Launch) -> None:
        grain = finer(self.rng, launch)
        self.scheduler.launch(launch._replace(grain=grain, threads=2))


class InterpretedKernel(CompiledKernel):
    """A kernel that is lowered and not compiled."""

    @property
    def facts(self) -> KernelFacts:
        return self.lowered.facts


@dataclass
class Interpreting:
    """Runs the programs of kernels in Python, in place of `native._launch`.

    Indices that are out of bounds are `faults`, after which a run goes on.
    """

    rng: np.random.Generator
    grain: tuple[int, int, int] | None = None
    memories: dict[Any, Memory] = field(default_factory=dict)
    fresh: list[Memory] = field(default_factory=list)
    alive: list[Array] = field(default_factory=list)
    record: Array = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    faults: list[BoundsError] = field(default_factory=list)
    interpreters: dict[Program, Interpreter] = field(default_factory=dict)
    is_quick: bool = False

    def memory(self, array: Array, *, is_set: bool = True) -> Memory:
        """Return the memory of an array; one memory for all arrays that lie alike."""
        key = (array.ctypes.data, array.shape, array.strides, array.itemsize)
        if key not in self.memories or not is_set:
            name = f"{array.dtype} {array.shape}"
            self.memories[key] = Memory(array, name=name, is_set=is_set)
            self.alive.append(array)
        return self.memories[key]

    @contextmanager
    def in_place_of_code(self) -> Iterator[None]:
        """Let the CPU device run programs, and compile nothing."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native, "_launch", self.launch)
            patch.setattr(native, "CompiledKernel", InterpretedKernel)
            yield

    def launch(
        self, step: Step, held: dict[int, Any], numbers: dict[int, Any], *rest: object
    ) -> None:
        binding, program = step.binding, step.kernel.program
        for new in step.fresh:
            self.fresh.append(self.memory(held[new.position], is_set=new.is_zero))
        if 0 in binding.extent:
            return
        slots: list[Any] = list(binding.slots)[: len(program.slots)]  # no code of shared functions
        for slot, position, offset in step.pointers:
            slots[slot] = _moved(self.memory(held[position]), offset)
        for slot, offset, length, dtype in step.asides:
            slots[slot] = _moved(self.memory(np.empty(length, dtype.numpy)), offset)
        for number in range(len(binding.output_slots)):
            slots[binding.phase_slot + number] = int(self.rng.integers(64))
        for slot, position, _ in step.scalars:
            slots[slot] = numbers[position]
        if binding.record_slot >= 0:
            self.record = np.zeros((len(step.indexed), 2), np.int64)
            slots[binding.record_slot] = _moved(self.memory(self.record), 0)
        assert [isinstance(slot, Pointer) for slot in slots] == [
            var.dtype is POINTER for var in program.slots
        ]
        grain = self.grain or finer(self.rng, binding)
        boxes = list(pieces(binding.extent, grain))
        self.rng.shuffle(boxes)  # type: ignore[arg-type]
        interpreter = self.interpreters.get(program)
        if interpreter is None:
            interpreter = self.interpreters[program] = Interpreter(program, is_quick=self.is_quick)
        for piece in boxes:
            scratch = Memory.scratch(binding.scratch_bytes)
            interpreter.run(slots, piece, scratch, seed=int(self.rng.integers(1 << 30)))
        records = [(held[position], *about) for position, *about in step.records]
        if binding.record_slot >= 0:
            records.append((self.record, step.indexed, True, "index"))
        for record, indexed, wraps, operation in records:
            try:
                check_record(record.tolist(), indexed, wraps=wraps, operation=operation)
            except BoundsError as error:
                self.faults.append(error)

    def check_written(self) -> None:
        """Check that every element of the memory taken by the run was written."""
        assert [memory.name for memory in self.fresh if memory.unset] == []


def _moved(memory: Memory, offset: int) -> Pointer:
    return Pointer(memory, memory.first.offset + offset)
