"""Bits and shifts."""

from __future__ import annotations

from typing import Any

import numpy as np

from muntin.core.graph import bodies, intervals
from muntin.core.graph.intervals import IntervalRule
from muntin.core.graph.vocabulary.row import Op, each

__all__ = ["ROWS"]


def _bitwise(
    name: str, word: str, mark: str, function: Any, interval: IntervalRule, zero: str
) -> Op:
    return Op(
        name,
        "elementwise",
        2,
        "promote_bits",
        function,
        each("uib", f"{{d}} = {word} {{t}} {{0}}, {{1}}"),
        each("uib", f"({{T}})({{0}} {mark} {{1}})"),
        interval=interval,
        ring=True,
        zero=zero,
    )


ROWS = (
    _bitwise("bitwise_and", "and", "&", np.bitwise_and, intervals.bitwise_and, "intersection"),
    _bitwise("bitwise_or", "or", "|", np.bitwise_or, intervals.bitwise_or, "union"),
    _bitwise("bitwise_xor", "xor", "^", np.bitwise_xor, intervals.bitwise_or, "union"),
    Op(
        "bitwise_invert",
        "elementwise",
        1,
        "same_bits",
        np.bitwise_invert,
        each("uib", "{d} = xor {t} {0}, {ones}"),
        {**each("ui", "({T})(~{0})"), "b": "({T})(!{0})"},
        interval=intervals.bitwise_invert,
        ring=True,
    ),
    Op(
        "raw_left_shift",
        "elementwise",
        2,
        "promote_integer",
        np.left_shift,
        each("ui", "{d} = shl {t} {0}, {1}"),
        each("ui", "({T})(({U}){0} << {1})"),
        interval=intervals.left_shift,
        zero="argument",
    ),
    Op(
        "raw_right_shift",
        "elementwise",
        2,
        "promote_integer",
        np.right_shift,
        {"u": "{d} = lshr {t} {0}, {1}", "i": "{d} = ashr {t} {0}, {1}"},
        each("ui", "({T})({0} >> {1})"),
        interval=intervals.right_shift,
        zero="argument",
    ),
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
    ),
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
    ),
)
