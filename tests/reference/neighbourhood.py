"""Reads beside a pixel, through a padded copy of the image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.reference.exact import Image

MODES = {
    "replicate": "edge",
    "symmetric": "symmetric",
    "reflect101": "reflect",
    "wrap": "wrap",
    "undefined": "edge",  # any value will do: nobody looks at it
}


@dataclass(frozen=True)
class Edge:
    """A border by its name, with the value of a constant one."""

    mode: str = "replicate"
    value: int | float = 0


def padded(image: Image, rows: tuple[int, int], columns: tuple[int, int], edge: Edge) -> Image:
    """Return the image with rows above and below and columns left and right of it."""
    widths = (rows, columns, *((0, 0),) * (image.ndim - 2))
    options: dict[str, Any] = {}
    if edge.mode == "constant":
        options["constant_values"] = np.array(edge.value, dtype=image.dtype)
    return np.pad(image, widths, mode=MODES.get(edge.mode, edge.mode), **options)


def beside(image: Image, offsets: Sequence[tuple[int, int]], edge: Edge) -> list[Image]:
    """Return, for each (row, column) offset, the image of the pixels that lie there."""
    top = max(0, *(-dy for dy, _ in offsets))
    bottom = max(0, *(dy for dy, _ in offsets))
    left = max(0, *(-dx for _, dx in offsets))
    right = max(0, *(dx for _, dx in offsets))
    wide = padded(image, (top, bottom), (left, right), edge)
    height, width = image.shape[:2]
    return [wide[top + dy : top + dy + height, left + dx : left + dx + width] for dy, dx in offsets]


def square(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the offsets of a centred window in raster order."""
    y, x = rows // 2, columns // 2
    return [(dy, dx) for dy in range(-y, rows - y) for dx in range(-x, columns - x)]


def defined(image: Image, reach: tuple[int, int, int, int]) -> tuple[slice, slice]:
    """Return where no read leaves the image: `reach` is up, down, left and right."""
    up, down, left, right = reach
    height, width = image.shape[:2]
    return slice(up, max(height - down, up)), slice(left, max(width - right, left))
