"""Values kept in memory, made once whoever asks, the least recently used given up first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from muntin.errors import InternalError, ParameterError
from muntin.runtime.fork import reset_after_fork

__all__ = ["LRU"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_PATIENCE = 1.0  # seconds after which a thread looks itself whether what it waits for is over


class _Making:
    """A value on its way: who makes it, and what the others wait for."""

    __slots__ = ("done", "is_over", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.done = threading.Event()
        self.is_over = False


class LRU(Generic[K, V]):
    """The most recently used values, for any number of threads.

    Parameters
    ----------
    capacity : int
        Number of values kept.

    Examples
    --------
    >>> lru = LRU(2)
    >>> [lru.get_or_make(key, lambda: key * 10) for key in (1, 2, 1, 3)]
    [10, 20, 10, 30]
    >>> 2 in lru, 1 in lru
    (False, True)
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ParameterError(
                f"LRU: capacity is {capacity} values; it must be 1 or more; give a larger one"
            )
        self.capacity = capacity
        self._values: OrderedDict[K, V] = OrderedDict()
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget who is making what; the values stay."""
        self._lock = threading.RLock()
        self._making: dict[K, _Making] = {}

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of the key, made by `make` if it is not there.

        Threads that ask for a key while its value is made wait for it, and no others do. If `make`
        raises, its caller gets the exception, and one of those who wait makes the value instead.
        """
        while True:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
            mine = _Making()
            try:
                with self._lock:
                    if key in self._values:  # made in between
                        continue
                    making = self._making.setdefault(key, mine)
                    if making.is_over:
                        making = self._making[key] = mine
                if making is mine:
                    return self._keep(key, make(), mine)
            finally:
                mine.is_over = True  # first of all: a signal handler may raise within the calls
                if self._making.get(key) is mine:
                    del self._making[key]
                mine.done.set()
            if making.thread == mine.thread:
                raise InternalError(f"LRU: making the value of {key!r} asks for that value itself")
            while not (making.done.wait(_PATIENCE) or making.is_over):
                pass

    def _keep(self, key: K, value: V, making: _Making) -> V:
        dropped = []  # values die outside the lock
        with self._lock:
            if self._making.get(key) is making:
                self._values[key] = value
                while len(self._values) > self.capacity:
                    dropped.append(self._values.popitem(last=False))
        return value

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values
