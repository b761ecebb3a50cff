"""Reads of neighbours move below cheap work."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.order import topological
from muntin.core.plan.sink import sink_neighbours
from muntin.dtypes import DTYPES
from muntin.runtime.reference import ReferenceDevice
from tests.pointwise import node_of, same_bits

U8 = DTYPES["uint8"]
REPLICATE = Border.of("replicate")


def image_of(axes="yx", shape=(6, 7), seed=0):
    return node_of(np.random.default_rng(seed).integers(0, 255, shape, np.uint8), axes)


def read(node, *offsets, border=REPLICATE):
    return build.neighbour(node, offsets, border)


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def rows_of(*outputs):
    """Return what is read at offsets, by the names of the operations."""
    order = topological(sink_neighbours(outputs))
    return sorted({node.args[0].op.name for node in order if node.op.kind == "neighbour"})


def costly(node):
    return build.elementwise("sqrt", build.elementwise("sqrt", node))


class TestCheapWork:
    def test_is_done_on_reads(self):
        image = image_of()
        work = total(image, build.scalar(3, U8))
        assert rows_of(read(work, 0, 1)) == ["input"]
        assert rows_of(total(read(work, 0, 1), read(work, 0, -1))) == ["input"]

    def test_keeps_its_rows_under_a_constant(self):
        work = total(image_of(), build.constant(3, U8))
        assert rows_of(read(work, 0, 1, border=Border(BorderMode.CONSTANT, 3))) == ["add"]

    def test_of_an_index_keeps_its_rows(self):
        work = total(build.index(0, (6, 7), "yx"), build.constant(3, DTYPES["int64"]))
        assert rows_of(read(work, 0, 1)) == ["add"]

    def test_of_several_inputs_is_done_on_reads_of_each(self):
        (root,) = sink_neighbours([read(total(image_of(), image_of(seed=1)), 1, 1)])
        assert [arg.op.name for arg in root.args] == ["neighbour", "neighbour"]
        assert root.args[0].params == ((1, 1), BorderMode.REPLICATE)


class TestCostlyWork:
    def test_keeps_its_rows(self):
        work = costly(image_of())
        assert rows_of(total(read(work, 0, 1), read(work, 0, -1))) == ["sqrt"]

    def test_read_once_and_nowhere_else_is_done_on_the_read(self):
        assert rows_of(read(costly(image_of()), 0, 1)) == ["input"]

    def test_used_in_place_too_keeps_its_rows(self):
        work = costly(image_of())
        assert rows_of(total(read(work, 0, 1), work)) == ["sqrt"]
        assert rows_of(read(work, 0, 1), work) == ["sqrt"]


class TestWorkOnNeighbours:
    def test_along_the_other_axis_is_again_work_on_neighbours(self):
        image = image_of()
        across = total(read(image, 0, -1), read(image, 0, 1))
        assert rows_of(total(read(across, -1, 0), read(across, 1, 0))) == ["input"]

    def test_along_the_same_axis_keeps_its_rows(self):
        image = image_of()
        across = total(read(image, 0, -1), read(image, 0, 1))
        assert rows_of(total(read(across, 0, 2), read(across, 0, -2))) == ["add", "input"]

    def test_under_another_border_keeps_its_rows(self):
        image = image_of()
        across = total(read(image, 0, -1), read(image, 0, 1))
        below = [read(across, dy, 0, border=Border.of("symmetric")) for dy in (-1, 1)]
        assert rows_of(total(*below)) == ["add", "input"]

    def test_on_other_planes_keeps_its_rows(self):
        volume = image_of("zyx", (3, 4, 5))
        across = total(read(volume, -1, 0, 0), read(volume, 1, 0, 0))
        assert rows_of(total(read(across, 0, -1, 0), read(across, 0, 1, 0))) == ["add", "input"]

    def test_a_window_sum_keeps_its_rows(self):
        down = build.window_sum(image_of(), 0, 1, 1, REPLICATE)
        assert rows_of(total(read(down, 0, 1), read(down, 0, -1))) == ["window_sum"]


@given(st.data())
def test_values_do_not_change(data):
    modes = st.sampled_from([mode for mode in BorderMode if mode is not BorderMode.UNDEFINED])
    shape = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 7)))
    nodes = [image_of(shape=shape), image_of(shape=shape, seed=1)]
    for _ in range(data.draw(st.integers(1, 10))):
        a, b = (data.draw(st.sampled_from(nodes)) for _ in range(2))
        if data.draw(st.booleans()):
            offsets = data.draw(st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
            nodes.append(build.neighbour(a, offsets, Border(data.draw(modes), 0)))
        else:
            name = data.draw(st.sampled_from(["add", "maximum", "truncated_divide"]))
            nodes.append(build.elementwise(name, a, b))
    roots = nodes[-2:]
    results = sink_neighbours(roots)
    before, after = (ReferenceDevice().evaluate(each, [None] * 2) for each in (roots, results))
    for wanted, got in zip(before, after, strict=True):
        assert same_bits(got, wanted)
