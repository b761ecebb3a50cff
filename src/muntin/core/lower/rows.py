"""Lowers a kernel to a march down the rows of its window.

For each row of the output every stage computes the row it needs next into a ring that stays in
cache; the row loops are small functions over contiguous memory. A pointwise kernel is the case of
one row loop and no ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from muntin.core.graph.folds import CHUNK
from muntin.core.graph.order import topological
from muntin.core.lower.calls import RowCalls
from muntin.core.lower.folding import Folding, folding
from muntin.core.lower.layout import Layout
from muntin.core.lower.loading import Loading
from muntin.core.lower.outputs import Outputs
from muntin.core.lower.row_loop import RowLoop, may_stream, row_loop
from muntin.core.lower.row_memory import RowMemory, WindowEnds
from muntin.core.lower.running import RunningSum, running_sum
from muntin.core.lower.runs import Runs
from muntin.core.lower.scanning import Scanning, scanning
from muntin.core.plan.facts import KernelFacts, RowMode
from muntin.core.plan.kernel import KernelGraph, is_row_run
from muntin.core.plan.stages import Group, Stage, Stages
from muntin.core.program import (
    INDEX,
    POINTER,
    Builder,
    Call,
    Expr,
    Function,
    Parameter,
    Program,
    Var,
    index,
)
from muntin.dtypes import DType

__all__ = ["Lowered", "lower_rows"]

MANY_ARRAYS = 4  # whose rows are asked for ahead
ALL = 1 << 40  # rows or columns, where a window has all of them

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
        self.level = kernel.stretched if self.has_plain_loops() else ()
        self.window = WindowEnds.of(self.builder, self.layout)
        self.memory = RowMemory(self.builder, self.layout, stages, self.window)
        self.calls = RowCalls(self.memory)

    def has_plain_loops(self) -> bool:
        """Say whether each row is one plain loop, in which operands may be one element a row."""
        special = [
            group.folding
            or group.scanning
            or group.rows > 1
            or any(node.op.kind == "gather" or node.is_rare_choice for node in group.order)
            for group in self.stages.groups
        ]
        return self.kernel.domain.pointwise and not any(special)

    def lowered(self) -> Lowered:
        loops = [self.loop(number, group) for number, group in enumerate(self.stages.groups)]
        outputs = Outputs(self.memory, self.calls, self.functions, self.streaming_loop())
        self.march(loops, outputs, Loading(self.memory, self.functions, self.one_element(loops)))
        names = ("o0", "o1", "y0", "y1", "x0", "x1")
        parameters = [Parameter(Var(INDEX, name)) for name in names]
        parameters.append(Parameter(Var(POINTER, "scratch"), unaliased=True, written=True))
        entry = self.builder.function("entry", parameters)
        program = Program((*self.functions.values(), entry), self.layout.variables)
        facts = self.facts(program, streams=outputs.stream is not None)
        return Lowered(program, self.layout, facts)

    def streaming_loop(self) -> RowLoop | None:
        """Return the row loop that writes past the caches itself, if there is one."""
        final = self.stages.groups[-1]
        if not may_stream(final, self.kernel.domain):
            return None
        stream = row_loop("final_streamed", final, self.kernel.domain, self.level, streamed=True)
        self.functions["final_streamed"] = stream.function
        return stream

    def facts(self, program: Program, *, streams: bool) -> KernelFacts:
        groups, stages, memory = self.stages.groups, self.stages.stages, self.memory
        runs = {group.mapping for group in groups if group.folding or group.scanning}
        made = [node for g in groups if g.folding or g.scanning for node, _ in g.targets]
        scans_down = any(node.op.kind == "scan" and node.params[1] == "down" for node in made)
        made += [node for group in groups for node in group.scans_within]
        column_unit = CHUNK if runs - {"down"} else 1
        if any(map(is_row_run, made)) or "chunks" in runs:
            column_unit = ALL
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
            column_unit,
            streams,
            tuple([function.name for function in program.shared]),
            self.kernel.indices,
            self.level,
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
            name = f"fold_{group.mapping}" if group.is_final else f"rows{number}"
            loop = folding(name, group, domain)
        elif group.scanning:
            carried = "_on" if len(group.targets[0][0].args) > 1 else ""
            name = f"scan_{group.mapping}{carried}" if group.is_final else f"rows{number}"
            loop = scanning(name, group, domain)
        else:
            name = "final" if group.is_final else f"rows{number}"
            loop = row_loop(name, group, domain, self.level)
        self.functions |= {function.name: function for function in loop.functions}
        return loop

    # --- the march ------------------------------------------------------------------------------

    def one_element(self, loops: Sequence[Loop]) -> dict[int, Expr]:
        """Return when only one element is read of the rows of some stages."""
        found = {}
        for loop in loops:
            if isinstance(loop, RowLoop):
                for stage, _ in loop.reads:
                    condition = self.calls.is_one_element(stage, loop)
                    if condition is not None:
                        found[stage] = condition
        return found

    def march(self, loops: Sequence[Loop], outputs: Outputs, loading: Loading) -> None:
        """Walk down the window: at each step every stage makes its rows, then the outputs."""
        b, top = self.builder, self.window.top
        step, runs = self.stages.step, Runs(self.memory, self.calls, outputs)
        first = min([0, *[stage.start for stage in self.stages.stages]])
        with b.loop("o", Var(INDEX, "o0"), Var(INDEX, "o1")) as o:
            outer = self.outer_positions(o)
            loads = [stage for stage in self.stages.stages if stage.is_load]
            bases = {stage: loading.base(stage, outer) for stage in loads}
            offsets = [self.calls.output_offset(slots, outer) for slots in self.layout.outputs]
            with b.loop("t", top + first, self.window.bottom, step) as t:
                for stage, base in bases.items():
                    with (
                        self.guard(t, stage.start, first),
                        self.each_row(t + stage.lead, step) as row,
                    ):
                        loading.load(stage, row, *base)
                for group, loop in zip(self.stages.groups, loops, strict=True):
                    if group.is_final and self.looks_ahead(group):
                        self.look_ahead(t, group, loading, bases)
                    with (
                        self.guard(t, group.start, first),
                        self.each_row(t + group.lead, step, group.rows) as row,
                    ):
                        if isinstance(loop, RunningSum):
                            self.run_on(group, loop, row)
                        elif not group.is_final:
                            self.compute(group, loop, row, outer, runs)
                        elif isinstance(loop, RowLoop):
                            outputs.compute(group, loop, row, outer, offsets)
                        else:
                            with b.when(row < self.window.bottom) if step > 1 else nullcontext():
                                if isinstance(loop, Folding):
                                    runs.fold(group, loop, row, offsets)
                                else:
                                    runs.scan(group, loop, row, outer, offsets)

    def looks_ahead(self, group: Group) -> bool:
        """Say whether so many rows are read that a processor does not foresee them all."""
        if self.kernel.domain.pointwise or group.folding or group.scanning:
            return False
        loads = [stage for stage in self.stages.stages if stage.is_load]
        return any(stage.outer for stage in loads) or len(self.layout.operands) > MANY_ARRAYS

    def look_ahead(
        self,
        t: Expr,
        group: Group,
        loading: Loading,
        bases: Mapping[Stage, tuple[Expr, Expr | None]],
    ) -> None:
        """Ask for the rows of the next step while the outputs' rows are made, which lie in cache.

        Rows of many arrays are too short for a processor to foresee. Where outputs go past the
        caches, operands hardly come from them.
        """
        b, step = self.builder, self.stages.step
        with b.when(self.layout.outputs[group.outputs[0]].mode.equals(RowMode.STREAMED)):
            for stage in loading.furthest():
                with self.each_row(t + (stage.lead + step), step) as row:
                    loading.prefetch(stage, row, bases[stage][0])

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

    # --- one step -------------------------------------------------------------------------------

    def compute(
        self,
        group: Group,
        loop: RowLoop | Folding | Scanning,
        row: Expr,
        outer: Sequence[Expr],
        runs: Runs,
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
            self.compute_rows(group, loop, stages, row, outer, runs)
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

    def border_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of what stands for a row outside the image would lie."""
        state = self.memory.state[stage.number]
        if state.constant_row is not None:
            return self.memory.column_zero(stage, state.constant_row)
        return self.memory.own_row(stage, self.memory.mapped_row(stage, row))

    def compute_rows(
        self,
        group: Group,
        loop: RowLoop | Folding | Scanning,
        stages: Sequence[Stage],
        row: Expr,
        outer: Sequence[Expr],
        runs: Runs,
    ) -> None:
        span = self.memory.state[stages[0].number]
        targets = [
            self.memory.first_column(stage, row + line)
            for line in range(group.rows)
            for stage in stages
        ]
        if isinstance(loop, Folding):
            runs.fold_row(group, loop, row, targets)
        elif isinstance(loop, Scanning):
            kept = [self.memory.kept[scan] for scan, _ in group.targets]
            self.calls.call(loop.take, span.start, span.stop, row, outer, [*targets, *kept])
        else:
            self.calls.call(loop, span.start, span.stop, row, outer, targets)
        if any(stage.is_padded for stage in stages):
            with self.each_row(row, group.rows) as line:
                for stage in stages:
                    self.memory.pad(stage, self.memory.first_column(stage, line))
