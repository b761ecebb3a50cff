"""The command line."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console

from benchmarks import report
from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.compare import Options, Outcome, compare
from benchmarks.machine import facts
from benchmarks.product import Product, load

__all__ = ["main", "selected"]


def selected(names: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases that a name, a group before a dot, or a pattern selects; all for none."""
    if not names:
        return CASES
    for name in names:
        if not any(_selects(name, case) for case in CASES):
            raise click.BadParameter(f"{name!r} selects no case; `--list` shows the names")
    return tuple(case for case in CASES if any(_selects(name, case) for name in names))


def _selects(name: str, case: Case) -> bool:
    return case.name == name or case.name.startswith(f"{name}.") or fnmatchcase(case.name, name)


def _compared(console: Console, case: Case, product: Product | None, options: Options) -> Outcome:
    with console.status(case.name):
        return compare(case, product, options)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("names", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="Show the names of the cases and stop.")
@click.option("--peers-only", is_flag=True, help="Leave muntin out; it is not imported.")
@click.option("--verify-only", is_flag=True, help="Compare the results of all forms, time nothing.")
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(3))
@click.option(
    "--burst",
    default=4.0,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Milliseconds of one contender in one round.",
)
@click.option(
    "--page",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A page of Markdown; cases that were not run keep their rows.",
)
@click.option("--json", "path", type=click.Path(dir_okay=False, path_type=Path))
def main(
    names: tuple[str, ...],
    only_list: bool,
    peers_only: bool,
    verify_only: bool,
    rounds: int,
    burst: float,
    page: Path | None,
    path: Path | None,
) -> None:
    """Compare muntin with other libraries.

    NAMES are cases (edges.threads1), groups (edges, functions) or patterns ('functions.*.f32').
    Each contender is verified, then all are timed in turn, round by round. The last column is a
    contender's time divided by muntin's in the same round: above 1, muntin is faster.
    """
    console = Console(width=None if Console().is_terminal else 160)
    cases = selected(names)
    if only_list:
        for case in cases:
            console.print(f"{case.name:40} {case.about}", markup=False, highlight=False)
        return
    product = None if peers_only else load()
    options = Options(rounds, burst / 1000, verify_only)
    known = facts()
    report.show_facts(console, known)
    outcomes: list[Outcome] = []
    for group, members in groupby(cases, lambda case: case.name.partition(".")[0]):
        ours = [_compared(console, case, product, options) for case in members]
        report.show(console, group, ours)
        outcomes += ours
    if path:
        report.write(path, known, outcomes)
    if page:
        before = page.read_text(encoding="utf-8") if page.exists() else ""
        names = [case.name for case in selected(())]
        page.write_text(report.page(known, outcomes, names, before), encoding="utf-8")
    if any(outcome.faults for outcome in outcomes):
        raise click.ClickException("some results were wrong")
