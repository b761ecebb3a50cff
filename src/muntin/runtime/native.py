"""The CPU device: graphs become kernels of machine code, which a scheduler runs over windows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from muntin.config import settings
from muntin.core.graph.canonical import Canonical, canonical
from muntin.core.graph.node import Node, Number
from muntin.core.plan.fuse import fuse
from muntin.core.plan.kernel import KernelGraph, Plan, Result
from muntin.core.regions import Box
from muntin.errors import InternalError
from muntin.runtime.bind import Binding, Limits, bind, scalar_bits
from muntin.runtime.cache import LRU
from muntin.runtime.compiled import CompiledKernel
from muntin.runtime.context import context
from muntin.runtime.cpu import target_facts
from muntin.runtime.memory import MemoryPool
from muntin.runtime.scheduler import CPUScheduler, Launch

__all__ = ["NativeDevice", "NativeGraph", "NativePlan", "count_devices", "open_device"]

_OVERLAP_WORK = 1 << 14


class Memory(NamedTuple):
    """Where an array lies."""

    address: int
    strides: tuple[int, ...]
    array: npt.NDArray[Any]


def memory_of(values: npt.NDArray[Any]) -> Memory:
    """Return where `values` lie."""
    return Memory(values.__array_interface__["data"][0], values.strides, values)


def count_devices() -> int:
    """Return 1: there is one CPU."""
    return 1


def open_device(index: int) -> NativeDevice:
    """Return the CPU device."""
    return NativeDevice()


@lru_cache(maxsize=256)
def _limits(threads: int, stream_bytes: int) -> Limits:
    facts = target_facts()
    return Limits(facts.l1, facts.l2, threads, stream_bytes or 16 * facts.l2)


class NativePlan:
    """A plan with its kernels, for every graph of one canonical form."""

    def __init__(self, plan: Plan, kernels: LRU[Any, CompiledKernel]) -> None:
        self.plan = plan
        self.kernels = tuple(
            [
                kernels.get_or_make(graph.key, lambda graph=graph: CompiledKernel(graph))
                for graph in plan.kernels
            ]
        )
        self.written = {result for graph in plan.kernels for result in graph.results}

    def run(
        self,
        graph: Canonical,
        values: dict[int, Any],
        outs: Sequence[npt.NDArray[Any] | None],
        threads: int,
        scheduler: CPUScheduler,
    ) -> list[npt.NDArray[Any]]:
        """Run the kernels and return the roots' arrays.

        `values` holds the Memory or number of every input and scalar by its position.
        """
        return _Run(self, graph, values, outs, threads, scheduler).results()


class _Run:
    """One run of a plan."""

    def __init__(
        self,
        native: NativePlan,
        graph: Canonical,
        values: dict[int, Any],
        outs: Sequence[npt.NDArray[Any] | None],
        threads: int,
        scheduler: CPUScheduler,
    ) -> None:
        self.native = native
        self.graph = graph
        self.values = values
        self.outs = outs
        self.threads = threads or scheduler.threads
        self.scheduler = scheduler
        self.pool = context().pool
        self.stored: dict[int, Memory] = {}
        self.covered: dict[int, set[int]] = {}  # inputs that the result of a node overwrites

    def results(self) -> list[npt.NDArray[Any]]:
        plan = self.native.plan
        late = self.find_targets()
        for number, (kernel, compiled) in enumerate(
            zip(plan.kernels, self.native.kernels, strict=True)
        ):
            self.run_kernel(kernel, compiled)
            for position, last in plan.last_use.items():
                if last == number and position not in self.kept:
                    self.stored.pop(position, None)
        delivered: list[npt.NDArray[Any]] = []
        for place, (root, out) in enumerate(zip(plan.roots, self.outs, strict=True)):
            held = self.held(root)
            if place in late or (out is not None and held is not out):
                assert out is not None
                region = self.region(root)
                np.copyto(out[region], held[region])
                delivered.append(out)
            elif out is not None or (root in self.native.written and not _is_in(held, delivered)):
                delivered.append(held)
            else:
                delivered.append(np.array(held, order="C"))
        return delivered

    def find_targets(self) -> set[int]:
        """Let kernels write straight into the outs where they may; return the roots copied late."""
        late: set[int] = set()
        self.kept = {root.node for root in self.native.plan.roots}
        for place, (root, out) in enumerate(zip(self.native.plan.roots, self.outs, strict=True)):
            if out is None:
                continue
            overlapping = self.overlapping(out)
            if root not in self.native.written or root.node in self.stored:
                if overlapping:
                    late.add(place)
                continue
            if not overlapping:
                self.stored[root.node] = memory_of(out)
            elif self.may_overwrite(root, out, overlapping):
                self.stored[root.node] = memory_of(out)
                self.covered[root.node] = overlapping
            else:
                late.add(place)
        return late

    def overlapping(self, out: npt.NDArray[Any]) -> set[int]:
        """Return the positions of the inputs that share memory with `out`."""
        return {
            position
            for position, value in self.values.items()
            if isinstance(value, Memory) and _overlap(value.array, out)
        }

    def may_overwrite(self, root: Result, out: npt.NDArray[Any], inputs: set[int]) -> bool:
        """Say whether each element of `out` is written only after the same bytes were read."""
        if len(self.native.kernels) > 1 or root.view is not None:
            return False
        graph, offset = self.native.plan.kernels[0], self.native.kernels[0].operand_is_offset
        for operand, position in enumerate(graph.operands):
            if self.base(position) not in inputs:
                continue
            memory = self.memory(position)
            same = memory.address == memory_of(out).address and memory.strides == out.strides
            if offset[operand] or not same or memory.array.itemsize != out.itemsize:
                return False
        return True

    def base(self, position: int) -> int:
        node = self.graph.nodes[position]
        return self.graph.args[position][0] if node.op.kind == "view" else position

    def memory(self, position: int) -> Memory:
        """Return where the elements of an operand lie, through its view if it is one."""
        node = self.graph.nodes[position]
        if node.op.kind != "view":
            found = self.stored.get(position)
            return found if found is not None else self.values[position]
        below = self.memory(self.graph.args[position][0])
        address = below.address + node.payload.offset(below.strides)
        return Memory(address, node.payload.strides(below.strides), below.array)

    # --- kernels ----------------------------------------------------------------------------------

    def run_kernel(self, kernel: KernelGraph, compiled: CompiledKernel) -> None:
        nodes = self.graph.nodes
        shape = nodes[kernel.results[0].node].shape
        for result in kernel.results:
            if result.node not in self.stored:
                self.stored[result.node] = self.fresh(result)
        outputs = [self.output(result) for result in kernel.results]
        operands = [self.memory(position) for position in kernel.operands]
        boxes = [self.box(result) for result in kernel.results]
        for box in dict.fromkeys(boxes):
            if box.is_empty:
                continue
            written = outputs
            if len(boxes) > 1 and any(other != box for other in boxes):
                written = [
                    output if other == box else self.aside(output)
                    for output, other in zip(outputs, boxes, strict=True)
                ]
            self.launch(kernel, compiled, shape, box, operands, written)

    def launch(
        self,
        kernel: KernelGraph,
        compiled: CompiledKernel,
        shape: tuple[int, ...],
        box: Box,
        operands: list[Memory],
        outputs: list[Memory],
    ) -> None:
        operand_strides = tuple([memory.strides for memory in operands])
        output_strides = tuple([memory.strides for memory in outputs])
        in_place = self.in_place(kernel)
        stream_bytes = settings().streaming_threshold
        key = (shape, box, operand_strides, output_strides, in_place, self.threads, stream_bytes)
        binding: Binding = compiled.bindings.get_or_make(
            key,
            lambda: bind(
                compiled.lowered,
                kernel.domain,
                shape,
                box,
                operand_strides,
                output_strides,
                in_place,
                _limits(self.threads, stream_bytes),
            ),
        )
        slots = array("q", binding.slots)
        for slot, offset, memory in zip(
            binding.operand_slots, binding.operand_offsets, operands, strict=True
        ):
            slots[slot] = memory.address + offset
        for slot, offset, memory in zip(
            binding.output_slots, binding.output_offsets, outputs, strict=True
        ):
            slots[slot] = memory.address + offset
        for number, position in enumerate(kernel.scalars):
            dtype = self.graph.nodes[position].dtype
            slots[binding.scalar_slot + number] = scalar_bits(self.values[position], dtype)
        self.scheduler.launch(
            Launch(
                compiled.entry,
                slots.buffer_info()[0],
                binding.extent,
                binding.grain,
                binding.scratch_bytes,
                binding.threads,
            )
        )

    def in_place(self, kernel: KernelGraph) -> tuple[bool, ...]:
        if not self.covered:
            return (False,) * len(kernel.operands)
        written = set().union(*self.covered.values())
        return tuple([self.base(position) in written for position in kernel.operands])

    def fresh(self, result: Result) -> Memory:
        """Return memory for a result; where only a part of it is computed the rest is zero."""
        node = self.graph.nodes[result.node if result.view is None else result.view]
        return memory_of(new_array(self.pool, node, zero=node.valid is not None))

    def aside(self, output: Memory) -> Memory:
        """Return memory laid out as an output that a launch is not to write."""
        values = np.empty_like(output.array)
        shift = output.address - memory_of(output.array).address
        return Memory(memory_of(values).address + shift, output.strides, values)

    def output(self, result: Result) -> Memory:
        """Return where element (0, …) of a result's node lies, and strides along its axes."""
        memory = self.stored[result.node]
        if result.view is None:
            return memory
        address = memory.address
        strides = [0] * len(memory.strides)
        for axis, stride in zip(
            self.graph.nodes[result.view].payload.axes, memory.strides, strict=True
        ):
            strides[axis.source] = stride * axis.step
            address -= axis.start * axis.step * stride
        return Memory(address, tuple(strides), memory.array)

    def box(self, result: Result) -> Box:
        """Return the part of a node's elements that is computed."""
        node = self.graph.nodes[result.node]
        if result.view is None:
            return node.valid if node.valid is not None else Box.full(node.shape)
        seen = self.graph.nodes[result.view]
        start, stop = [0] * len(node.shape), [0] * len(node.shape)
        region = seen.valid if seen.valid is not None else Box.full(seen.shape)
        for axis, low, high in zip(seen.payload.axes, region.start, region.stop, strict=True):
            ends = (axis.start + axis.step * low, axis.start + axis.step * (high - 1))
            start[axis.source] = min(ends)
            stop[axis.source] = max(ends) + 1 if high > low else min(ends)
        return Box(tuple(start), tuple(stop))

    # --- results ----------------------------------------------------------------------------------

    def held(self, root: Result) -> npt.NDArray[Any]:
        """Return a root's elements where they are."""
        memory = self.stored.get(root.node)
        if memory is None:
            memory = self.values[root.node]
        if root.view is None or root in self.native.written:
            return memory.array
        return viewed(memory.array, self.graph.nodes[root.view])

    def region(self, root: Result) -> tuple[slice, ...]:
        node = self.graph.nodes[root.node if root.view is None else root.view]
        return (node.valid if node.valid is not None else Box.full(node.shape)).slices


def viewed(values: npt.NDArray[Any], node: Node) -> npt.NDArray[Any]:
    """Return the NumPy view of an array that a view node describes."""
    affine = node.payload
    if 0 in node.shape:
        return np.empty(node.shape, values.dtype)
    base = memory_of(values).address + affine.offset(values.strides)
    interface = {
        "version": 3,
        "shape": node.shape,
        "typestr": values.dtype.str,
        "data": (base, True),
        "strides": affine.strides(values.strides),
    }
    return np.asarray(_Exporter(interface, values))


class _Exporter:
    """Hands a window of an array's memory to NumPy and keeps the array."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: npt.NDArray[Any]) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def new_array(pool: MemoryPool, node: Node, *, zero: bool) -> npt.NDArray[Any]:
    """Return memory for the elements of a node, in C order."""
    count = node.dtype.itemsize
    for extent in node.shape:
        count *= extent
    values = pool.allocate(max(count, 1)).array(node.shape, node.dtype.numpy)
    if zero:
        values.fill(0)
    return values


def _is_in(held: npt.NDArray[Any], arrays: Sequence[npt.NDArray[Any]]) -> bool:
    return any(held is other for other in arrays)


def _overlap(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=_OVERLAP_WORK)
    except np.exceptions.TooHardError:
        return True


class NativeGraph:
    """A traced graph: it runs again and again with other values for its placeholders."""

    def __init__(
        self, device: NativeDevice, placeholders: Sequence[Node], roots: Sequence[Node]
    ) -> None:
        self.device = device
        self.graph = canonical(roots)
        self.native = device.plan(self.graph)
        place = {id(node): position for position, node in enumerate(self.graph.nodes)}
        self.positions = [place.get(id(node)) for node in placeholders]
        own = {position for position in self.positions if position is not None}
        self.fixed = {
            position: value
            for position, value in initial_values(self.graph).items()
            if position not in own
        }

    @property
    def kernels(self) -> tuple[CompiledKernel, ...]:
        """The kernels in the order in which they run."""
        return self.native.kernels

    def run(
        self,
        values: Sequence[npt.NDArray[Any] | Number],
        outs: Sequence[npt.NDArray[Any] | None],
        *,
        threads: int,
    ) -> list[npt.NDArray[Any]]:
        """Return the arrays of the roots."""
        given = dict(self.fixed)
        for position, value in zip(self.positions, values, strict=True):
            if position is not None:
                given[position] = memory_of(value) if isinstance(value, np.ndarray) else value
        return self.native.run(self.graph, given, outs, threads, self.device.scheduler())

    def memory_report(self) -> dict[str, int]:
        """Return the bytes of inputs, outputs and stored intermediates."""
        raise InternalError("memory_report")


def initial_values(graph: Canonical) -> dict[int, Any]:
    """Return the Memory or number of every input and scalar of a graph, by position."""
    values: dict[int, Any] = {}
    for position, node in enumerate(graph.nodes):
        if node.op.kind == "input":
            buffer = node.payload
            values[position] = Memory(buffer.address, buffer.strides, buffer.array)
        elif node.op.kind == "scalar":
            values[position] = node.payload
    return values


class NativeDevice:
    """Evaluates graphs on the CPU.

    Parameters
    ----------
    capacity
        How many plans and kernels are kept in memory; None takes the setting.
    """

    name = "cpu"

    def __init__(self, capacity: int | None = None) -> None:
        count = max(settings().memory_cache if capacity is None else capacity, 1)
        self._kernels: LRU[Any, CompiledKernel] = LRU(count)
        self._plans: LRU[Any, NativePlan] = LRU(count)
        self._scheduler = CPUScheduler()

    def scheduler(self) -> CPUScheduler:
        """Return the scheduler of the context, or else this device's own."""
        chosen: CPUScheduler = context().scheduler or self._scheduler
        return chosen

    def plan(self, graph: Canonical) -> NativePlan:
        """Return the plan of a graph; it is made at the first use of its canonical form."""
        return self._plans.get_or_make(graph.key, lambda: NativePlan(fuse(graph), self._kernels))

    def evaluate(
        self,
        roots: Sequence[Node],
        outs: Sequence[npt.NDArray[Any] | None],
        *,
        threads: int,
    ) -> list[npt.NDArray[Any]]:
        """Return the arrays of the roots."""
        graph = canonical(roots)
        values = initial_values(graph)
        return self.plan(graph).run(graph, values, outs, threads, self.scheduler())

    def compile(self, placeholders: Sequence[Node], roots: Sequence[Node]) -> NativeGraph:
        """Return the graph compiled for repeated runs."""
        return NativeGraph(self, placeholders, roots)
