"""The pipeline in Halide, for any size, under a list of schedules written by hand.

Two formulations. In the first, `BoundaryConditions.repeat_edge` clamps the image and the smoothed
intermediate. In the second, each row is computed over its own columns and its two outer columns
are then written, so no coordinate along a row is clamped and the loops stay simple; that is more
work to write and faster. Both roll a ring of smoothed rows down the image.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

os.environ.setdefault("HL_NUM_THREADS", "2")
import halide as hl  # type: ignore[import-untyped]

from benchmarks.case import Array, Contender
from benchmarks.edges.reference import THRESHOLD
from benchmarks.images import aligned

__all__ = ["BEST", "BEST_PARALLEL", "Schedule", "bound", "compiled", "contenders"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the loops run.

    `output`, `smooth` and `sums` are the elements of a vector in the three loops along a row.
    `written` is the second formulation; `wide` keeps the ring in int16; `rows` output rows are
    computed together; `strip` rows are a thread's unit of work, or 0 for one thread.
    """

    output: int
    smooth: int
    sums: int
    written: bool = True
    wide: bool = False
    rows: int = 1
    strip: int = 0

    def __str__(self) -> str:
        ring = "int16" if self.wide else "uint8"
        strips = f", strips of {self.strip}" if self.strip else ""
        rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return f"{self.output}/{self.smooth}/{self.sums} {ring} ring, {rows}{strips}"


BEST = Schedule(64, 64, 64, wide=True, rows=4)
BEST_PARALLEL = Schedule(64, 64, 32, wide=True, rows=4, strip=64)

_SERIAL = (
    BEST,
    Schedule(64, 32, 64, wide=True, rows=4),
    Schedule(64, 64, 32, wide=True, rows=4),
    Schedule(32, 64, 32, wide=True, rows=4),
    Schedule(32, 64, 64, wide=True, rows=2),
    Schedule(64, 64, 32, wide=True, rows=2),
    Schedule(32, 32, 32, wide=True, rows=2),
    Schedule(64, 32, 32, rows=4),
    Schedule(64, 64, 64),
    Schedule(64, 32, 32, written=False),
    Schedule(32, 32, 32, written=False),
    Schedule(64, 32, 32, written=False, wide=True),
    Schedule(32, 32, 32, written=False, wide=True),
)
_PARALLEL = (
    BEST_PARALLEL,
    Schedule(64, 64, 64, wide=True, rows=4, strip=32),
    Schedule(64, 64, 32, wide=True, rows=4, strip=540),
    Schedule(64, 64, 64, wide=True, rows=2, strip=64),
    Schedule(64, 64, 32, rows=4, strip=136),
    Schedule(32, 64, 64, wide=True, rows=2, strip=136),
    Schedule(64, 32, 32, written=False, strip=136),
    Schedule(64, 32, 32, written=False, strip=540),
    Schedule(32, 32, 32, written=False, wide=True, strip=540),
    Schedule(32, 32, 32, written=False, wide=True, strip=64),
)

_x, _y, _yo, _yi, _xo, _xi, _strip = (hl.Var(n) for n in ("x", "y", "yo", "yi", "xo", "xi", "s"))


def compiled(schedule: Schedule) -> Any:
    """Return the callable `(image, threshold, out)` of a schedule, for images of any size."""
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    threshold = hl.Param(hl.Int(16), "threshold")
    image.dim(0).set_min(0).set_stride(1)
    image.dim(1).set_min(0)
    make = _written if schedule.written else _clamped
    smooth, sums, along = make(image, hl.Int(16) if schedule.wide else hl.UInt(8))
    output = _gradient_above(smooth, threshold, image, clamp=schedule.written)
    _schedule(schedule, output, smooth, sums, along)
    target = hl.get_host_target()
    return hl.Pipeline(output).compile_to_callable([image, threshold], target)


def _clamped(image: Any, ring: Any) -> tuple[Any, Any, Any]:
    source = hl.BoundaryConditions.repeat_edge(image)
    sums = hl.Func("sums")
    sums[_x, _y] = (
        hl.i16(source[_x, _y - 1]) + 2 * hl.i16(source[_x, _y]) + hl.i16(source[_x, _y + 1])
    )
    inner = hl.Func("inner")
    inner[_x, _y] = hl.cast(
        ring, hl.u16(sums[_x - 1, _y] + 2 * sums[_x, _y] + sums[_x + 1, _y]) >> 4
    )
    whole = [hl.Range(0, image.width()), hl.Range(0, image.height())]
    clamped = hl.BoundaryConditions.repeat_edge(inner, whole)
    smooth = hl.Func("smooth")
    smooth[_x, _y] = clamped[_x, _y]
    return smooth, sums, None


def _written(image: Any, ring: Any) -> tuple[Any, Any, Any]:
    rows = image.height()
    along = hl.RDom([(0, image.width())], "along")

    def source(x: Any, y: Any) -> Any:
        return hl.i16(image[x, hl.clamp(hl.likely(y), 0, rows - 1)])

    x = along.x
    column = source(x, _y - 1) + 2 * source(x, _y) + source(x, _y + 1)
    sums = _row("sums", hl.Int(16), along, column)
    weighted = hl.u16(sums[x - 1, _y] + 2 * sums[x, _y] + sums[x + 1, _y]) >> 4
    smooth = _row("smooth", ring, along, hl.cast(ring, weighted))
    return smooth, sums, along


def _row(name: str, kind: Any, along: Any, value: Any) -> Any:
    """Return a row computed over its own columns, with its outer columns then written."""
    columns = along.x.extent()
    row = hl.Func(name)
    row[_x, _y] = hl.undef(kind)
    row[along.x, _y] = value
    row[-1, _y] = row[0, _y]
    row[columns, _y] = row[columns - 1, _y]
    row.update(1).unscheduled()
    row.update(2).unscheduled()
    return row


def _gradient_above(smooth: Any, threshold: Any, image: Any, *, clamp: bool) -> Any:
    rows = image.height()

    def source(x: Any, y: Any) -> Any:
        return hl.i16(smooth[x, hl.clamp(hl.likely(y), 0, rows - 1) if clamp else y])

    down, differences, output = hl.Func("down"), hl.Func("differences"), hl.Func("output")
    down[_x, _y] = source(_x, _y - 1) + 2 * source(_x, _y) + source(_x, _y + 1)
    differences[_x, _y] = source(_x, _y + 1) - source(_x, _y - 1)
    gx = down[_x + 1, _y] - down[_x - 1, _y]
    gy = differences[_x - 1, _y] + 2 * differences[_x, _y] + differences[_x + 1, _y]
    magnitude = hl.i16(hl.abs(gx)) + hl.i16(hl.abs(gy))
    output[_x, _y] = hl.select(magnitude > threshold, hl.u8(255), hl.u8(0))
    buffer = output.output_buffer()
    buffer.dim(0).set_min(0).set_stride(1).set_extent(image.width())
    buffer.dim(1).set_min(0).set_extent(rows)
    return output


def _schedule(schedule: Schedule, output: Any, smooth: Any, sums: Any, along: Any) -> None:
    at, order = _y, [_xi, _xo, _y]
    output.split(_x, _xo, _xi, schedule.output)
    if schedule.strip:
        output.split(_y, _strip, _y, schedule.strip, hl.TailStrategy.GuardWithIf)
        output.parallel(_strip)
    if schedule.rows > 1:
        tail = hl.TailStrategy.GuardWithIf if schedule.strip else hl.TailStrategy.ShiftInwards
        output.split(_y, _yo, _yi, schedule.rows, tail).unroll(_yi)
        at, order = _yo, [_xi, _yi, _xo, _yo]
    output.reorder(*order, *([_strip] if schedule.strip else [])).vectorize(_xi)
    smooth.compute_at(output, at)
    if schedule.strip:
        smooth.store_at(output, _strip)
    else:
        smooth.store_root()
    smooth.fold_storage(_y, 8 if schedule.rows == 4 else 4)
    if along is None:
        smooth.vectorize(_x, schedule.smooth)
        sums.compute_at(smooth, _y).vectorize(_x, schedule.sums)
    else:
        guard = hl.TailStrategy.GuardWithIf
        smooth.update(0).vectorize(along.x, schedule.smooth, guard)
        sums.compute_at(output, at).update(0).vectorize(along.x, schedule.sums, guard)


def bound(pipeline: Any, image: Array, out: Array) -> Callable[[], object]:
    """Return a call of a compiled pipeline on buffers that are wrapped once."""
    return partial(pipeline, hl.Buffer(image), THRESHOLD, hl.Buffer(out))


def contenders(image: Array, threads: int, *, written: bool) -> Iterator[Contender]:
    """Yield the schedules of a formulation for one thread or for several."""
    out = aligned(image.shape, np.uint8)
    name = "Halide, edges written" if written else "Halide, repeat_edge"
    for schedule in _SERIAL if threads == 1 else _PARALLEL:
        if schedule.written == written:
            call = bound(compiled(schedule), image, out)
            yield Contender(name, call, (out,), str(schedule))
