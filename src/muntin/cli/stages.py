"""What a pipeline may call: vision, some of the array namespace, and the command line's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any

import muntin as mt
from muntin import vision
from muntin.array.array import Array
from muntin.cli import functions
from muntin.cli.functions import images_in_words
from muntin.cli.pipeline import Call, Pipeline, fault, nearest
from muntin.errors import MuntinError, PipelineError

__all__ = ["Stage", "apply", "stages"]

_IMAGES = frozenset(("img", "image", "x", "x1", "a", "b", "gx", "gy", "acc"))


@dataclass(frozen=True, slots=True)
class Stage:
    """A function of a pipeline.

    Attributes
    ----------
    name : str
        As it is written.
    function : callable
        Takes the images of the stage before, then the arguments written.
    images : int
        How many images it takes; 0 takes a tuple of any number.
    """

    name: str
    function: Callable[..., Any]
    images: int

    @property
    def signature(self) -> inspect.Signature:
        """The signature without annotations."""
        plain = inspect.signature(self.function)
        bare = [
            parameter.replace(annotation=inspect.Parameter.empty)
            for parameter in plain.parameters.values()
        ]
        return plain.replace(parameters=bare, return_annotation=inspect.Signature.empty)

    @property
    def usage(self) -> str:
        """How it is written in a pipeline: the images are left out."""
        plain = [
            parameter.replace(
                name="value" if parameter.name == "x2" else parameter.name,
                kind=parameter.POSITIONAL_OR_KEYWORD,
            )
            for parameter in list(self.signature.parameters.values())[max(self.images, 1) :]
        ]
        text = str(inspect.Signature(plain))
        return self.name if text == "()" else f"{self.name}{text}"

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


# --- the table ------------------------------------------------------------------------------------

_NAMESPACE = (
    "abs",
    "astype",
    "ceil",
    "clip",
    "equal",
    "floor",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "negative",
    "not_equal",
    "round",
    "sign",
    "sqrt",
    "square",
)


@cache
def stages() -> Mapping[str, Stage]:
    """Return the functions that a pipeline may call, by name: those that take images first."""
    found = {name: getattr(mt, name) for name in _NAMESPACE}
    found |= {name: getattr(vision, name) for name in vision.__all__}
    found |= {name: getattr(functions, name) for name in functions.__all__}
    counts = {
        name: _image_count(function)
        for name, function in sorted(found.items())
        if inspect.isfunction(function)
    }
    return {
        name: Stage(name, found[name], count) for name, count in counts.items() if count is not None
    }


def _image_count(function: Callable[..., Any]) -> int | None:
    """Return how many images a function takes first; 0 for a tuple of any number, None for none."""
    parameters = list(inspect.signature(function).parameters)
    if parameters[:1] == ["images"]:
        return 0
    return len(list(takewhile(_IMAGES.__contains__, parameters))) or None


# --- application ----------------------------------------------------------------------------------


def apply(pipeline: Pipeline, *images: Array) -> tuple[Array, ...]:
    """Return the images that a pipeline makes of some, of one as a rule: lazy expressions.

    Raises
    ------
    PipelineError
        If a function does not take what it gets; the message shows which, and its signature.
    """
    values: tuple[Array, ...] = images
    before = "the file"
    for call in pipeline.calls:
        values = _called(pipeline, call, stages()[call.name], values, before)
        before = call.name
    return values


def _called(
    pipeline: Pipeline, call: Call, stage: Stage, images: tuple[Array, ...], before: str
) -> tuple[Array, ...]:
    def wrong(why: str) -> PipelineError:
        return fault(pipeline.text, call.start, call.stop, why, f"  usage: {stage.usage}")

    if stage.images not in (0, len(images)):
        raise wrong(_miscount(stage, len(images), before))
    given = images if stage.images else (images,)
    options = dict(call.options)
    try:
        _check_options(stage, options)
        stage.signature.bind(*given, *call.args, **options)
        result = stage.function(*given, *call.args, **options)
    except MuntinError as error:
        raise wrong(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise wrong(f"{call.name}: {error}") from error
    results = tuple(result) if isinstance(result, tuple | list) else (result,)
    for value in results:
        if not isinstance(value, Array):
            kind = type(value).__name__
            raise wrong(f"{call.name}: gives a {kind}, which is no image; call it from Python")
    return results


def _check_options(stage: Stage, options: Mapping[str, Any]) -> None:
    known = list(stage.signature.parameters)[max(stage.images, 1) :]
    for name in options:
        if name not in known:
            guess = nearest(name, known)
            raise TypeError(f"there is no option {name!r}{guess and '; ' + guess}")


def _miscount(stage: Stage, count: int, before: str) -> str:
    cure = "put a function that gives as many before it, such as sobel3x3"
    if count > stage.images:
        cure = "put magnitude or take(0) between them"
    wanted, given = images_in_words(stage.images), images_in_words(count)
    return f"{stage.name}: takes {wanted}, and {before} gives {given}; {cure}"
