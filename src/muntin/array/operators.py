"""Operators of lazy values, and how operands of any kind become nodes."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from muntin.array.comparison import compare
from muntin.array.tracing import TracedNumber
from muntin.core.graph import build
from muntin.core.graph.build import Operand, cast, constant, elementwise, input_node, scalar
from muntin.core.graph.node import Node
from muntin.core.graph.products import matmul
from muntin.dtypes import DTYPES, dtype_of
from muntin.errors import DeviceError, DTypeError, ParameterError
from muntin.interop.memory import as_ndarray
from muntin.runtime.buffer import Buffer

__all__ = ["Operators", "combine", "common_device", "lower", "node_of"]

_COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
_PLAIN = frozenset((bool, int, float))
# Powers by multiplications: of integers, and of floats, whose errors stay within 4 ulp.
_LARGEST_POWER, _LARGEST_POWER_OF_FLOATS = 1024, 8


def lower(operation: str, operand: object) -> Operand:
    """Return an operand as a node or a Python number.

    Raises
    ------
    DTypeError
        If it is neither an Array, a NumPy array or scalar, nor a number.
    """
    if isinstance(operand, Operators):
        return operand._node
    if type(operand) in _PLAIN:
        return operand  # type: ignore[return-value]
    if isinstance(operand, np.generic):
        return scalar(operand.item(), dtype_of(operand.dtype))
    if isinstance(operand, np.ndarray):
        # Without axes: an operand of arithmetic takes those of the other.
        array = as_ndarray(operand)
        buffer = Buffer(array)
        return input_node(buffer, array.shape, buffer.dtype, "" if array.ndim == 0 else None)
    if isinstance(operand, TracedNumber):
        return operand.payload
    if isinstance(operand, bool | int | float):
        return operand
    raise DTypeError(
        f"{operation}: got an operand of type {type(operand).__name__}; it takes Arrays, NumPy "
        "arrays and numbers; convert others with muntin.asarray()"
    )


def node_of(operation: str, x: object) -> Node:
    """Return an operand as a node: a number alone gets the type that NumPy gives it."""
    operand = lower(operation, x)
    if isinstance(operand, Node):
        return operand
    return build.number(operation, operand)


def combine(name: str, *operands: object) -> tuple[Node, str | None]:
    """Return the node of an elementwise operation, and the device its operands are on.

    Raises
    ------
    DeviceError
        If two operands are on different devices.
    """
    device = common_device(name, operands)
    lowered = [lower(name, operand) for operand in operands]
    if name in _COMPARISONS:
        return compare(name, lowered[0], lowered[1]), device
    return elementwise(name, *lowered), device


def common_device(operation: str, operands: tuple[object, ...]) -> str | None:
    """Return the device that operands are committed to, None if none is."""
    device: str | None = None
    for operand in operands:
        if isinstance(operand, Operators) and operand._device is not None:
            if device is not None and device != operand._device:
                raise DeviceError(
                    f"{operation}: operands are on devices {device!r} and {operand._device!r}; "
                    "move one with .to()"
                )
            device = operand._device
    return device


def _multiplied(base: Node, exponent: int) -> Node:
    """Return a power by multiplications, of which only the last is rounded to a half."""
    if base.dtype.is_half:
        return cast(_multiplied(cast(base, base.dtype.computed), exponent), base.dtype)
    if base.dtype.is_bool:
        base = cast(base, DTYPES["int64"])
    if exponent == 0:
        one = constant(1, base.dtype)
        never = elementwise("not_equal", base, base)
        return elementwise("where", never, one, one)
    power: Node | None = None
    while exponent:
        if exponent & 1:
            power = base if power is None else elementwise("multiply", power, base)
        exponent >>= 1
        if exponent:
            base = elementwise("square", base)
    assert power is not None
    return power


class Operators:
    """A lazy value: a node, the device it is committed to, and Python's operators."""

    __slots__ = ("__weakref__", "_device", "_node")

    def __init__(self, node: Node, device: str | None = None) -> None:
        self._node = node
        self._device = device

    def _binary(self, name: str, other: object) -> Self:
        kind = type(other)
        if kind not in _PLAIN and not issubclass(kind, _OPERANDS):
            return NotImplemented  # type: ignore[no-any-return]
        return type(self)(*combine(name, self, other))

    def _reflected(self, name: str, other: object) -> Self:
        kind = type(other)
        if kind not in _PLAIN and not issubclass(kind, _OPERANDS):
            return NotImplemented  # type: ignore[no-any-return]
        return type(self)(*combine(name, other, self))

    def _unary(self, name: str) -> Self:
        return type(self)(elementwise(name, self._node), self._device)

    def __add__(self, other: object) -> Self:
        return self._binary("add", other)

    def __radd__(self, other: object) -> Self:
        return self._reflected("add", other)

    def __sub__(self, other: object) -> Self:
        return self._binary("subtract", other)

    def __rsub__(self, other: object) -> Self:
        return self._reflected("subtract", other)

    def __mul__(self, other: object) -> Self:
        return self._binary("multiply", other)

    def __rmul__(self, other: object) -> Self:
        return self._reflected("multiply", other)

    def __truediv__(self, other: object) -> Self:
        return self._binary("divide", other)

    def __rtruediv__(self, other: object) -> Self:
        return self._reflected("divide", other)

    def __floordiv__(self, other: object) -> Self:
        return self._binary("floor_divide", other)

    def __rfloordiv__(self, other: object) -> Self:
        return self._reflected("floor_divide", other)

    def __mod__(self, other: object) -> Self:
        return self._binary("remainder", other)

    def __rmod__(self, other: object) -> Self:
        return self._reflected("remainder", other)

    def __divmod__(self, other: object) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[Self, Self]:
        return other // self, other % self

    def _product(self, first: object, second: object) -> Self:
        if not all(type(x) in _PLAIN or isinstance(x, _OPERANDS) for x in (first, second)):
            return NotImplemented  # type: ignore[no-any-return]
        found = matmul(node_of("matmul", first), node_of("matmul", second))
        return type(self)(found, common_device("matmul", (first, second)))

    def __matmul__(self, other: object) -> Self:
        return self._product(self, other)

    def __rmatmul__(self, other: object) -> Self:
        return self._product(other, self)

    def __pow__(self, exponent: object) -> Self:
        """Return a power: a small Python int becomes multiplications."""
        most = _LARGEST_POWER_OF_FLOATS if self._node.dtype.is_float else _LARGEST_POWER
        if type(exponent) is not int or exponent > most:
            return self._binary("pow", exponent)
        if exponent < 0:
            if self._node.dtype.is_float:
                return self._binary("pow", exponent)
            raise ParameterError(
                f"pow: exponent {exponent} of {self._node.dtype}; integers have powers from 0 on; "
                'cast the base with .astype("float64") first'
            )
        return type(self)(_multiplied(self._node, exponent), self._device)

    def __rpow__(self, base: object) -> Self:
        return self._reflected("pow", base)

    def __neg__(self) -> Self:
        return self._unary("negative")

    def __pos__(self) -> Self:
        if self._node.dtype.is_bool:
            raise DTypeError('positive: is not defined for bool; cast with .astype("int8") first')
        return type(self)(self._node, self._device)

    def __abs__(self) -> Self:
        return self._unary("abs")

    def __invert__(self) -> Self:
        return self._unary("bitwise_invert")

    def __and__(self, other: object) -> Self:
        return self._binary("bitwise_and", other)

    def __rand__(self, other: object) -> Self:
        return self._reflected("bitwise_and", other)

    def __or__(self, other: object) -> Self:
        return self._binary("bitwise_or", other)

    def __ror__(self, other: object) -> Self:
        return self._reflected("bitwise_or", other)

    def __xor__(self, other: object) -> Self:
        return self._binary("bitwise_xor", other)

    def __rxor__(self, other: object) -> Self:
        return self._reflected("bitwise_xor", other)

    def __lshift__(self, other: object) -> Self:
        return self._binary("bitwise_left_shift", other)

    def __rlshift__(self, other: object) -> Self:
        return self._reflected("bitwise_left_shift", other)

    def __rshift__(self, other: object) -> Self:
        return self._binary("bitwise_right_shift", other)

    def __rrshift__(self, other: object) -> Self:
        return self._reflected("bitwise_right_shift", other)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        return self._binary("equal", other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        return self._binary("not_equal", other)

    def __lt__(self, other: object) -> Self:
        return self._binary("less", other)

    def __le__(self, other: object) -> Self:
        return self._binary("less_equal", other)

    def __gt__(self, other: object) -> Self:
        return self._binary("greater", other)

    def __ge__(self, other: object) -> Self:
        return self._binary("greater_equal", other)

    __hash__: ClassVar[None]  # type: ignore[assignment]


_OPERANDS = (Operators, np.ndarray, np.generic, bool, int, float, TracedNumber)
