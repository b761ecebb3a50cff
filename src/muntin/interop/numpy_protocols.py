"""NumPy's ufuncs and functions on Arrays: lazy where muntin has the operation, else refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from muntin.array.evaluation import evaluate
from muntin.array.operators import Operators, combine
from muntin.core.graph.build import broadcast_to, cast
from muntin.dtypes import dtype_of
from muntin.errors import DTypeError, UnsupportedError

__all__ = [
    "SPECIAL",
    "UFUNCS",
    "call_function",
    "call_ufunc",
    "implements",
    "refuse",
    "write_result",
]

UFUNCS: Mapping[np.ufunc, str] = {
    np.absolute: "abs",
    np.add: "add",
    np.arccos: "acos",
    np.arccosh: "acosh",
    np.arcsin: "asin",
    np.arcsinh: "asinh",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.arctanh: "atanh",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
    np.cbrt: "cbrt",
    np.ceil: "ceil",
    np.copysign: "copysign",
    np.cos: "cos",
    np.cosh: "cosh",
    np.deg2rad: "deg2rad",
    np.degrees: "rad2deg",
    np.divide: "divide",
    np.equal: "equal",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.floor: "floor",
    np.floor_divide: "floor_divide",
    np.fmod: "fmod",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.hypot: "hypot",
    np.invert: "bitwise_invert",
    np.isfinite: "isfinite",
    np.isinf: "isinf",
    np.isnan: "isnan",
    np.left_shift: "bitwise_left_shift",
    np.less: "less",
    np.less_equal: "less_equal",
    np.log: "log",
    np.log10: "log10",
    np.log1p: "log1p",
    np.log2: "log2",
    np.logaddexp: "logaddexp",
    np.logical_and: "logical_and",
    np.logical_not: "logical_not",
    np.logical_or: "logical_or",
    np.logical_xor: "logical_xor",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.multiply: "multiply",
    np.negative: "negative",
    np.nextafter: "nextafter",
    np.not_equal: "not_equal",
    np.power: "pow",
    np.rad2deg: "rad2deg",
    np.radians: "deg2rad",
    np.reciprocal: "reciprocal",
    np.remainder: "remainder",
    np.right_shift: "bitwise_right_shift",
    np.rint: "round",
    np.sign: "sign",
    np.signbit: "signbit",
    np.sin: "sin",
    np.sinh: "sinh",
    np.sqrt: "sqrt",
    np.square: "square",
    np.subtract: "subtract",
    np.tan: "tan",
    np.tanh: "tanh",
    np.trunc: "trunc",
}

# SciPy's, which need not be there.
SPECIAL: Mapping[str, str] = {
    "entr": "entr",
    "erf": "erf",
    "erfc": "erfc",
    "expit": "expit",
    "gamma": "gamma",
    "gammaln": "lgamma",
    "log_expit": "log_expit",
    "log_ndtr": "log_ndtr",
    "logit": "logit",
    "ndtr": "ndtr",
    "psi": "digamma",
    "rel_entr": "rel_entr",
    "xlog1py": "xlog1py",
    "xlogy": "xlogy",
}

_OF_FLOATS = (np.fmod, np.reciprocal)  # NumPy's of integers are integers


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
        refuse(f"{name}.{method}")
    operation = UFUNCS.get(ufunc) or SPECIAL.get(name)
    if operation is None:
        refuse(name)
    if options:
        raise UnsupportedError(
            f"numpy.{name}: option {', '.join(options)} does not work on muntin Arrays; use "
            "muntin.where for a choice and .astype() for another type"
        )
    if ufunc in _OF_FLOATS and not any(_is_float(value) for value in inputs):
        refuse(f"{name} of integers")
    result = kind(*combine(operation, *inputs))
    if out is None:
        return result
    return write_result(name, result, out[0])


def _is_float(value: Any) -> bool:
    return getattr(value, "dtype", np.dtype(type(value))).kind == "f"


def write_result(name: str, result: Operators, out: Any) -> npt.NDArray[Any]:
    """Write a result to `out`, cast and broadcast as NumPy would, and return `out`."""
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

Meaning = TypeVar("Meaning", bound=Callable[..., Any])

_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}


def implements(function: Callable[..., Any]) -> Callable[[Meaning], Meaning]:
    """Have a NumPy function that is given an Array call the function under this decorator."""

    def decorate(meaning: Meaning) -> Meaning:
        _FUNCTIONS[function] = meaning
        return meaning

    return decorate


def call_function(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return what a NumPy function gives for Arrays.

    Raises
    ------
    UnsupportedError
        If muntin has no such function, or its own takes other arguments.
    """
    meaning = _FUNCTIONS.get(function)
    if meaning is None:
        refuse(function.__name__)
    try:
        signature(meaning).bind(*args, **kwargs)
    except TypeError as error:
        raise UnsupportedError(
            f"numpy.{function.__name__}: muntin Arrays take no such arguments: {error}; call "
            "muntin's function, or numpy.asarray(x) first to compute the elements"
        ) from error
    return meaning(*args, **kwargs)


def refuse(name: str) -> NoReturn:
    """Raise the error for what NumPy can do and muntin cannot."""
    raise UnsupportedError(
        f"numpy.{name}: is not defined for muntin Arrays; compute the elements first, and call it "
        "with numpy.asarray(x)"
    )
