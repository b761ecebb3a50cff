"""Programs: loops that a user writes by hand, as functions of Arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from importlib import import_module
from inspect import Parameter as Named
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import common_device
from muntin.array.tracing import TracedNumber
from muntin.config import settings
from muntin.core.graph import build
from muntin.core.graph.node import Node
from muntin.core.loops.parameters import Output, Parameter, Scratch
from muntin.errors import DTypeError, ParameterError, RangeError, UnsupportedError

if TYPE_CHECKING:
    from muntin.core.loops.definition import Definition

__all__ = ["Program", "program"]

_CALL, _DEFINE = "muntin.core.loops.call", "muntin.core.loops.define"  # imported where used first


class Program:
    """A function of Arrays whose loops were written by hand: see `muntin.program`.

    A call takes the inputs and the numbers, in the order of the function's parameters or by their
    names, and returns the output, or a tuple of the outputs. Nothing is computed before elements
    are asked for.
    """

    def __init__(self, definition: Definition, function: Callable[..., object]) -> None:
        self._definition = definition
        update_wrapper(self, function)
        kind = Named.POSITIONAL_OR_KEYWORD
        self.__signature__ = Signature(
            [
                Named(name, kind)
                for name, parameter in definition.parameters.items()
                if not isinstance(parameter, Output | Scratch)
            ]
        )

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the outputs for some inputs and numbers."""
        return self._called(args, named, settings().check_programs)

    def checked(self, *args: Any, **named: Any) -> Any:
        """Return the outputs of the program with every index checked.

        An index outside an array is a BoundsError when the outputs are computed.
        """
        return self._called(args, named, True)

    def __repr__(self) -> str:
        return f"Program({self._definition.name}{self.__signature__})"

    def _called(self, args: tuple[Any, ...], named: Mapping[str, Any], checked: bool) -> Any:
        definition = self._definition
        try:
            given = self.__signature__.bind(*args, **named).arguments
        except TypeError as error:
            raise ParameterError(
                f"{definition.name}: {error}; it takes {self.__signature__}"
            ) from error
        names = definition.names
        inputs = [asarray(given[names[number]]) for number in definition.inputs]
        updates = [asarray(given[names[number]]) for number in definition.updates]
        numbers = {
            number: self._number(number, given[names[number]]) for number in definition.scalars
        }
        self._check_shape_rules(given)
        arrays = [[each._node for each in some] for some in (inputs, updates)]
        nodes = import_module(_CALL).call_nodes(definition, *arrays, numbers, checked=checked)
        device = common_device(definition.name, (*inputs, *updates))
        outputs = tuple([Array(node, device) for node in nodes])
        return outputs[0] if len(outputs) == 1 else outputs

    def _number(self, number: int, value: Any) -> Node:
        definition = self._definition
        name, dtype = definition.names[number], definition.scalars[number].dtype
        where = f"{definition.name}: {name}"
        if isinstance(value, np.generic):
            value = value.item()
        plain = value.payload if isinstance(value, TracedNumber) else value
        kinds = (bool,) if dtype.is_bool else (int, float) if dtype.is_float else (int,)
        if not isinstance(plain, kinds) or isinstance(plain, bool) != dtype.is_bool:
            raise DTypeError(
                f"{where} is {value!r}; it takes a number of type {dtype}; an Array of no axes "
                "goes to an Input(dtype, 0)"
            )
        if dtype.is_integer and not dtype.least <= plain <= dtype.greatest:
            raise RangeError(
                f"{where} is {plain}, which does not fit in {dtype} ({dtype.least} to "
                f"{dtype.greatest}); give a number in range, or declare a wider type"
            )
        return build.scalar(plain, dtype)

    def _check_shape_rules(self, given: Mapping[str, Any]) -> None:
        """Raise UnsupportedError if a shape depends on a number that differs from call to call."""
        for name, parameter in self._definition.parameters.items():
            if not isinstance(parameter, Output | Scratch) or not callable(parameter.shape):
                continue
            for word in signature(parameter.shape).parameters:
                if isinstance(given.get(word), TracedNumber):
                    raise UnsupportedError(
                        f"{self._definition.name}: the shape of {name} depends on {word}, a number "
                        "argument of a traced function, which may differ from call to call; make "
                        "it a constant of the function, or call the program outside of it"
                    )


def program(**parameters: Parameter) -> Callable[[Callable[..., object]], Program]:
    """Return a decorator that makes a function of loops a function of Arrays.

    Parameters
    ----------
    **parameters : Input, Output, Update, Scratch or Scalar
        What the function takes after its first parameter, by the same names.

    Returns
    -------
    callable
        What makes a `Program` of a function. The function is called once, with a `Loops` that
        builds the loops and with what stands for the parameters: arrays whose elements are read
        and written by subscripts, and numbers.

    Raises
    ------
    ParameterError
        If the parameters are not those of the function, or none is an output.
    UnsupportedError
        If an output is never stored, or Python asks for a value that is not there yet.
    DTypeError, ShapeError
        If the function mixes types, or indexes an array with too many or too few parts.

    Notes
    -----
    Values are computed where they are written, in the types of Array operators. Outputs and scratch
    arrays hold zeros at first; an `Update` is an input and an output. An index outside an array is
    not looked for, and reads or destroys other memory, but in `Program.checked`, with the setting
    `check_programs`, and on the device ``"reference"``: there it is a BoundsError.

    Results do not depend on threads where no iteration of a parallel loop uses what another writes,
    but for `atomic_add`, whose sums, not what it returns, are the same in any order.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> @mt.program(image=mt.Input("uint8", 2), counts=mt.Output("int32", 1, 256))
    ... def histogram(p, image, counts):
    ...     rows, columns = image.shape
    ...     with p.parallel(rows) as y:
    ...         with p.for_(columns) as x:
    ...             counts.atomic_add(image[y, x], 1)
    >>> counts = histogram(np.array([[3, 7], [3, 3]], np.uint8))
    >>> int(counts[3]), int(counts[7])
    (3, 1)
    """

    def decorate(function: Callable[..., object]) -> Program:
        return Program(import_module(_DEFINE).define(function, parameters), function)

    return decorate
