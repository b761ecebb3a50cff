"""NumPy's counts of Arrays: `bincount` and `histogram`, bin for bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array import counting
from muntin.array.array import Array
from muntin.array.counting import counted
from muntin.array.creation import asarray
from muntin.array.elementwise import maximum, minimum, where
from muntin.array.evaluation import eval
from muntin.array.operators import common_device
from muntin.array.reductions import max, min, sum
from muntin.array.searching import searchsorted
from muntin.core.graph.gathering import gather
from muntin.dtypes import integer_type
from muntin.errors import ShapeError, UnsupportedError
from muntin.interop.numpy_protocols import implements

__all__: list[str] = []

_Edges = npt.NDArray[Any]


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: SupportsIndex = 0) -> Array:
    return counting.bincount(x, weights, minlength)


@implements(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Array, _Edges]:
    """Return lazy counts, and edges: without a range those of equal bins follow from the elements.

    Weights are added in C order.
    """
    array = asarray(a)
    x = array.reshape(-1)
    x = x.astype("uint8") if x.dtype == np.bool else x
    if weights is not None and np.shape(weights) != array.shape:
        raise ShapeError(
            f"numpy.histogram: weights have shape {np.shape(weights)}, the elements {array.shape}; "
            "give one for each element"
        )
    if isinstance(bins, str):
        raise UnsupportedError(
            f"numpy.histogram: bins {bins!r} do not work on muntin Arrays; give a number or edges, "
            "such as those of numpy.histogram_bin_edges for some of the elements"
        )
    if np.ndim(bins) == 0:
        lowest, highest = _ends(x) if range is None else range
        edges = np.histogram_bin_edges(np.zeros(0, x.dtype), bins, (lowest, highest))
        if lowest == highest:
            lowest, highest = lowest - 0.5, highest + 0.5
        inside = (x >= lowest) & (x <= highest)
        number = _equal(x, inside, edges, lowest, highest)
    else:
        edges = np.histogram_bin_edges(np.zeros(0, x.dtype), bins)
        inside = (x >= edges[0]) & (x <= edges[-1])
        number = searchsorted(edges[1:-1], x, side="right")
    counts = _counted(number, inside, edges.size - 1, weights)
    if density:
        return counts / np.diff(edges).astype(float) / sum(counts), edges
    return counts, edges


def _ends(x: Array) -> Sequence[Any]:
    """Return the least and the greatest element."""
    if not x.size:
        return 0, 1
    return [np.asarray(each)[()] for each in eval(min(x), max(x))]


def _equal(x: Array, inside: Array, edges: _Edges, lowest: Any, highest: Any) -> Array:
    """Return the bins of elements between two ends, as NumPy computes and corrects them."""
    count = edges.size - 1
    wide = x.astype(edges.dtype)
    position = (wide - lowest) / _width(lowest, highest) * count
    number = minimum(where(inside, position, 0).astype("int64"), count - 1)
    number = number - (inside & (wide < _looked_up(edges, number))).astype("int64")
    number = maximum(number, 0)  # an end of another type may be compared otherwise than its edge
    last = number == count - 1
    return number + ((wide >= _looked_up(edges, number + 1)) & ~last).astype("int64")


def _width(lowest: Any, highest: Any) -> Any:
    """Return how far two ends are apart; integers do not overflow."""
    dtype = np.result_type(lowest, highest)
    if dtype.kind != "i":
        return np.subtract(highest, lowest, dtype=dtype)
    ends = np.asarray(highest, dtype), np.asarray(lowest, dtype)
    return np.subtract(*ends, dtype=f"u{dtype.itemsize}", casting="unsafe")[()]


def _looked_up(table: _Edges, number: Array) -> Array:
    return Array(gather(asarray(table)._node, [number._node], number.shape, is_inside=True))


def _counted(number: Array, inside: Array, count: int, weights: Any) -> Array:
    """Return how many elements are in each bin, or the sums of their weights."""
    narrow = integer_type(0, count)
    assert narrow is not None
    place = where(inside, number, count).astype(narrow)
    if weights is None:
        found = counted(place._node, count + 1, "int64", is_inside=True)
        return Array(found._node, place._device)[:count]
    device = common_device("numpy.histogram", (place, weights))
    values = asarray(weights).reshape(-1)
    wide = values.astype("float64")._node
    found = counted(place._node, count + 1, "float64", wide, is_inside=True)
    return Array(found._node, device)[:count].astype(values.dtype)
