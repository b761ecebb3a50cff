"""Regions: half-open boxes, those that a box of an output needs, and those that are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from muntin.core.border import Border, BorderMode
from muntin.errors import ParameterError, ShapeError

__all__ = [
    "BorderSize",
    "Box",
    "Footprint",
    "ValidRegion",
    "required_region",
    "valid_region",
]

Point = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """The points p with start <= p < stop on every axis; an axis may be empty.

    Examples
    --------
    >>> Box((0, 0), (4, 6)).intersect(Box((2, -3), (9, 2)))
    Box(start=(2, 0), stop=(4, 2))
    """

    start: Point
    stop: Point

    def __post_init__(self) -> None:
        if len(self.start) != len(self.stop):
            raise ShapeError(
                f"Box: start {self.start} and stop {self.stop} must have the same number of axes"
            )
        if any(a > b for a, b in zip(self.start, self.stop, strict=True)):
            stop = tuple(map(max, self.start, self.stop))
            object.__setattr__(self, "stop", stop)

    @classmethod
    def full(cls, shape: Sequence[int]) -> Box:
        """Return the box of a whole array."""
        return cls((0,) * len(shape), tuple(shape))

    @property
    def ndim(self) -> int:
        return len(self.start)

    @property
    def shape(self) -> Point:
        return tuple(b - a for a, b in zip(self.start, self.stop, strict=True))

    @property
    def size(self) -> int:
        """The number of points."""
        return prod(self.shape)

    @property
    def is_empty(self) -> bool:
        return 0 in self.shape

    @property
    def slices(self) -> tuple[slice, ...]:
        """The index that takes these points of an array that begins at the origin."""
        return tuple(slice(a, b) for a, b in zip(self.start, self.stop, strict=True))

    def intersect(self, other: Box) -> Box:
        """Return the points of both."""
        self._check_ndim("intersect", other.ndim)
        return Box(tuple(map(max, self.start, other.start)), tuple(map(min, self.stop, other.stop)))

    def union_hull(self, other: Box) -> Box:
        """Return the smallest box around the points of either."""
        self._check_ndim("union_hull", other.ndim)
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        return Box(tuple(map(min, self.start, other.start)), tuple(map(max, self.stop, other.stop)))

    def shift(self, offset: Sequence[int]) -> Box:
        """Return the box moved by an offset."""
        self._check_ndim("shift", len(offset))
        return Box(
            tuple(a + d for a, d in zip(self.start, offset, strict=True)),
            tuple(b + d for b, d in zip(self.stop, offset, strict=True)),
        )

    def grow(self, before: Sequence[int], after: Sequence[int]) -> Box:
        """Return the box with `before` points more at each start and `after` at each stop."""
        self._check_ndim("grow", len(before))
        self._check_ndim("grow", len(after))
        return Box(
            tuple(a - n for a, n in zip(self.start, before, strict=True)),
            tuple(b + n for b, n in zip(self.stop, after, strict=True)),
        )

    def shrink(self, before: Sequence[int], after: Sequence[int]) -> Box:
        """Return the box without `before` points at each start and `after` at each stop."""
        return self.grow([-n for n in before], [-n for n in after])

    def contains(self, other: Box) -> bool:
        """Return whether every point of `other` is in this box; an empty box is in any."""
        self._check_ndim("contains", other.ndim)
        return other.is_empty or self.intersect(other) == other

    def clip(self, bounds: Box) -> Box:
        """Return the intersection, an empty one at the nearest place inside `bounds`."""
        self._check_ndim("clip", bounds.ndim)

        def inside(point: Point) -> Point:
            corners = zip(point, bounds.start, bounds.stop, strict=True)
            return tuple(min(max(p, a), b) for p, a, b in corners)

        return Box(inside(self.start), inside(self.stop))

    def _check_ndim(self, operation: str, ndim: int) -> None:
        if ndim != self.ndim:
            raise ShapeError(
                f"{operation}: a box of {self.ndim} axes, {self}, got {ndim}; "
                "both must have as many axes"
            )


@dataclass(frozen=True, slots=True)
class Footprint:
    """The offsets that a stencil reads, sorted and each once.

    Examples
    --------
    >>> Footprint(((0, 1), (0, -2), (0, 1)))
    Footprint(offsets=((0, -2), (0, 1)))
    """

    offsets: tuple[Point, ...]
    hull: Box = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.offsets:
            raise ShapeError("Footprint: there are no offsets; give at least one")
        if len({len(offset) for offset in self.offsets}) > 1:
            raise ShapeError(
                f"Footprint: offsets {self.offsets} must all have the same number of axes"
            )
        object.__setattr__(self, "offsets", tuple(sorted(set(self.offsets))))
        axes = list(zip(*self.offsets, strict=True))
        hull = Box(tuple(map(min, axes)), tuple(max(axis) + 1 for axis in axes))
        object.__setattr__(self, "hull", hull)

    @classmethod
    def rectangle(cls, before: Sequence[int], after: Sequence[int]) -> Footprint:
        """Return every offset from -before to after, both included."""
        if len(before) != len(after) or any(b + a < 0 for b, a in zip(before, after, strict=True)):
            raise ShapeError(
                f"Footprint: reaches {tuple(before)} before and {tuple(after)} after hold no "
                "offset; give one of each an axis, with a sum of 0 or more"
            )
        ranges = [range(-b, a + 1) for b, a in zip(before, after, strict=True)]
        return cls(tuple(product(*ranges)))

    @property
    def ndim(self) -> int:
        return self.hull.ndim

    @property
    def before(self) -> Point:
        """How far it reaches before the point, per axis."""
        return tuple(max(0, -least) for least in self.hull.start)

    @property
    def after(self) -> Point:
        """How far it reaches after the point, per axis."""
        return tuple(max(0, stop - 1) for stop in self.hull.stop)

    @property
    def is_rectangle(self) -> bool:
        """Whether every offset of the hull is read."""
        return len(self.offsets) == self.hull.size

    def compose(self, inner: Footprint) -> Footprint:
        """Return what is read of the source if this reads a result of `inner`.

        That is the Minkowski sum.
        """
        if inner.ndim != self.ndim:
            raise ShapeError(
                f"compose: footprints of {self.ndim} and {inner.ndim} axes; "
                "both must have as many axes"
            )
        if self.is_rectangle and inner.is_rectangle:
            before = [-(a + b) for a, b in zip(self.hull.start, inner.hull.start, strict=True)]
            after = [a + b - 2 for a, b in zip(self.hull.stop, inner.hull.stop, strict=True)]
            return Footprint.rectangle(before, after)
        pairs = product(self.offsets, inner.offsets)
        return Footprint(tuple({tuple(map(int.__add__, a, b)) for a, b in pairs}))

    def symmetric(self) -> Footprint:
        """Return the footprint together with its mirror image through the point.

        A reflected read at an edge goes as far to the other side.
        """
        mirrored = tuple(tuple(-d for d in offset) for offset in self.offsets)
        return Footprint(self.offsets + mirrored)


def required_region(
    box: Box, footprint: Footprint, border: Border | BorderMode, shape: Sequence[int]
) -> Box:
    """Return the box of the producer that a box of the consumer needs.

    Parameters
    ----------
    box : Box
        The consumer's points.
    footprint : Footprint
        The offsets that each of them reads.
    border : Border or BorderMode
        What a read outside the producer gives.
    shape : sequence of int
        The producer's logical shape, in which the border applies.

    Returns
    -------
    Box
        The smallest box, inside the producer, around every point that is read if the
        footprint's whole hull is; empty if nothing is.

    Examples
    --------
    >>> cross = Footprint(((-2,), (0,), (2,)))
    >>> required_region(Box((0,), (2,)), cross, BorderMode.REPLICATE, (8,))
    Box(start=(0,), stop=(4,))
    >>> required_region(Box((0,), (2,)), cross, BorderMode.WRAP, (8,))
    Box(start=(0,), stop=(8,))
    """
    if not box.ndim == footprint.ndim == len(shape):
        raise ShapeError(
            f"required_region: a box of {box.ndim} axes, a footprint of {footprint.ndim} and "
            f"shape {tuple(shape)}; all must have as many axes"
        )
    if box.is_empty:
        return box.clip(Box.full(shape))
    mode = border.mode if isinstance(border, Border) else border
    hull = footprint.hull
    lows = map(int.__add__, box.start, hull.start)
    highs = (stop + last - 2 for stop, last in zip(box.stop, hull.stop, strict=True))
    reaches = [_reach(mode, *axis) for axis in zip(lows, highs, shape, strict=True)]
    return Box(tuple(reach[0] for reach in reaches), tuple(reach[1] for reach in reaches))


def _reach(mode: BorderMode, lo: int, hi: int, size: int) -> tuple[int, int]:
    """Return the smallest [start, stop) around the indices that reads at lo..hi take."""
    if lo >= 0 and hi < size:
        return lo, hi + 1
    if size == 0:
        return 0, 0
    last = size - 1
    match mode:
        case BorderMode.REPLICATE:
            return min(max(lo, 0), last), min(max(hi, 0), last) + 1
        case BorderMode.SYMMETRIC:
            return _reflected(lo, hi, 2 * size, 1, last)
        case BorderMode.REFLECT101:
            return _reflected(lo, hi, max(2 * size - 2, 1), 0, last)
        case BorderMode.WRAP:
            return (lo % size, hi % size + 1) if lo // size == hi // size else (0, size)
        case _:
            start = min(max(lo, 0), size)
            return start, max(start, min(hi + 1, size))


def _reflected(lo: int, hi: int, period: int, repeat: int, last: int) -> tuple[int, int]:
    """Return the reach of a reflection that takes i and -repeat - i to one index."""
    mirrors = period - repeat
    ends = [min(i % period, mirrors - i % period) for i in (lo, hi)]
    if _meets(lo, hi, period, 0) or _meets(lo, hi, period, -repeat):
        ends.append(0)
    if _meets(lo, hi, period, last) or _meets(lo, hi, period, last + repeat):
        ends.append(last)
    return min(ends), max(ends) + 1


def _meets(lo: int, hi: int, period: int, residue: int) -> bool:
    return (hi - residue) // period * period + residue >= lo


def valid_region(region: Box, footprint: Footprint, shape: Sequence[int] | None = None) -> Box:
    """Return the points whose every read, under an undefined border, is in a valid region.

    Parameters
    ----------
    region : Box
        The valid points of what is read.
    footprint : Footprint
        The offsets that are read.
    shape : sequence of int, optional
        The result's shape. Without it the result stays inside `region`: a stencil that reads
        to one side only then never grows it on the other.

    Returns
    -------
    Box
        Empty at worst.

    Examples
    --------
    >>> valid_region(Box((0,), (8,)), Footprint.rectangle((1,), (2,)))
    Box(start=(1,), stop=(6,))
    >>> valid_region(Box((3,), (8,)), Footprint(((2,),)), (10,))
    Box(start=(1,), stop=(6,))
    """
    hull = footprint.hull
    shrunk = region.shrink([-least for least in hull.start], [stop - 1 for stop in hull.stop])
    return shrunk.clip(region if shape is None else Box.full(shape))


@dataclass(frozen=True, slots=True)
class ValidRegion:
    """A valid region as anchor and size, both with x first.

    Axes past the given ones have anchor 0 and size 1; a size may be 0.

    Examples
    --------
    >>> ValidRegion((0,), (10,)).intersect(ValidRegion((5,), (15,)))
    ValidRegion(anchor=(5,), shape=(5,))
    """

    anchor: Point
    shape: Point

    def __post_init__(self) -> None:
        if len(self.anchor) > len(self.shape):
            raise ShapeError(
                f"ValidRegion: anchor {self.anchor} has more axes than shape {self.shape}; "
                "give a size for each"
            )
        if any(n < 0 for n in self.shape):
            raise ShapeError(f"ValidRegion: shape {self.shape} has a negative size")
        missing = len(self.shape) - len(self.anchor)
        object.__setattr__(self, "anchor", tuple(self.anchor) + (0,) * missing)
        object.__setattr__(self, "shape", tuple(self.shape))

    @classmethod
    def of(cls, box: Box) -> ValidRegion:
        """Return the valid region of a box, whose axes are in NumPy's order."""
        return cls(box.start[::-1], box.shape[::-1])

    @property
    def box(self) -> Box:
        """The same region with its axes in NumPy's order."""
        start = self.anchor[::-1]
        return Box(start, start).grow((0,) * len(start), self.shape[::-1])

    def start(self, dimension: int) -> int:
        return self.anchor[dimension] if dimension < len(self.anchor) else 0

    def end(self, dimension: int) -> int:
        size = self.shape[dimension] if dimension < len(self.shape) else 1
        return self.start(dimension) + size

    def intersect(self, *others: ValidRegion) -> ValidRegion:
        """Return the points that are valid in all."""
        regions = (self, *others)
        ndim = max(len(region.shape) for region in regions)
        box = regions[0]._expanded(ndim).box
        for region in regions[1:]:
            box = box.intersect(region._expanded(ndim).box)
        return ValidRegion.of(box)

    def shrink(self, border: BorderSize) -> ValidRegion:
        """Return the region without a border of its first two axes, empty at worst."""
        rows = self._expanded(max(2, len(self.shape))).box
        outer = (0,) * (rows.ndim - 2)
        before, after = (*outer, border.top, border.left), (*outer, border.bottom, border.right)
        return ValidRegion.of(rows.shrink(before, after).clip(rows))

    def _expanded(self, ndim: int) -> ValidRegion:
        missing = ndim - len(self.shape)
        return ValidRegion(self.anchor + (0,) * missing, self.shape + (1,) * missing)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BorderSize:
    """The rows and columns of a border, in the order top, right, bottom, left.

    One size holds for all sides; two are (top and bottom, right and left).

    Examples
    --------
    >>> BorderSize(1), BorderSize(1, 2), BorderSize()
    (BorderSize(1, 1, 1, 1), BorderSize(1, 2, 1, 2), BorderSize(0, 0, 0, 0))
    """

    top: int
    right: int
    bottom: int
    left: int

    def __init__(
        self,
        top: int = 0,
        right: int | None = None,
        bottom: int | None = None,
        left: int | None = None,
    ) -> None:
        if bottom is None and left is None:
            right = top if right is None else right
            bottom, left = top, right
        if right is None or bottom is None or left is None:
            raise ParameterError("BorderSize: give 1, 2 or 4 sizes: all; top, right; or each side")
        sizes = (top, right, bottom, left)
        if min(sizes) < 0:
            raise ParameterError(f"BorderSize: sizes {sizes} must be 0 or more")
        for name, size in zip(("top", "right", "bottom", "left"), sizes, strict=True):
            object.__setattr__(self, name, size)

    @property
    def is_empty(self) -> bool:
        return not any(self._sizes())

    @property
    def is_uniform(self) -> bool:
        return len(set(self._sizes())) == 1

    def limit(self, other: BorderSize) -> BorderSize:
        """Return the smaller size of each side."""
        return BorderSize(*map(min, self._sizes(), other._sizes()))

    def __mul__(self, factor: int) -> BorderSize:
        return BorderSize(*(size * factor for size in self._sizes()))

    def __repr__(self) -> str:
        return f"BorderSize{self._sizes()}"

    def _sizes(self) -> tuple[int, int, int, int]:
        return self.top, self.right, self.bottom, self.left
