"""NumPy's ufuncs and functions on Arrays: lazy where muntin has the operation, else refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from inspect import signature
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from muntin.array.evaluation import evaluate
from muntin.array.operators import Operators, combine, common_device, node_of
from muntin.core.graph.build import broadcast_to, cast, view
from muntin.core.graph.node import AxisMap, View
from muntin.dtypes import DType, dtype_of
from muntin.errors import DTypeError, UnsupportedError
from muntin.interop.ufunc_names import OF_FLOATS, REDUCERS, SPECIAL, UFUNCS

__all__ = [
    "Casting",
    "Options",
    "call_function",
    "call_ufunc",
    "implements",
    "is_known",
    "refuse",
    "write_result",
]

Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


@dataclass(frozen=True, slots=True)
class Options:
    """The keywords of ufuncs that are known here.

    Attributes
    ----------
    where : array_like
        Which elements of an out are written.
    dtype : data-type, optional
        The type in which the ufunc is computed.
    casting : str
        What operands and results may become, in NumPy's words.
    order, subok
        Of new NumPy arrays: they mean nothing here.
    """

    where: Any = True
    dtype: npt.DTypeLike | None = None
    casting: Casting = "same_kind"
    order: str = "K"
    subok: bool = True

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> Options:
        """Return the options of a call."""
        known = [each.name for each in fields(cls)]
        for option in given:
            if option not in known:
                raise UnsupportedError(
                    f"numpy.{name}: option {option} does not work on muntin Arrays; those that do "
                    f"are out, {', '.join(known)}"
                )
        return cls(**given)


def call_ufunc(
    kind: type[Operators],
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    out: tuple[Any, ...] | None,
    options: Mapping[str, Any],
) -> Any:
    """Return the lazy results of a ufunc, or the outs after writing the results to them.

    Raises
    ------
    UnsupportedError
        If muntin has no such operation, or no such option.
    DTypeError
        If an operand or a result does not become the type that is asked for.
    """
    name = ufunc.__name__
    if (ufunc, method) in REDUCERS:
        given = {"axis": 0, **options} | ({} if out is None else {"out": out[0]})
        return call_function(REDUCERS[ufunc, method], inputs, given)
    if method not in ("__call__", "outer"):
        refuse(f"{name}.{method}")
    meaning = _meaning(kind, ufunc)
    chosen = Options.of(name, options)
    if chosen.where is not True and out is None:
        raise UnsupportedError(
            f"numpy.{name}: where without out leaves elements unset; give out, or choose with "
            "muntin.where"
        )
    operands = _crossed(kind, name, inputs) if method == "outer" else inputs
    row = None if chosen.dtype is None else dtype_of(chosen.dtype)
    if row is not None:
        operands = tuple([_typed(kind, name, each, row, chosen.casting) for each in operands])
    if ufunc in OF_FLOATS and not any(_is_float(each) for each in operands):
        refuse(f"{name} of integers")
    found = meaning(*operands)
    results = found if isinstance(found, tuple) else (found,)
    for result in results:
        _check_type(name, result, row)
    if out is None:
        return found
    written = [
        result if target is None else write_result(name, result, target, chosen)
        for result, target in zip(results, out, strict=True)
    ]
    return tuple(written) if isinstance(found, tuple) else written[0]


def is_known(operand: object) -> bool:
    """Return whether no other library has a ufunc's meaning for an operand."""
    if isinstance(operand, Operators | np.ndarray | np.generic):
        return True
    return getattr(type(operand), "__array_ufunc__", None) is None


def _meaning(kind: type[Operators], ufunc: np.ufunc) -> Callable[..., Any]:
    operation = UFUNCS.get(ufunc) or SPECIAL.get(ufunc.__name__)
    if operation is not None:
        return lambda *operands: kind(*combine(operation, *operands))
    return _FUNCTIONS.get(ufunc) or refuse(ufunc.__name__)


def _crossed(kind: type[Operators], name: str, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return two operands so that each element of the first meets all of the second."""
    first, second = inputs
    node = node_of(name, first)
    new = len(node_of(name, second).shape)
    axes = [AxisMap(axis) for axis in range(len(node.shape))] + [AxisMap(None, 0, 0)] * new
    crossed = view(node, View(tuple(axes)), node.shape + (1,) * new)
    return kind(crossed, common_device(name, (first,))), second


def _typed(kind: type[Operators], name: str, operand: Any, row: DType, casting: Casting) -> Any:
    """Return an operand in the type in which a ufunc is computed."""
    if type(operand) in (bool, int, float):
        return operand
    node = node_of(name, operand)
    _check_cast(name, "an operand", node.dtype.numpy, row.numpy, casting)
    return kind(cast(node, row), common_device(name, (operand,)))


def _check_type(name: str, result: Operators, row: DType | None) -> None:
    found = result._node.dtype
    if row is not None and found is not row:
        raise DTypeError(
            f"numpy.{name}: of {row} it gives {found}; leave dtype away, and cast operands or the "
            "result with .astype()"
        )


def _check_cast(
    name: str, what: str, given: np.dtype[Any], wanted: np.dtype[Any], casting: Casting
) -> None:
    if not np.can_cast(given, wanted, casting):
        raise DTypeError(
            f"numpy.{name}: {what} is {given}, which does not become {wanted} by {casting!r} "
            f'casting; cast with .astype("{wanted}") first'
        )


def _is_float(value: Any) -> bool:
    return dtype_of(getattr(value, "dtype", type(value))).is_float


def write_result(
    name: str, result: Operators, out: Any, options: Options | None = None
) -> npt.NDArray[Any]:
    """Write a result to `out`, cast and broadcast as NumPy would, and return `out`."""
    options = options or Options()
    node = result._node
    if not isinstance(out, np.ndarray):
        raise UnsupportedError(
            f"numpy.{name}: out is a muntin {type(out).__name__}, a value that does not change; "
            "leave out= away, or give a NumPy array"
        )
    _check_cast(name, "the result", node.dtype.numpy, out.dtype, options.casting)
    wanted = broadcast_to(cast(node, dtype_of(out.dtype)), out.shape, f"numpy.{name}")
    value = Operators(wanted, result._device)
    if options.where is not True:
        value = Operators(*combine("where", options.where, value, out))
    evaluate((value,), (out,))
    return out


# --- functions ------------------------------------------------------------------------------------

Meaning = TypeVar("Meaning", bound=Callable[..., Any])

_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
_signature = cache(signature)


def implements(function: Callable[..., Any]) -> Callable[[Meaning], Meaning]:
    """Have a NumPy function that is given an Array call the function under this decorator."""

    def decorate(meaning: Meaning) -> Meaning:
        _FUNCTIONS[function] = meaning
        return meaning

    return decorate


def call_function(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Return what a NumPy function gives for Arrays, or `out` after writing it there.

    Raises
    ------
    UnsupportedError
        If muntin has no such function, or its own takes other arguments.
    """
    name = function.__name__
    meaning = _FUNCTIONS.get(function)
    if meaning is None:
        refuse(name)
    given = dict(kwargs)
    out = given.pop("out", None)
    try:
        _signature(meaning).bind(*args, **given)
    except TypeError as error:
        raise UnsupportedError(
            f"numpy.{name}: muntin Arrays take no such arguments: {error}; call muntin's "
            "function, or numpy.asarray(x) first to compute the elements"
        ) from error
    result = meaning(*args, **given)
    return result if out is None else write_result(name, result, out)


def refuse(name: str) -> NoReturn:
    """Raise the error for what NumPy can do and muntin cannot."""
    raise UnsupportedError(
        f"numpy.{name}: is not defined for muntin Arrays; compute the elements first, and call it "
        "with numpy.asarray(x)"
    )
