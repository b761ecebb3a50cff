"""Reshapes of nodes: which are views, what they compose to, their letters, strides and boxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.required import required
from muntin.core.graph.reshaping import axis_groups, reshape, reshaped_strides, resolved_shape
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.errors import BorderError, ShapeError
from muntin.runtime.buffer import Buffer
from muntin.runtime.reference import ReferenceDevice


def image_of(shape, axes=None):
    array = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    return build.input_node(Buffer(array), shape, DTYPES["int32"], axes)


@st.composite
def two_shapes(draw):
    """Return two shapes with as many elements."""
    factors = draw(st.lists(st.integers(2, 3), max_size=4))

    def shape():
        lengths = [1] * draw(st.integers(1 if factors else 0, 4))
        for factor in draw(st.permutations(factors)):
            lengths[draw(st.integers(0, len(lengths) - 1))] *= factor
        return tuple(lengths)

    return shape(), shape()


def test_lengths_are_resolved():
    assert resolved_shape((2, 3), (6,), "f") == (6,)
    assert resolved_shape((2, 3), (3, -1), "f") == (3, 2)
    assert resolved_shape((0, 3), (-1, 3), "f") == (0, 3)
    assert resolved_shape((), (-1, 1), "f") == (1, 1)


@pytest.mark.parametrize("target", [(4,), (-1, 4), (-1, -1), (-2, -3), (), (0, -1), (-6,)])
def test_lengths_that_do_not_fit_are_refused(target):
    with pytest.raises(ShapeError, match=r"f: an array of shape \(2, 3\) has 6 elements, which do"):
        resolved_shape((2, 3), target, "f")


@given(two_shapes())
def test_groups_hold_as_many_elements(shapes):
    shape, target = shapes
    groups = axis_groups(shape, target)
    assert [axis for axes, _ in groups for axis in axes] == list(range(len(shape)))
    assert [axis for _, axes in groups for axis in axes] == list(range(len(target)))
    for sources, axes in groups:
        assert np.prod([shape[k] for k in sources]) == np.prod([target[k] for k in axes])


@given(two_shapes(), st.data())
def test_strides_are_numpys(shapes, data):
    shape, target = shapes
    order = data.draw(st.permutations(range(len(shape))))
    array = np.zeros([shape[k] for k in order]).transpose(np.argsort(order))
    steps = [data.draw(st.sampled_from([1, -1])) for _ in shape]
    array = array[tuple([slice(None, None, step) for step in steps])]
    try:
        expected = np.reshape(array, target, copy=False)
    except ValueError:
        expected = None
    found = reshaped_strides(array.shape, array.strides, target)
    assert (found is None) == (expected is None)
    if expected is not None:
        long = [k for k, length in enumerate(target) if length != 1]
        assert [found[k] for k in long] == [expected.strides[k] for k in long]


def test_axes_of_length_1_come_and_go_by_views():
    image = image_of((1, 4, 5), "cyx")
    assert reshape(image, (1, 4, 5)) is image
    flat = reshape(image, (4, 5))
    assert (flat.op.name, flat.args, flat.axes) == ("view", (image,), "yx")
    again = reshape(flat, (4, 1, 5, 1))
    assert (again.op.name, again.args, again.shape) == ("view", (image,), (4, 1, 5, 1))


def test_reshapes_of_reshapes_are_one():
    image = image_of((4, 6), "yx")
    node = reshape(reshape(image, (24,)), (2, 12))
    assert (node.op.name, node.args, node.axes) == ("reshape", (image,), "yx")
    assert reshape(node, (4, 6)).op.name == "input"
    assert reshape(reshape(image, (24,)), (1, 4, 6)).op.name == "view"


def test_whole_axes_keep_their_letters():
    assert reshape(image_of((4, 6, 3), "yxc"), (24, 3)).axes is None
    assert reshape(image_of((4, 6, 3), "yxc"), (2, 2, 6, 3)).axes == "nyxc"
    assert reshape(image_of((2, 4, 6, 3), "nyxc"), (8, 6, 3)).axes == "yxc"
    assert reshape(image_of((2, 4, 6), "zyx"), (8, 6)).axes == "yx"
    assert reshape(image_of((4, 6), "yx"), (24,)).axes == "x"
    assert reshape(image_of((6, 4), "yc"), (2, 3, 4)).axes == "yxc"


def test_diagonals_of_whole_matrices_are_kept():
    lower = build.banded(image_of((2, 3, 4, 4)), (-3, 0))
    assert reshape(lower, (6, 4, 4)).diagonals == (-3, 0)
    assert reshape(lower, (6, 16)).diagonals is None


def test_numbers_and_indices_are_no_memory():
    number = build.scalar(3, DTYPES["uint8"])
    wide = reshape(build.broadcast_to(number, (4, 6)), (2, 12))
    assert (wide.op.name, wide.args, wide.shape) == ("view", (number,), (2, 12))
    names = {node.op.name for node in canonical([reshape(build.index(0, (4, 6)), (24,))]).nodes}
    assert names == {"index", "scalar", "floor_divide"}


@given(two_shapes(), st.data())
def test_reshaped_indices_count_as_before(shapes, data):
    shape, target = shapes
    if not shape:
        return
    axis = data.draw(st.integers(0, len(shape) - 1))
    (found,) = ReferenceDevice().evaluate([reshape(build.index(axis, shape), target)], [None])
    np.testing.assert_array_equal(found, np.indices(shape)[axis].reshape(target), strict=True)


@given(two_shapes(), st.data())
def test_required_boxes_hold_all_that_is_read(shapes, data):
    shape, target = shapes
    node = reshape(image_of(shape), target)
    start = tuple([data.draw(st.integers(0, length)) for length in target])
    stop = tuple([data.draw(st.integers(a, b)) for a, b in zip(start, target, strict=True)])
    box = Box(start, stop)
    ((_, found),) = required(node, box).items()
    places = np.arange(np.prod(shape, dtype=int)).reshape(target)[box.slices].ravel()
    inside = np.arange(np.prod(shape, dtype=int)).reshape(shape)[found.slices]
    assert set(places) <= set(inside.ravel())
    assert found.is_empty or not box.is_empty or not shape


@pytest.mark.parametrize(
    ("shape", "box", "found"),
    [
        ((24,), Box((7,), (10,)), Box((1, 1), (2, 4))),
        ((24,), Box((5,), (7,)), Box((0, 0), (2, 6))),
        ((2, 2, 6), Box((1, 0, 2), (2, 2, 3)), Box((2, 2), (4, 3))),
        ((3, 8), Box((1, 4), (2, 6)), Box((2, 0), (3, 2))),
    ],
)
def test_required_boxes_are_small(shape, box, found):
    assert list(required(reshape(image_of((4, 6)), shape), box).values()) == [found]


def test_a_part_is_made_an_array_first():
    part = build.neighbour(image_of((4, 6), "yx"), (0, 1), Border.of("undefined"))
    with pytest.raises(BorderError, match=r"reshape: takes a whole array, but .* call \.valid\(\)"):
        reshape(part, (24,))
    assert reshape(part, (1, 4, 6)).valid == Box((0, 0, 0), (1, 4, 5))


class TestPushed:
    def names(self, node):
        return [each.op.name for each in canonical([node]).nodes]

    def test_work_on_memory_in_c_order_is_done_in_the_other_shape(self):
        a, b = image_of((4, 6)), image_of((4, 6))
        node = reshape(build.elementwise("add", a, b), (24,))
        assert self.names(node) == ["input", "reshape", "input", "reshape", "add"]

    def test_work_on_what_must_move_is_stored(self):
        turned = build.view(
            image_of((4, 6)), build.View((build.AxisMap(1), build.AxisMap(0))), (6, 4)
        )
        node = reshape(build.elementwise("add", turned, turned), (24,))
        assert self.names(node) == ["input", "view", "add", "reshape"]

    def test_stretched_numbers_stay_stretched(self):
        number = build.broadcast_to(build.scalar(3, DTYPES["int32"]), (4, 6))
        node = reshape(build.elementwise("add", image_of((4, 6)), number), (24,))
        assert sorted(self.names(node)) == ["add", "input", "reshape", "scalar", "view"]

    def test_work_that_something_else_reads_stays(self):
        work = build.elementwise("square", image_of((4, 6)))
        form = canonical([reshape(work, (24,)), work])
        assert [node.op.name for node in form.nodes] == ["input", "square", "reshape"]

    def test_reshapes_and_views_are_pushed_together(self):
        work = build.elementwise("square", image_of((4, 6)))
        half = build.view(reshape(work, (24,)), build.View((build.AxisMap(0, 0, 2),)), (12,))
        node = build.elementwise("add", half, half)
        assert self.names(node) == ["input", "reshape", "view", "square", "add"]

    def test_the_form_is_independent_of_sizes(self):
        keys = [
            canonical([reshape(image_of(s), t)]).key
            for s, t in (((4, 6), (3, 8)), ((2, 9), (6, 3)))
        ]
        assert keys[0] == keys[1]
