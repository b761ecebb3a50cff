"""The promises of a program about its memory, checked on a record of all accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from muntin.errors import InternalError, RaceError
from muntin.runtime.interpret.memory import Memory, Pointer

__all__ = ["Access", "AccessLog"]


class Access(NamedTuple):
    """Some bytes that were read or written through a pointer of an origin."""

    memory: Memory
    offset: int
    size: int
    is_write: bool
    origin: int
    is_atomic: bool = False


@dataclass(slots=True)
class AccessLog:
    """The accesses since the outermost call or loop that promises something about them.

    Every pointer parameter of every call gets a number, its origin; `parents` gives that of the
    argument, and `writable` whether it may be written through. A strict log allows only one
    iteration to write a byte, but for additions in one step. A quick one records nothing.
    """

    is_strict: bool = False
    is_quick: bool = False
    accesses: list[Access] = field(default_factory=list)
    watchers: int = 0
    parents: list[int] = field(default_factory=lambda: [0])
    writable: list[bool] = field(default_factory=lambda: [True])

    def reset(self) -> None:
        """Forget everything."""
        self.accesses.clear()
        self.watchers = 0
        del self.parents[1:], self.writable[1:]

    def derive(self, pointer: Pointer, is_written: bool) -> Pointer:
        """Return the pointer as a parameter of a new call sees it."""
        self.parents.append(pointer.origin)
        self.writable.append(is_written and self.writable[pointer.origin])
        return Pointer(pointer.memory, pointer.offset, len(self.parents) - 1)

    def note(
        self, pointer: Pointer, offset: int, size: int, is_write: bool, *, is_atomic: bool = False
    ) -> None:
        """Record an access."""
        if is_write and not self.writable[pointer.origin]:
            raise InternalError(
                f"interpret: byte {offset} of {pointer.memory.name} is written through a "
                "parameter that is not marked as written"
            )
        if self.watchers:
            self.accesses.append(
                Access(pointer.memory, offset, size, is_write, pointer.origin, is_atomic)
            )

    def watch(self) -> int:
        """Start to record; return where this watcher's record begins."""
        self.watchers += not self.is_quick
        return len(self.accesses)

    def unwatch(self) -> None:
        """End the record of the last watcher."""
        self.watchers -= not self.is_quick
        if not self.watchers:
            self.accesses.clear()

    def check_iterations(self, loop: str, begins: Sequence[int]) -> None:
        """Check that no iteration read what another wrote; each begins where `begins` says.

        Where the log is strict, none may have written it either.
        """
        if not begins or self.is_quick:
            return
        ends = [*begins[1:], len(self.accesses)]
        actors: list[int] = []
        for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            actors += [number] * (end - begin)
        accesses = self.accesses[begins[0] :]
        if _are_apart(accesses, actors):
            return
        alone = [access.is_write and not access.is_atomic for access in accesses]
        for touched in _touched(accesses, actors, alone):
            several = touched.first != touched.last
            bad = touched.is_read & touched.is_written & several
            if self.is_strict:
                bad |= touched.is_promised & several
            if bad.any():
                place = int(bad.argmax())
                word = "reads" if touched.is_read[place] else "writes"
                fault = RaceError if self.is_strict else InternalError
                raise fault(
                    f"interpret: an iteration of the independent loop over {loop} {word} byte "
                    f"{touched.low + place} of {touched.memory.name}, which another writes"
                )

    def check_call(
        self, function: str, names: Sequence[str], unaliased: Sequence[bool], first: int, begin: int
    ) -> None:
        """Check that what was written through an unaliased parameter was reached through it alone.

        Parameters
        ----------
        function
            The name of the function called.
        names, unaliased
            Of its pointer parameters.
        first
            The origin of the first of them.
        begin
            Where the call's record begins.
        """
        if self.is_quick:
            return
        based: list[int] = list(range(len(names)))
        for parent in self.parents[first + len(names) :]:
            based.append(based[parent - first] if parent >= first else -1)
        accesses = self.accesses[begin:]
        actors = [based[a.origin - first] if a.origin >= first else -1 for a in accesses]
        if _are_apart(accesses, actors):
            return
        promised = [actor >= 0 and unaliased[actor] for actor in actors]
        for touched in _touched(accesses, actors, promised):
            bad = touched.is_promised & touched.is_written & (touched.first != touched.last)
            if bad.any():
                place = int(bad.argmax())
                known = [*names, "a stored pointer"]
                raise InternalError(
                    f"interpret: {function}: byte {touched.low + place} of {touched.memory.name} "
                    f"is written, and reached through {known[int(touched.first[place])]} and "
                    f"{known[int(touched.last[place])]}, of which one is unaliased"
                )


def _are_apart(accesses: Sequence[Access], actors: Sequence[int]) -> bool:
    """Say whether each element written was touched by one actor alone, where that is easy to see.

    It is not where elements of several sizes were touched in one memory.
    """
    writers: dict[tuple[Memory, int], int] = {}
    sizes: dict[Memory, int] = {}
    for access, actor in zip(accesses, actors, strict=True):
        if access.is_write and access.size:
            size = sizes.setdefault(access.memory, access.size)
            if writers.setdefault((access.memory, access.offset), actor) != actor:
                return False
            if size != access.size or access.offset % size:
                return False
    for access, actor in zip(accesses, actors, strict=True):
        size = sizes.get(access.memory, 0)
        if size and not access.is_write:
            if writers.get((access.memory, access.offset), actor) != actor:
                return False
            if size != access.size or access.offset % size:
                return False
    return True


class _Touched(NamedTuple):
    """What was done to the bytes of a memory from `low` on, and by which actors, first and last."""

    memory: Memory
    low: int
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    is_read: npt.NDArray[np.bool_]
    is_written: npt.NDArray[np.bool_]
    is_promised: npt.NDArray[np.bool_]


def _touched(
    accesses: Sequence[Access], actors: Sequence[int], promised: Sequence[bool]
) -> Iterator[_Touched]:
    by_memory: dict[Memory, list[int]] = {}
    for number, access in enumerate(accesses):
        if access.size:
            by_memory.setdefault(access.memory, []).append(number)
    for memory, numbers in by_memory.items():
        offset = np.array([accesses[n].offset for n in numbers], np.int64)
        size = np.array([accesses[n].size for n in numbers], np.int64)
        low = int(offset.min())
        length = int((offset + size).max()) - low
        starts = offset - low - np.cumsum(size) + size
        places = np.repeat(starts, size) + np.arange(size.sum(), dtype=np.int64)
        actor = np.repeat(np.array([actors[n] for n in numbers], np.int64), size)
        write = np.repeat(np.array([accesses[n].is_write for n in numbers]), size)
        promise = np.repeat(np.array([promised[n] for n in numbers]), size)
        first = np.full(length, max(actors) + 1, np.int64)
        last = np.full(length, -1, np.int64)
        np.minimum.at(first, places, actor)
        np.maximum.at(last, places, actor)
        flags = np.zeros((3, length), np.bool_)
        flags[0, places[~write]] = True
        flags[1, places[write]] = True
        flags[2, places[promise]] = True
        yield _Touched(memory, low, first, last, flags[0], flags[1], flags[2])
