"""Quotients and remainders."""

from __future__ import annotations

import numpy as np

from muntin.core.graph import bodies, intervals
from muntin.core.graph.vocabulary.row import Op, each

__all__ = ["ROWS"]


ROWS = (
    Op(
        "divide",
        "elementwise",
        2,
        "floating",
        np.true_divide,
        {"f": "{d} = fdiv {t} {0}, {1}"},
        {"f": "({0} / {1})"},
        cost=4,
    ),
    Op(
        "raw_divide",
        "elementwise",
        2,
        "promote_integer",
        bodies.truncated_quotient,
        {"u": "{d} = udiv {t} {0}, {1}", "i": "{d} = sdiv {t} {0}, {1}"},
        each("ui", "({T})({0} / {1})"),
        interval=intervals.truncated_divide,
        cost=8,
    ),
    Op(
        "fmod",
        "elementwise",
        2,
        "promote_floating",
        np.fmod,
        {"f": "{d} = frem {t} {0}, {1}"},
        {"f": "fmod({0}, {1})"},
        halves="exact",
        cost=40,
    ),
    Op(
        "truncated_divide",
        "elementwise",
        2,
        "promote_integer",
        bodies.truncated_quotient,
        body=bodies.truncated_divide,
        interval=intervals.truncated_divide,
        cost=8,
    ),
    Op(
        "floor_divide",
        "elementwise",
        2,
        "promote_number",
        bodies.floor_quotient,
        body=bodies.floor_divide,
        interval=intervals.floor_divide,
        cost=10,
    ),
    Op(
        "remainder",
        "elementwise",
        2,
        "promote_number",
        bodies.floor_remainder,
        body=bodies.remainder,
        interval=intervals.remainder,
        cost=10,
    ),
)
