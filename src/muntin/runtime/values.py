"""What a graph reads: the arrays and numbers of its inputs and scalars, and views of arrays."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.graph.canonical import Canonical
from muntin.core.graph.node import Node
from muntin.runtime.address import address_of
from muntin.runtime.memory import exported

__all__ = ["Values", "graph_values", "shown", "viewed"]

Values: TypeAlias = dict[int, Any]  # the array or number of every input and scalar, by position


def graph_values(graph: Canonical, besides: Container[int] = ()) -> Values:
    """Return the array or number of every input and scalar of a graph but for some positions."""
    return {
        position: node.payload.array if node.op.kind == "input" else node.payload
        for position, node in enumerate(graph.nodes)
        if node.op.kind in ("input", "scalar") and position not in besides
    }


def shown(values: npt.NDArray[Any], graph: Canonical, base: int, position: int) -> npt.NDArray[Any]:
    """Return the elements of the node at `position`, seen through views and reshapes of `base`."""
    chain = []
    while position != base:
        chain.append(graph.nodes[position])
        (position,) = graph.args[position]
    for node in reversed(chain):
        values = values.reshape(node.shape) if node.op.kind == "reshape" else viewed(values, node)
    return values


def viewed(values: npt.NDArray[Any], node: Node) -> npt.NDArray[Any]:
    """Return the NumPy view of an array that a view node describes; it cannot be written."""
    affine = node.payload
    if 0 in node.shape:
        return np.empty(node.shape, values.dtype)
    interface = {
        "version": 3,
        "shape": node.shape,
        "typestr": values.dtype.str,
        "data": (address_of(values) + affine.offset(values.strides), True),
        "strides": affine.strides(values.strides),
    }
    return exported(interface, values, values.dtype)
