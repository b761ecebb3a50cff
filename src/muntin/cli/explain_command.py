"""`muntin explain`: what becomes of a pipeline."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

import muntin as mt
from muntin.cli.pipeline import parse_pipeline
from muntin.cli.stages import apply, stages
from muntin.dtypes import dtype_of
from muntin.errors import DTypeError
from muntin.explain.explanation import FORMS, explain

__all__ = ["command"]

_EXAMPLES = """\b
Examples:
  muntin explain "gaussian3x3 | sobel3x3 | magnitude"
  muntin explain "grey | median(5)" --shape 480,640,3
  muntin explain "box(9)" --dtype float32 --what llvm
  muntin explain "opening(3) | closing(3)" --what html -o plan.html
"""


def _shape(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    words = value.replace("x", ",").replace("×", ",").split(",")
    sizes = [int(word) for word in words if word.strip().isdecimal()]
    if len(sizes) != len(words) or len(sizes) not in (2, 3):
        raise click.BadParameter(
            f"{value!r}; give rows and columns, and channels if there are any: 480,640,3"
        )
    return tuple(sizes)


@click.command(short_help="Show what becomes of a pipeline.", epilog=_EXAMPLES)
@click.argument("pipeline")
@click.option(
    "--shape",
    callback=_shape,
    default="1080,1920",
    show_default=True,
    metavar="H,W[,C]",
    help="Of the image that enters.",
)
@click.option(
    "--dtype", default="uint8", show_default=True, metavar="T", help="Of the image that enters."
)
@click.option("--what", type=click.Choice(list(FORMS)), default="plan", show_default=True)
@click.option(
    "-o", "--output", "out", type=click.Path(path_type=Path), metavar="FILE", help="Write it there."
)
def command(pipeline: str, shape: tuple[int, ...], dtype: str, what: str, out: Path | None) -> None:
    """Show what becomes of a pipeline: kernels, rows kept in cache, bytes moved, sources.

    plan is a description, graph the list of operations, program the loops, llvm and asm what LLVM
    makes of them, opencl the source for devices, and html a page with all of it and pictures.
    """
    parsed = parse_pipeline(pipeline, stages())
    try:
        image = np.zeros(shape, dtype_of(dtype).numpy)
    except (DTypeError, MemoryError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    text = str(explain(*apply(parsed, mt.asarray(image)), what=what))
    if out is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{out}: cannot be written: {error.strerror}") from error
