"""The pipeline at 1920 × 1080, on one thread and on two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from benchmarks.case import Array, Arrays, Case, Contender
from benchmarks.edges import halide, opencv, ours
from benchmarks.edges.reference import edges
from benchmarks.images import FULL_HD, photograph
from benchmarks.product import Product

__all__ = ["CASES", "enter", "reference"]


@cache
def _image(shape: tuple[int, int]) -> Array:
    return photograph(shape)


def enter(
    shape: tuple[int, int], threads: int, product: Product | None
) -> Sequence[Sequence[Contender]]:
    """Make all contenders for an image of a size."""
    image = _image(shape)
    return (
        tuple(ours.contenders(image, product)),
        tuple(halide.contenders(image, threads, written=False)),
        tuple(halide.contenders(image, threads, written=True)),
        tuple(opencv.contenders(image, threads)),
    )


def reference(shape: tuple[int, int]) -> Arrays:
    """Return what the pipeline gives for that image."""
    return (edges(_image(shape)),)


CASES = tuple(
    Case(
        name=f"edges.threads{threads}",
        about="gaussian 3×3, sobel, |gx| + |gy|, threshold; 1920 × 1080 uint8",
        enter=partial(enter, FULL_HD, threads),
        threads=threads,
        reference=partial(reference, FULL_HD),
    )
    for threads in (1, 2)
)
