"""Products: of matrices in memory, which the host computes, and of vectors, which are sums."""

from __future__ import annotations

from muntin.core.graph.build import broadcast_to, cast, check_whole, constant, elementwise
from muntin.core.graph.letters import letters_by_rank
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.graph.reductions import reduced
from muntin.core.graph.reshaping import reshape
from muntin.core.shapes import broadcast_shapes
from muntin.dtypes import promote
from muntin.errors import ShapeError

__all__ = ["matmul", "vecdot"]

_MATMUL = op("matmul")


def matmul(a: Node, b: Node, operation: str = "matmul") -> Node:
    """Return the product of matrices, the last two axes; a vector is a row on the left.

    That of two vectors is a sum.

    Raises
    ------
    ShapeError
        If an operand has no axes, or if the shapes do not fit.
    BorderError
        If an operand is only valid in part.
    """
    for node in (a, b):
        check_whole(node, operation, "takes whole arrays, but ")
        if not node.shape:
            raise ShapeError(
                f"{operation}: operands have shapes {a.shape} and {b.shape}; they must have one "
                "axis or more; multiply by a number with *"
            )
    if a.shape[-1] != b.shape[-2:][0]:
        raise ShapeError(
            f"{operation}: operands have shapes {a.shape} and {b.shape}; the last axis of the "
            f"first has length {a.shape[-1]}, the axis of the second that it meets "
            f"{b.shape[-2:][0]}; they must be as long"
        )
    if len(a.shape) == len(b.shape) == 1:
        return vecdot(a, b, operation)
    dtype = promote(a.dtype, b.dtype)
    left = cast(a if len(a.shape) > 1 else reshape(a, (1, *a.shape), operation), dtype)
    right = cast(b if len(b.shape) > 1 else reshape(b, (*b.shape, 1), operation), dtype)
    stack = broadcast_shapes(left.shape[:-2], right.shape[:-2], operation=operation).shape
    left = broadcast_to(left, (*stack, *left.shape[-2:]), operation)
    right = broadcast_to(right, (*stack, *right.shape[-2:]), operation)
    rows, columns = left.shape[-2:-1], right.shape[-1:]
    shape = (*stack, *rows, *columns)
    made = Node(_MATMUL, (left, right), (), None, shape, dtype, letters_by_rank(len(shape)))
    kept = (*stack, *rows[: len(a.shape) - 1], *columns[: len(b.shape) - 1])
    return reshape(made, kept, operation)


def vecdot(a: Node, b: Node, operation: str = "vecdot") -> Node:
    """Return the sums of products along the last axis of both.

    Raises
    ------
    ShapeError
        If the axes are not as long, or the shapes do not fit.
    BorderError
        If an operand is only valid in part.
    """
    if a.shape[-1] != b.shape[-1]:
        raise ShapeError(
            f"{operation}: operands have shapes {a.shape} and {b.shape}; the axes that meet have "
            f"lengths {a.shape[-1]} and {b.shape[-1]}; they must be as long"
        )
    dtype = promote(a.dtype, b.dtype)
    row, name = ("bitwise_and", "max") if dtype.is_bool else ("multiply", "sum")
    wide = dtype.computed  # halves are rounded once, at the end
    product = elementwise(row, cast(a, wide), cast(b, wide))
    if dtype.is_bool and not product.shape[-1]:
        return broadcast_to(constant(False, dtype), product.shape[:-1])
    return cast(reduced(name, product, [len(product.shape) - 1], operation), dtype)
