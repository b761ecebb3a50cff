"""Functions of floats as bodies of exact rows: the same bits on every target."""

from muntin.core.graph.mathematics.rows import FUNCTIONS, Function

__all__ = ["FUNCTIONS", "Function"]
