"""Borders in programs: where a position outside an axis reads, and the padding of a row."""

from __future__ import annotations

from collections.abc import Callable

from muntin.core.border import BorderMode
from muntin.core.program import Builder, Expr, index
from muntin.errors import InternalError

__all__ = ["map_position", "pad_far", "pad_row"]


def map_position(mode: BorderMode, position: Expr, size: Expr, reach: int) -> Expr:
    """Return the position inside an axis that a position at most `reach` outside it reads."""
    if mode in (BorderMode.REPLICATE, BorderMode.UNDEFINED, BorderMode.CONSTANT):
        return position.at_least(0).at_most(size - 1)
    if mode is BorderMode.WRAP:
        return _remainder(position + size * reach, size)
    if mode is BorderMode.SYMMETRIC:
        period = size * 2
        place = _remainder(position + period * reach, period)
        return place.at_most(period - 1 - place)
    if mode is BorderMode.REFLECT101:
        period = (size * 2 - 2).at_least(1)
        place = _remainder(position + period * reach, period)
        return place.at_most(period - place)
    raise InternalError(f"borders: no map for {mode}")


def _remainder(value: Expr, divisor: Expr) -> Expr:
    return value - (value // divisor) * divisor


def pad_row(
    b: Builder,
    row: Expr,
    channels: int,
    span: tuple[Expr, Expr],
    columns: dict[int, Expr],
    width: Expr,
    value: Callable[[Expr, int], Expr],
) -> None:
    """Write the padding of a row beside what it holds, where that reaches an image's edge.

    `row` points at column span[0]; `columns` maps a place k to the column that it reads: k < 0 is
    the k-th before the first column, k >= 0 the k-th after the last. `value` gives what stands in a
    column and a channel.
    """
    start, stop = span

    def fill(place: Expr, column: Expr) -> None:
        for c in range(channels):
            b.store(row, place * channels + c, value(column, c))

    before = sorted(k for k in columns if k < 0)
    after = sorted(k for k in columns if k >= 0)
    if before:
        with b.when(start.equals(0)):
            for k in before:
                fill(index(k), columns[k])
    if after:
        with b.when(stop.equals(width)):
            for k in after:
                fill(stop - start + k, columns[k])


def pad_far(
    b: Builder,
    row: Expr,
    channels: int,
    span: tuple[Expr, Expr],
    pads: tuple[int, int],
    mode: BorderMode,
    width: Expr,
    value: Callable[[Expr, int], Expr],
) -> None:
    """Write padding of any width as `pad_row` does, by loops over `pads` columns left and right."""
    start, stop = span
    left, right = pads
    for count, is_at_edge, place, position in (
        (left, start.equals(0), index(-left), index(-left)),
        (right, stop.equals(width), stop - start, width),
    ):
        if not count:
            continue
        with (
            b.when(is_at_edge),
            b.loop("k", index(0), index(count), independent=True) as k,
        ):
            column = b.let(map_position(mode, position + k, width, max(pads)), "column")
            for c in range(channels):
                b.store(row, (place + k) * channels + c, value(column, c))
