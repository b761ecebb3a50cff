"""Reads at computed coordinates in a row loop, which never leave the array, and a record of them.

A coordinate that is out of bounds reads at 0 instead; that there was one is noted, and a second
pass over the row writes it down. What is written is a pair for each index of a gather: 1, and the
coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from muntin.core.graph.node import Node
from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Const,
    Convert,
    Expr,
    Load,
    Parameter,
    Var,
    index,
)

__all__ = ["PAIR", "Gathering"]

PAIR = 16  # bytes of a record of one index


@dataclass(frozen=True, slots=True, eq=False)
class Gathering:
    """What a row loop must know of the memory that a gather node reads.

    Attributes
    ----------
    operand
        The number of the operand.
    pointers
        For each row that the loop makes: where its first column would lie if all indices were 0.
    column, channel, strides
        Byte strides along the columns, the channels and the axes that indices choose along.
    sizes
        Of these axes.
    record
        Where a pair for each index is written.
    """

    node: Node
    operand: int
    pointers: tuple[Var, ...]
    column: Var
    channel: Var
    strides: tuple[Var, ...]
    sizes: tuple[Var, ...]
    record: Var

    @classmethod
    def of(cls, node: Node, lines: int) -> Gathering:
        """Return the parameters for a node, in a loop that makes so many rows."""
        operand = node.args[0].payload
        name = f"source{operand}"
        count = len(node.args) - 1
        return cls(
            node,
            operand,
            tuple([Var(POINTER, f"{name}_row{line}") for line in range(lines)]),
            Var(INDEX, f"{name}_column"),
            Var(INDEX, f"{name}_channel"),
            tuple([Var(INDEX, f"{name}_stride{k}") for k in range(count)]),
            tuple([Var(INDEX, f"{name}_size{k}") for k in range(count)]),
            Var(POINTER, f"{name}_record"),
        )

    @property
    def is_safe(self) -> bool:
        """Whether no index can be out of bounds."""
        return all(self.node.params[0])

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters in their order."""
        numbers = (self.column, self.channel, *self.strides, *self.sizes)
        return [
            *[Parameter(pointer) for pointer in self.pointers],
            *[Parameter(number) for number in numbers],
            Parameter(self.record, written=True),
        ]

    def read(
        self,
        b: Builder,
        x: Expr,
        line: int,
        channels: int,
        values: Mapping[Node, Expr],
        bad: Var | None,
    ) -> Expr:
        """Return the element for column `x`, noting in `bad` whether an index is out of bounds."""
        offset: Expr = index(0)
        if self.node.params[1] and channels == 1:
            offset = x * self.column
        elif self.node.params[1]:
            pixel = b.let(x // index(channels), "pixel")
            offset = pixel * self.column + (x - pixel * channels) * self.channel
        pointer = Advance(POINTER, self.pointers[line], offset + self.chosen(b, values, bad))
        return b.let(Load(self.node.dtype, pointer, index(0)), "gathered")

    def row(self, b: Builder, line: int, values: Mapping[Node, Expr], bad: Var | None) -> Expr:
        """Return where the elements of a row lie whose indices have these values."""
        pointer = Advance(POINTER, self.pointers[line], self.chosen(b, values, bad))
        return b.let(pointer, "gathered_row")

    def chosen(self, b: Builder, values: Mapping[Node, Expr], bad: Var | None) -> Expr:
        """Return how many bytes the indices lead to, noting whether one is out of bounds."""
        offset: Expr = index(0)
        for k, is_safe in enumerate(self.node.params[0]):
            place = self.place(values, k)
            if not is_safe:
                assert bad is not None
                outside = b.let(self.is_outside(place, k), "outside")
                b.note(bad, outside)
                place = outside.choose(index(0), place)
            offset = offset + place * self.strides[k]
        return b.let(offset, "chosen")

    def write_down(self, b: Builder, values: Mapping[Node, Expr]) -> None:
        """Write down the indices of an element that are out of bounds."""
        for k, is_safe in enumerate(self.node.params[0]):
            if not is_safe:
                place = b.let(self.place(values, k), "place")
                with b.when(self.is_outside(place, k)):
                    b.store(self.record, index(2 * k), Const(INDEX, 1))
                    b.store(self.record, index(2 * k + 1), place)

    def place(self, values: Mapping[Node, Expr], k: int) -> Expr:
        value = values[self.node.args[1 + k]]
        return value if value.dtype is INDEX else Convert(INDEX, value)

    def is_outside(self, place: Expr, k: int) -> Expr:
        return (place < 0).either(place >= self.sizes[k])
