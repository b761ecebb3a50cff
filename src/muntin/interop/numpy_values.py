"""NumPy's functions of elements and of types that no ufunc is, on Arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array import (
    creation,
    data_types,
    differences,
    elementwise,
    ordering,
    reductions,
    searching,
)
from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import node_of
from muntin.errors import ParameterError
from muntin.interop.numpy_protocols import implements

__all__: list[str] = []


@implements(np.can_cast)
def can_cast(from_: Any, to: npt.DTypeLike, casting: str = "safe") -> bool:
    return np.can_cast(node_of("can_cast", from_).dtype.numpy, to, casting)  # type: ignore[arg-type]


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    return data_types.result_type(*arrays_and_dtypes)


@implements(np.size)
def size(a: Any, axis: SupportsIndex | None = None) -> int:
    array = asarray(a)
    return array.size if axis is None else array.shape[axis]


@implements(np.copy)
def copy(a: Any) -> Array:
    return asarray(a, copy=True)


@implements(np.empty_like)
def empty_like(prototype: Any, dtype: npt.DTypeLike | None = None) -> Array:
    return creation.empty_like(prototype, dtype=dtype)


# --- in order -------------------------------------------------------------------------------------


def _sorting(function: Callable[..., Array]) -> Callable[..., Array]:
    def found(a: Any, axis: SupportsIndex | None = -1, *, stable: bool = True) -> Array:
        if axis is None:
            return function(asarray(a).reshape(-1), stable=stable)
        return function(a, axis=axis, stable=stable)

    return found


implements(np.sort)(_sorting(ordering.sort))
implements(np.argsort)(_sorting(ordering.argsort))


implements(np.nonzero)(ordering.nonzero)


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any | None = None) -> Array:
    return searching.searchsorted(a, v, side=side, sorter=sorter)


# --- complex numbers, which there are none of -----------------------------------------------------


@implements(np.real)
def real(val: Any) -> Array:
    return elementwise.real(val)


@implements(np.imag)
def imag(val: Any) -> Any:
    return elementwise.imag(val)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    return False


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    return True


# --- elements -------------------------------------------------------------------------------------


@implements(np.fix)
def fix(x: Any) -> Array:
    return elementwise.trunc(x)


@implements(np.around)
@implements(np.round)
def round(a: Any, decimals: SupportsIndex = 0) -> Array:
    return asarray(a).round(decimals)


@implements(np.diff)
def diff(
    a: Any,
    n: SupportsIndex = 1,
    axis: SupportsIndex = -1,
    prepend: Any = None,
    append: Any = None,
) -> Array:
    return differences.diff(a, axis=axis, n=n, prepend=prepend, append=append)


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    x, y = asarray(a), asarray(b)
    y = y.astype(data_types.result_type(y, 1.0))
    is_near = elementwise.abs(x - y) <= elementwise.abs(y) * rtol + atol
    close: Array = (is_near & elementwise.isfinite(y)) | (x == y)
    if equal_nan:
        close = close | (elementwise.isnan(x) & elementwise.isnan(y))
    return close


@implements(np.isneginf)
def isneginf(x: Any) -> Array:
    return elementwise.equal(x, -inf)


@implements(np.isposinf)
def isposinf(x: Any) -> Array:
    return elementwise.equal(x, inf)


@implements(np.nan_to_num)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Array:
    array = asarray(x)
    if not data_types.isdtype(array.dtype, "real floating"):
        return array
    limits = data_types.finfo(array.dtype)
    found = elementwise.where(elementwise.isnan(array), nan, array)
    found = elementwise.where(isposinf(array), limits.max if posinf is None else posinf, found)
    return elementwise.where(isneginf(array), limits.min if neginf is None else neginf, found)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    array = asarray(a)
    greatest = reductions.max(array, axis=axis, keepdims=keepdims)
    return elementwise.subtract(greatest, reductions.min(array, axis=axis, keepdims=keepdims))


@implements(np.select)
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    if len(condlist) != len(choicelist) or not condlist:
        raise ParameterError(
            f"select: got {len(condlist)} conditions and {len(choicelist)} choices; give as many "
            "of each, and one at least"
        )
    chosen = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        chosen = elementwise.where(condition, choice, chosen)
    found: Array = chosen
    return found
