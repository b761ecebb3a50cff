"""Numbers and tables as the commands print them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

__all__ = ["print_table", "rate_in_words", "seconds_in_words", "size_in_words"]

_PIPED_WIDTH = 160  # columns of a table that no terminal shows


def seconds_in_words(seconds: float) -> str:
    """Return a time with three digits that count.

    >>> seconds_in_words(0.0004217), seconds_in_words(0.0421), seconds_in_words(42.1)
    ('0.422 ms', '42.1 ms', '42.1 s')
    """
    number, unit = (seconds, "s") if seconds >= 1 else (seconds * 1e3, "ms")
    return f"{three_digits(number)} {unit}"


def rate_in_words(pixels: int, seconds: float) -> str:
    """Return pixels a second, in millions.

    >>> rate_in_words(2_000_000, 0.004)
    '500 MP/s'
    """
    return f"{three_digits(pixels / 1e6 / max(seconds, 1e-9))} MP/s"


def size_in_words(shape: Sequence[int]) -> str:
    """Return a shape as sizes are written.

    >>> size_in_words((480, 640, 3))
    '480×640×3'
    """
    return "×".join(map(str, shape))


def three_digits(number: float) -> str:
    """Return a number with about three digits that count.

    >>> [three_digits(number) for number in (0.0421, 0.421, 4.21, 42.1, 421, 42100)]
    ['0.042', '0.421', '4.21', '42.1', '421', '42 100']
    """
    if number >= 100:
        return f"{number:,.0f}".replace(",", " ")
    return f"{number:.1f}" if number >= 10 else f"{number:.{2 if number >= 1 else 3}f}"


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
    """Print a table; columns whose letter in `right` is "r" are flush right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, side in zip(columns, right.ljust(len(columns), "l"), strict=True):
        table.add_column(name, justify="right" if side == "r" else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH, markup=False)
    with console.capture() as capture:
        console.print(table, highlight=False)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())
