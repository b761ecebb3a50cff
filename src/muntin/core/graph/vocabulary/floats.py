"""Functions of floats that are exact, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from muntin.core.graph import bodies, intervals
from muntin.core.graph.fused import fused_multiply_add
from muntin.core.graph.vocabulary.row import Op, call, each

__all__ = ["ROWS"]


def _bits(name: str, rule: str, kind: str, function: Any) -> Op:
    return Op(
        name,
        "elementwise",
        1,
        rule,
        function,
        {kind: "{d} = bitcast {t} {0} to {r}"},
        {kind: "as_{T}({0})"},
        zero="argument",
        halves="kept",
    )


def _exact(name: str, rule: str, function: Any, intrinsic: str, word: str, cost: float) -> Op:
    return Op(
        name,
        "elementwise",
        1,
        rule,
        function,
        {"f": call(intrinsic, 1), **each("uib", "{d} = or {t} {0}, {zero}")},
        {"f": f"{word}({{0}})", **each("uib", "{0}")},
        interval=intervals.same,
        zero="argument",
        halves="rounded" if name == "sqrt" else "exact",
        cost=cost,
    )


ROWS = (
    _exact("sqrt", "floating", np.sqrt, "sqrt", "sqrt", 6.0),
    _exact("floor", "round", bodies.rounding(np.floor), "floor", "floor", 1.0),
    _exact("ceil", "round", bodies.rounding(np.ceil), "ceil", "ceil", 1.0),
    _exact("trunc", "round", bodies.rounding(np.trunc), "trunc", "trunc", 1.0),
    _exact("round", "round", bodies.rounding(np.rint), "roundeven", "rint", 1.0),
    Op(
        "isnan",
        "elementwise",
        1,
        "test",
        np.isnan,
        {"f": "{d} = fcmp uno {t} {0}, {0}", **each("uib", "{d} = icmp ne {t} {0}, {0}")},
        each("uibf", "({0} != {0})"),
        interval=intervals.truth,
        zero="argument",
    ),
    Op(
        "isinf",
        "elementwise",
        1,
        "test",
        np.isinf,
        body=bodies.isinf,
        interval=intervals.truth,
        zero="argument",
    ),
    Op(
        "isfinite",
        "elementwise",
        1,
        "test",
        np.isfinite,
        body=bodies.isfinite,
        interval=intervals.truth,
    ),
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
        {"f": "(signbit({0}) != 0)", "i": "({0} < 0)", **each("ub", "0")},
        interval=intervals.truth,
    ),
    Op(
        "copysign",
        "elementwise",
        2,
        "promote_floating",
        np.copysign,
        {"f": call("copysign", 2)},
        {"f": "copysign({0}, {1})"},
        halves="exact",
    ),
    Op(
        "nextafter",
        "elementwise",
        2,
        "promote_floating",
        bodies.next_after,
        body=bodies.nextafter,
        halves="kept",
        cost=10,
    ),
    Op(
        "fma",
        "elementwise",
        3,
        "promote_floating",
        fused_multiply_add,
        {"f": call("fma", 3)},
        {"f": "fma({0}, {1}, {2})"},
    ),
    _bits("float_bits", "to_bits", "f", bodies.with_same_bits),
    _bits("from_bits", "from_bits", "i", bodies.with_same_bits),
    *[
        _bits(f"{half}_from_bits", f"from_bits_of_{half}", "i", bodies.with_bits_of(half))
        for half in ("float16", "bfloat16")
    ],
    Op(
        "raw_whole",
        "elementwise",
        1,
        "to_whole",
        bodies.whole_numbers,
        {"f": "{d} = fptosi {t} {0} to {r}"},
        {"f": "convert_{T}({0})"},
        zero="argument",
    ),
    Op(
        "sign",
        "elementwise",
        1,
        "same_number",
        np.sign,
        body=bodies.sign,
        interval=intervals.sign,
        zero="argument",
        halves="exact",
    ),
    Op(
        "square",
        "elementwise",
        1,
        "same",
        lambda x: np.multiply(x, x),
        body=lambda b, x: b.multiply(x, x),
        interval=intervals.square,
        zero="argument",
    ),
    Op(
        "reciprocal",
        "elementwise",
        1,
        "floating",
        np.reciprocal,
        body=lambda b, x: b.divide(b.like(1, x), x),
        cost=4,
    ),
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
    ),
)
