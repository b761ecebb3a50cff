"""Differences of neighbours along an axis."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsIndex

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.elementwise import not_equal, subtract
from muntin.array.joining import concat
from muntin.array.shaping import broadcast_to
from muntin.core.shapes import normalize_axis
from muntin.errors import ParameterError

__all__ = ["diff"]


def diff(
    x: Any,
    /,
    *,
    axis: SupportsIndex = -1,
    n: SupportsIndex = 1,
    prepend: Any = None,
    append: Any = None,
) -> Array:
    """Return what each element is more than the one before it along an axis.

    Parameters
    ----------
    x : array_like
        The elements.
    axis : int
        The axis, which becomes shorter by n.
    n : int
        How many times differences are taken, of differences from the second time on.
    prepend, append : array_like, optional
        What is put before and after x along the axis, before all else: arrays that fit there, or
        numbers.

    Raises
    ------
    ParameterError
        If n is negative.
    ShapeError
        If there is no such axis, or if arrays do not fit together.

    Notes
    -----
    Integers wrap. Of truth values the differences are whether they differ.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(diff(np.array([1, 4, 9, 16]))), np.asarray(diff(np.array([1, 4, 9]), prepend=0))
    (array([3, 5, 7]), array([1, 3, 5]))
    """
    found, times = asarray(x), index(n)
    along = normalize_axis(axis, found.ndim, "diff")
    if times < 0:
        raise ParameterError(f"diff: n is {times}; give 0 or more")
    shape = found.shape[:along] + (1,) + found.shape[along + 1 :]
    ends = [end if end is None else _end(end, shape) for end in (prepend, append)]
    parts = [part for part in (ends[0], found, ends[1]) if part is not None]
    if len(parts) > 1:
        found = concat(parts, axis=along)
    lead = (slice(None),) * along
    difference = not_equal if found.dtype.kind == "b" else subtract
    for _ in range(times):
        found = difference(found[(*lead, slice(1, None))], found[(*lead, slice(None, -1))])
    return found


def _end(x: Any, shape: tuple[int, ...]) -> Array:
    """Return what is put before or after an array; a number goes there once."""
    array = asarray(x)
    return array if array.ndim else broadcast_to(array, shape)
