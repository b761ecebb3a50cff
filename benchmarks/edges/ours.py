"""The pipeline in muntin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.case import Array, Contender
from benchmarks.edges.reference import THRESHOLD
from benchmarks.images import aligned
from benchmarks.product import Product

__all__ = ["contenders", "expression"]


def expression(mt: Any, image: Any) -> Any:
    """Return the pipeline as a user writes it."""
    vx = mt.vision
    gx, gy = vx.sobel3x3(vx.gaussian3x3(image))
    return vx.threshold(vx.magnitude(gx, gy, norm="l1"), THRESHOLD)


def contenders(image: Array, product: Product | None) -> Iterator[Contender]:
    """Yield the compiled function, if muntin takes part."""
    if product is not None:
        out = aligned(image.shape, np.uint8)
        yield Contender("muntin", product.compiled(expression, (image,), (out,)), (out,))
