"""Preparation: everything about a run that does not depend on addresses and numbers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING

from muntin.core.graph.canonical import Canonical
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshaped_strides
from muntin.core.plan.fuse import SEEN
from muntin.core.plan.kernel import HostWork, KernelGraph, Plan, Result
from muntin.core.plan.places import Within, holder, places_within
from muntin.core.regions import Box
from muntin.dtypes import DTYPES, DType
from muntin.runtime.bind import Limits
from muntin.runtime.compiled import CompiledKernel
from muntin.runtime.steps import (
    Aside,
    Delivery,
    Fresh,
    HostStep,
    Overlap,
    Place,
    Prepared,
    Step,
    Strides,
)

if TYPE_CHECKING:
    from muntin.core.loops.definition import Call

__all__ = ["prepare"]

_LOOPS = "muntin.runtime.bind_loops"  # imported for programs alone


def prepare(
    plan: Plan,
    kernels: Sequence[CompiledKernel],
    copies: Mapping[int, CompiledKernel],
    graph: Canonical,
    strides: Mapping[int, Strides],
    outs: Sequence[Strides | None],
    overlaps: Sequence[Overlap],
    limits: Limits,
) -> Prepared:
    """Return how a graph is run.

    Parameters
    ----------
    plan, kernels, copies
        Of the graph's canonical form.
    graph
        The nodes with their shapes and views.
    strides
        Byte strides of every input, by position.
    outs
        Byte strides of the memory given for each root, or None.
    overlaps
        The outs that share memory with inputs.
    limits
        Of this machine and call.
    """
    return _Preparation(
        plan, kernels, copies, graph, dict(strides), outs, overlaps, limits
    ).prepared()


@dataclass(slots=True)
class _Preparation:
    plan: Plan
    kernels: Sequence[CompiledKernel]
    copies: Mapping[int, CompiledKernel]
    graph: Canonical
    strides: dict[int, Strides]
    outs: Sequence[Strides | None]
    overlaps: Sequence[Overlap]
    limits: Limits
    written: set[Result] = field(init=False)
    covered: set[int] = field(default_factory=set)  # inputs that are overwritten in place
    copying: list[Step] = field(default_factory=list)  # what must run before the next kernel
    within: dict[int, Within] = field(init=False)

    def __post_init__(self) -> None:
        self.within = places_within(self.graph)
        self.written = {result for kernel in self.plan.kernels for result in kernel.results}
        self.written |= {Result(each.whole) for each in self.within.values()}
        hosted = [part for part in self.plan.work if isinstance(part, HostWork)]
        self.written |= {Result(part.node) for part in hosted}

    def prepared(self) -> Prepared:
        targets = self.find_targets()
        for position, out in targets:
            given = self.outs[out]
            assert given is not None
            self.strides[position] = given
        kept = {root.node for root in self.plan.roots}
        steps: list[Step | HostStep] = []
        kernels = iter(self.kernels)
        for number, part in enumerate(self.plan.work):
            found = [] if isinstance(part, HostWork) else self.steps(part, next(kernels))
            released = tuple(
                position
                for position, last in self.plan.last_use.items()
                if last == number and position not in kept and position in self.strides
            )
            if isinstance(part, HostWork):
                fresh = self.fresh(Result(part.node))
                held = _c_strides(fresh.shape, fresh.dtype.itemsize)
                self.strides.setdefault(part.node, held)
                steps.append(HostStep(part.node, part.operands, fresh, released))
                continue
            released += found[-1].released
            steps += [*self.copying, *found[:-1], found[-1]._replace(released=released)]
            self.copying.clear()
        deliveries = self.deliveries(targets)
        is_direct = all(delivery.is_in_place for delivery in deliveries)
        return Prepared(tuple(steps), tuple(targets), deliveries, is_direct)

    # --- outs -------------------------------------------------------------------------------------

    def find_targets(self) -> list[tuple[int, int]]:
        """Return the outs that kernels may write straight into, with the node of each."""
        targets: list[tuple[int, int]] = []
        taken: set[int] = set()
        if any(kernel.is_checked for kernel in self.plan.kernels):
            return targets  # no out is written before the last check
        for place, (root, out) in enumerate(zip(self.plan.roots, self.outs, strict=True)):
            if out is None or root not in self.written or root.node in taken:
                continue
            if not self.is_shown(root, out):
                continue
            overlaps = [overlap for overlap in self.overlaps if overlap.out == place]
            if overlaps and not self.may_overwrite(root, overlaps):
                continue
            self.covered |= {overlap.position for overlap in overlaps}
            targets.append((root.node, place))
            taken.add(root.node)
        return targets

    def may_overwrite(self, root: Result, overlaps: Sequence[Overlap]) -> bool:
        """Say whether each element of an out is written only after the same bytes were read."""
        is_joined = self.graph.nodes[root.node].op.kind == "concat"
        is_alone = len(self.kernels) == 1 and not self.plan.kernels[0].is_program
        if not is_alone or root.view is not None or is_joined:
            return False
        if root not in self.plan.kernels[0].results:  # the host reads what it has no copy of
            return False
        if len({self.box(result) for result in self.plan.kernels[0].results}) > 1:
            return False  # several launches read the inputs
        shown = {other.node for other in self.plan.roots if other not in self.written}
        graph, offset = self.plan.kernels[0], self.kernels[0].facts.is_offset
        size = self.graph.nodes[root.node].dtype.itemsize
        for overlap in overlaps:
            if not overlap.is_same or overlap.position in shown:
                return False
            for operand, position in enumerate(graph.operands):
                if self.base(position) != overlap.position:
                    continue
                viewed = position != overlap.position
                if viewed or offset[operand] or self.graph.nodes[position].dtype.itemsize != size:
                    return False
        return True

    def deliveries(self, targets: Sequence[tuple[int, int]]) -> tuple[Delivery, ...]:
        direct = {out: position for position, out in targets}
        delivered: list[Delivery] = []
        handed: set[int] = set(direct.values())
        for place, root in enumerate(self.plan.roots):
            in_place = direct.get(place) == root.node
            view = None if root in self.written else root.view
            if self.outs[place] is None and root in self.written and root.node not in handed:
                in_place = True
                handed.add(root.node)
            node = self.graph.nodes[root.node if root.view is None else root.view]
            region = (node.valid if node.valid is not None else Box.full(node.shape)).slices
            delivered.append(Delivery(root.node, view, in_place, region))
        return tuple(delivered)

    # --- launches ---------------------------------------------------------------------------------

    def steps(self, kernel: KernelGraph, compiled: CompiledKernel) -> list[Step]:
        if kernel.is_program:
            return self.program_steps(kernel, compiled)
        fresh: list[Fresh] = []
        for result in kernel.results:
            whole, _ = holder(self.within, result.node)
            if whole not in self.strides:
                memory = self.fresh(result if whole == result.node else Result(whole))
                self.strides[whole] = _c_strides(memory.shape, memory.dtype.itemsize)
                fresh.append(memory)
        outputs = [self.target(result) for result in kernel.results]
        asides = [self.aside(result.node, kernel) for result in kernel.results]
        operands = [self.place(position) for position in kernel.operands]
        boxes = [self.box(result) for result in kernel.results]
        steps: list[Step] = []
        for box in dict.fromkeys(boxes):
            written = [
                output if other == box else aside
                for output, aside, other in zip(outputs, asides, boxes, strict=True)
            ]
            steps.append(self.step(kernel, compiled, box, operands, written))
        steps[0] = steps[0]._replace(fresh=tuple(fresh))
        return steps

    def step(
        self,
        kernel: KernelGraph,
        compiled: CompiledKernel,
        box: Box,
        operands: Sequence[Place],
        outputs: Sequence[Place],
    ) -> Step:
        binding = compiled.binding(
            self.graph.domain_node(kernel.results[0].node).shape,
            box,
            tuple([self.followed(*each) for each in zip(kernel.operands, operands, strict=True)]),
            tuple([place.strides for place in outputs]),
            tuple([self.base(position) in self.covered for position in kernel.operands]),
            self.limits,
            self.indexed(kernel, operands),
        )
        pointers: list[tuple[int, int, int]] = []
        asides: list[Aside] = []
        for places, slots, offsets in (
            (operands, binding.operand_slots, binding.operand_offsets),
            (outputs, binding.output_slots, binding.output_offsets),
        ):
            for place, slot, offset in zip(places, slots, offsets, strict=True):
                if place.aside:
                    node = self.graph.nodes[place.position]
                    length = prod(node.shape[kernel.domain.column_axis or 0 :])
                    asides.append(Aside(slot, offset, length, node.dtype))
                else:
                    pointers.append((slot, place.position, place.offset + offset))
        scalars = [
            (binding.scalar_slot + number, position, self.graph.nodes[position].dtype)
            for number, position in enumerate(kernel.scalars)
        ]
        found = tuple(pointers), tuple(asides), tuple(scalars)
        return Step(kernel, compiled, binding, (), *found, (), indexed=self.chosen(kernel))

    def followed(self, position: int, place: Place) -> Strides:
        """Return the strides of an operand along the axes of a kernel's domain."""
        node = self.graph.nodes[position]
        count = len(node.params[0]) if node.op.kind == "gathered" else 0
        return place.strides[: len(place.strides) - count]

    def indexed(self, kernel: KernelGraph, operands: Sequence[Place]) -> tuple[int, ...]:
        """Return of each operand strides and sizes of the axes that indices choose along."""
        found: list[int] = []
        for position, place in zip(kernel.operands, operands, strict=True):
            rank = len(self.followed(position, place))
            if rank < len(place.strides):
                found += [*place.strides[rank:], *self.graph.nodes[position].shape[rank:]]
        return tuple(found)

    def chosen(self, kernel: KernelGraph) -> tuple[tuple[int, int], ...]:
        """Return the axes that indices choose along, of each operand, with their sizes."""
        nodes, rank = self.graph.nodes, kernel.domain.rank
        gathered = [nodes[k] for k in kernel.operands if nodes[k].op.kind == "gathered"]
        return tuple(
            [
                (axis, size)
                for node in gathered
                for axis, size in zip(node.params[0], node.shape[rank:], strict=True)
            ]
        )

    def program_steps(self, kernel: KernelGraph, compiled: CompiledKernel) -> list[Step]:
        """Return a launch for each phase of a program; what it is not given starts as zeros."""
        call: Call = self.graph.nodes[kernel.results[0].node].payload
        places, fresh, cleared = self.program_arrays(kernel, call)
        numbers = [(position, self.graph.nodes[position].dtype) for position in kernel.scalars]
        strides = {number: place.strides for number, place in places.items()}
        unseen = tuple([each.position for each in fresh if each.position not in self.strides])
        steps = []
        for binding in import_module(_LOOPS).bind_loops(call, strides, self.limits):
            pointers = [
                (slot, place.position, place.offset)
                for slot, place in zip(binding.operand_slots, places.values(), strict=True)
            ]
            scalars = [(binding.scalar_slot + k, *each) for k, each in enumerate(numbers)]
            steps.append(
                Step(kernel, compiled, binding, (), tuple(pointers), (), tuple(scalars), ())
            )
        if call.checked:
            fault = (call, fresh[-1].position)
            steps = [step._replace(fault=fault) for step in steps]
        records = [
            (places[k].position, call.indexed(k), record.wraps, call.definition.name)
            for k, record in call.definition.records.items()
        ]
        steps[0] = steps[0]._replace(fresh=tuple(fresh), cleared=tuple(cleared))
        steps[-1] = steps[-1]._replace(released=unseen, records=tuple(records))
        return steps

    def program_arrays(
        self, kernel: KernelGraph, call: Call
    ) -> tuple[dict[int, Place], list[Fresh], list[int]]:
        """Return where arrays lie, and what of it is taken or was given and must be cleared.

        The arrays are in the order of the parameters; the memory of a fault follows them.
        """
        definition, nodes = call.definition, self.graph.nodes
        given = dict(zip(definition.inputs, map(self.place, kernel.operands), strict=True))
        written = {nodes[each.node].params[1]: each.node for each in kernel.results}
        first = len(self.graph.args[kernel.results[0].node]) - len(definition.updates)
        for part, number in enumerate(definition.updates, first):
            position, _ = holder(self.within, self.graph.args[kernel.results[0].node][part])
            given[number] = Place(position, 0, self.strides[position])
        wanted = [(k, call.shapes[k], slots.dtype) for k, slots in definition.arrays.items()]
        if call.checked:
            wanted.append((len(definition.parameters), call.fault_shape, DTYPES["int64"]))
        places: dict[int, Place] = {}
        fresh: list[Fresh] = []
        cleared: list[int] = []
        for number, shape, dtype in wanted:
            position = written.get(number, len(nodes) + number)
            if number in given:
                places[number] = given[number]
                continue
            held = self.strides.get(position)
            if held is not None:
                cleared.append(position)
            else:
                held = _c_strides(shape, dtype.itemsize)
                fresh.append(_fresh(position, shape, dtype, is_zero=True))
                if position < len(nodes):
                    self.strides[position] = held
            places[number] = Place(position, 0, held)
        return places, fresh, cleared

    def base(self, position: int) -> int:
        """Return the node whose data is seen at `position`."""
        while position not in self.strides and self.graph.nodes[position].op.kind in SEEN:
            (position,) = self.graph.args[position]
        return position

    def place(self, position: int) -> Place:
        """Return where the elements of an operand lie, through views and reshapes of it."""
        held = self.strides.get(position)
        if held is not None:
            return Place(position, 0, held)
        node = self.graph.nodes[position]
        below = self.place(self.graph.args[position][0])
        if node.op.kind != "reshape":
            offset = below.offset + node.payload.offset(below.strides)
            return Place(below.position, offset, node.payload.strides(below.strides))
        shape = self.graph.nodes[self.graph.args[position][0]].shape
        strides = reshaped_strides(shape, below.strides, node.shape)
        if strides is None:
            return self.moved(position, below)
        return below._replace(strides=strides)

    def moved(self, position: int, below: Place) -> Place:
        """Return where the elements of a reshape are moved to, before the next kernel."""
        kernel = self.plan.copies[position]
        (result,) = kernel.results
        fresh = self.fresh(result)._replace(position=position)
        held = self.strides[position] = _c_strides(fresh.shape, fresh.dtype.itemsize)
        target = self.output(result, held)._replace(position=position)
        step = self.step(kernel, self.copies[position], self.box(result), [below], [target])
        self.copying.append(step._replace(fresh=(fresh,)))
        return Place(position, 0, held)

    def fresh(self, result: Result) -> Fresh:
        """Return the memory of a result; where only a part of it is computed the rest is zero."""
        node = self.node(result)
        return _fresh(result.node, node.shape, node.dtype, is_zero=node.valid is not None)

    def node(self, result: Result) -> Node:
        return self.graph.nodes[result.node if result.view is None else result.view]

    def aside(self, position: int, kernel: KernelGraph) -> Place:
        """Return where a node is computed in vain: a row that nobody reads stands for all rows."""
        node = self.graph.nodes[position]
        strides = _c_strides(node.shape, node.dtype.itemsize)
        rows = kernel.domain.column_axis or 0
        return Place(position, 0, (0,) * rows + strides[rows:], aside=True)

    def target(self, result: Result) -> Place:
        """Return where a result is written: in its own memory, or in that of a whole."""
        whole, way = holder(self.within, result.node)
        strides = self.strides[whole]
        if whole == result.node:
            return self.output(result, strides)
        return Place(whole, sum(strides[each.axis] * each.start for each in way), strides)

    def is_shown(self, result: Result, held: Strides) -> bool:
        """Say whether memory of these strides shows a result in the shape of its node."""
        seen, shape = self.node(result), self.graph.nodes[result.node].shape
        return seen.op.kind != "reshape" or reshaped_strides(seen.shape, held, shape) is not None

    def output(self, result: Result, held: Strides) -> Place:
        """Return where a result's node lies, with strides along its own axes.

        `held` are the strides of the memory, along the axes of the view if there is one.
        """
        if result.view is None:
            return Place(result.node, 0, held)
        if self.node(result).op.kind == "reshape":
            shape = self.graph.nodes[result.node].shape
            own = reshaped_strides(self.node(result).shape, held, shape)
            assert own is not None
            return Place(result.node, 0, own)
        offset = 0
        strides = [0] * len(held)
        for axis, stride in zip(self.node(result).payload.axes, held, strict=True):
            strides[axis.source] = stride * axis.step
            offset -= axis.start * axis.step * stride
        return Place(result.node, offset, tuple(strides))

    def box(self, result: Result) -> Box:
        """Return the part of a result's node that is computed."""
        seen = self.node(result)
        if seen.op.kind == "fold":
            return Box.full(self.graph.domain_node(result.node).shape)
        region = seen.valid if seen.valid is not None else Box.full(seen.shape)
        if result.view is None:
            return region
        if seen.op.kind == "reshape":
            return Box.full(self.graph.nodes[result.node].shape)
        rank = len(seen.shape)
        start, stop = [0] * rank, [0] * rank
        for axis, low, high in zip(seen.payload.axes, region.start, region.stop, strict=True):
            ends = (axis.start + axis.step * low, axis.start + axis.step * (high - 1))
            start[axis.source] = min(ends)
            stop[axis.source] = max(ends) + 1 if high > low else min(ends)
        return Box(tuple(start), tuple(stop))


def _fresh(position: int, shape: tuple[int, ...], dtype: DType, *, is_zero: bool) -> Fresh:
    nbytes = prod(shape) * dtype.itemsize
    if nbytes > sys.maxsize:
        raise MemoryError(
            f"eval: an array of {dtype} {shape} takes {nbytes} bytes, more than a process can "
            "have; evaluate parts of it"
        )
    return Fresh(position, shape, dtype, nbytes, is_zero)


def _c_strides(shape: tuple[int, ...], itemsize: int) -> Strides:
    strides = []
    step = itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
