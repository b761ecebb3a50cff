"""Tables, and images at points that are given or computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import cv2
import numpy as np

from benchmarks.case import EXACT, Agreement, Array, Arrays
from benchmarks.functions.row import Row
from benchmarks.images import FULL_HD, aligned, photograph

__all__ = ["ROWS"]

_TURN = np.array([[0.98, -0.17, 90.0], [0.17, 0.98, -120.0]], np.float32)
_WAYS = {
    "bilinear": cv2.INTER_LINEAR,
    "nearest": cv2.INTER_NEAREST,
    "area": cv2.INTER_AREA,
}
_BORDERS = {
    "replicate": cv2.BORDER_REPLICATE,
    "reflect101": cv2.BORDER_REFLECT_101,
    "constant": cv2.BORDER_CONSTANT,
}
_AGREEMENTS = {
    "bilinear.uint8": Agreement(1, why="OpenCV rounds"),
    "bilinear.float32": Agreement(0.2, why="positions are rounded in another order"),
    "area.uint8": Agreement(1, why="OpenCV computes with floats, and rounds halves to even"),
    "area.float32": Agreement(1e-3, why="sums in another order"),
    "nearest.uint8": Agreement(255, share=0.01, why="ties, and positions of fewer bits"),
}


def _table() -> Arrays:
    table = aligned((256,), np.uint8)
    table[...] = np.random.default_rng(1).permutation(256)
    return photograph(), table


def _image(dtype: str, channels: int) -> Array:
    image = photograph()
    if channels > 1:
        image = np.stack([np.roll(image, shift) for shift in range(channels)], axis=-1)
    return image.astype(dtype)


def _given(dtype: str, channels: int) -> Arrays:
    rows, columns = (each.astype(np.float32) for each in np.mgrid[: FULL_HD[0], : FULL_HD[1]])
    y, x = (m[0] * columns + m[1] * rows + m[2] for m in _TURN[::-1])
    return _image(dtype, channels), y, x


def _sampled(way: str, border: str, dtype: str, mt: Any, image: Any, y: Any, x: Any) -> Any:
    return mt.sample(image, y, x, interpolation=way, border=border).astype(dtype)


def _warped(way: str, border: str, dtype: str, mt: Any, image: Any) -> Any:
    rows = mt.arange(FULL_HD[0], dtype="float32")[:, None]
    columns = mt.arange(FULL_HD[1], dtype="float32")
    y, x = (m[0] * columns + m[1] * rows + m[2] for m in _TURN[::-1].tolist())
    return _sampled(way, border, dtype, mt, image, y, x)


def _remap(way: int, border: int, image: Array, y: Array, x: Array, out: Array) -> object:
    return cv2.remap(image, x, y, way, dst=out, borderMode=border)


def _warp(way: int, border: int, image: Array, out: Array) -> object:
    size, flags = FULL_HD[::-1], way | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(image, _TURN, size, dst=out, flags=flags, borderMode=border)


def _row(
    name: str, way: str, dtype: str = "uint8", border: str = "replicate", channels: int = 1
) -> Row:
    """Return the row of points that are given (remap) or computed (affine)."""
    inputs: Callable[[], Arrays]
    muntin: Callable[..., Any]
    opencv: Mapping[str, Callable[..., object]]
    peer = (_WAYS[way], _BORDERS[border])
    if name.startswith("remap"):
        inputs, muntin = partial(_given, dtype, channels), _sampled
        opencv = {"remap": partial(_remap, *peer)}
    else:
        inputs, muntin = (lambda: (_image(dtype, channels),)), _warped
        opencv = {"warpAffine": partial(_warp, *peer)}
    expression = partial(muntin, way, border, dtype)
    agreement = _AGREEMENTS[f"{way}.{dtype}"]
    return Row(name, inputs, expression, opencv, outputs=(dtype,), agreement=agreement)


def _scaled(way: str, rows: int, columns: int, dtype: str = "uint8") -> Row:
    """Return the row of an image in another size."""
    short = {"uint8": "u8", "float32": "f32"}[dtype]

    def opencv(image: Array, out: Array) -> object:
        return cv2.resize(image, (columns, rows), dst=out, interpolation=_WAYS[way])

    return Row(
        f"scale_{way}_{rows}x{columns}.{short}",
        lambda: (_image(dtype, 1),),
        lambda mt, image: mt.vision.scale(image, (rows, columns), way),
        {"resize": opencv},
        outputs=(((rows, columns), dtype),),
        agreement=_AGREEMENTS[f"{way}.{dtype}"],
    )


ROWS = (
    Row(
        "table.u8",
        _table,
        lambda mt, image, table: mt.take(table, image),
        {"LUT": lambda image, table, out: cv2.LUT(image, table, dst=out)},
        agreement=EXACT,
    ),
    _row("affine.u8", "bilinear"),
    _row("affine.f32", "bilinear", "float32"),
    _row("affine_nearest.u8", "nearest"),
    _row("affine_constant.u8", "bilinear", border="constant"),
    _row("affine_reflect101.u8", "bilinear", border="reflect101"),
    _row("affine_rgb.u8", "bilinear", channels=3),
    _row("remap.u8", "bilinear"),
    _row("remap.f32", "bilinear", "float32"),
    _row("remap_nearest.u8", "nearest"),
    _row("remap_rgb.u8", "bilinear", channels=3),
    _scaled("area", 270, 480),
    _scaled("area", 300, 500),
    _scaled("area", 540, 960),
    _scaled("area", 720, 1280),
    _scaled("area", 720, 1280, "float32"),
    _scaled("bilinear", 720, 1280),
)
