"""Comparisons, truth values, choices and casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from muntin.core.graph import intervals
from muntin.core.graph.vocabulary.row import Op, each

__all__ = ["ROWS"]


def _comparison(name: str, word: str, ordered: str, mark: str, function: Any, zero: str) -> Op:
    integer = "icmp {}{} {{t}} {{0}}, {{1}}"
    sign = {"u": "u", "i": "s", "b": "u"}
    plain = word in ("eq", "ne")
    llvm = {k: "{d} = " + integer.format("" if plain else sign[k], word) for k in "uib"}
    llvm["f"] = f"{{d}} = fcmp {ordered} {{t}} {{0}}, {{1}}"
    spelling = each("uibf", f"({{0}} {mark} {{1}})")
    return Op(
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


def _logic(name: str, word: str, mark: str, function: Any, zero: str) -> Op:
    return Op(
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


ROWS = (
    _comparison("equal", "eq", "oeq", "==", np.equal, "entire"),
    _comparison("not_equal", "ne", "une", "!=", np.not_equal, "union"),
    _comparison("less", "lt", "olt", "<", np.less, "union"),
    _comparison("less_equal", "le", "ole", "<=", np.less_equal, "entire"),
    _comparison("greater", "gt", "ogt", ">", np.greater, "union"),
    _comparison("greater_equal", "ge", "oge", ">=", np.greater_equal, "entire"),
    _logic("logical_and", "and", "&", np.logical_and, "intersection"),
    _logic("logical_or", "or", "|", np.logical_or, "union"),
    _logic("logical_xor", "xor", "^", np.logical_xor, "union"),
    Op(
        "logical_not",
        "elementwise",
        1,
        "logical",
        np.logical_not,
        {"b": "{d} = xor {t} {0}, {ones}"},
        {"b": "(!{0})"},
        interval=intervals.truth,
    ),
    Op(
        "where",
        "elementwise",
        3,
        "select",
        np.where,
        each("uifb", "{d} = select {c} {0}, {t} {1}, {t} {2}"),
        each("uifb", "({0} ? {1} : {2})"),
        interval=intervals.where,
        ring=True,
        halves="kept",
    ),
    Op(
        "cast",
        "elementwise",
        1,
        "cast",
        None,  # the emitters and the reference have one function each for it
        interval=None,
        zero="argument",
        cost=0.25,
    ),
)
