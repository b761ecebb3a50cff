"""What a program takes and gives: arrays of a type and a rank, and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from muntin.dtypes import DType, dtype_of
from muntin.errors import ParameterError

__all__ = ["Input", "Output", "Parameter", "Scalar", "Scratch", "ShapeRule"]

ShapeRule: TypeAlias = int | tuple[int, ...] | Callable[..., Any]

_MOST_AXES = 16


@dataclass(frozen=True, slots=True)
class Input:
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

    dtype: DType | npt.DTypeLike
    ndim: int

    def __post_init__(self) -> None:
        _check(self, "Input")


@dataclass(frozen=True, slots=True)
class Output:
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

    dtype: DType | npt.DTypeLike
    ndim: int
    shape: ShapeRule

    def __post_init__(self) -> None:
        _check(self, "Output")


@dataclass(frozen=True, slots=True)
class Scratch:
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

    dtype: DType | npt.DTypeLike
    ndim: int
    shape: ShapeRule

    def __post_init__(self) -> None:
        _check(self, "Scratch")


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


Parameter: TypeAlias = Input | Output | Scratch | Scalar


def _check(array: Input | Output | Scratch, word: str) -> None:
    object.__setattr__(array, "dtype", dtype_of(array.dtype))
    if type(array.ndim) is not int or not 0 <= array.ndim <= _MOST_AXES:
        raise ParameterError(
            f"{word}: ndim is {array.ndim!r}; give the number of axes, an integer from 0 to "
            f"{_MOST_AXES}"
        )
