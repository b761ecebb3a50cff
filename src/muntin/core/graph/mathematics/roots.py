"""Roots, lengths and scaled angles."""

from __future__ import annotations

from math import inf, pi

from muntin.core.graph.mathematics.coefficients import CBRT, SIN
from muntin.core.graph.mathematics.exponential import power_of_two
from muntin.core.graph.mathematics.parts import (
    FORMATS,
    head,
    is_normal,
    polynomial,
    split,
    to_float,
    to_whole,
)
from muntin.core.graph.mathematics.term import Term

__all__ = ["cbrt", "deg2rad", "hypot", "rad2deg", "rsqrt", "sinc"]

# Lengths between these have squares that neither vanish nor overflow; others are scaled first.
_PLAIN = {32: (2.0**-50, 2.0**60, 2.0**100), 64: (2.0**-400, 2.0**500, 2.0**600)}


def rsqrt(x: Term) -> Term:
    return 1.0 / x.sqrt()


def cbrt(x: Term) -> Term:
    """Return the cube root: a polynomial, then one step of Halley's with an exact square."""
    size = abs(x)
    is_rare = is_normal(size).negated()
    format = FORMATS[x.bits]
    up = 54
    is_small = size < 2.0 ** (1 - format.bias)
    k, m = split(is_rare.rarely(is_small.choose(size * 2.0**up, size), size))
    k = to_float(k, x.bits)
    k = is_rare.rarely(is_small.choose(k - up, k), k)
    third, shifted = to_whole(k, 1 / 3, format.bias)
    rest = k - third * 3.0
    is_up, is_down = rest > 0, rest < 0
    guess = polynomial(m, CBRT[x.bits])
    guess = guess * is_up.choose(
        m.like(2.0 ** (1 / 3)), is_down.choose(m.like(0.5 ** (1 / 3)), 1.0)
    )
    m = m * is_up.choose(m.like(2.0), is_down.choose(m.like(0.5), 1.0))
    guess = head(guess)
    ratio = m / (guess * guess)
    root = guess + guess * ((ratio - guess) / (guess + guess + ratio))
    root = root * power_of_two(shifted)
    is_end = size.equals(0).either((size < inf).negated())
    return is_rare.rarely(is_end.choose(size, root), root).with_sign_of(x)


def hypot(x: Term, y: Term) -> Term:
    """Return the length of (x, y), infinite if one of them is."""
    low, high, scale = _PLAIN[x.bits]
    x, y = abs(x), abs(y)
    greater = (x > y).choose(x, y)
    is_plain = (greater <= high).both((greater >= low).either(greater.equals(0)))
    is_rare = is_plain.negated()
    factor = (greater > 1).choose(x.like(1 / scale), scale)
    back = (greater > 1).choose(x.like(scale), 1 / scale)
    a, b = is_rare.rarely(x * factor, x), is_rare.rarely(y * factor, y)
    length = a.times(a, b * b).sqrt()
    is_infinite = x.equals(inf).either(y.equals(inf))
    return is_rare.rarely(is_infinite.choose(inf, length * back), length)


def sinc(x: Term) -> Term:
    """Return sin(pi·x) / (pi·x), 1 at 0."""
    size = abs(x)
    whole = size.row("round")
    half = 0.5 * whole
    is_odd = half.row("floor").differs(half)
    angle = (size - whole) * pi
    z = angle * angle
    sine = (angle * z).times(polynomial(z, SIN[x.bits]), angle)
    ratio = is_odd.choose(-sine, sine) / (size * pi)
    return size.equals(0).choose(1.0, ratio)


def deg2rad(x: Term) -> Term:
    return x * (pi / 180)


def rad2deg(x: Term) -> Term:
    return x * (180 / pi)
