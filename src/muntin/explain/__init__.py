"""What becomes of an expression, as text and as a page: kernels, stages, sources."""

from muntin.explain.explanation import Explanation, explain

__all__ = ["Explanation", "explain"]
