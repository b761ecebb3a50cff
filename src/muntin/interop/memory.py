"""Any object that holds numbers, as a NumPy array over the same memory where that can be."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.errors import ParameterError, ShapeError, UnsupportedError
from muntin.interop.dlpack import from_memory

__all__ = ["as_ndarray"]

_READ_FIRST = "give numbers, or read the file first: muntin.interop.images.read_image(path)"


def as_ndarray(x: object, copy: bool | None = None) -> npt.NDArray[Any]:
    """Return `x` as a plain, aligned array in the machine's byte order.

    NumPy arrays of any strides, read-only and memory-mapped ones, objects with `__dlpack__` in
    host memory and objects with the buffer protocol keep their memory. Numbers, sequences,
    unaligned data and other byte orders are copied. A `copy` of True copies the others too, and
    False makes an error of those.

    Raises
    ------
    UnsupportedError
        If `x` is a masked array, a text, a path, or holds no numbers.
    ShapeError
        If `x` is sequences of uneven lengths.
    ParameterError
        If `x` needs a copy, but `copy` is False.
    """
    array = x if type(x) is np.ndarray else _taken(x, copy)
    if copy or not (array.dtype.isnative and array.flags.aligned):
        if copy is False:
            raise _needs_copy("memory that is unaligned, or of another byte order,")
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _needs_copy(what: str) -> ParameterError:
    return ParameterError(
        f"asarray: {what} cannot be read in place, but copy is False; leave copy away"
    )


def _taken(x: object, copy: bool | None) -> npt.NDArray[Any]:
    if isinstance(x, np.ma.MaskedArray):
        raise UnsupportedError(
            "asarray: got a masked array, whose mask would be lost; give x.filled(value), or "
            "x.data and the mask as two Arrays"
        )
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    if isinstance(x, str):
        raise UnsupportedError(f"asarray: got the text {x[:40]!r}; {_READ_FIRST}")
    if isinstance(x, PathLike):
        raise UnsupportedError(f"asarray: got the path {str(x)!r}; {_READ_FIRST}")
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _from_dlpack(x)
    try:
        return np.asarray(memoryview(x))  # type: ignore[arg-type]
    except TypeError:
        return _converted(x, copy)


def _converted(x: object, copy: bool | None) -> npt.NDArray[Any]:
    kind = type(x).__name__
    try:
        array: npt.NDArray[Any] = np.asarray(x, copy=False if copy is False else None)
    except ValueError as error:
        if copy is False:
            raise _needs_copy(f"a {kind}") from error
        raise ShapeError(
            f"asarray: the sequences in a {kind} do not make an array ({error}); give all of a "
            "level the same length"
        ) from error
    if array.dtype.kind == "O" and not isinstance(x, np.ndarray):
        raise UnsupportedError(
            f"asarray: got a value of type {kind}, in which NumPy finds no numbers; give an array, "
            "a number or sequences of numbers"
        )
    return array


def _from_dlpack(x: Any) -> npt.NDArray[Any]:
    try:
        return from_memory(x)
    except (RuntimeError, BufferError, TypeError, ValueError) as error:
        raise UnsupportedError(
            f"asarray: the memory of a {type(x).__name__} cannot be read here: {error}; move it "
            "to the host first, or copy it to a NumPy array"
        ) from error
