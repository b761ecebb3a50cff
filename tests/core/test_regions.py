"""Boxes, footprints and regions, held against enumerations of single points."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import BorderMode, constant, map_index
from muntin.core.regions import (
    BorderSize,
    Box,
    Footprint,
    ValidRegion,
    required_region,
    valid_region,
)
from muntin.errors import ParameterError, ShapeError

small = st.integers(-4, 6)


def boxes(ndim):
    corner = st.tuples(*[small] * ndim)
    return st.builds(Box, corner, corner)


def many_boxes(count):
    return st.integers(0, 3).flatmap(lambda ndim: st.tuples(*[boxes(ndim)] * count))


def points(box):
    ranges = [range(a, b) for a, b in zip(box.start, box.stop, strict=True)]
    return set(product(*ranges))


def hull_of(found):
    axes = list(zip(*found, strict=True))
    return Box(tuple(map(min, axes)), tuple(max(axis) + 1 for axis in axes))


def moved(point, offset):
    return tuple(a + b for a, b in zip(point, offset, strict=True))


def footprints(ndim, reach=4):
    offset = st.tuples(*[st.integers(-reach, reach)] * ndim)
    return st.lists(offset, min_size=1, max_size=4).map(lambda found: Footprint(tuple(found)))


class TestBox:
    @given(many_boxes(2))
    def test_intersection_is_the_points_of_both(self, pair):
        a, b = pair
        assert points(a.intersect(b)) == points(a) & points(b)
        assert points(a.clip(b)) == points(a) & points(b)

    @given(many_boxes(3))
    def test_intersection_is_a_semilattice(self, three):
        a, b, c = three
        assert a.intersect(a) == a
        assert a.intersect(b).intersect(c) == a.intersect(b.intersect(c))
        assert points(a.intersect(b)) == points(b.intersect(a))
        assert a.contains(a.intersect(b))

    @given(many_boxes(2))
    def test_hull_is_the_smallest_around_both(self, pair):
        a, b = pair
        both = points(a) | points(b)
        hull = a.union_hull(b)
        assert hull.is_empty if not both else hull == hull_of(both)
        assert hull.contains(a)
        assert hull.contains(b)

    @given(many_boxes(2))
    def test_containing_is_having_every_point(self, pair):
        a, b = pair
        assert a.contains(b) == (points(b) <= points(a))

    @given(many_boxes(1))
    def test_counts_its_points(self, one):
        (box,) = one
        assert box.size == len(points(box))
        assert box.is_empty == (not points(box))
        assert box.shape == tuple(b - a for a, b in zip(box.start, box.stop, strict=True))

    def test_an_inverted_axis_is_empty(self):
        assert Box((3, 0), (1, 2)) == Box((3, 0), (3, 2))
        assert Box((3, 0), (1, 2)).shape == (0, 2)

    def test_clip_keeps_an_empty_box_inside(self):
        assert Box((9,), (12,)).clip(Box.full((5,))) == Box((5,), (5,))
        assert Box((-9,), (-3,)).clip(Box.full((5,))) == Box((0,), (0,))

    def test_moves_grows_and_shrinks(self):
        box = Box.full((4, 6))
        assert box.shift((1, -2)) == Box((1, -2), (5, 4))
        assert box.grow((1, 0), (0, 3)) == Box((-1, 0), (4, 9))
        assert box.grow((1, 0), (0, 3)).shrink((1, 0), (0, 3)) == box
        assert box.shrink((3, 0), (3, 0)).is_empty

    def test_indexes_an_array(self):
        image = np.arange(24).reshape(4, 6)
        box = Box((1, 2), (3, 6))
        assert image[box.slices].shape == box.shape
        assert image[box.slices][0, 0] == image[1, 2]

    def test_refuses_ranks_that_differ(self):
        with pytest.raises(ShapeError, match=r"start \(0,\) and stop \(1, 2\) must have the same"):
            Box((0,), (1, 2))

    @pytest.mark.parametrize("name", ["intersect", "union_hull", "contains", "clip"])
    def test_refuses_a_box_of_another_rank(self, name):
        with pytest.raises(ShapeError, match=f"{name}: a box of 2 axes.* got 1; both must have"):
            getattr(Box.full((2, 3)), name)(Box.full((2,)))

    def test_refuses_an_offset_of_another_rank(self):
        with pytest.raises(ShapeError, match=r"shift: a box of 2 axes.* got 3"):
            Box.full((2, 3)).shift((1, 1, 1))
        with pytest.raises(ShapeError, match=r"grow: a box of 2 axes.* got 1"):
            Box.full((2, 3)).grow((1, 1), (1,))


class TestFootprint:
    def test_sorts_and_keeps_each_once(self):
        footprint = Footprint(((0, 1), (-1, 0), (0, 1)))
        assert footprint.offsets == ((-1, 0), (0, 1))
        assert footprint == Footprint(((0, 1), (-1, 0)))

    def test_reaches(self):
        footprint = Footprint(((-2, 1), (1, 3)))
        assert (footprint.before, footprint.after) == ((2, 0), (1, 3))
        assert footprint.hull == Box((-2, 1), (2, 4))
        assert footprint.ndim == 2

    def test_rectangle(self):
        footprint = Footprint.rectangle((1, 0), (1, 2))
        assert len(footprint.offsets) == 9
        assert footprint.is_rectangle
        assert (footprint.before, footprint.after) == ((1, 0), (1, 2))
        assert not Footprint(((0, 0), (0, 2))).is_rectangle
        assert Footprint.rectangle((), ()).offsets == ((),)
        assert Footprint.rectangle((-1,), (2,)).offsets == ((1,), (2,))

    @given(st.integers(0, 3).flatmap(lambda n: st.tuples(footprints(n, 2), footprints(n, 2))))
    def test_composes_by_minkowski_sum(self, pair):
        outer, inner = pair
        expected = {moved(a, b) for a in outer.offsets for b in inner.offsets}
        assert set(outer.compose(inner).offsets) == expected

    @given(st.tuples(*[st.tuples(st.integers(-2, 2), st.integers(2, 3))] * 2))
    def test_rectangles_compose_to_a_rectangle(self, reaches):
        a, b = (Footprint.rectangle((x,), (y,)) for x, y in reaches)
        expected = {moved(p, q) for p in a.offsets for q in b.offsets}
        assert set(a.compose(b).offsets) == expected
        assert a.compose(b).is_rectangle

    def test_symmetric(self):
        assert Footprint(((0, 1), (2, 0))).symmetric().offsets == ((-2, 0), (0, -1), (0, 1), (2, 0))

    def test_refuses_no_offsets(self):
        with pytest.raises(ShapeError, match="Footprint: there are no offsets; give at least one"):
            Footprint(())

    def test_refuses_offsets_of_several_ranks(self):
        with pytest.raises(ShapeError, match="must all have the same number of axes"):
            Footprint(((0,), (0, 1)))

    @pytest.mark.parametrize(("before", "after"), [((1,), (1, 1)), ((1, -3), (1, 2))])
    def test_refuses_a_rectangle_without_offsets(self, before, after):
        with pytest.raises(
            ShapeError, match=r"reaches .* hold no offset; give one of each an axis"
        ):
            Footprint.rectangle(before, after)

    def test_refuses_to_compose_other_ranks(self):
        with pytest.raises(ShapeError, match="compose: footprints of 1 and 2 axes; both must have"):
            Footprint(((0,),)).compose(Footprint(((0, 0),)))


@st.composite
def reads(draw):
    """Draw a consumer's box, a footprint, a mode and the producer's shape."""
    ndim = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(0, 5)) for _ in range(ndim))
    box = draw(boxes(ndim))
    return box, draw(footprints(ndim)), draw(st.sampled_from(BorderMode)), shape


def taken(box, offsets, mode, shape):
    """Return every point inside the producer that the consumer's points read."""
    found = set()
    for point, offset in product(points(box), offsets):
        read = moved(point, offset)
        mapped = tuple(map_index(mode, i, n) for i, n in zip(read, shape, strict=True))
        if None not in mapped:
            found.add(mapped)
    return found


class TestRequiredRegion:
    @given(reads())
    def test_holds_every_point_read(self, case):
        box, footprint, mode, shape = case
        region = required_region(box, footprint, mode, shape)
        assert taken(box, footprint.offsets, mode, shape) <= points(region)
        assert Box.full(shape).intersect(region) == region

    @given(reads())
    def test_is_the_smallest_for_a_rectangle(self, case):
        box, footprint, mode, shape = case
        region = required_region(box, footprint, mode, shape)
        found = taken(box, points(footprint.hull), mode, shape)
        assert region.is_empty if not found else region == hull_of(found)

    @pytest.mark.parametrize("mode", BorderMode)
    @pytest.mark.parametrize("size", range(1, 6))
    def test_every_interval_of_one_axis(self, mode, size):
        for lo, length in product(range(-14, 15), range(1, 14)):
            box = Box((lo,), (lo + length,))
            region = required_region(box, Footprint(((0,),)), mode, (size,))
            found = taken(box, [(0,)], mode, (size,))
            assert region.is_empty if not found else region == hull_of(found)

    def test_takes_a_border(self):
        cross = Footprint(((-1, 0), (1, 0)))
        box = Box((0, 2), (1, 5))
        assert required_region(box, cross, constant(3), (4, 8)) == Box((0, 2), (2, 5))

    def test_interior_is_the_box_grown(self):
        footprint = Footprint.rectangle((1, 2), (3, 4))
        box = Box((5, 5), (7, 8))
        for mode in BorderMode:
            region = required_region(box, footprint, mode, (20, 20))
            assert region == box.grow(footprint.before, footprint.after)

    def test_refuses_ranks_that_differ(self):
        with pytest.raises(ShapeError, match="a box of 2 axes, a footprint of 1 and shape"):
            required_region(Box.full((2, 3)), Footprint(((0,),)), BorderMode.WRAP, (2, 3))


class TestValidRegionOfAStencil:
    @given(st.integers(1, 3).flatmap(lambda n: st.tuples(boxes(n), footprints(n))))
    def test_are_the_points_whose_reads_are_valid(self, case):
        region, footprint = case
        shape = (6,) * region.ndim
        valid = points(region)
        expected = {
            point
            for point in np.ndindex(shape)
            if all(moved(point, offset) in valid for offset in points(footprint.hull))
        }
        found = valid_region(region, footprint, shape)
        assert points(found) == expected
        assert Box.full(shape).intersect(found) == found

    @given(st.integers(1, 3).flatmap(lambda n: st.tuples(boxes(n), footprints(n))))
    def test_without_a_shape_stays_in_the_region(self, case):
        region, footprint = case
        found = valid_region(region, footprint)
        everywhere = Box((-20,) * region.ndim, (20,) * region.ndim)
        wide = valid_region(region.shift((20,) * region.ndim), footprint, everywhere.shape)
        expected = wide.shift((-20,) * region.ndim).intersect(region)
        assert points(found) == points(expected)
        assert region.contains(found)

    def test_shrinks_and_is_empty_at_worst(self):
        gaussian = Footprint.rectangle((1, 1), (1, 1))
        assert valid_region(Box.full((480, 640)), gaussian) == Box((1, 1), (479, 639))
        assert valid_region(Box.full((1, 640)), gaussian).is_empty


class TestValidRegion:
    def test_intersection_takes_ends_and_not_sizes(self):
        a, b = ValidRegion((0,), (10,)), ValidRegion((5,), (15,))
        assert a.intersect(b) == b.intersect(a) == ValidRegion((5,), (5,))

    @given(many_boxes(3))
    def test_intersects_as_boxes_do(self, three):
        first, *others = map(ValidRegion.of, three)
        a, b, c = three
        assert first.intersect(*others).box == a.intersect(b).intersect(c)

    def test_is_a_view_with_x_first(self):
        region = ValidRegion.of(Box((1, 2), (4, 9)))
        assert region == ValidRegion((2, 1), (7, 3))
        assert region.box == Box((1, 2), (4, 9))
        assert [region.start(d) for d in range(3)] == [2, 1, 0]
        assert [region.end(d) for d in range(3)] == [9, 4, 1]

    def test_intersects_other_ranks(self):
        line, image = ValidRegion((2,), (5,)), ValidRegion((0, 0), (4, 3))
        assert line.intersect(image) == ValidRegion((2, 0), (2, 1))

    def test_can_be_empty(self):
        region = ValidRegion((0, 0), (2, 5)).shrink(BorderSize(1))
        assert region.box.is_empty
        assert region.shape == (0, 3)

    def test_shrinks_by_side(self):
        region = ValidRegion((1, 1, 0), (10, 8, 3)).shrink(BorderSize(1, 2, 3, 4))
        assert region == ValidRegion((5, 2, 0), (4, 4, 3))

    def test_refuses_an_anchor_without_a_size(self):
        with pytest.raises(ShapeError, match=r"anchor \(0, 0\) has more axes than shape \(3,\)"):
            ValidRegion((0, 0), (3,))

    def test_refuses_a_negative_size(self):
        with pytest.raises(ShapeError, match=r"shape \(3, -1\) has a negative size"):
            ValidRegion((), (3, -1))


class TestBorderSize:
    def test_order_and_short_forms(self):
        size = BorderSize(1, 2, 3, 4)
        assert (size.top, size.right, size.bottom, size.left) == (1, 2, 3, 4)
        assert BorderSize(5) == BorderSize(5, 5, 5, 5)
        assert BorderSize(1, 2) == BorderSize(top=1, right=2, bottom=1, left=2)
        assert BorderSize() == BorderSize(0)

    def test_says_what_it_is(self):
        assert BorderSize().is_empty
        assert not BorderSize(0, 0, 1, 0).is_empty
        assert BorderSize(2).is_uniform
        assert not BorderSize(1, 2).is_uniform
        assert repr(BorderSize(1, 2)) == "BorderSize(1, 2, 1, 2)"

    def test_limits_and_multiplies(self):
        assert BorderSize(1, 2, 3, 4).limit(BorderSize(2)) == BorderSize(1, 2, 2, 2)
        assert BorderSize(1, 2, 3, 4) * 3 == BorderSize(3, 6, 9, 12)
        assert hash(BorderSize(2)) == hash(BorderSize(2, 2, 2, 2))

    def test_refuses_three_sizes(self):
        with pytest.raises(ParameterError, match="give 1, 2 or 4 sizes"):
            BorderSize(1, 2, 3)

    def test_refuses_negative_sizes(self):
        with pytest.raises(ParameterError, match=r"sizes \(1, -2, 1, -2\) must be 0 or more"):
            BorderSize(1, -2)
