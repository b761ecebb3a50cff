"""How a pointwise kernel walks its arrays: axes merged where all strides allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from muntin.core.regions import Box
from muntin.core.shapes import collapse_dimensions

__all__ = ["Walk", "walk"]

Strides = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """The axes of an iteration space, outermost first, and each array's byte strides along them.

    `offsets` are the bytes from element (0, …, 0) of each array to the first that is visited, and
    `origins` its position where axes keep their meaning.
    """

    sizes: tuple[int, ...]
    strides: tuple[Strides, ...]
    offsets: tuple[int, ...]
    origins: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def extent(self) -> tuple[int, int, int]:
        """The sizes of the box: outer axes together, rows, columns."""
        rows, columns = (1, 1, *self.sizes)[-2:]
        return prod(self.sizes[:-2]), rows, columns

    @property
    def is_short(self) -> bool:
        """Whether positions, and byte offsets from the first element visited, fit 32 bits."""
        spans = [
            sum(abs(stride) * size for stride, size in zip(line, self.sizes, strict=True))
            for line in self.strides
        ]
        return max(prod(self.sizes), *spans) < 1 << 31

    def slots(self, scalars: Sequence[int], *, has_index: bool) -> list[int]:
        """Return the argument slots of `lower_elementwise`; pointers are the offsets."""
        slots: list[int] = []
        for offset, line in zip(self.offsets, self.strides, strict=True):
            slots += [offset, *line]
        return [*slots, *scalars, *self.sizes[:-2], *(self.origins if has_index else ())]


def walk(
    box: Box, operands: Sequence[Strides], outputs: Sequence[Strides], *, merges: bool
) -> Walk:
    """Return the walk through a box of arrays given by their byte strides, operands first.

    Axes are permuted and merged only if told so; the strides of the outputs decide.
    """
    arrays = [*operands, *outputs]
    offsets = tuple([sum(map(int.__mul__, line, box.start)) for line in arrays])
    if not merges:
        return Walk(box.shape, tuple(arrays), offsets, box.start)
    sizes, lines = collapse_dimensions(box.shape, *outputs, *operands)
    lines = [*lines[len(outputs) :], *lines[: len(outputs)]]
    return Walk(tuple(sizes), tuple([tuple(line) for line in lines]), offsets, ())
