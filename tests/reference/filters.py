"""Linear filters and medians from their definitions."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tests.reference.exact import (
    Image,
    fitted,
    from_float,
    narrowest_signed,
    to_zero,
    unbounded,
)
from tests.reference.neighbourhood import Edge, beside, padded, square

DERIVATIVES = {3: (-1, 0, 1), 5: (-1, -2, 0, 2, 1), 7: (-1, -4, -5, 0, 5, 4, 1)}
SMOOTHING = {3: (1, 2, 1), 5: (1, 4, 6, 4, 1), 7: (1, 6, 15, 20, 15, 6, 1)}


def _sum(images: Sequence[Image], weights: Sequence[Any]) -> Image:
    """Return the weighted sum, added in the order given; weights of 0 are left out."""
    total = None
    for image, weight in zip(images, weights, strict=True):
        if weight == 0:
            continue
        term = image * (image.dtype.type(weight) if image.dtype.kind == "f" else weight)
        total = term if total is None else total + term
    return np.zeros_like(images[0]) if total is None else total


def correlated(image: Image, matrix: Sequence[Sequence[Any]], edge: Edge) -> Image:
    """Return the exact sum of matrix × window: of integers, or of floats in raster order."""
    offsets = square(len(matrix), len(matrix[0]))
    weights = [weight for row in matrix for weight in row]
    return _sum([unbounded(window) for window in beside(image, offsets, edge)], weights)


def separated(image: Image, column: Sequence[Any], row: Sequence[Any], edge: Edge) -> Image:
    """Return the sums down the columns of the padded image, then along its rows."""
    y, x = len(column) // 2, len(row) // 2
    height, width = image.shape[:2]
    wide = unbounded(padded(image, (y, y), (x, x), edge))
    sums = _sum([wide[i : i + height] for i in range(len(column))], column)
    return _sum([sums[:, j : j + width] for j in range(len(row))], row)


def _outer(column: Sequence[int], row: Sequence[int]) -> list[list[int]]:
    return [[a * b for b in row] for a in column]


def box(image: Image, rows: int, columns: int, edge: Edge) -> Image:
    if image.dtype.kind == "f":
        total = separated(image, (1,) * rows, (1,) * columns, edge)
        return total / image.dtype.type(rows * columns)
    total = correlated(image, [[1] * columns] * rows, edge)
    return fitted(to_zero(total, rows * columns), image.dtype)


def binomial(size: int) -> tuple[list[int], int]:
    taps = [math.comb(size - 1, k) for k in range(size)]
    return taps, sum(taps)


def normal(size: int, sigma: float) -> list[float]:
    distances = [(k - size // 2) / sigma for k in range(size)]
    taps = [math.exp(-(distance * distance) / 2) for distance in distances]
    return [tap / math.fsum(taps) for tap in taps]


def fixed_point(taps: Sequence[float]) -> list[int]:
    """Return the taps in units of 1/65536, rounded so that all tails of the sum are nearest."""
    radius = len(taps) // 2
    tails = [math.floor(65536 * math.fsum(taps[:k]) + 0.5) for k in range(radius + 1)]
    side = [b - a for a, b in pairwise(tails)]
    return [*side, 65536 - 2 * tails[-1], *side[::-1]]


def gaussian_taps(size: int, sigma: float | None, is_float: bool) -> tuple[list[Any], int]:
    """Return the taps of one axis and what they add up to."""
    if sigma is None and size <= 5:
        return binomial(size)
    if sigma is None:
        sigma = math.sqrt(size - 1) / 2
    taps = normal(size, sigma)
    return (taps, 1) if is_float else (fixed_point(taps), 65536)


def gaussian(
    image: Image,
    size: tuple[int, int],
    sigma: tuple[float | None, float | None],
    edge: Edge,
) -> Image:
    is_float = image.dtype.kind == "f"
    column, down = gaussian_taps(size[0], sigma[0], is_float)
    row, along = gaussian_taps(size[1], sigma[1], is_float)
    if is_float:
        total = separated(image, column, row, edge)
        return total / image.dtype.type(down * along)
    total = correlated(image, _outer(column, row), edge)
    return fitted(to_zero(total, down * along), image.dtype)


def _signed(image: Image, column: Sequence[int], row: Sequence[int], edge: Edge) -> Image:
    if image.dtype.kind == "f":
        return separated(image, column, row, edge)
    return _ranged(image, _outer(column, row), edge)


def _ranged(image: Image, matrix: list[list[int]], edge: Edge) -> Image:
    """Return the sum in the smallest signed type that holds all that it can be."""
    total = correlated(image, matrix, edge)
    info = np.iinfo(image.dtype)
    weights = [weight for row in matrix for weight in row]
    ends = [(weight * int(info.min), weight * int(info.max)) for weight in weights]
    low, high = sum(map(min, ends)), sum(map(max, ends))
    return total.astype(narrowest_signed(low, high))


def sobel(image: Image, size: int, edge: Edge) -> tuple[Image, Image]:
    difference, smooth = DERIVATIVES[size], SMOOTHING[size]
    return _signed(image, smooth, difference, edge), _signed(image, difference, smooth, edge)


def scharr(image: Image, edge: Edge) -> tuple[Image, Image]:
    difference, smooth = (-1, 0, 1), (3, 10, 3)
    return _signed(image, smooth, difference, edge), _signed(image, difference, smooth, edge)


def derivative(image: Image, edge: Edge) -> tuple[Image, Image]:
    return _signed(image, (1,), (-1, 0, 1), edge), _signed(image, (-1, 0, 1), (1,), edge)


def laplacian(image: Image, edge: Edge) -> Image:
    matrix = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]
    if image.dtype.kind == "f":
        return correlated(image, matrix, edge)
    return _ranged(image, matrix, edge)


def convolve(
    image: Image,
    matrix: Any,
    scale: int | float,
    dtype: Any,
    edge: Edge,
    factors: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Image:
    """Return the true convolution; `factors` are the column and row of a separated float sum."""
    taps = np.asarray(matrix)
    whole = image.dtype.kind != "f" and taps.dtype.kind != "f" and isinstance(scale, int)
    turned = taps[::-1, ::-1].tolist()
    if whole:
        return fitted(to_zero(correlated(image, turned, edge), scale), dtype)
    if image.dtype.kind != "f":
        image = image.astype(np.float32 if image.dtype.itemsize <= 2 else np.float64)
    if factors is None:
        total = correlated(image, turned, edge)
    else:
        column, row = factors
        total = separated(image, column[::-1], row[::-1], edge)
    return from_float(total if scale == 1 else total / image.dtype.type(scale), dtype)


def ranked(
    image: Image,
    offsets: Sequence[tuple[int, int]],
    choose: Callable[[Image], Image],
    edge: Edge,
) -> Image:
    """Return what `choose` takes of the sorted pixels of each window; NaN wins."""
    stack = np.stack(beside(image, offsets, edge))
    result = choose(np.sort(stack, axis=0))
    if image.dtype.kind == "f":
        result = np.where(np.isnan(stack).any(axis=0), np.nan, result).astype(image.dtype)
    return result


def masked(mask: Any, origin: tuple[int, int] | None = None) -> list[tuple[int, int]]:
    """Return the offsets of the non-zero elements of a mask from its origin."""
    mask = np.asarray(mask)
    y, x = origin or (mask.shape[0] // 2, mask.shape[1] // 2)
    return [(int(i) - y, int(j) - x) for i, j in np.argwhere(mask)]


def median(image: Image, offsets: Sequence[tuple[int, int]], edge: Edge) -> Image:
    return ranked(image, offsets, lambda pixels: pixels[len(pixels) // 2], edge)


def erode(image: Image, offsets: Sequence[tuple[int, int]], edge: Edge) -> Image:
    return ranked(image, offsets, lambda pixels: pixels[0], edge)


def dilate(image: Image, offsets: Sequence[tuple[int, int]], edge: Edge) -> Image:
    return ranked(image, offsets, lambda pixels: pixels[-1], edge)
