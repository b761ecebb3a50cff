"""The facts about a plan that people ask for: kernels, rows, loops, memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from muntin.core.graph.canonical import Canonical, canonical
from muntin.core.graph.node import Node, Number
from muntin.core.plan.facts import RowMode
from muntin.core.plan.fuse import HOSTED, SEEN
from muntin.core.plan.kernel import Domain, KernelGraph, Result
from muntin.core.plan.places import Within, holder, places_within
from muntin.core.plan.stages import Group, Stage, Stages
from muntin.explain.graph_text import details
from muntin.runtime.context import context
from muntin.runtime.device import find_device

__all__ = ["ArrayFacts", "KernelFacts", "LoopFacts", "ReadFacts", "RowFacts", "Survey", "survey"]

_REACHED = {
    RowMode.DIRECT: "",
    RowMode.PACKED: "rows are packed",
    RowMode.BLOCKED: "rows are packed in blocks",
    RowMode.STREAMED: "past the caches",
    RowMode.LEVEL: "one element a row",
}


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """An operand or an output of a kernel: its name in the kernel, and what it is outside.

    `source` is the node whose elements are in memory, `node` what the kernel sees of it.
    """

    name: str
    node: Node
    source: Node
    nbytes: int
    origin: str
    how: str


@dataclass(frozen=True, slots=True)
class RowFacts:
    """Rows of one value that stay in cache: see `muntin.core.plan.stages.Stage`."""

    name: str
    stage: Stage
    holds: str


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """What a loop reads of some rows: least and greatest offset in rows and in columns."""

    name: str
    rows: tuple[int, int]
    columns: tuple[int, int]

    def __str__(self) -> str:
        if self.rows == self.columns == (0, 0):
            return self.name
        return f"{self.name}[{_span(self.rows)}, {_span(self.columns)}]"


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """A row loop: what it makes, of what, and by which operations."""

    targets: tuple[str, ...]
    reads: tuple[ReadFacts, ...]
    work: tuple[tuple[str, int], ...]
    rows: int
    lead: int

    @property
    def count(self) -> int:
        """The number of operations for each element."""
        return sum(count for _, count in self.work)


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """One kernel, and how a run over these shapes is cut."""

    number: int
    compiled: Any
    domain: Domain
    shape: tuple[int, ...]
    axes: str | None
    extent: tuple[int, int, int]
    grain: tuple[int, int, int]
    threads: int
    scratch: int
    reads: tuple[ArrayFacts, ...]
    writes: tuple[ArrayFacts, ...]
    numbers: tuple[Number, ...]
    rows: tuple[RowFacts, ...]
    loops: tuple[LoopFacts, ...]

    @property
    def bytes_read(self) -> int:
        return sum(array.nbytes for array in self.reads)

    @property
    def bytes_written(self) -> int:
        return sum(array.nbytes for array in self.writes)

    @property
    def pieces(self) -> int:
        """In how many pieces the window is run."""
        return prod(
            -(-size // max(step, 1)) for size, step in zip(self.extent, self.grain, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """The kernels of some expressions, in the order in which they run."""

    graph: Canonical
    kernels: tuple[KernelFacts, ...]

    @property
    def bytes_read(self) -> int:
        return sum(kernel.bytes_read for kernel in self.kernels)

    @property
    def bytes_written(self) -> int:
        return sum(kernel.bytes_written for kernel in self.kernels)

    @property
    def stage_count(self) -> int:
        """The number of row loops: pieces of work that hand rows or results on."""
        return sum(len(kernel.loops) for kernel in self.kernels)


def survey(roots: Sequence[Node]) -> Survey:
    """Return the facts about how the CPU computes some nodes."""
    graph = canonical(roots)
    device: Any = find_device("cpu")
    here = context()
    threads = here.thread_count or (here.scheduler or device.scheduler).threads
    plan = device.plan(graph)
    strides = {
        position: node.payload.strides
        for position, node in enumerate(graph.nodes)
        if node.op.kind == "input"
    }
    prepared = plan.prepare(graph, strides, [None] * len(graph.roots), (), threads)
    kernels = []
    first = {step.graph: step for step in reversed(prepared.launches)}  # launch of each kernel
    starts = list(reversed(first.values()))
    names = _Names(graph, [step.graph for step in starts], places_within(graph))
    for number, step in enumerate(starts):
        kernels.append(names.kernel(number, step.kernel, step.binding))
    return Survey(graph, tuple(kernels))


@dataclass(frozen=True, slots=True)
class _Names:
    graph: Canonical
    kernels: Sequence[KernelGraph]
    within: dict[int, Within]

    def kernel(self, number: int, compiled: Any, binding: Any) -> KernelFacts:
        graph = self.kernels[number]
        first = self.graph.domain_node(graph.results[0].node)
        reached = [""] * (len(graph.operands) + len(graph.results))
        rows: tuple[RowFacts, ...] = ()
        if graph.is_program:
            loops: tuple[LoopFacts, ...] = (_program(graph),)
        else:
            stages, layout = compiled.stages, compiled.lowered.layout
            places = [*binding.operand_slots, *binding.output_slots]
            arrays = [*layout.operands, *layout.outputs]
            reached = [_mode(binding.slots, *each) for each in zip(places, arrays, strict=True)]
            rows = tuple([_rows(stage, graph.domain, first.axes) for stage in stages.stages])
            loops = tuple([_loop(group, stages) for group in stages.groups])
        hows = iter(reached)
        reads = [self.operand(k, at, next(hows)) for k, at in enumerate(graph.operands)]
        writes = [self.output(k, result, next(hows)) for k, result in enumerate(graph.results)]
        return KernelFacts(
            number,
            compiled,
            graph.domain,
            first.shape,
            first.axes,
            binding.extent,
            binding.grain,
            binding.threads,
            binding.scratch_bytes,
            tuple(reads),
            tuple(writes),
            tuple([self.graph.nodes[position].payload for position in graph.scalars]),
            rows,
            loops,
        )

    def operand(self, number: int, position: int, how: str) -> ArrayFacts:
        node = self.graph.nodes[position]
        words = [*(details(node) if node.op.kind in SEEN else []), *([how] if how else [])]
        base = self.base(position)
        source, origin = self.graph.nodes[base], self.origin(base)
        return ArrayFacts(
            f"in{number}", node, source, _unique_bytes(node), origin, ", ".join(words)
        )

    def origin(self, position: int) -> str:
        """Return where elements come from."""
        node = self.graph.nodes[position]
        if node.op.kind == "input":
            inputs = [k for k, other in enumerate(self.graph.nodes) if other.op.kind == "input"]
            return f"array {inputs.index(position)}"
        makers = [
            f"out{place} of kernel {number}"
            for number, kernel in enumerate(self.kernels)
            for place, result in enumerate(kernel.results)
            if self.held(result) == position
        ]
        return " and ".join(makers) or node.op.name

    def output(self, number: int, result: Any, how: str) -> ArrayFacts:
        held = self.held(result)
        node = self.graph.nodes[_seen(result)]
        part = "part of " if held != _seen(result) else ""
        wanted = (held, result.node, result.view)
        roots = [place for place, root in enumerate(self.graph.roots) if root in wanted]
        words = [f"{part}result {place}" for place in roots]
        readers = [
            other
            for other, kernel in enumerate(self.kernels)
            if any(self.base(position) == held for position in kernel.operands)
        ]
        words += [f"{part and 'part of what is '}stored for kernel {other}" for other in readers]
        words += self.combined(result.node)
        return ArrayFacts(f"out{number}", node, node, _unique_bytes(node), ", ".join(words), how)

    def combined(self, position: int) -> list[str]:
        """Return what becomes of the parts of a reduction, and of factors, on the host."""
        words = []
        for place, node in enumerate(self.graph.nodes):
            bases = [self.base(arg) for arg in self.graph.args[place]]
            if node.op.kind in HOSTED and position in bases:
                ends = [f"result {k}" for k, root in enumerate(self.graph.roots) if root == place]
                word = "parts" if node.op.kind == "combine" else "a factor"
                words.append(f"{word} of {' and '.join(ends) or 'a value'}")
        return words

    def base(self, position: int) -> int:
        held = {_seen(result) for kernel in self.kernels for result in kernel.results}
        while position not in held and self.graph.nodes[position].op.kind in SEEN:
            (position,) = self.graph.args[position]
        return position

    def held(self, result: Result) -> int:
        """Return the node in whose memory a result lies."""
        return holder(self.within, _seen(result))[0]


def _seen(result: Result) -> int:
    """Return the node in whose shape a result lies in memory."""
    return result.node if result.view is None else result.view


def _mode(slots: Sequence[int], first: int, array: Any) -> str:
    return _REACHED[RowMode(slots[first + len(array.variables) - 1])]


def _unique_bytes(node: Node) -> int:
    """Return the bytes of the elements of a node, stretched axes counted once."""
    shape = list(node.shape)
    if node.op.kind in ("view", "gathered"):
        for axis, source in enumerate(node.payload.axes):
            if source.source is None or source.step == 0:
                shape[axis] = min(shape[axis], 1)
    return prod(shape) * node.dtype.itemsize


def _rows(stage: Stage, domain: Domain, axes: str | None) -> RowFacts:
    holds = "computed"
    if stage.is_load:
        words = [f"rows of in{stage.node.payload}"]
        for axis, offset in zip(domain.outer_axes, stage.outer, strict=False):
            if offset:
                words.append(f"{axes[axis] if axes else f'axis {axis}'} {offset:+d}")
        holds = ", ".join(words)
    return RowFacts(f"r{stage.number}", stage, holds)


def _loop(group: Group, stages: Stages) -> LoopFacts:
    outputs = {id(node): k for k, node in reversed(list(enumerate(stages.outputs)))}
    targets = tuple(
        f"out{outputs[id(node)]}" if number is None else f"r{number}"
        for node, number in group.targets
    )
    spans: dict[int, list[tuple[int, int]]] = {}
    for read in group.reads.values():
        spans.setdefault(read.stage, []).append((read.rows, read.columns))
    reads = []
    for number, offsets in sorted(spans.items()):
        rows, columns = zip(*offsets, strict=True)
        reads.append(ReadFacts(f"r{number}", (min(rows), max(rows)), (min(columns), max(columns))))
    work = Counter(
        node.op.name for node in group.order if node.op.is_elementwise and node not in group.reads
    )
    if group.folding or group.scanning:
        runs = [*group.scans_within, *[node for node, _ in group.targets]]
        work.update(f"{node.op.name} by {node.params[0]}" for node in runs)
    return LoopFacts(targets, tuple(reads), tuple(work.most_common()), group.rows, group.lead)


def _program(graph: KernelGraph) -> LoopFacts:
    """Return the facts about loops written by hand."""
    operations = graph.outputs[0].payload.definition.operations
    return LoopFacts(
        tuple([f"out{k}" for k in range(len(graph.results))]),
        tuple([ReadFacts(f"in{k}", (0, 0), (0, 0)) for k in range(len(graph.operands))]),
        tuple(Counter(operations).most_common()),
        1,
        0,
    )


def _span(ends: tuple[int, int]) -> str:
    low, high = (f"{end:+d}" if end else "0" for end in ends)
    return low if low == high else f"{low}…{high}"
