"""The vocabulary by name: a row an operation, with its meaning, types, range and spellings."""

from __future__ import annotations

from muntin.core.graph.arrays import body_meaning
from muntin.core.graph.mathematics import FUNCTIONS
from muntin.core.graph.vocabulary import arithmetic, bits, division, floats, logic
from muntin.core.graph.vocabulary.row import Op

__all__ = ["OPS", "Op", "op"]

_LEAVES = (
    "input",
    "scalar",
    "constant",
    "index",
    "view",
    "reshape",
    "concat",
    "part",
    "gather",
    "gathered",
    "neighbour",
    "window_sum",
    "program",
)
_REDUCTIONS = ("fold", "combine", "scan")
_PRODUCTS = ("matmul",)

OPS: dict[str, Op] = {
    row.name: row
    for row in (
        *[Op(leaf, leaf, zero="argument") for leaf in _LEAVES],
        *[Op(kind, kind) for kind in (*_REDUCTIONS, *_PRODUCTS)],
        Op("keep", "keep", 1, "same", lambda x: x, zero="argument"),
        *arithmetic.ROWS,
        *division.ROWS,
        *bits.ROWS,
        *logic.ROWS,
        *floats.ROWS,
    )
}


def op(name: str) -> Op:
    """Return the row called `name`."""
    return OPS[name]


OPS |= {
    function.name: Op(
        function.name,
        "elementwise",
        function.arity,
        function.rule,
        body_meaning(function.body, OPS),
        body=function.body,
        zero=function.zero,
        cost=function.cost,
    )
    for function in FUNCTIONS
}
