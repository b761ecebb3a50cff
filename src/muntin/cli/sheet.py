"""A contact sheet: pictures in rows, each with a title and a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Panel", "contact_sheet"]

_WIDTH, _HEIGHT = 640, 480  # of a picture at most
_GAP, _CAPTION = 16, 52
_BACK, _INK, _SOFT = (24, 27, 34), (238, 240, 245), (160, 168, 184)


class Panel(NamedTuple):
    """A picture (grey or RGB, uint8), or lines of text in its place, under a title and a note."""

    title: str
    note: str
    content: npt.NDArray[np.uint8] | Sequence[str]


def contact_sheet(panels: Sequence[Panel], columns: int) -> npt.NDArray[np.uint8]:
    """Return the panels in rows of `columns` as one RGB picture."""
    from PIL import Image, ImageDraw

    pictures = [
        None if isinstance(panel.content, Sequence) else _fitted(Image.fromarray(panel.content))
        for panel in panels
    ]
    width = max(picture.width for picture in pictures if picture is not None)
    height = max(picture.height for picture in pictures if picture is not None)
    rows = -(-len(panels) // columns)
    step_x, step_y = width + _GAP, height + _CAPTION + _GAP
    sheet = Image.new("RGB", (columns * step_x + _GAP, rows * step_y + _GAP), _BACK)
    draw = ImageDraw.Draw(sheet)
    for number, (panel, picture) in enumerate(zip(panels, pictures, strict=True)):
        left = _GAP + number % columns * step_x
        top = _GAP + number // columns * step_y
        if picture is not None:
            sheet.paste(picture, (left, top))
        else:
            _write(draw, (left, top), panel.content)
        draw.text((left, top + height + 8), panel.title, _INK, _font(17))
        draw.text((left, top + height + 30), panel.note, _SOFT, _font(13))
    return np.array(sheet)


def _fitted(picture: Any) -> Any:
    """Return a picture in RGB, no larger than a panel."""
    scale = min(_WIDTH / picture.width, _HEIGHT / picture.height, 1)
    size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
    return picture.convert("RGB").resize(size)


def _write(draw: Any, place: tuple[int, int], lines: Any) -> None:
    left, top = place
    for number, line in enumerate(lines):
        draw.text((left + 8, top + 12 + 30 * number), line, _INK, _font(19))


def _font(size: int) -> Any:
    from PIL import ImageFont

    try:
        return ImageFont.load_default(size)
    except (ImportError, TypeError):  # Pillow without FreeType, or before 10.1
        return ImageFont.load_default()
