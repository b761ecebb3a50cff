"""Arrays from other objects, without a copy where that can be."""

from __future__ import annotations

from math import ceil, isfinite, nan
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.axes import checked_axes
from muntin.array.elementwise import floor, where
from muntin.array.operators import common_device, node_of
from muntin.core.graph.build import banded, broadcast_to, cast, input_node, renamed
from muntin.core.graph.build import index as build_index
from muntin.core.graph.diagonals import PARTS, extremes
from muntin.core.graph.node import Node
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import as_shape, broadcast_shapes, normalize_axis
from muntin.dtypes import DType, dtype_of
from muntin.errors import ParameterError, ShapeError
from muntin.interop.dlpack import taken
from muntin.interop.memory import as_ndarray
from muntin.runtime.buffer import Buffer
from muntin.runtime.device import find_device

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "full_like",
    "index",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def asarray(
    x: Any,
    /,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    copy: bool | None = None,
    part: str = "entire",
    axes: str | None = None,
) -> Array:
    """Return an Array over the memory of `x`.

    Parameters
    ----------
    x : array_like
        An Array, a NumPy array of any strides, an object with DLPack or the buffer protocol, a
        number or nested sequences. Memory is copied only if it is unaligned or of another byte
        order, and for numbers and sequences.
    dtype : data-type, optional
        The element type; another one than that of `x` is a lazy cast.
    device : str, optional
        Where expressions of the Array are evaluated; None leaves it to their context.
    copy : bool, optional
        Whether memory is copied at once, so that later writes to `x` do not matter; False makes an
        error of memory that cannot be read in place.
    part : {"entire", "lower", "upper", "diagonal"}
        What is seen of a matrix, the last two axes; the rest is zero, whatever its memory holds.
    axes : str, optional
        A letter an axis, of n t z y x c. By rank they are "x", "yx", "yxc" and "nyxc".

    Raises
    ------
    DTypeError
        If muntin has no such element type.
    UnsupportedError
        If `x` holds no numbers that can be read here.
    ParameterError
        If there is no such part, or if there must be no copy and `x` needs one.
    ShapeError
        If there is a part, but no matrix.

    Notes
    -----
    The elements are read when an expression is evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> pixels = np.zeros((480, 640, 3), np.uint8)
    >>> asarray(pixels)[::-1, ::2]
    Array((480, 320, 3), uint8, axes="yxc", lazy)
    """
    committed: str | None = None
    if isinstance(x, Array):
        node, committed = x._node, x._device
        if copy:
            node = x.copy()._node
        if axes is not None:
            node = renamed(node, checked_axes("asarray", axes, len(node.shape)))
    else:
        array = as_ndarray(x, copy)
        buffer = Buffer(array)
        letters = checked_axes("asarray", axes, array.ndim)
        node = input_node(buffer, array.shape, buffer.dtype, letters)
    row = node.dtype if dtype is None else dtype_of(dtype)
    if copy is False and row is not node.dtype:
        raise ParameterError(
            f"asarray: {node.dtype} becomes {row} by a copy, but copy is False; leave one of dtype "
            "and copy away"
        )
    node = cast(node, row)
    return Array(_seen(node, part), _committed(device, committed))


def _seen(node: Node, part: str) -> Node:
    if part == "entire":
        return node
    if part not in PARTS:
        raise ParameterError(f"asarray: part is {part!r}; use one of {', '.join(PARTS)}")
    if len(node.shape) < 2:
        raise ShapeError(
            f"asarray: part {part!r} of an array of {len(node.shape)} axes; it takes two or more"
        )
    return banded(node, extremes(part, node.shape))


def _committed(device: str | None, own: str | None) -> str | None:
    return own if device is None else find_device(device).name


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Array:
    """Return an Array over the memory of an object with DLPack.

    Parameters
    ----------
    x : object
        An object with `__dlpack__` and `__dlpack_device__`.
    device : str, optional
        Where expressions of the Array are evaluated. If one is given, memory of another kind of
        device is copied to the host, by the library that it belongs to.
    copy : bool, optional
        Whether memory is copied at once; False makes an error of memory that cannot be read in
        place.

    Raises
    ------
    UnsupportedError
        If the object has no DLPack.
    ExchangeError
        If its memory is not in reach.
    BufferError
        As the object raises it.

    Examples
    --------
    >>> import numpy as np
    >>> from_dlpack(np.arange(3.0))
    Array((3,), float64, axes="x", evaluated)
    """
    return asarray(taken(x, to_host=device is not None, copy=copy), device=device)


def full(
    shape: Any,
    fill_value: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    axes: str | None = None,
) -> Array:
    """Return an Array of one value, which takes no memory in an expression.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    fill_value : scalar
        A number or a 0-d Array.
    dtype : data-type, optional
        The element type; None is that of the value.
    device : str, optional
        Where expressions of the Array are evaluated.
    axes : str, optional
        A letter an axis; None leaves them without names, so that they take those of others.
    """
    lengths = as_shape(shape, "full")
    node = node_of("full", fill_value)
    if dtype is not None:
        node = cast(node, dtype_of(dtype))
    if node.shape:
        raise ShapeError(f"full: the value has shape {node.shape}; give a number or a 0-d Array")
    letters = None if axes is None else checked_axes("full", axes, len(lengths))
    stretched = renamed(broadcast_to(node, lengths, "full"), letters)
    return Array(stretched, _committed(device, common_device("full", (fill_value,))))


def empty(
    shape: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    axes: str | None = None,
) -> Array:
    """Return `zeros`: a value has no element that is not set."""
    return zeros(shape, dtype=dtype, device=device, axes=axes)


def zeros(
    shape: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    axes: str | None = None,
) -> Array:
    """Return an Array of zeros, float64 if no type is given; it takes no memory in expressions."""
    return full(shape, 0, dtype="float64" if dtype is None else dtype, device=device, axes=axes)


def ones(
    shape: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    axes: str | None = None,
) -> Array:
    """Return an Array of ones, float64 if no type is given; it takes no memory in expressions."""
    return full(shape, 1, dtype="float64" if dtype is None else dtype, device=device, axes=axes)


def full_like(
    x: Any,
    /,
    fill_value: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
) -> Array:
    """Return an Array of one value with the shape and axes of x, and its type and device if none.

    `zeros_like`, `ones_like` and `empty_like` are the same with 0 and 1.
    """
    node = node_of("full_like", x)
    made = full(node.shape, fill_value, dtype=node.dtype if dtype is None else dtype)
    own = common_device("full_like", (x, fill_value))
    return Array(renamed(made._node, node.axes), _committed(device, own))


def empty_like(
    x: Any, /, *, dtype: DType | npt.DTypeLike | None = None, device: str | None = None
) -> Array:
    """Return `zeros_like`: a value has no element that is not set."""
    return zeros_like(x, dtype=dtype, device=device)


def zeros_like(
    x: Any, /, *, dtype: DType | npt.DTypeLike | None = None, device: str | None = None
) -> Array:
    """Return zeros with the shape and axes of x, and its type and device if none is given."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(
    x: Any, /, *, dtype: DType | npt.DTypeLike | None = None, device: str | None = None
) -> Array:
    """Return ones with the shape and axes of x, and its type and device if none is given."""
    return full_like(x, 1, dtype=dtype, device=device)


def index(shape: Any, axis: SupportsIndex, *, axes: str | None = None) -> Array:
    """Return the int64 Array that holds each element's index along an axis.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(index((2, 3), 1))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    lengths = as_shape(shape, "index")
    place = normalize_axis(axis, len(lengths), "index")
    letters = None if axes is None else checked_axes("index", axes, len(lengths))
    return Array(build_index(place, lengths, letters))


def arange(
    start: int | float,
    /,
    stop: int | float | None = None,
    step: int | float = 1,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
) -> Array:
    """Return start, start + step, … before stop; from 0 if only the stop is given.

    Raises
    ------
    ParameterError
        If the step is 0 or a number is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(arange(2, 10, 3))
    array([2, 5, 8])
    """
    first, last = (start * 0, start) if stop is None else (start, stop)
    if step == 0 or not all(isfinite(number) for number in (first, last, step)):
        raise ParameterError(
            f"arange: from {first} to {last} in steps of {step}; the step must not be 0, and all "
            "three must be finite"
        )
    if all(isinstance(number, int) for number in (first, last, step)):
        count = max(0, -((first - last) // step))
    else:
        count = max(0, ceil((last - first) / step))
    numbers = index(count, 0)
    row = dtype_of(
        "float64" if dtype is None and isinstance(step + first, float) else dtype or "int64"
    )
    if row.is_bool or (dtype is None and row.is_integer):
        found = (numbers * step + first).astype(row)
        return Array(found._node, _committed(device, None))
    # NumPy goes on by the difference of the first two numbers, in the type.
    with np.errstate(all="ignore"):
        pair = np.array([first, first + step]).astype(row.numpy).astype(row.computed.numpy)
        distance = (pair[1:] - pair[:1]).item()
    found = (numbers.astype(row.computed) * distance + pair[0].item()).astype(row)
    return Array(found._node, _committed(device, None))


def linspace(
    start: float,
    stop: float,
    /,
    num: SupportsIndex,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
    endpoint: bool = True,
) -> Array:
    """Return numbers at equal distances from start to stop.

    Parameters
    ----------
    start, stop : int or float
        The first number, and the last.
    num : int
        How many.
    dtype : data-type, optional
        The element type; float64 if none. Integers are rounded down.
    device : str, optional
        Where expressions of the Array are evaluated.
    endpoint : bool
        Whether the stop is one of the numbers; if not, it is the one that would follow.

    Examples
    --------
    >>> import numpy as np
    >>> np.asarray(linspace(0, 1, 5))
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    (count,) = as_shape((num,), "linspace")
    first, last = float(start), float(stop)
    gaps = count - 1 if endpoint else count
    numbers = index(count, 0).astype("float64")
    step = (last - first) / gaps if gaps > 0 else nan
    if gaps > 0 and step == 0:
        numbers = numbers / gaps * (last - first)
    else:
        numbers = numbers * (step if gaps > 0 else last - first)
    numbers = numbers + first
    if endpoint and count > 1:
        numbers = where(index(count, 0) == count - 1, last, numbers)
    row = dtype_of("float64" if dtype is None else dtype)
    found = (floor(numbers) if row.is_integer else numbers).astype(row)
    return Array(found._node, _committed(device, None))


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Array, ...]:
    """Return the coordinates of a grid: each array stretched along the axes of the others.

    Parameters
    ----------
    *arrays : array_like
        Arrays of one axis, or numbers.
    indexing : {"xy", "ij"}
        Whether the first two axes of the grid are exchanged, so that columns come first.

    Raises
    ------
    ParameterError
        If the indexing is another word.
    ShapeError
        If an array has two or more axes.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = meshgrid(arange(3), arange(2))
    >>> np.asarray(x), np.asarray(y)
    (array([[0, 1, 2],
           [0, 1, 2]]), array([[0, 0, 0],
           [1, 1, 1]]))
    """
    if indexing not in ("xy", "ij"):
        raise ParameterError(f'meshgrid: indexing is {indexing!r}; use "xy" or "ij"')
    places = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        places[:2] = 1, 0
    lines = []
    for number, (x, place) in enumerate(zip(arrays, places, strict=True)):
        node = node_of("meshgrid", x)
        if len(node.shape) > 1:
            raise ShapeError(
                f"meshgrid: array {number} has shape {node.shape}; give arrays of one axis"
            )
        along = [1] * len(arrays)
        along[place] = -1
        lines.append(reshape(node, tuple(along), "meshgrid"))
    shape = broadcast_shapes(*[line.shape for line in lines]).shape
    return tuple(
        [
            Array(broadcast_to(line, shape), common_device("meshgrid", (x,)))
            for line, x in zip(lines, arrays, strict=True)
        ]
    )
