"""Pixelwise functions from their definitions."""

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from tests.reference.exact import Image, fitted, from_float, nearest_even, to_zero, unbounded


def absdiff(a: Image, b: Image) -> Image:
    if a.dtype.kind == "f":
        return np.abs(a - b)
    return fitted(np.abs(unbounded(a) - unbounded(b)), a.dtype)


def add(a: Image, b: Image, overflow: str = "saturate") -> Image:
    dtype = np.result_type(a, b)
    if dtype.kind == "f":
        return a.astype(dtype) + b.astype(dtype)
    return fitted(unbounded(a) + unbounded(b), dtype, overflow)


def subtract(a: Image, b: Image, overflow: str = "saturate") -> Image:
    dtype = np.result_type(a, b)
    if dtype.kind == "f":
        return a.astype(dtype) - b.astype(dtype)
    return fitted(unbounded(a) - unbounded(b), dtype, overflow)


def multiply(
    a: Image,
    b: Image,
    scale: float = 1.0,
    overflow: str = "saturate",
    rounding: str = "to_zero",
) -> Image:
    dtype = np.result_type(a, b)
    if dtype.kind == "f":
        product = a.astype(dtype) * b.astype(dtype)
        return product if scale == 1 else product * dtype.type(scale)
    exact = Fraction(float(np.float32(scale)))
    product = a.astype(object) * b.astype(object) * exact.numerator
    divide = to_zero if rounding == "to_zero" else nearest_even
    return fitted(divide(product, exact.denominator), dtype, overflow)


def weighted_average(a: Image, b: Image, alpha: float) -> Image:
    real = np.float64 if a.dtype.itemsize > 2 and a.dtype != np.float32 else np.float32
    weight = real(alpha)
    total = (real(1) - weight) * b.astype(real) + weight * a.astype(real)
    return from_float(total, a.dtype)


def magnitude(x: Image, y: Image, norm: str = "l2") -> Image:
    if x.dtype.kind == "f":
        return np.sqrt(x * x + y * y) if norm == "l2" else np.abs(x) + np.abs(y)
    x, y, dtype = x.astype(object), y.astype(object), x.dtype
    if norm == "l1":
        return fitted(abs(x) + abs(y), dtype)
    # floor(sqrt(s) + 1/2) is (floor(sqrt(4 s)) + 1) // 2
    roots = [(isqrt(4 * s) + 1) // 2 for s in (x * x + y * y).ravel().tolist()]
    return fitted(np.array(roots, dtype=object).reshape(x.shape), dtype)


def threshold(
    image: Image,
    value: float,
    upper: float | None = None,
    true_value: float = 255,
    false_value: float = 0,
    dtype: Any = "uint8",
) -> Image:
    chosen = image > value if upper is None else (image >= value) & (image <= upper)
    return np.where(chosen, np.array(true_value, dtype), np.array(false_value, dtype))


def convert_depth(image: Image, dtype: Any, shift: int = 0, overflow: str = "saturate") -> Image:
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return image.astype(dtype)
    if image.dtype.kind == "f":
        return from_float(image, dtype)
    pixels = image.astype(object)
    if dtype.itemsize > image.dtype.itemsize:
        return fitted(fitted(pixels, dtype, overflow).astype(object) * 2**shift, dtype, "wrap")
    return fitted(pixels // 2**shift, dtype, overflow)
