"""Folds: how a run of elements becomes one value, partitioned by the elements' positions alone.

A run is cut into chunks. The elements of a chunk go to lanes, the k-th to lane k modulo their
number; each lane takes its elements in order, starting from the identity; then the upper half of
the lanes is taken into the lower half until one is left. So nothing but the position of an element
decides when it is taken: not threads, nor windows, nor how arrays lie in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType

from muntin.dtypes import DType

__all__ = ["BEFORE", "CHUNK", "FOLDS", "LANES", "UNIT", "Fold"]

CHUNK = 4096  # elements
BEFORE = "before "  # goes before the name of a fold whose combination is that of all parts before
UNIT = 256  # a run of fewer elements is folded together with those of the axis before it
LANES = 16
_LINE = 64  # bytes: the widest vector


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """A fold by the elementwise row `row`.

    Attributes
    ----------
    least, greatest
        Whether the identity is the least or the greatest value of the type.
    number
        The identity elsewhere.
    finds
        Whether the result is the position of the first element that `row` would choose, counted
        from the start of a chunk; equal zeros are equal.
    centred
        Whether the squares of what elements differ from the mean of their chunk are added.
    """

    name: str
    row: str
    number: float = 0.0
    least: bool = False
    greatest: bool = False
    finds: bool = False
    centred: bool = False

    def identity(self, dtype: DType) -> int | float:
        """Return the number that changes nothing: -0.0 where floats are added."""
        if self.least or self.greatest:
            if dtype.is_float:
                return -inf if self.least else inf
            return int(dtype.least if self.least else dtype.greatest)
        return self.number if dtype.is_float else int(self.number)

    def is_ordered(self, dtype: DType) -> bool:
        """Say whether the order in which elements are taken changes the result."""
        return dtype.is_float and not (self.least or self.greatest)

    def lanes(self, dtype: DType) -> int:
        """Return the number of lanes; where it does not matter, two vectors of them."""
        is_free = not (self.finds or self.is_ordered(dtype))
        return max(LANES, 2 * _LINE // dtype.itemsize) if is_free else LANES


FOLDS: Mapping[str, Fold] = MappingProxyType(
    {
        fold.name: fold
        for fold in (
            Fold("sum", "add", -0.0),
            Fold("prod", "multiply", 1.0),
            Fold("min", "minimum", greatest=True),
            Fold("max", "maximum", least=True),
            Fold("argmin", "minimum", greatest=True, finds=True),
            Fold("argmax", "maximum", least=True, finds=True),
            Fold("deviation", "add", -0.0, centred=True),
        )
    }
)
