"""Arrays of integers and truth values as indices, against NumPy's; errors at the evaluation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import (
    BorderError,
    BoundsError,
    DeviceError,
    DTypeError,
    ParameterError,
    ShapeError,
    UnsupportedError,
)

INTEGERS = ["uint8", "int8", "int16", "uint32", "int64", "uint64"]


def pixels(shape, dtype="int32", seed=0):
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


@st.composite
def choices(draw):
    """Return an array of any strides and an index with arrays for it."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    array = pixels(shape[::-1], draw(st.sampled_from(["uint8", "int32", "float64"]))).T
    array = array[::-1] if draw(st.booleans()) else np.ascontiguousarray(array)
    common = draw(st.lists(st.integers(0, 4), max_size=2))
    items, axis = [], 0
    seed = draw(st.integers(0, 99))
    count = draw(st.integers(1, len(shape)))
    places = sorted(draw(st.permutations(range(len(shape))))[:count])
    while axis < len(shape):
        size = shape[axis]
        if draw(st.integers(0, 5)) == 0:
            items.append(None)
        if axis in places:
            kind = draw(st.sampled_from(["array", "array", "line", "mask", "number", "list"]))
            rng = np.random.default_rng(seed + axis)
            dtype = draw(st.sampled_from(INTEGERS))
            low = 0 if dtype.startswith("u") else -size
            if kind == "mask" and not common:
                items.append(rng.integers(0, 2, size).astype(bool))
            elif kind == "number":
                items.append(int(rng.integers(-size, size)))
            elif kind == "list" and len(common) == 1:
                items.append(rng.integers(low, size, common).tolist())
            elif kind == "line" and common:
                items.append(rng.integers(low, size, common[-1:]).astype(dtype))
            else:
                items.append(rng.integers(low, size, common or [1]).astype(dtype))
        else:
            start, step = draw(st.integers(-3, 3)), draw(st.sampled_from([1, 2, -1]))
            items.append(draw(st.sampled_from([slice(None), slice(start, None, step)])))
        axis += 1
    if isinstance(items[-1], slice) and items[-1] == slice(None) and draw(st.booleans()):
        items[-1] = Ellipsis
    return array, tuple(items)


def lazily(item, is_lazy):
    return mt.asarray(item) if is_lazy and isinstance(item, np.ndarray) else item


@pytest.mark.usefixtures("device")
class TestValues:
    @settings(max_examples=120)
    @given(choices(), st.booleans())
    def test_indices_are_numpys(self, choice, is_lazy):
        array, index = choice
        try:
            expected = array[index]
        except IndexError:  # masks that choose other numbers of elements
            return
        x = mt.asarray(array)
        index = tuple([lazily(item, is_lazy) for item in index])
        found = x[index]
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        np.testing.assert_array_equal(np.asarray((x + x)[index] - x[index]), expected, strict=True)

    @settings(max_examples=40)
    @given(st.data())
    def test_tables_are_looked_up(self, data):
        size = data.draw(st.sampled_from([1, 3, 255, 256, 300]))
        dtype = data.draw(st.sampled_from(INTEGERS))
        table = pixels(size, data.draw(st.sampled_from(["uint8", "int16", "float32", "float64"])))
        shape = data.draw(st.lists(st.integers(0, 70), min_size=1, max_size=2))
        low, high = max(-size, np.iinfo(dtype).min), min(size, np.iinfo(dtype).max + 1)
        image = np.random.default_rng(1).integers(low, high, shape).astype(dtype)
        t, x = mt.asarray(table), mt.asarray(image)
        np.testing.assert_array_equal(np.asarray(t[x]), table[image], strict=True)
        expected = table[image] * 2 + 1
        np.testing.assert_array_equal(np.asarray(t[x] * 2 + 1), expected, strict=True)
        if image.ndim == 2 and image.size:
            beside = np.concatenate([image[1:], image[-1:]])
            found = t[x].at(1, 0) + t[x.at(1, 0)]
            np.testing.assert_array_equal(np.asarray(found), table[beside] + table[beside])

    @given(st.data())
    def test_elements_are_taken(self, data):
        array = pixels(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
        axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
        size = array.shape[axis]
        places = np.random.default_rng(2).integers(-size, size, data.draw(st.integers(0, 6)))
        x = mt.asarray(array)
        for indices in (places, places.reshape(1, -1), np.int64(-1), [0, size - 1]):
            expected = np.take(array, indices, axis)
            found = mt.take(x, indices, axis=axis)
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        flat = mt.take(x, mt.asarray(places))
        np.testing.assert_array_equal(np.asarray(flat), np.take(array, places), strict=True)
        count = data.draw(st.integers(0, 4))
        shape = list(array.shape)
        shape[axis] = count
        along = np.random.default_rng(3).integers(-size, size, shape)
        found = mt.take_along_axis(x * 2, along, axis=axis)
        expected = np.take_along_axis(array * 2, along, axis)
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)

    @given(st.data())
    def test_elements_are_repeated(self, data):
        array = pixels(data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)))
        axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
        each = np.random.default_rng(4).integers(0, 4, array.shape[axis])
        x = mt.asarray(array)
        for counts in (0, 1, 3, [2], each):
            found = mt.repeat(x, counts, axis=axis)
            np.testing.assert_array_equal(np.asarray(found), np.repeat(array, counts, axis))
        np.testing.assert_array_equal(np.asarray(mt.repeat(x, 2) + 1), np.repeat(array, 2) + 1)

    def test_masks_choose_rows_and_elements(self):
        array = pixels((4, 5))
        x = mt.asarray(array)
        np.testing.assert_array_equal(np.asarray(x[x > 50]), array[array > 50], strict=True)
        rows = array[:, 0] > 30
        np.testing.assert_array_equal(np.asarray(x[rows, 1:]), array[rows, 1:], strict=True)
        np.testing.assert_array_equal(np.asarray(x[..., [True] * 5]), array, strict=True)
        assert x[x > 1000].shape == (0,)

    def test_what_is_gathered_is_gathered_from_and_reduced(self):
        array, places = pixels((6, 7)), np.array([5, 0, -3])
        x, line = mt.asarray(array), mt.asarray(places)
        found = mt.asarray(np.arange(100) ** 2)[x[line]]
        np.testing.assert_array_equal(np.asarray(found), (np.arange(100) ** 2)[array[places]])
        np.testing.assert_array_equal(np.asarray(mt.sum(x[line], axis=0)), array[places].sum(0))
        both = mt.concat([x[line], x[:, ::-1][1:3]])
        expected = np.concatenate([array[places], array[:, ::-1][1:3]])
        np.testing.assert_array_equal(np.asarray(both), expected)
        colours = mt.asarray(pixels((256, 3)))[mt.asarray(pixels((4, 5), "uint8"))]
        np.testing.assert_array_equal(
            np.asarray(colours), pixels((256, 3))[pixels((4, 5), "uint8")], strict=True
        )

    def test_traced_functions_take_other_tables(self):
        look = mt.function(lambda table, image: table[image] + 1)
        image = pixels((5, 6), "uint8")
        for step in (1, 3, -1):
            table = pixels(100 * abs(step))[::step]
            np.testing.assert_array_equal(np.asarray(look(table, image)), table[image] + 1)
        with pytest.raises(BoundsError, match="is out of bounds for axis 0 with size 100"):
            look(pixels(100), image + np.uint8(100))

    @pytest.mark.parametrize("bad", [[3, 7], [-8, 0]])
    def test_indices_out_of_bounds_are_told_before_an_out_is_written(self, bad):
        x = mt.asarray(pixels((7, 9)))
        found = x[mt.asarray(np.array(bad))] + 1
        out = np.full((2, 9), -1, np.int32)
        index = bad[0] if bad[0] < -7 else bad[1]
        text = f"index: {index} is out of bounds for axis 0 with size 7; give -7 to 6, or bring"
        with pytest.raises(BoundsError, match=text):
            found.eval(out=out)
        assert (out == -1).all()
        with pytest.raises(IndexError, match="is out of bounds for axis 1 with size 9"):
            np.asarray(x[:, mt.asarray(np.array([0, 9]))].at(0, 1) + 1)

    def test_huge_indices_are_told(self):
        x = mt.asarray(pixels(7))
        for index in (np.array([2**63], np.uint64), np.array([-(2**63)]), np.array([2**63 - 1])):
            with pytest.raises(BoundsError, match="is out of bounds for axis 0 with size 7"):
                np.asarray(x[index])

    def test_outs_are_written(self):
        table, image = pixels(256, "uint8"), pixels((30, 70), "uint8")
        expected = table[image]
        mt.asarray(table)[mt.asarray(image)].eval(out=image)
        np.testing.assert_array_equal(image, expected)
        places = np.array([1, 0])
        array = pixels((2, 3))
        expected = array[places]
        mt.asarray(array)[places].eval(out=array)
        np.testing.assert_array_equal(array, expected)


def test_a_table_is_one_kernel():
    table, image = mt.asarray(pixels(256, "uint8")), mt.asarray(pixels((30, 70), "uint8"))
    text = str(mt.explain(table[image] * 2 + 1))
    assert text.startswith("1 kernel; 2.3 KiB read")
    assert str(mt.explain((table + 1)[image // 2])).startswith("2 kernels;")
    graph = str(mt.explain(table[image], what="graph"))
    assert "gathered(" in graph
    assert mt.required(table[image], mt.Box((1, 2), (3, 4)))[1].box == mt.Box((1, 2), (3, 4))


def test_kernels_that_gather_have_no_opencl():
    x = mt.asarray(pixels(5))[np.array([1, 0])]
    with pytest.raises(DeviceError, match="explain: kernel 0 reads at indices, which OpenCL devic"):
        str(mt.explain(x, what="opencl"))


def test_letters_follow_what_is_chosen():
    x = mt.asarray(np.zeros((4, 5, 3)))
    line = np.array([0, 1])
    assert x[line].axes == "yxc"
    assert x[:, line].axes == "yxc"
    assert x[line, line].axes is None
    assert mt.asarray(np.zeros(256))[mt.asarray(np.zeros((4, 5), np.uint8))].axes == "yx"
    assert x.to("reference")[line].device == "reference"


def test_what_is_no_index_is_refused():
    x = mt.asarray(pixels((3, 4)))
    line = np.array([0, 1])
    with pytest.raises(DTypeError, match="index: indices are float64; they must be integers; cast"):
        x[np.array([0.5])]
    with pytest.raises(BoundsError, match=r"a mask of shape \(3,\) is given from axis 1 of an arr"):
        x[:, np.array([True, False, True])]
    with pytest.raises(BoundsError, match="index: too many indices"):
        x[line, line, line]
    with pytest.raises(ShapeError, match=r"index: shapes .* do not broadcast"):
        x[line, np.array([0, 1, 2])]
    with pytest.raises(BoundsError, match="index: bool stands beside arrays; only integers"):
        x[line, True]
    with pytest.raises(BoundsError, match=r"is given for axis 0 of shape \(0, 4\), which is empty"):
        x[:0][line]
    with pytest.raises(BorderError, match="index: takes a whole array, but only"):
        x.at(0, 1, border="undefined")[line]
    with pytest.raises(ShapeError, match=r"take_along_axis: indices have shape \(2,\), the array"):
        mt.take_along_axis(x, line)
    with pytest.raises(ParameterError, match="repeat: repeats are -1 for axis 0 of length 3; give"):
        mt.repeat(x, -1, axis=0)
    with pytest.raises(DTypeError, match="repeat: repeats are float64; they must be integers"):
        mt.repeat(x, 0.5)
    with pytest.raises(UnsupportedError, match=r"asked for while muntin\.function traces"):
        mt.function(lambda x: x[x > 1])(pixels((3, 4)))
