"""Pictures of arrays for notebooks."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin.dtypes import dtype_of
from muntin.interop.images import FORMATS

__all__ = ["as_html", "as_png"]

_LONGEST = 1024  # pixels along a side; of more, every second, third, … is shown
_PNG = next(row for row in FORMATS if row.name == "PNG")


def as_png(array: npt.NDArray[Any], axes: str | None) -> bytes | None:
    """Return an image as a PNG file, or None of an array that is none.

    Images have two axes, or three of which the last has letter c and length 1 to 4. Their elements
    are of bool or uint8, or floats from 0 to 1.
    """
    if not array.size or not _has_image_axes(array.shape, axes):
        return None
    step = -(-max(array.shape[:2]) // _LONGEST)
    shown = _as_bytes(array, array[::step, ::step])
    if shown is None:
        return None
    file = BytesIO()
    flat = shown[:, :, 0] if shown.ndim == 3 and shown.shape[2] == 1 else shown
    _PNG.encode(file, np.ascontiguousarray(flat))
    return file.getvalue()


def _has_image_axes(shape: tuple[int, ...], axes: str | None) -> bool:
    letters = axes or ""
    if len(shape) == 2:
        return "c" not in letters
    return len(shape) == 3 and letters.endswith("c") and shape[2] in _PNG.channels


def _as_bytes(array: npt.NDArray[Any], shown: npt.NDArray[Any]) -> npt.NDArray[np.uint8] | None:
    if array.dtype == np.uint8:
        return shown
    if array.dtype == np.bool_:
        return shown * np.uint8(255)
    if dtype_of(array.dtype).is_float and array.min() >= 0 and array.max() <= 1:  # no NaN is
        return (shown * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    return None


def as_html(png: bytes, caption: str) -> str:
    """Return HTML that shows a PNG file with a line below it."""
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    return (
        f'<figure><img src="{source}" alt="" style="image-rendering: pixelated">'
        f"<figcaption><code>{escape(caption)}</code></figcaption></figure>"
    )
