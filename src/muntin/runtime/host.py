"""What the host computes from arrays in memory: with NumPy, or a few lines of machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.graph.folds import Fold
from muntin.core.graph.node import Node
from muntin.core.lower.joining import join_name
from muntin.dtypes import dtype_of
from muntin.runtime.address import address_of
from muntin.runtime.compiled import shared_code
from muntin.runtime.parts import combined, in_pairs

__all__ = ["compute"]

Array: TypeAlias = npt.NDArray[Any]


def compute(node: Node, operands: Sequence[Array], out: Array) -> None:
    """Write the array of a node, which the parts of a reduction or factors become, to `out`."""
    if node.op.kind == "combine":
        out[...] = combined(node, operands, _joined)
        return
    with np.errstate(all="ignore"):
        np.matmul(operands[0], operands[1], out=out)


def _joined(fold: Fold, run: Array) -> Array:
    """Join neighbours as often as it takes: one call, where NumPy takes one for each halving."""
    dtype = dtype_of(run.dtype)
    if not fold.is_ordered(dtype) or not run.size:
        return in_pairs(fold, run)
    count = 1 << (len(run) - 1).bit_length()
    parts = np.empty((count, *run.shape[1:]), run.dtype)
    parts[: len(run)] = run
    parts[len(run) :] = fold.identity(dtype)
    _join(fold.name, dtype.name)(address_of(parts), count, parts[0].size)
    first: Array = parts[0]
    return first


@cache
def _join(fold: str, dtype: str) -> Callable[[int, int, int], None]:
    word = ctypes.c_int64
    return ctypes.CFUNCTYPE(None, word, word, word)(shared_code(join_name(fold, dtype)))
