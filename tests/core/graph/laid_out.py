"""Random elements, and how an array of them lies in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial, inf, nan, prod
from typing import Any, TypeAlias

import numpy as np

from muntin.dtypes import DType

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Layout:
    """How an array lies in a larger one that is full of rubbish.

    `order` is the number of a permutation of the axes; `steps` has one for each axis, 0 for an
    axis whose elements are all one.
    """

    order: int = 0
    steps: tuple[int, ...] = (1, 1, 1, 1)
    margin: int = 1


@cache
def numbers(dtype: DType) -> tuple[int, ...] | tuple[float, ...]:
    """Return the interesting numbers of a type."""
    if dtype.is_float:
        tiny, huge = dtype.smallest_subnormal, dtype.greatest_finite
        few = (0.0, -0.0, 1.0, -1.0, 2.5, -3.5, 255.5, 1e9, -3e9, 2.0**63, tiny, huge)
        return tuple([dtype.rounded(number) for number in (*few, inf, -inf, nan)])
    low, high = dtype.least, dtype.greatest
    some = [0, 1, 2, 3, 7, 8, 31, 100, -1, -2, -7, low, low + 1, high, high - 1, high // 2]
    return tuple(sorted({number for number in some if low <= number <= high}))


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
    """Return random elements: all over the type, small, or interesting."""
    kind = rng.integers(4)
    if dtype.is_bool:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if kind == 0:
        return rng.choice(np.array(numbers(dtype), dtype.numpy), shape)
    if dtype.is_float:
        scale = 10.0 ** int(rng.integers(-1, 4 if dtype.is_half else 5))
        drawn = (rng.standard_normal(shape) * scale).astype(dtype.numpy)
        odd = rng.choice(np.array(numbers(dtype), dtype.numpy), shape)
        return np.where(rng.random(shape) < 0.1 * (kind == 1), odd, drawn)
    low, high = (dtype.least, dtype.greatest) if kind == 1 else (max(dtype.least, -9), 9)
    return rng.integers(low, high, shape, dtype.numpy, endpoint=True)


def embed(
    rng: np.random.Generator, content: Array, layout: Layout, dtype: DType
) -> tuple[Array, Array]:
    """Return an array with the content, laid out so, and the larger array that holds it."""
    rank = content.ndim
    order = list(permutations(range(rank)))[layout.order % factorial(rank)]
    steps = [step if content.shape[axis] else 1 for axis, step in enumerate(layout.steps[:rank])]
    extents, places = [], []
    for axis in order:
        count = 1 if steps[axis] == 0 else content.shape[axis]
        stride = max(abs(steps[axis]), 1)
        length = max((count - 1) * stride + 1, 0)
        extents.append(length + 2 * layout.margin)
        stop = layout.margin + length
        forwards = slice(layout.margin, stop, stride)
        places.append(forwards)
    size = prod(extents) * dtype.itemsize
    rubbish = rng.integers(0, 255, size + dtype.itemsize, np.uint8)
    start = -rubbish.ctypes.data % dtype.itemsize
    held = rubbish[start : start + size].view(dtype.numpy).reshape(extents)
    seen = held[(*places, ...)].transpose(np.argsort(order))
    seen = seen[tuple([slice(None, None, -1 if step < 0 else 1) for step in steps] + [...])]
    first = content[tuple([slice(0, 1) if step == 0 else slice(None) for step in steps])]
    seen[...] = first
    if seen.shape != content.shape:
        strides = [
            0 if step == 0 else stride for step, stride in zip(steps, seen.strides, strict=True)
        ]
        seen = np.lib.stride_tricks.as_strided(seen, content.shape, strides)
    return seen, held
