"""Memory that an expression reads, and the record of what muntin has written since."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from muntin.dtypes import DType, dtype_of
from muntin.errors import StaleInputError
from muntin.runtime.address import address_of
from muntin.runtime.fork import reset_after_fork

__all__ = ["Buffer", "WriteLog", "note_write", "share_memory"]

_KEPT_WRITES = 4096
_OVERLAP_WORK = 1 << 14  # past this search effort two interleaved layouts count as overlapping


def share_memory(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> bool:
    """Return whether a byte of `a` is a byte of `b`; true where that is too hard to say."""
    try:
        return np.shares_memory(a, b, max_work=_OVERLAP_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


class _Layout(NamedTuple):
    """Which bytes an array covers, without keeping them."""

    address: int
    low: int
    high: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    typestr: str

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.typestr,
            "data": (self.address, False),
        }

    def overlaps(self, other: _Layout) -> bool:
        """Return whether a byte of one is a byte of the other; no memory is touched."""
        if self.low >= other.high or other.low >= self.high:
            return False
        return share_memory(np.asarray(self), np.asarray(other))


def _layout(array: npt.NDArray[Any]) -> _Layout:
    address = address_of(array)
    if array.flags.c_contiguous:
        size = array.nbytes
        return _Layout(address, address, address + size, (size,), (1,), "|u1")
    shape, strides = array.shape, array.strides
    low = high = address
    if array.size:
        high += array.itemsize
        for extent, stride in zip(shape, strides, strict=True):
            if stride > 0:
                high += (extent - 1) * stride
            else:
                low += (extent - 1) * stride
    return _Layout(address, low, high, shape, strides, array.dtype.str)


class WriteLog:
    """The layouts that muntin wrote at a caller's request, the latest last.

    A write to a layout that was written before replaces the earlier one. When the log grows long,
    every living buffer is told what it has missed, and all is forgotten.
    """

    def __init__(self) -> None:
        self.serial = 0
        self._writes: dict[_Layout, int] = {}
        self._readers: WeakSet[Buffer] = WeakSet()
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget any thread that was at work on the log."""
        self._lock = threading.RLock()  # a collection inside a locked section may enter again

    def note(self, array: npt.NDArray[Any]) -> None:
        """Record that `array` is about to be written."""
        layout = _layout(array)
        with self._lock:
            self.serial += 1
            self._writes.pop(layout, None)
            self._writes[layout] = self.serial
            if len(self._writes) > _KEPT_WRITES:
                self._settle()

    def _settle(self) -> None:
        layouts = list(self._writes)
        serials = np.fromiter(self._writes.values(), np.int64)
        lows = np.fromiter((layout.low for layout in layouts), np.int64)
        highs = np.fromiter((layout.high for layout in layouts), np.int64)
        for reader in list(self._readers):
            seen = reader.layout
            near = (serials > reader.seen) & (lows < seen.high) & (highs > seen.low)
            if any(layouts[place].overlaps(seen) for place in near.nonzero()[0]):
                reader.is_stale = True
            reader.seen = self.serial
        self._writes.clear()

    def join(self, buffer: Buffer) -> int:
        """Return the number of writes so far; later ones concern `buffer`."""
        with self._lock:
            self._readers.add(buffer)
            return self.serial

    def is_written_since(self, layout: _Layout, serial: int) -> bool:
        """Return whether a byte of `layout` was written after write number `serial`."""
        with self._lock:
            for written, number in reversed(self._writes.items()):
                if number <= serial:
                    return False
                if written.overlaps(layout):
                    return True
        return False


_log = WriteLog()


def note_write(array: npt.NDArray[Any]) -> None:
    """Record that muntin is about to write `array`: expressions that read it are then stale."""
    _log.note(array)


class Buffer:
    """The memory of an input node; the array is kept alive and never written.

    Attributes
    ----------
    array : ndarray
        Any strides; aligned and in the machine's byte order.
    dtype : DType
        Its element type.
    seen : int
        The number of the last write that is known to have spared this memory.
    """

    __slots__ = ("__weakref__", "_layout", "array", "dtype", "is_stale", "seen")

    def __init__(self, array: npt.NDArray[Any], dtype: DType | None = None) -> None:
        self.array = array
        self.dtype = dtype_of(array.dtype) if dtype is None else dtype
        self._layout: _Layout | None = None
        self.is_stale = False
        self.seen = _log.join(self)

    @property
    def address(self) -> int:
        """The address of element 0."""
        return self.layout.address

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self.array.strides

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def layout(self) -> _Layout:
        """Where its elements lie."""
        layout = self._layout
        if layout is None:
            layout = self._layout = _layout(self.array)
        return layout

    def check_version(self) -> None:
        """Raise StaleInputError if muntin has written this memory since the buffer was made."""
        serial = _log.serial
        if serial != self.seen:
            if not self.is_stale and _log.is_written_since(self.layout, self.seen):
                self.is_stale = True
            self.seen = serial
        if self.is_stale:
            raise StaleInputError(
                f"eval: an input, {self.dtype} {self.shape}, was written by a later evaluation "
                "with out= after the expression took it; evaluate the expression before that "
                "write, or build it again from muntin.asarray()"
            )

    def __repr__(self) -> str:
        return f"Buffer({self.dtype}, {self.shape}, strides {self.strides})"
