"""NumPy's functions that give views, on Arrays."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from muntin.array import shaping
from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.core.shapes import normalize_axes
from muntin.errors import ShapeError
from muntin.interop.numpy_protocols import implements

__all__: list[str] = []


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    return _each(arys, lambda x: x if x.ndim else x[None])


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    return _each(arys, lambda x: x if x.ndim > 1 else x[None, :] if x.ndim else x[None, None])


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    places: dict[int, Any] = {0: (None, None, None), 1: np.s_[None, :, None], 2: np.s_[..., None]}
    return _each(arys, lambda x: x[places[x.ndim]] if x.ndim in places else x)


def _each(arrays: tuple[Any, ...], function: Any) -> Any:
    results = tuple([function(asarray(x)) for x in arrays])
    return results[0] if len(results) == 1 else results


@implements(np.flipud)
def flipud(m: Any) -> Array:
    return shaping.flip(m, axis=0)


@implements(np.fliplr)
def fliplr(m: Any) -> Array:
    return shaping.flip(m, axis=1)


@implements(np.rot90)
def rot90(
    m: Any, k: SupportsIndex = 1, axes: tuple[SupportsIndex, SupportsIndex] = (0, 1)
) -> Array:
    array = asarray(m)
    plane = normalize_axes(tuple(axes), array.ndim, "rot90")
    if len(plane) != 2:
        raise ShapeError(f"rot90: axes are {axes}; give the two in whose plane it is turned")
    turns = int(k) % 4
    if turns == 2:
        return shaping.flip(array, axis=plane)
    if turns == 0:
        return array
    turned = swapaxes(array, *plane)
    return shaping.flip(turned, axis=plane[0 if turns == 1 else 1])


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: SupportsIndex, axis2: SupportsIndex) -> Array:
    return asarray(a).swapaxes(axis1, axis2)
