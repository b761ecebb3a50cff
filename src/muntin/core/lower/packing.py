"""Functions that gather a strided row into contiguous memory, or scatter one.

They are the same in every kernel: their code is made once, and only where a stride asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Convert,
    Expr,
    Function,
    Load,
    Parameter,
    Var,
    Word,
    index,
)
from muntin.dtypes import DTYPES

__all__ = ["BLOCK", "block_function", "pack_function", "packing_name", "shared_function"]

BLOCK = 16  # rows of a transposed operand that are packed at a time
_VECTOR_STEPS = (-1, 2, 4)  # a row reversed, every other pixel, one in four


def packing_name(word: str, itemsize: int, channels: int) -> str:
    """Return the name of the function; `word` is "pack", "unpack" or "block"."""
    return f"{word}_{itemsize}_{channels}"


def shared_function(name: str) -> Function:
    """Return the function that `packing_name` names so."""
    word, itemsize, channels = name.split("_")
    if word == "block":
        return block_function(int(itemsize))
    return pack_function(word, int(itemsize), int(channels))


@cache
def pack_function(word: str, itemsize: int, channels: int) -> Function:
    """Return a function (target, source, count, column stride, channel stride).

    The strides are those of the source when packing, of the target when unpacking.
    """
    dtype = DTYPES[f"uint{itemsize * 8}"]
    target, source = Var(POINTER, "target"), Var(POINTER, "source")
    count, column = Var(INDEX, "count"), Var(INDEX, "column")
    channel = Var(INDEX, "channel")
    b = Builder()

    def move(position: Expr, offset: Expr) -> None:
        if word == "pack":
            value = Load(dtype, Advance(POINTER, source, offset), index(0))
            b.store(target, position, value)
        else:
            place = Advance(POINTER, target, offset)
            b.store(place, index(0), Load(dtype, source, position))

    def each(stride: Expr, *, vectors: bool = False) -> None:
        with b.loop("x", index(0), count, independent=vectors) as x:
            for c in range(channels):
                move(x * channels + c, x * stride + channel * c)

    def shorten(stride: int) -> None:
        """Pack by words that begin at elements; that of the last ends beyond it, so it is moved."""
        with b.loop("x", index(0), count - 1, independent=True) as x:
            word = Word(DTYPES[f"uint{stride * 8}"], Advance(POINTER, source, x * stride))
            b.store(target, x, Convert(dtype, word))
        with b.when(count > 0):
            move(count - 1, (count - 1) * stride)

    def choose(steps: Sequence[int]) -> None:
        """Move in vectors where the stride is one of some whole elements."""
        if not steps:
            each(column)
            return
        stride = steps[0] * itemsize
        with b.when(column.equals(stride)):
            if 2 < stride <= 8:  # LLVM shortens words of two bytes itself, and better
                shorten(stride)
            else:
                each(index(stride), vectors=True)
        with b.otherwise():
            choose(steps[1:])

    if channels != 1:
        each(column)
    elif word == "unpack":
        choose(_VECTOR_STEPS[:1])
    else:
        with b.when(column.equals(0)):
            value = b.let(Load(dtype, source, index(0)), "value")
            with b.loop("x", index(0), count, independent=True) as x:
                b.store(target, x, value)
        with b.otherwise():
            choose(_VECTOR_STEPS)
    parameters = (
        Parameter(target, unaliased=True, written=True),
        Parameter(source, unaliased=True),
        Parameter(count),
        Parameter(column),
        Parameter(channel),
    )
    return b.function(packing_name(word, itemsize, channels), parameters, shared=True)


@cache
def block_function(itemsize: int) -> Function:
    """Return a function that packs some rows of an array whose columns are contiguous.

    Its parameters are (target, source, columns, rows, column stride, bytes of a target row). Each
    cache line of the source is read once, where packing row by row would read it for every row.
    """
    dtype = DTYPES[f"uint{itemsize * 8}"]
    target, source = Var(POINTER, "target"), Var(POINTER, "source")
    columns, rows = Var(INDEX, "columns"), Var(INDEX, "rows")
    stride, row_bytes = Var(INDEX, "stride"), Var(INDEX, "row_bytes")
    b = Builder()
    with b.loop("x", index(0), columns) as x:
        column = b.let(Advance(POINTER, source, x * stride), "column")
        with b.loop("y", index(0), rows) as y:
            place = Advance(POINTER, target, y * row_bytes)
            b.store(place, x, Load(dtype, column, y))
    parameters = (
        Parameter(target, unaliased=True, written=True),
        Parameter(source, unaliased=True),
        *[Parameter(var) for var in (columns, rows, stride, row_bytes)],
    )
    return b.function(packing_name("block", itemsize, 1), parameters, shared=True)
