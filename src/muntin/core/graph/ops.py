"""The vocabulary: a row an operation, with its meaning, its types, its range and its spellings.

An elementwise row either spells itself for every target or has a body in simpler rows. In a
spelling, {0} {1} {2} are operands and {t} the operand type; for LLVM {d} is the result, {r} its
type, {d}.a … temporaries, {s} the operand type's suffix, {c} the type of truth values, and {zero},
{one} and {ones} (all bits set) numbers, so that it serves vectors too; for OpenCL C {T} is the
result type and {U} an unsigned type of at least 32 bits in which integer arithmetic cannot overflow
undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from muntin.core.graph import bodies, intervals
from muntin.core.graph.arrays import body_meaning
from muntin.core.graph.intervals import IntervalRule
from muntin.core.graph.mathematics import FUNCTIONS

__all__ = ["OPS", "Op", "Spelling", "op"]

Spelling: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation.

    Attributes
    ----------
    kind
        "input", "scalar", "constant", "index", "elementwise", "view", "neighbour", "window_sum" or
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
    body: bodies.Body | None = None
    interval: IntervalRule | None = None
    ring: bool = False
    zero: str = "entire"
    cost: float = 1.0

    @property
    def is_elementwise(self) -> bool:
        return self.kind == "elementwise"

    def __repr__(self) -> str:
        return f"Op({self.name})"


OPS: dict[str, Op] = {}


def op(name: str) -> Op:
    """Return the row called `name`."""
    return OPS[name]


def _add(row: Op) -> None:
    OPS[row.name] = row


def _each(kinds: str, text: str) -> dict[str, str]:
    return dict.fromkeys(kinds, text)


def _call(intrinsic: str, arity: int, extra: str = "") -> str:
    operands = ", ".join(f"{{t}} {{{k}}}" for k in range(arity))
    return f"{{d}} = call {{t}} @llvm.{intrinsic}.{{s}}({operands}{extra})"


for _leaf in ("input", "scalar", "constant", "index", "view", "neighbour", "window_sum"):
    _add(Op(_leaf, _leaf, zero="argument"))
_add(Op("keep", "keep", 1, "same", lambda x: x, zero="argument"))


# --- arithmetic that wraps ------------------------------------------------------------------------

_add(
    Op(
        "add",
        "elementwise",
        2,
        "promote",
        np.add,
        {
            **_each("ui", "{d} = add {t} {0}, {1}"),
            "f": "{d} = fadd {t} {0}, {1}",
            "b": "{d} = or {t} {0}, {1}",
        },
        {**_each("ui", "({T})(({U}){0} + ({U}){1})"), "f": "({0} + {1})", "b": "({0} | {1})"},
        interval=intervals.add,
        ring=True,
        zero="union",
    )
)
_add(
    Op(
        "subtract",
        "elementwise",
        2,
        "promote_number",
        np.subtract,
        {**_each("ui", "{d} = sub {t} {0}, {1}"), "f": "{d} = fsub {t} {0}, {1}"},
        {**_each("ui", "({T})(({U}){0} - ({U}){1})"), "f": "({0} - {1})"},
        interval=intervals.subtract,
        ring=True,
        zero="union",
    )
)
_add(
    Op(
        "multiply",
        "elementwise",
        2,
        "promote",
        np.multiply,
        {
            **_each("ui", "{d} = mul {t} {0}, {1}"),
            "f": "{d} = fmul {t} {0}, {1}",
            "b": "{d} = and {t} {0}, {1}",
        },
        {**_each("ui", "({T})(({U}){0} * ({U}){1})"), "f": "({0} * {1})", "b": "({0} & {1})"},
        interval=intervals.multiply,
        ring=True,
        zero="intersection",
    )
)
_add(
    Op(
        "negative",
        "elementwise",
        1,
        "same_number",
        np.negative,
        {**_each("ui", "{d} = sub {t} {zero}, {0}"), "f": "{d} = fneg {t} {0}"},
        {**_each("ui", "({T})(0 - ({U}){0})"), "f": "(-{0})"},
        interval=intervals.negative,
        ring=True,
        zero="argument",
    )
)
_add(
    Op(
        "abs",
        "elementwise",
        1,
        "same",
        np.abs,
        {
            "u": "{d} = or {t} {0}, {zero}",
            "i": _call("abs", 1, ", i1 false"),
            "f": _call("fabs", 1),
            "b": "{d} = or {t} {0}, {zero}",
        },
        {
            **_each("ub", "{0}"),
            "i": "({T})({0} < 0 ? 0 - ({U}){0} : ({U}){0})",
            "f": "fabs({0})",
        },
        interval=intervals.absolute,
        zero="argument",
    )
)

# --- saturating arithmetic ------------------------------------------------------------------------

_add(
    Op(
        "add_saturate",
        "elementwise",
        2,
        "promote_integer",
        bodies.saturated_sum,
        {"u": _call("uadd.sat", 2), "i": _call("sadd.sat", 2)},
        _each("ui", "add_sat({0}, {1})"),
        interval=intervals.add_saturate,
        zero="union",
    )
)
_add(
    Op(
        "subtract_saturate",
        "elementwise",
        2,
        "promote_integer",
        bodies.saturated_difference,
        {"u": _call("usub.sat", 2), "i": _call("ssub.sat", 2)},
        _each("ui", "sub_sat({0}, {1})"),
        interval=intervals.subtract_saturate,
        zero="union",
    )
)

# --- minimum, maximum: NaN wins, -0 is less than +0 -----------------------------------------------


def _extremum(function: Callable[..., Any], negative_wins: bool) -> Callable[..., Any]:
    def reference(a: Any, b: Any) -> Any:
        result = function(a, b)
        if np.asarray(a).dtype.kind != "f":
            return result
        zeros = (a == 0) & (b == 0)
        sign = np.signbit(a) | np.signbit(b) if negative_wins else np.signbit(a) & np.signbit(b)
        zero = np.where(sign, -0.0, 0.0).astype(np.asarray(result).dtype)
        return np.where(zeros, zero, result)

    return reference


_add(
    Op(
        "minimum",
        "elementwise",
        2,
        "promote",
        _extremum(np.minimum, True),
        {
            "u": _call("umin", 2),
            "i": _call("smin", 2),
            "f": _call("minimum", 2),
            "b": "{d} = and {t} {0}, {1}",
        },
        {
            **_each("ui", "min({0}, {1})"),
            "b": "({0} & {1})",
            "f": "({0} != {0} ? {0} : {1} != {1} ? {1} : {0} < {1} ? {0} : {1} < {0} ? {1}"
            " : signbit({0}) ? {0} : {1})",
        },
        interval=intervals.minimum,
    )
)
_add(
    Op(
        "maximum",
        "elementwise",
        2,
        "promote",
        _extremum(np.maximum, False),
        {
            "u": _call("umax", 2),
            "i": _call("smax", 2),
            "f": _call("maximum", 2),
            "b": "{d} = or {t} {0}, {1}",
        },
        {
            **_each("ui", "max({0}, {1})"),
            "b": "({0} | {1})",
            "f": "({0} != {0} ? {0} : {1} != {1} ? {1} : {0} > {1} ? {0} : {1} > {0} ? {1}"
            " : signbit({0}) ? {1} : {0})",
        },
        interval=intervals.maximum,
    )
)

# --- division -------------------------------------------------------------------------------------

_add(
    Op(
        "divide",
        "elementwise",
        2,
        "floating",
        np.true_divide,
        {"f": "{d} = fdiv {t} {0}, {1}"},
        {"f": "({0} / {1})"},
        cost=4,
    )
)
_add(
    Op(
        "raw_divide",
        "elementwise",
        2,
        "promote_integer",
        bodies.truncated_quotient,
        {"u": "{d} = udiv {t} {0}, {1}", "i": "{d} = sdiv {t} {0}, {1}"},
        _each("ui", "({T})({0} / {1})"),
        interval=intervals.truncated_divide,
        cost=8,
    )
)
_add(
    Op(
        "fmod",
        "elementwise",
        2,
        "promote_floating",
        np.fmod,
        {"f": "{d} = frem {t} {0}, {1}"},
        {"f": "fmod({0}, {1})"},
        cost=40,
    )
)
_add(
    Op(
        "truncated_divide",
        "elementwise",
        2,
        "promote_integer",
        bodies.truncated_quotient,
        body=bodies.truncated_divide,
        interval=intervals.truncated_divide,
        cost=8,
    )
)
_add(
    Op(
        "floor_divide",
        "elementwise",
        2,
        "promote_number",
        bodies.floor_quotient,
        body=bodies.floor_divide,
        interval=intervals.floor_divide,
        cost=10,
    )
)
_add(
    Op(
        "remainder",
        "elementwise",
        2,
        "promote_number",
        bodies.floor_remainder,
        body=bodies.remainder,
        interval=intervals.remainder,
        cost=10,
    )
)

# --- bits -----------------------------------------------------------------------------------------


def _bitwise(
    name: str, word: str, mark: str, function: Any, interval: IntervalRule, zero: str
) -> None:
    _add(
        Op(
            name,
            "elementwise",
            2,
            "promote_bits",
            function,
            _each("uib", f"{{d}} = {word} {{t}} {{0}}, {{1}}"),
            _each("uib", f"({{T}})({{0}} {mark} {{1}})"),
            interval=interval,
            ring=True,
            zero=zero,
        )
    )


_bitwise("bitwise_and", "and", "&", np.bitwise_and, intervals.bitwise_and, "intersection")
_bitwise("bitwise_or", "or", "|", np.bitwise_or, intervals.bitwise_or, "union")
_bitwise("bitwise_xor", "xor", "^", np.bitwise_xor, intervals.bitwise_or, "union")
_add(
    Op(
        "bitwise_invert",
        "elementwise",
        1,
        "same_bits",
        np.bitwise_invert,
        _each("uib", "{d} = xor {t} {0}, {ones}"),
        {**_each("ui", "({T})(~{0})"), "b": "({T})(!{0})"},
        interval=intervals.bitwise_invert,
        ring=True,
    )
)
_add(
    Op(
        "raw_left_shift",
        "elementwise",
        2,
        "promote_integer",
        np.left_shift,
        _each("ui", "{d} = shl {t} {0}, {1}"),
        _each("ui", "({T})(({U}){0} << {1})"),
        interval=intervals.left_shift,
        zero="argument",
    )
)
_add(
    Op(
        "raw_right_shift",
        "elementwise",
        2,
        "promote_integer",
        np.right_shift,
        {"u": "{d} = lshr {t} {0}, {1}", "i": "{d} = ashr {t} {0}, {1}"},
        _each("ui", "({T})({0} >> {1})"),
        interval=intervals.right_shift,
        zero="argument",
    )
)
_add(
    Op(
        "bitwise_left_shift",
        "elementwise",
        2,
        "promote_integer",
        bodies.shifted_left,
        body=bodies.left_shift,
        interval=intervals.left_shift,
        cost=3,
        zero="argument",
    )
)
_add(
    Op(
        "bitwise_right_shift",
        "elementwise",
        2,
        "promote_integer",
        bodies.shifted_right,
        body=bodies.right_shift,
        interval=intervals.right_shift,
        cost=3,
        zero="argument",
    )
)

# --- comparison, logic, choice --------------------------------------------------------------------


def _comparison(name: str, word: str, ordered: str, mark: str, function: Any, zero: str) -> None:
    integer = "icmp {}{} {{t}} {{0}}, {{1}}"
    sign = {"u": "u", "i": "s", "b": "u"}
    plain = word in ("eq", "ne")
    llvm = {k: "{d} = " + integer.format("" if plain else sign[k], word) for k in "uib"}
    llvm["f"] = f"{{d}} = fcmp {ordered} {{t}} {{0}}, {{1}}"
    spelling = _each("uibf", f"({{0}} {mark} {{1}})")
    _add(
        Op(
            name,
            "elementwise",
            2,
            "compare",
            function,
            llvm,
            spelling,
            interval=intervals.truth,
            zero=zero,
        )
    )


_comparison("equal", "eq", "oeq", "==", np.equal, "entire")
_comparison("not_equal", "ne", "une", "!=", np.not_equal, "union")
_comparison("less", "lt", "olt", "<", np.less, "union")
_comparison("less_equal", "le", "ole", "<=", np.less_equal, "entire")
_comparison("greater", "gt", "ogt", ">", np.greater, "union")
_comparison("greater_equal", "ge", "oge", ">=", np.greater_equal, "entire")


def _logic(name: str, word: str, mark: str, function: Any, zero: str) -> None:
    _add(
        Op(
            name,
            "elementwise",
            2,
            "logical",
            function,
            {"b": f"{{d}} = {word} {{t}} {{0}}, {{1}}"},
            {"b": f"({{0}} {mark} {{1}})"},
            interval=intervals.truth,
            zero=zero,
        )
    )


_logic("logical_and", "and", "&", np.logical_and, "intersection")
_logic("logical_or", "or", "|", np.logical_or, "union")
_logic("logical_xor", "xor", "^", np.logical_xor, "union")
_add(
    Op(
        "logical_not",
        "elementwise",
        1,
        "logical",
        np.logical_not,
        {"b": "{d} = xor {t} {0}, {ones}"},
        {"b": "(!{0})"},
        interval=intervals.truth,
    )
)
_add(
    Op(
        "where",
        "elementwise",
        3,
        "select",
        np.where,
        _each("uifb", "{d} = select {c} {0}, {t} {1}, {t} {2}"),
        _each("uifb", "({0} ? {1} : {2})"),
        interval=intervals.where,
        ring=True,
    )
)
_add(
    Op(
        "cast",
        "elementwise",
        1,
        "cast",
        None,  # the emitters and the reference have one function each for it
        interval=None,
        zero="argument",
        cost=0.25,
    )
)

# --- exact functions of floats --------------------------------------------------------------------


def _exact(name: str, rule: str, function: Any, intrinsic: str, word: str, cost: float) -> None:
    _add(
        Op(
            name,
            "elementwise",
            1,
            rule,
            function,
            {"f": _call(intrinsic, 1), **_each("uib", "{d} = or {t} {0}, {zero}")},
            {"f": f"{word}({{0}})", **_each("uib", "{0}")},
            interval=intervals.same,
            zero="argument",
            cost=cost,
        )
    )


_exact("sqrt", "floating", np.sqrt, "sqrt", "sqrt", 6.0)
_exact("floor", "round", bodies.rounding(np.floor), "floor", "floor", 1.0)
_exact("ceil", "round", bodies.rounding(np.ceil), "ceil", "ceil", 1.0)
_exact("trunc", "round", bodies.rounding(np.trunc), "trunc", "trunc", 1.0)
_exact("round", "round", bodies.rounding(np.rint), "roundeven", "rint", 1.0)
_add(
    Op(
        "isnan",
        "elementwise",
        1,
        "test",
        np.isnan,
        {"f": "{d} = fcmp uno {t} {0}, {0}", **_each("uib", "{d} = icmp ne {t} {0}, {0}")},
        _each("uibf", "({0} != {0})"),
        interval=intervals.truth,
        zero="argument",
    )
)
_add(
    Op(
        "isinf",
        "elementwise",
        1,
        "test",
        np.isinf,
        body=bodies.isinf,
        interval=intervals.truth,
        zero="argument",
    )
)
_add(
    Op(
        "isfinite",
        "elementwise",
        1,
        "test",
        np.isfinite,
        body=bodies.isfinite,
        interval=intervals.truth,
    )
)
_add(
    Op(
        "signbit",
        "elementwise",
        1,
        "test",
        bodies.signed,
        {
            "f": "{d}.a = call {t} @llvm.copysign.{s}({t} {one}, {t} {0})\n"
            "{d} = fcmp olt {t} {d}.a, {zero}",
            "i": "{d} = icmp slt {t} {0}, {zero}",
            "u": "{d} = icmp ult {t} {0}, {zero}",
            "b": "{d} = icmp ult {t} {0}, {zero}",
        },
        {"f": "(signbit({0}) != 0)", "i": "({0} < 0)", **_each("ub", "0")},
        interval=intervals.truth,
    )
)
_add(
    Op(
        "copysign",
        "elementwise",
        2,
        "promote_floating",
        np.copysign,
        {"f": _call("copysign", 2)},
        {"f": "copysign({0}, {1})"},
    )
)
for _name, _rule, _kind in (("float_bits", "to_bits", "f"), ("from_bits", "from_bits", "i")):
    _add(
        Op(
            _name,
            "elementwise",
            1,
            _rule,
            bodies.with_same_bits,
            {_kind: "{d} = bitcast {t} {0} to {r}"},
            {_kind: "as_{T}({0})"},
            zero="argument",
        )
    )
_add(
    Op(
        "sign",
        "elementwise",
        1,
        "same_number",
        np.sign,
        body=bodies.sign,
        interval=intervals.sign,
        zero="argument",
    )
)
_add(
    Op(
        "square",
        "elementwise",
        1,
        "same",
        lambda x: np.multiply(x, x),
        body=lambda b, x: b.multiply(x, x),
        interval=intervals.square,
        zero="argument",
    )
)
_add(
    Op(
        "reciprocal",
        "elementwise",
        1,
        "floating",
        np.reciprocal,
        body=lambda b, x: b.divide(b.like(1, x), x),
        cost=4,
    )
)
_add(
    Op(
        "rounded_sqrt",
        "elementwise",
        1,
        "same_integer",
        bodies.rounded_square_root,
        body=bodies.rounded_sqrt,
        interval=intervals.rounded_sqrt,
        zero="argument",
        cost=14,
    )
)

for _function in FUNCTIONS:
    _add(
        Op(
            _function.name,
            "elementwise",
            _function.arity,
            "floating",
            body_meaning(_function.body, OPS),
            body=_function.body,
            zero=_function.zero,
            cost=_function.cost,
        )
    )
