"""DLPack both ways: memory of the host handed to other libraries, and theirs taken."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_uint8, c_void_p, py_object
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.dtypes import dtype_of
from muntin.errors import ExchangeError, UnsupportedError

__all__ = ["HOST", "capsule", "check_request", "from_memory", "taken"]

HOST = (1, 0)  # DLPack's kind of the CPU, and its number

_NUMPY = tuple([int(part) for part in np.__version__.split(".")[:2]])
_HAS_VERSIONS = _NUMPY >= (2, 1)  # of NumPy's own __dlpack__ and from_dlpack


def check_request(stream: Any, dl_device: tuple[int, int] | None) -> None:
    """Raise an error if elements are asked for anywhere but in host memory.

    Raises
    ------
    ExchangeError
        If there is a stream, or another device than the host.
    """
    if stream is not None:
        raise ExchangeError(
            f"dlpack: stream is {stream!r}; Arrays lie in host memory, where there are no "
            "streams; leave it away"
        )
    if dl_device is not None and tuple(dl_device) != HOST:
        raise ExchangeError(
            f"dlpack: the elements are asked for on device {tuple(dl_device)}; Arrays lie in host "
            f"memory, device {HOST}; take them there, and move them with the other library"
        )


def capsule(array: npt.NDArray[Any], max_version: tuple[int, int] | None, copy: bool | None) -> Any:
    """Return an array's memory as a capsule; a copy of it where that is asked for or needed.

    Raises
    ------
    ExchangeError
        If there must be no copy, but DLPack does not hold the array as it is.
    """
    if copy:
        array = array.copy()
    try:
        return _capsule(array, max_version)
    except BufferError as error:
        if copy is False:
            raise ExchangeError(
                f"dlpack: the memory cannot be handed over as it is: {error}; ask for a copy"
            ) from error
    return _capsule(array.copy(), max_version)


def _capsule(array: npt.NDArray[Any], max_version: tuple[int, int] | None) -> Any:
    is_foreign = dtype_of(array.dtype).name == "bfloat16"  # NumPy hands over its own types alone
    given = array.view(np.uint16) if is_foreign else array
    if max_version is None or not _HAS_VERSIONS:
        made = given.__dlpack__()
    else:
        made = given.__dlpack__(max_version=max_version)
    return _relabelled(made, _UNSIGNED, _BFLOAT) if is_foreign else made


# --- bfloat16 -------------------------------------------------------------------------------------

_UNSIGNED, _BFLOAT = 1, 4  # DLPack's codes of kinds of numbers
# By the names of capsules, the byte at which their tensor says what kind of numbers it has.
_CODES = {b"dltensor": 20, b"dltensor_versioned": 52}

_name = ctypes.PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _relabelled(made: Any, old: int, new: int) -> Any:
    """Return a capsule that nobody has taken yet, its 16-bit numbers of another kind.

    A kind that is not `old` stays.
    """
    name = _name(made)
    code = c_uint8.from_address(_pointer(made, name) + _CODES[name])
    if code.value == old:
        code.value = new
    return made


class _Unsigned:
    """The bfloat16 numbers of an object, handed to NumPy as the integers that have their bits."""

    def __init__(self, x: Any) -> None:
        self._x = x

    def __dlpack__(self, **options: Any) -> Any:
        return _relabelled(self._x.__dlpack__(**options), _BFLOAT, _UNSIGNED)

    def __dlpack_device__(self) -> Any:
        return self._x.__dlpack_device__()


def from_memory(x: Any, **options: Any) -> npt.NDArray[Any]:
    """Return the memory of an object with DLPack as NumPy does, bfloat16 too."""
    if not str(getattr(x, "dtype", "")).endswith("bfloat16"):
        return np.from_dlpack(x, **options)
    return np.from_dlpack(_Unsigned(x), **options).view(dtype_of("bfloat16").numpy)


def taken(x: Any, *, to_host: bool, copy: bool | None) -> npt.NDArray[Any]:
    """Return the memory of an object with DLPack as an array, of another device if it copies it.

    Raises
    ------
    UnsupportedError
        If the object has no DLPack.
    ExchangeError
        If its memory is not in reach.
    """
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise UnsupportedError(
            f"from_dlpack: a {type(x).__name__} has no __dlpack__; take it with muntin.asarray"
        )
    options: dict[str, Any] = {}
    if _HAS_VERSIONS:
        options = {"copy": copy} | ({"device": "cpu"} if to_host else {})
    try:
        array = from_memory(x, **options)
    except RuntimeError as error:
        raise ExchangeError(
            f"from_dlpack: the memory of a {type(x).__name__} is not in reach: {error}; give "
            'device="cpu" to have it copied, or move it to the host first'
        ) from error
    return array.copy() if copy and not _HAS_VERSIONS else array
