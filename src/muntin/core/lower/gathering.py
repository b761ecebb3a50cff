"""Reads at computed coordinates in a row loop, which never leave the array, and a record of them.

A coordinate that is out of bounds reads at 0 instead; that there was one is noted, and a second
pass over the row writes it down. What is written is a pair for each index of a gather: 1, and the
coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Apply,
    Builder,
    Const,
    Convert,
    Expr,
    Load,
    Lookup,
    Parameter,
    Var,
    Word,
    index,
)
from muntin.dtypes import DTYPES, DType

__all__ = ["PAIR", "WORD", "SHORT", "Gathering", "is_narrow", "pixel_of", "widened"]

PAIR = 16  # bytes of a record of one index
WORD = 4  # bytes
TABLE = 256  # elements that an index of 8 bits may choose

_UINT8, SHORT, _WORD = DTYPES["uint8"], DTYPES["int32"], DTYPES["uint32"]


def is_narrow(dtype: DType) -> bool:
    """Say whether elements are taken out of words: processors gather nothing narrower."""
    return dtype.itemsize < WORD and not dtype.is_float


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

    @property
    def is_table(self) -> bool:
        """Whether this looks up bytes in a table, by an index of 8 bits from its front."""
        _, *indices = self.node.args
        is_alone = len(indices) == 1 and not self.node.params[1]
        return is_alone and self.node.dtype.itemsize == indices[0].dtype.itemsize == 1

    @property
    def is_dense(self) -> Expr:
        """Whether the elements of a table lie side by side."""
        return self.strides[0].equals(1)

    def last(self, b: Builder) -> Expr:
        """Return the last index of 8 bits that a table has an element for."""
        return b.let(Convert(_UINT8, self.sizes[0].at_most(TABLE) - 1), "last")

    def look_up(
        self,
        b: Builder,
        line: int,
        values: Mapping[Node, Expr],
        bad: Var | None,
        last: Expr,
    ) -> Expr:
        """Return the element of a dense table, noting in `bad` an index beyond the `last`."""
        place = _as(values[self.node.args[1]], _UINT8)
        if not self.is_safe:
            assert bad is not None
            outside = b.let(place > last, "outside")
            b.note(bad, outside)
            place = b.let(outside.choose(Const(_UINT8, 0), place), "place")
        found = Lookup(self.node.dtype, self.pointers[line], self.sizes[0], place)
        return b.let(found, "looked_up")

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
        if self.node.params[1]:
            pixel, channel = pixel_of(b, x, channels, INDEX)
            offset = pixel * self.column
            if channel is not None:
                offset = offset + channel * self.channel
        pointer = Advance(POINTER, self.pointers[line], offset + self.chosen(b, values, bad))
        return b.let(Load(self.node.dtype, pointer, index(0)), "gathered")

    def read_near(
        self,
        b: Builder,
        x: Expr,
        line: int,
        channels: int,
        values: Mapping[Node, Expr],
        bad: Var | None,
        others: Sequence[Gathering] = (),
    ) -> list[Expr]:
        """Return the element for column `x`, and those of others, where offsets have 32 bits.

        Others differ in their last index, by so little that the elements lie in one word.
        """
        dtype = self.node.dtype
        *places, last = self.places(b, values, bad, SHORT)
        offset: Expr = Const(SHORT, 0)
        channel = None
        if self.node.params[1]:
            pixel, channel = pixel_of(b, x, channels, SHORT)
            offset = pixel * _as(self.column, SHORT)
        for place, stride in zip(places, self.strides, strict=False):
            offset = offset + place * _as(stride, SHORT)
        if not is_narrow(dtype):
            offset = offset + last * _as(self.strides[-1], SHORT)
            if channel is not None:
                offset = offset + channel * _as(self.channel, SHORT)
            return [b.let(Load(dtype, self.moved(line, offset), index(0)), "gathered")]
        pitch = dtype.itemsize * channels
        lasts = [last, *[each.places(b, values, bad, SHORT)[-1] for each in others]]
        parts = [each * pitch for each in lasts]
        if channel is not None:
            parts = [part + channel * dtype.itemsize for part in parts]
        parts = [b.let(part, "part") for part in parts]
        start = _as(self.sizes[-1] * pitch - WORD, SHORT)
        for part in parts:
            start = start.at_most(part)
        start = b.let(start, "start")
        word = b.let(Word(_WORD, self.moved(line, offset + start)), "word")
        return [self.within(b, word, part - start) for part in parts]

    def within(self, b: Builder, word: Expr, place: Expr) -> Expr:
        """Return the element that begins at a byte of a word."""
        bits = Convert(_WORD, place * 8)
        shifted = Apply(_WORD, op("raw_right_shift"), (word, bits))
        if self.node.dtype is BOOL:
            byte = Convert(DTYPES["uint8"], shifted)
            value: Expr = Apply(BOOL, op("not_equal"), (byte, Const(byte.dtype, 0)))
        else:
            value = Convert(self.node.dtype, shifted)
        return b.let(value, "gathered")

    def moved(self, line: int, offset: Expr) -> Expr:
        return Advance(POINTER, self.pointers[line], _as(offset, INDEX))

    def row(self, b: Builder, line: int, values: Mapping[Node, Expr], bad: Var | None) -> Expr:
        """Return where the elements of a row lie whose indices have these values."""
        pointer = Advance(POINTER, self.pointers[line], self.chosen(b, values, bad))
        return b.let(pointer, "gathered_row")

    def chosen(self, b: Builder, values: Mapping[Node, Expr], bad: Var | None) -> Expr:
        """Return how many bytes the indices lead to, noting whether one is out of bounds."""
        offset: Expr = index(0)
        for place, stride in zip(self.places(b, values, bad, INDEX), self.strides, strict=True):
            offset = offset + place * stride
        return b.let(offset, "chosen")

    def places(
        self, b: Builder, values: Mapping[Node, Expr], bad: Var | None, dtype: DType
    ) -> list[Expr]:
        """Return the indices as a type, 0 for those out of bounds, noting whether there are any."""
        found = []
        for k, is_safe in enumerate(self.node.params[0]):
            place = values[self.node.args[1 + k]]
            if not is_safe:
                assert bad is not None
                place = _as(place, INDEX)
                outside = b.let(self.is_outside(place, k), "outside")
                b.note(bad, outside)
                place = outside.choose(index(0), place)
            found.append(_as(place, dtype))
        return found

    def write_down(self, b: Builder, values: Mapping[Node, Expr]) -> None:
        """Write down the indices of an element that are out of bounds."""
        for k, is_safe in enumerate(self.node.params[0]):
            if not is_safe:
                place = b.let(_as(values[self.node.args[1 + k]], INDEX), "place")
                with b.when(self.is_outside(place, k)):
                    b.store(self.record, index(2 * k), Const(INDEX, 1))
                    b.store(self.record, index(2 * k + 1), place)

    def is_outside(self, place: Expr, k: int) -> Expr:
        return (place < 0).either(place >= self.sizes[k])


def _as(value: Expr, dtype: DType) -> Expr:
    return value if value.dtype is dtype else Convert(dtype, value)


def widened(value: Expr) -> Expr:
    """Return an index of 32 bits as one of 64."""
    return _as(value, INDEX)


def pixel_of(b: Builder, x: Expr, channels: int, dtype: DType) -> tuple[Expr, Expr | None]:
    """Return which pixel an element of a row belongs to, and which of its channels it is.

    Vectors are divided quickly in 32 bits alone.
    """
    if channels == 1:
        return _as(x, dtype), None
    divided = x if dtype is INDEX else Convert(_WORD, x)
    pixel = b.let(_as(divided // channels, dtype), "pixel")
    return pixel, _as(x, dtype) - pixel * channels
