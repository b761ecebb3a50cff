"""Binding: a kernel's argument slots and windows for given sizes and strides."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign, inf, prod

from muntin.core.plan.facts import KernelFacts, RowMode
from muntin.core.plan.kernel import Domain
from muntin.core.regions import Box
from muntin.core.shapes import collapse_dimensions
from muntin.dtypes import DType

__all__ = ["Binding", "Limits", "bind", "scalar_bits"]

_SERIAL_PIECE = 1 << 26  # bytes that a piece moves where one thread is at work
_LEAST_PIECE, _MOST_PIECE = 1 << 15, 1 << 20  # where several are
_SHARES, _RING_SHARES = 8, 2  # pieces a thread; those with rings recompute rows at their seams
_SERIAL_BYTES = 1 << 18  # less work than this stays in the calling thread
_PACKED_COLUMNS = 2048
_BLOCK_COLUMNS = 256  # of a block of rows of a transposed operand
_ROWS_PER_SEAM = 10  # a window recomputes at most a tenth of its rows


@dataclass(frozen=True, slots=True)
class Limits:
    """What windows are cut by: cache sizes in bytes, threads, and when outputs are streamed."""

    l1: int
    l2: int
    threads: int
    stream_bytes: int


@dataclass(frozen=True, slots=True)
class Binding:
    """Slots with the pointers still 0, and how a launch is cut.

    `operand_slots` and `output_slots` say where each pointer goes, and `operand_offsets` and
    `output_offsets` what is added to the address of the array first. If there is a record of
    indices, a pointer to it goes to `record_slot`.
    """

    slots: array[int]
    operand_slots: tuple[int, ...]
    operand_offsets: tuple[int, ...]
    output_slots: tuple[int, ...]
    output_offsets: tuple[int, ...]
    phase_slot: int
    scalar_slot: int
    extent: tuple[int, int, int]
    grain: tuple[int, int, int]
    scratch_bytes: int
    threads: int
    unit: tuple[int, int, int]
    record_slot: int = -1


def scalar_bits(value: int | float, dtype: DType) -> int:
    """Return the signed 64-bit integer whose low bytes are the number in memory.

    A number past the greatest of a floating type is an infinity there.
    """
    if dtype.is_half:
        return dtype.float_bits(value)
    if dtype.kind == "f":
        code, width = ("<f", "<i") if dtype.bits == 32 else ("<d", "<q")
        try:
            packed = struct.pack(code, float(value))
        except OverflowError:
            packed = struct.pack(code, copysign(inf, value))
        bits: int = struct.unpack(width, packed)[0]
        return bits
    value = int(value)
    return value - (1 << 64) if value >= 1 << 63 else value


def bind(
    facts: KernelFacts,
    domain: Domain,
    shape: tuple[int, ...],
    box: Box,
    operands: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
    in_place: Sequence[bool],
    limits: Limits,
    code: Callable[[str], int] | None = None,
    indexed: Sequence[int] = (),
) -> Binding:
    """Return the binding of a kernel.

    Parameters
    ----------
    facts, domain
        The kernel.
    shape
        The size of the image, along the axes of the domain.
    box
        The part that is computed.
    operands, outputs
        Byte strides of each array along the axes of the domain.
    in_place
        Whether an output is to overwrite each operand.
    limits
        Of this machine and call.
    code
        Gives the address of a shared function; asked only where rows are packed.
    indexed
        Of each operand byte strides, then sizes, of the axes that indices choose along.
    """
    axes = _pointwise_axes if domain.pointwise else _image_axes
    sizes, operand_axes, output_axes = axes(domain, shape, box, operands, outputs)
    reads = [
        RowMode.DIRECT if facts.indices[k] else _operand_mode(*each, domain, sizes, in_place[k])
        for k, each in enumerate(zip(operand_axes, facts.operands, strict=True))
    ]
    for k in facts.level:
        if reads[k] is RowMode.PACKED and operand_axes[k][-2] == 0 and not in_place[k]:
            reads[k] = RowMode.LEVEL
    streams = _is_streamed(facts, domain, sizes, limits)
    writes = [
        _output_mode(strides, dtype, domain, sizes, streams)
        for dtype, strides in zip(facts.outputs, output_axes, strict=True)
    ]
    modes = {*reads, *writes}
    slots: list[int] = []
    operand_slots = _append_arrays(slots, operand_axes, reads)
    output_slots = _append_arrays(slots, output_axes, writes)
    slots += [*sizes.counts, *sizes.outer, *sizes.origins]
    slots += [sizes.rows, sizes.columns, sizes.row_origin, sizes.column_origin]
    phase_slot = len(slots)
    scalar_slot = phase_slot + len(facts.outputs)
    slots += [0] * (len(facts.outputs) + len(facts.scalars))
    slots += indexed
    record_slot = len(slots) if indexed else -1
    slots += [0] * bool(indexed)
    packs = not modes.isdisjoint((RowMode.PACKED, RowMode.BLOCKED, RowMode.LEVEL))
    slots += [code(name) if packs and code is not None else 0 for name in facts.shared]
    grain, threads = _windows(facts, domain, sizes, modes, limits)
    return Binding(
        array("q", slots),
        operand_slots,
        tuple([_offset(strides, box) if domain.pointwise else 0 for strides in operands]),
        output_slots,
        tuple([_offset(strides, box) if domain.pointwise else 0 for strides in outputs]),
        phase_slot,
        scalar_slot,
        sizes.extent,
        grain,
        _scratch_bytes(facts, grain[2], modes),
        threads,
        (1, facts.row_unit, facts.column_unit),
        record_slot,
    )


def _append_arrays(
    slots: list[int], axes: Sequence[Sequence[int]], modes: Sequence[RowMode]
) -> tuple[int, ...]:
    """Append the slots of some arrays; return where their pointers go."""
    pointers = []
    for strides, mode in zip(axes, modes, strict=True):
        pointers.append(len(slots))
        slots += [0, *strides, mode]
    return tuple(pointers)


def _operand_mode(
    strides: list[int], dtype: DType, domain: Domain, sizes: _Sizes, covered: bool
) -> RowMode:
    if covered:
        return RowMode.PACKED
    if _is_contiguous(strides, dtype, domain, sizes):
        return RowMode.DIRECT
    is_stretched = strides[-2] == 0  # filling a row is quick
    is_blocked = domain.pointwise and strides[-3] == dtype.itemsize and not is_stretched
    return RowMode.BLOCKED if is_blocked else RowMode.PACKED


def _output_mode(
    strides: list[int], dtype: DType, domain: Domain, sizes: _Sizes, streams: bool
) -> RowMode:
    if not _is_contiguous(strides, dtype, domain, sizes):
        return RowMode.PACKED
    return RowMode.STREAMED if streams else RowMode.DIRECT


@dataclass(frozen=True, slots=True)
class _Sizes:
    counts: tuple[int, ...]
    outer: tuple[int, ...]
    origins: tuple[int, ...]
    rows: int
    columns: int
    row_origin: int
    column_origin: int
    extent: tuple[int, int, int]


def _offset(strides: tuple[int, ...], box: Box) -> int:
    return sum(start * stride for start, stride in zip(box.start, strides, strict=True))


def _pointwise_axes(
    domain: Domain,
    shape: tuple[int, ...],
    box: Box,
    operands: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
) -> tuple[_Sizes, list[list[int]], list[list[int]]]:
    """Merge and order the axes as the outputs' strides suggest; the last are columns and rows."""
    merged, strides = collapse_dimensions(box.shape, *outputs, *operands)
    outer = len(domain.outer_axes)
    missing = outer + 2 - len(merged)
    sizes = [1] * missing + list(merged)
    # A kernel of rank 0 or 1 has fewer axes than rows and columns: they count as one.
    lines = [[0] * missing + list(line) + [0] for line in strides]
    counts = tuple(sizes[:outer])
    rows, columns = sizes[outer], sizes[outer + 1]
    total = prod(counts)
    zeros = (0,) * outer
    found = _Sizes(counts, counts, zeros, rows, columns, 0, 0, (total, rows, columns))
    return found, lines[len(outputs) :], lines[: len(outputs)]


def _image_axes(
    domain: Domain,
    shape: tuple[int, ...],
    box: Box,
    operands: Sequence[tuple[int, ...]],
    outputs: Sequence[tuple[int, ...]],
) -> tuple[_Sizes, list[list[int]], list[list[int]]]:
    """Keep the axes as the domain names them."""
    outer = domain.outer_axes
    named = (domain.row_axis, domain.column_axis, domain.channel_axis)

    def line(strides: tuple[int, ...]) -> list[int]:
        return [strides[axis] for axis in outer] + [
            0 if axis is None else strides[axis] for axis in named
        ]

    row, column = domain.row_axis, domain.column_axis
    counts = tuple([box.shape[axis] for axis in outer])
    total = 0 if box.is_empty else prod(counts)  # channels are no axis of the extent
    found = _Sizes(
        counts,
        tuple([shape[axis] for axis in outer]),
        tuple([box.start[axis] for axis in outer]),
        1 if row is None else shape[row],
        1 if column is None else shape[column],
        0 if row is None else box.start[row],
        0 if column is None else box.start[column],
        (
            total,
            1 if row is None else box.shape[row],
            1 if column is None else box.shape[column],
        ),
    )
    return found, [line(strides) for strides in operands], [line(strides) for strides in outputs]


def _is_contiguous(strides: list[int], dtype: DType, domain: Domain, sizes: _Sizes) -> bool:
    _, column, channel = strides[-3:]
    if domain.channels > 1:
        pixel = dtype.itemsize * domain.channels
        return channel == dtype.itemsize and (column == pixel or sizes.columns == 1)
    return column == dtype.itemsize or sizes.columns == 1


def _bytes_a_column(facts: KernelFacts, domain: Domain) -> int:
    elements = sum(dtype.itemsize for dtype in (*facts.operands, *facts.outputs))
    return max(elements * domain.channels, 1)


def _is_streamed(facts: KernelFacts, domain: Domain, sizes: _Sizes, limits: Limits) -> bool:
    if domain.pointwise and not facts.streams:
        return False  # scratch memory, from where rows would be copied, costs more than it saves
    pixel = sum(dtype.itemsize for dtype in facts.outputs) * domain.channels
    return pixel * prod(sizes.extent) >= limits.stream_bytes


def _windows(
    facts: KernelFacts, domain: Domain, sizes: _Sizes, modes: set[RowMode], limits: Limits
) -> tuple[tuple[int, int, int], int]:
    """Return the size of a piece, and how many threads are to work on them."""
    moved = _bytes_a_column(facts, domain)
    total = moved * prod(sizes.extent)
    is_small = total * (1 + 2 * facts.has_rings) < _SERIAL_BYTES
    threads = 1 if is_small else limits.threads
    return _grain(facts, sizes, moved, threads, modes, limits), threads


def _scratch_bytes(facts: KernelFacts, columns: int, modes: set[RowMode]) -> int:
    scratch = facts.fixed_scratch
    if facts.has_rings or not modes <= facts.unpacked_modes:
        scratch += sum(rows.nbytes(columns) for rows in facts.rows)
    if RowMode.BLOCKED in modes:
        scratch += sum(rows.nbytes(columns) for rows in facts.blocks)
    return scratch


def _grain(
    facts: KernelFacts,
    sizes: _Sizes,
    moved: int,
    threads: int,
    modes: set[RowMode],
    limits: Limits,
) -> tuple[int, int, int]:
    """Return the size of a piece: strips whose rows fit the cache, and enough pieces to share.

    A single thread gets pieces as large as a signal can wait for; several get equal shares.
    """
    outer, rows, columns = (max(size, 1) for size in sizes.extent)
    piece = _SERIAL_PIECE
    if threads > 1:
        share = moved * outer * rows * columns // (_SHARES * threads)
        piece = min(max(share, _LEAST_PIECE), _MOST_PIECE)
    widest = _widest(facts, columns, threads, modes, limits)
    strip = _even(columns, widest, max(facts.column_unit, 64))
    if not facts.has_rings and strip == columns:
        strip = _even(columns, max(piece // moved, 64))
    tall = max(piece // (strip * moved), 1)
    if facts.has_rings:
        tall = min(-(-rows * outer // (_RING_SHARES * threads)), _SERIAL_PIECE // (strip * moved))
        tall = max(tall, _ROWS_PER_SEAM * facts.seam, 1)
    if tall >= rows or (threads == 1 and strip * rows * moved <= piece):
        deep = max(min(piece // (strip * rows * moved), outer), 1)
        return deep, rows, strip
    return 1, _even(rows, tall, facts.row_unit), strip


def _widest(
    facts: KernelFacts, columns: int, threads: int, modes: set[RowMode], limits: Limits
) -> int:
    """Return how many columns scratch memory is to hold."""
    if facts.has_rings:
        a_column = sum(row.depth * row.pixel for row in facts.rows)
        held = limits.l2 // 2
        if facts.row_unit > 1:  # long rows are worth more than room, and each thread gets a strip
            held, columns = limits.l2, -(-columns // threads)
        return max(min(held // max(a_column, 1), columns), 256, 4 * facts.reach)
    if modes <= facts.unpacked_modes:
        return columns
    return _BLOCK_COLUMNS if RowMode.BLOCKED in modes else _PACKED_COLUMNS


def _even(length: int, limit: int, unit: int = 64) -> int:
    """Return the size of equal pieces of at most about `limit`, a multiple of `unit`."""
    if limit >= length:
        return length
    count = -(-length // limit)
    size = -(-length // count)
    return min(-(-size // unit) * unit, length)
