"""A forked child has one thread: what others held or did in the parent must be made anew."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["Resettable", "reset_after_fork"]


class Resettable(Protocol):
    """An object whose locks and threads do not survive a fork."""

    def reset(self) -> None:
        """Make the object usable in a process that has only the calling thread."""
        ...


_objects: WeakSet[Resettable] = WeakSet()


def reset_after_fork(resettable: Resettable) -> None:
    """Have the object's `reset` called in every child that is forked while the object lives."""
    _objects.add(resettable)


def _in_child() -> None:
    for resettable in list(_objects):
        resettable.reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
