"""NumPy's functions that give views, parts and joined arrays, on Arrays."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from muntin.array import joining, shaping
from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.core.shapes import normalize_axes, normalize_axis
from muntin.errors import ParameterError, ShapeError
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


# --- parts ----------------------------------------------------------------------------------------


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: SupportsIndex = 0) -> list[Array]:
    array = asarray(ary)
    along = normalize_axis(axis, array.ndim, "array_split")
    length = array.shape[along]
    if np.ndim(indices_or_sections) == 0:
        count = index(indices_or_sections)
        if count < 1:
            raise ParameterError(f"array_split: got {count} sections; give 1 or more, or places")
        size, longer = divmod(length, count)
        places = [size * part + min(part, longer) for part in range(1, count)]
    else:
        places = [index(place) for place in indices_or_sections]
    lead = (slice(None),) * along
    ends = zip([0, *places], [*places, length], strict=True)
    return [array[(*lead, slice(start, stop))] for start, stop in ends]


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: SupportsIndex = 0) -> list[Array]:
    array = asarray(ary)
    if np.ndim(indices_or_sections) == 0:
        length = array.shape[normalize_axis(axis, array.ndim, "split")]
        count = index(indices_or_sections)
        if count > 0 and length % count:
            raise ShapeError(
                f"split: {length} elements along axis {axis} do not make {count} equal sections; "
                "give the places between them, or call numpy.array_split"
            )
    return array_split(array, indices_or_sections, axis)


# --- joined arrays --------------------------------------------------------------------------------


@implements(np.hstack)
def hstack(tup: Sequence[Any]) -> Array:
    arrays = [atleast_1d(x) for x in tup]
    return joining.concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


@implements(np.vstack)
def vstack(tup: Sequence[Any]) -> Array:
    return joining.concat([atleast_2d(x) for x in tup], axis=0)


@implements(np.dstack)
def dstack(tup: Sequence[Any]) -> Array:
    return joining.concat([atleast_3d(x) for x in tup], axis=2)


@implements(np.column_stack)
def column_stack(tup: Sequence[Any]) -> Array:
    arrays = [asarray(x) for x in tup]
    return joining.concat([x if x.ndim > 1 else atleast_2d(x).T for x in arrays], axis=1)
