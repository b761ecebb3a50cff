"""Elements chosen by indices of which only a part is valid, and scans that are written twice."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import BoundsError
from tests.runtime.audit import Interpreting


def test_indices_that_are_not_valid_are_not_looked_at():
    indices = mt.asarray(np.array([1, 2, 99]), axes="x")
    shifted = indices.at(-1, border="undefined")  # the first is not valid, the others are 1 and 2
    chosen = mt.asarray(np.array([5, 6, 7]))[shifted]
    for device in ("cpu", "reference"):
        with mt.use(device):
            assert np.asarray(chosen + 0)[1:].tolist() == [6, 7]
            with pytest.raises(BoundsError, match="99 is out of bounds for axis 0 with size 3"):
                np.asarray(mt.asarray(np.array([5, 6, 7]))[indices.at(1, border="undefined")])


@pytest.mark.parametrize("axis", [0, 1])
def test_a_scan_that_is_two_parts_of_a_whole(axis):
    x = np.arange(3 * 20.0).reshape(3, 20)
    interpreting = Interpreting(np.random.default_rng(0))
    with interpreting.in_place_of_code():
        scan = mt.cumulative_sum(mt.asarray(x), axis=axis)
        both = np.asarray(mt.concat([scan, scan]))
    np.testing.assert_array_equal(both, np.concatenate([np.cumsum(x, axis)] * 2))


@pytest.mark.parametrize("rows", [1, 3, 6])
def test_indices_of_rows_past_the_last_are_not_looked_at(rows):
    places = mt.asarray(np.zeros((rows, 1, 1), np.int8), axes="yxc").astype("int64")
    chosen = mt.take_along_axis(np.ones((rows, 1, 1), np.uint8), places % 2 - 1, axis=1)
    below = places.at(1, 1, border=mt.constant(-(1 << 63)))
    found, beside = mt.eval(chosen.astype("int16"), below)
    assert np.asarray(found).ravel().tolist() == [1] * rows
    assert np.asarray(beside).ravel().tolist() == [-(1 << 63)] * rows


def test_indices_are_not_looked_at_where_something_else_is_needed():
    places = mt.asarray(np.array([[0, 1, 2], [0, 1, 1]], np.int8), axes="yx")
    source = np.array([[5, 6, 7], [8, 9, 10]])
    # Of the sums the middle column is valid; the last would be 3, which is out of bounds.
    sums = places.at(0, -1, border="undefined") + places.at(0, 1, border="undefined")
    for device in ("cpu", "reference"):
        with mt.use(device):
            chosen = mt.take_along_axis(source, sums, axis=1)
            below, higher = places.at(1, 0), sums.at(1, 0, border="undefined")
            found, beside, other = mt.eval(chosen, below, higher)
            assert np.asarray(found)[:, 1].tolist() == [7, 9]
            assert np.asarray(beside).tolist() == [[0, 1, 1]] * 2
            assert np.asarray(other)[0, 1] == 1


@pytest.mark.parametrize(
    "part", [np.s_[..., 1:], np.s_[..., ::-1], np.s_[..., 2:0:-1], np.s_[..., :1]]
)
def test_some_channels_of_points_write_what_they_are_alone(part):
    image = np.random.default_rng(0).integers(0, 255, (6, 9, 3)).astype(np.uint8)
    columns = np.array([8, 0, 3, 3, 5])
    y, x = np.float32([[0.5], [4.0]]), np.float32([1.25, 7.0, 3.5, 2.0])
    makers = (
        lambda: mt.take(mt.asarray(image), columns, axis=1),
        lambda: mt.sample(image, y, x),
        lambda: mt.sample(image, y, x, interpolation="nearest"),
    )
    for make in makers:
        whole = np.asarray(make())
        room = np.full((*whole[part].shape[:-1], 9), 77, whole.dtype)  # memory past the out
        out = room[..., 3 : 3 + whole[part].shape[-1]]
        np.testing.assert_array_equal(np.asarray(make()[part]), whole[part], strict=True)
        make()[part].eval(out=out)
        np.testing.assert_array_equal(out, whole[part])
        out[...] = 77
        assert (room == 77).all()
