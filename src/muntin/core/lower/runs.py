"""Folds and scans as parts of a march down the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from muntin.core.graph.folds import CHUNK
from muntin.core.lower.calls import RowCalls
from muntin.core.lower.folding import Folding, combine_parts
from muntin.core.lower.outputs import Outputs
from muntin.core.lower.row_memory import MOST_PARTS, RowMemory
from muntin.core.lower.scanning import Scanning, identity, joined
from muntin.core.plan.stages import Group
from muntin.core.program import POINTER, Advance, Call, Expr, Load, index

__all__ = ["Runs"]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Writes what a row adds to folds, and rows of scans."""

    memory: RowMemory
    calls: RowCalls
    outputs: Outputs

    def fold(self, group: Group, folding: Folding, row: Expr, offsets: Sequence[Expr]) -> None:
        """Fold a row: chunk by chunk into parts of its own, or into those of the rows above."""
        if group.mapping == "down":
            self.fold_down(group, folding, row, offsets)
            return
        outputs = [
            (offsets[number], self.memory.layout.outputs[number]) for number in group.outputs
        ]
        lanes = [lanes.first for fold, _ in group.targets for lanes in self.memory.folds[fold]]
        with self.calls.each_chunk() as element:
            chunk = self.memory.builder.let(element // index(CHUNK), "chunk")
            targets = [
                Advance(POINTER, slots.pointer, offset + row * slots.row + chunk * slots.column)
                for offset, slots in outputs
            ]
            self.calls.call_chunk(folding.take, row, element, [*targets, *lanes])

    def fold_row(self, group: Group, folding: Folding, row: Expr, targets: Sequence[Expr]) -> None:
        """Fold a row into one value for each target: chunk by chunk, whose parts are combined."""
        b, memory = self.memory.builder, self.memory
        folds = [fold for fold, _ in group.targets]
        parts = [memory.parts[fold] for fold in folds]
        lanes = [lanes.first for fold in folds for lanes in memory.folds[fold]]
        with self.calls.each_chunk() as element:
            chunk = b.let(element // index(CHUNK), "chunk")
            places = [
                Advance(POINTER, part, chunk * fold.dtype.itemsize)
                for fold, part in zip(folds, parts, strict=True)
            ]
            self.calls.call_chunk(folding.take, row, element, [*places, *lanes])
        count = (memory.window.right + (CHUNK - 1)) // index(CHUNK)
        with b.when(count > 1):
            for fold, part in zip(folds, parts, strict=True):
                combine_parts(b, fold, part, count, MOST_PARTS)
        for fold, part, target in zip(folds, parts, targets, strict=True):
            b.store(target, index(0), Load(fold.dtype, part, index(0)))

    def fold_down(self, group: Group, folding: Folding, row: Expr, offsets: Sequence[Expr]) -> None:
        """Fold a row into those above; after the last of a chunk, into a row of parts."""
        b, window, memory = self.memory.builder, self.memory.window, self.memory
        count = (window.right - window.left) * self.memory.stages.domain.channels
        kept = [memory.folds[fold] for fold, _ in group.targets]
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
        self.calls.call(folding.take, window.left, window.right, row, (), targets, (position,))
        with b.when(position.equals(CHUNK - 1).either(row + 1 >= window.bottom)):
            chunk = b.let(row // index(CHUNK), "chunk")
            for number, end, args in zip(group.outputs, folding.ends, rows, strict=True):
                slots = self.memory.layout.outputs[number]
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

        def run(targets: Sequence[Expr]) -> None:
            if group.mapping == "down":
                self.scan_down(group, scanning, row, outer, targets)
            elif scanning.chunks is not None:
                self.scan_chunks(group, scanning, scanning.chunks, row, targets)
            elif scanning.carried:
                self.scan_carried(group, scanning, row, outer, targets)
            else:
                left, right = self.memory.window.left, self.memory.window.right
                written = [*targets, *self.kept(group)]
                self.calls.call(scanning.take, left, right, row, outer, written)

        self.outputs.write(group, row, offsets, run)

    def scan_down(
        self,
        group: Group,
        scanning: Scanning,
        row: Expr,
        outer: Sequence[Expr],
        targets: Sequence[Expr],
    ) -> None:
        """Scan a row on from the one above."""
        b, window = self.memory.builder, self.memory.window
        kept = self.kept(group)
        within = [self.memory.kept[node] for node in group.scans_within]
        with b.when(row.equals(window.top)):
            count = (window.right - window.left) * self.memory.stages.domain.channels
            for start, above in zip(scanning.starts, kept, strict=True):
                b.add(Call(start.name, (count, above)))
        written = [*targets, *kept, *within]
        self.calls.call(scanning.take, window.left, window.right, row, outer, written)

    def scan_carried(
        self,
        group: Group,
        scanning: Scanning,
        row: Expr,
        outer: Sequence[Expr],
        targets: Sequence[Expr],
    ) -> None:
        """Scan the chunks of a row, of which operands say what each begins with."""
        with self.calls.each_chunk() as element:
            starts = [
                self.calls.chunk_start(self.memory.layout.operands[number], row, element, outer)
                for number in scanning.carried
            ]
            self.scan_chunk(group, scanning, row, element, targets, starts)

    def scan_chunks(
        self,
        group: Group,
        scanning: Scanning,
        folding: Folding,
        row: Expr,
        targets: Sequence[Expr],
    ) -> None:
        """Scan the chunks of a whole row, each of which is folded for the sake of the next."""
        b, scans = self.memory.builder, [scan for scan, _ in group.targets]
        begun = [self.memory.begun[scan] for scan in scans]
        for scan, own in zip(scans, begun, strict=True):
            b.store(own.start, index(0), identity(scan))
        stop = self.memory.window.right * self.memory.stages.domain.channels
        with self.calls.each_chunk() as element:
            starts = [own.start for own in begun]
            self.scan_chunk(group, scanning, row, element, targets, starts)
            with b.when(element + CHUNK < stop):
                written = [*[own.part for own in begun], *[own.lanes for own in begun]]
                self.calls.call_chunk(folding.take, row, element, written)
                for scan, own in zip(scans, begun, strict=True):
                    start, part = (Load(scan.dtype, at, index(0)) for at in (own.start, own.part))
                    b.store(own.start, index(0), joined(scan, start, part))

    def scan_chunk(
        self,
        group: Group,
        scanning: Scanning,
        row: Expr,
        element: Expr,
        targets: Sequence[Expr],
        starts: Sequence[Expr],
    ) -> None:
        """Scan the chunk of a row that begins at an element."""
        left = self.memory.window.left
        places = [
            Advance(POINTER, target, (element - left) * scan.dtype.itemsize)
            for target, (scan, _) in zip(targets, group.targets, strict=True)
        ]
        written = [*places, *self.kept(group), *starts]
        self.calls.call_chunk(scanning.take, row, element, written)

    def kept(self, group: Group) -> list[Expr]:
        """Return where the scans of a group keep what they go on from."""
        return [self.memory.kept[scan] for scan, _ in group.targets]
