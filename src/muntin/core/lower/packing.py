"""Functions that gather a strided row into contiguous memory, or scatter one."""

from __future__ import annotations

from muntin.core.program import (
    INDEX,
    POINTER,
    Advance,
    Builder,
    Expr,
    Function,
    Load,
    Parameter,
    Var,
    index,
)
from muntin.dtypes import DTYPES

__all__ = ["BLOCK", "block_function", "pack_function", "packing_name"]

BLOCK = 16  # rows of a transposed operand that are packed at a time


def packing_name(word: str, itemsize: int, channels: int) -> str:
    """Return the name of the function; `word` is "pack" or "unpack"."""
    return f"{word}{itemsize * 8}" + (f"_{channels}" if channels > 1 else "")


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

    if word == "pack" and channels == 1:
        with b.when(column.equals(0)):
            value = b.let(Load(dtype, source, index(0)), "value")
            with b.loop("x", index(0), count, independent=True) as x:
                b.store(target, x, value)
        with b.otherwise():
            with b.when(column.equals(-itemsize)):
                each(index(-itemsize), vectors=True)
            with b.otherwise():
                each(column)
    else:
        each(column)
    parameters = (
        Parameter(target, unaliased=True, written=True),
        Parameter(source, unaliased=True),
        Parameter(count),
        Parameter(column),
        Parameter(channel),
    )
    return b.function(packing_name(word, itemsize, channels), parameters)


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
    return b.function(packing_name("block", itemsize, 1), parameters)
