"""Letters of axes: by rank or as told, followed through views, agreed on by operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muntin.errors import ShapeError

__all__ = ["ByRank", "agreed_letters", "followed_letters", "letters_by_rank"]

_BY_RANK = ("", "x", "yx", "yxc", "nyxc")


class ByRank(str):
    """Letters that nobody told, but for the rank of some array: told ones take their place."""

    __slots__ = ()


def letters_by_rank(ndim: int) -> ByRank | None:
    """Return the letters that an array of `ndim` axes gets if none are told."""
    return ByRank(_BY_RANK[ndim]) if ndim < len(_BY_RANK) else None


def followed_letters(letters: str | None, sources: Sequence[int | None]) -> str | None:
    """Return the letters of a view's axes, each from an axis of what is viewed or new (None).

    Where axes are new, the letters are those by rank, if these name the others as before; or else
    there are none.
    """
    if letters is None:
        return None if sources else ""
    names = "".join([letters[source] for source in sources if source is not None])
    if len(names) < len(sources):
        by_rank = letters_by_rank(len(sources))
        kept = [place for place, source in enumerate(sources) if source is not None]
        return by_rank if by_rank and "".join([by_rank[place] for place in kept]) == names else None
    return ByRank(names) if isinstance(letters, ByRank) else names


def agreed_letters(operation: str, operands: Iterable[str | None]) -> str | None:
    """Return the letters of a result whose operands of its rank have these.

    Told letters count more than letters by rank; where letters by rank differ, there are none.

    Raises
    ------
    ShapeError
        If told letters differ.
    """
    found: str | None = None
    differ = False
    for letters in operands:
        if letters is None or letters == found:
            if isinstance(found, ByRank):
                found = letters or found
        elif found is None or (isinstance(found, ByRank) and not isinstance(letters, ByRank)):
            found = letters
        elif isinstance(letters, ByRank):
            differ = True
        else:
            raise ShapeError(
                f"{operation}: operands have axes {found!r} and {letters!r}; transpose one so that "
                "both name their axes in the same order"
            )
    return None if differ and isinstance(found, ByRank) else found
