"""Print the bytes that a pipeline needs beyond its input and output.

`peak_memory NAME ROWS COLUMNS THREADS`. The pipeline runs on a small image first, so compiling is
over; then Linux is told to forget the peak of the process, input and output are made in pages of
their own, and the pipeline runs on them.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import sys
from pathlib import Path

import numpy as np

from benchmarks.case import Array
from benchmarks.images import photograph
from benchmarks.process.entrants import prepared

_SMALL = (128, 256)


def main(name: str, rows: int, columns: int, threads: int) -> None:
    bind = prepared(name, threads)()
    bind(photograph(_SMALL), np.empty(_SMALL, np.uint8))()
    before = _forget_peak()
    image, out = _pages(rows, columns), _pages(rows, columns)
    image[...] = np.arange(columns) & 255
    out[...] = 0
    bind(image, out)()
    print(_status("VmHWM") - before - image.nbytes - out.nbytes)


def _pages(rows: int, columns: int) -> Array:
    """Return memory that huge pages do not round up."""
    region = mmap.mmap(-1, rows * columns)
    region.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(region, np.uint8).reshape(rows, columns)


def _forget_peak() -> int:
    """Give back what is free, make the present size the peak, and return it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status has no field {field}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
