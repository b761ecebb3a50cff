"""The loops of counts: integers are added in any order, in tables of their own.

Parts of the values go to tables apart, several in turn; then the tables are added up.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from muntin.array.program import Program, program
from muntin.core.loops.parameters import Input, Output, Scalar, Scratch

__all__ = ["in_tables"]

_BLOCKS = 16  # parts of the values that are added apart
_TABLES = 4  # of each part, in turn: equal neighbours do not wait for each other
_MOST_COUNTS = 1 << 20  # in all tables, unless a single part has more
_LINE = 4096  # elements of a row that are worth a part

_Shape = tuple[int, ...]


def _table_shape(places: _Shape, targets: int) -> _Shape:
    """Return how many parts of rows and of columns have tables, how many and how long they are."""
    rows, columns = places
    blocks = min(max(_MOST_COUNTS // (_TABLES * targets), 1), _BLOCKS)
    blocks = min(blocks, max(rows * columns // (_TABLES * targets), 1))
    down = min(rows, blocks)
    across = min(max(blocks // down, 1), max(columns // _LINE, 1))
    return down, across, _TABLES, targets


@cache
def in_tables(dtype: str, place: str) -> Program:
    """Return the program that adds a number to zeros for each of `places`, which are rows."""

    @program(
        places=Input(place, 2),
        value=Scalar(dtype),
        targets=Scalar("int64"),
        found=Output(dtype, 1, lambda targets: targets),
        tables=Scratch(dtype, 4, lambda places, targets: _table_shape(places, targets)),
    )
    def add(p: Any, places: Any, value: Any, targets: Any, found: Any, tables: Any) -> None:
        rows, columns = places.shape
        down, across = tables.shape[:2]
        with p.parallel(down * across) as block:
            i, j = block // across, block % across
            first, last = columns * j // across, columns * (j + 1) // across
            in_turn = first + (last - first) // _TABLES * _TABLES
            with p.for_(rows * i // down, rows * (i + 1) // down) as y:
                with p.for_(first, in_turn, _TABLES) as x:
                    for table in range(_TABLES):
                        tables[i, j, table, places[y, x + table]] += value
                with p.for_(in_turn, last) as x:
                    tables[i, j, 0, places[y, x]] += value
        with (
            p.for_(down) as i,
            p.for_(across) as j,
            p.for_(_TABLES) as table,
            p.for_(targets) as target,
        ):
            found[target] += tables[i, j, table, target]

    return add
