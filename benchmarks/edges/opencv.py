"""The pipeline in OpenCV, in each of the sequences that could be its fastest.

All buffers are reused. `spatialGradient` gives both derivatives in one pass. What follows has two
spellings: absolute values that saturate at uint8 (the threshold is below 255, so nothing is lost),
or in int16 by the difference from zeros. A third runs the second over strips of rows that fit in
the cache, with a halo of two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np

from benchmarks.case import Array, Contender
from benchmarks.edges.reference import THRESHOLD, edges
from benchmarks.images import aligned

__all__ = ["contenders", "saturating"]

_BORDER = cv2.BORDER_REPLICATE


def saturating(image: Array, out: Array) -> Callable[[], object]:
    """Return a call that takes absolute values into uint8."""
    smooth, across, down = (aligned(image.shape, np.uint8) for _ in range(3))
    gradients: Any = [aligned(image.shape, np.int16) for _ in range(2)]
    gx, gy = gradients

    def call() -> None:
        cv2.GaussianBlur(image, (3, 3), 0, dst=smooth, borderType=_BORDER)
        cv2.spatialGradient(smooth, gx, gy, 3, _BORDER)
        cv2.convertScaleAbs(gx, dst=across)
        cv2.convertScaleAbs(gy, dst=down)
        cv2.add(across, down, dst=out)
        cv2.threshold(out, THRESHOLD, 255, cv2.THRESH_BINARY, dst=out)

    return call


def weighting(image: Array, out: Array) -> Callable[[], object]:
    """Return a call in the words of OpenCV's tutorial: two Sobels, then `addWeighted`."""
    smooth, across, down = (aligned(image.shape, np.uint8) for _ in range(3))
    gx, gy = (aligned(image.shape, np.int16) for _ in range(2))

    def call() -> None:
        cv2.GaussianBlur(image, (3, 3), 0, dst=smooth, borderType=_BORDER)
        cv2.Sobel(smooth, cv2.CV_16S, 1, 0, dst=gx, borderType=_BORDER)
        cv2.Sobel(smooth, cv2.CV_16S, 0, 1, dst=gy, borderType=_BORDER)
        cv2.convertScaleAbs(gx, dst=across)
        cv2.convertScaleAbs(gy, dst=down)
        cv2.addWeighted(across, 1, down, 1, 0, dst=out)
        cv2.threshold(out, THRESHOLD, 255, cv2.THRESH_BINARY, dst=out)

    return call


def exact(image: Array, out: Array) -> Callable[[], object]:
    """Return a call that stays in int16, the whole image at a time."""
    return in_strips(image, out, image.shape[0])


def in_strips(image: Array, out: Array, strip: int) -> Callable[[], object]:
    """Return a call that stays in int16, `strip` rows at a time."""
    rows, columns = image.shape
    smooth = aligned((strip + 4, columns), np.uint8)
    both = aligned((2 * (strip + 2), columns), np.int16)
    zeros = np.zeros_like(both)
    limits = np.full((strip, columns), THRESHOLD, np.int16)
    steps: list[tuple[Any, ...]] = []
    for top in range(0, rows, strip):
        end = min(top + strip, rows)
        first, last = max(top - 2, 0), min(end + 2, rows)
        start, stop = max(top - 1, 0), min(end + 1, rows)
        kept = stop - start
        gx, gy = both[:kept], both[kept : 2 * kept]
        own = slice(top - start, end - start)
        steps.append(
            (
                image[first:last],
                smooth[: last - first],
                smooth[start - first : stop - first],
                both[: 2 * kept],
                zeros[: 2 * kept],
                (gx, gy),
                (gx[own], gy[own]),
                limits[: end - top],
                out[top:end],
            )
        )

    def call() -> None:
        for source, blurred, inner, pair, nothing, (gx, gy), (ax, ay), limit, result in steps:
            cv2.GaussianBlur(source, (3, 3), 0, dst=blurred, borderType=_BORDER)
            cv2.spatialGradient(inner, gx, gy, 3, _BORDER)
            cv2.absdiff(pair, nothing, dst=pair)
            cv2.add(ax, ay, dst=ax)
            cv2.compare(ax, limit, cv2.CMP_GT, dst=result)

    return call


def contenders(image: Array, threads: int) -> Iterator[Contender]:
    """Yield every sequence; what is expected has OpenCV's rounding in the Gaussian."""
    cv2.setNumThreads(threads)
    out = aligned(image.shape, np.uint8)
    expected = (edges(image, rounded=True),)
    calls = {
        "saturating": saturating(image, out),
        "tutorial": weighting(image, out),
        "int16": exact(image, out),
        **{f"int16 in strips of {n}": in_strips(image, out, n) for n in (64, 256)},
    }
    for form, call in calls.items():
        yield Contender("OpenCV", call, (out,), f"{form}; Gaussian rounds", expected)
