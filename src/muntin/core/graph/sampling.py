"""Sampling: an image read at coordinates that are computed, between its elements and beyond them.

All of it is said in other nodes: positions are integer work, each of the elements that surround a
point is a gather at positions that are inside by construction, and these are weighted. So the
planner fuses it like anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from muntin.core.border import Border, BorderMode
from muntin.core.graph.build import broadcast_to, cast, elementwise, scalar
from muntin.core.graph.gathering import Along, gather_together
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.graph.weighting import Weighting, weighted
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import DTYPES, DType
from muntin.errors import BorderError, BoundsError, DTypeError, ShapeError

__all__ = ["sampled"]

_INT32, _INT64 = DTYPES["int32"], DTYPES["int64"]
_FLOAT32, _FLOAT64 = DTYPES["float32"], DTYPES["float64"]
_LONG = 1 << 29  # elements of an axis along which positions need more than 32 bits
_CLAMPED = (BorderMode.REPLICATE, BorderMode.CONSTANT)


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
        Numbers for each of them, of shapes that broadcast; theirs stands in the place of the axes.
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
        return broadcast_to(scalar(0, _weighted_type(image) if between else image.dtype), shape)
    if any(image.shape[place] == 0 for place in places):
        raise BoundsError(
            f"{operation}: an image of shape {image.shape} has no elements that a point could see"
        )
    points = _Points(image, places, shape, border, operation, between, weighting)
    given = [
        reshape(each, (*each.shape, *[1] * after), operation) if after else each
        for each in coordinates
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


def _weighted_type(image: Node) -> DType:
    """Return the type of weighted values: float32 where it holds all that the image may have."""
    is_narrow = image.dtype.bits <= 16 or image.dtype is _FLOAT32
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
            ends = [
                self.position(self.whole(each, place, 0.5), place)
                for each, place in zip(coordinates, self.places, strict=True)
            ]
            return self.elements([ends])[0]
        dtype = _weighted_type(self.image)
        sides: list[tuple[_Position, ...]] = []
        fractions: list[Node | None] = []
        for each, place in zip(coordinates, self.places, strict=True):
            if each.dtype.is_float:
                limited = self.limited(each, place)
                lower = elementwise("floor", limited)
                first = cast(lower, self.index_type(place))
                fraction = elementwise("subtract", limited, lower)
                fractions.append(cast(fraction, dtype))
                following = elementwise("add", first, scalar(1, first.dtype))
                sides.append((self.position(first, place), self.position(following, place)))
            else:
                fractions.append(None)
                sides.append((self.position(self.whole(each, place), place),))
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

    def limited(self, coordinate: Node, place: int) -> Node:
        """Return coordinates no farther outside than it makes a difference, or than integers go.

        Sums of weighted elements differ by their rounding also where all elements are equal.
        """
        size = self.image.shape[place]
        is_near = self.border.mode in _CLAMPED and self.weighting is Weighting.LINES
        low, high = (-2, size + 1) if is_near else (-_LONG * 2, _LONG * 2)
        above = elementwise("maximum", coordinate, scalar(low, coordinate.dtype))
        return elementwise("minimum", above, scalar(high, coordinate.dtype))

    def whole(self, coordinate: Node, place: int, half: float = 0.0) -> Node:
        """Return the greatest integers that coordinates, and a half maybe, reach."""
        dtype = self.index_type(place)
        if not coordinate.dtype.is_float:
            return cast(coordinate, dtype, saturate=True)
        limited = self.limited(coordinate, place)
        if half:
            limited = elementwise("add", limited, scalar(half, limited.dtype))
        return cast(elementwise("floor", limited), dtype)

    def index_type(self, place: int) -> DType:
        return _INT64 if self.image.shape[place] >= _LONG else _INT32

    def position(self, index: Node, place: int) -> _Position:
        """Return where the border lets positions read along an axis."""
        size, mode = self.image.shape[place], self.border.mode

        def number(value: int) -> Node:
            return scalar(value, index.dtype)

        def clamped(value: Node) -> Node:
            above = elementwise("maximum", value, number(0))
            return elementwise("minimum", above, number(size - 1))

        if mode is BorderMode.REPLICATE:
            return _Position(clamped(index), None)
        if mode is BorderMode.CONSTANT:
            is_low = elementwise("greater_equal", index, number(0))
            is_high = elementwise("less", index, number(size))
            return _Position(clamped(index), elementwise("logical_and", is_low, is_high))
        if mode is BorderMode.WRAP:
            return _Position(elementwise("remainder", index, number(size)), None)
        is_doubled = mode is BorderMode.SYMMETRIC
        period = 2 * size if is_doubled else max(2 * size - 2, 1)
        turn = elementwise("remainder", index, number(period))
        back = elementwise("subtract", number(period - is_doubled), turn)
        return _Position(elementwise("minimum", turn, back), None)


def _all(conditions: Sequence[Node | None]) -> Node:
    return reduce(
        lambda a, b: elementwise("logical_and", a, b), [each for each in conditions if each]
    )
