"""A row of the vocabulary: one operation.

An elementwise row either spells itself for every target or has a body in simpler rows. In a
spelling, {0} {1} {2} are operands and {t} the operand type; for LLVM {d} is the result, {r} its
type, {d}.a … temporaries, {s} the operand type's suffix, {c} the type of truth values, and {zero},
{one} and {ones} (all bits set) numbers, so that it serves vectors too; for OpenCL C {T} is the
result type and {U} an unsigned type of at least 32 bits in which integer arithmetic cannot overflow
undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from muntin.core.graph.bodies import Body
from muntin.core.graph.intervals import IntervalRule
from muntin.dtypes import DType

__all__ = ["Op", "Spelling", "call", "each"]

Spelling: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation.

    Attributes
    ----------
    kind
        "input", "scalar", "constant", "index", "elementwise", "view", "reshape", "concat", "part",
        "gather", "gathered", "neighbour", "window_sum", "fold", "combine", "scan", "program" or
        "keep".
    rule
        How an elementwise row finds its operand and result types (see `infer`).
    reference
        The meaning in NumPy, of operands that already have the operand type.
    llvm, opencl
        A spelling per kind of operand ("b", "u", "i", "f").
    body
        The operation in simpler rows, for the kinds that have no spelling.
    interval
        The values that an integer result can take, from those of the operands.
    ring
        Low bits of the result depend on low bits of the operands alone.
    zero
        How the diagonals of the result follow: "union", "intersection", "argument" or "entire".
    halves
        What becomes of floats of 16 bits: they are computed as float32 and the result "rounded" to
        their type; or it is "exact" in it; or they are "kept" as they are.
    cost
        Work relative to one addition.
    """

    name: str
    kind: str
    arity: int = 0
    rule: str = ""
    reference: Callable[..., Any] | None = None
    llvm: Spelling = field(default_factory=dict)
    opencl: Spelling = field(default_factory=dict)
    body: Body | None = None
    interval: IntervalRule | None = None
    ring: bool = False
    zero: str = "entire"
    halves: str = "rounded"
    cost: float = 1.0

    @property
    def is_elementwise(self) -> bool:
        return self.kind == "elementwise"

    def is_widened(self, dtypes: Sequence[DType]) -> bool:
        """Return whether some operands are floats of 16 bits that are computed as float32."""
        return self.halves != "kept" and any(dtype.is_half for dtype in dtypes)

    def is_spelled(self, kind: str, target: str) -> bool:
        """Return whether a target, llvm or opencl, spells it for a kind of operands."""
        return kind in (self.llvm if target == "llvm" else self.opencl)

    def __repr__(self) -> str:
        return f"Op({self.name})"


def each(kinds: str, text: str) -> dict[str, str]:
    """Return one spelling for several kinds of operand."""
    return dict.fromkeys(kinds, text)


def call(intrinsic: str, arity: int, extra: str = "") -> str:
    """Return the spelling of an intrinsic function of LLVM."""
    operands = ", ".join(f"{{t}} {{{k}}}" for k in range(arity))
    return f"{{d}} = call {{t}} @llvm.{intrinsic}.{{s}}({operands}{extra})"
