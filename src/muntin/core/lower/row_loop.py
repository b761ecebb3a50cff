"""The function that computes a row of some values, or several: a loop over contiguous memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from muntin.core.graph.folds import CHUNK
from muntin.core.graph.node import Node
from muntin.core.graph.row_folds import is_spread
from muntin.core.lower.gathered import Gathered
from muntin.core.lower.gathering import SHORT, pixel_of, widened
from muntin.core.plan.facts import CACHE_LINE
from muntin.core.plan.kernel import Domain
from muntin.core.plan.stages import Group
from muntin.core.program import (
    BOOL,
    INDEX,
    LOOKUP_LANES,
    POINTER,
    Advance,
    Apply,
    Builder,
    Const,
    Convert,
    Expr,
    Function,
    Load,
    Parameter,
    Prefetch,
    Var,
    index,
)
from muntin.errors import InternalError

__all__ = ["Columns", "RowLoop", "may_stream", "row_loop", "stream_lanes"]

BLOCK = 1024  # columns that are done again where a rare choice is taken
AHEAD = 4096  # bytes
LIGHT_WORK = 5.0  # additions an element that are hidden behind its way to memory


@dataclass(frozen=True, slots=True, eq=False)
class RowLoop:
    """A row loop's function, and what its parameters stand for, in their order.

    The parameters are: the number of elements; the pointers of `reads` (stage, row offset); those
    of the targets, all of the first row and then all of the next; the scalars; if an index is
    computed, the first column, the row and the outer positions; and for each of the operands in
    `gathers` the parameters of a `Gathering`. If `even` names operands, there is one more: whether
    these, by which indices are found, are the same in all columns, and what is gathered lies side
    by side. If anything is gathered the next is whether it is `near`: offsets have 32 bits, and
    words can be read where elements are narrow. If there are `level` operands, the last is whether
    all of them are one element a row.
    """

    function: Function
    reads: tuple[tuple[int, int], ...]
    scalars: tuple[int, ...]
    has_index: bool
    gathers: tuple[int, ...]
    rows: int
    even: tuple[int, ...]
    level: tuple[int, ...]

    @property
    def functions(self) -> tuple[Function, ...]:
        return (self.function,)


def may_stream(group: Group, domain: Domain) -> bool:
    """Say whether there is a row loop that writes past the caches: for plain pointwise work."""
    special = any(
        node.op.kind in ("index", "gather") or node.is_rare_choice for node in group.order
    )
    return domain.pointwise and group.rows == 1 and not special


def stream_lanes(group: Group) -> int:
    """Return how many columns are written at a time past the caches: a cache line of the widest."""
    sizes = [node.dtype.itemsize for node in (*group.reads, *[node for node, _ in group.targets])]
    return max(16, CACHE_LINE // max(sizes))


def row_loop(
    name: str,
    group: Group,
    domain: Domain,
    level: tuple[int, ...] = (),
    *,
    streamed: bool = False,
) -> RowLoop:
    """Return the function that computes the rows of the targets of `group`.

    A `streamed` one writes past the caches; its targets lie at cache lines. All `level` operands of
    the kernel may be one element a row.
    """
    columns = Columns.of(group, domain, level)
    if streamed:
        columns.streamed(columns.count, stream_lanes(group))
    else:
        columns.all(columns.count)
        columns.write_down_faults()
    work = sum(node.op.cost for node in group.order if node.op.is_elementwise)
    is_light = streamed or (
        domain.pointwise and work <= LIGHT_WORK and not columns.gathered.has_tables
    )
    return columns.row_loop(name, columns.targets, light=is_light)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The loops over the columns of a row, and the parameters of their function.

    Attributes
    ----------
    position
        The first column, the row and the outer positions, if an index is computed.
    gathered
        What is gathered.
    bad
        Whether an index is out of bounds, if one may be.
    even_values
        For each row that the loop makes what is the same in all its columns.
    level
        The operands of the kernel that may be one element a row, if one of them is read.
    """

    builder: Builder
    group: Group
    domain: Domain
    count: Var
    pointers: Mapping[tuple[int, int], Var]
    targets: Sequence[Var]
    scalars: Mapping[int, Var]
    position: Sequence[Var]
    gathered: Gathered
    bad: Var | None
    even_values: list[dict[Node, Expr]] = field(default_factory=list)
    level: tuple[int, ...] = ()

    @classmethod
    def of(cls, group: Group, domain: Domain, level: tuple[int, ...] = ()) -> Columns:
        """Return the columns of what `group` computes."""
        lines = range(group.rows)
        reads = sorted(
            {(read.stage, read.rows + line) for read in group.reads.values() for line in lines}
        )
        scalars = {node.payload: node for node in group.order if node.op.kind == "scalar"}
        inputs = {node.payload for node in group.reads if node.op.kind == "input"}
        position = [Var(INDEX, "first"), Var(INDEX, "row")]
        position += [Var(INDEX, f"outer{k}") for k in range(len(domain.outer_axes))]
        has_index = any(node.op.kind == "index" and node not in group.reads for node in group.order)
        builder, bad = Builder(), None
        gathered = Gathered.of(group, domain.channels)
        if not gathered.is_safe:
            bad = builder.variable(Const(BOOL, 0), "bad")
        columns = cls(
            builder,
            group,
            domain,
            Var(INDEX, "count"),
            {key: Var(POINTER, f"row{k}") for k, key in enumerate(reads)},
            [Var(POINTER, f"target{k}") for k in range(len(group.targets) * group.rows)],
            {k: Var(scalars[k].dtype, f"scalar{k}") for k in sorted(scalars)},
            position if has_index else (),
            gathered,
            bad,
            level=level if inputs.intersection(level) else (),
        )
        columns.even_values.extend([columns.even_work(line) for line in lines])
        return columns

    def even_work(self, line: int) -> dict[Node, Expr]:
        """Return the values that are folds of the row, and of work on such values alone."""
        b = self.builder
        values: dict[Node, Expr] = {}
        for node in self.group.order:
            read = self.group.reads.get(node)
            if read is not None and is_spread(node):
                pointer = self.pointers[read.stage, read.rows + line]
                values[node] = b.let(Load(node.dtype, pointer, index(0)), "fold")
            elif read is None and node.op.is_elementwise and any(n in values for n in node.args):
                given = {arg: values.get(arg) or self.number(arg) for arg in node.args}
                known = {arg: value for arg, value in given.items() if value is not None}
                if len(known) == len(given):
                    values[node] = b.let(_work(node, known), "value")
        return values

    def ask_ahead(
        self, x: Expr, count: int, half: int | None = None, besides: Collection[Node] = ()
    ) -> None:
        """Ask for what operands, `besides` some, have for `count` elements cache lines after `x`.

        Memory is far on many processors: what they foresee does not hide the way to it behind work.
        What goes over each chunk twice has time for a `half` of the next chunk in each pass.
        """
        for node, read in self.group.reads.items():
            if node.op.kind != "input" or node in besides:
                continue
            size = node.dtype.itemsize
            place, first, nbytes = x * size, AHEAD, count * size
            if half is not None:
                place, nbytes = place // index(2), nbytes // 2
                first = CHUNK * size + half * CHUNK * size // 2
            for line in range(first, first + nbytes, CACHE_LINE):
                pointer = self.pointers[read.stage, read.rows]
                self.builder.add(Prefetch(Advance(POINTER, pointer, place + line)))

    def ask_to_write(self, x: Expr, count: int) -> None:
        """Ask for where the targets have `count` elements some cache lines after `x`."""
        for (node, _), target in zip(self.group.targets, self.targets, strict=True):
            size = node.dtype.itemsize
            for line in range(AHEAD, AHEAD + count * size, CACHE_LINE):
                place = Advance(POINTER, target, x * size + line)
                self.builder.add(Prefetch(place, written=True))

    def number(self, node: Node) -> Expr | None:
        """Return the value of a constant or a scalar, None for other nodes."""
        if node.op.kind == "constant":
            return Const(node.dtype, node.payload)
        return self.scalars[node.payload] if node.op.kind == "scalar" else None

    def row_loop(
        self,
        name: str,
        written: Sequence[Var],
        *,
        light: bool = False,
        read: Sequence[Var] = (),
        last: Sequence[Var] = (),
    ) -> RowLoop:
        """Return the function of what was built; after what is `written` may be more to `read`."""
        parameters = [Parameter(self.count)]
        parameters += [Parameter(pointer, unaliased=True) for pointer in self.pointers.values()]
        parameters += [Parameter(pointer, unaliased=True, written=True) for pointer in written]
        parameters += [Parameter(pointer) for pointer in read]
        parameters += [Parameter(scalar) for scalar in self.scalars.values()]
        parameters += [Parameter(var) for var in self.position]
        parameters += [
            each for source in self.gathered.sources.values() for each in source.parameters
        ]
        even = self.gathered.even_operands
        parameters += [Parameter(self.even)] if even else []
        parameters += [Parameter(self.near)] if self.gathered.nodes else []
        parameters += [Parameter(self.is_level)] if self.level else []
        parameters += [Parameter(var) for var in last]
        function = self.builder.function(name, parameters, light=light)
        gathers = tuple(self.gathered.sources)
        reads, scalars = tuple(self.pointers), tuple(self.scalars)
        has_index, rows = bool(self.position), self.group.rows
        return RowLoop(function, reads, scalars, has_index, gathers, rows, even, self.level)

    def all(self, count: Expr) -> None:
        """Compute all columns; in blocks, where there are rare choices.

        What they rarely give is left out at first. If one is taken, its block is done again.
        """
        b, order = self.builder, self.group.order
        if self.level:
            with b.when(self.is_level):
                self.between(index(0), count, order, levels=self.level_values())
            with b.otherwise():
                self.between(index(0), count, order)
            return
        if self.gathered.even_operands:
            with b.when(self.even.both(count > 0)):
                self.between(index(0), count, order, is_even=True)
            with b.otherwise():
                self.columns(index(0), count, order)
            return
        if self.gathered.has_tables:
            with b.when(self.gathered.tables_are_dense):
                self.looked_up(count)
            with b.otherwise():
                self.between(index(0), count, order)
            return
        if not any(node.is_rare_choice for node in order):
            self.columns(index(0), count, order)
            return
        with b.loop("block", index(0), count, BLOCK) as block:
            stop = b.let((block + BLOCK).at_most(count), "stop")
            is_rare = b.variable(Const(BOOL, 0), "rare")
            self.columns(block, stop, _common(self.group), is_rare)
            with b.when(is_rare):
                self.between(block, stop, order)

    def columns(
        self, start: Expr, stop: Expr, order: Sequence[Node], is_rare: Var | None = None
    ) -> None:
        """Compute columns, where anything is gathered in a loop for each kind of memory."""
        if not self.gathered.nodes:
            self.between(start, stop, order, is_rare)
            return
        with self.builder.when(self.near):
            self.between(start, stop, order, is_rare, is_near=True)
        with self.builder.otherwise():
            self.between(start, stop, order, is_rare)

    def streamed(self, count: Expr, lanes: int) -> None:
        """Compute all columns, whole vectors of them past the caches."""
        b, order = self.builder, self.group.order
        whole = b.let(count & index(-lanes), "whole")

        def both(levels: Mapping[Node, Expr]) -> None:
            self.between(index(0), whole, order, lanes=lanes, is_streamed=True, levels=levels)
            self.between(whole, count, order, levels=levels)

        if not self.level:
            both({})
            return
        with b.when(self.is_level):
            both(self.level_values())
        with b.otherwise():
            both({})

    def looked_up(self, count: Expr) -> None:
        """Compute all columns, where all that is gathered stands in dense tables."""
        b = self.builder
        lasts = {node: source.last(b) for node, source in self.gathered.nodes.items()}
        whole = b.let(count & index(-LOOKUP_LANES), "whole")
        self.between(index(0), whole, self.group.order, lanes=LOOKUP_LANES, lasts=lasts)
        self.between(whole, count, self.group.order)

    def between(
        self,
        start: Expr,
        stop: Expr,
        order: Sequence[Node],
        is_rare: Var | None = None,
        lanes: int = 1,
        is_even: bool = False,
        is_near: bool = False,
        is_streamed: bool = False,
        lasts: Mapping[Node, Expr] | None = None,
        levels: Mapping[Node, Expr] | None = None,
    ) -> None:
        """Compute columns; given `is_rare`, as if no rare choice were taken, noting if one is.

        Given `lasts`, their last indices, all that is gathered stands in dense tables; given
        `levels`, these are the same in all columns.
        """
        b, lines = self.builder, range(self.group.rows)
        rows: dict[tuple[Node, int], Expr] = {}
        if levels:
            order = [node for node in order if node not in levels]
        if is_even:
            rows, order = self.gathered_rows(lines), self.gathered.beside_indices
        if is_near:  # indices first: several elements may be read at once
            found = set(self.gathered.indices)
            order = sorted(order, key=lambda node: node not in found)
        with b.loop("x", start, stop, independent=True, lanes=lanes) as x:
            if is_streamed:
                self.ask_ahead(x, lanes, besides=levels or ())
            results: list[Expr] = []
            loads: dict[tuple[int, int, int], Expr] = {}
            for line in lines:
                values = self.values(
                    x, line, order, loads, is_rare, rows, lasts, levels, is_near=is_near
                )
                results += [values[node] for node, _ in self.group.targets]
            for target, result in zip(self.targets, results, strict=True):
                b.store(target, x, result, streamed=is_streamed)

    def write_down_faults(self) -> None:
        """Go over the columns again if an index is out of bounds, to say which."""
        if self.bad is None:
            return
        b = self.builder
        order = self.gathered.indices
        stop: Expr = self.count
        if self.gathered.even_operands:
            stop = b.let(self.even.choose(self.count.at_most(1), self.count), "stop")
        with b.when(self.bad), b.loop("x", index(0), stop) as x:
            for line in range(self.group.rows):
                values = self.values(x, line, order, {}, None)
                for gathering in self.gathered.nodes.values():
                    gathering.write_down(b, values)

    @property
    def even(self) -> Var:
        """Whether rows are gathered whole."""
        return Var(BOOL, "even")

    @property
    def is_level(self) -> Var:
        """Whether all operands that may be are one element a row."""
        return Var(BOOL, "level")

    def level_values(self) -> dict[Node, Expr]:
        """Return the elements of operands of one element a row; such loops make one row."""
        values: dict[Node, Expr] = {}
        for node, read in self.group.reads.items():
            if node.op.kind == "input" and node.payload in self.level:
                pointer = self.pointers[read.stage, read.rows]
                values[node] = self.builder.let(Load(node.dtype, pointer, index(0)), "element")
        return values

    @property
    def near(self) -> Var:
        """Whether offsets have 32 bits, and words can be read where elements are narrow."""
        return Var(BOOL, "near")

    def gathered_rows(self, lines: range) -> dict[tuple[Node, int], Expr]:
        """Return where the rows lie that are gathered whole: where their first elements' are."""
        b = self.builder
        found = {}
        for line in lines:
            values = self.values(index(0), line, self.gathered.indices, {}, None)
            for node, gathering in self.gathered.nodes.items():
                found[node, line] = gathering.row(b, line, values, self.bad)
        return found

    def values(
        self,
        x: Expr,
        line: int,
        order: Sequence[Node],
        loads: dict[tuple[int, int, int], Expr],
        is_rare: Var | None,
        whole: Mapping[tuple[Node, int], Expr] | None = None,
        lasts: Mapping[Node, Expr] | None = None,
        levels: Mapping[Node, Expr] | None = None,
        *,
        is_near: bool = False,
    ) -> dict[Node, Expr]:
        """Return the value of each node in row `line` of those that the loop makes.

        `whole` are where rows lie that are gathered as they are, `lasts` the last indices of dense
        tables, if all that is gathered stands in these.
        """
        b = self.builder
        places = self.places(x, line, is_near=is_near) if self.position else {}
        values = {**self.even_values[line], **(levels or {})}
        for node in order:
            if node in values:
                continue
            read = self.group.reads.get(node)
            number = self.number(node)
            if read is not None:
                rows = read.rows + line
                key = (read.stage, rows, read.columns)
                if key not in loads:
                    place = x + read.columns * self.domain.channels
                    loads[key] = b.let(
                        Load(node.dtype, self.pointers[read.stage, rows], place), "load"
                    )
                values[node] = loads[key]
            elif number is not None:
                values[node] = number
            elif node.op.kind == "index":
                values[node] = b.let(places[node.params[0]], "index")
            elif whole and (node, line) in whole:
                values[node] = b.let(Load(node.dtype, whole[node, line], x), "load")
            elif node in self.gathered.nodes and is_near:
                nodes = self.gathered.in_one_word(node)
                first, *others = [self.gathered.nodes[each] for each in nodes]
                found = first.read_near(b, x, line, self.domain.channels, values, self.bad, others)
                values.update(zip(nodes, found, strict=True))
            elif lasts and node in self.gathered.nodes:
                gathered = self.gathered.nodes[node]
                values[node] = gathered.look_up(b, line, values, self.bad, lasts[node])
            elif node in self.gathered.nodes:
                gathered = self.gathered.nodes[node]
                values[node] = gathered.read(b, x, line, self.domain.channels, values, self.bad)
            elif is_rare is not None and node.is_rare_choice:
                b.note(is_rare, values[node.args[0]])
                values[node] = values[node.args[2]]
            else:
                values[node] = b.let(_work(node, values), "value")
        return values

    def places(self, x: Expr, line: int, *, is_near: bool) -> dict[int | None, Expr]:
        """Return the position of an element along each axis."""
        first, row, *outer = self.position
        domain, channels = self.domain, self.domain.channels
        places: dict[int | None, Expr] = dict(zip(domain.outer_axes, outer, strict=True))
        places[domain.row_axis] = row + line
        pixel, channel = pixel_of(self.builder, x, channels, SHORT if is_near else INDEX)
        places[domain.column_axis] = first + widened(pixel)
        if domain.channel_axis is not None and channel is not None:
            places[domain.channel_axis] = widened(channel)
        return places


def _common(group: Group) -> list[Node]:
    """Return the nodes that are computed where no rare choice is taken."""
    needed = {node for node, _ in group.targets}
    for node in reversed(group.order):
        if node in needed and node not in group.reads:
            needed.update((node.args[0], node.args[2]) if node.is_rare_choice else node.args)
    return [node for node in group.order if node in needed]


def _work(node: Node, values: Mapping[Node, Expr]) -> Expr:
    if node.op.name == "cast":
        return Convert(node.dtype, values[node.args[0]], bool(node.params))
    if node.op.is_elementwise:
        return Apply(node.dtype, node.op, tuple([values[arg] for arg in node.args]))
    raise InternalError(
        f"row_loop: a {node.op.kind} node is left in the work of a row; "
        "the plan should have given it a stage"
    )
