"""The rows of CPU kernels, interpreted: stencils fused in rings give the bits of the reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.arrays import body_meaning
from muntin.core.graph.canonical import canonical
from muntin.core.graph.node import Node
from muntin.core.graph.ops import OPS, Op
from muntin.core.lower.rows import lower_rows
from muntin.core.plan.fuse import fuse
from muntin.core.plan.stages import form_stages
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.runtime.bind import Limits, bind
from muntin.runtime.device import find_device
from muntin.runtime.interpret import Memory, Pointer, interpret
from muntin.runtime.reference import ReferenceDevice
from muntin.runtime.values import viewed
from tests.pointwise import node_of, same_bits

I32 = DTYPES["int32"]
WHOLE = Limits(1 << 15, 1 << 20, 1, 1 << 40)
CUT = Limits(1 << 10, 1 << 11, 3, 1 << 40)
STREAMED = Limits(1 << 15, 1 << 20, 2, 0)


def interpreted(roots, limits):
    """Return the arrays of the roots, every kernel run over the windows of the CPU device."""
    graph = canonical(roots)
    plan = fuse(graph)
    stored = {p: n.payload.array for p, n in enumerate(graph.nodes) if n.op.kind == "input"}
    for kernel in plan.kernels:
        operands = []
        for position in kernel.operands:
            node = graph.nodes[position]
            is_view = node.op.kind == "view"
            values = stored[graph.args[position][0] if is_view else position]
            operands.append(viewed(values, node) if is_view else values)
        shape = graph.nodes[kernel.results[0].node].shape
        results = [np.zeros(shape, node.dtype.numpy) for node in kernel.outputs]
        numbers = [graph.nodes[position].payload for position in kernel.scalars]
        run_windows(kernel, operands, results, numbers, limits)
        for result, values in zip(kernel.results, results, strict=True):
            stored[result.node] = values
    return [stored[root.node] for root in plan.roots]


def run_windows(kernel, operands, results, numbers, limits):
    lowered = lower_rows(kernel, form_stages(kernel))
    shape = results[0].shape
    strides = [[values.strides for values in arrays] for arrays in (operands, results)]
    aliased = [False] * len(operands)
    box = Box.full(shape)
    bound = bind(lowered.facts, kernel.domain, shape, box, *strides, aliased, limits)
    slots = list(bound.slots)
    reads = [Memory(values, name="operand") for values in operands]
    writes = [Memory(values, name="result", is_set=False) for values in results]
    for memory in reads:
        memory.is_writable = False
    places = [*bound.operand_slots, *bound.output_slots]
    offsets = [*bound.operand_offsets, *bound.output_offsets]
    for place, offset, memory in zip(places, offsets, [*reads, *writes], strict=True):
        slots[place] = Pointer(memory, memory.first.offset + offset)
    slots[bound.scalar_slot : bound.scalar_slot + len(numbers)] = numbers
    for window in windows(bound.extent, bound.grain):
        interpret(lowered.program, slots, window, Memory.scratch(bound.scratch_bytes))
    assert not any(memory.unset for memory in writes)


def windows(extent, grain):
    """Return the windows of a launch, the last first."""
    axes = [
        [(low, min(low + size, length)) for low in range(0, length, max(size, 1))]
        for length, size in zip(extent, grain, strict=True)
    ]
    return [(*o, *y, *x) for o in axes[0] for y in axes[1] for x in axes[2]][::-1]


def check(roots, limits):
    expected = ReferenceDevice().evaluate(roots, [None] * len(roots))
    for found, wanted in zip(interpreted(roots, limits), expected, strict=True):
        assert same_bits(found, wanted), (found, wanted)


MODES = [mode for mode in BorderMode if mode is not BorderMode.UNDEFINED]
OFFSETS = st.tuples(st.integers(-2, 2), st.integers(-2, 2))


@st.composite
def images(draw, dtype, axes="yx"):
    shape = [draw(st.integers(1, 9)) for _ in axes]
    if "c" in axes:
        shape[axes.index("c")] = 3
    values = np.random.default_rng(draw(st.integers(0, 9))).integers(0, 256, shape)
    values = values.astype(dtype)
    if draw(st.booleans()):
        values = np.asfortranarray(values)[:, ::-1]
    return node_of(values, axes)


@st.composite
def borders(draw):
    mode = draw(st.sampled_from(MODES))
    return Border(mode, draw(st.integers(0, 255)) if mode is BorderMode.CONSTANT else 0)


def summed(node, offsets, border, lift):
    """Return the sum of a node and its neighbours, as int32 or in its own type."""
    total = lift(node)
    for offset in offsets:
        where = (*offset, 0)[: len(node.shape)]
        total = build.elementwise("add", total, lift(build.neighbour(node, where, border)))
    return total


@given(data=st.data(), limits=st.sampled_from([WHOLE, CUT, STREAMED]))
def test_chains_of_stencils_give_the_bits_of_the_reference(data, limits):
    image = data.draw(images("uint8", data.draw(st.sampled_from(["yx", "yxc"]))))
    first = data.draw(st.lists(OFFSETS, min_size=1, max_size=3))
    second = data.draw(st.lists(OFFSETS, min_size=1, max_size=3))
    sums = summed(image, first, data.draw(borders()), lambda node: build.cast(node, I32))
    thirds = build.elementwise("truncated_divide", sums, build.constant(3, I32))
    both = summed(thirds, second, data.draw(borders()), lambda node: node)
    roots = data.draw(st.sampled_from([[both], [both, thirds], [build.cast(both, DTYPES["bool"])]]))
    check(roots, limits)


@pytest.mark.parametrize("limits", [WHOLE, CUT, STREAMED])
@pytest.mark.parametrize("mode", MODES)
def test_every_border_at_a_distance(mode, limits):
    values = np.random.default_rng(2).normal(0, 1, (7, 6)).astype(np.float32)
    image = node_of(values, "yx")
    border = Border(mode, 2.5 if mode is BorderMode.CONSTANT else 0)
    offsets = [(-9, 0), (0, 8), (3, -4), (8, 7)]
    inner = summed(image, offsets, border, lambda node: node)
    check([summed(inner, offsets[1:], border, lambda node: node), inner], limits)


def _bent(b, x):
    """Half of x, and 1 more where x is below -3."""
    half = b.multiply(x, b.like(0.5, x))
    return b.rarely(b.less(x, b.like(-3, x)), b.add(half, b.like(1, x)), half)


BENT = Op("bent", "elementwise", 1, "same", body_meaning(_bent, OPS), body=_bent)


@pytest.mark.parametrize("limits", [WHOLE, CUT])
@pytest.mark.parametrize("stray", [(), (0,), (1023,), (1024, 2099)])
def test_rare_choices_are_taken_where_they_hold(stray, limits):
    values = np.random.default_rng(3).uniform(-2, 2, (2, 2100)).astype(np.float32)
    values[1, list(stray)] = -7.25
    image = node_of(values, "yx")
    bent = Node(BENT, (image,), (), None, image.shape, image.dtype, "yx")
    border = Border(BorderMode.REPLICATE)
    roots = [bent, build.elementwise("add", bent, build.neighbour(bent, (1, -2), border))]
    expected = bent.op.reference(values)
    assert np.count_nonzero(expected != values / 2) == len(stray)
    check(roots, limits)
    for found, wanted in zip(
        find_device("cpu").evaluate(roots, [None] * 2, threads=1),
        ReferenceDevice().evaluate(roots, [None] * 2),
        strict=True,
    ):
        assert same_bits(found, wanted)
