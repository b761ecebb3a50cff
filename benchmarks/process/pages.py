"""Memory in pages of its own, and what Linux says of a process's pages."""

from __future__ import annotations

import ctypes
import gc
import mmap
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.case import Array

__all__ = ["forget_peak", "pages", "peak"]


def pages(shape: tuple[int, ...], dtype: Any = np.uint8) -> Array:
    """Return memory that huge pages do not round up."""
    kind = np.dtype(dtype)
    region = mmap.mmap(-1, int(np.prod(shape)) * kind.itemsize)
    region.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(region, kind).reshape(shape)


def forget_peak() -> int:
    """Give back what is free, make the present size the peak, and return it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak() -> int:
    """Return the most bytes that the process has held."""
    return _status("VmHWM")


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/self/status has no field {field}")
