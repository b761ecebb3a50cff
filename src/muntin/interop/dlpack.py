"""DLPack both ways: memory of the host handed to other libraries, and theirs taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.errors import ExchangeError, UnsupportedError

__all__ = ["HOST", "capsule", "check_request", "taken"]

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
    if max_version is None or not _HAS_VERSIONS:
        return array.__dlpack__()
    return array.__dlpack__(max_version=max_version)


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
        array = np.from_dlpack(x, **options)
    except RuntimeError as error:
        raise ExchangeError(
            f"from_dlpack: the memory of a {type(x).__name__} is not in reach: {error}; give "
            'device="cpu" to have it copied, or move it to the host first'
        ) from error
    return array.copy() if copy and not _HAS_VERSIONS else array
