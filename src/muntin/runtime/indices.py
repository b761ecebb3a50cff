"""Indices that are out of bounds, which are found when a result is computed."""

from __future__ import annotations

from collections.abc import Sequence

from muntin.errors import BoundsError

__all__ = ["check_record", "out_of_bounds"]


def out_of_bounds(
    place: int, axis: int, size: int, *, wraps: bool = True, operation: str = "index"
) -> BoundsError:
    """Return the error for an index, counted from the front, along an axis."""
    index = place - size if wraps and place < 0 else place
    least = -size if wraps else 0
    said = f"{index}" if operation == "index" else f"index {index}"
    return BoundsError(
        f"{operation}: {said} is out of bounds for axis {axis} with size {size}; give {least} to "
        f"{size - 1}, or bring indices there with muntin.clip"
    )


def check_record(
    record: Sequence[Sequence[int]],
    indexed: Sequence[tuple[int, int]],
    *,
    wraps: bool = True,
    operation: str = "index",
) -> None:
    """Raise BoundsError for the first index that a record tells of, if there is one.

    `indexed` has the axis that each pair of the record is about, and its size.
    """
    for (is_bad, place), (axis, size) in zip(record, indexed, strict=True):
        if is_bad:
            raise out_of_bounds(place, axis, size, wraps=wraps, operation=operation)
