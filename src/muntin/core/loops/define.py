"""Makes a definition of a function: it is run once, on what records its statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter as Named
from inspect import signature
from typing import Any

from muntin.core.loops.definition import Definition, ElementAdd, ElementStore, every
from muntin.core.loops.loops import Loops
from muntin.core.loops.parameters import Input, Output, Parameter, Scalar, Scratch, Update
from muntin.core.loops.recorder import Recorder
from muntin.core.loops.slots import array_slots, scalar_slot
from muntin.core.loops.values import Elements, Source, Value
from muntin.errors import ParameterError, UnsupportedError

__all__ = ["define"]

_KINDS = (Input, Output, Update, Scratch, Scalar)


def define(function: Callable[..., object], parameters: Mapping[str, Parameter]) -> Definition:
    """Return the program that a function describes.

    Raises
    ------
    ParameterError
        If the function's parameters are others than those that are declared, or if it gives
        nothing.
    UnsupportedError
        If it returns something, or leaves an output without elements.
    """
    name = getattr(function, "__name__", "program")
    ordered = _ordered(name, function, parameters)
    recorder = Recorder(name)
    given = [_given(recorder, k, each, ordered[each]) for k, each in enumerate(ordered)]
    result = function(Loops(recorder), *given)
    recorder.end()
    if result is not None:
        raise UnsupportedError(
            f"{name}: the function returned {result!r}; it returns nothing, and stores its results "
            "in its outputs"
        )
    phases = tuple(recorder.phases)
    statements = every([statement for phase in phases for statement in phase.body])
    written = {each.array for each in statements if isinstance(each, ElementStore | ElementAdd)}
    for number, (word, parameter) in enumerate(ordered.items()):
        if isinstance(parameter, Output | Update) and number not in written:
            raise UnsupportedError(
                f"{name}: nothing is stored in the output {word}; store its elements, as in "
                f"{word}[…] = value, or leave it out"
            )
    return Definition(name, ordered, tuple(recorder.prelude), phases, tuple(recorder.places))


def _ordered(
    name: str, function: Callable[..., object], parameters: Mapping[str, Parameter]
) -> dict[str, Parameter]:
    """Return the declared parameters in the order of the function's."""
    kinds = (Named.POSITIONAL_ONLY, Named.POSITIONAL_OR_KEYWORD)
    named = list(signature(function).parameters.values())
    words = [each.name for each in named[1:]]
    if not named or any(each.kind not in kinds for each in named) or set(words) != {*parameters}:
        raise ParameterError(
            f"{name}: the function's parameters are {', '.join(each.name for each in named)}, "
            f"those declared {', '.join(parameters)}; the first builds the loops, and the others "
            "are those declared"
        )
    for word, parameter in parameters.items():
        if not isinstance(parameter, _KINDS):
            raise ParameterError(
                f"{name}: {word} is {parameter!r}; declare an Input, an Output, an Update, a "
                "Scratch array or a Scalar"
            )
    if not any(isinstance(parameter, Output | Update) for parameter in parameters.values()):
        raise ParameterError(f"{name}: it has no output; declare one or more as Output or Update")
    return {word: parameters[word] for word in words}


def _given(recorder: Recorder, number: int, name: str, parameter: Parameter) -> Any:
    """Return what the function sees of a parameter."""
    if isinstance(parameter, Scalar):
        var = scalar_slot(number, parameter)
        return Value(var, Source.NUMBERS, recorder.root, recorder)
    slots = array_slots(number, parameter)
    return Elements(name, number, slots, not isinstance(parameter, Input), recorder)
