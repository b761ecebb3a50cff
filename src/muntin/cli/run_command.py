"""`muntin run`: a pipeline over image files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import numpy.typing as npt

import muntin as mt
from muntin.cli.functions import images_in_words
from muntin.cli.pipeline import Pipeline, parse_pipeline
from muntin.cli.stages import apply, stages
from muntin.cli.words import rate_in_words, seconds_in_words, size_in_words
from muntin.errors import DeviceError, ImageFileError, MuntinError, PipelineError
from muntin.interop.images import FORMATS, ImageFormat, format_of, read_image, write_image

__all__ = ["Times", "command"]

_EXAMPLES = """\b
Examples:
  muntin run "gaussian3x3 | sobel3x3 | magnitude | threshold(80)" photo.png -o edges.png
  muntin run "grey | median(5)" photos/ -o smooth/ --to png
  muntin run "box((3, 9), border='reflect101')" a.jpg b.jpg -o blurred/
  muntin run "grey | gaussian(7, sigma=1.5)" scan.tif -o out.tif --threads 1 --repeat 20
"""
_ENDINGS = {row.name.lower(): row.suffixes[0] for row in FORMATS}


@dataclass(slots=True)
class Times:
    """Seconds spent on files, by what was done, and the pixels that were read."""

    decode: float = 0.0
    compile: float = 0.0
    run: float = 0.0
    encode: float = 0.0
    pixels: int = 0

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Add what a block takes."""
        start = perf_counter()
        yield
        setattr(self, name, getattr(self, name) + perf_counter() - start)

    def __str__(self) -> str:
        names = ("decode", "compile", "run", "encode")
        parts = [f"{name} {seconds_in_words(getattr(self, name))}" for name in names]
        return f"{', '.join(parts)}; {rate_in_words(self.pixels, self.run)}"


@dataclass(slots=True)
class _Runner:
    """A pipeline that is compiled once for each shape and type."""

    pipeline: Pipeline
    repeat: int
    page: int | None = None
    times: Times = field(default_factory=Times)
    compiled: dict[tuple[Any, ...], mt.Function[mt.Array]] = field(default_factory=dict)

    def process(self, source: Path, target: Path) -> tuple[int, ...]:
        """Read a file, run the pipeline, write the result; return the shape that was read."""
        with self.times.measured("decode"):
            image = read_image(source, self.page)
            if image.dtype == np.bool_:
                image = image.astype(np.uint8) * np.uint8(255)
        with self.times.measured("compile"):
            function = self.function(image, target)
        start = perf_counter()
        result = np.asarray(function(image))
        best = perf_counter() - start
        for _ in range(self.repeat - 1):
            start = perf_counter()
            function(image, out=result)
            best = min(best, perf_counter() - start)
        self.times.run += best
        self.times.pixels += image.shape[0] * image.shape[1]
        with self.times.measured("encode"):
            write_image(target, result)
        return image.shape

    def function(self, image: npt.NDArray[Any], target: Path) -> mt.Function[mt.Array]:
        """Return the pipeline compiled for images like this one, whose result the target holds."""
        key = (image.shape, image.dtype, target.suffix)
        found = self.compiled.get(key)
        if found is None:
            result = one_image(self.pipeline, apply(self.pipeline, mt.asarray(image)))
            check_fits(format_of(target), target, result)
            found = mt.function(
                lambda x: apply(self.pipeline, x)[0], mt.spec(image.shape, image.dtype)
            )
            found(image)  # compiles what its kernels need for such strides
            self.compiled[key] = found
        return found


def one_image(pipeline: Pipeline, results: Sequence[mt.Array]) -> mt.Array:
    """Return the single result of a pipeline that is to be written.

    Raises
    ------
    PipelineError
        If there are several.
    """
    if len(results) == 1:
        return results[0]
    raise PipelineError(
        f"pipeline: it ends in {len(results)} images, of {pipeline.calls[-1].name}, and a file "
        "holds one; append | magnitude, or | take(0)"
    )


def check_fits(row: ImageFormat, target: Path, result: mt.Array) -> None:
    """Raise ImageFileError, with what to append, if a file cannot hold a result."""
    channels = result.shape[2] if result.ndim == 3 else 1
    if result.ndim not in (2, 3) or not 1 <= channels <= 4:
        raise ImageFileError(
            f"{target}: the pipeline gives {result.dtype} {result.shape}, which is no image of 1 "
            "to 4 channels; end it in one that is"
        )
    if row.holds(result.dtype, channels):
        row.check(target, result.shape, result.dtype)
        return
    if result.dtype.name not in row.dtypes:
        cure = _conversion(result.dtype)
    else:
        cure = "| rgb" if channels == 4 else "| grey"
    others = [other.name for other in FORMATS if other.holds(result.dtype, channels)]
    other = f", or write {' or '.join(others)}" if others else ""
    raise ImageFileError(
        f"{target}: the pipeline gives {result.dtype} {result.shape}, which {row.name} does not "
        f"hold; append {cure}{other}"
    )


def _conversion(dtype: np.dtype[Any]) -> str:
    """Return what makes 8-bit pixels of a type, in quotes that a shell leaves inside its own."""
    if dtype == np.uint16:
        return "| convert_depth('uint8', shift=8)"
    if dtype.kind == "f":
        return "| convert_depth('uint8') (after | linear(255) if its values are 0 to 1)"
    return "| convert_depth('uint8')"


# --- files ----------------------------------------------------------------------------------------


def find_sources(inputs: Sequence[Path]) -> list[Path]:
    """Return the files that the inputs name; of a folder all images, in order of their names."""
    endings = _all_endings()
    found: list[Path] = []
    for place in inputs:
        if not place.is_dir():
            found.append(place)
            continue
        inside = [path for path in sorted(place.iterdir()) if path.suffix.lower() in endings]
        if not inside:
            raise click.UsageError(f"folder {place} has no files that end in {', '.join(endings)}")
        found += inside
    return found


def _all_endings() -> list[str]:
    return [suffix for row in FORMATS for suffix in row.suffixes]


def find_targets(
    inputs: Sequence[Path], sources: Sequence[Path], out: str, to: str | None
) -> list[Path]:
    """Return where the result of each source goes."""
    place = Path(out)
    many = len(sources) > 1 or any(path.is_dir() for path in inputs)
    if many or place.is_dir() or out.endswith(("/", "\\")):
        is_file = place.is_file() or (place.suffix.lower() in _all_endings() and not place.is_dir())
        if is_file:
            raise click.UsageError(
                f"{out} is a file, and {images_in_words(len(sources))} will be written; give a "
                "folder with -o"
            )
        targets = [place / path.name for path in sources]
        if to is not None:
            targets = [path.with_suffix(_ENDINGS[to]) for path in targets]
    else:
        targets = [place]
        if to is not None and format_of(place).name.lower() != to:
            raise click.UsageError(f"--to is {to}, and the name {out} ends differently; drop one")
    for number, target in enumerate(targets):
        if target in targets[:number]:
            other = sources[targets.index(target)]
            raise click.UsageError(
                f"{other} and {sources[number]} would both become {target}; rename one, or run "
                "them one by one"
            )
        format_of(target)
    taken = {path.resolve() for path in sources}
    for target in targets:
        if target.resolve() in taken:
            raise click.UsageError(f"{target} is an input and would be replaced; give another -o")
    if targets and targets != [place]:
        place.mkdir(parents=True, exist_ok=True)
    return targets


def _run_all(runner: _Runner, sources: Sequence[Path], targets: Sequence[Path]) -> int:
    """Run over several files behind a progress bar; return how many failed."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    failed = 0
    known: set[str] = set()
    console = Console(stderr=True, markup=False)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=len(sources))
        for source, target in zip(sources, targets, strict=True):
            progress.update(task, description=source.name)
            try:
                runner.process(source, target)
            except MuntinError as error:
                failed += 1
                message = str(error)
                if isinstance(error, PipelineError):
                    shown = "the same as above" if message in known else message
                    known.add(message)
                    message = f"{source}: {shown}"
                console.print(f"error: {message}", soft_wrap=True, highlight=False)
            progress.advance(task)
    return failed


@click.command(short_help="Run a pipeline over image files.", epilog=_EXAMPLES)
@click.argument("pipeline")
@click.argument(
    "inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT..."
)
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    metavar="OUT",
    help="A file; or a folder, where results keep the names of their inputs.",
)
@click.option("--to", type=click.Choice(list(_ENDINGS)), help="The format of files in a folder.")
@click.option(
    "--page", type=click.IntRange(0), metavar="N", help="Of TIFF files with several, from 0."
)
@click.option(
    "--threads", type=click.IntRange(1, 4096), metavar="N", help="CPU threads; all by default."
)
@click.option(
    "--device", metavar="D", help="Such as cpu, opencl:0 or reference; see muntin devices."
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Run N times and report the fastest.",
)
@click.pass_context
def command(
    ctx: click.Context,
    pipeline: str,
    inputs: tuple[Path, ...],
    out: str,
    to: str | None,
    page: int | None,
    threads: int | None,
    device: str | None,
    repeat: int,
) -> None:
    """Run a pipeline over image files (PNG, JPEG, TIFF).

    PIPELINE is functions joined by |, such as "gaussian3x3 | sobel3x3 | magnitude"; each takes
    what the one before gives, and its other arguments in brackets. `muntin stages` lists them.
    INPUT is files or folders.

    Functions run over all channels, alpha too; grey and rgb drop it. Two images, such as the
    gradients of sobel3x3, go to the next function as its first two arguments. 1-bit files enter
    as 0 and 255, and truth values are written so. Colour profiles are not kept.
    """
    parsed = parse_pipeline(pipeline, stages())
    sources = find_sources(inputs)
    targets = find_targets(inputs, sources, out, to)
    runner = _Runner(parsed, repeat, page)
    try:
        ctx.with_resource(mt.use(device or "cpu", threads=threads))
    except DeviceError as error:
        raise click.UsageError(str(error)) from error
    best = f" (best of {repeat})" if repeat > 1 else ""
    if len(sources) == 1:
        shape = runner.process(sources[0], targets[0])
        click.echo(f"{sources[0]} {size_in_words(shape)} → {targets[0]}: {runner.times}{best}")
        return
    failed = _run_all(runner, sources, targets)
    done = len(sources) - failed
    megapixels = runner.times.pixels / 1e6
    if done:
        click.echo(f"{images_in_words(done)}, {megapixels:.1f} MP → {out}: {runner.times}{best}")
    if failed:
        click.echo(f"{failed} of {len(sources)} failed", err=True)
        ctx.exit(1)
