"""What a caller of a kernel must know of it: types, scratch memory, and how it may be split."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any, NamedTuple

from muntin.dtypes import DType, from_name

__all__ = ["CACHE_LINE", "ENTRY", "KernelFacts", "RowMode", "ScratchRows"]

ENTRY = "muntin_kernel"  # what the entry is called in every target
CACHE_LINE = 64  # bytes; also the widest vector


class RowMode(IntEnum):
    """How rows of an operand or an output are reached."""

    DIRECT = 0  # where they lie: contiguous
    PACKED = 1  # through contiguous scratch memory, element by element
    BLOCKED = 2  # operands: packed several rows at a time, since their columns are contiguous
    STREAMED = 3  # outputs: through scratch memory, past the caches
    LEVEL = 4  # operands: where they lie, one element a row


class ScratchRows(NamedTuple):
    """`depth` rows of the window's columns and `extra` more, of `pixel` bytes each.

    A row's first column lies on a cache line, `lead` bytes after its padding begins.
    """

    depth: int
    extra: int
    pixel: int
    lead: int = 0

    def row_bytes(self, columns: int) -> int:
        return (self.lead + (columns + self.extra) * self.pixel + 63) & -64

    def nbytes(self, columns: int) -> int:
        return self.depth * self.row_bytes(columns)


class KernelFacts(NamedTuple):
    """Facts that are kept with a kernel's machine code, so that it is not lowered to be called.

    Attributes
    ----------
    operands, outputs, scalars
        The element types.
    is_offset
        Of each operand, whether it is read elsewhere than at the element that is written.
    rows, blocks, fixed_scratch
        The scratch memory of a thread: rows, those needed only where an operand is read in blocks,
        and bytes besides.
    has_rings
        Whether rows are always needed.
    seam, reach
        How many rows and columns a window computes besides its own.
    row_unit, column_unit
        A window starts at multiples of them.
    streams
        Whether a row loop writes past the caches itself.
    shared
        The functions that it calls where rows are packed, in the order of their slots.
    indices
        Along how many axes of each operand indices choose.
    level
        The operands that may be read as one element a row.
    """

    operands: tuple[DType, ...]
    outputs: tuple[DType, ...]
    scalars: tuple[DType, ...]
    is_offset: tuple[bool, ...]
    rows: tuple[ScratchRows, ...]
    blocks: tuple[ScratchRows, ...]
    fixed_scratch: int
    has_rings: bool
    seam: int
    reach: int
    row_unit: int
    column_unit: int
    streams: bool
    shared: tuple[str, ...]
    indices: tuple[int, ...]
    level: tuple[int, ...]

    @property
    def unpacked_modes(self) -> set[RowMode]:
        """The modes that need no scratch memory."""
        return {RowMode.DIRECT, RowMode.STREAMED} if self.streams else {RowMode.DIRECT}

    def encoded(self) -> str:
        """Return the facts as text."""
        fields = [list(map(_plain, value)) if isinstance(value, tuple) else value for value in self]
        return json.dumps(fields)

    @classmethod
    def decoded(cls, text: str) -> KernelFacts:
        """Return the facts of a text that `encoded` gave."""
        fields = dict(zip(cls._fields, json.loads(text), strict=True))
        for name in ("operands", "outputs", "scalars"):
            fields[name] = tuple(map(from_name, fields[name]))
        for name in ("rows", "blocks"):
            fields[name] = tuple(ScratchRows(*row) for row in fields[name])
        for name in ("is_offset", "shared", "indices", "level"):
            fields[name] = tuple(fields[name])
        return cls(**fields)


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, DType) else value
