"""`muntin demo`: four pipelines over a picture, fused and one function at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import click
import numpy as np
import numpy.typing as npt

import muntin as mt
from muntin.cli.pipeline import Pipeline, parse_pipeline
from muntin.cli.scene import draw_scene
from muntin.cli.sheet import Panel, contact_sheet
from muntin.cli.stages import apply, stages
from muntin.cli.words import print_table, seconds_in_words, size_in_words
from muntin.errors import ImageFileError, InternalError
from muntin.explain.plan_text import bytes_in_words
from muntin.explain.survey import survey
from muntin.interop.images import format_of, read_image, write_image

__all__ = ["command"]

Image: TypeAlias = npt.NDArray[Any]

_PIPELINES = {
    "Edges": "grey | median | gaussian3x3 | sobel3x3 | magnitude | threshold(80)",
    "Painting": "median(5) | opening(3) | closing(3)",
    "Sharp": "median | convolve(((0, -1, 0), (-1, 5, -1), (0, -1, 0)), dtype='uint8')",
    "Relief": "grey | median | convolve(((2, 1, 0), (1, 1, -1), (0, -1, -2)), dtype='uint8')",
}
_COLUMNS = (
    "pipeline",
    "kernels",
    "stages",
    "moved fused",
    "moved apart",
    "time fused",
    "time apart",
    "ratio",
)
_SECONDS, _FEWEST = 0.15, 3  # for which a pipeline is run again and again, and how often at least


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a pipeline made and took."""

    title: str
    text: str
    image: Image
    kernels: int
    loops: int
    bytes_fused: int
    bytes_apart: int
    fused: float
    apart: float


@click.command(short_help="Run four pipelines and show what fusion is worth.")
@click.argument("photo", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    default="muntin-demo.png",
    show_default=True,
    metavar="SHEET",
    help="The contact sheet that is written.",
)
def command(photo: Path | None, out: Path) -> None:
    """Run four pipelines over PHOTO, or over a picture that is drawn for it.

    The results are written as a contact sheet. The table says what each pipeline became, and the
    time that it takes fused and when its functions run one at a time, each storing its result. All
    results are compared: they are the same to the bit.
    """
    format_of(out)
    picture = draw_scene() if photo is None else _as_bytes(read_image(photo), photo)
    source = "a picture drawn for this" if photo is None else str(photo)
    click.echo(f"Four pipelines over {source}, {size_in_words(picture.shape)}:\n")
    outcomes = []
    for title, text in _PIPELINES.items():
        click.echo(f"{title:<10}{text}")
        outcomes.append(_outcome(title, text, picture))
    click.echo()
    print_table(_COLUMNS, [_row(outcome) for outcome in outcomes], right="lrrrrrrr")
    write_image(out, contact_sheet(_panels(picture, photo, outcomes), 3))
    click.echo(
        "\nFused is one pass; apart is a function at a time, each storing its result. The pixels\n"
        f"are the same to the bit. They are in {out}."
    )


def _as_bytes(image: Image, photo: Path) -> Image:
    """Return a photograph as uint8, grey or RGB."""
    if image.dtype == np.bool_:
        image = image.astype(np.uint8) * np.uint8(255)
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.dtype != np.uint8:
        raise ImageFileError(
            f"demo: {photo} is {image.dtype}; give a photograph of 8 or 16 bits, such as a JPEG"
        )
    if image.ndim == 3 and image.shape[2] in (2, 4):
        image = image[..., :-1]
    return np.ascontiguousarray(image[..., 0] if image.shape[2:] == (1,) else image)


def _outcome(title: str, text: str, picture: Image) -> _Outcome:
    pipeline = parse_pipeline(text, stages())
    found = survey([result._node for result in apply(pipeline, mt.asarray(picture))])
    image, fused = _timed([pipeline], picture)
    singles = [replace(pipeline, calls=(call,)) for call in pipeline.calls]
    again, apart = _timed(singles, picture)
    if not np.array_equal(image, again):
        raise InternalError(f"demo: {text} gives other pixels fused than one at a time; report it")
    moved = found.bytes_read + found.bytes_written
    loops = found.stage_count
    kernels = len(found.kernels)
    return _Outcome(
        title, text, image, kernels, loops, moved, _moved(singles, picture), fused, apart
    )


def _timed(pipelines: Sequence[Pipeline], picture: Image) -> tuple[Image, float]:
    """Return the result of pipelines one after another, and their shortest time.

    What is allocated and compiled in the first run is used by all others.
    """
    functions = [mt.function(partial(apply, pipeline)) for pipeline in pipelines]
    outs: list[tuple[Image, ...]] = []
    values: tuple[Image, ...] = (picture,)
    for function in functions:
        values = tuple([np.asarray(result) for result in function(*values)])
        outs.append(values)
    best, spent, runs = float("inf"), 0.0, 0
    while spent < _SECONDS or runs < _FEWEST:
        start = perf_counter()
        values = (picture,)
        for function, out in zip(functions, outs, strict=True):
            function(*values, out=out)
            values = out
        taken = perf_counter() - start
        best, spent, runs = min(best, taken), spent + taken, runs + 1
    return values[0], best


def _moved(pipelines: Sequence[Pipeline], picture: Image) -> int:
    """Return the bytes that pipelines read and write one after another."""
    total = 0
    values: tuple[mt.Array, ...] = (mt.asarray(picture),)
    for pipeline in pipelines:
        results = apply(pipeline, *values)
        found = survey([result._node for result in results])
        total += found.bytes_read + found.bytes_written
        mt.eval(*results)
        values = results
    return total


def _row(outcome: _Outcome) -> tuple[str, ...]:
    moved = bytes_in_words(outcome.bytes_fused), bytes_in_words(outcome.bytes_apart)
    times = seconds_in_words(outcome.fused), seconds_in_words(outcome.apart)
    counts = str(outcome.kernels), str(outcome.loops)
    return outcome.title, *counts, *moved, *times, f"{outcome.apart / outcome.fused:.1f}"


def _panels(picture: Image, photo: Path | None, outcomes: Sequence[_Outcome]) -> list[Panel]:
    """Return the panels of the sheet; its font may have ASCII alone."""
    name = "drawn by muntin" if photo is None else photo.name
    panels = [Panel("Input", f"{name}, {' x '.join(map(str, picture.shape))}", picture)]
    lines = ["Fused, and one function at a time:", ""]
    for outcome in outcomes:
        panels.append(Panel(outcome.title, outcome.text, outcome.image))
        fused, apart = seconds_in_words(outcome.fused), seconds_in_words(outcome.apart)
        lines.append(f"{outcome.title}: {fused}, {apart}")
    return [*panels, Panel("muntin demo", "the same bits either way", tuple(lines))]
