"""Inputs, the same in every run: images with edges, texture and noise, and smooth planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.case import Array

__all__ = ["FULL_HD", "aligned", "photograph", "plane"]

FULL_HD = (1080, 1920)


def aligned(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an array of zeros that begins at a page, its memory touched."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    room = np.empty(size + 4096, np.uint8)
    start = -room.ctypes.data % 4096
    array: Array = room[start : start + size].view(kind).reshape(shape)
    array[...] = 0
    return array


def photograph(shape: tuple[int, int] = FULL_HD, seed: int = 0) -> Array:
    """Return a uint8 image: a lit ground, a few hundred boxes of one grey each, and noise."""
    rng = np.random.default_rng(seed)
    rows, columns = shape
    y, x = np.ogrid[:rows, :columns]
    image = 110 + 50 * np.sin(x / 97 + seed) * np.cos(y / 61)
    for _ in range(300):
        top, left = int(rng.integers(rows)), int(rng.integers(columns))
        height, width = rng.integers(2, max(3, rows // 8), 2)
        image[top : top + int(height), left : left + int(width)] = rng.integers(10, 245)
    image += rng.normal(scale=5, size=shape)
    result = aligned(shape, np.uint8)
    result[...] = np.clip(image, 0, 255)
    return result


def plane(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    """Return noise: floats from 0 to 1, integers over a quarter of their range."""
    rng = np.random.default_rng(seed)
    result = aligned(shape, dtype)
    if result.dtype.kind == "f":
        result[...] = rng.random(shape, dtype=np.float32)
    else:
        limits = np.iinfo(result.dtype)
        result[...] = rng.integers(limits.min // 4, limits.max // 4, shape, endpoint=True)
    return result
