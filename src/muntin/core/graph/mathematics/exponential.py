"""Powers of e and 2: a power of two times a polynomial."""

from __future__ import annotations

from muntin.core.graph.mathematics.coefficients import EXP, LN2
from muntin.core.graph.mathematics.parts import polynomial, scaled, to_whole
from muntin.core.graph.mathematics.term import Term

# Where the results are 0 and infinite.
_LIMITS = {32: (-104.0, 89.0), 64: (-746.0, 710.0)}


LOG2_E = 1.4426950408889634


def exp(x: Term) -> Term:
    low, high = _LIMITS[x.bits]
    first, second = LN2[x.bits]
    x = x.above(low).below(high)
    whole, shifted = to_whole(x * LOG2_E)
    rest = (x - whole * first) - whole * second
    series = rest + rest * rest * polynomial(rest, EXP[x.bits])
    return scaled(1.0 + series, shifted, x < 0)
