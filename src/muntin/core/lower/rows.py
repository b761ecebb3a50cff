"""Lowers a kernel to a march down the rows of its window.

For each row of the output every stage computes the row it needs next into a ring that stays in
cache; the row loops are small functions over contiguous memory. A pointwise kernel is the case of
one row loop and no ring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from muntin.core.graph.folds import CHUNK
from muntin.core.graph.order import topological
from muntin.core.lower.folding import Folding, folding
from muntin.core.lower.gathering import PAIR
from muntin.core.lower.layout import ArraySlots, Layout
from muntin.core.lower.loading import Loading, packing
from muntin.core.lower.row_loop import RowLoop, may_stream, row_loop
from muntin.core.lower.row_memory import RowMemory, WindowEnds
from muntin.core.lower.running import RunningSum, running_sum
from muntin.core.lower.scanning import Scanning, scanning
from muntin.core.plan.facts import CACHE_LINE, KernelFacts, RowMode
from muntin.core.plan.kernel import KernelGraph, is_row_scan
from muntin.core.plan.stages import Group, Stage, Stages
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Builder,
    Call,
    Const,
    Expr,
    Function,
    Parameter,
    Program,
    StreamBytes,
    Var,
    index,
)
from muntin.dtypes import DType

__all__ = ["Lowered", "lower_rows"]

ALL = 1 << 40  # rows or columns, where a window has all of them
ALIGNED_COLUMNS = 1024  # shorter rows are not worth a call more to start at a cache line


Loop: TypeAlias = RowLoop | RunningSum | Folding | Scanning


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A program, the order of its argument slots, and what a caller must know."""

    program: Program
    layout: Layout
    facts: KernelFacts


def lower_rows(kernel: KernelGraph, stages: Stages) -> Lowered:
    """Return the program of a kernel for a CPU."""
    return _Lowering(kernel, stages).lowered()


class _Lowering:
    def __init__(self, kernel: KernelGraph, stages: Stages) -> None:
        self.kernel = kernel
        self.stages = stages
        self.builder = Builder()
        self.functions: dict[str, Function] = {}
        self.layout = Layout.of(
            kernel.domain,
            self.leaves("input"),
            [node.dtype for node in stages.outputs],
            self.leaves("scalar"),
            kernel.indices,
        )
        self.window = WindowEnds.of(self.builder, self.layout)
        self.memory = RowMemory(self.builder, self.layout, stages, self.window)
        self.loading = Loading(self.memory, self.functions)
        self.stream: RowLoop | None = None

    def lowered(self) -> Lowered:
        loops = [self.loop(number, group) for number, group in enumerate(self.stages.groups)]
        final = self.stages.groups[-1]
        if may_stream(final, self.kernel.domain):
            self.stream = row_loop("final_streamed", final, self.kernel.domain, streamed=True)
            self.functions["final_streamed"] = self.stream.function
        self.march(loops)
        names = ("o0", "o1", "y0", "y1", "x0", "x1")
        parameters = [Parameter(Var(INDEX, name)) for name in names]
        parameters.append(Parameter(Var(POINTER, "scratch"), unaliased=True, written=True))
        entry = self.builder.function("entry", parameters)
        program = Program((*self.functions.values(), entry), self.layout.variables)
        return Lowered(program, self.layout, self.facts(program))

    def facts(self, program: Program) -> KernelFacts:
        groups, stages, memory = self.stages.groups, self.stages.stages, self.memory
        runs = {group.mapping for group in groups if group.folding or group.scanning}
        scans = [node for group in groups if group.scanning for node, _ in group.targets]
        scans_down = any(scan.params[1] == "down" for scan in scans)
        column_unit = ALL if any(map(is_row_scan, scans)) else CHUNK
        halos = [stage.left + stage.right for stage in stages]
        halos += [group.left + group.right for group in groups]
        is_offset = [False] * len(self.layout.operands)
        for stage in stages:
            ahead = stage.lead or stage.start or stage.left or stage.right
            if stage.is_load and (ahead or any(stage.outer)):
                is_offset[stage.node.payload] = True
        for number in self.layout.indices:
            is_offset[number] = True
        return KernelFacts(
            tuple([slots.dtype for slots in self.layout.operands]),
            tuple([slots.dtype for slots in self.layout.outputs]),
            tuple([scalar.dtype for scalar in self.layout.scalars]),
            tuple(is_offset),
            tuple(memory.rows[: memory.block_start]),
            tuple(memory.rows[memory.block_start :]),
            memory.fixed,
            memory.is_always_used,
            max((-stage.start for stage in stages), default=0),
            max(halos, default=0),
            ALL if scans_down else CHUNK if "down" in runs else 1,
            column_unit if runs - {"down"} else 1,
            self.stream is not None,
            tuple([function.name for function in program.shared]),
            self.kernel.indices,
        )

    def leaves(self, kind: str) -> list[DType]:
        """Return the types of the operands or scalars, by their numbers."""
        found: dict[int, DType] = {}
        for node in topological(self.kernel.outputs):
            if node.op.kind == kind:
                found[node.payload] = node.dtype
        return [found[number] for number in sorted(found)]

    def loop(self, number: int, group: Group) -> Loop:
        domain = self.kernel.domain
        loop: Loop
        if group.running is not None:
            assert domain.row_axis is not None
            loop = running_sum(f"rows{number}", group, domain.row_axis)
        elif group.folding:
            loop = folding(f"fold_{group.mapping}", group, domain)
        elif group.scanning:
            carried = "_on" if len(group.targets[0][0].args) > 1 else ""
            name = f"scan_{group.mapping}{carried}" if group.is_final else f"rows{number}"
            loop = scanning(name, group, domain)
        else:
            loop = row_loop("final" if group.is_final else f"rows{number}", group, domain)
        self.functions |= {function.name: function for function in loop.functions}
        return loop

    # --- the march ------------------------------------------------------------------------------

    def march(self, loops: Sequence[Loop]) -> None:
        """Walk down the window: at each step every stage makes its rows, then the outputs."""
        b, top = self.builder, self.window.top
        step = self.stages.step
        first = min([0, *[stage.start for stage in self.stages.stages]])
        with b.loop("o", Var(INDEX, "o0"), Var(INDEX, "o1")) as o:
            outer = self.outer_positions(o)
            loads = [stage for stage in self.stages.stages if stage.is_load]
            bases = {stage: self.loading.base(stage, outer) for stage in loads}
            outputs = [self.output_offset(slots, outer) for slots in self.layout.outputs]
            with b.loop("t", top + first, self.window.bottom, step) as t:
                for stage, base in bases.items():
                    with (
                        self.guard(t, stage.start, first),
                        self.each_row(t + stage.lead, step) as row,
                    ):
                        self.loading.load(stage, row, *base)
                for group, loop in zip(self.stages.groups, loops, strict=True):
                    is_run = group.folding or group.scanning
                    if group.is_final and not (is_run or self.kernel.domain.pointwise):
                        self.look_ahead(t, group, bases)
                    with (
                        self.guard(t, group.start, first),
                        self.each_row(t + group.lead, step, group.rows) as row,
                    ):
                        if isinstance(loop, RunningSum):
                            self.run_on(group, loop, row)
                        elif isinstance(loop, Folding):
                            with b.when(row < self.window.bottom) if step > 1 else nullcontext():
                                self.fold(group, loop, row, outputs)
                        elif isinstance(loop, Scanning) and group.is_final:
                            with b.when(row < self.window.bottom) if step > 1 else nullcontext():
                                self.scan(group, loop, row, outer, outputs)
                        elif group.is_final:
                            assert isinstance(loop, RowLoop)
                            self.final(group, loop, row, outer, outputs)
                        elif isinstance(loop, Scanning):
                            kept = [self.memory.kept[scan] for scan, _ in group.targets]
                            self.compute(group, loop.take, row, outer, kept)
                        else:
                            self.compute(group, loop, row, outer)

    def look_ahead(
        self, t: Expr, group: Group, bases: Mapping[Stage, tuple[Expr, Expr | None]]
    ) -> None:
        """Ask for the rows of the next step while the outputs' rows are made, which lie in cache.

        Rows of many arrays are too short for a processor to foresee. Where outputs go past the
        caches, operands hardly come from them.
        """
        b, step = self.builder, self.stages.step
        with b.when(self.layout.outputs[group.outputs[0]].mode.equals(RowMode.STREAMED)):
            for stage in self.loading.furthest():
                with self.each_row(t + (stage.lead + step), step) as row:
                    self.loading.prefetch(stage, row, bases[stage][0])

    def guard(self, t: Expr, start: int, first: int) -> AbstractContextManager[None]:
        """Run what follows from step `start` past the top of the window on."""
        if start == first:
            return nullcontext()
        return self.builder.when(t >= self.window.top + start)

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

    def output_offset(self, slots: ArraySlots, outer: Sequence[Expr]) -> Expr:
        """Return where the plane of an output lies, in bytes past its pointer."""
        offset: Expr = index(0)
        for stride, position in zip(slots.outer, outer, strict=True):
            offset = offset + position * stride
        return self.builder.let(offset, "out_offset")

    # --- one step -------------------------------------------------------------------------------

    def compute(
        self,
        group: Group,
        loop: RowLoop,
        row: Expr,
        outer: Sequence[Expr],
        kept: Sequence[Expr] = (),
    ) -> None:
        """Compute the rows of the stages of a group from `row` on.

        Of a row outside the image what stands for it is found; where only some of the rows lie
        inside, the others are computed in vain, in their own places in the ring.
        """
        b = self.builder
        stages = [self.stages.stages[number] for _, number in group.targets if number is not None]
        may_leave = group.lead or group.start or self.stages.step > 1
        inside = (row + (group.rows - 1) >= 0).both(row < self.layout.rows)
        with b.when(inside) if may_leave else nullcontext():
            self.compute_rows(group, loop, stages, row, outer, kept)
        with self.each_row(row, group.rows) as line:
            within = (line >= 0).both(line < self.layout.rows)
            with b.when(within) if may_leave else nullcontext():
                for stage in stages:
                    self.memory.set_row(stage, line, self.memory.own_row(stage, line))
            if may_leave:
                with b.otherwise():
                    for stage in stages:
                        self.memory.set_row(stage, line, self.border_row(stage, line))

    def run_on(self, group: Group, running: RunningSum, row: Expr) -> None:
        """Compute a row of a window sum from the row above, the first from all that it adds up."""
        b, memory = self.builder, self.memory
        ((_, number),) = group.targets
        assert number is not None
        stage = self.stages.stages[number]
        span = memory.state[number]
        count = (span.stop - span.start) * self.kernel.domain.channels
        top = (self.window.top + (group.start + group.lead)).at_least(0)

        def read(offset: Expr | int) -> Expr:
            return memory.row_pointer(running.stage, row + offset, span.start)

        with b.when((row >= 0).both(row < self.layout.rows)):
            target = memory.first_column(stage, row)
            with b.when(row.equals(top)):
                b.add(Call(running.start.name, (count, target)))
                with b.loop("d", index(running.first), index(running.last + 1)) as d:
                    b.add(Call(running.add.name, (count, read(d), target)))
            with b.otherwise():
                above = memory.first_column(stage, row - 1)
                args = (count, read(running.last), read(running.first - 1), above, target)
                b.add(Call(running.move.name, args))
            memory.pad(stage, target)
            memory.set_row(stage, row, memory.own_row(stage, row))
        with b.otherwise():
            memory.set_row(stage, row, self.border_row(stage, row))

    def fold(self, group: Group, folding: Folding, row: Expr, offsets: Sequence[Expr]) -> None:
        """Fold a row: chunk by chunk into parts of its own, or into those of the rows above."""
        if group.mapping == "down":
            self.fold_down(group, folding, row, offsets)
            return
        outputs = [(offsets[number], self.layout.outputs[number]) for number in group.outputs]
        lanes = [lanes.first for number in group.outputs for lanes in self.memory.folds[number]]
        with self.each_chunk() as element:
            chunk = self.builder.let(element // index(CHUNK), "chunk")
            targets = [
                Advance(POINTER, slots.pointer, offset + row * slots.row + chunk * slots.column)
                for offset, slots in outputs
            ]
            self.call_chunk(folding.take, row, element, [*targets, *lanes])

    def fold_down(self, group: Group, folding: Folding, row: Expr, offsets: Sequence[Expr]) -> None:
        b, window, memory = self.builder, self.window, self.memory
        count = (window.right - window.left) * self.kernel.domain.channels
        kept = [memory.folds[number] for number in group.outputs]
        rows = [
            (count, *[lanes.row_bytes for lanes in each], *[lanes.first for lanes in each])
            for each in kept
        ]
        position = b.let(row & index(CHUNK - 1), "position")
        with b.when(position.equals(0)):
            for start, args in zip(folding.starts, rows, strict=True):
                b.add(Call(start.name, args))
        lane = b.let(row & index(folding.count - 1), "lane")
        targets = [
            Advance(POINTER, lanes.first, lane * lanes.row_bytes) for each in kept for lanes in each
        ]
        self.call(folding.take, window.left, window.right, row, (), targets, (position,))
        with b.when(position.equals(CHUNK - 1).either(row + 1 >= window.bottom)):
            chunk = b.let(row // index(CHUNK), "chunk")
            for number, end, args in zip(group.outputs, folding.ends, rows, strict=True):
                slots = self.layout.outputs[number]
                place = offsets[number] + chunk * slots.row + window.left * slots.column
                b.add(Call(end.name, (*args, Advance(POINTER, slots.pointer, place))))

    def scan(
        self,
        group: Group,
        scanning: Scanning,
        row: Expr,
        outer: Sequence[Expr],
        offsets: Sequence[Expr],
    ) -> None:
        """Scan a row: chunk by chunk, or on from the row above."""
        b, window = self.builder, self.window
        kept = [self.memory.kept[node] for node, _ in group.targets]

        def down(targets: Sequence[Expr]) -> None:
            with b.when(row.equals(window.top)):
                count = (window.right - window.left) * self.kernel.domain.channels
                for start, above in zip(scanning.starts, kept, strict=True):
                    b.add(Call(start.name, (count, above)))
            self.call(scanning.take, window.left, window.right, row, outer, [*targets, *kept])

        def across(targets: Sequence[Expr]) -> None:
            if not any(number is not None for number in scanning.carried):
                self.call(scanning.take, window.left, window.right, row, outer, [*targets, *kept])
                return
            with self.each_chunk() as element:
                places = [
                    Advance(POINTER, target, (element - window.left) * slots.dtype.itemsize)
                    for target, slots in zip(
                        targets, [self.layout.outputs[n] for n in group.outputs], strict=True
                    )
                ]
                starts = [
                    self.chunk_start(self.layout.operands[number], row, element, outer)
                    for number in scanning.carried
                    if number is not None
                ]
                self.call_chunk(scanning.take, row, element, [*places, *kept, *starts])

        self.final_rows(group, row, offsets, down if group.mapping == "down" else across)

    def chunk_start(
        self, slots: ArraySlots, row: Expr, element: Expr, outer: Sequence[Expr]
    ) -> Expr:
        """Return where an operand has what a chunk begins with."""
        offset = self.output_offset(slots, outer) + row * slots.row
        return Advance(POINTER, slots.pointer, offset + (element // index(CHUNK)) * slots.column)

    @contextmanager
    def each_chunk(self) -> Iterator[Expr]:
        """Do what follows for each chunk of a row: its first element."""
        window, channels = self.window, self.kernel.domain.channels
        stop = self.builder.let(window.right * channels, "stop")
        with self.builder.loop("element", window.left * channels, stop, CHUNK) as element:
            yield element

    def call_chunk(self, loop: RowLoop, row: Expr, element: Expr, pointers: Sequence[Expr]) -> None:
        """Call the function for the elements of a chunk of a row."""
        reads = [
            Advance(
                POINTER,
                self.memory.row_pointer(stage, row + rows, index(0)),
                element * self.stages.stages[stage].node.dtype.itemsize,
            )
            for stage, rows in loop.reads
        ]
        count = (self.window.right * self.kernel.domain.channels - element).at_most(CHUNK)
        scalars = [self.layout.scalars[number] for number in loop.scalars]
        self.builder.add(Call(loop.function.name, (count, *reads, *pointers, *scalars)))

    def border_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of what stands for a row outside the image would lie."""
        state = self.memory.state[stage.number]
        if state.constant_row is not None:
            return self.memory.column_zero(stage, state.constant_row)
        return self.memory.own_row(stage, self.memory.mapped_row(stage, row))

    def compute_rows(
        self,
        group: Group,
        loop: RowLoop,
        stages: Sequence[Stage],
        row: Expr,
        outer: Sequence[Expr],
        kept: Sequence[Expr],
    ) -> None:
        span = self.memory.state[stages[0].number]
        targets = [
            self.memory.first_column(stage, row + line)
            for line in range(group.rows)
            for stage in stages
        ]
        self.call(loop, span.start, span.stop, row, outer, [*targets, *kept])
        if any(stage.is_padded for stage in stages):
            with self.each_row(row, group.rows) as line:
                for stage in stages:
                    self.memory.pad(stage, self.memory.first_column(stage, line))

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
        args: list[Expr] = [(stop - start) * self.kernel.domain.channels]
        args += [self.memory.row_pointer(stage, row + rows, start) for stage, rows in loop.reads]
        args += targets
        args += [self.layout.scalars[number] for number in loop.scalars]
        if loop.has_index:
            args += [start, row, *outer]
        for number in loop.gathers:
            args += self.gathered(number, loop.rows, row, start, outer)
        if loop.even:
            args.append(self.is_even(loop))
        args += last
        self.builder.add(Call(loop.function.name, tuple(args)))

    def is_even(self, loop: RowLoop) -> Expr:
        """Return whether rows are gathered whole: see `RowLoop`."""
        operands = self.layout.operands
        even: Expr = Const(BOOL, 1)
        for number in loop.even:
            even = even.both(operands[number].column.equals(0))
        for number in loop.gathers:
            slots = operands[number]
            even = even.both(slots.column.equals(slots.dtype.itemsize))
        return even

    def gathered(
        self, number: int, rows: int, row: Expr, start: Expr, outer: Sequence[Expr]
    ) -> list[Expr]:
        """Return the arguments for what is gathered from an operand: see `Gathering`."""
        slots, indices = self.layout.operands[number], self.layout.indices[number]
        place = start * slots.column
        for position, stride in zip(outer, slots.outer, strict=True):
            place = place + position * stride
        lines = [row + line for line in range(rows)]
        if not self.kernel.domain.pointwise:  # rows past the image are made in vain
            lines = [line.at_least(0).at_most(self.layout.rows - 1) for line in lines]
        pointers: list[Expr] = [
            Advance(POINTER, slots.pointer, place + line * slots.row) for line in lines
        ]
        record = Advance(POINTER, self.layout.record, index(PAIR * indices.first))
        numbers = (slots.column, slots.channel, *indices.strides, *indices.sizes)
        return [*pointers, *numbers, record]

    def final(
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
            if self.kernel.domain.pointwise:
                self.call_aligned(loop, row, outer, offsets, targets)
            else:
                self.call(loop, self.window.left, self.window.right, row, outer, targets)

        is_single = group.rows == 1 and self.stages.step > 1
        with self.builder.when(row < self.window.bottom) if is_single else nullcontext():
            self.final_rows(group, row, offsets, run)

    def final_rows(
        self,
        group: Group,
        row: Expr,
        offsets: Sequence[Expr],
        run: Callable[[Sequence[Expr]], None],
    ) -> None:
        """Let `run` write rows to some targets, and bring them to their places."""
        b, window = self.builder, self.window
        outputs = [(number, self.layout.outputs[number]) for number in group.outputs]
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
        b, window, outputs = self.builder, self.window, self.layout.outputs
        phases = [
            b.let(phase + offset + row * slots.row + window.left * slots.column, "phase")
            for phase, offset, slots in zip(self.layout.phases, offsets, outputs, strict=True)
        ]
        first = outputs[0].dtype.itemsize
        short = ((0 - phases[0]) & index(CACHE_LINE - 1)) // index(first)
        is_long = window.right - window.left >= ALIGNED_COLUMNS
        head = b.let(is_long.both(self.is_direct(outputs[0])).choose(short, index(0)), "head")
        with b.when(head > 0):
            self.call(loop, window.left, window.left + head, row, outer, targets)
        start = b.let(window.left + head, "aligned")
        moved = [
            b.let(Advance(POINTER, target, head * slots.dtype.itemsize), "target")
            for target, slots in zip(targets, outputs, strict=True)
        ]
        if self.stream is None:
            self.call(loop, start, window.right, row, outer, moved)
            return
        streams: Expr = Const(BOOL, 1)
        for phase, slots in zip(phases, outputs, strict=True):
            place = (phase + head * slots.dtype.itemsize) & index(CACHE_LINE - 1)
            streams = streams.both(slots.mode.equals(RowMode.STREAMED)).both(place.equals(0))
        with b.when(streams):
            self.call(self.stream, start, window.right, row, outer, moved)
        with b.otherwise():
            self.call(loop, start, window.right, row, outer, moved)

    def deliver(
        self, slots: ArraySlots, scratch: Expr, place: Expr, is_written: Expr | None
    ) -> None:
        """Move a row of an output from scratch memory to its place, if it is not there."""
        b, channels = self.builder, self.kernel.domain.channels
        count = self.window.right - self.window.left
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
