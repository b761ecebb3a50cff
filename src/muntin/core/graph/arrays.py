"""Bodies evaluated on NumPy arrays, row by row: what an operation with a body means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from muntin.core.graph.halves import single
from muntin.core.graph.infer import resolve
from muntin.dtypes import DTYPES, DType, dtype_of, from_name
from muntin.errors import InternalError

__all__ = ["ArrayBuilder", "Held", "body_meaning", "cast_array"]


class Row(Protocol):
    """What is asked of an operation."""

    @property
    def rule(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def reference(self) -> Callable[..., Any] | None: ...

    def is_widened(self, dtypes: Sequence[DType]) -> bool: ...


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
    converts_halves: bool = False

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
        if row.is_widened(dtypes):
            found: Held = single(self, row, args)
            return self.cast(found, result)
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
    if source.is_half or dtype.is_half:
        return _cast_half(x, source, dtype)
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


def _cast_half(x: npt.NDArray[Any], source: DType, dtype: DType) -> npt.NDArray[Any]:
    """Return a cast from or to a half; NumPy rounds to bfloat16 by way of float32, twice."""
    with np.errstate(all="ignore"):
        if source.is_half:
            return cast_array(x.astype(np.float32), dtype)
        if dtype is DTYPES["bfloat16"] and source.bits > 16:
            x = _to_odd(x)
        return x.astype(dtype.numpy)


def _to_odd(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers as float32: of two neighbours, where none is exact, that with an odd digit."""
    near = x.astype(np.float32)
    if x.dtype.kind == "f":
        is_less, is_more = np.abs(near) < np.abs(x), np.abs(near) > np.abs(x)
    else:  # as large as float32 has it, some are past the type's greatest
        is_past = near >= np.float32(2.0 ** dtype_of(x.dtype).greatest.bit_length())
        whole = np.where(is_past, 0, near).astype(x.dtype)
        is_toward = np.where(x < 0, whole > x, whole < x)
        is_less = is_toward & ~is_past
        is_more = is_past | (whole != x) & ~is_toward
    is_even = near.view(np.int32) & 1 == 0
    toward = np.where(is_less, np.float32(np.inf), np.float32(0))
    toward = np.copysign(toward, near)
    return np.where(is_even & (is_less | is_more), np.nextafter(near, toward), near)
