"""The scratch memory of a march down the rows: rings of rows, their borders, and where rows lie.

A row is known by the place where its column 0 lies or would lie: what reads it need not know
whether that is a caller's memory or scratch, nor which columns the scratch holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from muntin.core.border import BorderMode
from muntin.core.graph.folds import CHUNK, LANES
from muntin.core.graph.node import Node
from muntin.core.graph.row_folds import LONGEST_ROW, is_spread
from muntin.core.lower.borders import map_position, pad_far, pad_row
from muntin.core.lower.folding import lanes_of
from muntin.core.lower.lanes import lanes_of_fold
from muntin.core.lower.layout import Layout
from muntin.core.lower.packing import BLOCK
from muntin.core.plan.facts import CACHE_LINE, ScratchRows
from muntin.core.plan.stages import Group, Stage, Stages
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Const,
    Convert,
    Expr,
    Load,
    Var,
    index,
)

__all__ = ["MOST_PARTS", "RowMemory", "StageRows", "WindowEnds"]

MOST_PARTS = LONGEST_ROW // CHUNK  # of a row that is folded while it lies in cache
_UNROLLED = 16  # columns of padding on a side that are written without a loop


@dataclass(slots=True)
class WindowEnds:
    """The rows and columns of the image that a call computes."""

    top: Expr
    bottom: Expr
    left: Expr
    right: Expr

    @classmethod
    def of(cls, b: Builder, layout: Layout) -> WindowEnds:
        """Return the ends of the box that the caller asked for."""
        return cls(
            b.let(Var(INDEX, "y0") + layout.row_origin, "top"),
            b.let(Var(INDEX, "y1") + layout.row_origin, "bottom"),
            b.let(Var(INDEX, "x0") + layout.column_origin, "left"),
            b.let(Var(INDEX, "x1") + layout.column_origin, "right"),
        )


@dataclass(slots=True)
class StageRows:
    """Where the rows of one stage lie.

    A row holds the columns `start` to `stop`, `lead` bytes (whole cache lines, for the padding)
    after it begins. Where several rows are alive `pointers` is a ring of their places, else
    `pointer` is the place of the only one. `columns` says which column each of the padding shows,
    where there are few.
    """

    pixel: int
    lead: int
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


@dataclass(frozen=True, slots=True)
class FoldRows:
    """Where the lanes of a fold lie: numbers, or rows of `row_bytes` bytes."""

    first: Expr
    row_bytes: Expr


@dataclass(frozen=True, slots=True)
class Begun:
    """What a scan in chunks keeps: what a chunk begins with, its fold, and the lanes of that."""

    start: Expr
    part: Expr
    lanes: Expr


@dataclass(slots=True)
class RowMemory:
    """Scratch memory as the entry function lays it out.

    `rows` lists what is set aside, in order; from `block_start` on, what only operands read in
    blocks need. `fixed` bytes of pointers and lanes come first. `outputs` has the rows in which
    outputs are made, `folds` what folds keep, `parts` those of a row, `kept` what scans go on from,
    and `begun` what those in chunks keep.
    """

    builder: Builder
    layout: Layout
    stages: Stages
    window: WindowEnds
    state: list[StageRows] = field(default_factory=list)
    outputs: dict[int, list[Expr]] = field(default_factory=dict)
    folds: dict[Node, list[FoldRows]] = field(default_factory=dict)
    parts: dict[Node, Expr] = field(default_factory=dict)
    kept: dict[Node, Expr] = field(default_factory=dict)
    begun: dict[Node, Begun] = field(default_factory=dict)
    rows: list[ScratchRows] = field(default_factory=list)
    fixed: int = 0
    block_start: int = 0
    cursor: Expr = field(default_factory=lambda: Var(POINTER, "scratch"))

    def __post_init__(self) -> None:
        self.allocate()

    @property
    def is_always_used(self) -> bool:
        """Whether rows of scratch memory are used however operands and outputs lie."""
        return (
            self.stages.step > 1
            or any(stage.is_padded or not stage.is_load for stage in self.stages.stages)
            or any(state.constant_row is not None for state in self.state)
            or any(group.folding or group.scanning for group in self.stages.groups)
        )

    def allocate(self) -> None:
        """Lay out the scratch memory: the pointers of the rings, then the rows."""
        for stage in self.stages.stages:
            self.state.append(self.stage_state(stage))
        folds = [group for group in self.stages.groups if group.folding]
        for group in folds:
            if group.mapping != "down":
                self.set_lanes_aside(group)
        for group in self.stages.groups:
            if group.scanning:
                scans = [scan for scan, _ in group.targets] if group.mapping != "down" else []
                for scan in scans + group.scans_within:
                    self.kept[scan] = self.set_aside(LANES * scan.dtype.itemsize)
                    if group.mapping == "chunks":
                        size = scan.dtype.itemsize
                        places = [self.set_aside(count * size) for count in (1, 1, LANES)]
                        self.begun[scan] = Begun(*places)
        for stage, state in zip(self.stages.stages, self.state, strict=True):
            extra = stage.left + stage.right + stage.pad_right
            rows = ScratchRows(_power_of_two(stage.depth), extra, state.pixel, state.lead)
            state.row_bytes = self.row_bytes(rows)
            state.ring = self.take(rows, state.row_bytes)
            if stage.mode is BorderMode.CONSTANT and (stage.has_row_border or any(stage.outer)):
                state.constant_row = self.constant_row(stage, state, rows._replace(depth=1))
        for group in self.stages.groups:
            if group.is_final and not group.folding:
                self.take_outputs(group)
            if group.scanning and group.mapping == "down":
                for scan, _ in group.targets:
                    rows = ScratchRows(1, 0, scan.dtype.itemsize * self.stages.domain.channels)
                    self.kept[scan] = self.take(rows, self.row_bytes(rows))
            elif group.folding and group.mapping == "down":
                self.take_lanes(group)
        self.block_start = len(self.rows)
        if self.stages.domain.pointwise:
            for stage, state in zip(self.stages.stages, self.state, strict=True):
                if stage.is_load:
                    state.block = self.take(ScratchRows(BLOCK, 0, state.pixel), state.row_bytes)

    def take_outputs(self, group: Group) -> None:
        """Set aside the rows of outputs that do not reach their places directly."""
        for number in group.outputs:
            pixel = self.layout.outputs[number].dtype.itemsize * self.stages.domain.channels
            rows = ScratchRows(self.stages.step, 0, pixel)
            row_bytes = self.row_bytes(rows)
            first = self.take(rows, row_bytes)
            self.outputs[number] = [
                Advance(POINTER, first, row_bytes * line) for line in range(rows.depth)
            ]

    def take_lanes(self, group: Group) -> None:
        """Set aside the lanes of folds down the rows: rows each."""
        for fold, _ in group.targets:
            for dtype in lanes_of_fold(fold).dtypes:
                pixel = dtype.itemsize * self.stages.domain.channels
                rows = ScratchRows(lanes_of(group), 0, pixel)
                row_bytes = self.row_bytes(rows)
                lanes = FoldRows(self.take(rows, row_bytes), row_bytes)
                self.folds.setdefault(fold, []).append(lanes)

    def set_lanes_aside(self, group: Group) -> None:
        """Set aside the lanes of folds along the rows: numbers each."""
        for fold, _ in group.targets:
            if is_spread(fold):
                self.parts[fold] = self.set_aside(MOST_PARTS * fold.dtype.itemsize)
            for dtype in lanes_of_fold(fold).dtypes:
                nbytes = lanes_of(group) * dtype.itemsize
                lanes = FoldRows(self.set_aside(nbytes), index(nbytes))
                self.folds.setdefault(fold, []).append(lanes)

    def stage_state(self, stage: Stage) -> StageRows:
        b, domain = self.builder, self.stages.domain
        pixel = stage.node.dtype.itemsize * domain.channels
        lead = (stage.pad_left * pixel + 63) & -64
        if is_spread(stage.node):  # the row has one value, in the middle of a cache line
            pixel, lead = 0, CACHE_LINE // 2
        start = b.let((self.window.left - stage.left).at_least(0), "start")
        stop = b.let((self.window.right + stage.right).at_most(self.layout.columns), "stop")
        mask = _power_of_two(stage.depth) - 1
        state = StageRows(pixel, lead, start, stop, index(0), index(0), mask)
        if stage.depth > 1:
            state.pointers = self.set_aside(8 * (mask + 1))
        reach = max(stage.pad_left, stage.pad_right)
        if 0 < reach <= _UNROLLED:
            assert stage.mode is not None
            width = self.layout.columns
            for k in range(-stage.pad_left, stage.pad_right):
                place: Expr = index(k) if k < 0 else width + k
                column = map_position(stage.mode, place, width, reach)
                state.columns[k] = b.let(column, "column")
        return state

    def set_aside(self, nbytes: int) -> Expr:
        """Set aside bytes before the rows, and return where they start."""
        pointer = self.builder.let(Advance(POINTER, self.cursor, index(self.fixed)), "pointers")
        self.fixed += (nbytes + 63) & -64
        return pointer

    def row_bytes(self, rows: ScratchRows) -> Expr:
        """Return `ScratchRows.row_bytes` of the window's columns."""
        used = (self.window.right - self.window.left + rows.extra) * rows.pixel + rows.lead + 63
        return self.builder.let(used & index(-64), "row_bytes")

    def take(self, rows: ScratchRows, row_bytes: Expr) -> Expr:
        """Set aside rows of scratch memory and return where they start."""
        b = self.builder
        if not self.rows:
            self.cursor = b.let(Advance(POINTER, self.cursor, index(self.fixed)), "rows")
        self.rows.append(rows)
        taken = self.cursor
        self.cursor = b.let(Advance(POINTER, taken, row_bytes * rows.depth), "rows")
        return taken

    def constant_row(self, stage: Stage, state: StageRows, rows: ScratchRows) -> Expr:
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
            scalar: Var = self.layout.scalars[node.payload]
            return scalar
        return Convert(node.dtype, self.number(node.args[0]), bool(node.params))

    # --- where rows lie -------------------------------------------------------------------------

    def ring_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where a row begins in the ring of a stage."""
        state = self.state[stage.number]
        if stage.depth == 1:
            return state.ring
        place = (row & index(state.mask)) * state.row_bytes
        return self.builder.let(Advance(POINTER, state.ring, place), "ring_row")

    def pad(self, stage: Stage, first: Expr, source: Expr | None = None) -> None:
        """Write the padding of a row whose first column lies at `first`.

        Under "wrap" it comes from the operand's row at `source`: the window may be a part of it.
        """
        state = self.state[stage.number]
        if not stage.is_padded:
            return
        dtype, channels = stage.node.dtype, self.stages.domain.channels

        def value(column: Expr, channel: int) -> Expr:
            if stage.mode is BorderMode.CONSTANT:
                return self.number(stage.constant)
            if stage.mode is BorderMode.WRAP:
                assert source is not None
                slots = self.layout.operands[stage.node.payload]
                offset = column * slots.column + slots.channel * channel
                return Load(dtype, Advance(POINTER, source, offset), index(0))
            return Load(dtype, first, (column - state.start) * channels + channel)

        span = (state.start, state.stop)
        width = self.layout.columns
        if state.columns:
            pad_row(self.builder, first, channels, span, state.columns, width, value)
            return
        assert stage.mode is not None
        pads = stage.pad_left, stage.pad_right
        pad_far(self.builder, first, channels, span, pads, stage.mode, width, value)

    def set_row(self, stage: Stage, row: Expr, pointer: Expr) -> None:
        """Note where column 0 of a row of a stage lies."""
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

    def mapped_row(self, stage: Stage, row: Expr) -> Expr:
        """Return the row inside the image that a row of a stage shows.

        Rows past all that are needed are asked for too, in vain: what stands for them must be among
        those that the window makes.
        """
        b, height = self.builder, self.layout.rows
        reach = max(stage.rows_above, -stage.rows_below)
        if stage.mode is None or not reach:
            return b.let(row.at_least(0).at_most(height - 1), "nearest")
        if stage.mode in (BorderMode.REPLICATE, BorderMode.CONSTANT, BorderMode.UNDEFINED):
            return b.let(map_position(stage.mode, row, height, reach), "mapped")
        shown = row
        if stage.mode is BorderMode.WRAP:  # of operands alone
            reach = max(-stage.start - stage.lead, stage.lead + self.stages.step)
        else:
            shown = row.at_least(-reach).at_most(height + (reach - 1))
        mapped = b.variable(row, "mapped")
        with b.when((row < 0).either(row >= height)):
            b.set(mapped, map_position(stage.mode, shown, height, reach))
        return b.let(mapped + 0, "mapped")

    def column_zero(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of a row in scratch memory would lie."""
        state = self.state[stage.number]
        return Advance(POINTER, row, index(state.lead) - state.start * state.pixel)

    def own_row(self, stage: Stage, row: Expr) -> Expr:
        """Return where column 0 of a row of a stage would lie."""
        return self.column_zero(stage, self.ring_row(stage, row))

    def first_column(self, stage: Stage, row: Expr) -> Expr:
        """Return where the first column that a stage computes lies in its ring."""
        target = self.ring_row(stage, row)
        lead = self.state[stage.number].lead
        return self.builder.let(Advance(POINTER, target, index(lead)), "first")


def _power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()
