"""A picture to try pipelines on: a landscape seen through a window, always the same."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["draw_scene"]

Plane: TypeAlias = npt.NDArray[Any]

_SEED = 20_240_229
_NIGHT, _DAWN = (38, 52, 104), (250, 186, 140)
_HILLS = ((86, 96, 140), (64, 88, 104), (36, 62, 56))


def draw_scene(rows: int = 960, columns: int = 1280) -> npt.NDArray[np.uint8]:
    """Return an RGB picture with gradients, shapes, strokes like writing, and noise.

    Parameters
    ----------
    rows, columns : int
        Its size.
    """
    rng = np.random.default_rng(_SEED)
    y, x = np.mgrid[0 : 1 : complex(rows), 0 : columns / rows : complex(columns)]
    picture = _mixed(np.clip(y * 1.6, 0, 1), _NIGHT, _DAWN)
    wide = columns / rows
    _paint(picture, np.hypot(y - 0.45, x - 0.62 * wide) < 0.11, (255, 232, 170))
    for k, colour in enumerate(_HILLS):
        crest = 0.55 + 0.12 * k + 0.05 * np.sin(x * (5 + 3 * k) + 2 * k)
        crest += 0.015 * np.sin(x * (23 + 11 * k))
        _paint(picture, y > crest, colour)
    _house(picture, y, x - 0.22 * wide)
    _sign(picture, y, x - 0.7 * wide, rng)
    frame = (np.abs((x / wide * 3) % 1 - 0.5) > 0.485) | (np.abs((y * 2) % 1 - 0.5) > 0.488)
    _paint(picture, frame, (232, 226, 214))
    picture += rng.normal(0, 5, picture.shape)
    specks = rng.random((rows, columns)) < 0.004
    picture[specks] = rng.choice((0, 255), int(specks.sum()))[:, None]
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def _mixed(weight: Plane, first: tuple[int, ...], second: tuple[int, ...]) -> Plane:
    mixed: Plane = np.array(first) * (1 - weight[..., None]) + np.array(second) * weight[..., None]
    return mixed


def _paint(picture: Plane, where: Plane, colour: tuple[int, ...]) -> None:
    picture[where] = colour


def _house(picture: Plane, y: Plane, x: Plane) -> None:
    """Paint a house whose left wall is at x = 0."""
    _paint(picture, (x > 0) & (x < 0.3) & (y > 0.58) & (y < 0.82), (176, 84, 66))
    roof = (y < 0.58) & (np.abs(x - 0.15) < (y - 0.42) * 1.1)
    _paint(picture, roof, (70, 48, 54))
    for left in (0.04, 0.2):
        inside = (x > left) & (x < left + 0.06) & (y > 0.63) & (y < 0.71)
        _paint(picture, inside, (255, 214, 120))
        bars = (np.abs(x - left - 0.03) < 0.003) | (np.abs(y - 0.67) < 0.003)
        _paint(picture, inside & bars, (60, 40, 44))
    _paint(picture, (x > 0.12) & (x < 0.18) & (y > 0.7) & (y < 0.82), (58, 40, 46))


def _sign(picture: Plane, y: Plane, x: Plane, rng: np.random.Generator) -> None:
    """Paint a board with lines of strokes that look like writing."""
    _paint(picture, (np.abs(x - 0.13) < 0.008) & (y > 0.8) & (y < 0.93), (74, 56, 44))
    _paint(picture, (x > 0) & (x < 0.26) & (y > 0.62) & (y < 0.82), (238, 232, 212))
    for line in range(4):
        place = 0.015
        while place < 0.235:
            width = rng.uniform(0.004, 0.014)
            base = 0.655 + 0.044 * line
            tall = rng.uniform(0.008, 0.026)
            inside = (x > place) & (x < place + width) & (y > base - tall) & (y < base + 0.006)
            hollow = (np.abs(x - place - width / 2) < width / 2 - 0.003) & (y > base - tall + 0.005)
            _paint(picture, inside & ~(hollow & (width > 0.008)), (40, 44, 60))
            place += width + rng.choice((0.004, 0.004, 0.014))
