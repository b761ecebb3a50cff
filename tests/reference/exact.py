"""Integers without overflow, and the ways back to an element type."""

from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[Any]


def unbounded(x: Image) -> Image:
    """Return integers in which sums and products cannot overflow; floats as they are."""
    if x.dtype.kind == "f":
        return x
    return x.astype(np.int64 if x.dtype.itemsize <= 2 else object)


def to_zero(a: Image, b: int) -> Image:
    """Return a / b as C has it, for a positive b."""
    return np.where(a < 0, -(-a // b), a // b)


def nearest_even(a: Image, b: int) -> Image:
    """Return a / b rounded to the nearest integer, ties to the even one, for a positive b."""
    down, rest = a // b, a % b
    up = (2 * rest > b) | ((2 * rest == b) & (down % 2 == 1))
    return down + up


def fitted(x: Image, dtype: Any, overflow: str = "saturate") -> Image:
    """Return integers as `dtype`, clamped or with their low bits kept."""
    dtype = np.dtype(dtype)
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    if overflow == "saturate":
        x = np.where(x < low, low, np.where(x > high, high, x))
    else:
        x = (x - low) % (1 << info.bits) + low
    return x.astype(dtype)


def from_float(x: Image, dtype: Any) -> Image:
    """Return floats as `dtype`: toward zero and clamped for an integer type, NaN as 0."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return x.astype(dtype)
    info = np.iinfo(dtype)
    numbers = [0 if v != v else min(max(v, info.min), info.max) for v in x.ravel().tolist()]
    return np.array([int(v) for v in numbers], dtype=dtype).reshape(x.shape)


def narrowest_signed(low: int, high: int) -> np.dtype[Any]:
    """Return the smallest signed type that holds both."""
    for name in ("int8", "int16", "int32", "int64"):
        info = np.iinfo(name)
        if info.min <= low and high <= info.max:
            return np.dtype(name)
    raise AssertionError(f"no type holds {low} to {high}")
