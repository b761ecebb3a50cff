"""Tables for people and JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.compare import Line, Outcome

__all__ = ["page", "show", "show_facts", "write"]


def show_facts(console: Console, facts: Mapping[str, str]) -> None:
    """Print what the results depend on."""
    console.print(", ".join(f"{name} {value}" for name, value in facts.items()))


def show(console: Console, group: str, outcomes: Sequence[Outcome]) -> None:
    """Print the table of a group of comparisons."""
    about = {outcome.about for outcome in outcomes}
    shared = next(iter(about)) if len(about) == 1 else ""
    title = f"{group}: {shared}" if shared else group
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("case", "contender"):
        table.add_column(heading)
    for heading in ("median", "quartiles", "÷ muntin"):
        table.add_column(heading, justify="right")
    for heading in ("form", "results"):
        table.add_column(heading)
    for outcome in outcomes:
        name = _name(outcome, group, told=bool(shared))
        for place, line in enumerate(outcome.lines):
            table.add_row(name if place == 0 else "", *_cells(line, outcome))
        if len(outcome.lines) > 1:
            table.add_section()
    console.print(table)
    for outcome in outcomes:
        for fault in outcome.faults:
            console.print(f"wrong: {outcome.case}: {fault}", style="red", markup=False)


def _name(outcome: Outcome, group: str, *, told: bool) -> Text:
    name = Text(outcome.case.removeprefix(f"{group}."))
    if not told:
        name.append(f"\n{outcome.about}", style="dim")
    if outcome.limit is not None:
        name.append(f"\nlimit {amount(outcome.limit, outcome.unit)}", style="dim")
    return name


def _cells(line: Line, outcome: Outcome) -> tuple[Text, ...]:
    if line.median is None or line.low is None or line.high is None:
        cells: tuple[str, ...] = (line.contender, "", "", "", line.form, line.agreement)
        return tuple(map(Text, cells))
    unit = outcome.unit
    median = Text(amount(line.median, unit))
    if outcome.limit is not None and line.contender == "muntin":
        median.stylize("green" if line.median <= outcome.limit else "red")
    return (
        Text(line.contender),
        median,
        Text(f"{amount(line.low, unit)} – {amount(line.high, unit)}"),
        Text("" if line.ratio is None else f"{line.ratio:.2f}"),
        Text(f"{line.form} (best of {line.forms})" if line.forms > 1 else line.form),
        Text(line.agreement),
    )


def amount(value: float, unit: str) -> str:
    """Write seconds or bytes with three or four digits and the unit that suits.

    Examples
    --------
    >>> amount(0.000437, "s")
    '437 µs'
    >>> amount(0.0123, "s")
    '12.3 ms'
    >>> amount(1 << 20, "B")
    '1.00 MiB'
    """
    steps = (
        ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
        if unit == "s"
        else ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
    )
    size, name = next((step for step in steps if abs(value) >= step[0]), steps[-1])
    scaled = value / size
    digits = 0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
    return f"{scaled:.{digits}f} {name}"


def page(
    facts: Mapping[str, str], outcomes: Sequence[Outcome], names: Sequence[str], before: str = ""
) -> str:
    """Return a page of Markdown with the medians of all contenders that were timed.

    Cases come in the order of all `names`. Those that were not run keep their rows of the page that
    was there `before`, if that tells of the same machine and versions.
    """
    machine = f"{', '.join(f'{name} {value}' for name, value in facts.items() if name != 'load')}."
    rows: dict[str, list[str]] = {}
    if machine in before.splitlines():
        for line in before.splitlines():
            if line.startswith("| ") and (name := line.split(" | ")[0][2:]) in names:
                rows.setdefault(name, []).append(line)
    rows |= {outcome.case: _rows(outcome) for outcome in outcomes}
    lines = [
        "# Figures",
        "",
        "Written by `python -m benchmarks --page docs/benchmarks.md`; `benchmarks/README.md` tells",
        "how a number is made. The last column is the contender's time divided by muntin's in the",
        "same round: above 1, muntin is faster.",
        "",
        machine,
        "",
        "| case | muntin | beside it | | ratio |",
        "|---|---|---|---|---|",
    ]
    for name in names:
        lines += rows.get(name, [])
    return "\n".join(lines) + "\n"


def _rows(outcome: Outcome) -> list[str]:
    timed = [line for line in outcome.lines if line.median is not None]
    ours = next((line for line in timed if line.contender == "muntin"), None)
    if ours is None or ours.median is None:
        return []
    cells = f"{outcome.case} | {amount(ours.median, outcome.unit)}"
    return [
        f"| {cells} | {line.contender} | {amount(line.median, outcome.unit)} | {line.ratio:.2f} |"
        for line in timed
        if line is not ours and line.median is not None and line.ratio is not None
    ]


def write(path: Path, facts: Mapping[str, str], outcomes: Sequence[Outcome]) -> None:
    """Write everything that was measured, in seconds and bytes."""
    content = {"facts": dict(facts), "outcomes": [asdict(outcome) for outcome in outcomes]}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
