"""Pointwise functions."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from benchmarks.case import Agreement, Array, Arrays
from benchmarks.functions.row import HALF, ROUNDS, Row
from benchmarks.images import FULL_HD, photograph, plane

__all__ = ["ROWS"]

_ULP = Agreement(relative=2.5e-7, why="one rounding of float32 apart")


def _two() -> Arrays:
    return photograph(seed=0), photograph(seed=1)


def _one() -> Arrays:
    return (photograph(),)


def _floats() -> Arrays:
    return plane(FULL_HD, "float32", 0), plane(FULL_HD, "float32", 1)


def _gradients() -> Arrays:
    return plane(FULL_HD, "int16", 0), plane(FULL_HD, "int16", 1)


def _signed() -> Arrays:
    values = plane(FULL_HD, "int16")
    values //= 16
    return (values,)


_TABLE = np.random.default_rng(2).permutation(256).astype(np.uint8)
_ZERO: Any = 0  # OpenCV's stubs know no scalars
_LIMIT: Any = 100
_WIDENED = np.arange(256, dtype=np.int16)


def _narrowed(image: Array, out: Array, positive: Array) -> None:
    cv2.max(image, _ZERO, dst=positive)
    cv2.convertScaleAbs(positive, dst=out)


def _clipped(image: Array, out: Array, inside: Array) -> None:
    np.clip(image, 0, 255, out=inside)
    np.copyto(out, inside, casting="unsafe")


def _magnitude_l1(gx: Array, gy: Array, out: Array, zeros: Array, x: Array, y: Array) -> None:
    cv2.absdiff(gx, zeros, dst=x)
    cv2.absdiff(gy, zeros, dst=y)
    cv2.add(x, y, dst=out)


def _absolute(gx: Array, gy: Array, out: Array, _: Array, x: Array, y: Array) -> None:
    np.abs(gx, out=x)
    np.abs(gy, out=y)
    cv2.add(x, y, dst=out)


def _magnitude_l2(gx: Array, gy: Array, out: Array, x: Array, y: Array) -> None:
    np.copyto(x, gx)
    np.copyto(y, gy)
    cv2.magnitude(x, y, magnitude=x)
    cv2.add(x, _ZERO, dst=out, dtype=cv2.CV_16S)


def _hypotenuse(mt: Any, x: Any, y: Any) -> Any:
    return mt.sqrt(x * x + y * y)


ROWS = (
    Row(
        "absdiff.u8",
        _two,
        lambda mt, a, b: mt.vision.absdiff(a, b),
        {"absdiff": lambda a, b, out: cv2.absdiff(a, b, dst=out)},
    ),
    Row(
        "add.u8",
        _two,
        lambda mt, a, b: mt.vision.add(a, b),
        {"add": lambda a, b, out: cv2.add(a, b, dst=out)},
    ),
    Row(
        "subtract.u8",
        _two,
        lambda mt, a, b: mt.vision.subtract(a, b),
        {"subtract": lambda a, b, out: cv2.subtract(a, b, dst=out)},
    ),
    Row(
        "multiply.u8",
        _two,
        lambda mt, a, b: mt.vision.multiply(a, b),
        {"multiply": lambda a, b, out: cv2.multiply(a, b, dst=out)},
    ),
    Row(
        "multiply_scaled.u8",
        _two,
        lambda mt, a, b: mt.vision.multiply(a, b, scale=1 / 255, rounding="nearest_even"),
        {"multiply": lambda a, b, out: cv2.multiply(a, b, dst=out, scale=1 / 255)},
        agreement=HALF,
    ),
    Row(
        "weighted_average.u8",
        _two,
        lambda mt, a, b: mt.vision.weighted_average(a, b, 0.3),
        {"addWeighted": lambda a, b, out: cv2.addWeighted(a, 0.3, b, 0.7, 0, dst=out)},
        agreement=ROUNDS,
    ),
    Row(
        "bitwise_and.u8",
        _two,
        lambda mt, a, b: mt.vision.bitwise_and(a, b),
        {"bitwise_and": lambda a, b, out: cv2.bitwise_and(a, b, dst=out)},
    ),
    Row(
        "bitwise_or.u8",
        _two,
        lambda mt, a, b: mt.vision.bitwise_or(a, b),
        {"bitwise_or": lambda a, b, out: cv2.bitwise_or(a, b, dst=out)},
    ),
    Row(
        "bitwise_xor.u8",
        _two,
        lambda mt, a, b: mt.vision.bitwise_xor(a, b),
        {"bitwise_xor": lambda a, b, out: cv2.bitwise_xor(a, b, dst=out)},
    ),
    Row(
        "bitwise_not.u8",
        _one,
        lambda mt, a: mt.vision.bitwise_not(a),
        {"bitwise_not": lambda a, out: cv2.bitwise_not(a, dst=out)},
    ),
    Row(
        "minimum.u8",
        _two,
        lambda mt, a, b: mt.vision.minimum(a, b),
        {"min": lambda a, b, out: cv2.min(a, b, dst=out)},
    ),
    Row(
        "maximum.u8",
        _two,
        lambda mt, a, b: mt.vision.maximum(a, b),
        {"max": lambda a, b, out: cv2.max(a, b, dst=out)},
    ),
    Row(
        "threshold.u8",
        _one,
        lambda mt, a: mt.vision.threshold(a, _LIMIT),
        {
            "threshold": lambda a, out: cv2.threshold(a, _LIMIT, 255, cv2.THRESH_BINARY, dst=out),
            "compare": lambda a, out: cv2.compare(a, _LIMIT, cv2.CMP_GT, dst=out),
        },
    ),
    Row(
        "table_lookup.u8",
        _one,
        lambda mt, a: mt.vision.table_lookup(a, _TABLE),
        {"LUT": lambda a, out: cv2.LUT(a, _TABLE, dst=out)},
    ),
    Row(
        "convert_depth.u8_s16",
        _one,
        lambda mt, a: mt.vision.convert_depth(a, "int16"),
        {
            "LUT": lambda a, out: cv2.LUT(a, _WIDENED, dst=out),
            "add": lambda a, out: cv2.add(a, _ZERO, dst=out, dtype=cv2.CV_16S),
            "NumPy's copyto": lambda a, out: np.copyto(out, a),
        },
        outputs=("int16",),
    ),
    Row(
        "convert_depth.s16_u8",
        _signed,
        lambda mt, a: mt.vision.convert_depth(a, "uint8"),
        {
            "add": lambda a, out, _: cv2.add(a, _ZERO, dst=out, dtype=cv2.CV_8U),
            "max, convertScaleAbs": _narrowed,
            "NumPy's clip, copyto": _clipped,
        },
        scratch=("int16",),
    ),
    Row(
        "magnitude_l1.s16",
        _gradients,
        lambda mt, x, y: mt.vision.magnitude(x, y, norm="l1"),
        {"absdiff, absdiff, add": _magnitude_l1, "NumPy's abs, abs, OpenCV's add": _absolute},
        outputs=("int16",),
        scratch=("int16", "int16", "int16"),
    ),
    Row(
        "magnitude_l2.s16",
        _gradients,
        lambda mt, x, y: mt.vision.magnitude(x, y, norm="l2"),
        {"magnitude in float32": _magnitude_l2},
        outputs=("int16",),
        scratch=("float32", "float32"),
        agreement=HALF,
    ),
    Row(
        "magnitude_l2.f32",
        _floats,
        _hypotenuse,
        {"magnitude": lambda x, y, out: cv2.magnitude(x, y, magnitude=out)},
        outputs=("float32",),
        agreement=_ULP,
    ),
    Row(
        "add.f32",
        _floats,
        lambda mt, a, b: a + b,
        {
            "add": lambda a, b, out: cv2.add(a, b, dst=out),
            "NumPy's add": lambda a, b, out: np.add(a, b, out=out),
        },
        outputs=("float32",),
    ),
    Row(
        "multiply.f32",
        _floats,
        lambda mt, a, b: a * b,
        {
            "multiply": lambda a, b, out: cv2.multiply(a, b, dst=out),
            "NumPy's multiply": lambda a, b, out: np.multiply(a, b, out=out),
        },
        outputs=("float32",),
    ),
)
