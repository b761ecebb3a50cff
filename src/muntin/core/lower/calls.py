"""Calls of row loops: where what they read lies, and what they gather from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from muntin.core.graph.folds import CHUNK
from muntin.core.lower.gathering import PAIR, WORD, is_narrow
from muntin.core.lower.layout import ArraySlots
from muntin.core.lower.row_loop import RowLoop
from muntin.core.lower.row_memory import RowMemory
from muntin.core.plan.facts import RowMode
from muntin.core.program import POINTER, Advance, Call, Expr, index

__all__ = ["RowCalls"]

FAR = 1 << 31  # bytes that offsets of 32 bits reach


@dataclass(frozen=True, slots=True, eq=False)
class RowCalls:
    """Writes the calls of row loops."""

    memory: RowMemory

    def output_offset(self, slots: ArraySlots, outer: Sequence[Expr]) -> Expr:
        """Return where the plane of an output lies, in bytes past its pointer."""
        offset: Expr = index(0)
        for stride, position in zip(slots.outer, outer, strict=True):
            offset = offset + position * stride
        return self.memory.builder.let(offset, "out_offset")

    def call(
        self,
        loop: RowLoop,
        start: Expr,
        stop: Expr,
        row: Expr,
        outer: Sequence[Expr],
        targets: Sequence[Expr],
        last: Sequence[Expr] = (),
    ) -> None:
        """Call a row loop for the columns from `start` to `stop` of a row."""
        args: list[Expr] = [(stop - start) * self.memory.stages.domain.channels]
        for stage, rows in loop.reads:
            even = self.is_one_element(stage, loop)
            first = start if even is None else even.choose(index(0), start)
            args.append(self.memory.row_pointer(stage, row + rows, first))
        args += targets
        args += [self.memory.layout.scalars[number] for number in loop.scalars]
        if loop.has_index:
            args += [start, row, *outer]
        for number in loop.gathers:
            args += self.gathered(number, loop.rows, row, start, outer)
        if loop.even:
            args.append(self.is_even(loop))
        if loop.gathers:
            args.append(self.is_near(loop))
        if loop.level:
            args.append(self.is_level(loop))
        args += last
        self.memory.builder.add(Call(loop.function.name, tuple(args)))

    def is_one_element(self, stage: int, loop: RowLoop) -> Expr | None:
        """Return when only one element of each row of a stage is read, None if that is never."""
        node, stages = self.memory.stages.stages[stage].node, self.memory.stages
        if not stages.domain.pointwise or node.op.kind != "input":
            return None
        if node.payload in loop.level:
            return self.is_level(loop)
        return self.is_even(loop) if node.payload in loop.even else None

    def is_level(self, loop: RowLoop) -> Expr:
        """Return whether all operands that may be are one element a row."""
        operands = self.memory.layout.operands
        levels = [operands[number].mode.equals(RowMode.LEVEL) for number in loop.level]
        return reduce(Expr.both, levels)

    def is_even(self, loop: RowLoop) -> Expr:
        """Return whether rows are gathered whole: see `RowLoop`."""
        operands = self.memory.layout.operands
        conditions = [operands[number].column.equals(0) for number in loop.even]
        for number in loop.gathers:
            slots = operands[number]
            conditions.append(slots.column.equals(slots.dtype.itemsize))
        return reduce(Expr.both, conditions)

    def is_near(self, loop: RowLoop) -> Expr:
        """Return whether offsets have 32 bits, and words can be read: see `RowLoop`."""
        channels, window = self.memory.stages.domain.channels, self.memory.window
        near = (window.right - window.left) * channels < FAR
        for number in loop.gathers:
            slots, indices = self.memory.layout.operands[number], self.memory.layout.indices[number]
            pitch = slots.dtype.itemsize * channels
            reach = (window.right - window.left) * _size(slots.column)
            reach = reach + _size(slots.channel) * channels
            for stride, size in zip(indices.strides, indices.sizes, strict=True):
                reach = reach + _size(stride) * size
            near = near.both(reach < FAR)
            if is_narrow(slots.dtype):
                near = near.both(indices.strides[-1].equals(pitch))
                near = near.both(indices.sizes[-1] * pitch >= WORD)
                if channels > 1:
                    near = near.both(slots.channel.equals(slots.dtype.itemsize))
        return near

    def gathered(
        self, number: int, rows: int, row: Expr, start: Expr, outer: Sequence[Expr]
    ) -> list[Expr]:
        """Return the arguments for what is gathered from an operand: see `Gathering`."""
        layout = self.memory.layout
        slots, indices = layout.operands[number], layout.indices[number]
        place = start * slots.column
        for position, stride in zip(outer, slots.outer, strict=True):
            place = place + position * stride
        lines = [row + line for line in range(rows)]
        if not self.memory.stages.domain.pointwise:  # rows past the image are made in vain
            lines = [line.at_least(0).at_most(layout.rows - 1) for line in lines]
        pointers: list[Expr] = [
            Advance(POINTER, slots.pointer, place + line * slots.row) for line in lines
        ]
        record = Advance(POINTER, layout.record, index(PAIR * indices.first))
        numbers = (slots.column, slots.channel, *indices.strides, *indices.sizes)
        return [*pointers, *numbers, record]

    @contextmanager
    def each_chunk(self) -> Iterator[Expr]:
        """Do what follows for each chunk of a row: its first element."""
        window, channels = self.memory.window, self.memory.stages.domain.channels
        stop = self.memory.builder.let(window.right * channels, "stop")
        with self.memory.builder.loop("element", window.left * channels, stop, CHUNK) as element:
            yield element

    def call_chunk(self, loop: RowLoop, row: Expr, element: Expr, pointers: Sequence[Expr]) -> None:
        """Call the function for the elements of a chunk of a row."""
        channels = self.memory.stages.domain.channels
        reads = [
            Advance(
                POINTER,
                self.memory.row_pointer(stage, row + rows, index(0)),
                element * (self.memory.state[stage].pixel // channels),
            )
            for stage, rows in loop.reads
        ]
        count = (self.memory.window.right * channels - element).at_most(CHUNK)
        scalars = [self.memory.layout.scalars[number] for number in loop.scalars]
        self.memory.builder.add(Call(loop.function.name, (count, *reads, *pointers, *scalars)))

    def chunk_start(
        self, slots: ArraySlots, row: Expr, element: Expr, outer: Sequence[Expr]
    ) -> Expr:
        """Return where an operand has what a chunk begins with."""
        offset = self.output_offset(slots, outer) + row * slots.row
        return Advance(POINTER, slots.pointer, offset + (element // index(CHUNK)) * slots.column)


def _size(stride: Expr) -> Expr:
    return stride.at_least(0 - stride)
