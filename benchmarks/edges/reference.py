"""The pipeline in NumPy, from its definition, with the border replicated at every step."""

from __future__ import annotations

import numpy as np

from benchmarks.case import Array

__all__ = ["THRESHOLD", "edges"]

THRESHOLD = 100


def edges(image: Array, *, rounded: bool = False) -> Array:
    """Return 255 where the gradient is above the threshold and 0 elsewhere.

    The Gaussian truncates, as OpenVX says; `rounded` adds a half first, as OpenCV does.
    """
    smooth = (_weighted(image.astype(np.int32)) + (8 if rounded else 0)) >> 4
    padded = np.pad(smooth, 1, mode="edge")
    sums = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    differences = padded[2:] - padded[:-2]
    gx = sums[:, 2:] - sums[:, :-2]
    gy = differences[:, :-2] + 2 * differences[:, 1:-1] + differences[:, 2:]
    return np.where(np.abs(gx) + np.abs(gy) > THRESHOLD, 255, 0).astype(np.uint8)


def _weighted(image: Array) -> Array:
    padded = np.pad(image, 1, mode="edge")
    sums = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    weighted: Array = sums[:, :-2] + 2 * sums[:, 1:-1] + sums[:, 2:]
    return weighted
