"""Filters of volumes from their definitions; z, y and x are the first three axes."""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.reference.exact import Image, fitted, from_float, narrowest_signed, to_zero
from tests.reference.filters import DERIVATIVES, SMOOTHING, gaussian_taps
from tests.reference.neighbourhood import MODES, Edge

Offset = tuple[int, ...]
Reach = tuple[tuple[int, int], ...]  # before and after, along each axis


def padded(volume: Image, reach: Reach, edge: Edge) -> Image:
    """Return the volume with what lies around it."""
    widths = (*reach, *((0, 0),) * (volume.ndim - 3))
    options: dict[str, Any] = {}
    if edge.mode == "constant":
        options["constant_values"] = np.array(edge.value, dtype=volume.dtype)
    return np.pad(volume, widths, mode=MODES.get(edge.mode, edge.mode), **options)


def reach_of(offsets: Sequence[Offset]) -> Reach:
    """Return how far offsets go."""
    axes = list(zip(*offsets, strict=True))
    return tuple((max(0, -min(axis)), max(0, *axis)) for axis in axes)


def block(*sizes: int) -> list[Offset]:
    """Return the offsets of a centred box in raster order."""
    return list(product(*[range(-(size // 2), size - size // 2) for size in sizes]))


def beside(volume: Image, offsets: Sequence[Offset], edge: Edge) -> list[Image]:
    """Return, for each offset, the volume of the pixels that lie there."""
    reach = reach_of(offsets)
    wide = padded(volume, reach, edge)
    starts = [[before + d for (before, _), d in zip(reach, at, strict=True)] for at in offsets]
    return [
        wide[tuple(slice(a, a + size) for a, size in zip(start, volume.shape[:3], strict=True))]
        for start in starts
    ]


def defined(volume: Image, reach: Reach) -> tuple[slice, ...]:
    """Return where no read leaves the volume."""
    sizes = volume.shape[:3]
    return tuple(
        slice(before, max(size - after, before))
        for (before, after), size in zip(reach, sizes, strict=True)
    )


def exact(volume: Image) -> Image:
    """Return integers of any size; floats as they are."""
    return volume if volume.dtype.kind == "f" else volume.astype(object)


def total(images: Sequence[Image], weights: Sequence[Any]) -> Image:
    """Return the weighted sum, added in the order given; weights of 0 are left out."""
    result = None
    for image, weight in zip(images, weights, strict=True):
        if weight:
            term = image * (image.dtype.type(weight) if image.dtype.kind == "f" else int(weight))
            result = term if result is None else result + term
    return np.zeros_like(images[0]) if result is None else result


def separated(volume: Image, taps: Sequence[Sequence[Any]], edge: Edge) -> Image:
    """Return the sums along z of the padded volume, then along y, then along x."""
    sums = exact(padded(volume, tuple((len(line) // 2,) * 2 for line in taps), edge))
    for axis, line in enumerate(taps):
        size = volume.shape[axis]
        moved = [sums.take(range(k, k + size), axis=axis) for k in range(len(line))]
        sums = total(moved, line)
    return sums


def correlated(volume: Image, matrix: Any, edge: Edge) -> Image:
    """Return the sum of matrix × window: exact of integers, of floats in raster order."""
    windows = [exact(window) for window in beside(volume, block(*np.shape(matrix)), edge)]
    return total(windows, np.ravel(matrix).tolist())


def box(volume: Image, sizes: Sequence[int], edge: Edge) -> Image:
    sums = separated(volume, [(1,) * size for size in sizes], edge)
    if volume.dtype.kind == "f":
        return sums / volume.dtype.type(math.prod(sizes))
    return fitted(to_zero(sums, math.prod(sizes)), volume.dtype)


def gaussian(
    volume: Image, sizes: Sequence[int], sigmas: Sequence[float | None], edge: Edge
) -> Image:
    is_float = volume.dtype.kind == "f"
    pairs = zip(sizes, sigmas, strict=True)
    lines = [gaussian_taps(size, sigma, is_float) for size, sigma in pairs]
    sums = separated(volume, [taps for taps, _ in lines], edge)
    unit = math.prod(unit for _, unit in lines)
    if is_float:
        return sums / volume.dtype.type(unit)
    return fitted(to_zero(sums, unit), volume.dtype)


def _signed(sums: Image, dtype: Any, weights: Sequence[int]) -> Image:
    """Return sums in the smallest signed type that holds all that they can be."""
    if np.dtype(dtype).kind == "f":
        return sums
    info = np.iinfo(dtype)
    ends = [(weight * int(info.min), weight * int(info.max)) for weight in weights]
    return sums.astype(narrowest_signed(sum(map(min, ends)), sum(map(max, ends))))


def gradient(
    volume: Image, difference: Sequence[int], smooth: Sequence[int], edge: Edge
) -> tuple[Image, ...]:
    """Return the derivatives along x, y and z."""
    derivatives = []
    for along in (2, 1, 0):
        taps = [difference if axis == along else smooth for axis in range(3)]
        weights = [math.prod(part) for part in product(*taps)]
        derivatives.append(_signed(separated(volume, taps, edge), volume.dtype, weights))
    return tuple(derivatives)


def sobel(volume: Image, size: int, edge: Edge) -> tuple[Image, ...]:
    return gradient(volume, DERIVATIVES[size], SMOOTHING[size], edge)


def laplacian(volume: Image, edge: Edge) -> Image:
    matrix = np.zeros((3, 3, 3), int)
    matrix[1, 1, :] = matrix[1, :, 1] = matrix[:, 1, 1] = 1
    matrix[1, 1, 1] = -6
    return _signed(correlated(volume, matrix, edge), volume.dtype, matrix.ravel().tolist())


def convolve(
    volume: Image,
    matrix: Any,
    scale: int | float,
    dtype: Any,
    edge: Edge,
    factors: Sequence[Sequence[float]] | None = None,
) -> Image:
    """Return the true convolution; `factors` are the lines of a separated float sum."""
    turned = np.flip(np.asarray(matrix))
    if volume.dtype.kind != "f" and turned.dtype.kind != "f" and isinstance(scale, int):
        return fitted(to_zero(correlated(volume, turned, edge), scale), dtype)
    if volume.dtype.kind != "f":
        volume = volume.astype(np.float32 if volume.dtype.itemsize <= 2 else np.float64)
    if factors is None:
        sums = correlated(volume, turned, edge)
    else:
        sums = separated(volume, [line[::-1] for line in factors], edge)
    return from_float(sums if scale == 1 else sums / volume.dtype.type(scale), dtype)


def ranked(
    volume: Image, offsets: Sequence[Offset], choose: Callable[[Image], Image], edge: Edge
) -> Image:
    """Return what `choose` takes of the sorted pixels of each window; NaN wins."""
    stack = np.stack(beside(volume, offsets, edge))
    result = choose(np.sort(stack, axis=0))
    if volume.dtype.kind == "f":
        result = np.where(np.isnan(stack).any(axis=0), np.nan, result).astype(volume.dtype)
    return result


def masked(mask: Any, origin: Offset | None = None) -> list[Offset]:
    """Return the offsets of the non-zero elements of a mask from its origin."""
    mask = np.asarray(mask)
    middle = origin or tuple(size // 2 for size in mask.shape)
    return [tuple((at - middle).tolist()) for at in np.argwhere(mask)]


def median(volume: Image, offsets: Sequence[Offset], edge: Edge) -> Image:
    return ranked(volume, offsets, lambda pixels: pixels[len(pixels) // 2], edge)


def erode(volume: Image, offsets: Sequence[Offset], edge: Edge) -> Image:
    return ranked(volume, offsets, lambda pixels: pixels[0], edge)


def dilate(volume: Image, offsets: Sequence[Offset], edge: Edge) -> Image:
    return ranked(volume, offsets, lambda pixels: pixels[-1], edge)
