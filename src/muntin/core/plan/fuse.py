"""Cuts a canonical graph into kernels: as few as the rules allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from muntin.core.border import BorderMode
from muntin.core.graph.canonical import Canonical, canonical
from muntin.core.graph.gathering import checks_indices
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.graph.order import topological
from muntin.core.plan.kernel import (
    RUNS,
    Domain,
    HostWork,
    KernelGraph,
    Plan,
    Result,
    is_row_run,
)
from muntin.core.plan.places import Within, places_within
from muntin.core.plan.sink import sink_neighbours

__all__ = ["HOSTED", "MAX_NODES", "MAX_OPERANDS", "MAX_REACH", "SEEN", "fuse"]

Plane: TypeAlias = tuple[int | None, int | None] | None  # the axes of the rows and the columns

SEEN = ("view", "reshape", "gathered")  # nodes whose elements are those of their argument
IN_MEMORY = ("input", "concat", *SEEN)
HOSTED = ("combine", "matmul")  # nodes that the host computes
STORED = ("fold", "scan", *HOSTED)  # nodes that are always stored
ONE_DOMAIN = ("elementwise", "neighbour", "window_sum", "keep", "part", "gather", *RUNS)
MAX_NODES = 512
MAX_OPERANDS = 64  # arrays that a kernel may read: the time to compile grows with their square
MAX_REACH = 24  # rows that a kernel may recompute at each side of a window


def fuse(graph: Canonical) -> Plan:
    """Return the plan of a graph; it depends on the graph alone, never on sizes or data."""
    return _Fusion(graph).plan()


@dataclass(slots=True)
class _Fusion:
    graph: Canonical
    parent: list[int] = field(default_factory=list)
    stored: set[int] = field(default_factory=set)
    cuts: set[int] = field(default_factory=set)
    level: list[int] = field(default_factory=list)
    plane: list[Plane] = field(default_factory=list)
    written: dict[int, Result] = field(default_factory=dict)
    within: dict[int, Within] = field(default_factory=dict)

    def plan(self) -> Plan:
        self.within = places_within(self.graph)
        self.unify_domains()
        roots = tuple(self.root(position) for position in self.graph.roots)
        self.find_cuts()
        self.limit_size()
        self.stored |= self.cuts
        self.find_levels()
        groups: dict[tuple[int, int], list[int]] = {}
        for position in sorted(self.stored):
            groups.setdefault((self.level[position], self.family(position)), []).append(position)
        work = [part for key in sorted(groups) for part in self.parts(groups[key])]
        last_use: dict[int, int] = {}
        for number, part in enumerate(work):
            for position in part.operands:
                for seen in self.chain(position):
                    last_use[seen] = number
        return Plan(tuple(work), roots, last_use, self.copies())

    def parts(self, members: Sequence[int]) -> list[KernelGraph | HostWork]:
        """Return the work that computes the stored nodes of one level and domain."""
        kinds = {member: self.graph.nodes[member].op.kind for member in members}
        in_part = [member for member in members if self.is_in_part(member)]
        hosted = [member for member in members if kinds[member] in HOSTED]
        whole = [member for member in members if member not in (*in_part, *hosted)]
        if not self.checks_indices and not any(kinds[member] in RUNS for member in whole):
            whole, in_part = [*whole, *in_part], []
            whole.sort()
        across: list[int] = []
        if any(_by_pixels(self.graph.nodes[member]) for member in whole):
            across = [member for member in whole if self.reads_across(member)]
            whole = [member for member in whole if member not in across]
        found: list[KernelGraph | HostWork] = []
        # What is computed in vain for another's part would be checked: each part is its own kernel.
        parts = [[member] for member in in_part] if self.checks_indices else [in_part]
        for kernel in (whole, across, *parts):
            found += [self.kernel(one) for one in self.by_plane(kernel)]
        found += [HostWork(member, self.graph.args[member]) for member in hosted]
        return found

    @property
    def checks_indices(self) -> bool:
        """Whether some indices may be out of bounds."""
        return any(map(checks_indices, self.graph.nodes))

    def reads_across(self, position: int) -> bool:
        """Say whether neighbours along the last axis are read in the kernel of a node."""
        seen: set[int] = set()
        stack = [position]
        while stack:
            position = stack.pop()
            if position not in seen:
                seen.add(position)
                stack += self.uncut(position)
                if any(at and at[-1] for at in self.graph.nodes[position].reads_at):
                    return True
        return False

    def is_in_part(self, position: int) -> bool:
        """Say whether only a part of a node is computed: a fold needs all of its own."""
        result = self.written.get(position)
        return result is not None and (
            result.view is not None or self.graph.nodes[position].valid is not None
        )

    # --- domains ----------------------------------------------------------------------------------

    def unify_domains(self) -> None:
        """Put nodes into one class where an operation required their shapes to be equal.

        Work without axes is one class too: what follows several reductions is one kernel.
        """
        self.parent = list(range(len(self.graph.nodes)))
        without_axes: list[int] = []
        for position, node in enumerate(self.graph.nodes):
            if not node.shape and node.op.is_elementwise:
                without_axes.append(position)
                self.parent[self.find(position)] = self.find(without_axes[0])
            if node.op.kind in ONE_DOMAIN:
                args = self.graph.args[position]
                for arg in args[:1] if node.op.kind == "scan" else args:
                    if self.graph.nodes[arg].op.kind not in ("scalar", "constant", "gathered"):
                        self.parent[self.find(arg)] = self.find(position)

    def find(self, position: int) -> int:
        while self.parent[position] != position:
            self.parent[position] = self.parent[self.parent[position]]
            position = self.parent[position]
        return position

    def family(self, position: int) -> int:
        """Return what is common to the nodes that one kernel may compute."""
        node, args = self.graph.nodes[position], self.graph.args
        if node.op.kind != "program":
            return self.find(position)
        calls = [
            other
            for other, each in enumerate(self.graph.nodes)
            if each.op is node.op
            and args[other] == args[position]
            and each.payload.identity == node.payload.identity
        ]
        return -1 - calls[0]

    def is_computed(self, position: int) -> bool:
        kind = self.graph.nodes[position].op.kind
        if kind == "view":
            base = self.graph.nodes[self.graph.args[position][0]]
            return base.op.kind in ("scalar", "constant", "index")
        if kind == "part":
            return self.graph.args[position][0] not in self.within
        return kind not in ("input", "reshape", "concat", "gathered")

    def chain(self, position: int) -> list[int]:
        """Return `position` and the nodes that it is seen through, down to what holds the data."""
        found = [position]
        while self.graph.nodes[position].op.kind in SEEN and not self.is_computed(position):
            (position,) = self.graph.args[position]
            found.append(position)
        return found

    # --- what is stored ---------------------------------------------------------------------------

    def root(self, position: int) -> Result:
        """Mark what a root needs stored, and say where the root will be found."""
        node = self.graph.nodes[position]
        if node.op.kind not in SEEN or self.is_computed(position):
            if self.is_computed(position):
                self.stored.add(position)
                self.written.setdefault(position, Result(position))
            return Result(position)
        below = self.chain(position)[-1]
        if self.is_computed(below):
            if self.is_window(position, below):
                self.stored.add(below)
                self.written[below] = Result(below, position)
                return Result(below, position)
            self.cuts.add(below)
        return Result(below, position)

    @property
    def needs_whole_rows(self) -> bool:
        return any(node.op.kind == "scan" or is_row_run(node) for node in self.graph.nodes)

    @property
    def has_channels(self) -> bool:
        """Whether rows of interleaved channels may be read beside, or are gathered."""
        return any(
            node.params[3] > 1
            if node.op.kind == "gather"
            else node.reads_at and (node.axes or "").endswith("c")
            for node in self.graph.nodes
        )

    def is_window(self, position: int, below: int) -> bool:
        """Say whether a node is seen here alone: reshaped, or a box of it, axes permuted."""
        node = self.graph.nodes[position]
        uses = sum(below in args or position in args for args in self.graph.args)
        uses += sum(root in (position, below) for root in self.graph.roots)
        if uses != 2 or self.graph.args[position] != (below,):
            return False
        if self.graph.nodes[below].op.kind in ("program", *STORED) or self.needs_whole_rows:
            return False
        if node.op.kind == "reshape":
            return True
        params, dropped = node.params
        kinds = ("unit",) if self.has_channels else ("unit", "part")  # pixels are written whole
        return not dropped and all(source is not None and kind in kinds for source, kind in params)

    def find_cuts(self) -> None:
        """Mark the nodes that must be stored between two kernels."""
        nodes, args = self.graph.nodes, self.graph.args
        windows = {result.view for result in self.written.values()}
        has_parts = any(node.valid is not None for node in nodes)
        for position, node in enumerate(nodes):
            kind = node.op.kind
            is_always_stored = kind in ("keep", "program", *STORED)
            if is_row_run(node) and not has_parts:
                is_always_stored = False
            if is_always_stored or (kind == "part" and self.is_computed(position)):
                self.cuts.add(position)
                if kind in ("program", "matmul"):
                    self.cuts |= {arg for arg in args[position] if self.is_stored_for(arg)}
            elif kind in SEEN and not self.is_computed(position) and position not in windows:
                if self.is_computed(args[position][0]):
                    self.cuts.add(args[position][0])
            elif node.reads_at:
                producer = args[position][0]
                if self.is_computed(producer) and self.must_store(node):
                    self.cuts.add(producer)
        for position in self.cuts:
            self.written[position] = Result(position)

    def is_stored_for(self, position: int) -> bool:
        """Say whether an argument must be stored for what reads memory: numbers are passed."""
        return self.is_computed(position) and self.graph.nodes[position].op.kind != "scalar"

    def must_store(self, node: Node) -> bool:
        """Say whether a read of computed work can't be rolled: it wraps, or lies off the plane."""
        if node.params[-1] is BorderMode.WRAP:
            return True
        return any(
            offset and axis not in node.plane
            for offsets in node.reads_at
            for axis, offset in enumerate(offsets)
        )

    def limit_size(self) -> None:
        """Cut where a kernel would be too large, redo too many rows or roll two ways."""
        size: list[set[int]] = []
        reads: list[set[int]] = []
        reach: list[int] = []
        for position, node in enumerate(self.graph.nodes):
            if node.op.kind in ("scalar", "constant", "index", *IN_MEMORY):
                size.append(set())
                reads.append({position} if node.op.kind in IN_MEMORY else set())
                reach.append(0)
                self.plane.append(None)
                continue
            row_axis = node.plane[0]
            extra = 0
            if row_axis is not None:
                extra = max([abs(at[row_axis]) for at in node.reads_at], default=0)
            members, rows = {position}, 0
            operands = {arg for arg in self.graph.args[position] if arg in self.cuts}
            for arg in self.uncut(position):
                members |= size[arg]
                operands |= reads[arg]
                rows = max(rows, reach[arg])
            planes = self.planes(position)
            too_far = rows > 0 and extra > 0 and rows + extra > MAX_REACH
            too_large = len(members) > MAX_NODES or len(operands) > MAX_OPERANDS
            if too_large or too_far or len(planes) > 1:
                for arg in self.uncut(position):
                    if self.is_computed(arg) and size[arg]:
                        self.cuts.add(arg)
                        self.written[arg] = Result(arg)
                members, rows, planes = {position}, 0, self.planes(position)
                operands = set(self.graph.args[position])
            size.append(members)
            reads.append(operands)
            reach.append(rows + extra)
            self.plane.append(next(iter(planes), None))

    def uncut(self, position: int) -> list[int]:
        return [arg for arg in self.graph.args[position] if arg not in self.cuts]

    def planes(self, position: int) -> set[Plane]:
        """Return the planes in which rows of work must roll for the node at `position`."""
        node = self.graph.nodes[position]
        planes = {self.plane[arg] for arg in self.uncut(position)}
        if node.op.kind in RUNS:
            planes.add(_run_plane(node))
        if node.reads_at:
            producer = self.graph.args[position][0]
            is_rolled = self.is_computed(producer) and producer not in self.cuts
            if is_rolled or node.op.kind == "window_sum":  # which goes down the rows
                planes.add(node.plane)
        return planes - {None}

    def by_plane(self, members: Sequence[int]) -> list[list[int]]:
        """Return the members of each kernel: what rolls in one plane, and in the first the rest."""
        kernels: dict[Plane, list[int]] = {}
        for member in members:
            if self.plane[member] is not None:
                kernels.setdefault(self.plane[member], [])
        first = next(iter(kernels), None)
        for member in members:
            kernels.setdefault(self.plane[member] or first, []).append(member)
        return list(kernels.values())

    def find_levels(self) -> None:
        """Number the kernels: one past the last cut that a node depends on."""
        for args in self.graph.args:
            deepest = 0
            for arg in args:
                deepest = max(deepest, self.level[arg] + (arg in self.cuts))
            self.level.append(deepest)

    # --- kernels ----------------------------------------------------------------------------------

    def copies(self) -> dict[int, KernelGraph]:
        """Return for each reshape the kernel that moves its elements into their order."""
        copies = {}
        for position, node in enumerate(self.graph.nodes):
            if node.op.kind == "reshape":
                (below,) = self.graph.args[position]
                leaf = _leaf("input", 0, self.graph.nodes[below])
                domain = _domain([leaf], leaf)
                key = (canonical([leaf]).key, domain)
                copies[position] = KernelGraph(
                    (leaf,), (below,), (), (Result(below, position),), domain, key
                )
        return copies

    def kernel(self, members: Sequence[int]) -> KernelGraph:
        """Return the kernel that computes the stored nodes at `members`."""
        nodes, args = self.graph.nodes, self.graph.args
        if nodes[members[0]].op.kind == "program":
            return self.program_kernel(members)
        level = self.level[members[0]]
        made: dict[int, Node] = {}
        operands: list[int] = []
        scalars: list[int] = []

        def leaf(position: int) -> Node | None:
            node = nodes[position]
            if node.op.kind == "scalar":
                scalars.append(position)
                return _leaf("scalar", len(scalars) - 1, node)
            if node.op.kind == "constant":
                return node
            stored_before = position in self.stored and (
                self.level[position] < level or (position in self.cuts and position not in members)
            )
            if not self.is_computed(position) or stored_before:
                operands.append(position)
                return _leaf("input", len(operands) - 1, node)
            return None

        stack = list(reversed(members))
        while stack:
            position = stack[-1]
            if position in made:
                stack.pop()
                continue
            ready = leaf(position)
            if ready is None:
                if nodes[position].op.kind == "view":  # of a number or an index
                    ready = self.viewed_leaf(position, scalars)
                else:
                    waiting = [arg for arg in args[position] if arg not in made]
                    if waiting:
                        stack.extend(reversed(waiting))
                        continue
                    ready = _like(nodes[position], tuple([made[arg] for arg in args[position]]))
            stack.pop()
            made[position] = ready
        outputs = sink_neighbours([made[position] for position in members])
        results = tuple([self.written[position] for position in members])
        domain = _domain(outputs, self.graph.domain_node(members[0]))
        form = canonical(outputs)
        stretched = tuple(
            [k for k, operand in enumerate(operands) if _is_stretched(nodes[operand])]
        )
        return KernelGraph(
            tuple([form.nodes[end] for end in form.roots]),
            tuple(operands),
            tuple(scalars),
            results,
            domain,
            (form.key, domain, stretched),
            stretched,
        )

    def program_kernel(self, members: Sequence[int]) -> KernelGraph:
        """Return the kernel that runs a program for the outputs at `members`."""
        nodes, first = self.graph.nodes, members[0]
        args = self.graph.args[first]
        scalars = [arg for arg in args if nodes[arg].op.kind == "scalar"]
        operands = [arg for arg in args if nodes[arg].op.kind not in ("scalar", "part")]
        leaves = [_leaf("input", number, nodes[arg]) for number, arg in enumerate(operands)]
        leaves += [_leaf("scalar", number, nodes[arg]) for number, arg in enumerate(scalars)]
        digest, _, checked = nodes[first].params
        return KernelGraph(
            tuple([_like(nodes[member], tuple(leaves)) for member in members]),
            tuple(operands),
            tuple(scalars),
            tuple([self.written[member] for member in members]),
            Domain(len(nodes[first].shape), pointwise=False),
            ("program", digest, checked),
        )

    def viewed_leaf(self, position: int, scalars: list[int]) -> Node:
        """Return the node for a view of a number: the number itself, which fits any shape."""
        below = self.graph.args[position][0]
        node = self.graph.nodes[below]
        if node.op.kind == "scalar":
            scalars.append(below)
            return _leaf("scalar", len(scalars) - 1, node)
        return node


def _leaf(kind: str, number: int, like: Node) -> Node:
    payload = number
    return Node(op(kind), (), (number,), payload, like.shape, like.dtype, like.axes)


def _like(node: Node, args: tuple[Node, ...]) -> Node:
    if node.op.kind in ("keep", "part"):
        return args[0]
    return Node(node.op, args, node.params, node.payload, node.shape, node.dtype, node.axes)


def _tells_plane(neighbour: Node) -> int:
    """Return how much a kernel's plane must be that of a node: rows of work roll in no other."""
    is_rolled = neighbour.args[0].op.kind != "input"
    return 2 * is_rolled + (neighbour.plane != (None, None))


def _run_plane(node: Node) -> Plane:
    """Return the axes of the rows and the columns for a fold or a scan."""
    columns = len(node.shape) - (2 if node.params[1] == "channels" else 1)
    return (columns - 1 if columns else None), columns


def _by_pixels(node: Node) -> bool:
    return node.op.kind == "fold" and node.params[1] == "channels"


def _is_stretched(node: Node) -> bool:
    """Say whether the last axis of an array shows one element again and again."""
    if node.op.kind != "view" or not node.payload.axes:
        return False
    last = node.payload.axes[-1]
    return last.source is None or last.step == 0


def _domain(outputs: Sequence[Node], like: Node) -> Domain:
    rank = len(like.shape)
    order = topological(outputs)
    runs = [node for node in order if node.op.kind in RUNS]
    if runs:
        row, column = _run_plane(runs[0]) or (None, None)
        by_channels = runs[0].params[1] == "channels"
        return Domain(rank, row, column, like.shape[-1] if by_channels else 1, False)
    neighbours = [node for node in order if node.reads_at]
    if not neighbours:
        channels = max([1, *[node.params[3] for node in order if node.op.kind == "gather"]])
        pointwise = channels == 1 and not any(node.op.kind == "index" for node in order)
        last = rank - 1 - (channels > 1)
        row, column = (last - 1 if last > 0 else None), (last if last >= 0 else None)
        return Domain(rank, row, column, channels, pointwise)
    node = max(neighbours, key=_tells_plane)
    row, column = node.plane
    follows = column is not None and node.axes is not None and node.axes[column + 1 :] == "c"
    is_read_across = any(at[-1] for node in neighbours for at in node.reads_at)
    channels = node.shape[-1] if follows and not is_read_across else 1
    return Domain(rank, row, column, channels, False)
