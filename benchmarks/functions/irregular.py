"""Functions that scatter, scan, gather or trace."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from benchmarks.case import Agreement, Array, Arrays
from benchmarks.functions.row import ROUNDS, Row
from benchmarks.images import FULL_HD, photograph

__all__ = ["ROWS"]

_ROWS, _COLUMNS = FULL_HD
_HD = (720, 1280)
_TURN = np.array([[0.98, -0.17, 90.0], [0.17, 0.98, -120.0]], np.float32)
_PLACES = Agreement(12, why="OpenCV keeps five bits of a place between pixels")
_MAPS = tuple(
    np.ascontiguousarray(m.astype(np.float32))
    for m in np.tensordot(
        _TURN[::-1], np.stack([*np.mgrid[:_ROWS, :_COLUMNS][::-1], np.ones(FULL_HD)]), 1
    )
)


def _one() -> Arrays:
    return (photograph(),)


def _integral(image: Array, total: Array) -> object:
    return cv2.integral(image, sum=total, sdepth=cv2.CV_32S)


def _histogram(image: Array, counts: Array) -> object:
    return cv2.calcHist([image], [0], None, [256], [0, 256], hist=counts)


def _warp(image: Array, out: Array) -> object:
    return cv2.warpAffine(
        image,
        _TURN,
        (_COLUMNS, _ROWS),
        dst=out,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


def _remap(image: Array, out: Array) -> object:
    y, x = _MAPS
    return cv2.remap(image, x, y, cv2.INTER_LINEAR, dst=out, borderMode=cv2.BORDER_REPLICATE)


def _resize(interpolation: int, image: Array, out: Array) -> object:
    return cv2.resize(image, out.shape[::-1], dst=out, interpolation=interpolation)


def _canny(image: Array, out: Array) -> object:
    return cv2.Canny(image, 50, 100, edges=out)


def _scaled(interpolation: str) -> Any:
    def expression(mt: Any, image: Any) -> Any:
        return mt.vision.scale(image, _HD, interpolation=interpolation)

    return expression


ROWS = (
    Row(
        "integral.u8",
        _one,
        lambda mt, a: mt.vision.integral(a),
        {"integral": _integral},
        outputs=("uint32",),
        opencv_outputs=(((_ROWS + 1, _COLUMNS + 1), "int32"),),
        opencv_view=lambda total: total[1:, 1:],
    ),
    Row(
        "histogram.u8",
        _one,
        lambda mt, a: mt.vision.histogram(a),
        {"calcHist": _histogram},
        outputs=(((256,), "uint32"),),
        opencv_outputs=(((256, 1), "float32"),),
        opencv_view=lambda counts: counts[:, 0],
    ),
    Row(
        "equalize_hist.u8",
        _one,
        lambda mt, a: mt.vision.equalize_hist(a),
        {"equalizeHist": lambda a, out: cv2.equalizeHist(a, dst=out)},
        agreement=ROUNDS,
    ),
    Row(
        "mean_stddev.u8",
        _one,
        lambda mt, a: mt.vision.mean_stddev(a),
        {"meanStdDev": lambda a, mean, deviation: cv2.meanStdDev(a, mean, deviation)},
        outputs=(((), "float32"), ((), "float32")),
        opencv_outputs=(((1, 1), "float64"), ((1, 1), "float64")),
        opencv_view=lambda value: value[0, 0:1].reshape(()),
        agreement=Agreement(relative=1e-5, why="muntin's results are float32"),
    ),
    Row(
        "scale_bilinear.u8",
        _one,
        _scaled("bilinear"),
        {"resize": lambda a, out: _resize(cv2.INTER_LINEAR, a, out)},
        outputs=((_HD, "uint8"),),
        agreement=Agreement(2, why="OpenCV rounds, with weights of 11 bits; muntin truncates"),
    ),
    Row(
        "scale_area.u8",
        _one,
        _scaled("area"),
        {"resize": lambda a, out: _resize(cv2.INTER_AREA, a, out)},
        outputs=((_HD, "uint8"),),
        agreement=ROUNDS,
    ),
    Row(
        "warp_affine.u8",
        _one,
        lambda mt, a: mt.vision.warp_affine(a, _TURN),
        {"warpAffine": _warp},
        agreement=_PLACES,
    ),
    Row(
        "remap.u8",
        _one,
        lambda mt, a: mt.vision.remap(a, *_MAPS),
        {"remap": _remap},
        agreement=_PLACES,
    ),
    Row(
        "canny.u8",
        _one,
        lambda mt, a: mt.vision.canny(a, 50, 100, ties="first"),
        {"Canny": _canny},
        agreement=Agreement(255, share=0.01, why="OpenCV's directions come from a tangent"),
    ),
)
