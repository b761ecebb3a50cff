"""Views: basic indices, transposition, broadcasting and permutations, against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin.core.border import Border
from muntin.core.graph import build
from muntin.errors import BoundsError, ParameterError, ShapeError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")


@settings(max_examples=40)
@given(data=st.data())
def test_basic_indices_are_numpys(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    x = mt.asarray(array)
    expected = np.asarray(array[index])
    assert x[index].shape == expected.shape
    np.testing.assert_array_equal(np.asarray(x[index]), expected, strict=True)
    np.testing.assert_array_equal(np.asarray((x + 1)[index]), expected + 1, strict=True)


@settings(max_examples=25)
@given(data=st.data())
def test_views_of_views_are_numpys(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    expected = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = mt.asarray(expected)
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            index = data.draw(hnp.basic_indices(expected.shape))
            expected, x = np.asarray(expected[index]), x[index]
        else:
            order = data.draw(st.permutations(range(expected.ndim)))
            expected, x = expected.transpose(order), x.transpose(order)
    np.testing.assert_array_equal(np.asarray(x), expected, strict=True)


@settings(max_examples=25)
@given(data=st.data())
def test_inputs_of_any_strides_are_read_right(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=70))
    array = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    steps = st.sampled_from([1, -1, 2, -3])
    array = array[tuple(slice(None, None, data.draw(steps)) for _ in array.shape)]
    np.testing.assert_array_equal(np.asarray(mt.asarray(array) * 3), array * 3, strict=True)


# --- letters --------------------------------------------------------------------------------------


def test_letters_are_given_by_rank_or_told() -> None:
    ranks = [mt.asarray(np.zeros((2,) * ndim)).axes for ndim in range(6)]
    assert ranks == ["", "x", "yx", "yxc", "nyxc", None]
    assert mt.asarray(np.zeros((2, 2, 2)), axes="nyx").axes == "nyx"
    assert mt.asarray(mt.asarray(np.zeros((2, 2, 2))), axes="zyx").axes == "zyx"
    assert mt.asarray(np.zeros((2,) * 6), axes="ntzyxc").axes == "ntzyxc"


def test_sums_down_the_rows_are_renamed() -> None:
    image = mt.asarray(np.arange(6 * 7 * 3).reshape(6, 7, 3))
    node = build.window_sum(image._node, 0, 2, 2, Border.of("replicate"))
    expected = np.asarray(mt.Array(node))
    renamed = mt.asarray(mt.Array(node), axes="cyx")
    assert renamed.axes == "cyx"
    np.testing.assert_array_equal(np.asarray(renamed + 1), expected + 1)


def test_letters_never_depend_on_sizes() -> None:
    assert mt.asarray(np.zeros((3, 480, 640))).axes == "yxc"
    assert mt.asarray(np.zeros((480, 3))).axes == "yx"


@pytest.mark.parametrize(
    ("index", "letters"),
    [
        (np.s_[0], "yxc"),
        (np.s_[0, 1:], "yxc"),
        (np.s_[..., 0], "nyx"),
        (np.s_[0, ..., 0], "yx"),
        (np.s_[0, 0, 0], "c"),
        (np.s_[0, 0, 0, 0], ""),
        (np.s_[::2, ::-1], "nyxc"),
        (np.s_[None], None),
        (np.s_[0, None], "nyxc"),
        (np.s_[0, ..., 0, None], "yxc"),
        (np.s_[0, None, ..., 0], None),
        (np.s_[0, 0, 0, 0, None], "x"),
    ],
)
def test_letters_follow_an_index(index: object, letters: str | None) -> None:
    assert mt.asarray(np.zeros((2, 3, 4, 3)))[index].axes == letters


def test_letters_follow_a_transposition() -> None:
    x = mt.asarray(np.zeros((2, 3, 4)))
    assert x.T.axes == "cxy"
    assert x.transpose(2, 0, 1).axes == "cyx"
    assert x.transpose((1, 0, 2)).axes == "xyc"
    assert x.transpose([0, 1, 2]).axes == "yxc"
    assert x.transpose(-1, 1, 0).axes == "cxy"


@pytest.mark.parametrize("axes", ["yy", "yq", "YX", "a"])
def test_unknown_letters_are_refused(axes: str) -> None:
    with pytest.raises(ParameterError, match=r"asarray: axes is .*; give a letter for each axis"):
        mt.asarray(np.zeros((2, 2)), axes=axes)


def test_letters_must_be_as_many_as_axes() -> None:
    with pytest.raises(
        ShapeError, match="asarray: axes 'nyx' name 3 axes, but the array has 2; gi"
    ):
        mt.asarray(np.zeros((2, 2)), axes="nyx")


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (3, BoundsError, r"index: 3 is out of bounds for axis 0 .* give -3 to 2"),
        ((0, 0, 0), BoundsError, "index: too many indices"),
        (np.s_[..., ...], BoundsError, "a single ellipsis"),
        (1.5, BoundsError, "index: float is no basic index; .* give several indices, or a mask"),
        (True, BoundsError, "index: bool is no basic index"),
        (np.s_[::0], ShapeError, "slice step of axis 0 cannot be zero"),
        (np.s_[0.5:], UnsupportedError, "has a part that is no integer"),
    ],
)
def test_other_indices_are_refused(index: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        mt.asarray(np.zeros((3, 4)))[index]


def test_a_transposition_names_each_axis_once() -> None:
    x = mt.asarray(np.zeros((3, 4)))
    with pytest.raises(
        ShapeError, match=r"transpose: axes \(0,\) of an array of 2 axes; name each"
    ):
        x.transpose(0)
    with pytest.raises(ShapeError, match=r"transpose: axes \(0, 0\) name an axis twice"):
        x.transpose(0, 0)
    with pytest.raises(ShapeError, match="transpose: axis 2 is out of bounds"):
        x.transpose(0, 2)


# --- explicit broadcasting ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "common"),
    [
        (((9,), (5, 9)), (5, 9)),
        (((), (11, 22)), (11, 22)),
        (((1, 4), (3, 1)), (3, 4)),
        (((1, 9), (1, 9)), (1, 9)),
        (((22,), (7, 22)), (7, 22)),
        (((1, 0), (5, 1)), (5, 0)),
        (((3,), (2, 1), (4, 1, 1)), (4, 2, 3)),
    ],
)
def test_arrays_broadcast_to_match(
    shapes: tuple[tuple[int, ...], ...], common: tuple[int, ...]
) -> None:
    arrays = [np.arange(np.prod(s, dtype=int)).reshape(s) for s in shapes]
    lazy = [mt.asarray(array) for array in arrays]
    for results in (mt.broadcast_to_match(*lazy), mt.broadcast_arrays(*lazy)):
        for result, array, x in zip(results, arrays, lazy, strict=True):
            assert result.shape == common
            assert x.shape == array.shape  # left as it is
            np.testing.assert_array_equal(np.asarray(result), np.broadcast_to(array, common))


@pytest.mark.parametrize("shape", [(4, 4), (2, 4, 4), [2, 1, 4]])
def test_an_array_broadcasts_to_a_shape(shape: object) -> None:
    array = np.arange(4).reshape(1, 4)
    expected = np.broadcast_to(array, shape)  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.asarray(mt.broadcast_to_match(array, shape)), expected)
    np.testing.assert_array_equal(np.asarray(mt.broadcast_to(array, shape)), expected)  # type: ignore[arg-type]


def test_an_integer_is_a_shape_of_one_axis() -> None:
    assert mt.broadcast_to_match(np.zeros(1), 5).shape == (5,)
    assert mt.can_broadcast_to_match(np.zeros(1), 5)
    assert mt.can_broadcast_to_match(3, (2, 3))


def test_a_failed_broadcast_changes_nothing() -> None:
    a, b, c = mt.asarray(np.zeros((2, 1))), mt.asarray(np.zeros((1, 3))), mt.asarray(np.zeros(4))
    with pytest.raises(
        ShapeError, match=r"broadcast_to_match: shapes \(1, 3\) and \(4,\) do not b"
    ):
        mt.broadcast_to_match(a, b, c)
    assert (a.shape, b.shape, c.shape) == ((2, 1), (1, 3), (4,))


@pytest.mark.parametrize("target", [(3,), (1, 3), (0, 4)])
def test_a_shape_that_does_not_fit_is_refused(target: tuple[int, ...]) -> None:
    x = mt.asarray(np.zeros((2, 4)))
    with pytest.raises(ShapeError, match=r"shape \(2, 4\) does not broadcast to"):
        mt.broadcast_to_match(x, target)
    with pytest.raises(ShapeError, match=r"broadcast_to: shape \(2, 4\) does not broadcast to"):
        mt.broadcast_to(x, target)
    assert not mt.can_broadcast_to_match(x, target)


def test_one_array_has_nothing_to_match() -> None:
    with pytest.raises(ParameterError, match="broadcast_to_match: got one array; give a shape or"):
        mt.broadcast_to_match(np.zeros(3))


@given(st.data())
def test_the_question_has_the_answer_of_the_deed(data: st.DataObject) -> None:
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    a, b = np.zeros(data.draw(shapes)), np.zeros(data.draw(shapes))

    def succeeds(*operands: object) -> bool:
        try:
            mt.broadcast_to_match(*operands)
        except ShapeError:
            return False
        return True

    assert mt.can_broadcast_to_match(a, b) == succeeds(a, b)
    assert mt.can_broadcast_to_match(a, b.shape) == succeeds(a, b.shape)
    assert mt.can_broadcast_to_match(a.shape, b) == succeeds(a, b)


def test_ranks_are_expanded_in_front() -> None:
    a, b = mt.expand_to_match_ranks(np.arange(9), np.zeros((2, 5, 9)))
    assert (a.shape, b.shape) == ((1, 1, 9), (2, 5, 9))
    np.testing.assert_array_equal(np.asarray(a)[0, 0], np.arange(9))


# --- permutations of the Array API ----------------------------------------------------------------


def test_axes_move() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    x = mt.asarray(array)
    pairs = [
        (mt.permute_dims(x, (1, 2, 0)), array.transpose(1, 2, 0)),
        (mt.matrix_transpose(x), array.swapaxes(1, 2)),
        (mt.moveaxis(x, 0, -1), np.moveaxis(array, 0, -1)),
        (mt.moveaxis(x, (0, 1), (-1, 0)), np.moveaxis(array, (0, 1), (-1, 0))),
        (mt.flip(x), np.flip(array)),
        (mt.flip(x, axis=1), np.flip(array, 1)),
        (mt.flip(x, axis=(0, -1)), np.flip(array, (0, -1))),
        (mt.expand_dims(x, axis=1), np.expand_dims(array, 1)),
        (mt.expand_dims(x, axis=-1), np.expand_dims(array, -1)),
        (mt.squeeze(x[:1, :, :1], (0, 2)), array[0, :, 0]),
        (mt.squeeze(x[:, 1:2], axis=-2), array[:, 1]),
    ]
    for result, expected in pairs:
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    assert mt.moveaxis(x, 2, 0).axes == "cyx"
    assert mt.squeeze(x[:, :, :1], 2).axes == "yx"
    assert mt.matrix_transpose(x).device is None
    assert mt.matrix_transpose(x.to("reference")).device == "reference"


def test_permutations_check_their_axes() -> None:
    x = mt.asarray(np.zeros((2, 3)))
    with pytest.raises(ShapeError, match="matrix_transpose: an array of 1 axes, shape"):
        mt.matrix_transpose(x[0])
    with pytest.raises(ShapeError, match="moveaxis: 1 axes and 2 destinations; give one for each"):
        mt.moveaxis(x, 0, (0, 1))
    with pytest.raises(ShapeError, match=r"squeeze: axis 1 of shape \(2, 3\) has length 3; only"):
        mt.squeeze(x, 1)
    with pytest.raises(ShapeError, match="expand_dims: axis 3 is out of bounds"):
        mt.expand_dims(x, axis=3)
