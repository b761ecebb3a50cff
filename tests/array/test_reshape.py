"""Reshapes of Arrays against NumPy's: any strides, work on either side, kernels and outs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import BorderError, ParameterError, ShapeError, UnsupportedError

DTYPES = ["bool", "uint8", "int16", "int32", "uint64", "float32", "float64"]


@st.composite
def arrays(draw):
    """Return an array of any strides, and another shape for its elements."""
    factors = draw(st.lists(st.sampled_from([0, 2, 2, 3, 3, 5, 16]), max_size=4))

    def shape():
        lengths = [1] * draw(st.integers(1 if factors else 0, 4))
        for factor in draw(st.permutations(factors)):
            lengths[draw(st.integers(0, len(lengths) - 1))] *= factor
        return tuple(lengths)

    first, target = shape(), shape()
    order = draw(st.permutations(range(len(first))))
    steps = [draw(st.sampled_from([1, 1, -1, 2])) for _ in first]
    held = [first[k] * abs(steps[k]) for k in order]
    size = np.prod(held, dtype=int)
    array = (np.arange(size) * 7 % 251).astype(draw(st.sampled_from(DTYPES))).reshape(held)
    array = array.transpose(np.argsort(order))
    return array[tuple([slice(None, None, step) for step in steps])], target


@pytest.mark.usefixtures("device")
class TestValues:
    @settings(max_examples=60)
    @given(arrays())
    def test_reshapes_are_numpys(self, given_array):
        array, target = given_array
        x, expected = mt.asarray(array), array.reshape(target)
        np.testing.assert_array_equal(np.asarray(x.reshape(target)), expected, strict=True)
        work = (x.reshape(target) | 1) if array.dtype.kind != "f" else x.reshape(target) * 2
        after = (expected | 1) if array.dtype.kind != "f" else expected * 2
        np.testing.assert_array_equal(np.asarray(work), after.astype(array.dtype))
        before = (x == x).reshape(target)
        np.testing.assert_array_equal(np.asarray(before), np.ones(target, bool), strict=True)

    @settings(max_examples=40)
    @given(arrays(), st.data())
    def test_chains_of_views_and_reshapes_are_numpys(self, given_array, data):
        array, _ = given_array
        array = array.astype(np.int32)
        x = mt.asarray(array) + 1
        array = array + 1
        for _ in range(data.draw(st.integers(1, 4))):
            what = data.draw(st.sampled_from(["reshape", "turn", "flip", "work", "roll"]))
            if what == "reshape":
                shape = data.draw(st.sampled_from([array.shape[::-1], (-1,), (1, -1), array.shape]))
                if array.size == 0 and -1 in shape:
                    shape = (0,)
                array, x = array.reshape(shape), x.reshape(shape)
            elif what == "turn":
                array, x = array.T, x.T
            elif what == "flip":
                array, x = array[::-1] if array.ndim else array, x[::-1] if array.ndim else x
            elif what == "work":
                array, x = array * 3 - 1, x * 3 - 1
            elif array.ndim and x.axes == "x":
                last = array[-1:] if array.size else array
                array, x = array + np.concatenate([array[1:], last]), x + x.at(1)
        np.testing.assert_array_equal(np.asarray(x), array, strict=True)

    @settings(max_examples=30)
    @given(arrays(), st.booleans())
    def test_results_are_written_to_outs(self, given_array, is_turned):
        array, target = given_array
        x = mt.asarray(array)
        expected = array.reshape(target)
        out = np.zeros(target[::-1], array.dtype).T if is_turned else np.zeros(target, array.dtype)
        (x ^ x if array.dtype.kind != "f" else x - x).reshape(target).eval(out=out)
        np.testing.assert_array_equal(out, np.zeros(target, array.dtype), strict=True)
        x.reshape(target).eval(out=out)
        np.testing.assert_array_equal(out, expected, strict=True)

    def test_neighbours_before_and_after(self):
        array = np.arange(48, dtype=np.int32).reshape(6, 8) ** 2
        smooth = mt.asarray(array).at(1, 0) - mt.asarray(array)
        expected = np.concatenate([array[1:], array[-1:]]) - array
        np.testing.assert_array_equal(np.asarray(smooth.reshape(4, 12)), expected.reshape(4, 12))
        after = smooth.reshape(4, 12)
        again = expected.reshape(4, 12)
        np.testing.assert_array_equal(
            np.asarray(after.at(1, 0) + after), np.concatenate([again[1:], again[-1:]]) + again
        )
        first, second = mt.eval(smooth.reshape(-1), smooth * 2)
        np.testing.assert_array_equal(np.asarray(first), expected.ravel())
        np.testing.assert_array_equal(np.asarray(second), expected * 2)
        turned = smooth.T.reshape(12, 4)
        np.testing.assert_array_equal(np.asarray(turned - 1), expected.T.reshape(12, 4) - 1)

    def test_outs_that_overlap_what_is_read(self):
        array = np.arange(24, dtype=np.int32).reshape(4, 6)
        expected = (array.reshape(6, 4) + 1).reshape(4, 6)
        (mt.asarray(array).reshape(6, 4) + 1).eval(out=array.reshape(6, 4))
        np.testing.assert_array_equal(array, expected)
        expected = array.T.reshape(4, 6) * 2
        (mt.asarray(array).T.reshape(4, 6) * 2).eval(out=array)
        np.testing.assert_array_equal(array, expected)

    def test_traced_functions_take_any_strides(self):
        double = mt.function(lambda x: (x + x).reshape(-1) + 1)
        array = np.arange(24.0).reshape(4, 6)
        for each in (array, np.asfortranarray(array), array[::-1, ::-1], array):
            np.testing.assert_array_equal(np.asarray(double(each)), 2 * each.ravel() + 1)
        turned = mt.function(lambda x: x.reshape(3, 8) * 2)
        for each in (array, np.asfortranarray(array), array):
            np.testing.assert_array_equal(np.asarray(turned(each)), each.reshape(3, 8) * 2)


def kernels(expression):
    """Return how many kernels run for the memory at hand."""
    text = str(mt.explain(expression))
    return 0 if text.startswith("no kernel") else int(text.split()[0])


class TestKernels:
    def test_memory_in_c_order_needs_no_copy(self):
        a, b = (mt.asarray(np.arange(24.0).reshape(4, 6)) for _ in range(2))
        assert kernels((a + b).reshape(3, 8) * 2) == 1
        assert kernels(a.reshape(2, 2, 6)[:, 1] * 2) == 1
        assert kernels(mt.asarray(np.zeros((4, 12)))[:, ::2].reshape(2, 2, 6) * 2) == 1

    def test_a_reshaped_filter_is_written_once(self):
        a = mt.asarray(np.arange(24.0).reshape(4, 6))
        assert kernels((a.at(0, 1) + a).reshape(-1)) == 1
        assert kernels((a.at(0, 1) + a).reshape(-1) * 2) == 2

    def test_elements_move_once_where_strides_demand_it(self):
        a = mt.asarray(np.arange(24.0).reshape(4, 6))
        flat = a.T.reshape(-1)
        assert kernels(flat * flat[::-1] + flat) == 2
        text = str(mt.explain(flat * 2))
        assert "stored for kernel 1" in text
        assert "in C order from (6, 4)" in text

    def test_memory_is_reported(self):
        report = mt.function(lambda x: x.T.reshape(-1) * 2)
        report(np.zeros((4, 6)))
        assert report.memory_report()["intermediates"] == 24 * 8


def test_methods_and_numpys_functions():
    array = np.arange(24).reshape(2, 3, 4)
    x = mt.asarray(array)
    for found, expected in [
        (x.reshape(4, 6), array.reshape(4, 6)),
        (x.reshape((4, -1)), array.reshape(4, -1)),
        (x.reshape(-1), array.ravel()),
        (x.ravel(), array.ravel()),
        (x.flatten(), array.ravel()),
        (mt.reshape(x, 24), array.ravel()),
        (mt.reshape(array, [4, 6], copy=True), array.reshape(4, 6)),
        (np.reshape(x, (4, 6)), array.reshape(4, 6)),
        (np.ravel(x), array.ravel()),
        (mt.reshape(7, (1, 1)), np.full((1, 1), 7)),
        (mt.xp.reshape(x[:0], (0, 5)), np.zeros((0, 5), int)),
    ]:
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
    assert x.to("reference").reshape(-1).device == "reference"


def test_what_is_no_shape_is_refused():
    x = mt.asarray(np.zeros((2, 3)))
    with pytest.raises(ShapeError, match=r"reshape: an array of shape \(2, 3\) has 6 elements"):
        x.reshape(4)
    with pytest.raises(UnsupportedError, match=r"reshape: 2.5 is no shape; give an integer or a"):
        x.reshape(2.5)
    with pytest.raises(BorderError, match="ravel: takes a whole array, but only"):
        x.at(0, 1, border="undefined").ravel()
    with pytest.raises(UnsupportedError, match=r"numpy.reshape: order 'F' does not work on"):
        np.reshape(x, (6,), order="F")


def test_a_copy_may_be_forbidden():
    x = mt.asarray(np.zeros((4, 6)))
    assert mt.reshape(x, (24,), copy=False).shape == (24,)
    with pytest.raises(
        ParameterError, match=r"must move for shape .*, but copy is False; leave co"
    ):
        mt.reshape(x.T, (24,), copy=False)
