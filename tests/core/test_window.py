"""Windows: the arithmetic, the pieces, the rules and the slices."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.coordinates import MAX_DIMENSIONS, Steps, TensorShape
from muntin.core.regions import BorderSize, ValidRegion
from muntin.core.window import Dimension, Window, calculate_max_window
from muntin.errors import BoundsError, ParameterError, ShapeError


@st.composite
def dimensions(draw, max_iterations=7):
    start, step = draw(st.integers(-5, 5)), draw(st.integers(1, 4))
    return Dimension(start, start + step * draw(st.integers(0, max_iterations)), step)


def windows(max_iterations=7, max_dimensions=MAX_DIMENSIONS):
    found = st.lists(dimensions(max_iterations), max_size=max_dimensions)
    return found.map(lambda dims: Window(tuple(dims)))


def window(*dims):
    return Window(tuple(Dimension(*dim) for dim in dims))


def visits(window):
    """Return every iteration's position, the highest dimension outermost."""
    ranges = [range(d.start, d.end, d.step) for d in reversed(window.dimensions)]
    return [position[::-1] for position in product(*ranges)]


class TestWindow:
    def test_is_one_iteration_by_default(self):
        assert Window().num_iterations_total == 1
        assert Window().dimensions == (Dimension(0, 1, 1),) * 6
        assert visits(Window()) == [(0,) * 6]

    @given(windows(max_iterations=3))
    def test_counts_its_iterations(self, window):
        window.validate()
        assert window.num_iterations_total == len(visits(window))
        for d in range(MAX_DIMENSIONS):
            assert window.num_iterations(d) == len(range(*window[d]))

    def test_counts_a_part_of_a_step_as_one(self):
        assert Dimension(0, 9, 4).num_iterations == 3
        assert Dimension(3, 1, 1).num_iterations == 0

    def test_dimension_names(self):
        sample = window((0, 4, 2), (1, 5, 1), (2, 3, 1))
        assert (sample.x, sample.y, sample.z) == (sample[Window.X], sample[Window.Y], sample[2])
        assert (Window.X, Window.Y, Window.Z, Window.W, Window.V, Window.U) == (0, 1, 2, 3, 4, 5)

    def test_sets_shifts_and_adjusts(self):
        sample = window((0, 640, 16), (0, 480, 1))
        assert sample.set(Window.Y, (2, 4, 1)).y == Dimension(2, 4, 1)
        assert sample.set_step(Window.X, 8).x == Dimension(0, 640, 8)
        assert sample.shift(Window.X, -16).x == Dimension(-16, 624, 16)
        assert sample.adjust(Window.X, 16, is_at_start=True).x == Dimension(16, 640, 16)
        assert sample.adjust(Window.X, -16, is_at_start=False).x == Dimension(0, 624, 16)
        assert sample == window((0, 640, 16), (0, 480, 1))

    def test_threads_are_no_part_of_the_value(self):
        sample = window((0, 8, 2)).set_thread(2, 3)
        assert (sample.thread_id, sample.num_threads) == (2, 3)
        assert sample == window((0, 8, 2))
        assert sample.shift(0, 2).thread_id == 2
        with pytest.raises(ParameterError, match="thread 3 of 3; a thread is numbered from 0"):
            sample.set_thread(3, 3)

    def test_uses_the_dimensions_of_a_shape(self):
        sample = Window().use_tensor_dimensions(TensorShape(5, 4, 3))
        assert sample == window((0, 5, 1), (0, 4, 1), (0, 3, 1))
        upper = window((0, 8, 2)).use_tensor_dimensions(TensorShape(5, 4, 3), first=Window.Y)
        assert upper == window((0, 8, 2), (0, 4, 1), (0, 3, 1))
        assert Window().use_tensor_dimensions((0, 4)).num_iterations_total == 0

    def test_refuses_a_seventh_dimension(self):
        with pytest.raises(ShapeError, match="Window: got 7 dimensions; at most 6 exist"):
            Window((Dimension(),) * 7)
        with pytest.raises(BoundsError, match="dimension 6 does not exist"):
            Window().set(6, (0, 1, 1))
        with pytest.raises(BoundsError, match="dimension 6 does not exist"):
            Window()[6]

    @pytest.mark.parametrize(
        ("dimension", "message"),
        [
            ((0, 4, -1), "dimension 1 has step -1; steps are positive"),
            ((0, 4, 0), "from 0 to 4 in steps of 0; a pinned dimension ends where it starts"),
            ((4, 3, 1), "dimension 1 ends at 3, before its start 4"),
            ((0, 9, 4), "from 0 to 9, no whole number of its steps of 4; move the end"),
        ],
    )
    def test_validates(self, dimension, message):
        with pytest.raises(ParameterError, match=message):
            window((0, 1, 1), dimension).validate()

    def test_pinned_and_empty_dimensions_are_valid(self):
        window((0, 0, 0), (3, 3, 2)).validate()


class TestScale:
    def test_keeps_whole_steps(self):
        assert window((3, 19, 4)).scale(0, 0.5).x == Dimension(1, 9, 2)
        assert window((0, 16, 4)).scale(0, 2).x == Dimension(0, 32, 8)
        assert window((0, 10, 1)).scale(0, 0.5).x == Dimension(0, 5, 1)
        assert window((0, 0, 0)).scale(0, 0.5).x == Dimension(0, 0, 0)

    def test_decimal_factors_mean_what_they_say(self):
        assert window((0, 30, 1)).scale(0, 0.1).x == Dimension(0, 3, 1)
        assert window((0, 9, 1)).scale(0, 1 / 3).x == Dimension(0, 3, 1)

    @given(dimensions(), st.fractions(Fraction(1, 4), 4, max_denominator=8))
    def test_stays_valid_and_long_enough(self, dimension, factor):
        scaled = Window((dimension,)).scale(0, factor)
        scaled.validate()
        length = (dimension.end - dimension.start) * factor
        assert length <= scaled.x.end - scaled.x.start < length + scaled.x.step

    @pytest.mark.parametrize("factor", [0, -1.0, float("inf"), float("nan")])
    def test_refuses_other_factors(self, factor):
        with pytest.raises(ParameterError, match=r"factor .* must be positive and finite"):
            Window().scale(0, factor)


class TestSplit:
    @given(windows(), st.integers(0, 5), st.integers(1, 12))
    def test_pieces_are_disjoint_and_cover_and_are_even(self, window, dimension, total):
        pieces = [window.split_window(dimension, i, total) for i in range(total)]
        whole = window[dimension]
        found = [i for piece in pieces for i in range(*piece[dimension])]
        assert found == list(range(*whole))
        counts = [piece.num_iterations(dimension) for piece in pieces]
        assert max(counts) - min(counts) <= 1
        assert counts == sorted(counts, reverse=True)
        for piece, count in zip(pieces, counts, strict=True):
            assert piece.set(dimension, whole) == window
            if count and window.num_iterations_total:
                piece.validate_sub_window(window)

    @pytest.mark.parametrize(
        ("rows", "total", "sizes"),
        [(1080, 16, {67, 68}), (100, 64, {1, 2}), (127, 64, {1, 2}), (3, 5, {0, 1})],
    )
    def test_the_remainder_is_spread(self, rows, total, sizes):
        sample = window((0, 8, 8), (0, rows, 1))
        pieces = [sample.split_window(Window.Y, i, total).y for i in range(total)]
        assert {piece.num_iterations for piece in pieces} == sizes
        assert all(piece.num_iterations >= pieces[-1].num_iterations for piece in pieces)

    @pytest.mark.parametrize(("id", "total"), [(-1, 2), (2, 2), (0, 0)])
    def test_refuses_a_piece_that_is_not_there(self, id, total):
        with pytest.raises(ParameterError, match=f"piece {id} of {total} does not exist; pieces"):
            window((0, 8, 1)).split_window(0, id, total)

    def test_refuses_to_cut_a_pinned_dimension(self):
        pinned = window((0, 0, 0))
        assert pinned.split_window(0, 0, 1) == pinned
        with pytest.raises(ParameterError, match="dimension 0 is pinned and cannot be cut in 2"):
            pinned.split_window(0, 0, 2)


class TestSubWindow:
    FULL = window((2, 18, 4), (0, 6, 1))

    @pytest.mark.parametrize("x", [(2, 18, 4), (6, 10, 4), (14, 18, 4)])
    def test_takes_parts_of_whole_steps(self, x):
        part = self.FULL.set(0, x)
        assert part.is_valid_sub_window(self.FULL)
        part.validate_sub_window(self.FULL)

    @pytest.mark.parametrize(
        ("x", "rule"),
        [
            ((-2, 18, 4), "the start must be inside"),
            ((18, 22, 4), "the start must be inside"),
            ((6, 6, 4), "the end must be after the start and inside"),
            ((6, 2, 4), "the end must be after the start and inside"),
            ((14, 22, 4), "the end must be after the start and inside"),
            ((2, 18, 2), "steps must be equal"),
            ((4, 8, 4), "the starts must be whole steps apart"),
            ((2, 8, 4), "the length must be whole steps"),
            ((2, 2, 0), "steps must be equal"),
        ],
    )
    def test_names_the_rule_that_is_broken(self, x, rule):
        part = self.FULL.set(0, x)
        assert not part.is_valid_sub_window(self.FULL)
        with pytest.raises(BoundsError, match=f"no valid sub-window: dimension 0 is .*; {rule}"):
            part.validate_sub_window(self.FULL)

    def test_looks_at_every_dimension(self):
        with pytest.raises(BoundsError, match="dimension 5 is"):
            self.FULL.set(5, (1, 2, 1)).validate_sub_window(self.FULL)

    def test_a_pinned_dimension_stays_pinned(self):
        pinned = self.FULL.set(1, (0, 0, 0))
        assert pinned.is_valid_sub_window(pinned)
        with pytest.raises(BoundsError, match="pinned at the same place"):
            self.FULL.set(1, (1, 1, 0)).validate_sub_window(pinned)

    @given(dimensions(4), dimensions(4))
    def test_follows_the_five_rules(self, sub, full):
        expected = (
            full.start <= sub.start < full.end
            and sub.start < sub.end <= full.end
            and sub.step == full.step
            and (sub.start - full.start) % full.step == 0
            and (sub.end - sub.start) % full.step == 0
        )
        assert Window((sub,)).is_valid_sub_window(Window((full,))) == expected

    @given(st.lists(dimensions(4), min_size=3, max_size=3))
    def test_sub_windows_of_sub_windows_are_sub_windows(self, three):
        a, b, c = (Window((d._replace(step=1),)) for d in three)
        if a.is_valid_sub_window(b) and b.is_valid_sub_window(c):
            assert a.is_valid_sub_window(c)


class TestSlices:
    @given(windows(max_iterations=3, max_dimensions=5), st.integers(1, 3))
    def test_slices_are_disjoint_and_cover(self, window, ndim):
        slices = list(window.slices(ndim))
        assert [p for piece in slices for p in visits(piece)] == visits(window)
        for piece in slices:
            assert piece.dimensions[:ndim] == window.dimensions[:ndim]
            assert all(d.num_iterations == 1 for d in piece.dimensions[ndim:])
            if window.num_iterations_total:
                assert piece.is_valid_sub_window(window)

    @pytest.mark.parametrize("ndim", [1, 2, 3])
    def test_first_and_next(self, ndim):
        sample = window((0, 4, 2), (1, 3, 1), (0, 6, 3), (0, 2, 1))
        piece = getattr(sample, f"first_slice_window_{ndim}d")()
        found = []
        while piece is not None:
            found.append(piece)
            piece = getattr(sample, f"slide_window_slice_{ndim}d")(piece)
        assert found == list(sample.slices(ndim))
        assert len(found) == [8, 4, 2][ndim - 1]

    def test_slides_by_the_step(self):
        sample = window((0, 4, 1), (0, 6, 3))
        piece = sample.slide_window_slice_1d(sample.first_slice_window_1d())
        assert piece == window((0, 4, 1), (3, 6, 3))

    def test_an_empty_window_has_an_empty_first_slice(self):
        sample = window((0, 4, 1), (0, 0, 1))
        assert sample.first_slice_window_1d().num_iterations_total == 0
        assert list(sample.slices(1)) == []

    def test_a_pinned_dimension_is_one_slice(self):
        sample = window((0, 4, 1), (0, 0, 0), (0, 2, 1))
        assert [piece.z.start for piece in sample.slices(1)] == [0, 1]


@st.composite
def sub_windows(draw):
    full = window(*((0, draw(st.integers(1, 4)), 1) for _ in range(4)))
    sub = full
    for d in range(4):
        start = draw(st.integers(0, full[d].end - 1))
        part = (start, draw(st.integers(start + 1, full[d].end)), 1)
        sub = draw(st.sampled_from([sub, sub, sub.set(d, part)]))
    return sub, full


class TestCollapse:
    @given(sub_windows(), st.integers(0, 2))
    def test_collapses_to_the_same_run_of_elements(self, case, first):
        sub, full = case
        extents = [full[d].end for d in range(6)]

        def number(position):
            index = 0
            for d in reversed(range(first, 6)):
                index = index * extents[d] + position[d]
            return position[:first], index

        collapsed = sub.collapse_if_possible(full, first)
        indices = sorted({number(p)[1] for p in visits(sub)})
        is_run = indices == list(range(indices[0], indices[-1] + 1))
        if collapsed is sub:
            assert not is_run
            return
        expected = sorted(number(p) for p in visits(sub))
        assert sorted((p[:first], p[first]) for p in visits(collapsed)) == expected
        assert all(collapsed[d] == (0, 1, 1) for d in range(first + 1, 6))

    def test_whole_windows_collapse(self):
        full = window((0, 8, 4), (0, 3, 1), (0, 2, 1))
        assert full.collapse_if_possible(full) == window((0, 48, 4))
        assert full.collapse_if_possible(full, Window.Y) == window((0, 8, 4), (0, 6, 1))
        assert full.collapse_if_possible(full, Window.X, Window.Z) == window(
            (0, 24, 4), (0, 1, 1), (0, 2, 1)
        )

    def test_a_part_of_the_inner_dimension_does_not(self):
        full = window((0, 8, 1), (0, 3, 1))
        part = full.set(0, (0, 4, 1))
        assert part.collapse_if_possible(full) is part
        outer = full.set(1, (1, 3, 1))
        assert outer.collapse_if_possible(full) == window((8, 24, 1))

    @pytest.mark.parametrize(
        "full",
        [
            window((0, 8, 1), (1, 3, 1)),
            window((0, 8, 1), (0, 4, 2)),
            window((0, 8, 1), (0, 0, 0)),
            window((1, 8, 1), (0, 3, 1)),
            window((0, 7, 4), (0, 3, 1)),
            window((0, 0, 0), (0, 3, 1)),
        ],
    )
    def test_offsets_steps_and_pins_do_not(self, full):
        assert full.collapse_if_possible(full) is full

    def test_refuses_a_dimension_that_is_not_there(self):
        with pytest.raises(BoundsError, match="dimension 7 does not exist"):
            Window().collapse_if_possible(Window(), 7)


class TestBroadcast:
    def test_dimensions_of_size_one_are_pinned(self):
        sample = window((0, 8, 2), (0, 4, 1), (0, 3, 1))
        pinned = sample.broadcast_if_dimension_le_one(TensorShape(8, 1, 3))
        assert pinned.dimensions[:3] == (Dimension(0, 8, 2), Dimension(0, 0, 0), Dimension(0, 3, 1))
        assert pinned.num_iterations(Window.Y) == 1
        pinned.validate()

    def test_dimensions_left_out_are_pinned(self):
        pinned = window((0, 8, 2), (0, 4, 1)).broadcast_if_dimension_le_one((8,))
        assert pinned.y == pinned[5] == Dimension(0, 0, 0)

    def test_size_zero_is_not_stretched(self):
        sample = window((0, 0, 1))
        assert sample.broadcast_if_dimension_le_one((0,)).num_iterations_total == 0


class TestMaxWindow:
    def test_whole_shape_in_whole_steps(self):
        assert calculate_max_window(TensorShape(640, 480)) == window((0, 640, 1), (0, 480, 1))
        assert calculate_max_window((641, 480, 3), Steps(8)) == window(
            (0, 648, 8), (0, 480, 1), (0, 3, 1)
        )

    def test_border_is_left_out_if_asked(self):
        border = BorderSize(1, 2, 3, 4)
        assert calculate_max_window((640, 480), (8,), border) == window((0, 640, 8), (0, 480, 1))
        skipped = calculate_max_window((640, 480, 2), (8,), border, skip_border=True)
        assert skipped == window((4, 644, 8), (1, 477, 1), (0, 2, 1))

    def test_starts_at_the_anchor_of_a_region(self):
        region = ValidRegion((2, 1), (20, 10))
        found = calculate_max_window(region, (4,), BorderSize(1), skip_border=True)
        assert found == window((3, 23, 4), (2, 10, 1))

    @pytest.mark.parametrize("shape", [(1, 480), (640, 1), (0, 0), (640,)])
    def test_an_image_smaller_than_its_border_has_no_iterations(self, shape):
        found = calculate_max_window(shape, (8,), BorderSize(1), skip_border=True)
        found.validate()
        assert found.num_iterations_total == 0

    @given(
        st.lists(st.integers(0, 20), max_size=6),
        st.lists(st.integers(1, 5), max_size=6),
        st.integers(0, 3),
        st.booleans(),
    )
    def test_is_valid_and_covers_no_more_than_a_step_too_much(self, shape, steps, size, skip):
        found = calculate_max_window(shape, steps, BorderSize(size), skip)
        found.validate()
        for d, length in enumerate(shape):
            inner = max(0, length - 2 * size) if skip and d < 2 else length
            assert inner <= found[d].end - found[d].start < inner + found[d].step
            assert found[d].step == (steps[d] if d < len(steps) else 1)
