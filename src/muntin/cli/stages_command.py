"""`muntin stages`: the functions that pipelines may call."""

from __future__ import annotations

import inspect

import click

from muntin.cli.pipeline import nearest
from muntin.cli.stages import stages
from muntin.cli.words import print_table

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  muntin stages
  muntin stages threshold
"""


@click.command(short_help="List the functions of pipelines.", epilog=_EXAMPLES)
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the functions that pipelines may call, or show all about one.

    A function that takes two images gets the two that the one before it gives.
    """
    table = stages()
    if name is None:
        print_table(
            ("function", "does"), [(stage.usage, stage.summary) for stage in table.values()]
        )
        return
    stage = table.get(name)
    if stage is None:
        guess = nearest(name, table) or "`muntin stages` lists all"
        raise click.UsageError(f"there is no function {name!r}; {guess}")
    taken = {0: "the images of the stage before", 1: "1 image"}
    click.echo(f"{stage.usage}\n  takes {taken.get(stage.images, f'{stage.images} images')}\n")
    click.echo(inspect.getdoc(stage.function) or "")
