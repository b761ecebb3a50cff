"""Sampling: an image read at coordinates that are computed, between its elements and beyond them.

All of it is said in other nodes: positions are integer work, each of the elements that surround a
point is a gather at positions that are inside by construction, and these are weighted. So the
planner fuses it like anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

from muntin.core.border import Border, BorderMode
from muntin.core.graph.build import (
    broadcast_to,
    cast,
    constant,
    elementwise,
    renamed,
    scalar,
)
from muntin.core.graph.gathering import Along, gather_together
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.graph.weighting import Weighting, weighted
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import DTYPES, DType
from muntin.errors import BorderError, BoundsError, DTypeError, ShapeError

__all__ = ["sampled", "weighted_type"]

_INT32, _INT64 = DTYPES["int32"], DTYPES["int64"]
_FLOAT32, _FLOAT64 = DTYPES["float32"], DTYPES["float64"]
_LONG = 1 << 29  # elements of an axis along which positions need more than 32 bits
_FAR = 1 << 62
_EXACT = 1 << 23  # up to here a float32 and a half are exact


def sampled(
    image: Node,
    places: Sequence[int],
    coordinates: Sequence[Node],
    border: Border,
    operation: str,
    *,
    between: bool,
    weighting: Weighting = Weighting.LINES,
) -> Node:
    """Return the image's values at some points.

    Parameters
    ----------
    image
        The array.
    places
        The axes along which coordinates count; they lie side by side.
    coordinates
        Numbers for each of them, of shapes that broadcast; theirs stands in the place of the axes,
        whatever the names of their own.
    border
        What a point outside sees.
    between
        Whether values are weighted by how far a point lies between elements, or are those of the
        nearest element.
    weighting
        In which order they are weighted.

    Raises
    ------
    BorderError
        If the border is undefined, or a constant does not fit the image.
    BoundsError
        If there are points, but the image has no elements to be seen.
    DTypeError
        If a coordinate is a truth value, or truth values are to be weighted.
    ShapeError
        If the axes do not lie side by side, or the shapes do not broadcast.
    """
    _check(image, places, coordinates, border, operation, between=between)
    common = broadcast_shapes(*[each.shape for each in coordinates], operation=operation).shape
    before, after = min(places), len(image.shape) - max(places) - 1
    shape = (*image.shape[:before], *common, *image.shape[before + len(places) :])
    if 0 in shape:
        return broadcast_to(
            scalar(0, weighted_type(image.dtype) if between else image.dtype), shape
        )
    if any(image.shape[place] == 0 for place in places):
        raise BoundsError(
            f"{operation}: an image of shape {image.shape} has no elements that a point could see"
        )
    points = _Points(image, places, shape, border, operation, between, weighting)
    letters = image.axes[before : before + len(common)] if image.axes and after == 0 else None
    computed = [
        cast(each if each.axes == letters else renamed(each, None), each.dtype.computed)
        for each in coordinates
    ]
    given = [
        reshape(each, (*each.shape, *[1] * after), operation) if after else each
        for each in computed
    ]
    return points.values([broadcast_to(each, shape, operation) for each in given])


def _check(
    image: Node,
    places: Sequence[int],
    coordinates: Sequence[Node],
    border: Border,
    operation: str,
    *,
    between: bool,
) -> None:
    if border.mode is BorderMode.UNDEFINED:
        raise BorderError(
            f"{operation}: where points lie is only known when they are computed, so that no valid "
            "region follows; choose another border than undefined"
        )
    if border.mode is BorderMode.CONSTANT:
        border.check_value(image.dtype)
    if max(places) - min(places) != len(places) - 1:
        raise ShapeError(
            f"{operation}: the spatial axes of {image.axes!r} lie apart; permute them so that they "
            "are side by side"
        )
    for each in coordinates:
        if each.dtype.is_bool:
            raise DTypeError(f"{operation}: coordinates are bool; they must be numbers")
    if between and image.dtype.is_bool:
        raise DTypeError(
            f"{operation}: bool values have none between them; cast the image, or take the nearest"
        )


def weighted_type(dtype: DType) -> DType:
    """Return the type of weighted values: float32 where it holds all that an image may have."""
    is_narrow = dtype.bits <= 16 or dtype is _FLOAT32
    return _FLOAT32 if is_narrow else _FLOAT64


@dataclass(frozen=True, slots=True)
class _Position:
    """Elements along an axis: where they lie, and whether that is inside, if it matters."""

    index: Node
    is_inside: Node | None


@dataclass(frozen=True, slots=True)
class _Points:
    image: Node
    places: Sequence[int]
    shape: tuple[int, ...]
    border: Border
    operation: str
    between: bool
    weighting: Weighting

    def values(self, coordinates: Sequence[Node]) -> Node:
        """Return the values at points whose coordinates have the shape of the result."""
        if not self.between:
            return self.elements([list(map(self.nearest, coordinates, self.places))])[0]
        dtype = weighted_type(self.image.dtype)
        sides: list[tuple[_Position, ...]] = []
        fractions: list[Node | None] = []
        for each, place in zip(coordinates, self.places, strict=True):
            if each.dtype.is_float:
                limited, lower, first = self.whole(each, place)
                following = elementwise("add", first, scalar(1, first.dtype))
                is_inside = self.keeps_inside(place)
                sides.append(
                    (
                        self.position(first, place, low=not is_inside, high=not is_inside),
                        self.position(following, place, low=not is_inside),
                    )
                )
                fractions.append(cast(elementwise("subtract", limited, lower), dtype))
            else:
                sides.append((self.nearest(each, place),))
                fractions.append(None)
        found = [cast(each, dtype) for each in self.elements(list(product(*sides)))]
        return weighted(found, fractions, self.weighting)

    def elements(self, corners: Sequence[Sequence[_Position]]) -> list[Node]:
        """Return the elements at some positions, or the constant that stands outside."""
        before, spatial = min(self.places), len(self.places)
        points = len(self.shape) - len(self.image.shape) + spatial
        coordinates: list[list[Node | Along]] = []
        for corner in corners:
            positions = dict(zip(self.places, corner, strict=True))
            coordinates.append(
                [
                    positions[axis].index
                    if axis in positions
                    else Along(axis if axis < before else axis - spatial + points)
                    for axis in range(len(self.image.shape))
                ]
            )
        letters = self.image.axes if points == spatial else None
        is_close = self.border.mode is not BorderMode.WRAP
        found = gather_together(
            self.image, coordinates, self.shape, letters, self.operation, is_close=is_close
        )
        if self.border.mode is not BorderMode.CONSTANT:
            return found
        outside = scalar(self.border.check_value(self.image.dtype), self.image.dtype)
        return [
            elementwise("where", _all([end.is_inside for end in corner]), element, outside)
            for corner, element in zip(corners, found, strict=True)
        ]

    def nearest(self, coordinate: Node, place: int) -> _Position:
        """Return where the elements lie that are nearest to coordinates along an axis."""
        if not coordinate.dtype.is_float:
            return self.position(cast(coordinate, self.index_type(place), saturate=True), place)
        _, _, index = self.whole(coordinate, place, 0.5)
        is_inside = self.keeps_inside(place)
        return self.position(index, place, low=not is_inside, high=not is_inside)

    def whole(self, coordinate: Node, place: int, more: float = 0.0) -> tuple[Node, Node, Node]:
        """Return coordinates within limits, the greatest whole numbers below, and their integers.

        No point is farther outside than it makes a difference, or than integers go; under
        `replicate` it is the nearest one inside. Sums of weighted elements differ by their rounding
        also where all elements are equal. Of NaN the whole number is 0.
        """
        size, dtype = self.image.shape[place], coordinate.dtype
        far = _FAR if self.index_type(place) is _INT64 else 2 * _LONG
        low, high = -far, far
        if self.weighting is Weighting.LINES and self.border.mode is BorderMode.REPLICATE:
            low, high = 0, size - 1
        elif self.weighting is Weighting.LINES and self.border.mode is BorderMode.CONSTANT:
            low, high = -2, 1 << size.bit_length()  # which every float has
        least, most = scalar(low, dtype), scalar(high, dtype)
        limited = elementwise("where", elementwise("less", coordinate, least), least, coordinate)
        limited = elementwise("where", elementwise("greater", limited, most), most, limited)
        number = elementwise("where", elementwise("isnan", limited), constant(0, dtype), limited)
        if more:
            number = elementwise("add", number, scalar(more, dtype))
        lower = elementwise("floor", number)
        kind = self.index_type(place)
        if kind is _INT32:
            return limited, lower, cast(elementwise("raw_whole", lower), kind)
        return limited, lower, cast(lower, kind)

    def keeps_inside(self, place: int) -> bool:
        """Say whether coordinates within limits lie inside, as floats of either type."""
        is_near = self.weighting is Weighting.LINES and self.border.mode is BorderMode.REPLICATE
        return is_near and self.image.shape[place] <= _EXACT

    def index_type(self, place: int) -> DType:
        return _INT64 if self.image.shape[place] >= _LONG else _INT32

    def position(
        self, index: Node, place: int, *, low: bool = True, high: bool = True
    ) -> _Position:
        """Return where the border lets integers read along an axis.

        Under `replicate` some are known not to be too `low`, or too `high`.
        """
        size, mode, dtype = self.image.shape[place], self.border.mode, index.dtype
        zero, last = scalar(0, dtype), scalar(size - 1, dtype)
        if mode in (BorderMode.REPLICATE, BorderMode.CONSTANT):
            inside = elementwise("maximum", index, zero) if low else index
            inside = elementwise("minimum", inside, last) if high else inside
            if mode is BorderMode.REPLICATE:
                return _Position(inside, None)
            unsigned = DTYPES[f"u{dtype.name}"]  # in which what is negative is large
            bound = scalar(size, unsigned)
            return _Position(inside, elementwise("less", cast(index, unsigned), bound))
        if mode is BorderMode.WRAP:
            period, back = size, None
        elif mode is BorderMode.SYMMETRIC:
            period, back = 2 * size, scalar(2 * size - 1, dtype)
        else:
            period = max(2 * size - 2, 1)
            back = scalar(period, dtype)
        turn = elementwise("remainder", index, scalar(period, dtype))
        if back is not None:
            turn = elementwise("minimum", turn, elementwise("subtract", back, turn))
        return _Position(self.rarely_far(index, turn, size), None)

    def rarely_far(self, index: Node, turn: Node, size: int) -> Node:
        """Return what is found by division, which is spared where points lie near the image."""
        mode, dtype = self.border.mode, index.dtype
        zero, last = scalar(0, dtype), scalar(size - 1, dtype)
        if mode is BorderMode.WRAP:
            length = scalar(size, dtype)
            low = elementwise("add", index, length)
            near = elementwise("where", elementwise("less", index, zero), low, index)
            high = elementwise("subtract", near, length)
            near = elementwise("where", elementwise("greater", near, last), high, near)
        else:
            is_doubled = mode is BorderMode.SYMMETRIC
            low = elementwise("subtract", scalar(-is_doubled, dtype), index)
            near = elementwise("maximum", index, low)
            high = elementwise("subtract", scalar(2 * size - 2 + is_doubled, dtype), near)
            near = elementwise("minimum", near, high)
        inside = elementwise("minimum", elementwise("maximum", near, zero), last)
        is_far = elementwise("not_equal", inside, near)
        return replace(elementwise("where", is_far, turn, inside), params=("rarely",))


def _all(conditions: Sequence[Node | None]) -> Node:
    return reduce(
        lambda a, b: elementwise("logical_and", a, b), [each for each in conditions if each]
    )
