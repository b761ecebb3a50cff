"""One trace of a function: its compiled graph, and how arguments go in and results come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.evaluation import chosen_device, result_node
from muntin.array.operators import common_device
from muntin.array.tracing import Formula, TracedFloat, TracedInt, TracedNumber, tracing
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological
from muntin.dtypes import DType
from muntin.errors import ParameterError, UnsupportedError
from muntin.runtime.buffer import Buffer
from muntin.runtime.device import CompiledGraph

__all__ = ["Argument", "Trace", "argument", "take_apart", "trace"]

Builder: TypeAlias = Callable[[Sequence[Array], Sequence[Any]], Any]

_FLOAT64_BITS = 1023


class Argument:
    """The source of an input node that stands for an argument: there are no elements yet."""

    __slots__ = ("_dtype", "_shape")
    address = 0

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self._shape = shape
        self._dtype = dtype

    @property
    def array(self) -> npt.NDArray[Any]:
        """An array of the argument's shape and type, with no defined elements."""
        return np.empty(self._shape, self._dtype.numpy)

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes, in C order."""
        return self.array.strides

    def check_version(self) -> None:
        """Raise UnsupportedError: nothing can be read."""
        raise UnsupportedError(
            "eval: an Array of a function's argument was kept after muntin.function had traced it; "
            "return it from the function instead"
        )


def argument(like: Array) -> Array:
    """Return the Array that stands for an argument while a function is traced."""
    node = like._node
    return Array(replace(node, payload=Argument(node.shape, node.dtype)), like._device)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number that a kernel takes: how to get it from the arguments, and what it must be."""

    formula: Formula
    is_float: bool
    dtype: DType

    def fits(self, value: int | float) -> bool:
        if isinstance(value, float):
            return self.is_float
        if self.is_float:
            return False
        if self.dtype.is_float:
            return value.bit_length() <= _FLOAT64_BITS
        return self.dtype.least <= value <= self.dtype.greatest


@dataclass(frozen=True, slots=True)
class Trace:
    """What a function does for one signature of its arguments.

    `places` are the positions of the arguments that its inputs stand for; `captured` are the
    buffers that the function reads besides them.
    """

    graph: CompiledGraph
    roots: tuple[Node, ...]
    devices: tuple[str | None, ...]
    places: tuple[int, ...]
    numbers: tuple[_Number, ...]
    captured: tuple[Buffer, ...]
    builder: Builder

    def values(self, args: Sequence[Any]) -> list[Any] | None:
        """Return the values of the placeholders, None if a number does not fit its type."""
        values = [args[place] for place in self.places]
        for number in self.numbers:
            value = number.formula(args)
            if not number.fits(value):
                return None
            values.append(value)
        return values

    def results(self, arrays: Sequence[npt.NDArray[Any]], args: Sequence[Any]) -> Any:
        """Return what the function returns, made of the roots' arrays."""
        made = [
            Array(result_node(root, array), device)
            for root, array, device in zip(self.roots, arrays, self.devices, strict=True)
        ]
        return self.builder(made, args)


def trace(fn: Callable[..., Any], args: Sequence[Any]) -> Trace:
    """Run `fn` for Arrays that stand for arguments, TracedNumbers and constants; compile it.

    Raises
    ------
    ParameterError
        If it returns no Array.
    """
    with tracing():
        result = fn(*args)
    leaves, builder = take_apart(result)
    device = chosen_device(common_device("function", tuple(leaves)))
    roots = tuple([leaf._node for leaf in leaves])
    sources = {id(arg._node.payload): k for k, arg in enumerate(args) if isinstance(arg, Array)}
    inputs: list[Node] = []  # an argument is several if its axes were named anew
    scalars: list[Node] = []
    numbers: list[_Number] = []
    captured: dict[int, Buffer] = {}
    for node in topological(roots):
        payload = node.payload
        if isinstance(payload, Buffer):
            captured[id(payload)] = payload
        elif id(payload) in sources:
            inputs.append(node)
        elif isinstance(payload, TracedInt | TracedFloat) and node.op.kind == "scalar":
            scalars.append(node)
            numbers.append(_Number(payload.formula, isinstance(payload, float), node.dtype))
    return Trace(
        device.compile([*inputs, *scalars], roots),
        roots,
        tuple([leaf._device for leaf in leaves]),
        tuple([sources[id(node.payload)] for node in inputs]),
        tuple(numbers),
        tuple(captured.values()),
        builder,
    )


def take_apart(result: Any) -> tuple[list[Array], Builder]:
    """Return the Arrays in what a function returned, and how to build it from others."""
    leaves: list[Array] = []
    builder = _builder(result, leaves)
    if not leaves:
        raise ParameterError(
            f"function: it returned {type(result).__name__}, in which there is no Array; return "
            "Arrays, in tuples, lists or dicts"
        )
    return leaves, builder


def _builder(tree: Any, leaves: list[Array]) -> Builder:
    if isinstance(tree, Array):
        place = len(leaves)
        leaves.append(tree)
        return lambda arrays, args: arrays[place]
    if isinstance(tree, TracedNumber):
        formula = tree.formula
        return lambda arrays, args: formula(args)
    if isinstance(tree, tuple | list):
        make: Callable[[list[Any]], Any] = getattr(tree, "_make", type(tree))
        parts = [_builder(part, leaves) for part in tree]
        return lambda arrays, args: make([part(arrays, args) for part in parts])
    if isinstance(tree, Mapping):
        named = {name: _builder(part, leaves) for name, part in tree.items()}
        return lambda arrays, args: {name: part(arrays, args) for name, part in named.items()}
    return lambda arrays, args: tree
