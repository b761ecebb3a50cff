"""Runs kernels in the memory of a device: inputs go up, kernels run, results come down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.graph.canonical import Canonical
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshaped_strides
from muntin.core.lower.walk import Walk, walk
from muntin.core.plan.fuse import SEEN
from muntin.core.plan.kernel import KernelGraph, Plan, Result
from muntin.core.plan.places import holder, places_within
from muntin.core.regions import Box
from muntin.runtime.bind import scalar_bits
from muntin.runtime.values import shown

__all__ = ["Array", "Offloading", "Placed", "Run"]

Array: TypeAlias = npt.NDArray[Any]


class Placed(NamedTuple):
    """An array in a device's memory: byte offset of element 0, and byte strides."""

    buffer: Any
    offset: int
    strides: tuple[int, ...]


class Offloading(Protocol):
    """What a run asks of a device."""

    def upload(self, values: Array) -> Placed:
        """Return a copy of an array in the device's memory."""
        ...

    def allocate(self, node: Node) -> Placed:
        """Return memory for the elements of a node, in C order."""
        ...

    def run_kernel(
        self, graph: KernelGraph, size: Walk, arrays: Sequence[Placed], scalars: Sequence[int]
    ) -> None:
        """Run a kernel over a walk of its operands and outputs."""
        ...

    def download(self, placed: Placed, node: Node) -> Array:
        """Return the elements of a node that lie in C order."""
        ...


class Run:
    """One run of a plan; `values` holds the array or number of each input and scalar."""

    def __init__(
        self, device: Offloading, graph: Canonical, plan: Plan, values: Mapping[int, Any]
    ) -> None:
        self.device = device
        self.graph = graph
        self.plan = plan
        self.values = values
        self.stored: dict[int, Placed] = {}
        self.within = places_within(graph)

    def results(self, outs: Sequence[Array | None]) -> list[Array]:
        kept = {root.node for root in self.plan.roots}
        for number, kernel in enumerate(self.plan.kernels):
            self.run_kernel(kernel)
            for position, last in self.plan.last_use.items():
                if last == number and position not in kept:
                    self.stored.pop(position, None)
        fresh = [self.fetched(root) for root in self.plan.roots]
        return [
            self.delivered(root, values, out)
            for root, values, out in zip(self.plan.roots, fresh, outs, strict=True)
        ]

    def run_kernel(self, kernel: KernelGraph) -> None:
        outputs = [self.target(result.node) for result in kernel.results]
        self.launch(kernel, [self.placed(position) for position in kernel.operands], outputs)

    def target(self, position: int) -> Placed:
        """Return the memory of a result: its own, or its place in that of a whole."""
        whole, way = holder(self.within, position)
        if whole not in self.stored:
            self.stored[whole] = self.device.allocate(self.graph.nodes[whole])
        buffer, offset, strides = self.stored[whole]
        offset += sum(strides[each.axis] * each.start for each in way)
        return Placed(buffer, offset, strides)

    def launch(
        self, kernel: KernelGraph, operands: Sequence[Placed], outputs: Sequence[Placed]
    ) -> None:
        nodes = self.graph.nodes
        box = Box.full(nodes[kernel.results[0].node].shape)
        if box.is_empty:
            return
        arrays = [*operands, *outputs]
        lines = [placed.strides for placed in arrays]
        count = len(operands)
        size = walk(box, lines[:count], lines[count:], merges=kernel.domain.pointwise)
        scalars = [scalar_bits(self.values[at], nodes[at].dtype) for at in kernel.scalars]
        self.device.run_kernel(kernel, size, arrays, scalars)

    def placed(self, position: int) -> Placed:
        """Return where an operand lies, through its view if it is one."""
        node = self.graph.nodes[position]
        if position in self.stored:
            return self.stored[position]
        if node.op.kind not in SEEN:
            self.stored[position] = self.device.upload(self.values[position])
            return self.stored[position]
        below = self.placed(self.graph.args[position][0])
        if node.op.kind != "reshape":
            offset = below.offset + node.payload.offset(below.strides)
            return Placed(below.buffer, offset, node.payload.strides(below.strides))
        shape = self.graph.nodes[self.graph.args[position][0]].shape
        strides = reshaped_strides(shape, below.strides, node.shape)
        if strides is not None:
            return below._replace(strides=strides)
        made = self.stored[position] = self.device.allocate(node)
        own = reshaped_strides(node.shape, made.strides, shape)
        assert own is not None  # elements in C order show every shape
        self.launch(self.plan.copies[position], [below], [made._replace(strides=own)])
        return made

    def fetched(self, root: Result) -> Array:
        """Return the elements of a root in an array of their own."""
        node = self.graph.nodes[root.node]
        if node.op.kind != "input":
            values = self.device.download(self.stored[root.node], node)
            if root.view is None:
                return values
        else:
            values = self.values[root.node]
        seen = values if root.view is None else shown(values, self.graph, root.node, root.view)
        return np.array(seen, order="C")

    def delivered(self, root: Result, values: Array, out: Array | None) -> Array:
        """Return a root's array, fresh or in its out, written in the valid region alone."""
        node = self.graph.nodes[root.node if root.view is None else root.view]
        region = (node.valid or Box.full(node.shape)).slices
        if out is None:
            if node.valid is None:
                return values
            out = np.zeros_like(values)
        out[region] = values[region]
        return out
