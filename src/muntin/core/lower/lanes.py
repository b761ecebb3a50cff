"""What a fold keeps in each of its lanes, and how elements and other lanes are taken into it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TypeAlias

from muntin.core.graph.folds import FOLDS, Fold
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.program import BOOL, Apply, Const, Convert, Expr
from muntin.dtypes import DTYPES, DType

__all__ = ["POSITION", "Lanes", "lanes_of_fold"]

POSITION = _NARROW = DTYPES["int32"]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A lane holds a value, in a type of its own where a narrower one does for a chunk."""

    fold: Fold
    dtype: DType
    kept: DType

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """The types of what a lane holds."""
        return (self.kept,)

    @property
    def start(self) -> tuple[Expr, ...]:
        """What a lane holds before anything was taken."""
        return (Const(self.kept, self.fold.identity(self.kept)),)

    def taken(self, held: Sequence[Expr], value: Expr, position: Expr) -> list[Expr]:
        """Return what a lane holds after an element that comes after all that it has."""
        return [_apply(self.fold.row, held[0], _as(self.kept, value))]

    def joined(self, held: Sequence[Expr], other: Sequence[Expr]) -> list[Expr]:
        """Return what a lane holds after what another holds was taken too."""
        return [_apply(self.fold.row, held[0], other[0])]

    def result(self, held: Sequence[Expr]) -> Expr:
        """Return the result from what the last lane holds."""
        return _as(self.dtype, held[0])


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A lane holds the best value, and the position where it was found first."""

    fold: Fold
    dtype: DType

    @property
    def dtypes(self) -> tuple[DType, ...]:
        return self.dtype, POSITION

    @property
    def start(self) -> tuple[Expr, ...]:
        return Const(self.dtype, self.fold.identity(self.dtype)), Const(POSITION, 0)

    def taken(self, held: Sequence[Expr], value: Expr, position: Expr) -> list[Expr]:
        is_better = self.is_better(held[0], value)
        return [_choose(is_better, value, held[0]), _choose(is_better, position, held[1])]

    def joined(self, held: Sequence[Expr], other: Sequence[Expr]) -> list[Expr]:
        is_first = _both(self.is_tie(held[0], other[0]), _test("less", other[1], held[1]))
        goes_over = _either(self.is_better(held[0], other[0]), is_first)
        return [_choose(goes_over, b, a) for a, b in zip(held, other, strict=True)]

    def result(self, held: Sequence[Expr]) -> Expr:
        return held[1]

    def is_better(self, held: Expr, value: Expr) -> Expr:
        """Say whether the search goes over to a value; once it has found a NaN it stays there."""
        if not self.dtype.is_float:
            return _test("less" if self.fold.greatest else "greater", value, held)
        is_worse = _test("greater_equal" if self.fold.greatest else "less_equal", value, held)
        return _both(_not(is_worse), _test("equal", held, held))

    def is_tie(self, a: Expr, b: Expr) -> Expr:
        if not self.dtype.is_float:
            return _test("equal", a, b)
        return _either(_test("equal", a, b), _both(_is_nan(a), _is_nan(b)))


@dataclass(frozen=True, slots=True, eq=False)
class FloatExtreme:
    """A lane holds the least or greatest key of a float, and whether there was a NaN.

    Keys are the integers that have the order of the floats, -0.0 below 0.0: to choose among them is
    one instruction, where a choice of floats that heeds zeros and NaN takes seven.
    """

    fold: Fold
    dtype: DType

    @property
    def integer(self) -> DType:
        return DTYPES[f"int{self.dtype.bits}"]

    @property
    def dtypes(self) -> tuple[DType, ...]:
        return self.integer, self.integer

    @property
    def start(self) -> tuple[Expr, ...]:
        codes = "<fi" if self.dtype.bits == 32 else "<dq"
        packed = struct.pack(codes[:2], self.fold.identity(self.dtype))
        (bits,) = struct.unpack(codes[0] + codes[2], packed)
        key = bits if bits >= 0 else bits ^ self.integer.greatest
        return Const(self.integer, key), Const(self.integer, 0)

    def taken(self, held: Sequence[Expr], value: Expr, position: Expr) -> list[Expr]:
        key = self.turned(Apply(self.integer, op("float_bits"), (value,)))
        has_nan = _choose(_is_nan(value), Const(self.integer, 1), held[1])
        return [_apply(self.fold.row, held[0], key), has_nan]

    def joined(self, held: Sequence[Expr], other: Sequence[Expr]) -> list[Expr]:
        return [
            _apply(self.fold.row, held[0], other[0]),
            _apply("bitwise_or", held[1], other[1]),
        ]

    def result(self, held: Sequence[Expr]) -> Expr:
        value = Apply(self.dtype, op("from_bits"), (self.turned(held[0]),))
        has_nan = _test("not_equal", held[1], Const(self.integer, 0))
        return _choose(has_nan, Const(self.dtype, nan), value)

    def turned(self, bits: Expr) -> Expr:
        """Return the key of a float's bits, or the bits of a key."""
        sign = _apply("raw_right_shift", bits, Const(self.integer, self.dtype.bits - 1))
        mask = _apply("bitwise_and", sign, Const(self.integer, int(self.integer.greatest)))
        return _apply("bitwise_xor", bits, mask)


Lanes: TypeAlias = Values | Search | FloatExtreme


def lanes_of_fold(node: Node) -> Lanes:
    """Return what a fold node keeps in its lanes."""
    (name, mapping), dtype = node.params, node.args[0].dtype
    fold = FOLDS[name]
    if fold.finds:
        return Search(fold, dtype)
    is_choice = fold.least or fold.greatest
    if dtype.is_float and is_choice and mapping != "down":  # where lanes are held in registers
        return FloatExtreme(fold, dtype)
    is_wide = name == "sum" and dtype.is_integer and dtype.bits > 32
    return Values(fold, dtype, _NARROW if is_wide and _is_narrow(node.args[0]) else dtype)


def _as(dtype: DType, value: Expr) -> Expr:
    return value if value.dtype is dtype else Convert(dtype, value)


def _is_narrow(node: Node) -> bool:
    """Say whether a node shows numbers of up to 16 bits in a wider type: a chunk sums to 32."""
    source = node.args[0].dtype if node.op.name == "cast" else node.dtype
    return not source.is_float and source.bits <= 16


def _apply(row: str, a: Expr, b: Expr) -> Expr:
    return Apply(a.dtype, op(row), (a, b))


def _test(row: str, a: Expr, b: Expr) -> Expr:
    return Apply(BOOL, op(row), (a, b))


def _both(a: Expr, b: Expr) -> Expr:
    return Apply(BOOL, op("logical_and"), (a, b))


def _either(a: Expr, b: Expr) -> Expr:
    return Apply(BOOL, op("logical_or"), (a, b))


def _not(a: Expr) -> Expr:
    return Apply(BOOL, op("logical_not"), (a,))


def _is_nan(a: Expr) -> Expr:
    return _test("not_equal", a, a)


def _choose(condition: Expr, yes: Expr, no: Expr) -> Expr:
    return Apply(yes.dtype, op("where"), (condition, yes, no))
