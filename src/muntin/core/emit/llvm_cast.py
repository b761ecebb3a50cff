"""Casts as LLVM IR lines: wrap or clamp between integers, truncate and clamp from floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from muntin.core.emit.llvm_types import literal, suffix, value_type
from muntin.dtypes import DTYPES, DType
from muntin.errors import InternalError

__all__ = ["cast_lines"]

_BOOL, _INT32 = DTYPES["bool"], DTYPES["int32"]


def cast_lines(
    value: str,
    source: DType,
    target: DType,
    *,
    saturate: bool,
    lanes: int = 1,
    name: Callable[[], str],
) -> tuple[list[str], str]:
    """Return the lines that cast `value`, and the name of the result.

    Parameters
    ----------
    value
        The operand, a value of type `source`.
    source, target
        The two types.
    saturate
        Clamp integers to the target's range.
    lanes
        How many values there are, as a vector.
    name
        Gives a new name.
    """
    cast = _Cast(source, target, lanes, name)
    result = value if source is target else cast.result(value, saturate=saturate)
    return cast.lines, result


@dataclass(frozen=True, slots=True)
class _Cast:
    source: DType
    target: DType
    lanes: int
    name: Callable[[], str]
    lines: list[str] = field(default_factory=list)

    def line(self, text: str) -> str:
        result = self.name()
        self.lines.append(f"{result} = {text}")
        return result

    def type(self, dtype: DType) -> str:
        return value_type(dtype, self.lanes)

    def number(self, value: float, dtype: DType) -> str:
        return literal(value, dtype, self.lanes)

    def choose(self, condition: str, dtype: DType, yes: str, no: str) -> str:
        kind = self.type(dtype)
        return self.line(f"select {self.type(_BOOL)} {condition}, {kind} {yes}, {kind} {no}")

    def result(self, value: str, *, saturate: bool) -> str:
        source, target = self.source, self.target
        before, after = self.type(source), self.type(target)
        if source.is_half or target.is_half:
            return self.half(value)
        if target.is_bool:
            compare = "fcmp une" if source.is_float else "icmp ne"
            return self.line(f"{compare} {before} {value}, {self.number(0, source)}")
        if source.is_float and target.is_float:
            word = "fpext" if target.bits > source.bits else "fptrunc"
            return self.line(f"{word} {before} {value} to {after}")
        if target.is_float:
            word = "sitofp" if source.kind == "i" else "uitofp"
            return self.line(f"{word} {before} {value} to {after}")
        if source.is_float:
            return self.float_to_integer(value)
        return self.resize(self.clamp(value) if saturate else value)

    def half(self, value: str) -> str:
        """Convert between float16, by its bits, and float32: expand leaves nothing else."""
        if {self.source.name, self.target.name} != {"float16", "float32"}:
            raise InternalError(
                f"emit.llvm: no conversion of {self.source} to {self.target}; "
                "core.plan.expand should have replaced it by its body"
            )
        half, bits, real = (
            kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"
            for kind in ("half", "i16", "float")
        )
        if self.source.is_half:
            number = self.line(f"bitcast {bits} {value} to {half}")
            return self.line(f"fpext {half} {number} to {real}")
        number = self.line(f"fptrunc {real} {value} to {half}")
        return self.line(f"bitcast {half} {number} to {bits}")

    def resize(self, value: str) -> str:
        source, target = self.source, self.target
        if source.bits == target.bits:
            return value
        word = "sext" if source.kind == "i" else "zext"
        if source.bits > target.bits:
            word = "trunc"
        return self.line(f"{word} {self.type(source)} {value} to {self.type(target)}")

    def clamp(self, value: str) -> str:
        """Clamp an integer to the range of the target."""
        source, target = self.source, self.target
        bounds = (
            ("min", target.greatest, target.greatest < source.greatest),
            ("max", target.least, target.least > source.least),
        )
        kind, sign = self.type(source), "s" if source.kind == "i" else "u"
        for word, bound, is_needed in bounds:
            if is_needed:
                number = self.number(bound, source)
                intrinsic = f"@llvm.{sign}{word}.{suffix(source, self.lanes)}"
                value = self.line(f"call {kind} {intrinsic}({kind} {value}, {kind} {number})")
        return value

    def float_to_integer(self, value: str) -> str:
        """Truncate toward zero and clamp; NaN gives 0."""
        source, target = self.source, self.target
        kind, mantissa = self.type(source), 24 if source.bits == 32 else 53
        power = 2.0 ** target.greatest.bit_length()
        exact = target.greatest.bit_length() <= mantissa
        limit = float(target.greatest) if exact else power - math.ldexp(power, -mantissa)
        # Compare-and-select maps NaN to the lower bound, which is the 0 it must give if unsigned.
        clamped = value
        for test, bound in (("ogt", float(target.least)), ("olt", limit)):
            number = self.number(bound, source)
            inside = self.line(f"fcmp {test} {kind} {clamped}, {number}")
            clamped = self.choose(inside, source, clamped, number)
        if target.bits < 32:
            wide = self.line(f"fptosi {kind} {clamped} to {self.type(_INT32)}")
            result = self.line(f"trunc {self.type(_INT32)} {wide} to {self.type(target)}")
        else:
            word = "fptosi" if target.kind == "i" else "fptoui"
            result = self.line(f"{word} {kind} {clamped} to {self.type(target)}")
        if not exact:
            past = self.line(f"fcmp oge {kind} {value}, {self.number(power, source)}")
            greatest = self.number(target.greatest, target)
            result = self.choose(past, target, greatest, result)
        if target.kind == "i":
            ordered = self.line(f"fcmp ord {kind} {value}, {value}")
            result = self.choose(ordered, target, result, self.number(0, target))
        return result
