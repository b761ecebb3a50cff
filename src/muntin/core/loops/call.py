"""Calls of a program as nodes of a graph: one for each output, with the same arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature

from muntin.core.graph import build
from muntin.core.graph.joining import part
from muntin.core.graph.letters import letters_by_rank
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.loops.definition import Call, Definition
from muntin.core.loops.parameters import Output, Scratch
from muntin.core.shapes import as_shape
from muntin.errors import BorderError, DTypeError, ParameterError, ShapeError

__all__ = ["call_nodes"]

_PROGRAM = op("program")


def call_nodes(
    definition: Definition,
    inputs: Sequence[Node],
    updates: Sequence[Node],
    numbers: Mapping[int, Node],
    *,
    checked: bool,
) -> list[Node]:
    """Return the outputs of a call.

    Parameters
    ----------
    definition
        The program.
    inputs
        The arrays that it reads, in their order.
    updates
        The arrays that it changes, in their order.
    numbers
        The numbers that it takes, by the numbers of the parameters.
    checked
        Whether every index is checked.

    Raises
    ------
    DTypeError, ShapeError
        If an array has another type or rank than the program takes, or an output another rank than
        its shape.
    BorderError
        If an array is valid only in part.
    """
    arrays = dict(zip(definition.inputs, inputs, strict=True))
    arrays |= dict(zip(definition.updates, updates, strict=True))
    for number, node in arrays.items():
        _check_input(definition, number, node)
    shapes = _shapes(definition, arrays, numbers)
    # A number is stored like any other array.
    stored = [
        build.keep(node) if node.op.kind in ("scalar", "constant") else node for node in inputs
    ]
    call = Call(definition, shapes, checked)
    args = (*stored, *numbers.values(), *map(part, updates))
    nodes = []
    for number in definition.outputs:
        shape, params = shapes[number], (definition.digest, number, checked)
        own = arrays.get(number)
        letters = _letters(inputs, len(shape)) if own is None else own.axes
        dtype = definition.arrays[number].dtype
        nodes.append(Node(_PROGRAM, args, params, call, shape, dtype, letters))
    return nodes


def _check_input(definition: Definition, number: int, node: Node) -> None:
    name, slots = definition.names[number], definition.arrays[number]
    if node.dtype is not slots.dtype:
        raise DTypeError(
            f"{definition.name}: {name} is {node.dtype} {node.shape}; the program takes "
            f'{slots.dtype}; cast it with .astype("{slots.dtype}")'
        )
    if len(node.shape) != len(slots.sizes):
        raise ShapeError(
            f"{definition.name}: {name} is {node.dtype} {node.shape}, of {len(node.shape)} axes; "
            f"the program takes {len(slots.sizes)}; index it, or give it new axes"
        )
    if node.valid is not None:
        raise BorderError(
            f"{definition.name}: {name} is valid from {node.valid.start} to {node.valid.stop} "
            "only; a program may read all of an array; give it the valid part with .valid(), or "
            "state another border"
        )


def _shapes(
    definition: Definition, arrays: Mapping[int, Node], numbers: Mapping[int, Node]
) -> dict[int, tuple[int, ...]]:
    """Return the shapes of all arrays, by the numbers of the parameters."""
    shapes = {number: node.shape for number, node in arrays.items()}
    known: dict[str, object] = {definition.names[number]: shapes[number] for number in shapes}
    known |= {definition.names[number]: node.payload for number, node in numbers.items()}
    for number, (name, parameter) in enumerate(definition.parameters.items()):
        if isinstance(parameter, Output | Scratch):
            where = f"{definition.name}: the shape of {name}"
            rule = parameter.shape
            if callable(rule):
                rule = rule(**_wanted(where, rule, known))
            shape = as_shape(rule, where)
            if len(shape) != parameter.ndim:
                raise ShapeError(
                    f"{where} is {shape}, of {len(shape)} axes; it was declared with "
                    f"{parameter.ndim}; give a length for each axis"
                )
            shapes[number] = shape
    return shapes


def _wanted(where: str, rule: object, known: Mapping[str, object]) -> dict[str, object]:
    """Return what a function of shapes asks for by the names of its parameters."""
    assert callable(rule)
    names = list(signature(rule).parameters)
    for name in names:
        if name not in known:
            raise ParameterError(
                f"{where} is a function of {name}; it may take the shapes of inputs and the "
                f"numbers by their names: {', '.join(known) or 'there are none'}"
            )
    return {name: known[name] for name in names}


def _letters(inputs: Sequence[Node], rank: int) -> str | None:
    """Return names for the axes of an output: those of the first input of its rank."""
    for node in inputs:
        if len(node.shape) == rank and node.axes is not None:
            return node.axes
    return letters_by_rank(rank)
