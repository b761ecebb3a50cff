"""Sums, products, their saturating kin, minima and maxima."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from muntin.core.graph import bodies, intervals
from muntin.core.graph.vocabulary.row import Op, call, each

__all__ = ["ROWS"]


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


ROWS = (
    # arithmetic that wraps
    Op(
        "add",
        "elementwise",
        2,
        "promote",
        np.add,
        {
            **each("ui", "{d} = add {t} {0}, {1}"),
            "f": "{d} = fadd {t} {0}, {1}",
            "b": "{d} = or {t} {0}, {1}",
        },
        {**each("ui", "({T})(({U}){0} + ({U}){1})"), "f": "({0} + {1})", "b": "({0} | {1})"},
        interval=intervals.add,
        ring=True,
        zero="union",
    ),
    Op(
        "subtract",
        "elementwise",
        2,
        "promote_number",
        np.subtract,
        {**each("ui", "{d} = sub {t} {0}, {1}"), "f": "{d} = fsub {t} {0}, {1}"},
        {**each("ui", "({T})(({U}){0} - ({U}){1})"), "f": "({0} - {1})"},
        interval=intervals.subtract,
        ring=True,
        zero="union",
    ),
    Op(
        "multiply",
        "elementwise",
        2,
        "promote",
        np.multiply,
        {
            **each("ui", "{d} = mul {t} {0}, {1}"),
            "f": "{d} = fmul {t} {0}, {1}",
            "b": "{d} = and {t} {0}, {1}",
        },
        {**each("ui", "({T})(({U}){0} * ({U}){1})"), "f": "({0} * {1})", "b": "({0} & {1})"},
        interval=intervals.multiply,
        ring=True,
        zero="intersection",
    ),
    Op(
        "negative",
        "elementwise",
        1,
        "same_number",
        np.negative,
        {**each("ui", "{d} = sub {t} {zero}, {0}"), "f": "{d} = fneg {t} {0}"},
        {**each("ui", "({T})(0 - ({U}){0})"), "f": "(-{0})"},
        interval=intervals.negative,
        halves="exact",
        ring=True,
        zero="argument",
    ),
    Op(
        "abs",
        "elementwise",
        1,
        "same",
        np.abs,
        {
            "u": "{d} = or {t} {0}, {zero}",
            "i": call("abs", 1, ", i1 false"),
            "f": call("fabs", 1),
            "b": "{d} = or {t} {0}, {zero}",
        },
        {
            **each("ub", "{0}"),
            "i": "({T})({0} < 0 ? 0 - ({U}){0} : ({U}){0})",
            "f": "fabs({0})",
        },
        interval=intervals.absolute,
        halves="exact",
        zero="argument",
    ),
    # saturating arithmetic
    Op(
        "add_saturate",
        "elementwise",
        2,
        "promote_integer",
        bodies.saturated_sum,
        {"u": call("uadd.sat", 2), "i": call("sadd.sat", 2)},
        each("ui", "add_sat({0}, {1})"),
        interval=intervals.add_saturate,
        zero="union",
    ),
    Op(
        "subtract_saturate",
        "elementwise",
        2,
        "promote_integer",
        bodies.saturated_difference,
        {"u": call("usub.sat", 2), "i": call("ssub.sat", 2)},
        each("ui", "sub_sat({0}, {1})"),
        interval=intervals.subtract_saturate,
        zero="union",
    ),
    # minimum, maximum: NaN wins, -0 is less than +0
    Op(
        "minimum",
        "elementwise",
        2,
        "promote",
        _extremum(np.minimum, True),
        {
            "u": call("umin", 2),
            "i": call("smin", 2),
            "f": call("minimum", 2),
            "b": "{d} = and {t} {0}, {1}",
        },
        {
            **each("ui", "min({0}, {1})"),
            "b": "({0} & {1})",
            "f": "({0} != {0} ? {0} : {1} != {1} ? {1} : {0} < {1} ? {0} : {1} < {0} ? {1}"
            " : signbit({0}) ? {0} : {1})",
        },
        interval=intervals.minimum,
        halves="exact",
    ),
    Op(
        "maximum",
        "elementwise",
        2,
        "promote",
        _extremum(np.maximum, False),
        {
            "u": call("umax", 2),
            "i": call("smax", 2),
            "f": call("maximum", 2),
            "b": "{d} = or {t} {0}, {1}",
        },
        {
            **each("ui", "max({0}, {1})"),
            "b": "({0} | {1})",
            "f": "({0} != {0} ? {0} : {1} != {1} ? {1} : {0} > {1} ? {0} : {1} > {0} ? {1}"
            " : signbit({0}) ? {1} : {0})",
        },
        interval=intervals.maximum,
        halves="exact",
    ),
)
