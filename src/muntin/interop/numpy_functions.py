"""The NumPy functions that take Arrays: lazy ones, and those that end an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array import (
    creation,
    elementwise,
    joining,
    mathematics,
    matrices,
    products,
    reductions,
    shaping,
    taking,
)
from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import node_of
from muntin.core.shapes import as_lengths
from muntin.errors import UnsupportedError
from muntin.interop.numpy_protocols import Casting, Options, implements, write_result

__all__: list[str] = []


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any) -> tuple[Array, ...]:
    return shaping.broadcast_arrays(*args)


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any) -> Array:
    return shaping.broadcast_to(array, shape)


@implements(np.clip)
def clip(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Array:
    return elementwise.clip(a, min if a_min is None else a_min, max if a_max is None else a_max)


@implements(np.concatenate)
def concatenate(arrays: Sequence[Any], /, axis: SupportsIndex | None = 0) -> Array:
    return joining.concat(arrays, axis=axis)


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: Casting = "same_kind", where: Any = True) -> None:
    write_result("copyto", asarray(src), dst, Options(where, None, casting))


@implements(np.diagonal)
def diagonal(
    a: Any, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Array:
    return matrices.diagonal(shaping.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


@implements(np.dot)
def dot(a: Any, b: Any) -> Array:
    first, second = node_of("dot", a).shape, node_of("dot", b).shape
    if not first or not second:
        return elementwise.multiply(a, b)
    return products.tensordot(a, b, axes=((-1,), (-2 if len(second) > 1 else -1,)))


@implements(np.expand_dims)
def expand_dims(a: Any, axis: SupportsIndex) -> Array:
    return shaping.expand_dims(a, axis=axis)


@implements(np.flip)
def flip(m: Any, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Array:
    return shaping.flip(m, axis=axis)


@implements(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: npt.DTypeLike | None = None) -> Array:
    return creation.full_like(a, fill_value, dtype=dtype)


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Array:
    if not node_of("inner", a).shape or not node_of("inner", b).shape:
        return elementwise.multiply(a, b)
    return products.tensordot(a, b, axes=((-1,), (-1,)))


@implements(np.matrix_transpose)
def matrix_transpose(x: Any) -> Array:
    return shaping.matrix_transpose(x)


@implements(np.meshgrid)
def meshgrid(*xi: Any, indexing: str = "xy") -> tuple[Array, ...]:
    return creation.meshgrid(*xi, indexing=indexing)


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    return shaping.moveaxis(a, source, destination)


@implements(np.ndim)
def ndim(a: Any) -> int:
    return len(node_of("ndim", a).shape)


@implements(np.ones_like)
def ones_like(a: Any, dtype: npt.DTypeLike | None = None) -> Array:
    return creation.ones_like(a, dtype=dtype)


@implements(np.outer)
def outer(a: Any, b: Any) -> Array:
    return products.tensordot(ravel(asarray(a)), ravel(asarray(b)), axes=0)


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Array:
    return reshape(a, -1, order)


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: SupportsIndex | None = None) -> Array:
    return taking.repeat(a, repeats, axis=axis)


@implements(np.reshape)
def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Array:
    if order != "C":
        raise UnsupportedError(
            f"numpy.reshape: order {order!r} does not work on muntin Arrays; transpose before and "
            "after a reshape in C order"
        )
    return shaping.reshape(a, shape, copy=copy)


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    return joining.roll(a, shift, axis=axis)


@implements(np.shape)
def shape(a: Any) -> tuple[int, ...]:
    return node_of("shape", a).shape


@implements(np.sinc)
def sinc(x: Any) -> Array:
    return mathematics.sinc(x)


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Array:
    return asarray(a).squeeze(axis)


@implements(np.stack)
def stack(arrays: Sequence[Any], axis: SupportsIndex = 0) -> Array:
    return joining.stack(arrays, axis=axis)


@implements(np.take)
def take(a: Any, indices: Any, axis: SupportsIndex | None = None) -> Array:
    return taking.take(a, indices, axis=axis)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: SupportsIndex = -1) -> Array:
    return taking.take_along_axis(arr, indices, axis=axis)


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    if not isinstance(axes, SupportsIndex):
        axes = tuple([as_lengths(each, "tensordot") for each in axes])  # single axes are NumPy's
    return products.tensordot(a, b, axes=axes)


@implements(np.tile)
def tile(A: Any, reps: Any) -> Array:
    return joining.tile(A, reps)


@implements(np.transpose)
def transpose(a: Any, axes: Sequence[SupportsIndex] | None = None) -> Array:
    array: Array = a
    return array.T if axes is None else shaping.permute_dims(a, axes)


@implements(np.tril)
def tril(m: Any, k: SupportsIndex = 0) -> Array:
    return matrices.tril(m, k=k)


@implements(np.triu)
def triu(m: Any, k: SupportsIndex = 0) -> Array:
    return matrices.triu(m, k=k)


@implements(np.where)
def where(condition: Any, x: Any, y: Any) -> Array:
    return elementwise.where(condition, x, y)


@implements(np.zeros_like)
def zeros_like(a: Any, dtype: npt.DTypeLike | None = None) -> Array:
    return creation.zeros_like(a, dtype=dtype)


# --- reductions -----------------------------------------------------------------------------------


def _reducing(function: Callable[..., Array]) -> Callable[..., Array]:
    def reduced(a: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
        return function(a, axis=axis, keepdims=keepdims)

    return reduced


def _accumulating(function: Callable[..., Array]) -> Callable[..., Array]:
    def accumulated(
        a: Any, axis: Any = None, dtype: npt.DTypeLike | None = None, *, keepdims: bool = False
    ) -> Array:
        return function(a, axis=axis, dtype=dtype, keepdims=keepdims)

    return accumulated


def _spreading(function: Callable[..., Array]) -> Callable[..., Array]:
    def spread(
        a: Any, axis: Any = None, *, ddof: float = 0, correction: float = 0, keepdims: bool = False
    ) -> Array:
        return function(a, axis=axis, correction=ddof or correction, keepdims=keepdims)

    return spread


for _name in ("all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min"):
    implements(getattr(np, _name))(_reducing(getattr(reductions, _name)))
for _name in ("prod", "sum"):
    implements(getattr(np, _name))(_accumulating(getattr(reductions, _name)))
for _name in ("std", "var"):
    implements(getattr(np, _name))(_spreading(getattr(reductions, _name)))


# --- scans ----------------------------------------------------------------------------------------


@implements(np.cumsum)
def cumsum(a: Any, axis: Any = None, dtype: npt.DTypeLike | None = None) -> Array:
    array: Array = a
    return array.cumsum(axis, dtype)


@implements(np.cumprod)
def cumprod(a: Any, axis: Any = None, dtype: npt.DTypeLike | None = None) -> Array:
    array: Array = a
    return array.cumprod(axis, dtype)


# --- functions that want the elements -------------------------------------------------------------


def _with_elements(function: Callable[..., Any]) -> Callable[..., Any]:
    def computed(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_elements, args), **{k: _elements(v) for k, v in kwargs.items()})

    return computed


def _elements(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Array) else value


_ENDINGS = (
    *(np.allclose, np.array_equal, np.array_equiv, np.array2string, np.array_str),
    *(np.may_share_memory, np.shares_memory),
    *(np.save, np.savetxt, np.savez, np.savez_compressed),
)

for _ending in _ENDINGS:
    implements(_ending)(_with_elements(_ending))
