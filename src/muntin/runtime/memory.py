"""Aligned blocks of memory that go back to their pool when the last array over them dies."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.config import settings
from muntin.errors import ParameterError, ShapeError
from muntin.runtime.fork import reset_after_fork

__all__ = ["ALIGNMENT", "PAGE", "Block", "Exporter", "MemoryPool", "MemoryStats"]

ALIGNMENT = 64
PAGE = 4096
POISON = 0xA5

_RETAINED = 256 << 20
_SMALLEST_SHIFT = 6  # classes are multiples of 64 bytes up to 1 KiB, then eight per doubling


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """What a pool holds; all but the counts are bytes.

    `live` is held by blocks, `retained` waits for reuse, `peak` is the most that was ever live.
    """

    live: int
    peak: int
    retained: int
    limit: int
    allocations: int
    reuses: int


@dataclass(frozen=True, slots=True, eq=False)
class _Pages:
    """Memory that a pool hands out again and again."""

    address: int
    capacity: int
    memory: npt.NDArray[np.uint8]  # keeps the memory, starts at the address


class Exporter:
    """What NumPy takes an array's memory from, and keeps as the array's base: with its owner."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def exported(interface: dict[str, Any], owner: Any, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an array over memory of another object, which it keeps alive."""
    array = np.asarray(Exporter(interface, owner))
    # In an interface the types that are not NumPy's own are bytes without a meaning.
    return array if array.dtype == dtype else array.view(dtype)


class Block:
    """A piece of a pool's memory.

    The memory goes back to the pool once the block and all arrays made of it, views included, are
    dead. Fresh memory has no defined contents.

    Attributes
    ----------
    address : int
        Of the first byte: a multiple of 64, of 4096 for blocks of a page or more.
    nbytes : int
        The size that was asked for.
    """

    __slots__ = ("__weakref__", "_pages", "_pool", "address", "nbytes")

    def __init__(self, pool: MemoryPool, pages: _Pages, nbytes: int) -> None:
        self._pool = pool
        self._pages = pages
        self.address = pages.address
        self.nbytes = nbytes

    def array(self, shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return an array in C order over the start of the block.

        Raises
        ------
        ShapeError
            If the block is too small.
        """
        dtype = np.dtype(dtype)
        needed = dtype.itemsize
        for extent in shape:
            needed *= extent
        if needed > self.nbytes:
            raise ShapeError(
                f"Block.array: shape {tuple(shape)} of {dtype} takes {needed} bytes; the block "
                f"has {self.nbytes}; allocate a larger one"
            )
        interface = {
            "version": 3,
            "shape": tuple(shape),
            "typestr": dtype.str,
            "data": (self.address, False),
        }
        return exported(interface, self, dtype)

    def __del__(self) -> None:
        self._pool._take_back(self._pages)

    def __repr__(self) -> str:
        return f"Block({self.nbytes} bytes at {self.address:#x})"


class MemoryPool:
    """Memory that is reused: its pages were touched before, and cost no page faults again.

    Any thread may allocate, and drop blocks anywhere, finalizers and signal handlers included.

    Parameters
    ----------
    limit : int, optional
        Bytes kept for reuse; the sizes that were not returned for longest go first.
    poison : bool, optional
        Fill every block with 0xA5, so that reading what was never written shows. None takes the
        setting.

    Examples
    --------
    >>> pool = MemoryPool()
    >>> a = pool.allocate(24).array((2, 3), "float32")
    >>> a.shape, pool.stats().live
    ((2, 3), 64)
    >>> del a
    >>> pool.stats().live, pool.stats().retained
    (0, 64)
    """

    def __init__(self, limit: int = _RETAINED, poison: bool | None = None) -> None:
        if limit < 0:
            raise ParameterError(
                f"MemoryPool: limit is {limit} bytes; it must be 0 or more; 0 keeps nothing"
            )
        self.limit = limit
        self._poison = poison
        self._live = self._peak = self._allocations = self._reuses = 0
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget the memory that waits for reuse, and any thread that was at work on the pool."""
        # A block may die anywhere, also in a collection or a signal handler within this pool's own
        # locked sections: the lock lets its holder in again, and `_inside` says that it is one.
        self._lock = threading.RLock()
        self._inside = False
        self._returned: deque[_Pages] = deque()
        self._free: dict[int, list[_Pages]] = {}  # by capacity, the latest returned last
        self._retained = 0

    def allocate(self, nbytes: int) -> Block:
        """Return a block of at least `nbytes` bytes.

        Raises
        ------
        ParameterError
            If the size is negative.
        MemoryError
            If there is no memory left, even after the retained memory is given up.
        """
        capacity = _capacity(nbytes)
        block = Block(self, self._reuse(capacity) or self._fresh(capacity), nbytes)
        if settings().poison if self._poison is None else self._poison:
            block._pages.memory[:] = POISON
        return block

    def trim(self, limit: int = 0) -> None:
        """Give memory back to the system until at most `limit` bytes are retained."""
        with self._lock:
            self._settle(limit)

    def stats(self) -> MemoryStats:
        """Return what the pool holds now."""
        with self._lock:
            self._settle(self.limit)
            return MemoryStats(
                self._live,
                self._peak,
                self._retained,
                self.limit,
                self._allocations,
                self._reuses,
            )

    def _reuse(self, capacity: int) -> _Pages | None:
        with self._lock:
            if self._returned:
                self._settle(self.limit)
            self._allocations += 1
            self._live += capacity
            if self._live > self._peak:
                self._peak = self._live
            same = self._free.get(capacity)
            if not same or self._inside:
                return None
            self._reuses += 1
            self._retained -= capacity
            return same.pop()

    def _fresh(self, capacity: int) -> _Pages:
        try:
            return _make_pages(capacity)
        except MemoryError:
            self.trim()
        try:
            return _make_pages(capacity)
        except MemoryError:
            with self._lock:
                self._live -= capacity
            raise

    def _take_back(self, pages: _Pages) -> None:
        self._returned.append(pages)
        with self._lock:
            self._settle(self.limit)

    def _settle(self, limit: int) -> None:
        if self._inside:  # what is returned meanwhile waits for the next call
            return
        self._inside = True
        try:
            while self._returned:
                pages = self._returned.popleft()
                capacity = pages.capacity
                self._live -= capacity
                self._retained += capacity
                # taken out and put in again: the classes are in the order of their last return
                same = self._free.pop(capacity, None) or []
                same.append(pages)
                self._free[capacity] = same
            while self._retained > limit:
                self._evict()
        finally:
            self._inside = False

    def _evict(self) -> None:
        if not self._free:  # an exception from a signal handler cut an earlier count short
            self._retained = 0
            return
        capacity = next(iter(self._free))
        same = self._free[capacity]
        if same:
            self._retained -= capacity
            same.pop(0)
        else:
            del self._free[capacity]


def _capacity(nbytes: int) -> int:
    if nbytes < 0:
        raise ParameterError(
            f"MemoryPool.allocate: {nbytes} bytes were asked for; the size must be 0 or more"
        )
    shift = max(nbytes.bit_length() - 4, _SMALLEST_SHIFT)
    return max((nbytes + (1 << shift) - 1) >> shift, 1) << shift


def _make_pages(capacity: int) -> _Pages:
    alignment = PAGE if capacity >= PAGE else ALIGNMENT
    memory = np.empty(capacity + alignment, np.uint8)
    address = memory.ctypes.data
    start = -address % alignment
    return _Pages(address + start, capacity, memory[start : start + capacity])
