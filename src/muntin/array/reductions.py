"""Reductions under the Array API's names: lazy, fused with what they reduce, several in one pass.

Sums and products of floats are partitioned by the positions of the elements alone: threads, windows
and memory layout change no bit. The shortest run of trailing axes (of those that are reduced) with
at least 256 elements is cut into chunks of 4096; element k of a chunk goes to lane k modulo 16, the
upper half of the lanes is folded into the lower, and the chunks pairwise in C order. Floats of 16
bits are folded as float32, and what that gives is rounded once.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.operators import common_device, node_of
from muntin.array.reducing import Axis, Reduction
from muntin.core.graph.node import Node
from muntin.dtypes import DType

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


def _operand(operation: str, x: Any) -> tuple[Node, str | None]:
    return node_of(operation, x), common_device(operation, (x,))


# --- sums -----------------------------------------------------------------------------------------


def sum(
    x: Any,
    /,
    *,
    axis: Axis = None,
    dtype: DType | npt.DTypeLike | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the sums along some axes.

    Parameters
    ----------
    x : array_like
        The elements.
    axis : int or tuple of int, optional
        The axes that go; None is every axis.
    dtype : data-type, optional
        The type in which elements are added. None is int64 for bool and signed integers, uint64 for
        unsigned ones, and that of x for floats.
    keepdims : bool
        Whether the axes stay, with length 1.

    Returns
    -------
    Array
        0 where there are no elements. Integers wrap. Floats of 16 bits are added as float32,
        and the sum is rounded once: it is infinite past their greatest number, unless `dtype` is
        wider.

    Raises
    ------
    ShapeError
        If there is no such axis, or it is given twice.
    BorderError
        If x is only valid in part.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.sum(mt.asarray([[1, 2], [3, 4]]), axis=0).tolist()
    [4, 6]
    """
    node, device = _operand("sum", x)
    return Array(Reduction("sum", node, axis, keepdims=keepdims).accumulated(dtype), device)


def prod(
    x: Any,
    /,
    *,
    axis: Axis = None,
    dtype: DType | npt.DTypeLike | None = None,
    keepdims: bool = False,
) -> Array:
    """Return the products along some axes, 1 where there are no elements; types as in `sum`."""
    node, device = _operand("prod", x)
    return Array(Reduction("prod", node, axis, keepdims=keepdims).accumulated(dtype), device)


def count_nonzero(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return how many elements along some axes are not 0, as int64; NaN is not 0."""
    node, device = _operand("count_nonzero", x)
    return Array(Reduction("count_nonzero", node, axis, keepdims=keepdims).nonzero(), device)


def mean(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the means along some axes, NaN where there are no elements.

    Floats keep their type, in which they are added, but for those of 16 bits, which are added and
    divided as float32 and rounded once. Integers and truth values give float64, from their exact
    sum if they have up to 32 bits.
    """
    node, device = _operand("mean", x)
    return Array(Reduction("mean", node, axis, keepdims=keepdims).mean(), device)


def var(
    x: Any, /, *, axis: Axis = None, correction: int | float = 0.0, keepdims: bool = False
) -> Array:
    """Return the variances along some axes.

    Parameters
    ----------
    x : array_like
        The elements; integers and truth values are taken as float64.
    axis : int or tuple of int, optional
        The axes that go; None is every axis.
    correction : float
        What is taken off the number of elements before the sum of squares is divided by it: 0 for
        the variance of a population, 1 for an unbiased estimate from a sample.
    keepdims : bool
        Whether the axes stay, with length 1.

    Notes
    -----
    Squares are taken about the mean of each chunk and put together by the formula of Chan, Golub
    and LeVeque, so that one pass over the elements does and a large mean costs no digits. Along an
    axis that is followed by others that stay, the mean is found first. Numbers of 8 bits have exact
    sums of squares, up to 2**23 of them.
    """
    node, device = _operand("var", x)
    return Array(Reduction("var", node, axis, keepdims=keepdims).variance(correction), device)


def std(
    x: Any, /, *, axis: Axis = None, correction: int | float = 0.0, keepdims: bool = False
) -> Array:
    """Return the standard deviations along some axes: the square roots of `var`."""
    node, device = _operand("std", x)
    return Array(Reduction("std", node, axis, keepdims=keepdims).deviation(correction), device)


def logsumexp(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return log(sum(exp(x))) along some axes, without overflow, -inf where there are no elements.

    Integers are taken as the floats of `exp`.
    """
    node, device = _operand("logsumexp", x)
    return Array(Reduction("logsumexp", node, axis, keepdims=keepdims).logsumexp(), device)


# --- choices --------------------------------------------------------------------------------------


def max(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the greatest elements along some axes: NaN if one is among them, 0.0 above -0.0.

    Raises
    ------
    ShapeError
        If there are no elements, or no such axis.
    """
    node, device = _operand("max", x)
    return Array(Reduction("max", node, axis, keepdims=keepdims).chosen(), device)


def min(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the least elements along some axes: NaN if one is among them, -0.0 below 0.0.

    Raises
    ------
    ShapeError
        If there are no elements, or no such axis.
    """
    node, device = _operand("min", x)
    return Array(Reduction("min", node, axis, keepdims=keepdims).chosen(), device)


def argmax(x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
    """Return the positions of the greatest elements as int64: of the first NaN, if there is one.

    Of equal elements the first counts. Without an axis positions are those in C order.

    Raises
    ------
    ShapeError
        If there are no elements, or no such axis.
    """
    node, device = _operand("argmax", x)
    return Array(Reduction("argmax", node, axis, keepdims=keepdims).chosen(), device)


def argmin(x: Any, /, *, axis: SupportsIndex | None = None, keepdims: bool = False) -> Array:
    """Return the positions of the least elements as int64: see `argmax`."""
    node, device = _operand("argmin", x)
    return Array(Reduction("argmin", node, axis, keepdims=keepdims).chosen(), device)


def any(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether an element along some axes is not 0; no elements give False."""
    node, device = _operand("any", x)
    return Array(Reduction("any", node, axis, keepdims=keepdims).decided("max"), device)


def all(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return whether no element along some axes is 0; no elements give True."""
    node, device = _operand("all", x)
    return Array(Reduction("all", node, axis, keepdims=keepdims).decided("min"), device)
