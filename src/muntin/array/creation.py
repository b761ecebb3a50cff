"""Arrays from other objects, without a copy where that can be."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.axes import checked_axes
from muntin.core.graph.build import cast, input_node
from muntin.core.graph.node import Node
from muntin.dtypes import DType, dtype_of
from muntin.interop.memory import as_ndarray
from muntin.runtime.buffer import Buffer
from muntin.runtime.device import find_device

__all__ = ["asarray"]


def asarray(
    x: Any,
    *,
    dtype: DType | npt.DTypeLike | None = None,
    device: str | None = None,
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
    axes : str, optional
        A letter an axis, of n t z y x c. By rank they are "x", "yx", "yxc" and "nyxc".

    Raises
    ------
    DTypeError
        If muntin has no such element type.
    UnsupportedError
        If `x` holds no numbers that can be read here.

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
        if axes is not None:
            node = _renamed(node, checked_axes("asarray", axes, len(node.shape)))
    else:
        array = as_ndarray(x)
        buffer = Buffer(array)
        letters = checked_axes("asarray", axes, array.ndim)
        node = input_node(buffer, array.shape, buffer.dtype, letters)
    if dtype is not None:
        node = cast(node, dtype_of(dtype))
    if device is not None:
        committed = find_device(device).name
    return Array(node, committed)


def _renamed(node: Node, axes: str | None) -> Node:
    return Node(
        node.op, node.args, node.params, node.payload, node.shape, node.dtype, axes, node.valid
    )
