"""NumPy's ufuncs and functions on Arrays: lazy where muntin has the operation, else refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from muntin.array.evaluation import evaluate
from muntin.array.operators import Operators, combine
from muntin.core.graph.build import broadcast_to, cast
from muntin.dtypes import dtype_of
from muntin.errors import DTypeError, UnsupportedError

__all__ = ["UFUNCS", "call_function", "call_ufunc", "implements"]

UFUNCS: Mapping[np.ufunc, str] = {
    np.absolute: "abs",
    np.add: "add",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
    np.ceil: "ceil",
    np.copysign: "copysign",
    np.divide: "divide",
    np.equal: "equal",
    np.floor: "floor",
    np.floor_divide: "floor_divide",
    np.fmod: "fmod",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.invert: "bitwise_invert",
    np.isfinite: "isfinite",
    np.isinf: "isinf",
    np.isnan: "isnan",
    np.left_shift: "bitwise_left_shift",
    np.less: "less",
    np.less_equal: "less_equal",
    np.logical_and: "logical_and",
    np.logical_not: "logical_not",
    np.logical_or: "logical_or",
    np.logical_xor: "logical_xor",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.multiply: "multiply",
    np.negative: "negative",
    np.not_equal: "not_equal",
    np.remainder: "remainder",
    np.right_shift: "bitwise_right_shift",
    np.rint: "round",
    np.sign: "sign",
    np.signbit: "signbit",
    np.sqrt: "sqrt",
    np.square: "square",
    np.subtract: "subtract",
    np.trunc: "trunc",
}


def call_ufunc(
    kind: type[Operators],
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    out: tuple[Any, ...] | None,
    options: Mapping[str, Any],
) -> Any:
    """Return the lazy result of a ufunc, or `out` after writing the result to it.

    Raises
    ------
    UnsupportedError
        If muntin has no such operation, or the call has options.
    """
    name = ufunc.__name__
    if method != "__call__":
        _refuse(f"{name}.{method}")
    operation = UFUNCS.get(ufunc)
    if operation is None:
        _refuse(name)
    if options:
        raise UnsupportedError(
            f"numpy.{name}: option {', '.join(options)} does not work on muntin Arrays; use "
            "muntin.where for a choice and .astype() for another type"
        )
    if name == "fmod" and not any(_is_float(value) for value in inputs):
        _refuse("fmod of integers")
    result = kind(*combine(operation, *inputs))
    if out is None:
        return result
    return _written(name, result, out[0])


def _is_float(value: Any) -> bool:
    return getattr(value, "dtype", np.dtype(type(value))).kind == "f"


def _written(name: str, result: Operators, out: Any) -> npt.NDArray[Any]:
    node = result._node
    if not isinstance(out, np.ndarray):
        raise UnsupportedError(
            f"numpy.{name}: out is a muntin {type(out).__name__}, a value that does not change; "
            "leave out= away, or give a NumPy array"
        )
    if not np.can_cast(node.dtype.numpy, out.dtype, "same_kind"):
        raise DTypeError(
            f"numpy.{name}: the result is {node.dtype}, which out of type {out.dtype} does not "
            f'take; cast with .astype("{out.dtype}") first'
        )
    wanted = broadcast_to(cast(node, dtype_of(out.dtype)), out.shape, f"numpy.{name}")
    evaluate((Operators(wanted, result._device),), (out,))
    return out


# --- functions ------------------------------------------------------------------------------------

_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}


def implements(function: Callable[..., Any], meaning: Callable[..., Any]) -> None:
    """Have a NumPy function that is given an Array call `meaning`."""
    _FUNCTIONS[function] = meaning


def call_function(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return what a NumPy function gives for Arrays.

    Raises
    ------
    UnsupportedError
        If muntin has no such function.
    """
    meaning = _FUNCTIONS.get(function)
    if meaning is None:
        _refuse(function.__name__)
    return meaning(*args, **kwargs)


def _refuse(name: str) -> NoReturn:
    raise UnsupportedError(
        f"numpy.{name}: is not defined for muntin Arrays; call the function of that name in "
        "muntin, if there is one, or numpy.asarray(x) first to compute the elements"
    )


def _with_elements(function: Callable[..., Any]) -> Callable[..., Any]:
    def computed(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_elements, args), **{k: _elements(v) for k, v in kwargs.items()})

    return computed


def _elements(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Operators) else value


# Functions that end an expression: they want its elements.
for _function in (np.allclose, np.array_equal, np.array_equiv, np.save, np.savetxt, np.savez):
    implements(_function, _with_elements(_function))


def _copyto(dst: Any, src: Operators, casting: str = "same_kind", where: Any = True) -> None:
    if where is not True or casting != "same_kind":
        _refuse("copyto with options")
    _written("copyto", src, dst)


def _shape(a: Operators) -> tuple[int, ...]:
    return a._node.shape


implements(np.copyto, _copyto)
implements(np.shape, _shape)
