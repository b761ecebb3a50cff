"""Numbers for each dimension, x first: positions, steps, strides and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_index
from typing import Any, ClassVar, Self, SupportsIndex, overload

from muntin.core.shapes import broadcast_shapes
from muntin.errors import BoundsError, ParameterError, ShapeError, UnsupportedError

__all__ = ["MAX_DIMENSIONS", "Coordinates", "Steps", "Strides", "TensorShape", "checked_dimension"]

MAX_DIMENSIONS = 6


def checked_dimension(dimension: int) -> int:
    """Return the number of a dimension, or raise BoundsError if there is none of that number."""
    if not 0 <= dimension < MAX_DIMENSIONS:
        raise BoundsError(
            f"dimension {dimension} does not exist; dimensions are 0 (x) to {MAX_DIMENSIONS - 1}"
        )
    return dimension


class _Sizes(tuple[int, ...]):
    """A number for each of at most six dimensions, x first; those left out have a default."""

    __slots__ = ()
    _unspecified: ClassVar[int] = 0
    _least: ClassVar[int | None] = None

    def __new__(cls, *values: SupportsIndex) -> Self:
        try:
            numbers = [as_index(value) for value in values]
        except TypeError as error:
            raise UnsupportedError(f"{cls.__name__}: {values} are not all integers") from error
        if len(numbers) > MAX_DIMENSIONS:
            raise ShapeError(
                f"{cls.__name__}: got {len(numbers)} dimensions; at most {MAX_DIMENSIONS} exist"
            )
        if cls._least is not None and any(number < cls._least for number in numbers):
            raise ParameterError(
                f"{cls.__name__}: {tuple(numbers)} has a number below {cls._least}"
            )
        return super().__new__(cls, cls._trimmed(numbers))

    @classmethod
    def _trimmed(cls, numbers: list[int]) -> list[int]:
        return numbers

    def __getnewargs__(self) -> Any:
        return tuple(self)

    @overload
    def __getitem__(self, dimension: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, dimension: slice, /) -> tuple[int, ...]: ...
    def __getitem__(self, dimension: SupportsIndex | slice, /) -> int | tuple[int, ...]:
        if isinstance(dimension, slice):
            return super().__getitem__(dimension)
        number = checked_dimension(as_index(dimension))
        return super().__getitem__(number) if number < len(self) else self._unspecified

    @property
    def num_dimensions(self) -> int:
        return len(self)

    @property
    def x(self) -> int:
        return self[0]

    @property
    def y(self) -> int:
        return self[1]

    @property
    def z(self) -> int:
        return self[2]

    def set(self, dimension: int, value: int) -> Self:
        """Return the same numbers but for one."""
        count = max(len(self), checked_dimension(dimension) + 1)
        numbers = [self[d] for d in range(count)]
        numbers[dimension] = value
        return type(self)(*numbers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self))})"


class Coordinates(_Sizes):
    """A position; dimensions left out are at 0."""

    __slots__ = ()


class Steps(_Sizes):
    """Elements per iteration; 1 in dimensions left out."""

    __slots__ = ()
    _unspecified = 1
    _least = 1


class Strides(_Sizes):
    """Bytes from an element to the next, of either sign; 0 in dimensions left out."""

    __slots__ = ()


class TensorShape(_Sizes):
    """Sizes, x (columns) first; 1 in dimensions left out, so that trailing 1s do not count.

    A size may be 0. `TensorShape()` is the shape of one element.

    Examples
    --------
    >>> TensorShape(5, 1, 1)
    TensorShape(5)
    >>> TensorShape.from_numpy((480, 640)).total_size
    307200
    """

    __slots__ = ()
    _unspecified = 1
    _least = 0

    @classmethod
    def _trimmed(cls, numbers: list[int]) -> list[int]:
        while numbers and numbers[-1] == 1:
            del numbers[-1]
        return numbers

    @classmethod
    def from_numpy(cls, shape: Sequence[int]) -> TensorShape:
        """Return the shape of an array whose last axis is x."""
        return cls(*reversed(shape))

    def to_numpy(self, ndim: int = 0) -> tuple[int, ...]:
        """Return the shape with x last, with at least `ndim` axes."""
        return tuple(self[d] for d in reversed(range(max(ndim, len(self)))))

    @property
    def total_size(self) -> int:
        """The number of elements."""
        return prod(self)

    def total_size_lower(self, dimension: int) -> int:
        """Return the number of elements of the dimensions below `dimension`."""
        return prod(self[:dimension])

    def total_size_upper(self, dimension: int) -> int:
        """Return the product of the sizes from `dimension` on."""
        return prod(self[checked_dimension(dimension) :])

    def collapse(self, count: int, first: int = 0) -> TensorShape:
        """Return the shape with `count` dimensions from `first` on made one."""
        if count < 1 or first < 0 or first + count > MAX_DIMENSIONS:
            raise BoundsError(
                f"collapse: {count} dimensions from {first} on do not exist; "
                f"there are {MAX_DIMENSIONS}, and at least 1 is collapsed"
            )
        end = first + count
        lower = [self[d] for d in range(first)]
        return TensorShape(*lower, prod(self[first:end]), *self[end:])

    @classmethod
    def broadcast(cls, *shapes: TensorShape) -> TensorShape:
        """Return the shape that all broadcast to, aligned at x; ShapeError if there is none."""
        ndim = max((len(shape) for shape in shapes), default=0)
        return cls.from_numpy(broadcast_shapes(*(shape.to_numpy(ndim) for shape in shapes)).shape)
