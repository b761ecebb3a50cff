"""Any object that holds numbers, as a NumPy array over the same memory where that can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.errors import UnsupportedError

__all__ = ["as_ndarray"]


def as_ndarray(x: object) -> npt.NDArray[Any]:
    """Return `x` as a plain, aligned array in the machine's byte order.

    NumPy arrays of any strides, read-only and memory-mapped ones, objects with `__dlpack__` in
    host memory and objects with the buffer protocol keep their memory. Numbers, sequences,
    unaligned data and other byte orders are copied.

    Raises
    ------
    UnsupportedError
        If `x` is a masked array, a text, or holds no numbers.
    """
    array = x if type(x) is np.ndarray else _taken(x)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not array.flags.aligned:
        array = array.copy()
    return array


def _taken(x: object) -> npt.NDArray[Any]:
    if isinstance(x, np.ma.MaskedArray):
        raise UnsupportedError(
            "asarray: got a masked array, whose mask would be lost; give x.filled(value), or "
            "x.data and the mask as two Arrays"
        )
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    if isinstance(x, str):
        raise UnsupportedError("asarray: got a text; give numbers, or open an image file first")
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _from_dlpack(x)
    try:
        return np.asarray(memoryview(x))  # type: ignore[arg-type]
    except TypeError:
        return np.asarray(x)


def _from_dlpack(x: Any) -> npt.NDArray[Any]:
    try:
        return np.from_dlpack(x)
    except (RuntimeError, BufferError, TypeError, ValueError) as error:
        raise UnsupportedError(
            f"asarray: the memory of a {type(x).__name__} cannot be read here: {error}; move it "
            "to the host first, or copy it to a NumPy array"
        ) from error
