"""Names of axes: a letter an axis, by rank or as told, never guessed from a size."""

from __future__ import annotations

from muntin.core.graph.letters import letters_by_rank
from muntin.errors import ParameterError, ShapeError

__all__ = ["checked_axes", "spatial_axes"]

_LETTERS = "ntzyxc"
_SPATIAL = "zyx"


def checked_axes(operation: str, axes: str | None, ndim: int) -> str | None:
    """Return `axes`, or those by rank if it is None.

    Raises
    ------
    ParameterError
        If a letter is unknown or stands twice.
    ShapeError
        If there are more or fewer letters than axes.
    """
    if axes is None:
        return letters_by_rank(ndim)
    if not set(axes) <= set(_LETTERS) or len(set(axes)) != len(axes):
        raise ParameterError(
            f"{operation}: axes is {axes!r}; give a letter for each axis, each once, of n "
            '(images), t (time), z, y, x and c (channels), such as "yx" or "nyxc"'
        )
    if len(axes) != ndim:
        raise ShapeError(
            f"{operation}: axes {axes!r} name {len(axes)} axes, but the array has {ndim}; give a "
            "letter for each"
        )
    return axes


def spatial_axes(operation: str, axes: str | None) -> tuple[int, ...]:
    """Return the positions of z, y and x, those that there are, in this order.

    Raises
    ------
    ShapeError
        If the axes have no names.
    """
    if axes is None:
        raise ShapeError(
            f"{operation}: the axes of the array have no names, so that y and x are unknown; give "
            'them with muntin.asarray(x, axes="nyxc") or the like'
        )
    return tuple([axes.index(letter) for letter in _SPATIAL if letter in axes])
