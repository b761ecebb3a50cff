"""Indices that are out of bounds, which are found when a result is computed."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.errors import BoundsError

__all__ = ["first_out_of_bounds", "out_of_bounds"]


def out_of_bounds(place: int, axis: int, size: int) -> BoundsError:
    """Return the error for an index, counted from the front, along an axis."""
    index = place if place >= 0 else place - size
    return BoundsError(
        f"index: {index} is out of bounds for axis {axis} with size {size}; give {-size} to "
        f"{size - 1}, or bring indices there with muntin.clip"
    )


def first_out_of_bounds(
    record: Sequence[Sequence[int]], indexed: Sequence[tuple[int, int]]
) -> BoundsError:
    """Return the error for the first index that a record tells of."""
    number = next(number for number, (is_bad, _) in enumerate(record) if is_bad)
    return out_of_bounds(record[number][1], *indexed[number])
