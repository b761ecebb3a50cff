"""Shapes: NumPy's broadcasting, axes and basic indices as functions of plain tuples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index as as_index
from types import EllipsisType
from typing import NamedTuple, SupportsIndex, TypeAlias

import numpy as np

from muntin.errors import BoundsError, ShapeError, UnsupportedError

__all__ = [
    "AxisIndex",
    "Broadcast",
    "ResolvedIndex",
    "Shape",
    "as_lengths",
    "as_shape",
    "broadcast_shapes",
    "broadcast_to_shape",
    "can_broadcast",
    "can_broadcast_to",
    "collapse_dimensions",
    "expand_ranks",
    "normalize_axes",
    "normalize_axis",
    "resolve_index",
]

Shape: TypeAlias = tuple[int, ...]


class Broadcast(NamedTuple):
    """A common shape, and for each operand the axes of it that the operand stretches along.

    `stretched[k][axis]` is true where operand `k`, its rank expanded, has length 1 and the
    common shape another length (0 included).
    """

    shape: Shape
    stretched: tuple[tuple[bool, ...], ...]


class AxisIndex(NamedTuple):
    """Where one axis of an indexed result comes from.

    Position `i` of the result's axis is position `start + i * step` of axis `source`; a new
    axis has no source.
    """

    source: int | None
    start: int
    step: int
    length: int


class ResolvedIndex(NamedTuple):
    """A basic index resolved against a shape.

    `axes` has a record for each axis of the result, `dropped` the (axis, position) pairs of
    the source's axes that integers took away.
    """

    axes: tuple[AxisIndex, ...]
    dropped: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> Shape:
        """The shape of the result."""
        return tuple(axis.length for axis in self.axes)


def as_shape(value: SupportsIndex | Iterable[SupportsIndex], operation: str = "shape") -> Shape:
    """Return an integer or a sequence of integers as a shape.

    Raises
    ------
    ShapeError
        If a length is negative.
    UnsupportedError
        If a length is not an integer.

    Examples
    --------
    >>> as_shape(3)
    (3,)
    >>> as_shape([2, 3])
    (2, 3)
    """
    shape = as_lengths(value, operation)
    if any(length < 0 for length in shape):
        raise ShapeError(f"{operation}: shape {shape} has a negative length; lengths start at 0")
    return shape


def as_lengths(value: SupportsIndex | Iterable[SupportsIndex], operation: str) -> Shape:
    """Return an integer or a sequence of integers as a tuple.

    Raises
    ------
    UnsupportedError
        If one is not an integer.
    """
    try:
        lengths = value if isinstance(value, Iterable) else (value,)
        return tuple(as_index(length) for length in lengths)
    except TypeError as error:
        raise UnsupportedError(
            f"{operation}: {value!r} is no shape; give an integer or a tuple of integers"
        ) from error


def expand_ranks(shape_a: Shape, shape_b: Shape) -> tuple[Shape, Shape]:
    """Return both shapes with as many axes, axes of length 1 put before the shorter one.

    Examples
    --------
    >>> expand_ranks((9,), (5, 9))
    ((1, 9), (5, 9))
    """
    ndim = max(len(shape_a), len(shape_b))
    return _expand(shape_a, ndim), _expand(shape_b, ndim)


def broadcast_shapes(*shapes: Shape, operation: str = "broadcast") -> Broadcast:
    """Return the shape that all `shapes` broadcast to, and how each stretches.

    Parameters
    ----------
    *shapes : tuple of int
        The operands' shapes; aligned at the last axis.
    operation : str
        What the error is to name.

    Raises
    ------
    ShapeError
        If two lengths of an axis differ and neither is 1. Zero and 1 give zero; zero and
        another length do not fit.

    Examples
    --------
    >>> broadcast_shapes((1, 4), (3, 1))
    Broadcast(shape=(3, 4), stretched=((True, False), (False, True)))
    """
    if not shapes:
        return Broadcast((), ())
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return Broadcast(first, ((False,) * len(first),) * len(shapes))
    ndim = max(map(len, shapes))
    expanded = [_expand(shape, ndim) for shape in shapes]
    common: list[int] = []
    for axis, lengths in enumerate(zip(*expanded, strict=True)):
        length, owner = 1, 0
        for operand, n in enumerate(lengths):
            if n == 1 or n == length:
                continue
            if length != 1:
                raise ShapeError(
                    f"{operation}: shapes {shapes[owner]} and {shapes[operand]} do not broadcast: "
                    f"axis {axis} of {ndim} has lengths {length} and {n}; "
                    "lengths must be equal or one of them 1"
                )
            length, owner = n, operand
        common.append(length)
    return Broadcast(tuple(common), tuple(_stretches(shape, common) for shape in expanded))


def broadcast_to_shape(shape: Shape, target: Shape, operation: str = "broadcast_to") -> Broadcast:
    """Return `target`, and how `shape` stretches to it; the target never changes.

    Raises
    ------
    ShapeError
        If `shape` has more axes than `target` (even of length 1), or a length that is neither
        1 nor the target's.

    Examples
    --------
    >>> broadcast_to_shape((4,), (3, 4))
    Broadcast(shape=(3, 4), stretched=((True, False),))
    """
    ndim = len(target)
    if len(shape) > ndim:
        raise ShapeError(
            f"{operation}: shape {shape} does not broadcast to {target}: it has {len(shape)} axes "
            f"and the target {ndim}; remove axes first, by indexing or squeeze"
        )
    expanded = _expand(shape, ndim)
    for axis, (length, wanted) in enumerate(zip(expanded, target, strict=True)):
        if length != wanted and length != 1:
            raise ShapeError(
                f"{operation}: shape {shape} does not broadcast to {target}: axis {axis} of {ndim} "
                f"has length {length}, the target {wanted}; the length must be {wanted} or 1"
            )
    return Broadcast(target, (_stretches(expanded, target),))


def can_broadcast(shape_a: Shape, shape_b: Shape) -> bool:
    """Return whether two shapes have a common shape: what `broadcast_shapes` takes, no more.

    Examples
    --------
    >>> can_broadcast((1, 0), (5, 1)), can_broadcast((0,), (5,))
    (True, False)
    """
    pairs = zip(reversed(shape_a), reversed(shape_b), strict=False)
    return all(m == n or m == 1 or n == 1 for m, n in pairs)


def can_broadcast_to(shape: Shape, target: Shape) -> bool:
    """Return whether `shape` stretches to `target`: what `broadcast_to_shape` takes."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(m == n or m == 1 for m, n in pairs)


def _expand(shape: Shape, ndim: int) -> Shape:
    return (1,) * (ndim - len(shape)) + shape


def _stretches(expanded: Shape, common: Sequence[int]) -> tuple[bool, ...]:
    return tuple(n != length for n, length in zip(expanded, common, strict=True))


def normalize_axis(axis: SupportsIndex, ndim: int, operation: str = "axis") -> int:
    """Return `axis` counted from the front.

    Raises
    ------
    ShapeError
        If there is no such axis.
    UnsupportedError
        If `axis` is not an integer.

    Examples
    --------
    >>> normalize_axis(-1, 3)
    2
    """
    try:
        number = as_index(axis)
    except TypeError as error:
        raise UnsupportedError(f"{operation}: axis {axis!r} is not an integer") from error
    if not -ndim <= number < ndim:
        allowed = f"axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes"
        raise ShapeError(
            f"{operation}: axis {number} is out of bounds for an array of dimension {ndim}; "
            f"{allowed}"
        )
    return number + ndim if number < 0 else number


def normalize_axes(
    axes: SupportsIndex | Iterable[SupportsIndex] | None, ndim: int, operation: str = "axis"
) -> tuple[int, ...]:
    """Return axes counted from the front, in the order given; None is every axis.

    Raises
    ------
    ShapeError
        If there is no such axis, or it is given twice.
    UnsupportedError
        If an axis is not an integer.

    Examples
    --------
    >>> normalize_axes((-1, 0), 3)
    (2, 0)
    """
    if axes is None:
        return tuple(range(ndim))
    given = axes if isinstance(axes, Iterable) else (axes,)
    normal = tuple(normalize_axis(axis, ndim, operation) for axis in given)
    if len(set(normal)) != len(normal):
        raise ShapeError(f"{operation}: axes {normal} name an axis twice; give each axis once")
    return normal


def resolve_index(index: object, shape: Shape) -> ResolvedIndex:
    """Resolve a basic index (integers, slices, ellipsis, None) against a shape.

    Parameters
    ----------
    index : object
        What stands between the brackets.
    shape : tuple of int
        The shape of the array that is indexed.

    Returns
    -------
    ResolvedIndex
        A record for each axis of the result, and the axes dropped by integers. An empty axis
        starts at 0, and no step is longer than its axis (but for 1 and -1), so that offsets
        made from them stay inside the array.

    Raises
    ------
    BoundsError
        If an integer is out of bounds, there are too many indices or ellipses, or an index is
        not basic.
    ShapeError
        If a slice has step 0.
    UnsupportedError
        If a slice has a part that is neither an integer nor None.

    Examples
    --------
    >>> resolve_index((1, slice(None, None, -2)), (2, 5))
    ResolvedIndex(axes=(AxisIndex(source=1, start=4, step=-2, length=3),), dropped=((0, 1),))
    """
    items = [_basic(item) for item in (index if isinstance(index, tuple) else (index,))]
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise BoundsError(
            f"index: an index can have a single ellipsis (...), got {ellipses}; keep one"
        )
    used = sum(isinstance(item, int | slice) for item in items)
    if used > len(shape):
        raise BoundsError(
            f"index: too many indices: the array has {len(shape)} axes, shape {shape}, "
            f"and {used} were indexed; give at most one index for each axis"
        )
    if not ellipses:
        items.append(Ellipsis)
    axes: list[AxisIndex] = []
    dropped: list[tuple[int, int]] = []
    source = 0
    for item in items:
        if item is None:
            axes.append(AxisIndex(None, 0, 1, 1))
        elif isinstance(item, EllipsisType):
            stop = source + len(shape) - used
            axes += [AxisIndex(axis, 0, 1, shape[axis]) for axis in range(source, stop)]
            source = stop
        elif isinstance(item, slice):
            axes.append(_sliced(item, source, shape))
            source += 1
        else:
            dropped.append((source, _position(item, source, shape)))
            source += 1
    return ResolvedIndex(tuple(axes), tuple(dropped))


def _basic(item: object) -> int | slice | EllipsisType | None:
    if item is None or isinstance(item, slice | EllipsisType):
        return item
    try:
        if isinstance(item, bool | np.bool_):
            raise TypeError("a truth value is a mask of no axes")
        return as_index(item)  # type: ignore[arg-type]
    except UnsupportedError:  # a lazy value says itself why it is no index
        raise
    except TypeError as error:
        raise BoundsError(
            f"index: {type(item).__name__} is no basic index; only integers, slices, an ellipsis "
            "(...) and None (newaxis) are; give several indices, or a mask, as an array"
        ) from error


def _position(position: int, axis: int, shape: Shape) -> int:
    size = shape[axis]
    if not -size <= position < size:
        raise BoundsError(
            f"index: {position} is out of bounds for axis {axis} with size {size} of shape {shape}"
            + (f"; give {-size} to {size - 1}" if size else "; an empty axis has no elements")
        )
    return position + size if position < 0 else position


def _sliced(part: slice, axis: int, shape: Shape) -> AxisIndex:
    size = shape[axis]
    try:
        start, stop, step = part.indices(size)
    except ValueError as error:
        raise ShapeError(
            f"index: slice step of axis {axis} cannot be zero; give another step"
        ) from error
    except TypeError as error:
        raise UnsupportedError(
            f"index: {part!r} of axis {axis} has a part that is no integer; "
            "a slice takes integers or None"
        ) from error
    length = len(range(start, stop, step))
    longest = max(size, 1)
    return AxisIndex(axis, start if length else 0, max(-longest, min(step, longest)), length)


def collapse_dimensions(
    shape: Sequence[int], *strides: Sequence[int], reorder: bool = True
) -> tuple[list[int], list[list[int]]]:
    """Merge axes that every operand walks in one stride.

    Parameters
    ----------
    shape : sequence of int
        The common shape.
    *strides : sequence of int
        The byte strides of each operand, 0 along stretched axes.
    reorder : bool
        Whether axes may be sorted: the longest stride of the first operand outermost, ties
        and stretched axes by the operands after it.

    Returns
    -------
    shape : list of int
        The fewest axes that visit the same elements: none for a single element, one of length
        0 for an empty shape.
    strides : list of list of int
        The strides of each operand along them.

    Examples
    --------
    >>> collapse_dimensions((2, 3, 4), (48, 16, 4), (12, 4, 1))
    ([24], [[4], [1]])
    >>> collapse_dimensions((3, 4), (4, 12), (0, 1))
    ([4, 3], [[12, 4], [1, 0]])
    """
    if 0 in shape:
        return [0], [[0] for _ in strides]
    rows = [row for row in zip(shape, *strides, strict=True) if row[0] != 1]
    if reorder and len(rows) > 1 and strides:
        _sort_rows(rows)
    merged: list[tuple[int, ...]] = []
    for row in rows:
        if merged:
            outer, length = merged[-1], row[0]
            for a, b in zip(outer[1:], row[1:], strict=True):
                if a != b * length:
                    break
            else:
                merged[-1] = (outer[0] * length, *row[1:])
                continue
        merged.append(row)
    if not merged:
        return [], [[] for _ in strides]
    lengths, *columns = map(list, zip(*merged, strict=True))
    return lengths, columns


def _sort_rows(rows: list[tuple[int, ...]]) -> None:
    """Sort (length, strides...) rows, longest stride first, by insertion."""
    for i in range(1, len(rows)):
        row = rows[i]
        j = i
        while j and _is_outer(row, rows[j - 1]):
            rows[j] = rows[j - 1]
            j -= 1
        rows[j] = row


def _is_outer(row: tuple[int, ...], other: tuple[int, ...]) -> bool:
    for k in range(1, len(row)):
        a, b = abs(row[k]), abs(other[k])
        if a != b and a and b:
            return a > b
    return False
