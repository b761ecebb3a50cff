"""Canonical forms: what is one node, and what is not in the key."""

import numpy as np
import pytest

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.node import AxisMap, View
from muntin.core.graph.order import topological
from muntin.dtypes import DTYPES
from muntin.runtime.buffer import Buffer

U8, I32 = DTYPES["uint8"], DTYPES["int32"]
WRAP = Border.of("wrap")


def image_of(shape=(4, 5), axes="yx", dtype="uint8"):
    return build.input_node(Buffer(np.zeros(shape, dtype)), shape, DTYPES[dtype], axes)


def sliced(node, start, step, length):
    rest = tuple([AxisMap(axis) for axis in range(1, len(node.shape))])
    return build.view(
        node, View((AxisMap(0, start, step), *rest)), (length, *node.shape[1:]), node.axes
    )


def count(roots, name):
    return [node.op.name for node in canonical(roots).nodes].count(name)


class TestOneNode:
    def test_equal_work_on_the_same_input(self):
        image = image_of()
        sums = [build.elementwise("add", image, build.constant(1, U8)) for _ in range(2)]
        form = canonical([build.elementwise("multiply", *sums)])
        assert [node.op.name for node in form.nodes] == ["input", "constant", "add", "multiply"]
        assert form.args == ((), (), (0, 1), (2, 2))
        assert form.roots == (3,)

    def test_inputs_of_one_source(self):
        buffer = Buffer(np.zeros((4, 5), np.uint8))
        nodes = [build.input_node(buffer, (4, 5), U8, "yx") for _ in range(2)]
        assert count([build.elementwise("add", *nodes)], "input") == 1
        assert count([build.elementwise("add", image_of(), image_of())], "input") == 2

    def test_stretched_views_and_indices_of_one_shape(self):
        row = image_of((5,), "x")
        wide = [build.broadcast_to(row, (4, 5)) for _ in range(2)]
        assert count([build.elementwise("add", *wide)], "view") == 1
        rows = [build.index(0, (4, 5)) for _ in range(2)]
        assert count([build.elementwise("add", *rows)], "index") == 1

    def test_not_work_on_numbers_that_is_seen_at_other_lengths(self):
        work = build.cast(build.scalar(1, U8), I32)
        seen = [build.broadcast_to(work, (length,)) for length in (1, 2, 2)]
        assert count(seen, "cast") == 2
        assert [node.shape for node in canonical(seen).nodes if node.op.name == "cast"] == [
            (1,),
            (2,),
        ]

    def test_not_numbers_and_slices_that_merely_coincide(self):
        image = image_of()
        numbers = [build.scalar(1, U8) for _ in range(2)]
        assert count([build.elementwise("add", *numbers)], "scalar") == 2
        slices = [sliced(image, 0, 1, 2) for _ in range(2)]
        assert count([build.elementwise("add", *slices)], "view") == 2


def pipeline(*, size=(20, 30), start=2, step=1, number=3, border=7, dtype="uint8"):
    image = image_of(size, dtype=dtype)
    part = sliced(image, start, step, 5)
    work = build.elementwise("add", part, build.scalar(number, DTYPES[dtype]))
    beside = build.neighbour(work, (0, 1), constant(border))
    return canonical([build.elementwise("multiply", beside, work)]).key


class TestKey:
    @pytest.mark.parametrize(
        "changes",
        [
            {"size": (50, 7)},
            {"start": 9},
            {"start": 9, "step": -1},
            {"number": 200},
            {"border": 0},
        ],
        ids=str,
    )
    def test_what_may_change_is_not_in_it(self, changes):
        assert pipeline(**changes) == pipeline()

    @pytest.mark.parametrize("changes", [{"step": 2}, {"dtype": "int16"}], ids=str)
    def test_what_is_compiled_in_is_in_it(self, changes):
        assert pipeline(**changes) != pipeline()

    def test_borders_offsets_and_channels_are_in_it(self):
        def key(border="wrap", offset=1, channels=3, axes="yxc"):
            image = image_of((4, 5, channels), axes)
            offsets = tuple([offset if letter == "y" else 0 for letter in axes])
            return canonical([build.neighbour(image, offsets, Border.of(border))]).key

        others = [key("replicate"), key(offset=-1), key(channels=4), key(axes="cyx")]
        assert len({key(), *others}) == 5

    def test_channels_do_not_count_where_nothing_is_read_beside(self):
        keys = [canonical([build.keep(image_of((4, 5, c), "yxc"))]).key for c in (3, 4)]
        assert keys[0] == keys[1]

    def test_which_inputs_coincide_is_in_it(self):
        a, b = image_of(), image_of()
        same = canonical([build.elementwise("add", a, a)]).key
        assert same != canonical([build.elementwise("add", a, b)]).key

    def test_stretched_axes_are_in_it(self):
        wide, narrow = image_of(), image_of((1, 5))
        same = canonical([build.elementwise("add", wide, image_of())]).key
        assert same != canonical([build.elementwise("add", wide, narrow)]).key

    def test_constants_are_in_it(self):
        keys = [
            canonical([build.elementwise("add", image_of(), build.constant(k, U8))]).key
            for k in (1, 2)
        ]
        assert keys[0] != keys[1]

    def test_the_roots_are_in_it(self):
        image = image_of()
        work = build.keep(image)
        assert canonical([work]).key != canonical([work, image]).key


def test_arguments_come_first_and_each_node_once():
    image = image_of()
    work = build.elementwise("add", image, image)
    root = build.elementwise("add", work, build.neighbour(work, (0, 1), WRAP))
    order = topological([root, work])
    assert [node.op.name for node in order] == ["input", "add", "neighbour", "add"]


def test_very_long_chains_need_no_recursion():
    node = image_of()
    for _ in range(10_000):
        node = build.elementwise("add", node, build.constant(1, U8))
    assert len(canonical([node]).nodes) == 10_002
    assert len(topological([node])) == 20_001
