"""What the host computes with NumPy, from arrays in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.graph.node import Node
from muntin.runtime.parts import combined

__all__ = ["compute"]

Array: TypeAlias = npt.NDArray[Any]


def compute(node: Node, operands: Sequence[Array], out: Array) -> None:
    """Write the array of a node, which the parts of a reduction or factors become, to `out`."""
    if node.op.kind == "combine":
        out[...] = combined(node, operands)
        return
    with np.errstate(all="ignore"):
        np.matmul(operands[0], operands[1], out=out)
