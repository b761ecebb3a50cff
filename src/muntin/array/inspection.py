"""What an expression needs and becomes: boxes of its inputs, and its kernel as data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.evaluation import chosen_device
from muntin.core.graph.required import required as required_boxes
from muntin.core.regions import Box
from muntin.errors import BoundsError, UnsupportedError

__all__ = ["Required", "kernel", "required"]


class Required(NamedTuple):
    """An input and the box of it that is needed."""

    array: npt.NDArray[Any]
    box: Box


def required(expr: Array, box: Box) -> tuple[Required, ...]:
    """Return the boxes of the inputs that a box of the output needs.

    Parameters
    ----------
    expr : Array
        An expression.
    box : Box
        A part of its elements.

    Returns
    -------
    tuple of Required
        Each input, in the order of its first use, and the smallest box around what is read of it.

    Raises
    ------
    BoundsError
        If the box is not inside the expression.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> x = mt.asarray(np.zeros((100, 100)))
    >>> y = x.at(-1, 0) + x.at(0, 2)
    >>> required(y, mt.Box((10, 10), (20, 20)))[0].box
    Box(start=(9, 10), stop=(20, 22))
    """
    node = _expression("required", expr)._node
    if not isinstance(box, Box):
        raise UnsupportedError(
            f"required: box is {box!r}; give the first elements and the ends, as "
            "muntin.Box((0, 0), (10, 10))"
        )
    if box.ndim != len(node.shape) or not Box.full(node.shape).contains(box):
        raise BoundsError(
            f"required: box {box.start} to {box.stop} of an Array of shape {node.shape}; give a "
            "box inside it"
        )
    boxes = required_boxes(node, box)
    return tuple([Required(source.payload.array, part) for source, part in boxes.items()])


def kernel(expr: Array) -> Any:
    """Return the kernel that an expression becomes on its device.

    Raises
    ------
    UnsupportedError
        If it becomes several, or none.
    """
    array = _expression("kernel", expr)
    kernels = chosen_device(array._device).compile((), (array._node,)).kernels
    if len(kernels) != 1:
        raise UnsupportedError(
            f"kernel: the expression becomes {len(kernels)} kernels; take them from "
            "muntin.function(...).kernels"
        )
    return kernels[0]


def _expression(operation: str, expr: object) -> Array:
    if isinstance(expr, Array):
        return expr
    raise UnsupportedError(
        f"{operation}: got a {type(expr).__name__}; it takes an Array; make one with "
        "muntin.asarray()"
    )
