"""Stages: which values of a kernel live in rings of rows, and how far each runs ahead.

At step t of the march down a window, a stage computes its row t + lead, and some that follow where
several rows are made at a time because they share what they read. Everything between two stages is
inlined into the row loop that uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from muntin.core.border import BorderMode
from muntin.core.graph.gathering import checks_indices
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.core.graph.row_folds import is_spread
from muntin.core.plan.expand import expand
from muntin.core.plan.kernel import RUNS, Domain, KernelGraph
from muntin.core.plan.narrow import narrow
from muntin.core.plan.sink import ROWS_PER_STEP

__all__ = ["Group", "Read", "Stage", "Stages", "form_stages"]

MOST_ROWS = 2  # values whose rows a loop may make several at a time
SHARE_COST = 6.0  # pointwise work worth a row if two row loops need it
_REFLECTIONS = (BorderMode.SYMMETRIC, BorderMode.REFLECT101)


@dataclass(frozen=True, slots=True)
class Read:
    """Where a node's value is found: in a stage, at an offset in rows and in columns."""

    stage: int
    rows: int = 0
    columns: int = 0


@dataclass(slots=True, eq=False)
class Stage:
    """Rows of one value, under one border.

    Attributes
    ----------
    node
        An operand (the stage loads it) or computed work.
    mode, constant
        The border under which its rows are read, if any is.
    outer
        The offset of the read along each outer axis (operands only).
    lead
        How many rows ahead of the output the stage runs.
    start
        The step at which it starts, relative to the first row of the window (not above 0).
    left, right
        How many columns more than the window it computes at each side.
    pad_left, pad_right
        How many columns are read beyond the image's edges.
    rows_below, rows_above
        The reads' offsets in rows: the least and the greatest.
    depth
        How many rows are alive at a time.
    level
        0 for an operand, else one more than the highest that its loop reads: loops of one level
        may be joined.
    """

    number: int
    node: Node
    mode: BorderMode | None
    constant: Node | None
    outer: tuple[int, ...] = ()
    lead: int = 0
    start: int = 0
    left: int = 0
    right: int = 0
    pad_left: int = 0
    pad_right: int = 0
    rows_below: int = 0
    rows_above: int = 0
    depth: int = 1
    level: int = 0

    @property
    def is_load(self) -> bool:
        return self.node.op.kind == "input"

    @property
    def has_row_border(self) -> bool:
        return self.rows_below != 0 or self.rows_above != 0

    @property
    def is_padded(self) -> bool:
        return self.pad_left > 0 or self.pad_right > 0


@dataclass(slots=True, eq=False)
class Group:
    """Values that one row loop computes: rows of stages, or of the outputs (stage None).

    The loop makes `rows` rows at once. A `running` group has a single target, a window sum: its
    rows are found from the row above. The targets of a `folding` group are folds of one mapping,
    those of a `scanning` group scans.
    `outputs` are the numbers of its targets among the outputs.
    """

    targets: list[tuple[Node, int | None]]
    reads: dict[Node, Read]
    order: list[Node]
    lead: int = 0
    start: int = 0
    left: int = 0
    right: int = 0
    level: int = 0
    rows: int = 1
    running: Node | None = None
    outputs: tuple[int, ...] = ()

    @property
    def folding(self) -> bool:
        """Whether the targets are folds that this loop makes."""
        return self.makes("fold")

    @property
    def scanning(self) -> bool:
        """Whether the targets are scans that this loop makes."""
        return self.makes("scan")

    def makes(self, kind: str) -> bool:
        """Say whether the targets are nodes of a kind, which are not read."""
        first = self.targets[0][0]
        return first.op.kind == kind and first not in self.reads

    @property
    def work(self) -> list[Node]:
        """The nodes whose values are found element by element, arguments first."""
        return [node for node in self.order if node.op.kind not in RUNS or node in self.reads]

    @property
    def mapping(self) -> str:
        """How the runs of folds and scans lie: see `core.graph.reductions`."""
        mapping: str = self.targets[0][0].params[1]
        return mapping

    @property
    def scans_within(self) -> list[Node]:
        """The scans along the row whose elements the targets, scans down the rows, take in."""
        if not self.scanning or self.mapping != "down":
            return []
        below = [node.args[0] for node, _ in self.targets]
        return [node for node in below if node.op.kind == "scan" and node not in self.reads]

    @property
    def reads_rows(self) -> bool:
        """Whether several rows of one stage are read."""
        read = {(read.stage, read.rows) for read in self.reads.values()}
        return len(read) > len({stage for stage, _ in read})

    @property
    def is_final(self) -> bool:
        return self.targets[0][1] is None


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """The stages of a kernel by their numbers, and the row loops in the order in which they run."""

    stages: tuple[Stage, ...]
    groups: tuple[Group, ...]
    outputs: tuple[Node, ...]
    domain: Domain
    step: int


@dataclass(slots=True)
class _Former:
    outputs: Sequence[Node]
    domain: Domain
    step: int = 1
    rolled: set[Node] = field(default_factory=set)
    stages: list[Stage] = field(default_factory=list)
    known: dict[tuple[object, ...], Stage] = field(default_factory=dict)

    def form(self) -> tuple[list[Stage], list[Group]]:
        order = topological(self.outputs)
        self.find_rolled(order)
        groups = self.finals()
        pending = list(self.stages)
        while pending:
            stage = pending.pop()
            if not stage.is_load:
                seen = len(self.stages)
                groups.append(self.group([(stage.node, stage.number)]))
                pending += self.stages[seen:]
        if any(group.reads_rows for group in groups):
            self.step = ROWS_PER_STEP
        self.place(groups)
        joined = self.merged(groups)
        inner = [group for group in joined if not group.is_final] or joined
        if self.step > 1 and max(len(group.targets) for group in inner) > MOST_ROWS:
            self.step = 1  # so many rows at a time outgrow the first cache
            self.place(groups)
            joined = self.merged(groups)
        return self.stages, joined

    def finals(self) -> list[Group]:
        """Return the row loops of the outputs: one of all that are written, one of each mapping."""
        places: dict[str, list[int]] = {}
        for number, node in enumerate(self.outputs):
            places.setdefault(self.kind_of_loop(node), []).append(number)
        groups = []
        for mapping in sorted(places):
            group = self.group([(self.outputs[number], None) for number in places[mapping]])
            group.outputs = tuple(places[mapping])
            groups.append(group)
        return groups

    def find_rolled(self, order: Sequence[Node]) -> None:
        """Mark the work that gets rows: what is read at an offset, and costly shared work."""
        users: dict[Node, list[Node]] = {node: [] for node in order}
        for node in order:
            for arg in node.args:
                users[arg].append(node)
        for node in order:
            if is_spread(node) or (node.op.kind == "scan" and self.is_rolled_scan(node, users)):
                self.rolled.add(node)
            if node.reads_at and node.args[0].op.kind != "input":
                self.rolled.add(node.args[0])
            if node.op.kind == "window_sum":
                self.rolled.add(node)
            if node.op.kind in RUNS and not self.is_plain(node.args[0]):
                self.rolled.add(_uncast(node.args[0]))  # narrow rows; casts are done from them
        # By node, the row loops that need it: those of rolled work, or a mapping for the outputs'.
        loops: dict[Node, set[Node | str]] = {node: set() for node in order}
        for node in self.outputs:
            loops[node].add(self.kind_of_loop(node))
        for node in reversed(order):
            if len(loops[node]) > 1 and self.is_worth_rows(node):
                self.rolled.add(node)
            served: set[Node | str] = {node} if node in self.rolled else loops[node]
            for arg in node.args:
                loops[arg] |= served

    def is_rolled_scan(self, node: Node, users: Mapping[Node, Sequence[Node]]) -> bool:
        """Say whether a scan has rows: not if it is one output, or taken in by a scan down."""
        if node in self.outputs:
            return bool(users[node]) or self.outputs.count(node) > 1
        takers = users[node]
        is_down = len(takers) == 1 and takers[0].op.kind == "scan" and takers[0].params[1] == "down"
        return not (is_down and takers[0] in self.outputs and not users[takers[0]])

    def kind_of_loop(self, output: Node) -> str:
        """Return what outputs that one row loop makes have in common."""
        is_plain = output.op.kind not in RUNS or output in self.rolled
        return "" if is_plain else f"{output.op.kind} {output.params[1]} {len(output.args)}"

    def is_worth_rows(self, node: Node) -> bool:
        """Say whether work that several row loops need is better kept than done by each."""
        if not node.op.is_elementwise or node in self.outputs:
            return False
        cone = self.cone(node)
        leaves = {arg for member in cone for arg in member.args} - set(cone)
        if all(is_spread(leaf) or leaf.op.kind in ("scalar", "constant") for leaf in leaves):
            return False  # a row has one such value
        return sum(member.op.cost for member in cone) >= SHARE_COST

    def is_plain(self, root: Node) -> bool:
        """Say whether a fold may do the work under it: pointwise, on what lies where it folds."""
        cone = self.cone(root)
        leaves = [arg for node in cone for arg in node.args if arg not in cone] if cone else [root]
        return not any(node.is_rare_choice for node in cone) and all(
            leaf in self.rolled or leaf.op.kind in ("input", "scalar", "constant", "scan")
            for leaf in leaves
        )

    def cone(self, root: Node) -> list[Node]:
        """Return the pointwise work of `root` down to rows, its arguments first."""
        found: list[Node] = []
        seen: set[Node] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if (
                node in seen
                or not node.op.is_elementwise
                or (node in self.rolled and node is not root)
            ):
                continue
            seen.add(node)
            found.append(node)
            stack.extend(node.args)
        return found

    def group(self, targets: list[tuple[Node, int | None]]) -> Group:
        """Return the row loop for some targets; the stages that it reads are made."""
        if targets[0][1] is not None and targets[0][0].op.kind == "window_sum":
            return self.running_group(targets[0][0], targets)
        reads: dict[Node, Read] = {}
        order: list[Node] = []
        done: set[Node] = set()
        stack = [node for node, _ in reversed(targets)]
        starts = {node for node, number in targets if number is not None}
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            is_computed = node in starts and node.op.kind != "neighbour"
            read = None if is_computed else self.read(node)
            if read is not None:
                reads[node] = read
            elif waiting := [arg for arg in _worked_on(node) if arg not in done]:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            done.add(node)
            order.append(node)
        return Group(targets, reads, order)

    def running_group(self, node: Node, targets: list[tuple[Node, int | None]]) -> Group:
        """Return the loop of a window sum: it reads the rows from the one that leaves on."""
        first, last, mode = node.params
        row_axis = self.domain.row_axis
        assert row_axis is not None
        producer, *constant = node.args
        stage = self.stage(producer, mode, constant[0] if constant else None, ())
        leaving, entering = first[row_axis] - 1, last[row_axis]
        self.extend(stage, leaving, 0)
        self.extend(stage, entering, 0)
        reads = {producer: Read(stage.number, leaving), node: Read(stage.number, entering)}
        return Group(targets, reads, [], running=node)

    def read(self, node: Node) -> Read | None:
        """Return where a node's value is read, or None if it is computed in place."""
        if node.op.kind == "neighbour":
            offsets, mode = node.params
            constant = node.args[1] if len(node.args) > 1 else None
            rows = offsets[self.domain.row_axis] if self.domain.row_axis is not None else 0
            columns = offsets[self.domain.column_axis] if self.domain.column_axis is not None else 0
            outer = tuple([offsets[axis] for axis in self.domain.outer_axes])
            stage = self.stage(node.args[0], mode, constant, outer)
            self.extend(stage, rows, columns)
            return Read(stage.number, rows, columns)
        if node.op.kind == "input" or node in self.rolled:
            return Read(self.any_stage(node).number)
        return None

    def stage(
        self, node: Node, mode: BorderMode | None, constant: Node | None, outer: tuple[int, ...]
    ) -> Stage:
        if not any(outer):
            outer = ()
        key = (node, mode, constant, outer)
        plain = (node, None, None, outer)
        found = self.known.get(key)
        if found is None and plain in self.known:
            found = self.known.pop(plain)
            found.mode, found.constant = mode, constant
        if found is None:
            found = Stage(len(self.stages), node, mode, constant, outer)
            self.stages.append(found)
        self.known[key] = found
        return found

    def any_stage(self, node: Node) -> Stage:
        """Return a stage of `node` whatever its border: read in place it makes no difference."""
        for (known, _, _, outer), stage in self.known.items():
            if known is node and outer == ():
                return stage
        return self.stage(node, None, None, ())

    def extend(self, stage: Stage, rows: int, columns: int) -> None:
        """Note a read at an offset; reflections may read as far on the other side."""
        reach = abs(rows) if stage.mode in _REFLECTIONS else 0
        stage.rows_below = min(stage.rows_below, rows, -reach)
        stage.rows_above = max(stage.rows_above, rows, reach)
        stage.pad_left = max(stage.pad_left, -columns)
        stage.pad_right = max(stage.pad_right, columns)

    # --- placing ----------------------------------------------------------------------------------

    def place(self, groups: Sequence[Group]) -> None:
        """Find leads, seams, halos and levels: from the outputs to the operands."""
        makers = {number: group for group in groups for _, number in group.targets}
        readers: dict[int, list[Group]] = {stage.number: [] for stage in self.stages}
        for group in groups:
            for number in {read.stage for read in group.reads.values()}:
                readers[number].append(group)
        for number in self.consumers_first(groups, makers):
            self.place_stage(self.stages[number], readers[number])
            maker = makers.get(number)
            if maker is not None:
                stage = self.stages[number]
                maker.lead, maker.start = stage.lead, stage.start
                maker.left, maker.right = stage.left, stage.right
        for number in reversed(self.consumers_first(groups, makers)):
            maker = makers.get(number)
            if maker is not None:
                self.stages[number].level = maker.level = 1 + max(
                    (self.stages[read.stage].level for read in maker.reads.values()), default=0
                )

    def consumers_first(
        self, groups: Sequence[Group], makers: dict[int | None, Group]
    ) -> list[int]:
        """Return the numbers of the stages, each after all whose row loops read it."""
        order: list[int] = []
        waiting = {stage.number: 0 for stage in self.stages}
        for group in groups:
            for number in {read.stage for read in group.reads.values()}:
                waiting[number] += 1
        ready: list[Group] = [group for group in groups if group.is_final]
        while ready:
            group = ready.pop()
            for number in sorted({read.stage for read in group.reads.values()}):
                waiting[number] -= 1
                if waiting[number] == 0:
                    order.append(number)
                    if number in makers:
                        ready.append(makers[number])
        return order

    def place_stage(self, stage: Stage, readers: Sequence[Group]) -> None:
        reads = [(group, *self.span(group, stage)) for group in readers]
        stage.lead = max(group.lead + above for group, _, above, _, _ in reads)
        oldest = min(group.lead + below for group, below, _, _, _ in reads)
        first = min(group.start + group.lead + below for group, below, _, _, _ in reads)
        stage.start = (first - stage.lead) // self.step * self.step
        stage.left = max(group.left + left for group, _, _, left, _ in reads)
        stage.right = max(group.right + right for group, _, _, _, right in reads)
        stage.depth = stage.lead - oldest + self.step

    def span(self, group: Group, stage: Stage) -> tuple[int, int, int, int]:
        """Return how far a row loop reads a stage: rows below, above, columns left, right."""
        reads = [read for read in group.reads.values() if read.stage == stage.number]
        below = min(0, *[read.rows for read in reads])
        above = max(0, *[read.rows for read in reads])
        left = max(0, *[-read.columns for read in reads])
        right = max(0, *[read.columns for read in reads])
        if stage.mode in _REFLECTIONS:
            reach = max(-below, above)
            if self.step > 1:  # rows made in vain see the border, however this loop reads
                reach = max(reach, stage.rows_above, -stage.rows_below)
            below, above = -reach, reach
            left = right = max(left, right)
        return below, above, left, right

    def merged(self, groups: Sequence[Group]) -> list[Group]:
        """Join row loops of one place and one level: none of them reads another."""
        places: dict[tuple[int, ...], list[Group]] = {}
        for group in groups:
            if group.is_final:
                continue
            is_alone = group.running is not None or group.scanning
            number = group.targets[0][1] or 0 if is_alone else -1 - group.folding
            place: tuple[int, ...]
            place = (group.level, group.lead, group.start, group.left, group.right, number)
            places.setdefault(place, []).append(group)
        joined = []
        for place in sorted(places):
            targets = [target for group in places[place] for target in group.targets]
            targets.sort(key=lambda target: target[1] or 0)
            group = self.group(targets)
            group.level, group.lead, group.start, group.left, group.right = place[:5]
            joined.append(group)
        joined += [group for group in groups if group.is_final]
        for group in joined:
            is_alone = group.running is not None or group.folding or group.scanning
            # Rows past the last one are made in vain, but their indices would be found at fault.
            is_alone = is_alone or any(map(checks_indices, group.order))
            group.rows = self.step if group.reads_rows and not is_alone else 1
        return joined


def _uncast(node: Node) -> Node:
    """Return what was cast to a type that is no narrower."""
    while node.op.name == "cast" and node.args[0].dtype.bits <= node.dtype.bits:
        node = node.args[0]
    return node


def _worked_on(node: Node) -> tuple[Node, ...]:
    """Return the arguments that lie in rows.

    Where the chunks of a scan begin is read apart; what is gathered is read where it lies.
    """
    if node.op.kind == "gather":
        return node.args[1:]
    return node.args[:1] if node.op.kind == "scan" else node.args


def form_stages(
    kernel: KernelGraph, target: str = "llvm", min_bits: int = 8, *, converts_halves: bool = False
) -> Stages:
    """Return the stages of a kernel, with its work spelled for `target` in narrow types."""
    expansion = expand(topological(kernel.outputs), target, converts_halves=converts_halves)
    outputs = [expansion.replaced[node] for node in kernel.outputs]
    outputs, _ = narrow(outputs, expansion.intervals, min_bits)
    former = _Former(outputs, kernel.domain)
    stages, groups = former.form()
    return Stages(
        tuple(stages),
        tuple(groups),
        tuple(outputs),
        kernel.domain,
        former.step,
    )
