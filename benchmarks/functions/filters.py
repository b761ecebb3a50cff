"""Functions that read neighbours, with the border replicated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np

from benchmarks.case import Agreement, Array, Arrays
from benchmarks.functions.row import ROUNDS, Row
from benchmarks.images import FULL_HD, photograph, plane

__all__ = ["ROWS"]

_BORDER = cv2.BORDER_REPLICATE
_FLOATS = Agreement(
    difference=1e-5, relative=1e-5, why="float32 sums in another order, or fused multiply-adds"
)
_WEIGHTS = Agreement(2, why="OpenCV's weights have 8 bits and muntin's 16")
_GENERAL = np.array([[1, -2, 3], [0, 5, -1], [2, 1, -4]], np.int16)
_SEPARABLE = np.array([1, 2, 3, 2, 1], np.int16)

_WHOLE = np.outer(_SEPARABLE, _SEPARABLE).astype(np.float32)


def _one() -> Arrays:
    return (photograph(),)


def _float() -> Arrays:
    return (plane(FULL_HD, "float32"),)


def _filter(name: str, **settings: Any) -> Callable[..., Any]:
    """Return a function of `muntin` and an image that calls a vision function by name."""

    def expression(mt: Any, image: Any) -> Any:
        return getattr(mt.vision, name)(image, **settings)

    return expression


def _blur(size: int, image: Array, out: Array) -> object:
    return cv2.blur(image, (size, size), dst=out, borderType=_BORDER)


def _gaussian(size: int, sigma: float, image: Array, out: Array) -> object:
    return cv2.GaussianBlur(image, (size, size), sigma, dst=out, borderType=_BORDER)


def _gaussian_by_taps(size: int, sigma: float, image: Array, out: Array) -> object:
    taps = cv2.getGaussianKernel(size, sigma, cv2.CV_32F)
    return cv2.sepFilter2D(image, -1, taps, taps, dst=out, borderType=_BORDER)


def _gaussian_forms(size: int, sigma: float) -> dict[str, Callable[..., object]]:
    return {
        "GaussianBlur": partial(_gaussian, size, sigma),
        "sepFilter2D": partial(_gaussian_by_taps, size, sigma),
    }


def _sobel(size: int, depth: int, image: Array, gx: Array, gy: Array) -> None:
    cv2.Sobel(image, depth, 1, 0, dst=gx, ksize=size, borderType=_BORDER)
    cv2.Sobel(image, depth, 0, 1, dst=gy, ksize=size, borderType=_BORDER)


def _sobel_by_float(size: int, image: Any, gx: Any, gy: Any, x: Any, y: Any) -> None:
    _sobel(size, cv2.CV_32F, image, x, y)
    np.copyto(gx, x, casting="unsafe")
    np.copyto(gy, y, casting="unsafe")


def _gradient(image: Any, gx: Any, gy: Any) -> object:
    return cv2.spatialGradient(image, gx, gy, 3, _BORDER)


def _scharr(image: Array, gx: Array, gy: Array) -> None:
    cv2.Scharr(image, cv2.CV_16S, 1, 0, dst=gx, borderType=_BORDER)
    cv2.Scharr(image, cv2.CV_16S, 0, 1, dst=gy, borderType=_BORDER)


def _correlate(kernel: Array, depth: int, image: Array, out: Array) -> object:
    return cv2.filter2D(image, depth, kernel, dst=out, borderType=_BORDER)


def _separable(depth: int, image: Array, out: Array) -> object:
    taps = _SEPARABLE.astype(np.float32)
    return cv2.sepFilter2D(image, depth, taps, taps, dst=out, borderType=_BORDER)


def _separable_by_float(image: Array, out: Array, exact: Array) -> None:
    _separable(cv2.CV_32F, image, exact)
    np.copyto(out, exact, casting="unsafe")


def _morphology(operation: int, size: int, image: Array, out: Array) -> object:
    element = np.ones((size, size), np.uint8)
    return cv2.morphologyEx(image, operation, element, dst=out, borderType=_BORDER)


def _boxes() -> tuple[Row, ...]:
    return tuple(
        Row(
            f"box{size}.u8",
            _one,
            _filter("box", size=size),
            {"blur": partial(_blur, size)},
            agreement=ROUNDS,
        )
        for size in (3, 5, 15, 31)
    )


def _morphologies() -> tuple[Row, ...]:
    rows = []
    for name, call in (("erode", cv2.erode), ("dilate", cv2.dilate)):
        for size in (3, 5):
            element = np.ones((size, size), np.uint8)

            def direct(image: Any, out: Any, call: Any = call, element: Any = element) -> object:
                return call(image, element, dst=out)

            rows.append(Row(f"{name}{size}.u8", _one, _filter(name, element=size), {name: direct}))
    for name, operation in (("opening", cv2.MORPH_OPEN), ("closing", cv2.MORPH_CLOSE)):
        rows.append(
            Row(
                f"{name}3.u8",
                _one,
                _filter(name),
                {"morphologyEx": partial(_morphology, operation, 3)},
            )
        )
    return tuple(rows)


ROWS = (
    *_boxes(),
    Row(
        "box5.f32",
        _float,
        _filter("box", size=5),
        {"blur": partial(_blur, 5)},
        outputs=("float32",),
        agreement=_FLOATS,
    ),
    Row(
        "gaussian3x3.u8",
        _one,
        _filter("gaussian3x3"),
        _gaussian_forms(3, 0),
        agreement=ROUNDS,
    ),
    Row(
        "gaussian5x5.u8",
        _one,
        _filter("gaussian5x5"),
        _gaussian_forms(5, 0),
        agreement=ROUNDS,
    ),
    Row(
        "gaussian7.u8",
        _one,
        _filter("gaussian", size=7, sigma=1.4),
        _gaussian_forms(7, 1.4),
        agreement=_WEIGHTS,
    ),
    Row(
        "gaussian31.u8",
        _one,
        _filter("gaussian", size=31, sigma=5.0),
        _gaussian_forms(31, 5.0),
        agreement=_WEIGHTS,
    ),
    Row(
        "gaussian5.f32",
        _float,
        _filter("gaussian", size=5, sigma=1.1),
        _gaussian_forms(5, 1.1),
        outputs=("float32",),
        agreement=_FLOATS,
    ),
    Row(
        "sobel3.u8",
        _one,
        _filter("sobel", size=3),
        {"spatialGradient": _gradient, "Sobel, Sobel": partial(_sobel, 3, cv2.CV_16S)},
        outputs=("int16", "int16"),
    ),
    Row(
        "sobel5.u8",
        _one,
        _filter("sobel", size=5),
        {
            "Sobel, Sobel": lambda a, gx, gy, x, y: _sobel(5, cv2.CV_16S, a, gx, gy),
            "Sobel, Sobel in float32, NumPy's copyto": partial(_sobel_by_float, 5),
        },
        outputs=("int16", "int16"),
        scratch=("float32", "float32"),
    ),
    Row(
        "sobel7.u8",
        _one,
        _filter("sobel", size=7),
        {"Sobel, Sobel": partial(_sobel, 7, cv2.CV_32F)},
        outputs=("int32", "int32"),
        opencv_outputs=("float32", "float32"),
    ),
    Row(
        "sobel3.f32",
        _float,
        _filter("sobel", size=3),
        {"Sobel, Sobel": partial(_sobel, 3, cv2.CV_32F)},
        outputs=("float32", "float32"),
        agreement=_FLOATS,
    ),
    Row(
        "scharr.u8",
        _one,
        _filter("scharr"),
        {"Scharr, Scharr": _scharr},
        outputs=("int16", "int16"),
    ),
    Row(
        "laplacian.u8",
        _one,
        _filter("laplacian"),
        {
            "Laplacian": lambda a, out: cv2.Laplacian(
                a, cv2.CV_16S, dst=out, ksize=1, borderType=_BORDER
            )
        },
        outputs=("int16",),
    ),
    Row(
        "median3.u8",
        _one,
        _filter("median", size=3),
        {"medianBlur": lambda a, out: cv2.medianBlur(a, 3, dst=out)},
    ),
    Row(
        "median5.u8",
        _one,
        _filter("median", size=5),
        {"medianBlur": lambda a, out: cv2.medianBlur(a, 5, dst=out)},
    ),
    *_morphologies(),
    Row(
        "convolve3x3.u8_s16",
        _one,
        _filter("convolve", matrix=_GENERAL, dtype="int16"),
        {"filter2D": partial(_correlate, _GENERAL[::-1, ::-1].astype(np.float32), cv2.CV_16S)},
        outputs=("int16",),
    ),
    Row(
        "convolve3x3.f32",
        _float,
        _filter("convolve", matrix=_GENERAL.astype(np.float32)),
        {"filter2D": partial(_correlate, _GENERAL[::-1, ::-1].astype(np.float32), cv2.CV_32F)},
        outputs=("float32",),
        agreement=_FLOATS,
    ),
    Row(
        "convolve_separable5x5.u8_s16",
        _one,
        _filter("convolve", matrix=np.outer(_SEPARABLE, _SEPARABLE), dtype="int16"),
        {
            "sepFilter2D": lambda a, out, _: _separable(cv2.CV_16S, a, out),
            "sepFilter2D in float32, NumPy's copyto": _separable_by_float,
            "filter2D": lambda a, out, _: _correlate(_WHOLE, cv2.CV_16S, a, out),
        },
        outputs=("int16",),
        scratch=("float32",),
    ),
    Row(
        "convolve_separable5x5.f32",
        _float,
        _filter("convolve", matrix=_WHOLE),
        {"sepFilter2D": partial(_separable, cv2.CV_32F)},
        outputs=("float32",),
        agreement=_FLOATS,
    ),
)
