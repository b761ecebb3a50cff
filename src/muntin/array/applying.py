"""Arrays from operands of any kind: what every function of elements begins with."""

from __future__ import annotations

from typing import Any

from muntin.array.array import Array
from muntin.array.operators import combine, common_device, node_of

__all__ = ["applied", "as_array"]


def applied(name: str, *operands: Any) -> Array:
    """Return the elementwise row `name` of the operands."""
    return Array(*combine(name, *operands))


def as_array(operation: str, x: Any) -> Array:
    """Return an operand of an operation as an Array."""
    return Array(node_of(operation, x), common_device(operation, (x,)))
