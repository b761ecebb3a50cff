"""Constructors: shapes, types, axes and valid regions of nodes, and every fault."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.node import AxisMap, View
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.errors import BorderError, DTypeError, RangeError, ShapeError

U8, I16, I32, F32, BOOL = (DTYPES[n] for n in ("uint8", "int16", "int32", "float32", "bool"))
UNDEFINED = Border.of("undefined")


def image_of(shape=(4, 5), dtype="uint8", axes="yx"):
    return build.input_node(None, shape, DTYPES[dtype], axes)


class TestNumbers:
    def test_constants_of_the_same_bits_have_the_same_parameters(self):
        assert build.constant(1, F32).params == build.constant(1.0, F32).params
        assert build.constant(0.0, F32).params != build.constant(-0.0, F32).params
        assert build.constant(float("nan"), F32).params == build.constant(float("nan"), F32).params
        assert build.constant(True, U8).payload == 1

    def test_scalars_are_told_apart_only_by_their_payload(self):
        a, b = build.scalar(1, U8), build.scalar(2, U8)
        assert (a.params, a.shape, a.axes) == (b.params, b.shape, b.axes) == ((), (), "")

    @pytest.mark.parametrize(
        ("value", "dtype"), [(True, "bool"), (3, "int64"), (3.0, "float64"), (2**62, "int64")]
    )
    def test_a_number_beside_no_array_has_the_type_that_numpy_gives_it(self, value, dtype):
        assert build.number("add", value).dtype is DTYPES[dtype]

    def test_a_number_past_the_type_is_refused(self):
        with pytest.raises(RangeError, match="add: the number 300 does not fit in uint8"):
            build.elementwise("add", image_of(), 300)
        with pytest.raises(RangeError, match=f"add: the number {2**70} does not fit in int64"):
            build.elementwise("add", 2**70, 1)
        with pytest.raises(RangeError, match="add: an integer of 2001 bits does not fit in float"):
            build.elementwise("add", image_of(dtype="float32"), 1 << 2000)


class TestElementwise:
    def test_operands_are_cast_to_the_common_type(self):
        node = build.elementwise("add", image_of(dtype="uint8"), image_of(dtype="int8"))
        assert node.dtype is I16
        assert [arg.op.name for arg in node.args] == ["cast", "cast"]

    def test_shapes_and_axes_broadcast(self):
        node = build.elementwise("add", image_of((4, 1)), image_of((5,), axes="x"))
        assert (node.shape, node.axes) == ((4, 5), "yx")
        assert [arg.op.name for arg in node.args] == ["view", "view"]

    def test_numbers_are_not_stretched(self):
        node = build.elementwise("add", image_of(), 3)
        assert (node.args[1].op.name, node.args[1].shape) == ("scalar", ())

    def test_truth_values_are_asked_of_numbers(self):
        node = build.elementwise("logical_and", image_of(), image_of(dtype="bool"))
        assert node.args[0].op.name == "not_equal"

    def test_two_numbers_make_a_number(self):
        node = build.elementwise("add", build.scalar(1, U8), build.scalar(2, U8))
        assert (node.shape, node.axes) == ((), "")

    def test_what_is_valid_is_valid_in_all(self):
        a = build.neighbour(image_of(), (1, 0), UNDEFINED)
        b = build.neighbour(image_of(), (0, -2), UNDEFINED)
        node = build.elementwise("add", a, build.elementwise("add", b, image_of()))
        assert node.valid == Box((0, 2), (3, 5))

    def test_shapes_that_do_not_broadcast(self):
        with pytest.raises(ShapeError, match=r"add: .*\(4, 5\).*\(4, 6\)"):
            build.elementwise("add", image_of(), image_of((4, 6)))

    def test_axes_in_another_order(self):
        with pytest.raises(ShapeError, match="add: operands have axes 'yx' and 'xy'; transpose"):
            build.elementwise("add", image_of((4, 4)), image_of((4, 4), axes="xy"))

    def test_operands_that_are_none(self):
        with pytest.raises(DTypeError, match="add: got an operand of type str; it takes Arrays"):
            build.elementwise("add", image_of(), "3")


class TestViews:
    def test_views_of_views_are_one(self):
        image = image_of((10, 8))
        inner = build.view(image, View((AxisMap(0, 1, 2), AxisMap(1, 7, -1))), (4, 8), "yx")
        outer = build.view(inner, View((AxisMap(1, 2, 3),), ((0, 1),)), (2,), "x")
        assert outer.args == (image,)
        assert outer.payload == View((AxisMap(1, 5, -3),), ((0, 3),))

    def test_starts_are_not_parameters_but_steps_are_in_kind(self):
        def params(start, step):
            maps = (AxisMap(0, start, step), AxisMap(1))
            return build.view(image_of((10, 8)), View(maps), (3, 8)).params

        assert params(1, 1) == params(5, 1) == params(5, -1)
        assert params(1, 2) == params(9, -3) != params(1, 1)
        assert params(0, 0) not in (params(1, 1), params(1, 2))

    def test_indices_are_computed_instead(self):
        rows = build.index(0, (4, 5), "yx")
        flipped = build.view(rows, View((AxisMap(0, 3, -1), AxisMap(1))), (4, 5), "yx")
        assert (flipped.op.name, flipped.shape) == ("add", (4, 5))
        turned = build.view(rows, View((AxisMap(1), AxisMap(0))), (5, 4))
        assert (turned.op.name, turned.params) == ("index", (1,))
        taken = build.view(rows, View((), ((0, 2), (1, 1))), ())
        assert (taken.op.name, taken.payload) == ("scalar", 2)

    def test_one_element_that_is_not_valid(self):
        part = build.neighbour(image_of(), (1, 0), UNDEFINED)
        with pytest.raises(BorderError, match="view: the element taken lies outside the valid"):
            build.view(part, View((), ((0, 3), (1, 1))), ())

    @given(st.data())
    def test_a_view_is_valid_where_what_it_shows_is(self, data):
        size = data.draw(st.integers(1, 9))
        offset = data.draw(st.integers(-10, 10))
        step = data.draw(st.sampled_from([1, 2, -1, -3, 0]))
        start = data.draw(st.integers(0, size - 1))
        reach = size - 1 - start if step > 0 else start
        longest = 5 if step == 0 else reach // abs(step) + 1
        length = data.draw(st.integers(0, longest))
        part = build.neighbour(image_of((size,), axes="x"), (offset,), UNDEFINED)
        seen = build.view(part, View((AxisMap(0, start, step),)), (length,), "x")
        mask = np.zeros(size, bool)
        mask[(part.valid or Box.full((size,))).slices] = True
        wanted = [bool(mask[start + step * k]) for k in range(length)]
        got = np.zeros(length, bool)
        got[(seen.valid or Box.full((length,))).slices] = True
        assert got.tolist() == wanted


class TestReads:
    def test_at_no_offset_a_read_is_the_node(self):
        image = image_of()
        assert build.neighbour(image, (0, 0), UNDEFINED) is image
        assert build.window_sum(image, 0, 0, 0, UNDEFINED) is image

    def test_casts_come_after_reads(self):
        wide = build.cast(image_of(), I32)
        node = build.neighbour(wide, (0, 1), Border.of("wrap"))
        assert (node.op.name, node.args[0].op.name) == ("cast", "neighbour")
        node = build.neighbour(wide, (0, 1), constant(-1))
        assert (node.op.name, node.args[0]) == ("neighbour", wide)

    def test_equal_constants_are_one_node(self):
        reads = [build.neighbour(image_of(), (0, k), constant(7)) for k in (1, 2)]
        assert reads[0].args[1] is reads[1].args[1]

    def test_undefined_borders_shrink_what_is_valid(self):
        node = build.neighbour(image_of(), (2, -1), UNDEFINED)
        assert node.valid == Box((0, 1), (2, 5))
        assert build.neighbour(node, (9, 0), UNDEFINED).valid.is_empty

    def test_other_borders_need_the_whole_array(self):
        part = build.neighbour(image_of(), (1, 0), UNDEFINED)
        with pytest.raises(BorderError, match=r"neighbour: a read under border wrap needs the who"):
            build.neighbour(part, (1, 0), Border.of("wrap"))
        with pytest.raises(BorderError, match=r"window_sum: a read under border replicate needs"):
            build.window_sum(part, 0, 1, 1, Border.of("replicate"))

    def test_a_constant_must_fit(self):
        with pytest.raises(
            BorderError, match=r"border: constant\(256\) does not fit a uint8 image"
        ):
            build.neighbour(image_of(), (1, 0), constant(256))

    def test_sums_of_floats_are_refused(self):
        with pytest.raises(DTypeError, match="window_sum: takes integers, but got float32"):
            build.window_sum(image_of(dtype="float32"), 0, 1, 1, UNDEFINED)

    def test_sums_along_columns_are_reads(self):
        node = build.window_sum(image_of(), 1, 1, 1, Border.of("wrap"))
        assert (node.op.name, node.shape) == ("add", (4, 5))
        assert build.window_sum(image_of(), 0, 1, 1, Border.of("wrap")).op.name == "window_sum"


def test_casts_to_the_same_type_are_nothing():
    image = image_of()
    assert build.cast(image, U8, saturate=True) is image
    assert build.cast(image, I16, saturate=True).params == ("saturate",)
    assert build.cast(image, F32, saturate=True).params == ()
    assert build.cast(image, BOOL, saturate=True).params == ()


def test_a_node_tells_what_it_is_without_computing():
    assert repr(image_of()) == "Node(input, (4, 5), uint8, 0 arguments)"
