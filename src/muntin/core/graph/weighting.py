"""Means of the elements around a point, in the orders of arithmetic that definitions ask for."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import reduce
from itertools import product

from muntin.core.graph.build import constant, elementwise
from muntin.core.graph.node import Node

__all__ = ["Weighting", "weighted"]


class Weighting(StrEnum):
    """Orders of arithmetic, which round in different ways; fractions are f, the last axis first."""

    LINES = "lines"  # a + (b - a)·f along one axis after another
    PRODUCTS = "products"  # the product of weights 1 - f and f times each element, summed
    ELEMENTS = "elements"  # each element times one weight after another, summed


def weighted(
    elements: Sequence[Node], fractions: Sequence[Node | None], weighting: Weighting
) -> Node:
    """Return the mean of the corners of a box, weighted by where in it a point lies.

    Parameters
    ----------
    elements
        The corners in C order, which is the order of sums.
    fractions
        For each axis how far the point lies past the first corner, in the elements' type; None
        where both corners are one.
    weighting
        The order of arithmetic.
    """
    known = [fraction for fraction in fractions if fraction is not None]
    found = list(elements)
    if weighting is Weighting.LINES:
        for fraction in reversed(known):
            pairs = zip(found[0::2], found[1::2], strict=True)
            found = [_between(low, high, fraction) for low, high in pairs]
        return found[0]
    sides = []
    for fraction in known:
        one = constant(1.0, fraction.dtype)
        sides.append((elementwise("subtract", one, fraction), fraction))
    terms = []
    for element, corner in zip(found, product(*sides), strict=True):
        if weighting is Weighting.PRODUCTS and corner:
            terms.append(_product(reduce(_product, reversed(corner)), element))
        else:
            terms.append(reduce(_product, reversed(corner), element))
    return reduce(_sum, terms)


def _between(low: Node, high: Node, fraction: Node) -> Node:
    return _sum(low, _product(elementwise("subtract", high, low), fraction))


def _product(a: Node, b: Node) -> Node:
    return elementwise("multiply", a, b)


def _sum(a: Node, b: Node) -> Node:
    return elementwise("add", a, b)
