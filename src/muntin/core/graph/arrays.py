"""Bodies evaluated on NumPy arrays, row by row: what an operation with a body means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from muntin.core.graph.infer import resolve
from muntin.dtypes import DType, dtype_of, from_name
from muntin.errors import InternalError

__all__ = ["ArrayBuilder", "Held", "body_meaning", "cast_array"]


class Row(Protocol):
    """What is asked of an operation."""

    @property
    def rule(self) -> str: ...

    @property
    def reference(self) -> Callable[..., Any] | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An array in the place of a node."""

    array: npt.NDArray[Any]
    dtype: DType


@dataclass(frozen=True, slots=True)
class ArrayBuilder:
    """Has the methods of a `BodyBuilder`, and computes at once."""

    rows: Mapping[str, Row]
    target: str = "numpy"

    def __getattr__(self, name: str) -> Callable[..., Held]:
        if name not in self.rows:
            raise InternalError(f"arrays: a body uses {name!r}, which is no elementwise operation")
        return partial(self._apply, name)

    def like(self, value: int | float, node: Held) -> Held:
        """Return a number of the type of `node`."""
        return self.typed(value, node.dtype)

    def typed(self, value: int | float, dtype: str | DType) -> Held:
        """Return a number of a type."""
        dtype = from_name(dtype) if isinstance(dtype, str) else dtype
        # One axis: NumPy has rules of its own for scalars.
        return Held(np.full(1, value, dtype.numpy), dtype)

    def cast(self, node: Held, dtype: str | DType) -> Held:
        """Return the node as another type; integers wrap, floats clamp."""
        dtype = from_name(dtype) if isinstance(dtype, str) else dtype
        return Held(cast_array(node.array, dtype), dtype)

    def interval(self, node: Held) -> tuple[int, int]:
        """Return the integers of the type."""
        return node.dtype.least, node.dtype.greatest

    def rarely(self, condition: Held, rare: Held, common: Held) -> Held:
        """Choose as `where` does."""
        return self._apply("where", condition, rare, common)

    def _apply(self, name: str, *args: Held) -> Held:
        row = self.rows[name]
        dtypes = tuple([arg.dtype for arg in args])
        taken, result = resolve(name, row.rule, dtypes)
        if taken != dtypes or row.reference is None:
            given = ", ".join(map(str, dtypes))
            raise InternalError(f"arrays: a body gives {given} to {name}; it must cast first")
        with np.errstate(all="ignore"):
            array = np.asarray(row.reference(*[arg.array for arg in args]), result.numpy)
        return Held(array, result)


def body_meaning(body: Callable[..., Any], rows: Mapping[str, Row]) -> Callable[..., Any]:
    """Return the meaning of a body as a function of NumPy arrays."""

    def meaning(*arrays: Any) -> npt.NDArray[Any]:
        builder = ArrayBuilder(rows)
        held = [Held(np.atleast_1d(array), dtype_of(array.dtype)) for array in arrays]
        result: Held = body(builder, *held)
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        return np.broadcast_to(result.array, shape or (1,)).reshape(shape)

    return meaning


def cast_array(
    x: npt.NDArray[Any], dtype: DType, *, is_saturating: bool = False
) -> npt.NDArray[Any]:
    """Return `x` as `dtype`; integers wrap or clamp, floats truncate and clamp, NaN gives 0."""
    source = dtype_of(x.dtype)
    if dtype.is_integer and source.is_integer and is_saturating:
        low, high = max(source.least, dtype.least), min(source.greatest, dtype.greatest)
        x = np.clip(x, x.dtype.type(low), x.dtype.type(high))
    if not (dtype.is_integer and source.is_float):
        return x.astype(dtype.numpy)
    whole = np.trunc(x)
    past = float(dtype.greatest + 1)  # a power of two: exact
    is_above, is_below = whole >= past, whole <= float(dtype.least)
    inside = np.where(np.isnan(x) | is_above | is_below, 0, whole).astype(dtype.numpy)
    inside = np.where(is_above, dtype.numpy.type(dtype.greatest), inside)
    return np.where(is_below, dtype.numpy.type(dtype.least), inside)
