"""Inverse trigonometric functions: odd polynomials of slopes up to 1, and of roots."""

from __future__ import annotations

from math import inf, pi, tan

from muntin.core.graph.mathematics.coefficients import ASIN, ATAN, PI_TAIL
from muntin.core.graph.mathematics.parts import FORMATS, polynomial
from muntin.core.graph.mathematics.term import Term

__all__ = ["acos", "asin", "atan", "atan2"]


def atan(x: Term) -> Term:
    size = abs(x)
    is_steep = size > 1
    angle = _slope(is_steep.choose(size.like(1.0), size), is_steep.choose(size, 1.0))
    base = is_steep.choose(angle.like(pi / 2), 0.0)
    return _added(base, is_steep.choose(-angle, angle)).with_sign_of(x)


def atan2(y: Term, x: Term) -> Term:
    """Return the angle from the first axis to the point (x, y), from -pi to pi."""
    format = FORMATS[x.bits]
    height, width = abs(y), abs(x)
    is_steep = height > width
    over, under = is_steep.choose(width, height), is_steep.choose(height, width)
    # Of two zeros the slope is 0, of two infinities 1.
    under = under.above(2.0 ** (1 - format.bias - format.fraction))
    is_rare = (under < 2.0 ** (format.bias - 2)).negated()
    both = over.equals(inf).both(under.equals(inf))
    over = is_rare.rarely(both.choose(1.0, over * 0.125), over)
    under = is_rare.rarely(both.choose(1.0, under * 0.125), under)
    angle = _slope(over, under)
    is_left = x.as_bits() < 0
    base = is_steep.choose(angle.like(pi / 2), is_left.choose(angle.like(pi), 0.0))
    turned = is_steep.row("logical_xor", is_left).choose(-angle, angle)
    return _added(base, turned).with_sign_of(y)


def _slope(over: Term, under: Term) -> Term:
    """Return the angle of a slope from 0 to 1."""
    is_half = None
    if over.bits == 64:
        # That of slopes near 1 is half of a right angle and that of (s - 1) / (s + 1).
        is_half = over > under * tan(pi / 8)
        over, under = (
            is_half.choose(over - under, over),
            is_half.choose(over + under, under),
        )
    ratio = over / under
    z = ratio * ratio
    angle = (ratio * z).times(polynomial(z, ATAN[over.bits]), ratio)
    return angle if is_half is None else angle + is_half.choose(angle.like(pi / 4), 0.0)


def _added(base: Term, angle: Term) -> Term:
    """Return the sum of a multiple of pi, that a float rounds, and an angle."""
    (tail,) = PI_TAIL[angle.bits]
    return base + base.times(tail, angle)


def asin(x: Term) -> Term:
    is_outer, angle = _from_zero_or_one(abs(x))
    base = is_outer.choose(angle.like(pi / 2), 0.0)
    return _added(base, is_outer.choose(-angle, angle)).with_sign_of(x)


def acos(x: Term) -> Term:
    is_outer, angle = _from_zero_or_one(abs(x))
    is_left = x < 0
    base = is_outer.choose(is_left.choose(angle.like(pi), 0.0), pi / 2)
    return _added(base, is_outer.row("equal", is_left).choose(-angle, angle))


def _from_zero_or_one(size: Term) -> tuple[Term, Term]:
    """Return whether a sine is above 1/2, and its angle, from a right angle down if it is."""
    is_outer = size > 0.5
    z = is_outer.choose(size.times(-0.5, 0.5), size * size)
    root = is_outer.choose(z.sqrt(), size)
    root = is_outer.choose(root + root, root)
    return is_outer, (root * z).times(polynomial(z, ASIN[size.bits]), root)
