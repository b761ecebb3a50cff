"""Makes the rows of operands readable: where they lie, or packed into scratch memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muntin.core.border import BorderMode
from muntin.core.lower.borders import map_position
from muntin.core.lower.packing import BLOCK, block_function, pack_function, packing_name
from muntin.core.lower.row_memory import RowMemory
from muntin.core.plan.facts import CACHE_LINE, RowMode
from muntin.core.plan.stages import Stage
from muntin.core.program import POINTER, Advance, Call, CopyBytes, Expr, Function, Prefetch, index

__all__ = ["Loading", "packing"]


def packing(functions: dict[str, Function], word: str, itemsize: int, channels: int) -> str:
    """Return the name of a packing function, made at its first use."""
    name = packing_name(word, itemsize, channels)
    if name not in functions:
        functions[name] = pack_function(word, itemsize, channels)
    return name


@dataclass(frozen=True, slots=True)
class Loading:
    """The statements that load rows, into the entry function of `memory`.

    `one_element` says, for some stages, when rows need not be packed of which one element is read.
    """

    memory: RowMemory
    functions: dict[str, Function]
    one_element: Mapping[int, Expr]

    def base(self, stage: Stage, outer: Sequence[Expr]) -> tuple[Expr, Expr | None]:
        """Return where an operand's plane lies, and whether it lies inside the array."""
        b = self.memory.builder
        slots = self.memory.layout.operands[stage.node.payload]
        pointer: Expr = slots.pointer
        inside: Expr | None = None
        for k, position in enumerate(outer):
            place = position
            offset = stage.outer[k] if stage.outer else 0
            if offset:
                assert stage.mode is not None
                size = self.memory.layout.outer_sizes[k]
                place = position + offset
                if stage.mode is BorderMode.CONSTANT:
                    within = (place >= 0).both(place < size)
                    inside = within if inside is None else inside.both(within)
                place = map_position(stage.mode, place, size, abs(offset))
            pointer = Advance(POINTER, pointer, place * slots.outer[k])
        if inside is not None:
            inside = b.let(inside, "inside")
        return b.let(pointer, "base"), inside

    def furthest(self) -> list[Stage]:
        """Return for each operand the stage that meets its rows first."""
        in_place = (0,) * len(self.memory.layout.outer_counts)
        loads = [stage for stage in self.memory.stages.stages if stage.is_load]
        loads.sort(key=lambda stage: (stage.outer or in_place, stage.lead))
        return list({stage.node.payload: stage for stage in loads}.values())

    def prefetch(self, stage: Stage, row: Expr, base: Expr) -> None:
        """Ask for row `row` of an operand, if rows are read where they lie; it may be outside."""
        b, state = self.memory.builder, self.memory.state[stage.number]
        slots = self.memory.layout.operands[stage.node.payload]
        with b.when(slots.mode.equals(RowMode.DIRECT)):
            first = Advance(POINTER, base, row * slots.row + state.start * state.pixel)
            ahead = b.let(first, "ahead")
            nbytes = (state.stop - state.start) * state.pixel
            with b.loop("line", index(0), nbytes, CACHE_LINE) as line:
                b.add(Prefetch(Advance(POINTER, ahead, line)))

    def load(self, stage: Stage, row: Expr, base: Expr, plane: Expr | None) -> None:
        """Make row `row` of an operand readable: find it where it lies, or pack it."""
        b, state = self.memory.builder, self.memory.state[stage.number]
        inside = plane
        position = row
        if stage.has_row_border and stage.mode is BorderMode.CONSTANT:
            within = (row >= 0).both(row < self.memory.layout.rows)
            inside = within if inside is None else inside.both(within)
        if stage.lead or stage.start or self.memory.stages.step > 1:  # it may leave the image
            position = self.memory.mapped_row(stage, row)
        if inside is None:
            self.load_inside(stage, row, position, base)
            return
        with b.when(inside):
            self.load_inside(stage, row, position, base)
        with b.otherwise():
            assert state.constant_row is not None
            self.memory.set_row(stage, row, self.memory.column_zero(stage, state.constant_row))

    def load_inside(self, stage: Stage, row: Expr, position: Expr, base: Expr) -> None:
        b, state = self.memory.builder, self.memory.state[stage.number]
        slots = self.memory.layout.operands[stage.node.payload]
        source = b.let(Advance(POINTER, base, position * slots.row), "source")
        is_direct = slots.mode.equals(RowMode.DIRECT)
        if not stage.is_padded:
            if stage.number in self.one_element:
                is_direct = is_direct.either(self.one_element[stage.number])
            with b.when(is_direct):
                self.memory.set_row(stage, row, source)
            with b.otherwise():
                if state.block is not None:
                    with b.when(slots.mode.equals(RowMode.BLOCKED)):
                        self.load_block(stage, state.block, row, source)
                    with b.otherwise():
                        self.load_packed(stage, row, source)
                else:
                    self.load_packed(stage, row, source)
            return
        target = self.memory.ring_row(stage, row)
        first = Advance(POINTER, target, index(state.lead))
        count = state.stop - state.start
        with b.when(is_direct):
            begin = Advance(POINTER, source, state.start * state.pixel)
            b.add(CopyBytes(first, begin, count * state.pixel))
        with b.otherwise():
            self.pack(stage, row, source)
        self.memory.pad(stage, first, source)
        self.memory.set_row(stage, row, self.memory.column_zero(stage, target))

    def load_packed(self, stage: Stage, row: Expr, source: Expr) -> None:
        target = self.pack(stage, row, source)
        self.memory.set_row(stage, row, self.memory.column_zero(stage, target))

    def load_block(self, stage: Stage, block: Expr, row: Expr, source: Expr) -> None:
        """Find a row in a block of rows, which is packed when its first row is asked for."""
        b, state = self.memory.builder, self.memory.state[stage.number]
        slots = self.memory.layout.operands[stage.node.payload]
        place = b.let((row - self.memory.window.top) & index(BLOCK - 1), "place")
        with b.when(place.equals(0)):
            name = packing_name("block", slots.dtype.itemsize, 1)
            self.functions.setdefault(name, block_function(slots.dtype.itemsize))
            begin = Advance(POINTER, source, state.start * slots.column)
            rows = (self.memory.window.bottom - row).at_most(BLOCK)
            columns = state.stop - state.start
            args = (block, begin, columns, rows, slots.column, state.row_bytes)
            b.add(Call(name, args))
        found = Advance(POINTER, block, place * state.row_bytes)
        self.memory.set_row(stage, row, self.memory.column_zero(stage, found))

    def pack(self, stage: Stage, row: Expr, source: Expr) -> Expr:
        """Gather a row into its ring and return where it begins there."""
        b, state = self.memory.builder, self.memory.state[stage.number]
        slots = self.memory.layout.operands[stage.node.payload]
        target = self.memory.ring_row(stage, row)
        first = Advance(POINTER, target, index(state.lead))
        begin = Advance(POINTER, source, state.start * slots.column)
        args = (first, begin, state.stop - state.start, slots.column, slots.channel)
        channels = self.memory.stages.domain.channels
        name = packing(self.functions, "pack", slots.dtype.itemsize, channels)
        b.add(Call(name, args))
        return target
