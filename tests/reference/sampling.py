"""Sampling from its definition: a point at a time, in exact types."""

from __future__ import annotations

from itertools import product
from math import floor, isnan
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def mapped(place: int, size: int, mode: str) -> int | None:
    """Return the element that a position shows, None for the constant."""
    if 0 <= place < size:
        return place
    if mode == "constant":
        return None
    if mode == "replicate":
        return min(max(place, 0), size - 1)
    row = list(range(size))
    lines = {"wrap": row, "symmetric": row + row[::-1], "reflect101": row + row[-2:0:-1]}
    line = lines[mode]
    return line[place % len(line)]


def element(image: Array, places: list[int], mode: str, constant: float) -> Any:
    shown = [mapped(place, size, mode) for place, size in zip(places, image.shape, strict=True)]
    if None in shown:
        return image.dtype.type(constant)
    return image[tuple(shown)]


def limited(value: Any, size: int, mode: str) -> Any:
    """Return a coordinate that shows the same, where it is beyond what integers hold."""
    limits = {"replicate": (0, size - 1), "constant": (-2, size + 1)}
    low, high = limits.get(mode, (-(1 << 30), 1 << 30))
    return min(max(value, type(value)(low)), type(value)(high))


def nearest(image: Array, point: list[Any], mode: str, constant: float) -> Any:
    """Return the element at a point, whose coordinates are NumPy numbers."""
    places = []
    for value, size in zip(point, image.shape, strict=True):
        if isinstance(value, np.integer):
            places.append(min(max(int(value), -(1 << 31)), (1 << 31) - 1))
        elif isnan(value):
            places.append(0)
        else:
            places.append(floor(limited(value, size, mode) + type(value)(0.5)))
    return element(image, places, mode, constant)


def weighted(image: Array, point: list[Any], mode: str, constant: float) -> Any:
    """Return the weighted mean of the elements around a point."""
    dtype = np.result_type(image.dtype, np.float32).type
    firsts, fractions = [], []
    for value, size in zip(point, image.shape, strict=True):
        if isinstance(value, np.integer):
            firsts.append(min(max(int(value), -(1 << 31)), (1 << 31) - 1))
            fractions.append(None)
        elif isnan(value):
            firsts.append(0)
            fractions.append(dtype(np.nan))
        else:
            value = limited(value, size, mode)
            firsts.append(floor(value))
            fractions.append(dtype(value - np.floor(value)))
    reach = [(0,) if fraction is None else (0, 1) for fraction in fractions]
    found = [
        dtype(element(image, [a + b for a, b in zip(firsts, step, strict=True)], mode, constant))
        for step in product(*reach)
    ]
    for fraction in reversed(fractions):
        if fraction is not None:
            found = [a + (b - a) * fraction for a, b in zip(found[::2], found[1::2], strict=True)]
    return found[0]
