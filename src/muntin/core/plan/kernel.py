"""A kernel as data: the graph it computes, what it reads and writes, and how it may be split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from muntin.core.graph.gathering import checks_indices
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.core.graph.row_folds import is_spread

__all__ = ["RUNS", "HostWork", "Domain", "KernelGraph", "Plan", "Result", "is_row_run"]


RUNS = ("fold", "scan")  # nodes whose work goes along runs of elements, in a mapping


def is_row_run(node: Node) -> bool:
    """Say whether a fold or scan makes rows from rows: what follows may be in the same kernel."""
    if is_spread(node):
        return True
    return node.op.kind == "scan" and node.params[1] == "across" and len(node.args) == 1


@dataclass(frozen=True, slots=True)
class Domain:
    """The axes of a kernel's iteration space.

    `row_axis` and `column_axis` are those along which stencils read; `channels` is the length of
    a channel axis that follows the columns and is compiled in. All other axes are outer ones.
    In a purely pointwise kernel no axis has a meaning: they may be merged and permuted.
    """

    rank: int
    row_axis: int | None = None
    column_axis: int | None = None
    channels: int = 1
    pointwise: bool = True

    @property
    def channel_axis(self) -> int | None:
        if self.pointwise or self.column_axis is None or self.channels == 1:
            return None
        return self.column_axis + 1

    @property
    def outer_axes(self) -> tuple[int, ...]:
        named = (self.row_axis, self.column_axis, self.channel_axis)
        return tuple(axis for axis in range(self.rank) if axis not in named)


@dataclass(frozen=True, slots=True)
class Result:
    """What a kernel writes: a node of the canonical graph, through the view at `view` if any."""

    node: int
    view: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class HostWork:
    """A node that the host computes from others in memory: positions in the canonical graph.

    It combines the parts of a reduction, or multiplies matrices.
    """

    node: int
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class KernelGraph:
    """The graph of one kernel.

    Its leaves are `input` nodes whose payload is an operand number and `scalar` nodes whose
    payload is a scalar number; the positions name the nodes of the canonical graph. `stretched`
    are the operands whose last axis is.
    """

    outputs: tuple[Node, ...]
    operands: tuple[int, ...]
    scalars: tuple[int, ...]
    results: tuple[Result, ...]
    domain: Domain
    key: tuple[Any, ...]
    stretched: tuple[int, ...] = ()

    @property
    def is_program(self) -> bool:
        """Whether its outputs are those of loops written by hand."""
        return self.outputs[0].op.kind == "program"

    @property
    def is_checked(self) -> bool:
        """Whether it may find out that an index is at fault."""
        if self.is_program:
            call = self.outputs[0].payload
            return call.checked or bool(call.definition.records)
        return any(map(checks_indices, self.gathers))

    @property
    def gathers(self) -> list[Node]:
        """The nodes that read operands at indices."""
        return [node for node in topological(self.outputs) if node.op.kind == "gather"]

    @property
    def indices(self) -> tuple[int, ...]:
        """Along how many axes of each operand indices choose."""
        counts = {node.args[0].payload: len(node.args) - 1 for node in self.gathers}
        return tuple([counts.get(number, 0) for number in range(len(self.operands))])


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The kernels of a graph and the work of the host, in the order in which they run.

    `roots` says for each root which node holds it and through which view it is seen; `last_use`
    says for each stored node the number of the last part of the work that reads it. `copies` has
    for each reshape the kernel that fills memory of its own, for where strides do not show its
    shape.
    """

    work: tuple[KernelGraph | HostWork, ...]
    roots: tuple[Result, ...]
    last_use: dict[int, int]
    copies: dict[int, KernelGraph]

    @property
    def kernels(self) -> tuple[KernelGraph, ...]:
        """The kernels in the order in which they run."""
        return tuple([part for part in self.work if isinstance(part, KernelGraph)])
