"""Steps that multiply matrices and vectors."""

from __future__ import annotations

from dataclasses import dataclass

from muntin.array.indexing import transposed
from muntin.core.graph import build, products
from muntin.core.graph.node import Node
from muntin.dtypes import DTYPES
from muntin.errors import ShapeError
from tests.core.graph.choices import Choices
from tests.core.graph.steps.made import Made


@dataclass(frozen=True)
class Product:
    """A product of matrices or vectors, of integers, whose sums have no order.

    Where no other operand fits it is that of a matrix and itself, transposed.
    """

    pick: int
    other: int
    dtype: str
    is_vecdot: bool

    @classmethod
    def drawn(cls, choices: Choices, axes: str | None) -> Product:
        picks = (choices.integer(0, 7), choices.integer(0, 7))
        dtype = choices.one_of(("bool", "int8", "uint16", "int32", "uint64"))
        return cls(*picks, dtype, choices.one_of((False, False, True)))

    def add(self, made: Made) -> None:
        first = made.pick(self.pick)
        if not first.shape or first.valid is not None:
            return
        multiply = products.vecdot if self.is_vecdot else products.matmul
        second = made.pick(self.other)
        if not second.shape or second.valid is not None:
            second = first
        try:
            found = multiply(self.factor(first), self.factor(second))
        except ShapeError:
            last = len(first.shape) - 1
            order = [*range(last - 1), last, last - 1] if last else [0]
            turned = first if self.is_vecdot else transposed(first, order, "matmul")
            found = multiply(self.factor(first), self.factor(turned))
        made.add(found)

    def factor(self, node: Node) -> Node:
        return build.cast(node, DTYPES[self.dtype])
