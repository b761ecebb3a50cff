"""Memory in which every access is checked, for programs that are run without a compiler."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from muntin.core.program import POINTER
from muntin.dtypes import DType
from muntin.errors import InternalError

__all__ = ["Memory", "Pointer"]

Bytes: TypeAlias = npt.NDArray[np.uint8]

_OUTSIDE, _UNSET, _SET = 0, 1, 2  # a byte between elements, one never written, one that has a value
_ALL_SET = tuple(bytes([_SET]) * size for size in range(9))


class Pointer:
    """A place in a memory; `origin` numbers the parameter from which it was derived."""

    __slots__ = ("memory", "offset", "origin")

    def __init__(self, memory: Memory, offset: int = 0, origin: int = 0) -> None:
        self.memory = memory
        self.offset = offset
        self.origin = origin

    def __repr__(self) -> str:
        return f"Pointer({self.memory.name!r}, {self.offset})"


class Memory:
    """The bytes from the first to the last element of an array, of which only elements are used.

    Parameters
    ----------
    array : ndarray
        Any strides; written only if NumPy may write it.
    name : str
        What error messages call it.
    is_set : bool
        Whether the elements hold values; otherwise reading one before it is written is a fault.
    """

    def __init__(
        self, array: npt.NDArray[Any], *, name: str = "memory", is_set: bool = True
    ) -> None:
        self.name = name
        self.is_writable = array.flags.writeable
        low, high = byte_bounds(array) if array.size else (array.ctypes.data,) * 2
        self.address = low
        self._first = array.ctypes.data - low
        self.bytes = _flat_bytes(array, high - low)
        state = np.full(high - low, _OUTSIDE, np.uint8)
        for place in range(array.itemsize if array.size else 0):
            byte_of_all = as_strided(state[self._first + place :], array.shape, array.strides)
            byte_of_all[...] = _SET if is_set else _UNSET
        self.state = bytearray(state.tobytes())
        self.pointers: dict[int, Pointer] = {}
        self._views: dict[str, tuple[npt.NDArray[Any], int]] = {}

    @classmethod
    def scratch(cls, nbytes: int, *, name: str = "scratch") -> Memory:
        """Return fresh memory, 64-byte aligned, of which nothing is written."""
        block = np.zeros(nbytes + 63, np.uint8)
        start = -block.ctypes.data % 64
        return cls(block[start : start + nbytes], name=name, is_set=False)

    @property
    def first(self) -> Pointer:
        """The pointer to element 0 of the array."""
        return Pointer(self, self._first)

    @property
    def unset(self) -> int:
        """The number of bytes of elements that were never written."""
        return self.state.count(_UNSET)

    def load(self, offset: int, dtype: DType) -> Any:
        """Return the element at a byte offset."""
        size = dtype.itemsize
        if offset < 0 or self.state[offset : offset + size] != _ALL_SET[size]:
            self._check_read(offset, size, f"load of {dtype}")
        if dtype is POINTER:
            return self._load_pointer(offset)
        if self.pointers and self._slot(offset) in self.pointers:
            raise self._fault(f"load of {dtype}", offset, "a pointer is stored there")
        view, place = self._place(offset, dtype, "load")
        value = view[place]
        return value != 0 if dtype.is_bool else value

    def word(self, offset: int, dtype: DType) -> Any:
        """Return the bytes from an offset on, the first of which are the low ones, as a number.

        A word begins at an element. Others of its bytes may lie between elements, where anything
        may stand: nothing may depend on them, so that they are given wrong.
        """
        stop, word = offset + dtype.itemsize, f"word of {dtype}"
        self._check_bounds(offset, dtype.itemsize, word)
        self._check_read(offset, 1, word)
        found, state = self.bytes[offset:stop], self.state[offset:stop]
        if _UNSET in state:
            raise self._fault(word, offset, "never written")
        if _OUTSIDE in state:
            found = np.where(np.frombuffer(state, np.uint8) == _OUTSIDE, ~found, found)
        return dtype.numpy.type(int.from_bytes(found.tobytes(), "little"))

    def store(self, offset: int, value: Any, dtype: DType) -> None:
        """Write an element at a byte offset."""
        size = dtype.itemsize
        self._check_write(offset, size, f"store of {dtype}")
        view, place = self._place(offset, dtype, "store")
        if self.pointers:
            self.pointers.pop(self._slot(offset), None)
        if dtype is POINTER:
            self.pointers[offset] = value
        else:
            view[place] = value
        self.state[offset : offset + size] = _ALL_SET[size]

    def copy_from(self, offset: int, source: Pointer, count: int) -> None:
        """Copy bytes, and the pointers among them, from a place that does not overlap."""
        other, start = source.memory, source.offset
        if count < 0:
            raise self._fault("copy", offset, f"the count is {count} bytes")
        other._check_read(start, count, "copy")
        self._check_write(offset, count, "copy")
        if other is self and count and abs(start - offset) < count:
            raise self._fault("copy", offset, f"it overlaps its source at byte {start}")
        self._forget_pointers(offset, count)
        for place in other._stored_pointers(start, count):
            self.pointers[offset + place - start] = other.pointers[place]
        self.bytes[offset : offset + count] = other.bytes[start : start + count]
        self.state[offset : offset + count] = bytes([_SET]) * count

    def _check_read(self, offset: int, size: int, word: str) -> None:
        self._check_bounds(offset, size, word)
        bad = self.state[offset : offset + size].translate(None, _ALL_SET[1])
        if bad:
            gap = bad[0] == _OUTSIDE
            raise self._fault(word, offset, "it is between elements" if gap else "never written")

    def _check_write(self, offset: int, size: int, word: str) -> None:
        self._check_bounds(offset, size, word)
        if not self.is_writable:
            raise self._fault(word, offset, "the memory is read-only")
        if _OUTSIDE in self.state[offset : offset + size]:
            raise self._fault(word, offset, "it is between elements")

    def _check_bounds(self, offset: int, size: int, word: str) -> None:
        if offset < 0 or offset + size > len(self.state):
            raise self._fault(word, offset, f"there are {len(self.state)} bytes")

    def _place(self, offset: int, dtype: DType, word: str) -> tuple[npt.NDArray[Any], int]:
        """Return the memory as elements of a type, and which of them lies at the offset."""
        known = self._views.get(dtype.name)
        if known is None:
            shift = -self.address % dtype.itemsize
            count = max(len(self.bytes) - shift, 0) // dtype.itemsize
            view = self.bytes[shift : shift + count * dtype.itemsize]
            elements = view.view(np.uint8 if dtype.is_bool else dtype.numpy)
            known = self._views[dtype.name] = (elements, shift)
        place, rest = divmod(offset - known[1], dtype.itemsize)
        if rest:
            fault = f"it is not aligned to {dtype.itemsize} bytes"
            raise self._fault(f"{word} of {dtype}", offset, fault)
        return known[0], place

    def _load_pointer(self, offset: int) -> Pointer:
        if offset not in self.pointers:
            raise self._fault("load of pointer", offset, "no pointer is stored there")
        return self.pointers[offset]

    def _slot(self, offset: int) -> int:
        """Return where a pointer lies, which are aligned, if its bytes are those of an element."""
        return offset - (self.address + offset) % POINTER.itemsize

    def _stored_pointers(self, offset: int, size: int) -> list[int]:
        stop = offset + size
        return [place for place in self.pointers if place < stop and offset < place + 8]

    def _forget_pointers(self, offset: int, size: int) -> None:
        for place in self._stored_pointers(offset, size):
            del self.pointers[place]

    def _fault(self, word: str, offset: int, fault: str) -> InternalError:
        return InternalError(f"interpret: {word} at byte {offset} of {self.name}: {fault}")


def _flat_bytes(array: npt.NDArray[Any], nbytes: int) -> Bytes:
    """Return the bytes from the lowest to the highest address of an array."""
    if not array.size:
        return np.empty(0, np.uint8)
    lowest = array[tuple([slice(-1, None) if s < 0 else slice(1) for s in array.strides])]
    if not array.ndim:
        lowest = array
    element = lowest.reshape(1).view(np.uint8)
    return as_strided(element, (nbytes,), (1,), writeable=array.flags.writeable)
