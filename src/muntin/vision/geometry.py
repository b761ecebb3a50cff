"""Geometry: images in other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, get_args

import numpy as np

from muntin.array.areas import averaged
from muntin.array.array import Array
from muntin.array.axes import spatial_axes
from muntin.core.border import BorderMode
from muntin.core.graph.build import cast, elementwise, index, scalar
from muntin.core.graph.node import Node
from muntin.core.graph.sampling import sampled, weighted_type
from muntin.core.graph.weighting import Weighting
from muntin.dtypes import DType
from muntin.errors import BorderError, ParameterError, ShapeError
from muntin.vision.operands import ANY, NUMBERS, BorderLike, choice, edge, image, per_axis, whole

__all__ = ["scale"]

Interpolation = Literal["bilinear", "nearest", "area"]
_MOST = 1 << 31  # pixels along an axis


def scale(
    img: Any,
    shape: Sequence[SupportsIndex],
    interpolation: Interpolation = "bilinear",
    border: BorderLike = "replicate",
) -> Array:
    """Return an image in another size.

    Parameters
    ----------
    img : array_like of numbers
        An image or a volume; truth values too for the nearest pixel.
    shape : sequence of int
        The new (rows, columns), of a volume (planes, rows, columns).
    interpolation : {"bilinear", "nearest", "area"}
        The mean of the pixels around a point, weighted by its place between them; the pixel whose
        centre is nearest; or the mean of all that a new pixel covers, parts of pixels by their
        size.
    border : Border or str
        What lies outside, any but "undefined": bilinear means at the edges see it.

    Returns
    -------
    Array
        Of the image's type; channels and other axes are kept.

    Raises
    ------
    BorderError
        If the border is "undefined", or a constant does not fit the image, or if the image is only
        valid in part.
    DTypeError
        If the image holds truth values, unless the nearest are taken, or floats of 16 bits.
    ParameterError
        If `shape` is not a positive int for each spatial axis, or there is no such interpolation.
    ShapeError
        If the image has no axes y and x, or no pixels, or its spatial axes lie apart and no means
        over areas are asked for.

    Notes
    -----
    OpenVX 1.1, ScaleImage. Pixel c of n is seen at (c + 0.5)·m/n - 0.5 of m pixels, in float32 for
    images of up to 16 bits and float32, in float64 for others. The nearest to a point p is number
    floor(p + 0.5).

    Bilinear means of integers are those of the OpenVX sample implementation: sums of weights times
    pixels in the same type, cut toward zero, so that some new pixels among equal ones are
    nearer to zero. Of floats they are those of `muntin.sample`.

    Means over areas are exact for integers of up to 32 bits, rounded to the nearest, halves up;
    those of 64 bits, and of more than 2**31 pixels of 32 bits, are computed in float64. Of floats
    each is the first pixel and the mean of the differences to it, along one axis after the other.
    So equal pixels stay what they are, larger or smaller. NaN goes to all that covers it. A
    difference that is infinite, or too large, makes the mean infinite, or NaN where the first pixel
    is infinite and another differs.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> image = np.array([[0, 60, 120, 180], [0, 0, 0, 60]], np.uint8)
    >>> vx.scale(image, (1, 2), "area").tolist()
    [[15, 90]]
    >>> vx.scale(image, (2, 3), "nearest").tolist()
    [[0, 120, 180], [0, 0, 60]]
    >>> vx.scale(image, (1, 3)).tolist()
    [[5, 45, 110]]
    """
    choice("scale", "interpolation", interpolation, get_args(Interpolation))
    pixels = image("scale", img, ANY if interpolation == "nearest" else NUMBERS)
    around = edge("scale", pixels, border)
    if around.mode is BorderMode.UNDEFINED:
        raise BorderError(
            "scale: the border is undefined, but an image in another size has no valid region; "
            "choose another border, after .valid() if only a part of the image is valid"
        )
    node = pixels._node
    places = spatial_axes("scale", node.axes)
    sizes = _sizes(pixels, places, shape)
    if any(node.shape[place] == 0 for place in places):
        raise ShapeError(f"scale: the image {node.shape} has no pixels of which others are made")
    if interpolation == "area":
        return Array(averaged(node, sizes, "scale"), pixels._device)
    dtype, in_order = node.dtype, sorted(places)
    lines = tuple([sizes[place] for place in in_order])
    points = [
        _points(lines, in_order.index(place), node.shape[place], weighted_type(dtype))
        for place in places
    ]
    weighting = Weighting.LINES if dtype.is_float else Weighting.PRODUCTS
    between = interpolation == "bilinear"
    found = sampled(node, places, points, around, "scale", between=between, weighting=weighting)
    return Array(cast(found, dtype, saturate=True), pixels._device)


def _sizes(pixels: Array, places: Sequence[int], shape: object) -> dict[int, int]:
    """Return the new lengths of the axes at some places."""
    given = [whole(part) for part in shape] if isinstance(shape, Sequence | np.ndarray) else []
    sizes = [size for size in given if size is not None and 0 < size < _MOST]
    if not len(sizes) == len(given) == len(places):
        raise ParameterError(
            f"scale: shape is {shape!r}; it takes positive ints below 2**31, {per_axis(pixels)}"
        )
    return dict(zip(places, sizes, strict=True))


def _points(shape: tuple[int, ...], axis: int, length: int, dtype: DType) -> Node:
    """Return where the centres of pixels along an axis lie among the `length` old ones."""
    line = tuple([size if k == axis else 1 for k, size in enumerate(shape)])
    half, number = scalar(0.5, dtype), dtype.numpy.type
    rate = scalar(float(number(length) / number(shape[axis])), dtype)
    centre = elementwise("add", cast(index(axis, line), dtype), half)
    return elementwise("subtract", elementwise("multiply", centre, rate), half)
