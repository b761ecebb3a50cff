"""Arrays joined, split, repeated and rolled, against NumPy's; where their parts are written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import BorderError, ParameterError, ShapeError

DTYPES = ["bool", "uint8", "int16", "int32", "uint32", "float32", "float64"]


def pixels(shape, dtype="int32", seed=0):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


@st.composite
def parts(draw):
    """Return arrays of any strides that differ along one axis, and the axis."""
    rest = draw(st.lists(st.integers(0, 5), min_size=1, max_size=3))
    axis = draw(st.integers(0, len(rest) - 1))
    arrays = []
    for seed in range(draw(st.integers(1, 4))):
        rest[axis] = draw(st.integers(0, 6))
        array = pixels(rest[::-1], draw(st.sampled_from(DTYPES)), seed).T
        arrays.append(array[::-1] if draw(st.booleans()) else np.ascontiguousarray(array))
    return arrays, axis


@pytest.mark.usefixtures("device")
class TestValues:
    @settings(max_examples=50)
    @given(parts(), st.booleans())
    def test_joined_arrays_are_numpys(self, given_parts, has_work):
        arrays, axis = given_parts
        lazy = [mt.asarray(array) for array in arrays]
        if has_work:
            arrays = [array * array for array in arrays]
            lazy = [x * x for x in lazy]
        expected = np.concatenate(arrays, axis)
        found = mt.concat(lazy, axis=axis)
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        after = mt.concat(lazy, axis=axis - expected.ndim)[::-1] == 1
        np.testing.assert_array_equal(np.asarray(after), expected[::-1] == 1, strict=True)
        flat = np.asarray(mt.concat(lazy, axis=None))
        np.testing.assert_array_equal(flat, np.concatenate(arrays, None), strict=True)

    @settings(max_examples=30)
    @given(parts())
    def test_results_are_written_to_outs(self, given_parts):
        arrays, axis = given_parts
        expected = np.concatenate(arrays, axis)
        out = np.zeros(expected.shape[::-1], expected.dtype).T
        mt.concat([mt.asarray(array) for array in arrays], axis=axis).eval(out=out)
        np.testing.assert_array_equal(out, expected)

    @given(st.data())
    def test_stacked_arrays_are_numpys(self, data):
        shape = data.draw(st.lists(st.integers(0, 4), max_size=3))
        arrays = [pixels(shape, seed=seed) for seed in range(data.draw(st.integers(1, 3)))]
        axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
        found = mt.stack([mt.asarray(array) + 1 for array in arrays], axis=axis)
        expected = np.stack(arrays, axis) + 1
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        for part, wanted in zip(mt.unstack(found, axis=axis), arrays, strict=True):
            np.testing.assert_array_equal(np.asarray(part), wanted + 1, strict=True)

    @given(st.data())
    def test_tiles_are_numpys(self, data):
        array = pixels(data.draw(st.lists(st.integers(0, 4), max_size=3)))
        counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
        found = mt.tile(mt.asarray(array), counts)
        np.testing.assert_array_equal(np.asarray(found), np.tile(array, counts), strict=True)
        work = mt.tile(mt.asarray(array) * 2, counts) + 1
        np.testing.assert_array_equal(np.asarray(work), np.tile(array * 2, counts) + 1, strict=True)

    @given(st.data())
    def test_rolled_arrays_are_numpys(self, data):
        array = pixels(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=3)))
        axes = data.draw(st.lists(st.integers(-array.ndim, array.ndim - 1), max_size=3))
        shifts = data.draw(st.lists(st.integers(-9, 9), min_size=len(axes), max_size=len(axes)))
        x = mt.asarray(array)
        if axes:
            found = mt.roll(x, shifts, axis=axes)
            np.testing.assert_array_equal(np.asarray(found), np.roll(array, shifts, axes))
            found = mt.roll(x * 2, shifts[0], axis=axes) - x
            expected = np.roll(array * 2, shifts[0], axes) - array
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        found = mt.roll(x, sum(shifts))
        np.testing.assert_array_equal(np.asarray(found), np.roll(array, sum(shifts)), strict=True)

    def test_joined_arrays_have_neighbours_across_the_seam(self):
        a, b = pixels((3, 5)), pixels((2, 5), seed=1)
        both = np.concatenate([a, b])
        x = mt.concat([mt.asarray(a), mt.asarray(b)])
        expected = np.concatenate([both[1:], both[-1:]])
        np.testing.assert_array_equal(np.asarray(x.at(1, 0)), expected)
        smooth = mt.concat([mt.asarray(a).at(1, 0), mt.asarray(b)])
        expected = np.concatenate([a[1:], a[-1:], b])
        np.testing.assert_array_equal(np.asarray(smooth), expected)

    def test_one_array_may_be_joined_with_itself_and_read_beside(self):
        a = pixels((3, 5))
        work = mt.asarray(a) * 2
        both = mt.concat([work, work, mt.asarray(a)])
        first, second, third = mt.eval(both, work, both[1:4] + 1)
        expected = np.concatenate([a * 2, a * 2, a])
        np.testing.assert_array_equal(np.asarray(first), expected)
        np.testing.assert_array_equal(np.asarray(second), a * 2)
        np.testing.assert_array_equal(np.asarray(third), expected[1:4] + 1)

    def test_wholes_within_wholes(self):
        a = pixels((3, 4))
        x = mt.asarray(a)
        row = mt.concat([x, x * 2], axis=1)
        grid = mt.concat([row, mt.concat([x + 1, x - 1], axis=1)])
        expected = np.block([[a, a * 2], [a + 1, a - 1]])
        np.testing.assert_array_equal(np.asarray(grid), expected)
        np.testing.assert_array_equal(
            np.asarray(grid.at(0, 1) + row.at(0, 0)[0, 0]),
            np.concatenate([expected[:, 1:], expected[:, -1:]], 1) + a[0, 0],
        )
        twice = mt.concat([row, row])
        np.testing.assert_array_equal(np.asarray(twice), np.concatenate([expected[:3]] * 2))

    def test_numbers_are_parts(self):
        x = mt.concat([mt.full((2, 3), 7), mt.index((1, 3), 1), mt.zeros((0, 3), dtype="uint8")])
        np.testing.assert_array_equal(np.asarray(x), [[7, 7, 7], [7, 7, 7], [0, 1, 2]])

    def test_outs_that_overlap_the_parts(self):
        array = pixels((4, 6))
        expected = np.concatenate([array[2:], array[:2]])
        mt.concat([mt.asarray(array)[2:], mt.asarray(array)[:2]]).eval(out=array)
        np.testing.assert_array_equal(array, expected)
        expected = np.roll(array, 1) + array
        (mt.roll(mt.asarray(array), 1) + mt.asarray(array)).eval(out=array)
        np.testing.assert_array_equal(array, expected)

    def test_traced_functions_join(self):
        join = mt.function(lambda x, y: mt.concat([x, y + 1], axis=1))
        for rows in (3, 5):
            a, b = pixels((rows, 4)), pixels((rows, 2), seed=1)
            np.testing.assert_array_equal(np.asarray(join(a, b)), np.concatenate([a, b + 1], 1))
            out = np.zeros((rows, 6), np.int32)
            join(a[::-1], b, out=out)
            np.testing.assert_array_equal(out, np.concatenate([a[::-1], b + 1], 1))


def test_a_part_is_written_into_the_whole():
    x = mt.asarray(pixels((4, 6)))
    text = str(mt.explain(mt.concat([x + 1, x * 2])))
    assert text.startswith("1 kernel;")
    assert text.count("part of result 0") == 2
    text = str(mt.explain(mt.roll(x, 1, axis=0) * 2))
    assert text.startswith("3 kernels;")
    assert text.count("part of what is stored for kernel 2") == 2
    assert "out0 of kernel 0 and out0 of kernel 1" in text
    report = mt.function(lambda x: mt.concat([x, x]))
    report(np.zeros((4, 6)))
    assert report.memory_report()["intermediates"] == 0
    assert "concat(%1, %2, along axis 0)" in str(mt.explain(mt.concat([x, x]), what="graph"))


def test_letters_are_agreed_on():
    x, y = mt.asarray(pixels((3, 4)), axes="zx"), mt.asarray(pixels((3, 4)))
    assert mt.concat([x, y]).axes == "zx"
    assert mt.concat([y, y]).axes == "yx"
    with pytest.raises(ShapeError, match="concat: operands have axes 'zx' and 'xz'; transpose"):
        mt.concat([x, mt.asarray(pixels((3, 4)), axes="xz")])
    assert (mt.stack([y, y]).axes, mt.stack([y, y], axis=-1).axes) == (None, "yxc")
    assert mt.concat([x.to("reference"), y]).device == "reference"


def test_required_boxes_are_those_of_the_parts():
    a, b = pixels((3, 4)), pixels((2, 4), seed=1)
    x = mt.concat([mt.asarray(a) + 1, mt.asarray(b)])
    first, second = mt.required(x, mt.Box((2, 1), (4, 3)))
    assert (first.box, second.box) == (mt.Box((2, 1), (3, 3)), mt.Box((0, 1), (1, 3)))
    first, second = mt.required(x, mt.Box((4, 1), (5, 3)))
    assert first.box.is_empty
    assert second.box == mt.Box((1, 1), (2, 3))


def test_arrays_that_do_not_fit_are_refused():
    x = mt.asarray(pixels((3, 4)))
    with pytest.raises(ParameterError, match="concat: got no arrays; give one or more"):
        mt.concat([])
    with pytest.raises(ParameterError, match="stack: got no arrays; give one or more"):
        mt.stack([])
    with pytest.raises(ShapeError, match=r"array 0 has shape \(3, 4\), array 1 \(4,\); they may"):
        mt.concat([x, x[0]])
    with pytest.raises(ShapeError, match="they may differ along axis 1 alone"):
        mt.concat([x, x[1:]], axis=1)
    with pytest.raises(ShapeError, match="concat: axis 2 is out of bounds"):
        mt.concat([x, x], axis=2)
    with pytest.raises(
        ShapeError, match=r"stack: array 0 has shape \(3, 4\), array 1 \(2, 4\); gi"
    ):
        mt.stack([x, x[1:]])
    with pytest.raises(ShapeError, match="unstack: axis 0 is out of bounds"):
        mt.unstack(x[0, 0])
    part = x.at(0, 1, border="undefined")
    with pytest.raises(BorderError, match=r"concat: takes whole arrays, but only .* of array 1"):
        mt.concat([x, part])
    with pytest.raises(ParameterError, match="roll: 2 shifts and 1 axes; give a shift for each"):
        mt.roll(x, (1, 2), axis=(0,))
