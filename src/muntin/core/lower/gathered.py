"""All that a row loop gathers: from which operands, and by what work indices are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from muntin.core.graph.node import Node
from muntin.core.lower.gathering import WORD, Gathering, is_narrow
from muntin.core.plan.stages import Group
from muntin.core.program import Expr

__all__ = ["Gathered"]


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The nodes of a group that gather.

    Attributes
    ----------
    channels
        How many are interleaved in the rows of the group.
    nodes
        What the row loop must know of each.
    """

    group: Group
    channels: int
    nodes: Mapping[Node, Gathering]

    @classmethod
    def of(cls, group: Group, channels: int) -> Gathered:
        """Return what `group` gathers."""
        found = [n for n in group.order if n.op.kind == "gather" and n not in group.reads]
        return cls(group, channels, {node: Gathering.of(node, group.rows) for node in found})

    @property
    def sources(self) -> dict[int, Gathering]:
        """What is gathered, once for each operand."""
        return {gathering.operand: gathering for gathering in self.nodes.values()}

    @property
    def is_safe(self) -> bool:
        """Whether no index can be out of bounds."""
        return all(gathering.is_safe for gathering in self.nodes.values())

    @property
    def has_tables(self) -> bool:
        """Whether all that is gathered stands in tables of bytes, and vectors can be computed."""
        special = any(node.op.kind == "index" or node.is_rare_choice for node in self.group.order)
        found = [gathering.is_table for gathering in self.nodes.values()]
        return bool(found) and all(found) and not special

    @property
    def tables_are_dense(self) -> Expr:
        """Whether vectors of columns can be looked up."""
        return reduce(Expr.both, [gathering.is_dense for gathering in self.nodes.values()])

    @property
    def indices(self) -> list[Node]:
        """The work by which indices are found."""
        needed = {arg for node in self.nodes for arg in node.args[1:]}
        for node in reversed(self.group.order):
            if node in needed and node not in self.group.reads:
                needed.update(node.args)
        return [node for node in self.group.order if node in needed]

    @property
    def beside_indices(self) -> list[Node]:
        """All nodes of the group but those by which indices are found, numbers aside."""
        numbers = ("scalar", "constant")
        found = {node for node in self.indices if node.op.kind not in numbers}
        return [node for node in self.group.order if node not in found]

    @property
    def even_operands(self) -> tuple[int, ...]:
        """The operands by which alone indices are found, where rows may be gathered whole."""
        follow = [node for node in self.nodes if node.params[1]]
        plain = self.channels == 1 and not any(node.is_rare_choice for node in self.group.order)
        leaves = [node for node in self.indices if not node.op.is_elementwise]
        found = [node.payload for node in leaves if node.op.kind == "input"]
        known = all(node.op.kind in ("input", "scalar", "constant") for node in leaves)
        is_whole = bool(follow) and len(follow) == len(self.nodes)
        used = {node for node, _ in self.group.targets}
        for node in self.beside_indices:
            used.update(node.args if node not in self.nodes else ())
        is_apart = used.isdisjoint(set(self.indices).difference(self.beside_indices))
        return tuple(found) if is_whole and plain and known and is_apart else ()

    def in_one_word(self, node: Node) -> list[Node]:
        """Return the nodes whose elements lie in the same words as those of `node`, it first."""
        span = node.dtype.itemsize * (self.channels + 1)
        indices = self.indices
        if not node.params[2] or span > WORD or not is_narrow(node.dtype) or node in indices:
            return [node]
        alike = [
            each
            for each in self.nodes
            if each.args[:-1] == node.args[:-1] and each.params == node.params
        ]
        return [node, *[each for each in alike if each is not node and each not in indices]]
