"""Broadcasting, axes, indices and collapsing, held against NumPy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from muntin.core.shapes import (
    AxisIndex,
    Broadcast,
    as_shape,
    broadcast_shapes,
    broadcast_to_shape,
    can_broadcast,
    can_broadcast_to,
    collapse_dimensions,
    expand_ranks,
    normalize_axes,
    normalize_axis,
    resolve_index,
)
from muntin.errors import BoundsError, MuntinError, ShapeError, UnsupportedError

shapes = st.lists(st.integers(0, 3), max_size=4).map(tuple)


class TestAsShape:
    def test_takes_integers_and_sequences(self):
        assert as_shape(4) == (4,)
        assert as_shape([np.int16(2), 0]) == (2, 0)
        assert as_shape(()) == ()

    def test_refuses_negative_lengths(self):
        with pytest.raises(ShapeError, match=r"reshape: shape \(2, -1\) has a negative length"):
            as_shape((2, -1), "reshape")

    @pytest.mark.parametrize("value", [1.5, (2, "3"), None])
    def test_refuses_what_is_no_integer(self, value):
        with pytest.raises(UnsupportedError, match="is no shape; give an integer or a tuple"):
            as_shape(value)


class TestBroadcast:
    @pytest.mark.parametrize(
        ("operands", "expected"),
        [
            (((9,), (5, 9)), (5, 9)),
            (((), (11, 22)), (11, 22)),
            (((1, 4), (3, 1)), (3, 4)),
            (((1, 9), (1, 9)), (1, 9)),
            (((22,), (7, 22)), (7, 22)),
            (((0,), (1,)), (0,)),
            (((1, 0), (5, 1)), (5, 0)),
            (((), (0,)), (0,)),
            (((2, 3), (2, 1)), (2, 3)),
            (((3, 1, 1), (4, 1), (5,)), (3, 4, 5)),
            (((7,),), (7,)),
            ((), ()),
        ],
    )
    def test_gives_the_common_shape(self, operands, expected):
        assert broadcast_shapes(*operands).shape == expected

    @given(st.lists(shapes, min_size=1, max_size=4))
    def test_agrees_with_numpy(self, operands):
        try:
            expected = np.broadcast_shapes(*operands)
        except ValueError:
            with pytest.raises(ShapeError, match=r"^add: shapes .* do not broadcast: axis"):
                broadcast_shapes(*operands, operation="add")
        else:
            assert broadcast_shapes(*operands).shape == expected

    @given(st.lists(shapes, min_size=1, max_size=3))
    def test_marks_the_axes_that_numpy_gives_stride_zero(self, operands):
        try:
            common, stretched = broadcast_shapes(*operands)
        except ShapeError:
            return
        for shape, mask in zip(operands, stretched, strict=True):
            expanded = (1,) * (len(common) - len(shape)) + shape
            assert mask == tuple(n != m for n, m in zip(expanded, common, strict=True))
            if 0 not in common:
                strides = np.broadcast_to(np.empty(shape), common).strides
                assert all(stride == 0 for stride, s in zip(strides, mask, strict=True) if s)

    @given(shapes, shapes)
    def test_predicates_agree_with_what_they_predict(self, a, b):
        def works(function):
            try:
                function(a, b)
            except ShapeError:
                return False
            return True

        assert can_broadcast(a, b) == works(broadcast_shapes)
        assert can_broadcast_to(a, b) == works(broadcast_to_shape)

    def test_zero_and_a_longer_length_do_not_fit(self):
        assert not can_broadcast((0,), (5,))
        with pytest.raises(
            ShapeError,
            match=r"absdiff: shapes \(0,\) and \(5,\) do not broadcast: axis 0 of 1 has lengths "
            "0 and 5; lengths must be equal or one of them 1",
        ):
            broadcast_shapes((0,), (5,), operation="absdiff")

    def test_names_the_two_operands_that_disagree(self):
        with pytest.raises(
            ShapeError, match=r"shapes \(2, 3\) and \(4,\) .* axis 1 of 2 .* 3 and 4"
        ):
            broadcast_shapes((), (2, 3), (1,), (4,))

    def test_expands_ranks(self):
        assert expand_ranks((2, 3), (4,)) == ((2, 3), (1, 4))
        assert expand_ranks((), (4, 5)) == ((1, 1), (4, 5))


class TestBroadcastTo:
    def test_stretches_to_a_target(self):
        assert broadcast_to_shape((1, 4), (4, 4)) == Broadcast((4, 4), ((True, False),))
        assert broadcast_to_shape((), (4, 1, 10)) == Broadcast((4, 1, 10), ((True, False, True),))
        assert broadcast_to_shape((1,), (0,)) == Broadcast((0,), ((True,),))

    @given(shapes, shapes)
    def test_agrees_with_numpy(self, shape, target):
        try:
            np.broadcast_to(np.empty(shape), target)
        except ValueError:
            with pytest.raises(ShapeError, match="does not broadcast to"):
                broadcast_to_shape(shape, target)
        else:
            assert broadcast_to_shape(shape, target).shape == target

    def test_refuses_a_target_of_lower_rank(self):
        with pytest.raises(
            ShapeError, match=r"shape \(1, 3\) does not .* \(3,\): it has 2 axes and"
        ):
            broadcast_to_shape((1, 3), (3,))

    def test_never_changes_the_target(self):
        with pytest.raises(
            ShapeError, match=r"iadd: .* axis 1 of 2 has length 3, the target 1; .* must be 1 or 1"
        ):
            broadcast_to_shape((3,), (2, 1), "iadd")


class TestAxes:
    @given(st.integers(-5, 5), st.integers(0, 4))
    def test_agrees_with_numpy(self, axis, ndim):
        try:
            expected = np.lib.array_utils.normalize_axis_index(axis, ndim)
        except ValueError:
            with pytest.raises(ShapeError, match=f"sum: axis {axis} is out of bounds for an array"):
                normalize_axis(axis, ndim, "sum")
        else:
            assert normalize_axis(axis, ndim) == expected

    def test_says_which_axes_there_are(self):
        with pytest.raises(ShapeError, match="of dimension 2; axes are -2 to 1"):
            normalize_axis(2, 2)
        with pytest.raises(ShapeError, match="of dimension 0; it has no axes"):
            normalize_axis(0, 0)

    def test_refuses_what_is_no_integer(self):
        with pytest.raises(UnsupportedError, match=r"sum: axis 1\.5 is not an integer"):
            normalize_axis(1.5, 3, "sum")

    def test_keeps_the_order_of_axes(self):
        assert normalize_axes((-1, 0), 3) == (2, 0)
        assert normalize_axes(-1, 3) == (2,)
        assert normalize_axes(None, 3) == (0, 1, 2)
        assert normalize_axes((), 3) == ()

    def test_refuses_an_axis_given_twice(self):
        with pytest.raises(ShapeError, match=r"transpose: axes \(0, 0\) name an axis twice"):
            normalize_axes((0, -3), 3, "transpose")


def indexed(array, resolved):
    """Apply a resolved index to an array, element by element."""
    out = np.empty(resolved.shape, array.dtype)
    for position in np.ndindex(*resolved.shape):
        source = dict(resolved.dropped)
        for axis, i in zip(resolved.axes, position, strict=True):
            if axis.source is not None:
                source[axis.source] = axis.start + i * axis.step
        out[position] = array[tuple(source[axis] for axis in range(array.ndim))]
    return out


class TestResolveIndex:
    @given(st.data(), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    def test_agrees_with_numpy(self, data, shape):
        index = data.draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=5))
        array = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        np.testing.assert_array_equal(indexed(array, resolve_index(index, shape)), array[index])

    @given(st.data(), st.integers(0, 6))
    def test_slices_like_python(self, data, size):
        part = st.none() | st.integers(-9, 9)
        step = st.none() | st.integers(-9, 9).filter(bool)
        index = slice(data.draw(part), data.draw(part), data.draw(step))
        (axis,) = resolve_index(index, (size,)).axes
        assert [axis.start + i * axis.step for i in range(axis.length)] == list(range(size))[index]
        assert 0 <= axis.start <= max(size - 1, 0)
        assert abs(axis.step) <= max(size, 1)

    def test_records_new_and_dropped_axes(self):
        resolved = resolve_index((None, -1, ..., slice(1, None, 2)), (3, 4, 5))
        assert resolved.axes == (
            AxisIndex(None, 0, 1, 1),
            AxisIndex(1, 0, 1, 4),
            AxisIndex(2, 1, 2, 2),
        )
        assert resolved.dropped == ((0, 2),)
        assert resolved.shape == (1, 4, 2)

    def test_huge_steps_stay_inside(self):
        (axis,) = resolve_index(slice(None, None, -(10**30)), (4,)).axes
        assert axis == AxisIndex(0, 3, -4, 1)

    def test_takes_numpy_integers(self):
        assert resolve_index(np.int8(-1), (3,)).dropped == ((0, 2),)
        assert resolve_index(np.array(1), (3,)).dropped == ((0, 1),)

    @pytest.mark.parametrize(
        ("index", "error", "message"),
        [
            (3, BoundsError, r"3 is out of bounds for axis 0 with size 3 of shape \(3, 0\)"),
            (-4, BoundsError, "-4 is out of bounds for axis 0 with size 3"),
            ((0, 0), BoundsError, "0 is out of bounds for axis 1 with size 0 .*no elements"),
            ((0, 0, 0), BoundsError, r"too many indices: the array has 2 axes, .* 3 were indexed"),
            ((..., 0, ...), BoundsError, "can have a single ellipsis .* got 2"),
            (1.0, BoundsError, "float is no basic index; only integers, slices"),
            (True, BoundsError, "bool is no basic index"),
            (np.True_, BoundsError, "bool is no basic index"),
            ([0, 1], BoundsError, "list is no basic index"),
            (np.array([1]), BoundsError, "ndarray is no basic index"),
            (slice(None, None, 0), ShapeError, "slice step of axis 0 cannot be zero"),
            ((0, slice(1.5)), UnsupportedError, "slice.* of axis 1 has a part that is no integer"),
        ],
    )
    def test_refuses_what_numpy_refuses(self, index, error, message):
        assert issubclass(error, MuntinError)
        with pytest.raises(error, match=f"^index: .*{message}"):
            resolve_index(index, (3, 0))
        is_mask_or_list = isinstance(index, bool | np.bool_ | list | np.ndarray)
        if not is_mask_or_list:
            kind = {BoundsError: IndexError, ShapeError: ValueError, UnsupportedError: TypeError}
            with pytest.raises(kind[error]):
                np.empty((3, 0))[index]


def addresses(shape, operands):
    """Return what each iteration touches: an offset of every operand."""
    return [
        tuple(sum(i * s for i, s in zip(position, strides, strict=True)) for strides in operands)
        for position in product(*map(range, shape))
    ]


@st.composite
def strided(draw):
    shape = draw(st.lists(st.integers(0, 4), max_size=4).map(tuple))
    operands = []
    for _ in range(draw(st.integers(1, 3))):
        base = np.empty([draw(st.integers(n, n + 1)) for n in shape], draw(st.sampled_from("bi")))
        view = base[tuple(slice(n) for n in shape)]
        order = draw(st.permutations(range(len(shape))))
        strides = [0] * len(shape)
        packed = np.empty([view.shape[a] for a in order], view.dtype).strides
        for axis, stride in zip(order, packed, strict=True):
            strides[axis] = stride
        source = strides if draw(st.booleans()) else view.strides
        signs = draw(
            st.lists(st.sampled_from([1, 1, -1, 0]), min_size=len(shape), max_size=len(shape))
        )
        operands.append(tuple(s * sign for s, sign in zip(source, signs, strict=True)))
    return shape, operands


class TestCollapse:
    @given(strided(), st.booleans())
    def test_visits_the_same_elements(self, case, reorder):
        shape, operands = case
        new_shape, new_operands = collapse_dimensions(shape, *operands, reorder=reorder)
        before, after = addresses(shape, operands), addresses(new_shape, new_operands)
        assert sorted(before) == sorted(after)
        if not reorder:
            assert before == after

    @given(strided(), st.booleans())
    def test_nothing_is_left_to_merge(self, case, reorder):
        shape, strides = collapse_dimensions(case[0], *case[1], reorder=reorder)
        assert 1 not in shape
        for i in range(len(shape) - 1):
            assert any(s[i] != s[i + 1] * shape[i + 1] for s in strides)

    def test_contiguous_operands_become_one_run(self):
        assert collapse_dimensions((2, 3, 4), (24, 8, 2), (12, 4, 1)) == ([24], [[2], [1]])

    def test_padded_rows_stay_rows(self):
        assert collapse_dimensions((2, 3, 4), (48, 16, 4), (60, 20, 4)) == (
            [6, 4],
            [[16, 4], [20, 4]],
        )

    def test_fortran_order_is_turned_if_asked(self):
        assert collapse_dimensions((3, 4), (1, 3), (1, 3)) == ([12], [[1], [1]])
        assert collapse_dimensions((3, 4), (1, 3), (1, 3), reorder=False) == (
            [3, 4],
            [[1, 3], [1, 3]],
        )

    def test_the_first_operand_decides_the_order(self):
        assert collapse_dimensions((3, 4), (1, 3), (4, 1)) == ([4, 3], [[3, 1], [1, 4]])

    def test_stretched_axes_are_sorted_by_the_next_operand(self):
        assert collapse_dimensions((3, 4), (0, 0), (1, 3)) == ([12], [[0], [1]])

    def test_negative_strides_merge(self):
        assert collapse_dimensions((3, 4), (-4, -1), (-4, -1)) == ([12], [[-1], [-1]])

    def test_one_element_and_none(self):
        assert collapse_dimensions((1, 1), (4, 4), (0, 8)) == ([], [[], []])
        assert collapse_dimensions((), ()) == ([], [[]])
        assert collapse_dimensions((3, 0), (4, 4), (0, 8)) == ([0], [[0], [0]])

    def test_without_operands_lengths_multiply(self):
        assert collapse_dimensions((3, 1, 4)) == ([12], [])
