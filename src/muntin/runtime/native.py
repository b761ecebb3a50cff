"""The CPU device: graphs become kernels of machine code, which a scheduler runs over windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.config import settings
from muntin.core.graph.canonical import Canonical, canonical
from muntin.core.graph.node import Node, Number
from muntin.core.plan.facts import CACHE_LINE
from muntin.core.plan.fuse import fuse
from muntin.core.plan.kernel import KernelGraph, Plan
from muntin.runtime.address import address_of
from muntin.runtime.bind import Limits, scalar_bits
from muntin.runtime.buffer import share_memory
from muntin.runtime.compiled import CompiledKernel, CompiledProgram
from muntin.runtime.context import context
from muntin.runtime.cpu import target_facts
from muntin.runtime.host import compute
from muntin.runtime.indices import check_record
from muntin.runtime.launch import Launch, Scheduler
from muntin.runtime.lru import LRU
from muntin.runtime.memory import MemoryPool
from muntin.runtime.prepare import prepare
from muntin.runtime.scheduler import CPUScheduler
from muntin.runtime.steps import Delivery, Fresh, HostStep, Overlap, Prepared, Step
from muntin.runtime.values import Values, graph_values, shown

__all__ = ["NativeDevice", "NativeGraph", "NativePlan", "count_devices", "open_device"]

_STREAMED_CACHES = 16  # outputs of so many second-level caches bypass them unless told otherwise
_PREPARED = 64  # runs of a traced graph that are remembered, by strides

Outs: TypeAlias = Sequence[npt.NDArray[Any] | None]


def count_devices() -> int:
    """Return 1: there is one CPU."""
    return 1


def open_device(index: int) -> NativeDevice:
    """Return the CPU device."""
    return NativeDevice()


@lru_cache(maxsize=256)
def _limits(threads: int, stream_bytes: int) -> Limits:
    facts = target_facts()
    return Limits(facts.l1, facts.l2, threads, stream_bytes or _STREAMED_CACHES * facts.l2)


class NativePlan:
    """A plan with its kernels, for every graph of one canonical form."""

    def __init__(self, plan: Plan, kernels: LRU[Any, CompiledKernel]) -> None:
        self.plan = plan

        def compiled(graph: KernelGraph) -> CompiledKernel:
            kind = CompiledProgram if graph.is_program else CompiledKernel
            return kernels.get_or_make(graph.key, partial(kind, graph))

        self.kernels = tuple(map(compiled, plan.kernels))
        self.copies = {position: compiled(graph) for position, graph in plan.copies.items()}

    def prepare(
        self,
        graph: Canonical,
        strides: dict[int, tuple[int, ...]],
        outs: Sequence[tuple[int, ...] | None],
        overlaps: Sequence[Overlap],
        threads: int,
    ) -> Prepared:
        """Return how a graph is run: see `prepare`."""
        limits = _limits(threads, settings().streaming_threshold)
        kernels, copies = self.kernels, self.copies
        return prepare(self.plan, kernels, copies, graph, strides, outs, overlaps, limits)


def find_overlaps(values: Values, outs: Outs) -> tuple[Overlap, ...]:
    """Return which outs share memory with which inputs."""
    found: list[Overlap] = []
    for place, out in enumerate(outs):
        if out is None:
            continue
        for position, value in values.items():
            if isinstance(value, np.ndarray) and share_memory(value, out):
                same = value.strides == out.strides and address_of(value) == address_of(out)
                found.append(Overlap(place, position, same))
    return tuple(found)


def execute(
    prepared: Prepared,
    graph: Canonical,
    values: Values,
    outs: Outs,
    scheduler: Scheduler,
    pool: MemoryPool,
) -> list[npt.NDArray[Any]]:
    """Run what was prepared and return the roots' arrays."""
    held = dict(values)
    for position, out in prepared.targets:
        held[position] = outs[out]
    addresses: dict[int, int] = {}
    for step in prepared.steps:
        if isinstance(step, HostStep):
            operands = [_seen(held, graph, position) for position in step.operands]
            if step.position not in held:
                held[step.position] = _new_array(pool, step.fresh)
            compute(graph.nodes[step.position], operands, held[step.position])
        else:
            for memory in step.fresh:
                held[memory.position] = _new_array(pool, memory)
            _launch(step, held, values, addresses, scheduler)
        for position in step.released:
            del held[position]
            addresses.pop(position, None)
    if prepared.is_direct:
        return [
            held[delivery.position] if out is None else out
            for delivery, out in zip(prepared.deliveries, outs, strict=True)
        ]
    copied = [
        _delivered(delivery, graph, held, out)
        for delivery, out in zip(prepared.deliveries, outs, strict=True)
    ]
    return [_settled(result, out) for result, out in zip(copied, outs, strict=True)]


def _seen(held: Values, graph: Canonical, position: int) -> npt.NDArray[Any]:
    """Return the elements of a node, through views and reshapes of what is held."""
    base = position
    while base not in held:
        (base,) = graph.args[base]
    return shown(held[base], graph, base, position)


def _launch(
    step: Step, held: Values, numbers: Values, addresses: dict[int, int], scheduler: Scheduler
) -> None:
    binding = step.binding
    for position in step.cleared:
        held[position].fill(0)
    if 0 in binding.extent:
        return
    slots = binding.slots[:]
    for slot, position, offset in step.pointers:
        address = addresses.get(position)
        if address is None:
            address = addresses[position] = address_of(held[position])
        slots[slot] = address + offset
    unread = []  # memory that must live as long as the launch
    for slot, offset, length, dtype in step.asides:
        unread.append(np.empty(length, dtype.numpy))
        slots[slot] = address_of(unread[-1]) + offset
    for number, slot in enumerate(binding.output_slots):
        slots[binding.phase_slot + number] = slots[slot] & (CACHE_LINE - 1)
    for slot, position, dtype in step.scalars:
        slots[slot] = scalar_bits(numbers[position], dtype)
    if step.indexed:
        record = np.zeros((len(step.indexed), 2), np.int64)
        slots[binding.record_slot] = address_of(record)
    scheduler.launch(
        Launch(
            step.kernel.entry,
            slots.buffer_info()[0],
            binding.extent,
            binding.grain,
            binding.scratch_bytes,
            binding.threads,
            binding.unit,
        )
    )
    if step.fault is not None:
        call, position = step.fault
        call.refuse(held[position].tolist())
    for position, indexed, wraps, name in step.records:
        check_record(held[position].tolist(), indexed, wraps=wraps, operation=name)
    if step.indexed:
        check_record(record.tolist(), step.indexed)


def _new_array(pool: MemoryPool, memory: Fresh) -> npt.NDArray[Any]:
    values = pool.allocate(max(memory.nbytes, 1)).array(memory.shape, memory.dtype.numpy)
    if memory.is_zero:
        values.fill(0)
    return values


def _delivered(
    delivery: Delivery, graph: Canonical, held: Values, out: npt.NDArray[Any] | None
) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], tuple[slice, ...]]:
    """Return a root's array; where it must be copied into an out, what to copy and where.

    Nothing is copied before all roots are known: an out may overlap what another root shows.
    """
    if delivery.is_in_place:
        return held[delivery.position] if out is None else out
    values: npt.NDArray[Any] = held[delivery.position]
    if delivery.view is not None:
        values = shown(values, graph, delivery.position, delivery.view)
    if out is not None:
        is_own = graph.nodes[delivery.position].op.kind != "input"  # no out overlaps it
        part = values[delivery.region]
        return part if is_own else np.array(part), delivery.region
    copied = np.zeros(values.shape, values.dtype)
    copied[delivery.region] = values[delivery.region]
    return copied


def _settled(
    result: npt.NDArray[Any] | tuple[npt.NDArray[Any], tuple[slice, ...]],
    out: npt.NDArray[Any] | None,
) -> npt.NDArray[Any]:
    if not isinstance(result, tuple):
        return result
    values, region = result
    assert out is not None
    out[region] = values
    return out


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
        self.fixed = graph_values(self.graph, own)
        self._prepared: LRU[Any, Prepared] = LRU(_PREPARED)
        self._latest: tuple[Any, Prepared | None] = ((), None)

    @property
    def kernels(self) -> tuple[CompiledKernel, ...]:
        """The kernels in the order in which they run."""
        return self.native.kernels

    def run(
        self, values: Sequence[npt.NDArray[Any] | Number], outs: Outs, *, threads: int
    ) -> list[npt.NDArray[Any]]:
        """Return the arrays of the roots."""
        given = dict(self.fixed)
        given |= {
            position: value
            for position, value in zip(self.positions, values, strict=True)
            if position is not None
        }
        strides = tuple(
            [value.strides if isinstance(value, np.ndarray) else None for value in values]
        )
        out_strides = tuple([None if out is None else out.strides for out in outs])
        overlaps = find_overlaps(given, outs)
        here = context()
        scheduler = here.scheduler or self.device.scheduler
        threads = threads or scheduler.threads
        key = (strides, out_strides, overlaps, threads, settings().streaming_threshold)
        latest, prepared = self._latest
        if prepared is None or key != latest:
            prepared = self._prepared.get_or_make(
                key,
                lambda: self.native.prepare(
                    self.graph, strides_of(given), out_strides, overlaps, threads
                ).holding(self.fixed),
            )
            self._latest = (key, prepared)
        return execute(prepared, self.graph, given, outs, scheduler, here.pool)

    def memory_report(self) -> dict[str, int]:
        """Return the bytes of inputs, results, stored intermediates and scratch of one thread."""
        given = graph_values(self.graph)
        prepared = self.native.prepare(
            self.graph, strides_of(given), [None] * len(self.graph.roots), (), 1
        )
        kept = {delivery.position for delivery in prepared.deliveries}
        launches = prepared.launches
        fresh = [memory for step in launches for memory in step.fresh]
        return {
            "inputs": sum(
                value.nbytes for value in given.values() if isinstance(value, np.ndarray)
            ),
            "results": sum(memory.nbytes for memory in fresh if memory.position in kept),
            "intermediates": sum(memory.nbytes for memory in fresh if memory.position not in kept),
            "scratch": max((step.binding.scratch_bytes for step in launches), default=0),
        }


def strides_of(values: Values) -> dict[int, tuple[int, ...]]:
    """Return the byte strides of the arrays among some values."""
    return {
        position: value.strides
        for position, value in values.items()
        if isinstance(value, np.ndarray)
    }


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
        self.scheduler = CPUScheduler()

    def plan(self, graph: Canonical) -> NativePlan:
        """Return the plan of a graph; it is made at the first use of its canonical form."""
        return self._plans.get_or_make(graph.key, lambda: NativePlan(fuse(graph), self._kernels))

    def evaluate(
        self, roots: Sequence[Node], outs: Outs, *, threads: int
    ) -> list[npt.NDArray[Any]]:
        """Return the arrays of the roots."""
        graph = canonical(roots)
        values = graph_values(graph)
        here = context()
        scheduler = here.scheduler or self.scheduler
        out_strides = [None if out is None else out.strides for out in outs]
        prepared = self.plan(graph).prepare(
            graph,
            strides_of(values),
            out_strides,
            find_overlaps(values, outs),
            threads or scheduler.threads,
        )
        return execute(prepared, graph, values, outs, scheduler, here.pool)

    def compile(self, placeholders: Sequence[Node], roots: Sequence[Node]) -> NativeGraph:
        """Return the graph compiled for repeated runs."""
        return NativeGraph(self, placeholders, roots)
