"""Stages: which values get rows, how far ahead they run, and what each row loop computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, BorderMode, constant
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.plan.fuse import fuse
from muntin.core.plan.sink import ROWS_PER_STEP
from muntin.core.plan.stages import form_stages
from muntin.dtypes import DTYPES
from tests.core.graph.recipes import graph, recipes, shapes
from tests.pointwise import node_of

I16, I32, U8 = DTYPES["int16"], DTYPES["int32"], DTYPES["uint8"]
REPLICATE = Border.of("replicate")


def image_of(shape=(6, 7), axes="yx", seed=0):
    return node_of(np.random.default_rng(seed).integers(0, 255, shape, np.uint8), axes)


def read(node, *offsets, border=REPLICATE):
    return build.neighbour(node, offsets, border)


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def costly(node):
    return build.elementwise("sqrt", build.elementwise("sqrt", node))


def staged(*roots):
    (kernel,) = fuse(canonical(roots)).kernels
    return form_stages(kernel)


def names(stages):
    return [stage.node.op.name for stage in stages.stages]


class TestStages:
    def test_of_pointwise_work_are_its_operands(self):
        stages = staged(total(image_of(), image_of(seed=1), image_of()))
        assert names(stages) == ["input"] * 3
        assert all(stage.depth == 1 and stage.mode is None for stage in stages.stages)
        (group,) = stages.groups
        assert group.is_final
        assert (stages.step, group.rows) == (1, 1)

    def test_a_value_has_one_for_each_border(self):
        image = image_of()
        borders = [REPLICATE, Border.of("wrap"), constant(3), constant(3), constant(4)]
        reads = [read(image, 0, k, border=border) for k, border in enumerate(borders, 1)]
        assert names(staged(total(*reads))) == ["input"] * 4

    def test_a_value_read_in_place_needs_no_other(self):
        image = image_of()
        stages = staged(total(image, read(image, 0, 1)))
        (stage,) = stages.stages
        assert (stage.mode, stage.pad_right, stage.pad_left) == (BorderMode.REPLICATE, 1, 0)

    def test_a_read_in_another_plane_has_one_of_its_own(self):
        image = image_of((3, 6, 7), "nyx")
        stages = staged(total(image, read(image, 1, 0, 0), read(image, 1, 0, 1)))
        assert sorted(stage.outer for stage in stages.stages) == [(), (1,)]

    def test_costly_work_that_two_loops_need_gets_rows(self):
        shared = costly(costly(image_of()))
        other = total(costly(image_of(seed=1)), shared)
        root = total(read(other, 1, 0), read(other, -1, 0), shared)
        stages = staged(root)
        assert sorted(names(stages)) == ["add", "input", "input", "sqrt"]
        last = next(stage.node for stage in stages.stages if stage.node.op.name == "sqrt")
        assert last.args[0].op.name == "sqrt"  # the end of the chain, not every link of it

    def test_cheap_work_that_two_loops_need_is_done_twice(self):
        image = image_of()
        shared = total(image, image)
        other = costly(shared)
        root = total(read(other, 1, 0), read(other, -1, 0), shared)
        assert sorted(names(staged(root))) == ["input", "sqrt"]

    def test_a_read_of_a_read_is_a_row_that_is_copied(self):
        inner = read(image_of(), 0, 1, border=constant(1))
        stages = staged(read(inner, 1, 0, border=constant(2)))
        assert names(stages) == ["neighbour", "input"]


class TestPlaces:
    def test_reads_down_the_rows_run_ahead_and_start_before(self):
        image = image_of()
        rolled = costly(image)
        stages = staged(total(read(rolled, -2, 0), read(rolled, 1, 0)))
        ring, load = stages.stages
        assert stages.step == ROWS_PER_STEP
        assert (ring.lead, ring.depth) == (1, 1 + 2 + ROWS_PER_STEP)
        assert ring.start + ring.lead <= -2
        assert ring.start % ROWS_PER_STEP == 0
        assert (load.lead, load.depth) == (1, ROWS_PER_STEP)

    def test_reflections_look_to_both_sides(self):
        stages = staged(read(costly(image_of()), 3, -2, border=Border.of("symmetric")))
        stage = stages.stages[0]
        assert (stage.rows_below, stage.rows_above) == (-3, 3)
        assert (stage.left, stage.right) == (2, 2)
        assert (stage.pad_left, stage.pad_right) == (2, 0)

    def test_halos_add_up_along_a_chain(self):
        rolled = costly(image_of())
        across = costly(total(read(rolled, 0, -1), read(rolled, 0, 2)))
        stages = staged(total(read(across, 0, -3), read(across, 0, 1)))
        assert [(stage.left, stage.right) for stage in stages.stages] == [(3, 1), (4, 3), (4, 3)]
        assert [stage.pad_left for stage in stages.stages] == [3, 1, 0]

    def test_loops_of_one_place_are_one(self):
        image = image_of()
        both = costly(image), costly(total(image, image))
        stages = staged(total(*[read(node, dy, 0) for node in both for dy in (-1, 1)]))
        assert [len(group.targets) for group in stages.groups] == [2, 1]

    def test_loops_come_after_those_they_read(self):
        node = image_of()
        for _ in range(3):
            node = costly(total(read(node, -1, 0), read(node, 1, 0)))
        stages = staged(node)
        assert [group.level for group in stages.groups[:-1]] == [1, 2]
        assert stages.groups[-1].is_final


def check_places(stages):
    """Check that what each loop reads was made, and is still alive, whatever the window."""
    made = {stage.number for stage in stages.stages if stage.is_load}
    for group in stages.groups:
        for read_ in group.reads.values():
            stage = stages.stages[read_.stage]
            assert stage.number in made
            assert stage.lead >= group.lead + read_.rows
            assert stage.start + stage.lead <= group.start + group.lead + read_.rows
            assert stage.left >= group.left - min(read_.columns, 0)
            assert stage.right >= group.right + max(read_.columns, 0)
            assert stage.depth >= stage.lead - group.lead - read_.rows + group.rows
        made |= {number for _, number in group.targets}
    assert {stage.number for stage in stages.stages} <= made


@given(st.data())
def test_rows_are_made_before_they_are_read_and_kept_as_long(data):
    recipe = data.draw(recipes())
    built = graph(recipe, data.draw(shapes(recipe, 9)), 0)
    for kernel in fuse(canonical(built.roots)).kernels:
        check_places(form_stages(kernel))


@pytest.mark.parametrize("border", ["replicate", "symmetric", "reflect101"])
def test_edges_are_one_kernel_of_bytes_and_words(border):
    """Gaussian, Sobel, the sum of magnitudes, a threshold: the pipeline of the design."""
    around = Border.of(border)

    def smoothed(node, axis):
        before, after = (tuple([k if place == axis else 0 for place in (0, 1)]) for k in (-1, 1))
        doubled = build.elementwise("multiply", node, build.constant(2, I32))
        return total(read(node, *before, border=around), doubled, read(node, *after, border=around))

    def derived(node, axis):
        before, after = (tuple([k if place == axis else 0 for place in (0, 1)]) for k in (-1, 1))
        ends = (read(node, *after, border=around), read(node, *before, border=around))
        return build.elementwise("subtract", *ends)

    image = build.cast(image_of((30, 40)), I32)
    blurred = smoothed(smoothed(image, 0), 1)
    blurred = build.elementwise("bitwise_right_shift", blurred, build.constant(4, I32))
    gradients = [smoothed(derived(blurred, axis), 1 - axis) for axis in (0, 1)]
    magnitude = total(*[build.elementwise("abs", node) for node in gradients])
    edges = build.elementwise("greater", magnitude, build.scalar(100, I32))
    stages = staged(build.cast(edges, U8))
    computed = [stage for stage in stages.stages if not stage.is_load]
    assert len(computed) >= 1
    assert {stage.node.dtype.itemsize for stage in computed} <= {1, 2}
    work = [node for group in stages.groups for node in group.order if node.op.is_elementwise]
    assert {node.dtype.itemsize for node in work if node.op.name != "greater"} <= {1, 2, 4}
    assert {node.dtype for node in work if node.op.name in ("add", "subtract")} == {I16}
