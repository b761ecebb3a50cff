"""The filters by name, as muntin and as SciPy have them; all replicate the border."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from scipy import ndimage

from benchmarks.case import EXACT, Agreement, Array

__all__ = ["FILTERS", "Filter"]

_ROUNDINGS = Agreement(
    difference=1e-6, relative=1e-6, why="SciPy adds in float64 and rounds after each axis"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: given `muntin` and an Array, and given an image and an output."""

    muntin: Callable[[Any, Any], Any]
    scipy: Callable[[Array, Array], object]
    dtype: str
    size: int = 256
    agreement: Agreement = EXACT

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.size,) * 3


def _named(filtered: Callable[[Any, Any], Any], mt: Any, volume: Any) -> Any:
    return filtered(mt.vision, mt.asarray(volume, axes="zyx"))


def _gaussian(volume: Array, out: Array) -> object:
    """Of 7 taps: SciPy's radius is 3 sigma, rounded."""
    return ndimage.gaussian_filter(volume, 1.0, output=out, mode="nearest", truncate=3.0)


def _box(volume: Array, out: Array) -> object:
    return ndimage.uniform_filter(volume, 3, output=out, mode="nearest")


def _median(volume: Array, out: Array) -> object:
    return ndimage.median_filter(volume, 3, output=out, mode="nearest")


_SMOOTHED = partial(_named, lambda vx, volume: vx.gaussian(volume, 7, 1.0))
_AVERAGED = partial(_named, lambda vx, volume: vx.box(volume))
_RANKED = partial(_named, lambda vx, volume: vx.median(volume))

FILTERS: Mapping[str, Filter] = {
    "gaussian7.f32": Filter(_SMOOTHED, _gaussian, "float32", agreement=_ROUNDINGS),
    "box3.f32": Filter(_AVERAGED, _box, "float32", agreement=_ROUNDINGS),
    "median3.f32": Filter(_RANKED, _median, "float32", 96),
    "median3.u8": Filter(_RANKED, _median, "uint8", 96),
}
