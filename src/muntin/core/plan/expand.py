"""Expansion: operations that a target does not spell are replaced by their bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from muntin.core.graph import build
from muntin.core.graph.halves import cast_half, cut, rounded_bfloat16, single
from muntin.core.graph.infer import resolve
from muntin.core.graph.intervals import Interval
from muntin.core.graph.node import Node, Number
from muntin.core.graph.ops import OPS, Op
from muntin.core.plan.ranges import interval_of, whole_type
from muntin.dtypes import DTYPES, DType, from_name
from muntin.errors import InternalError

__all__ = ["BodyBuilder", "Expansion", "expand"]

BFLOAT16 = DTYPES["bfloat16"]


@dataclass(frozen=True, slots=True)
class Expansion:
    """Nodes that a target spells, and which of them stand for the nodes given.

    Attributes
    ----------
    nodes
        Operands before those that use them, each once.
    replaced
        From every node given to the one that has its value now; often itself.
    intervals
        Of every integer and boolean node in `nodes`.
    """

    nodes: tuple[Node, ...]
    replaced: dict[Node, Node]
    intervals: dict[Node, Interval]


def expand(
    nodes: Sequence[Node], target: str = "llvm", *, converts_halves: bool = False
) -> Expansion:
    """Replace every elementwise node that `target` does not spell by its body.

    Parameters
    ----------
    nodes : sequence of Node
        Operands before those that use them; an operand that is not listed is left as it is.
    target : {"llvm", "opencl"}
        The column of spellings that counts.
    converts_halves : bool
        Whether the target has a conversion between float16 and float32.
    """
    builder = BodyBuilder(target, converts_halves)
    replaced: dict[Node, Node] = {}
    for node in nodes:
        args = tuple([replaced.get(arg, arg) for arg in node.args])
        if node.op.is_elementwise:
            replaced[node] = builder.rewritten(node, args)
        else:
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            replaced[node] = builder.added(node if same else replace(node, args=args))
    alive = set(replaced.values())
    for node in reversed(builder.nodes):
        if node in alive:
            alive.update(node.args)
    ordered = tuple([node for node in builder.nodes if node in alive])
    return Expansion(ordered, replaced, builder.intervals)


@dataclass(slots=True)
class BodyBuilder:
    """What a body builds with: each row is a method; the same operation is made once.

    Bodies see operands of shapes that agree or are (); no view is made for the latter.
    """

    target: str
    converts_halves: bool = False
    nodes: list[Node] = field(default_factory=list)
    intervals: dict[Node, Interval] = field(default_factory=dict)
    singles: dict[Node, Node] = field(default_factory=dict)  # of halves that were exact before
    _made: dict[tuple[Any, ...], Node] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Callable[..., Node]:
        row = OPS.get(name)
        if row is None or not row.is_elementwise:
            raise InternalError(f"expand: a body uses {name!r}, which is no elementwise operation")
        return partial(self._apply, row)

    def like(self, value: Number, node: Node) -> Node:
        """Return a number of the type of `node`."""
        return self._constant(value, node.dtype)

    def typed(self, value: Number, dtype: str | DType) -> Node:
        """Return a number of a type."""
        return self._constant(value, from_name(dtype) if isinstance(dtype, str) else dtype)

    def cast(self, node: Node, dtype: str | DType) -> Node:
        """Return the node as another type; integers wrap, floats clamp."""
        dtype = from_name(dtype) if isinstance(dtype, str) else dtype
        if node.dtype is dtype:
            return node
        if dtype.is_half or node.dtype.is_half:
            known = self.singles.get(node) if dtype is node.dtype.computed else None
            return known or cast_half(self, node, dtype)
        return self.converted(node, dtype)

    def converted(self, node: Node, dtype: DType) -> Node:
        """Return the node as another type by a cast that the target spells."""
        return self._once(build.cast(node, dtype))

    def rarely(self, condition: Node, rare: Node, common: Node) -> Node:
        """Choose as `where` does; what only `rare` needs is skipped where it may be."""
        chosen = self._apply(OPS["where"], condition, rare, common)
        return self._once(replace(chosen, params=("rarely",)))

    def interval(self, node: Node) -> Interval:
        """Return the integers that a node can take."""
        return self.intervals.get(node) or whole_type(node.dtype)

    def added(self, node: Node) -> Node:
        """Take in a node as it is."""
        self.nodes.append(node)
        if not node.dtype.is_float:
            self.intervals[node] = interval_of(node, self.intervals)
        return node

    def rewritten(self, node: Node, args: tuple[Node, ...]) -> Node:
        """Return what stands for an elementwise node whose operands were rewritten to `args`."""
        if node.op.name == "cast" and (node.dtype.is_half or args[0].dtype.is_half):
            return self.cast(args[0], node.dtype)
        if node.op.is_widened([arg.dtype for arg in args]):
            return self._widened(node.op, args, node.dtype)
        if node.op.name == "cast" or _spells(node.op, args, self.target):
            same = all(a is b for a, b in zip(args, node.args, strict=True))
            return self._once(node if same else replace(node, args=args))
        return self._body(node.op, args, node.dtype)

    def _apply(self, row: Op, *args: Node) -> Node:
        dtypes, result = resolve(row.name, row.rule, tuple([arg.dtype for arg in args]))
        if any(arg.dtype is not dtype for arg, dtype in zip(args, dtypes, strict=True)):
            given = ", ".join(str(arg.dtype) for arg in args)
            raise InternalError(f"expand: a body gives {given} to {row.name}; it must cast first")
        if row.is_widened(dtypes):
            return self._widened(row, args, result)
        if not _spells(row, args, self.target):
            return self._body(row, args, result)
        shaped = next((arg for arg in args if arg.shape), args[0])
        return self._once(Node(row, args, (), None, shaped.shape, result, shaped.axes))

    def _widened(self, row: Op, args: tuple[Node, ...], dtype: DType) -> Node:
        """Return a row of halves as one of float32, rounded to a half."""
        found: Node = single(self, row, args)
        if not dtype.is_half:
            return found
        if row.halves != "exact":
            if dtype is not BFLOAT16:
                return self.cast(found, dtype)
            # The NaN of an instruction is that of an operand, or the CPU's own: no digits follow.
            is_tame = self.target == "llvm" and row.is_spelled("f", self.target)
            found = rounded_bfloat16(self, found, is_tame=is_tame)
        half: Node = cut(self, found, dtype)
        self.singles[half] = found
        return half

    def _body(self, row: Op, args: tuple[Node, ...], dtype: DType) -> Node:
        if row.body is None:
            kind = _kind(args)
            raise InternalError(
                f"expand: {row.name} has neither a spelling for operands of kind {kind!r} in "
                f"{self.target} nor a body"
            )
        result: Node = row.body(self, *args)
        if result.dtype is not dtype:
            raise InternalError(f"expand: the body of {row.name} gives {result.dtype}, not {dtype}")
        return result

    def _constant(self, value: Number, dtype: DType) -> Node:
        return self._once(build.constant(value, dtype))

    def _once(self, node: Node) -> Node:
        key = (node.op, node.args, node.params, node.dtype, node.shape)
        known = self._made.get(key)
        if known is not None:
            return known
        self._made[key] = node
        return self.added(node)


def _kind(args: tuple[Node, ...]) -> str:
    return args[-1].dtype.kind


def _spells(row: Op, args: tuple[Node, ...], target: str) -> bool:
    return row.is_spelled(_kind(args), target)
