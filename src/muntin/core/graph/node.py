"""A node is one lazy value: operation, arguments, parameters, and what was derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, dataclass_transform

from muntin.core.graph.ops import Op
from muntin.core.regions import Box
from muntin.dtypes import DType

__all__ = ["AxisMap", "Diagonals", "Number", "Node", "Source", "View"]

T = TypeVar("T")

Number: TypeAlias = int | float
Diagonals: TypeAlias = tuple[int, int]  # the lowest and the highest that is not zero


class Source(Protocol):
    """What an input node reads: the core only asks where it lies."""

    @property
    def address(self) -> int: ...

    @property
    def strides(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class AxisMap:
    """Where one axis of a view comes from: `source index = start + step * index`.

    A `source` of None is a new axis; a step of 0 stretches an axis of length 1.
    """

    source: int | None
    start: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class View:
    """An affine map from the indices of a view to those of its argument.

    `fixed` lists the axes of the argument that the view drops, with the index taken there.
    """

    axes: tuple[AxisMap, ...]
    fixed: tuple[tuple[int, int], ...] = ()

    def after(self, inner: View) -> View:
        """Return the view of the argument of `inner` that this view of `inner` is."""
        fixed = list(inner.fixed)
        for axis, index in self.fixed:
            below = inner.axes[axis]
            if below.source is not None:
                fixed.append((below.source, below.start + below.step * index))
        axes = []
        for axis_map in self.axes:
            if axis_map.source is None:
                axes.append(axis_map)
                continue
            below = inner.axes[axis_map.source]
            start = below.start + below.step * axis_map.start
            axes.append(AxisMap(below.source, start, below.step * axis_map.step))
        return View(tuple(axes), tuple(fixed))

    def strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        """Return the byte strides of the view over an array of `strides`."""
        return tuple(
            0 if axis.source is None else strides[axis.source] * axis.step for axis in self.axes
        )

    def offset(self, strides: tuple[int, ...]) -> int:
        """Return the byte offset of the first element of the view."""
        offset = sum(strides[axis] * index for axis, index in self.fixed)
        return offset + sum(
            strides[axis.source] * axis.start for axis in self.axes if axis.source is not None
        )


@dataclass_transform(frozen_default=True, eq_default=False)
def _immutable(cls: type[T]) -> type[T]:
    """Make a dataclass that type checkers hold to be frozen.

    Python's own way to forbid assignments takes 1.3 us for a node, this one 0.25.
    """
    return dataclass(slots=True, eq=False)(cls)


@_immutable
class Node:
    """One lazy value; immutable, compared by identity.

    `params` are static: they are compiled in. `payload` is what may change without compiling:
    the source of an input, the number of a scalar, the affine map of a view.
    """

    op: Op
    args: tuple[Node, ...]
    params: tuple[Any, ...]
    payload: Any
    shape: tuple[int, ...]
    dtype: DType
    axes: str | None = None
    valid: Box | None = None  # None: every element is valid
    diagonals: Diagonals | None = None  # of the last two axes; None: all of them

    @property
    def is_rare_choice(self) -> bool:
        """Whether this is a choice whose condition hardly ever holds."""
        return self.op.name == "where" and bool(self.params)

    @property
    def reads_at(self) -> tuple[tuple[int, ...], ...]:
        """The offsets, or the corners of those, at which a read of neighbours reads."""
        if self.op.kind == "neighbour":
            return (self.params[0],)
        first_and_last: tuple[tuple[int, ...], ...] = self.params[:2]
        return first_and_last if self.op.kind == "window_sum" else ()

    @property
    def plane(self) -> tuple[int | None, int | None]:
        """The axes of the rows and the columns of an image, in the order of its memory."""
        axes = self.axes or ""
        places = sorted(axes.index(letter) for letter in "yx" if letter in axes)
        if not places:
            return None, None
        return (places[0], places[1]) if len(places) == 2 else (None, places[0])

    def __repr__(self) -> str:
        return f"Node({self.op.name}, {self.shape}, {self.dtype}, {len(self.args)} arguments)"
