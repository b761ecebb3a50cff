"""Lowers a kernel to a march down the rows of its window.

For each row of the output every stage computes the row it needs next into a ring that stays in
cache; the row loops are small functions over contiguous memory. A pointwise kernel is the case of
one row loop and no ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from muntin.core.border import BorderMode
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.core.lower.borders import map_position, pad_row
from muntin.core.lower.layout import ArraySlots, Layout, RowMode, ScratchRows
from muntin.core.lower.packing import BLOCK, block_function, pack_function, packing_name
from muntin.core.lower.row_loop import RowLoop, row_loop
from muntin.core.plan.kernel import KernelGraph
from muntin.core.plan.stages import Group, Stage, Stages
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Call,
    Const,
    Convert,
    CopyBytes,
    Expr,
    Function,
    Load,
    Parameter,
    Program,
    StreamBytes,
    Var,
    index,
)
from muntin.dtypes import DType

__all__ = ["Lowered", "lower_rows"]


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A program, the order of its argument slots, and the scratch memory of one thread.

    The rows of `blocks` are needed only where an operand is read in blocks.
    """

    program: Program
    layout: Layout
    rows: tuple[ScratchRows, ...]
    blocks: tuple[ScratchRows, ...]
    fixed_scratch: int
    has_rings: bool
    seam: int
    reach: int
    whole_rows: bool


def lower_rows(kernel: KernelGraph, stages: Stages) -> Lowered:
    """Return the program of a kernel for a CPU."""
    return _Lowering(kernel, stages).lowered()


@dataclass(slots=True)
class _StageState:
    """The variables of one stage in the entry function."""

    pixel: int
    lead: int  # bytes before the first column, whole cache lines that hold the padding
    start: Expr
    stop: Expr
    row_bytes: Expr
    ring: Expr
    mask: int
    pointers: Expr | None = None
    pointer: Var | None = None
    constant_row: Expr | None = None
    block: Expr | None = None
    columns: dict[int, Expr] = field(default_factory=dict)


@dataclass(slots=True)
class _Lowering:
    kernel: KernelGraph
    stages: Stages
    builder: Builder = field(default_factory=Builder)
    functions: dict[str, Function] = field(default_factory=dict)
    state: list[_StageState] = field(default_factory=list)
    rows: list[ScratchRows] = field(default_factory=list)
    fixed: int = 0
    block_start: int = 0
    top: Expr = field(default_factory=lambda: Var(INDEX, "y0"))
    bottom: Expr = field(default_factory=lambda: Var(INDEX, "y1"))
    x0: Expr = field(default_factory=lambda: Var(INDEX, "x0"))
    x1: Expr = field(default_factory=lambda: Var(INDEX, "x1"))
    cursor: Expr = field(default_factory=lambda: Var(POINTER, "scratch"))
    scratch_rows: list[list[Expr]] = field(default_factory=list)
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        self.layout = Layout.of(
            self.kernel.domain,
            self.leaves("input"),
            [node.dtype for node in self.stages.outputs],
            self.leaves("scalar"),
        )

    def lowered(self) -> Lowered:
        loops = [self.loop(number, group) for number, group in enumerate(self.stages.groups)]
        self.entry(loops)
        names = ("o0", "o1", "y0", "y1", "x0", "x1")
        parameters = [Parameter(Var(INDEX, name)) for name in names]
        parameters.append(Parameter(Var(POINTER, "scratch"), unaliased=True, written=True))
        entry = self.builder.function("entry", parameters)
        program = Program((*self.functions.values(), entry), self.layout.variables)
        groups, stages = self.stages.groups, self.stages.stages
        return Lowered(
            program,
            self.layout,
            tuple(self.rows[: self.block_start]),
            tuple(self.rows[self.block_start :]),
            self.fixed,
            self.stages.step > 1 or any(stage.is_padded or not stage.is_load for stage in stages),
            max((-stage.start for stage in stages), default=0),
            max((stage.left + stage.right for stage in [*stages, *groups]), default=0),
            self.stages.whole_rows,
        )

    # --- what the kernel needs ------------------------------------------------------------------

    def leaves(self, kind: str) -> list[DType]:
        """Return the types of the operands or scalars, by their numbers."""
        found: dict[int, DType] = {}
        for node in topological(self.kernel.outputs):
            if node.op.kind == kind:
                found[node.payload] = node.dtype
        return [found[number] for number in sorted(found)]

    def loop(self, number: int, group: Group) -> RowLoop:
        name = "final" if group.is_final else f"rows{number}"
        loop = row_loop(name, group, self.kernel.domain)
        self.functions[name] = loop.function
        return loop

    def packing(self, word: str, itemsize: int) -> str:
        name = packing_name(word, itemsize, self.kernel.domain.channels)
        if name not in self.functions:
            self.functions[name] = pack_function(word, itemsize, self.kernel.domain.channels)
        return name

    # --- the entry ------------------------------------------------------------------------------

    def entry(self, loops: Sequence[RowLoop]) -> None:
        b, layout = self.builder, self.layout
        y0 = self.top = b.let(Var(INDEX, "y0") + layout.row_origin, "top")
        y1 = self.bottom = b.let(Var(INDEX, "y1") + layout.row_origin, "bottom")
        self.x0 = b.let(Var(INDEX, "x0") + layout.column_origin, "left")
        self.x1 = b.let(Var(INDEX, "x1") + layout.column_origin, "right")
        self.allocate()
        step = self.stages.step
        first = min([0, *[stage.start for stage in self.stages.stages]])
        with b.loop("o", Var(INDEX, "o0"), Var(INDEX, "o1")) as o:
            outer = self.outer_positions(o)
            bases = [self.base(stage, outer) for stage in self.stages.stages if stage.is_load]
            outputs = [self.output_base(k, outer) for k in range(len(self.layout.outputs))]
            with b.loop("t", y0 + first, y1, step) as t:
                loads = iter(bases)
                for stage in self.stages.stages:
                    if stage.is_load:
                        base = next(loads)
                        with self.guard(t, y0, stage.start, first):
                            with self.each_row(t + stage.lead, step) as row:
                                self.load(stage, row, *base)
                for group, loop in zip(self.stages.groups, loops, strict=True):
                    with self.guard(t, y0, group.start, first):
                        with self.each_row(t + group.lead, step, group.rows) as row:
                            if group.is_final:
                                self.final(group, loop, row, y1, outer, outputs)
                            else:
                                self.compute(group, loop, row, outer)

    def guard(self, t: Expr, y0: Expr, start: int, first: int) -> AbstractContextManager[None]:
        """Run what follows from step y0 + start on."""
        return nullcontext() if start == first else self.builder.when(t >= y0 + start)

    @contextmanager
    def each_row(self, first: Expr, count: int, step: int = 1) -> Iterator[Expr]:
        """Do what follows for every `step`-th of `count` rows from `first` on."""
        b = self.builder
        first = b.let(first, "row")
        if step >= count:
            yield first
        else:
            with b.loop("row", first, first + count, step) as row:
                yield row

    def allocate(self) -> None:
        """Lay out the scratch memory: the pointers of the rings, then the rows."""
        for stage in self.stages.stages:
            self.state.append(self.stage_state(stage))
        for stage, state in zip(self.stages.stages, self.state, strict=True):
            extra = stage.left + stage.right + stage.pad_right
            rows = ScratchRows(_power_of_two(stage.depth), extra, state.pixel, state.lead)
            state.row_bytes = self.row_bytes(rows)
            state.ring = self.take(rows, state.row_bytes)
            if stage.mode is BorderMode.CONSTANT and (stage.has_row_border or any(stage.outer)):
                state.constant_row = self.constant_row(stage, state, replace(rows, count=1))
        for output in self.layout.outputs:
            pixel = output.dtype.itemsize * self.kernel.domain.channels
            rows = ScratchRows(self.stages.step, 0, pixel)
            row_bytes = self.row_bytes(rows)
            first = self.take(rows, row_bytes)
            self.scratch_rows.append(
                [Advance(POINTER, first, row_bytes * line) for line in range(rows.count)]
            )
        self.block_start = len(self.rows)
        if self.kernel.domain.pointwise:
            for stage, state in zip(self.stages.stages, self.state, strict=True):
                if stage.is_load:
                    state.block = self.take(ScratchRows(BLOCK, 0, state.pixel), state.row_bytes)

    def stage_state(self, stage: Stage) -> _StageState:
        b, domain = self.builder, self.kernel.domain
        pixel = stage.node.dtype.itemsize * domain.channels
        start = b.let((self.x0 - stage.left).at_least(0), "start")
        stop = b.let((self.x1 + stage.right).at_most(self.layout.columns), "stop")
        mask = _power_of_two(stage.depth) - 1
        lead = (stage.pad_left * pixel + 63) & -64
        state = _StageState(pixel, lead, start, stop, index(0), index(0), mask)
        if stage.depth > 1:
            state.pointers = b.let(Advance(POINTER, self.cursor, index(self.fixed)), "pointers")
            self.fixed += (8 * (mask + 1) + 63) & -64
        if stage.is_padded and stage.mode not in (None, BorderMode.UNDEFINED):
            assert stage.mode is not None
            reach = max(stage.pad_left, stage.pad_right)
            width = self.layout.columns
            for k in range(-stage.pad_left, stage.pad_right):
                place: Expr = index(k) if k < 0 else width + k
                column = map_position(stage.mode, place, width, reach)
                state.columns[k] = b.let(column, "column")
        return state

    def row_bytes(self, rows: ScratchRows) -> Expr:
        """Return `ScratchRows.row_bytes` of the window's columns."""
        used = (self.x1 - self.x0 + rows.extra) * rows.pixel + rows.lead + 63
        return self.builder.let(used & index(-64), "row_bytes")

    def take(self, rows: ScratchRows, row_bytes: Expr) -> Expr:
        """Set aside rows of scratch memory and return where they start."""
        b = self.builder
        if not self.rows:
            self.cursor = b.let(Advance(POINTER, self.cursor, index(self.fixed)), "rows")
        self.rows.append(rows)
        taken = self.cursor
        self.cursor = b.let(Advance(POINTER, taken, row_bytes * rows.count), "rows")
        return taken

    def constant_row(self, stage: Stage, state: _StageState, rows: ScratchRows) -> Expr:
        """Set aside a row and fill it with the constant of the stage's border."""
        b = self.builder
        row = self.take(rows, state.row_bytes)
        value = b.let(self.number(stage.constant), "constant")
        count = state.row_bytes // index(stage.node.dtype.itemsize)
        with b.loop("x", index(0), count, independent=True) as x:
            b.store(row, x, value)
        return row

    def number(self, node: Node | None) -> Expr:
        """Return the value of a border's constant."""
        assert node is not None
        if node.op.kind == "constant":
            return Const(node.dtype, node.payload)
        if node.op.kind == "scalar":
            return self.layout.scalars[node.payload]
        return Convert(node.dtype, self.number(node.args[0]), bool(node.params))

    # --- outer axes -----------------------------------------------------------------------------

    def outer_positions(self, o: Expr) -> list[Expr]:
        """Return the position along each outer axis of step `o` through the box."""
        b, counts = self.builder, self.layout.outer_counts
        positions: list[Expr] = []
        rest: Expr = o
        for k in range(len(counts) - 1, 0, -1):
            quotient = b.let(rest // counts[k], "quotient")
            positions.append(rest - quotient * counts[k])
            rest = quotient
        if counts:
            positions.append(rest)
        origins = self.layout.outer_origins
        return [
            b.let(place + origin, "position")
            for place, origin in zip(reversed(positions), origins, strict=True)
        ]

    def base(self, stage: Stage, outer: Sequence[Expr]) -> tuple[Expr, Expr | None]:
        """Return where an operand's plane lies, and whether it lies inside the array."""
        b = self.builder
        slots = self.layout.operands[stage.node.payload]
        pointer: Expr = slots.pointer
        inside: Expr | None = None
        for k, position in enumerate(outer):
            place = position
            offset = stage.outer[k] if stage.outer else 0
            if offset:
                assert stage.mode is not None
                size = self.layout.outer_sizes[k]
                place = position + offset
                if stage.mode is BorderMode.CONSTANT:
                    within = (place >= 0).both(place < size)
                    inside = within if inside is None else inside.both(within)
                place = map_position(stage.mode, place, size, abs(offset))
            pointer = Advance(POINTER, pointer, place * slots.outer[k])
        if inside is not None:
            inside = b.let(inside, "inside")
        return b.let(pointer, "base"), inside

    def output_base(self, number: int, outer: Sequence[Expr]) -> Expr:
        slots = self.layout.outputs[number]
        pointer: Expr = slots.pointer
        for stride, position in zip(slots.outer, outer, strict=True):
            pointer = Advance(POINTER, pointer, position * stride)
        return self.builder.let(pointer, "out_base")

    # --- one step -------------------------------------------------------------------------------

    def load(self, stage: Stage, row: Expr, base: Expr, plane: Expr | None) -> None:
        """Make row `row` of an operand readable: find it where it lies, or pack it."""
        b, state = self.builder, self.state[stage.number]
        inside = plane
        position = row
        if stage.has_row_border:
            assert stage.mode is not None
            height = self.layout.rows
            if stage.mode is BorderMode.CONSTANT:
                within = (row >= 0).both(row < height)
                inside = within if inside is None else inside.both(within)
            position = self.mapped_row(stage, row)
        elif self.stages.step > 1:  # the last row of a step may lie past the image
            position = b.let(row.at_least(0).at_most(self.layout.rows - 1), "mapped")
        if inside is None:
            self.load_inside(stage, state, row, position, base)
            return
        with b.when(inside):
            self.load_inside(stage, state, row, position, base)
        with b.otherwise():
            assert state.constant_row is not None
            self.set_row(stage, row, self.column_zero(stage, state, state.constant_row))

    def mapped_row(self, stage: Stage, row: Expr) -> Expr:
        b, height = self.builder, self.layout.rows
        assert stage.mode is not None
        reach = max(stage.rows_above, -stage.rows_below)
        if stage.mode in (BorderMode.REPLICATE, BorderMode.CONSTANT, BorderMode.UNDEFINED):
            return b.let(map_position(stage.mode, row, height, reach), "mapped")
        mapped = b.variable(row, "mapped")
        with b.when((row < 0).either(row >= height)):
            b.set(mapped, map_position(stage.mode, row, height, self.row_reach(stage)))
        return b.let(mapped + 0, "mapped")

    def row_reach(self, stage: Stage) -> int:
        """Return how far outside the image a row of the stage can be asked for."""
        return max(-stage.start - stage.lead, stage.lead + self.stages.step)

    def column_zero(self, stage: Stage, state: _StageState, row: Expr) -> Expr:
        """Return where column 0 of a row in scratch memory would lie."""
        return Advance(POINTER, row, index(state.lead) - state.start * state.pixel)

    def load_inside(
        self, stage: Stage, state: _StageState, row: Expr, position: Expr, base: Expr
    ) -> None:
        b = self.builder
        slots = self.layout.operands[stage.node.payload]
        source = b.let(Advance(POINTER, base, position * slots.row), "source")
        is_direct = slots.mode.equals(RowMode.DIRECT)
        if not stage.is_padded:
            with b.when(is_direct):
                self.set_row(stage, row, source)
            with b.otherwise():
                if state.block is not None:
                    with b.when(slots.mode.equals(RowMode.BLOCKED)):
                        self.load_block(stage, state, state.block, row, source)
                    with b.otherwise():
                        self.load_packed(stage, state, row, source)
                else:
                    self.load_packed(stage, state, row, source)
            return
        target = self.ring_row(stage, state, row)
        first = Advance(POINTER, target, index(state.lead))
        count = state.stop - state.start
        with b.when(is_direct):
            begin = Advance(POINTER, source, state.start * state.pixel)
            b.add(CopyBytes(first, begin, count * state.pixel))
        with b.otherwise():
            self.pack(stage, state, row, source)
        self.pad(stage, state, first)
        self.set_row(stage, row, self.column_zero(stage, state, target))

    def load_packed(self, stage: Stage, state: _StageState, row: Expr, source: Expr) -> None:
        target = self.pack(stage, state, row, source)
        self.set_row(stage, row, self.column_zero(stage, state, target))

    def load_block(
        self, stage: Stage, state: _StageState, block: Expr, row: Expr, source: Expr
    ) -> None:
        """Find a row in a block of rows, which is packed when its first row is asked for."""
        b = self.builder
        slots = self.layout.operands[stage.node.payload]
        place = b.let((row - self.top) & index(BLOCK - 1), "place")
        with b.when(place.equals(0)):
            name = packing_name("block", slots.dtype.itemsize, 1)
            self.functions.setdefault(name, block_function(slots.dtype.itemsize))
            begin = Advance(POINTER, source, state.start * slots.column)
            rows = (self.bottom - row).at_most(BLOCK)
            columns = state.stop - state.start
            args = (block, begin, columns, rows, slots.column, state.row_bytes)
            b.add(Call(name, args))
        found = Advance(POINTER, block, place * state.row_bytes)
        self.set_row(stage, row, self.column_zero(stage, state, found))

    def pack(self, stage: Stage, state: _StageState, row: Expr, source: Expr) -> Expr:
        b = self.builder
        slots = self.layout.operands[stage.node.payload]
        target = self.ring_row(stage, state, row)
        first = Advance(POINTER, target, index(state.lead))
        begin = Advance(POINTER, source, state.start * slots.column)
        args = (first, begin, state.stop - state.start, slots.column, slots.channel)
        b.add(Call(self.packing("pack", slots.dtype.itemsize), args))
        return target

    def ring_row(self, stage: Stage, state: _StageState, row: Expr) -> Expr:
        if stage.depth == 1:
            return state.ring
        place = (row & index(state.mask)) * state.row_bytes
        return self.builder.let(Advance(POINTER, state.ring, place), "ring_row")

    def pad(self, stage: Stage, state: _StageState, first: Expr) -> None:
        if not state.columns:
            return
        constant = self.number(stage.constant) if stage.mode is BorderMode.CONSTANT else None
        pad_row(
            self.builder,
            first,
            stage.node.dtype,
            self.kernel.domain.channels,
            (state.start, state.stop),
            state.columns,
            self.layout.columns,
            constant,
        )

    def set_row(self, stage: Stage, row: Expr, pointer: Expr) -> None:
        b, state = self.builder, self.state[stage.number]
        if state.pointers is not None:
            b.store(state.pointers, row & index(state.mask), pointer)
        elif state.pointer is None:
            state.pointer = b.variable(pointer, "row_pointer")
        else:
            b.set(state.pointer, pointer)

    def row_pointer(self, stage: int, row: Expr, column: Expr) -> Expr:
        """Return where column `column` of row `row` of a stage lies."""
        state = self.state[stage]
        if state.pointers is not None:
            pointer: Expr = Load(POINTER, state.pointers, row & index(state.mask))
        else:
            assert state.pointer is not None
            pointer = state.pointer
        return Advance(POINTER, pointer, column * state.pixel)

    def compute(self, group: Group, loop: RowLoop, row: Expr, outer: Sequence[Expr]) -> None:
        """Compute the rows of the stages of a group from `row` on.

        Of a row outside the image what stands for it is found; where only one row of two lies
        inside, the other is computed in vain, in its own place in the ring.
        """
        b = self.builder
        stages = [self.stages.stages[number] for _, number in group.targets if number is not None]
        has_border = any(stage.has_row_border for stage in stages)
        inside = (row + (group.rows - 1) >= 0).both(row < self.layout.rows)
        with b.when(inside) if has_border else nullcontext():
            self.compute_rows(group, loop, stages, row, outer)
        with self.each_row(row, group.rows) as line:
            if not has_border:
                for stage in stages:
                    self.set_row(stage, line, self.own_row(stage, line))
                return
            with b.when((line >= 0).both(line < self.layout.rows)):
                for stage in stages:
                    self.set_row(stage, line, self.own_row(stage, line))
            with b.otherwise():
                for stage in stages:
                    self.set_row(stage, line, self.border_row(stage, line))

    def own_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of a row of a stage would lie."""
        state = self.state[stage.number]
        return self.column_zero(stage, state, self.ring_row(stage, state, row))

    def border_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of what stands for a row outside the image would lie."""
        state = self.state[stage.number]
        if state.constant_row is not None:
            return self.column_zero(stage, state, state.constant_row)
        if not stage.has_row_border:
            return self.own_row(stage, row)
        return self.own_row(stage, self.mapped_row(stage, row))

    def compute_rows(
        self,
        group: Group,
        loop: RowLoop,
        stages: Sequence[Stage],
        row: Expr,
        outer: Sequence[Expr],
    ) -> None:
        span = self.state[stages[0].number]
        targets = [
            self.first_column(stage, row + line) for line in range(group.rows) for stage in stages
        ]
        self.call(loop, span.start, span.stop, row, outer, targets)
        if any(self.state[stage.number].columns for stage in stages):
            with self.each_row(row, group.rows) as line:
                for stage in stages:
                    self.pad(stage, self.state[stage.number], self.first_column(stage, line))

    def first_column(self, stage: Stage, row: Expr) -> Expr:
        """Return where the first column that a stage computes lies in its ring."""
        state = self.state[stage.number]
        target = self.ring_row(stage, state, row)
        return self.builder.let(Advance(POINTER, target, index(state.lead)), "first")

    def call(
        self,
        loop: RowLoop,
        start: Expr,
        stop: Expr,
        row: Expr,
        outer: Sequence[Expr],
        targets: Sequence[Expr],
    ) -> None:
        args: list[Expr] = [(stop - start) * self.kernel.domain.channels]
        args += [self.row_pointer(stage, row + rows, start) for stage, rows in loop.reads]
        args += targets
        args += [self.layout.scalars[number] for number in loop.scalars]
        if loop.has_index:
            args += [start, row, *outer]
        self.builder.add(Call(loop.function.name, tuple(args)))

    def final(
        self,
        group: Group,
        loop: RowLoop,
        row: Expr,
        stop: Expr,
        outer: Sequence[Expr],
        bases: Sequence[Expr],
    ) -> None:
        """Compute the rows of the outputs from `row` on: each in its place, or in scratch memory.

        A row past the window is computed in vain, in scratch memory.
        """
        b = self.builder
        if group.rows == 1 and self.stages.step > 1:
            with b.when(row < stop):
                self.final_rows(group, loop, row, None, outer, bases)
        else:
            self.final_rows(group, loop, row, stop, outer, bases)

    def final_rows(
        self,
        group: Group,
        loop: RowLoop,
        row: Expr,
        stop: Expr | None,
        outer: Sequence[Expr],
        bases: Sequence[Expr],
    ) -> None:
        b, outputs = self.builder, self.layout.outputs
        targets, places = [], []
        for line in range(group.rows):
            for number, slots in enumerate(outputs):
                base = Advance(POINTER, bases[number], (row + line) * slots.row)
                place = b.let(Advance(POINTER, base, self.x0 * slots.column), "place")
                places.append(place)
                is_direct = slots.mode.equals(RowMode.DIRECT)
                if line and stop is not None:
                    is_direct = is_direct.both(row + line < stop)
                scratch = self.scratch_rows[number][line]
                targets.append(b.let(is_direct.choose(place, scratch), "target"))
        self.call(loop, self.x0, self.x1, row, outer, targets)
        for line in range(group.rows):
            is_written = None if line == 0 or stop is None else row + line < stop
            for number, slots in enumerate(outputs):
                place = places[line * len(outputs) + number]
                self.deliver(slots, self.scratch_rows[number][line], place, is_written)

    def deliver(
        self, slots: ArraySlots, scratch: Expr, place: Expr, is_written: Expr | None
    ) -> None:
        """Move a row of an output from scratch memory to its place, if it is not there."""
        b, channels = self.builder, self.kernel.domain.channels
        count = self.x1 - self.x0
        streamed, packed = slots.mode.equals(RowMode.STREAMED), slots.mode.equals(RowMode.PACKED)
        if is_written is not None:
            streamed, packed = streamed.both(is_written), packed.both(is_written)
        with b.when(streamed):
            nbytes = count * (slots.dtype.itemsize * channels)
            b.add(StreamBytes(place, scratch, nbytes))
        with b.when(packed):
            args = (place, scratch, count, slots.column, slots.channel)
            b.add(Call(self.packing("unpack", slots.dtype.itemsize), args))


def _power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()
