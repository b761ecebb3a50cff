"""What a program takes and gives: arrays of a type and a rank, and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from muntin.dtypes import DType, dtype_of
from muntin.errors import ParameterError

__all__ = ["Input", "Output", "Parameter", "Record", "Scalar", "Scratch", "ShapeRule", "Update"]

ShapeRule: TypeAlias = int | tuple[int, ...] | Callable[..., Any]

_MOST_AXES = 16


@dataclass(frozen=True, slots=True)
class _Array:
    dtype: DType | npt.DTypeLike
    ndim: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", dtype_of(self.dtype))
        if type(self.ndim) is not int or not 0 <= self.ndim <= _MOST_AXES:
            raise ParameterError(
                f"{type(self).__name__}: ndim is {self.ndim!r}; give the number of axes, an "
                f"integer from 0 to {_MOST_AXES}"
            )


@dataclass(frozen=True, slots=True)
class Input(_Array):
    """An array that a program reads.

    Parameters
    ----------
    dtype : data-type
        Its element type.
    ndim : int
        The number of its axes.

    Examples
    --------
    >>> Input("uint8", 2)
    Input(dtype=uint8, ndim=2)
    """


@dataclass(frozen=True, slots=True)
class Output(_Array):
    """An array that a program writes and may read; it holds zeros at first.

    Parameters
    ----------
    dtype : data-type
        Its element type.
    ndim : int
        The number of its axes.
    shape : int, tuple of int or callable
        Its shape, or a function that returns it. The parameters of the function are names of the
        program's inputs, which stand for their shapes, and of its numbers.

    Examples
    --------
    >>> Output("int32", 1, lambda image: image[0] * image[1]).ndim
    1
    """

    shape: ShapeRule


@dataclass(frozen=True, slots=True)
class Update(_Array):
    """An array that a program is given, changes and gives back.

    The program has a copy of its own, which what computes the array writes where the result will
    lie: only elements of an array that is in memory are copied.

    Parameters
    ----------
    dtype : data-type
        Its element type.
    ndim : int
        The number of its axes.

    Examples
    --------
    >>> Update("float32", 1)
    Update(dtype=float32, ndim=1)
    """


@dataclass(frozen=True, slots=True)
class Scratch(_Array):
    """An array that a program writes and reads, and that its caller never sees; zeros at first.

    Parameters
    ----------
    dtype : data-type
        Its element type.
    ndim : int
        The number of its axes.
    shape : int, tuple of int or callable
        As that of an `Output`.
    """

    shape: ShapeRule


@dataclass(frozen=True, slots=True)
class Record(Scratch):
    """Where a program writes down indices of its user that are out of bounds.

    It has a pair for each of the first axes of an array, as often as its shape says: 1, and the
    index, counted from the front. A run in which one was written is a BoundsError.

    Parameters
    ----------
    dtype, ndim, shape
        As those of a `Scratch` array; int64, and two axes, of which the second has a length of 2.
    of : str
        The name of the array.
    axes : int
        The number of its axes that are indexed.
    wraps : bool
        Whether indices below 0 count from the end.
    """

    of: str
    axes: int
    wraps: bool


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that a program takes; other numbers compile nothing.

    Parameters
    ----------
    dtype : data-type
        Its type.
    """

    dtype: DType | npt.DTypeLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", dtype_of(self.dtype))


Parameter: TypeAlias = Input | Output | Update | Scratch | Scalar
