"""Rows of the outputs: computed in their places, or in scratch memory and brought there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from muntin.core.lower.calls import RowCalls
from muntin.core.lower.layout import ArraySlots
from muntin.core.lower.loading import packing
from muntin.core.lower.row_loop import RowLoop
from muntin.core.lower.row_memory import RowMemory
from muntin.core.plan.facts import CACHE_LINE, RowMode
from muntin.core.plan.stages import Group
from muntin.core.program import (
    BOOL,
    POINTER,
    Advance,
    Call,
    Const,
    Expr,
    Function,
    StreamBytes,
    index,
)

__all__ = ["Outputs"]

ALIGNED_COLUMNS = 1024  # shorter rows are not worth a call more to start at a cache line


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """Writes rows of outputs.

    `stream` is the row loop that writes past the caches itself, if there is one.
    """

    memory: RowMemory
    calls: RowCalls
    functions: dict[str, Function]
    stream: RowLoop | None

    def compute(
        self,
        group: Group,
        loop: RowLoop,
        row: Expr,
        outer: Sequence[Expr],
        offsets: Sequence[Expr],
    ) -> None:
        """Compute the rows of the outputs from `row` on: each in its place, or in scratch memory.

        A row past the window is computed in vain, in scratch memory.
        """

        def run(targets: Sequence[Expr]) -> None:
            if self.memory.stages.domain.pointwise:
                self.call_aligned(loop, row, outer, offsets, targets)
            else:
                self.calls.call(
                    loop, self.memory.window.left, self.memory.window.right, row, outer, targets
                )

        is_single = group.rows == 1 and self.memory.stages.step > 1
        with (
            self.memory.builder.when(row < self.memory.window.bottom)
            if is_single
            else nullcontext()
        ):
            self.write(group, row, offsets, run)

    def write(
        self,
        group: Group,
        row: Expr,
        offsets: Sequence[Expr],
        run: Callable[[Sequence[Expr]], None],
    ) -> None:
        """Let `run` write rows to some targets, and bring them to their places."""
        b, window = self.memory.builder, self.memory.window
        outputs = [(number, self.memory.layout.outputs[number]) for number in group.outputs]
        targets, places = [], []
        for line in range(group.rows):
            for number, slots in outputs:
                offset = offsets[number] + (row + line) * slots.row + window.left * slots.column
                place = b.let(Advance(POINTER, slots.pointer, offset), "place")
                places.append(place)
                is_direct = self.is_direct(slots)
                if line:  # rows that are computed in vain may all lie in one place
                    lies_apart = (slots.row > 0).either(slots.row < 0)
                    is_direct = is_direct.both(lies_apart).both(row + line < window.bottom)
                scratch = self.memory.outputs[number][line]
                targets.append(b.let(is_direct.choose(place, scratch), "target"))
        run(targets)
        for line in range(group.rows):
            is_written = None if line == 0 else row + line < window.bottom
            for place_number, (number, slots) in enumerate(outputs):
                place = places[line * len(outputs) + place_number]
                self.deliver(slots, self.memory.outputs[number][line], place, is_written)

    def is_direct(self, slots: ArraySlots) -> Expr:
        """Return whether a row loop writes the rows of an output where they belong."""
        direct = slots.mode.equals(RowMode.DIRECT)
        return direct if self.stream is None else direct.either(slots.mode.equals(RowMode.STREAMED))

    def call_aligned(
        self,
        loop: RowLoop,
        row: Expr,
        outer: Sequence[Expr],
        offsets: Sequence[Expr],
        targets: Sequence[Expr],
    ) -> None:
        """Compute a row, the columns before the first that starts a cache line by themselves.

        Vectors that straddle two lines cost twice. Arrays made alike lie alike: what aligns the
        first output mostly aligns all, and if it does rows may be written past the caches.
        """
        b, window, outputs = self.memory.builder, self.memory.window, self.memory.layout.outputs
        phases = [
            b.let(phase + offset + row * slots.row + window.left * slots.column, "phase")
            for phase, offset, slots in zip(
                self.memory.layout.phases, offsets, outputs, strict=True
            )
        ]
        first = outputs[0].dtype.itemsize
        short = ((0 - phases[0]) & index(CACHE_LINE - 1)) // index(first)
        is_long = window.right - window.left >= ALIGNED_COLUMNS
        head = b.let(is_long.both(self.is_direct(outputs[0])).choose(short, index(0)), "head")
        with b.when(head > 0):
            self.calls.call(loop, window.left, window.left + head, row, outer, targets)
        start = b.let(window.left + head, "aligned")
        moved = [
            b.let(Advance(POINTER, target, head * slots.dtype.itemsize), "target")
            for target, slots in zip(targets, outputs, strict=True)
        ]
        if self.stream is None:
            self.calls.call(loop, start, window.right, row, outer, moved)
            return
        streams: Expr = Const(BOOL, 1)
        for phase, slots in zip(phases, outputs, strict=True):
            place = (phase + head * slots.dtype.itemsize) & index(CACHE_LINE - 1)
            streams = streams.both(slots.mode.equals(RowMode.STREAMED)).both(place.equals(0))
        with b.when(streams):
            self.calls.call(self.stream, start, window.right, row, outer, moved)
        with b.otherwise():
            self.calls.call(loop, start, window.right, row, outer, moved)

    def deliver(
        self, slots: ArraySlots, scratch: Expr, place: Expr, is_written: Expr | None
    ) -> None:
        """Move a row of an output from scratch memory to its place, if it is not there."""
        b, channels = self.memory.builder, self.memory.stages.domain.channels
        count = self.memory.window.right - self.memory.window.left
        streamed, packed = slots.mode.equals(RowMode.STREAMED), slots.mode.equals(RowMode.PACKED)
        if is_written is not None:
            streamed, packed = streamed.both(is_written), packed.both(is_written)
        if self.stream is None:
            with b.when(streamed):
                nbytes = count * (slots.dtype.itemsize * channels)
                b.add(StreamBytes(place, scratch, nbytes))
        with b.when(packed):
            args = (place, scratch, count, slots.column, slots.channel)
            name = packing(self.functions, "unpack", slots.dtype.itemsize, channels)
            b.add(Call(name, args))
