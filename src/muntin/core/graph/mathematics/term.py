"""A node with Python's operators: formulas of bodies read as formulas.

Every operator is one exact row; nothing is re-associated, and a product
and a sum are rounded once where `times` says so. Numbers take the type of
the term beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from muntin.dtypes import DType

__all__ = ["Number", "Term"]

Number: TypeAlias = int | float


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A node and the builder that makes more of it."""

    builder: Any
    node: Any

    @property
    def dtype(self) -> DType:
        dtype: DType = self.node.dtype
        return dtype

    @property
    def bits(self) -> int:
        """The width of the type."""
        return self.dtype.bits

    def like(self, value: Number) -> Term:
        """Return a number of this term's type."""
        return Term(self.builder, self.builder.like(value, self.node))

    def row(self, name: str, *others: Term | Number) -> Term:
        """Return the row called `name` of this term and others."""
        nodes = [
            other.node if isinstance(other, Term) else self.like(other).node for other in others
        ]
        return Term(self.builder, getattr(self.builder, name)(self.node, *nodes))

    def _reflected(self, name: str, other: Number) -> Term:
        return self.like(other).row(name, self)

    # --- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: Term | Number) -> Term:
        return self.row("add", other)

    def __radd__(self, other: Number) -> Term:
        return self._reflected("add", other)

    def __sub__(self, other: Term | Number) -> Term:
        return self.row("subtract", other)

    def __rsub__(self, other: Number) -> Term:
        return self._reflected("subtract", other)

    def __mul__(self, other: Term | Number) -> Term:
        return self.row("multiply", other)

    def __rmul__(self, other: Number) -> Term:
        return self._reflected("multiply", other)

    def __truediv__(self, other: Term | Number) -> Term:
        return self.row("divide", other)

    def __rtruediv__(self, other: Number) -> Term:
        return self._reflected("divide", other)

    def __neg__(self) -> Term:
        return self.row("negative")

    def __abs__(self) -> Term:
        return self.row("abs")

    def sqrt(self) -> Term:
        return self.row("sqrt")

    def times(self, factor: Term | Number, more: Term | Number) -> Term:
        """Return the product with a factor and more, rounded once."""
        return self.row("fma", factor, more)

    def with_sign_of(self, other: Term | Number) -> Term:
        """Return the magnitude of this term with the sign of another."""
        return self.row("copysign", other)

    # --- comparison and choice --------------------------------------------------------------------

    def __lt__(self, other: Term | Number) -> Term:
        return self.row("less", other)

    def __le__(self, other: Term | Number) -> Term:
        return self.row("less_equal", other)

    def __gt__(self, other: Term | Number) -> Term:
        return self.row("greater", other)

    def __ge__(self, other: Term | Number) -> Term:
        return self.row("greater_equal", other)

    def equals(self, other: Term | Number) -> Term:
        return self.row("equal", other)

    def differs(self, other: Term | Number) -> Term:
        return self.row("not_equal", other)

    def is_nan(self) -> Term:
        return self.row("isnan")

    def both(self, other: Term) -> Term:
        return self.row("logical_and", other)

    def either(self, other: Term) -> Term:
        return self.row("logical_or", other)

    def negated(self) -> Term:
        return self.row("logical_not")

    def choose(self, yes: Term | Number, no: Term | Number) -> Term:
        """Return `yes` where this truth value holds, else `no`; one of them is a term."""
        return self._chosen("where", yes, no)

    def rarely(self, yes: Term | Number, no: Term | Number) -> Term:
        """Choose, for conditions that hardly ever hold: `yes` is not computed where none does."""
        return self._chosen("rarely", yes, no)

    def _chosen(self, name: str, yes: Term | Number, no: Term | Number) -> Term:
        typed = yes if isinstance(yes, Term) else no
        assert isinstance(typed, Term)
        yes = yes if isinstance(yes, Term) else typed.like(yes)
        return self.row(name, yes, no if isinstance(no, Term) else typed.like(no))

    def below(self, limit: Number) -> Term:
        """Return the term, or `limit` where it is more; NaN stays."""
        return (self > limit).choose(limit, self)

    def above(self, limit: Number) -> Term:
        """Return the term, or `limit` where it is less; NaN stays."""
        return (self < limit).choose(limit, self)

    # --- bits -------------------------------------------------------------------------------------

    def __and__(self, other: Term | Number) -> Term:
        return self.row("bitwise_and", other)

    def __or__(self, other: Term | Number) -> Term:
        return self.row("bitwise_or", other)

    def __xor__(self, other: Term | Number) -> Term:
        return self.row("bitwise_xor", other)

    def __lshift__(self, count: Term | int) -> Term:
        return self.row("raw_left_shift", count)

    def __rshift__(self, count: Term | int) -> Term:
        return self.row("raw_right_shift", count)

    def as_bits(self) -> Term:
        """Return the signed integer that has this float's bits."""
        return self.row("float_bits")

    def as_float(self) -> Term:
        """Return the float that has this signed integer's bits."""
        return self.row("from_bits")

    def cast(self, dtype: str | DType) -> Term:
        """Return the term as another type."""
        return Term(self.builder, self.builder.cast(self.node, dtype))
