"""Narrowing: integer work is done in the narrowest type that provably holds its values.

An 8-bit image then stays in 8- and 16-bit lanes however wide the types of the expression are; the
values do not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from muntin.core.graph import build
from muntin.core.graph.intervals import Interval
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.graph.order import topological
from muntin.core.plan.ranges import interval_of, whole_type
from muntin.dtypes import DTYPES, DType

__all__ = ["narrow", "narrowest"]

_SATURATING = {"add_saturate": "add", "subtract_saturate": "subtract"}


def narrow(
    outputs: Sequence[Node], intervals: Mapping[Node, Interval], min_bits: int = 8
) -> tuple[list[Node], dict[Node, Interval]]:
    """Return the outputs in narrow types, and the interval of every integer node under them.

    Parameters
    ----------
    outputs
        The results of a kernel; their own types do not change.
    intervals
        The interval of every integer and boolean node under the outputs.
    min_bits
        The least width in which the target is to compute.
    """
    order = topological(outputs)
    narrowing = _Narrowing(intervals, min_bits)
    rows = narrowing.row_types(order)
    for node in order:
        made = narrowing.rewritten(node)
        # What is read at an offset has one type for all its readers: that of its rows.
        narrowing.made[node] = narrowing.as_type(made, rows[node]) if node in rows else made
    results = [narrowing.as_type(narrowing.made[node], node.dtype) for node in outputs]
    return results, narrowing.known


def narrowest(interval: Interval, min_bits: int = 8) -> DType | None:
    """Return the narrowest type of an interval, signed rather than unsigned at equal width."""
    low, high = interval
    for bits in (8, 16, 32, 64):
        for kind in ("int", "uint"):
            row = DTYPES[f"{kind}{bits}"]
            if bits >= min_bits and row.least <= low and high <= row.greatest:
                return row
    return None


@dataclass(slots=True)
class _Narrowing:
    intervals: Mapping[Node, Interval]
    min_bits: int
    made: dict[Node, Node] = field(default_factory=dict)
    known: dict[Node, Interval] = field(default_factory=dict)
    cast_to: dict[tuple[Node, DType], Node] = field(default_factory=dict)

    def interval(self, node: Node) -> Interval:
        return self.intervals.get(node) or whole_type(node.dtype)

    def row_types(self, order: Sequence[Node]) -> dict[Node, DType]:
        """Return the type of the rows of all integer work that is read at an offset.

        It holds the values of the work and the constants of the borders. Work that is done in
        wider lanes, for readers that widen it again, is kept as wide as that.
        """
        spans: dict[Node, list[Interval]] = {}
        for node in order:
            if node.reads_at:
                producer = node.args[0]
                if producer.op.kind != "input" and producer.dtype.is_integer:
                    spans.setdefault(producer, []).append(self.read_interval(node))
        users = _users(order)
        types: dict[Node, DType] = {}
        for node, found in spans.items():
            least = min([self.lane_bits(each) for each in (node, *users[node])])
            types[node] = narrowest(_hull(found), least) or node.dtype
        return types

    def read_interval(self, node: Node) -> Interval:
        """Return the values that a read of neighbours sees, the border's constant among them."""
        return _hull([self.interval(arg) for arg in node.args])

    def lane_bits(self, node: Node) -> int:
        """Return the width in which a node is computed, 8 where it does not matter."""
        while node.op.name == "cast" and node.args[0].dtype.is_integer:
            node = node.args[0]
        if not node.op.is_elementwise or not node.dtype.is_integer:
            return 8
        spans = [self.interval(node)]
        spans += [self.interval(arg) for arg in node.args if arg.dtype.is_integer]
        dtype = narrowest(_hull(spans))
        return min(dtype.bits, 16) if dtype is not None else 8

    def rewritten(self, node: Node) -> Node:
        """Return the node that has the value of `node` in a narrow type."""
        args = tuple([self.made[arg] for arg in node.args])
        if node.op.kind == "neighbour":
            return self.neighbour(node, args)
        if node.op.kind == "window_sum":
            return self.window_sum(node, args)
        if node.op.kind in ("fold", "scan"):
            return self.plain(node, args)
        if node.op.kind == "gather":
            return self.remade(node, args, node.dtype)
        if not node.op.is_elementwise:
            return self.added(node)
        if any(arg.dtype.is_float for arg in node.args) or node.dtype.is_float:
            return self.plain(node, args)
        if node.op.name == "cast":
            return self.cast(node, args[0])
        if node.op.name in ("minimum", "maximum"):
            kept = self.decided(node, args)
            if kept is not None:
                return kept
        if node.op.rule == "logical" or all(arg.dtype.is_bool for arg in node.args):
            return self.plain(node, args)
        return self.integer(node, args)

    def added(self, node: Node) -> Node:
        if not node.dtype.is_float:
            self.known[node] = self.intervals.get(node) or interval_of(node, self.known)
        return node

    def remade(
        self, node: Node, args: tuple[Node, ...], dtype: DType, name: str | None = None
    ) -> Node:
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        if same and name is None and dtype is node.dtype:
            return self.added(node)
        row = node.op if name is None else op(name)
        made = Node(row, args, node.params, node.payload, node.shape, dtype, node.axes)
        if not dtype.is_float:
            self.known[made] = self.interval(node)
        return made

    def as_type(self, node: Node, dtype: DType) -> Node:
        """Return a value, which `dtype` holds in full or by its low bits, as that type."""
        if node.dtype is dtype:
            return node
        found = self.cast_to.get((node, dtype))
        if found is None:
            if node.op.kind == "constant":
                found = build.constant(_wrapped(node.payload, dtype), dtype)
            else:
                found = build.cast(node, dtype)
            self.cast_to[node, dtype] = found
            if not dtype.is_float:
                self.known[found] = interval_of(found, self.known)
        return found

    def plain(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Keep the types: operands come back to the types that they had."""
        if node.op.name == "cast":
            return self.remade(node, args, node.dtype)
        restored = [self.as_type(arg, old.dtype) for arg, old in zip(args, node.args, strict=True)]
        return self.remade(node, tuple(restored), node.dtype)

    def cast(self, node: Node, arg: Node) -> Node:
        low, high = self.interval(node.args[0])
        if not node.dtype.is_bool and node.dtype.least <= low and high <= node.dtype.greatest:
            return arg
        return self.remade(node, (arg,), node.dtype)

    def decided(self, node: Node, args: tuple[Node, ...]) -> Node | None:
        """Return the operand that a minimum or maximum always takes, if one is."""
        (a, b), (c, d) = self.interval(node.args[0]), self.interval(node.args[1])
        if node.op.name == "maximum":
            (a, b), (c, d) = (-b, -a), (-d, -c)
        if b <= c:
            return args[0]
        return args[1] if d <= a else None

    def integer(self, node: Node, args: tuple[Node, ...]) -> Node:
        spans = [self.interval(arg) for arg in node.args]
        result = self.interval(node)
        name = node.op.name
        if name in _SATURATING:
            exact = op(_SATURATING[name]).interval
            assert exact is not None
            if exact(node.dtype, tuple(spans)) != result:
                return self.plain(node, args)
            return self.ring(node, args, result, _SATURATING[name])
        if node.op.ring:
            return self.ring(node, args, result)
        if node.op.rule == "compare" or node.op.rule == "test":
            dtype = narrowest(_hull(spans), self.min_bits) or node.args[0].dtype
            return self.remade(node, tuple([self.as_type(arg, dtype) for arg in args]), node.dtype)
        least = self.min_bits
        if name in ("raw_left_shift", "raw_right_shift"):
            least = max(least, spans[1][1] + 1)
        dtype = narrowest(_hull([*spans, result]), least) or node.dtype
        if name == "raw_divide" and min(low for low, _ in spans) >= 0:
            dtype = DTYPES[f"uint{dtype.bits}"]
        if dtype.bits > node.dtype.bits:
            dtype = node.dtype
        return self.remade(node, tuple([self.as_type(arg, dtype) for arg in args]), dtype)

    def ring(
        self, node: Node, args: tuple[Node, ...], result: Interval, name: str | None = None
    ) -> Node:
        """Narrow an operation whose low bits need low bits alone."""
        dtype = narrowest(result, self.min_bits) or node.dtype
        if dtype.bits > node.dtype.bits:
            dtype = node.dtype
        cast = [
            arg if node.op.name == "where" and place == 0 else self.as_type(arg, dtype)
            for place, arg in enumerate(args)
        ]
        return self.remade(node, tuple(cast), dtype, name)

    def neighbour(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Read rows in their type; the border's constant takes it too."""
        dtype = args[0].dtype
        constant = tuple([self.as_type(arg, dtype) for arg in args[1:]])
        return self.remade(node, (args[0], *constant), dtype)

    def window_sum(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Sum in the type of the sums what has the type of its rows."""
        dtype = narrowest(self.interval(node), self.min_bits) or node.dtype
        if dtype.bits > node.dtype.bits:
            dtype = node.dtype
        constant = tuple([self.as_type(arg, args[0].dtype) for arg in args[1:]])
        return self.remade(node, (args[0], *constant), dtype)


def _users(order: Sequence[Node]) -> dict[Node, list[Node]]:
    """Return the work that uses each node, seen through reads at an offset and casts."""
    users: dict[Node, list[Node]] = {node: [] for node in order}
    for node in reversed(order):
        through = node.op.kind == "neighbour" or (
            node.op.name == "cast" and node.dtype.is_integer and node.args[0].dtype.is_integer
        )
        for arg in node.args:
            users[arg] += users[node] if through else [node]
    return users


def _hull(spans: Sequence[Interval]) -> Interval:
    return min(low for low, _ in spans), max(high for _, high in spans)


def _wrapped(value: int | float, dtype: DType) -> int | float:
    if dtype.is_float or dtype.is_bool:
        return value
    wrapped = int(value) & ((1 << dtype.bits) - 1)
    return wrapped - (1 << dtype.bits) if wrapped > dtype.greatest else wrapped
