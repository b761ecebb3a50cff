"""Images read at computed coordinates."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from muntin.array.array import Array
from muntin.array.axes import spatial_axes
from muntin.array.creation import asarray
from muntin.array.operators import common_device, node_of
from muntin.core.border import Border, BorderMode
from muntin.core.graph.node import Node
from muntin.core.graph.sampling import sampled
from muntin.errors import ParameterError, ShapeError

__all__ = ["Interpolation", "sample"]

Interpolation = Literal["nearest", "bilinear"]


def sample(
    image: Any,
    *coordinates: Any,
    interpolation: Interpolation = "bilinear",
    border: Border | BorderMode | str = BorderMode.REPLICATE,
) -> Array:
    """Return an image's values at points whose coordinates are given, or computed.

    Parameters
    ----------
    image : array_like
        An image, or a volume, of any type; what is no Array gets its axes' names by `asarray`.
    *coordinates : array_like
        Where to look along each of the axes z, y and x that there are, in this order: integers or
        floats that count elements, 0 at the centre of the first. Their shapes broadcast.
    interpolation : {"bilinear", "nearest"}
        The mean of the elements around a point (four, in a volume eight), weighted by its place
        between them, or the element whose centre is nearest.
    border : Border or str
        What lies outside; any but "undefined".

    Returns
    -------
    Array
        The shape of the coordinates stands in the place of the spatial axes; channels and other
        axes are kept. Nearest values have the image's type. Weighted ones have float32 where the
        image has integers of up to 16 bits or float32, float64 elsewhere.

    Raises
    ------
    ShapeError
        If there are not as many coordinates as spatial axes, or their shapes do not broadcast.
    BorderError
        If the border is "undefined", or a constant does not fit the image, or if that is only valid
        in part.
    DTypeError
        If coordinates are truth values, or truth values are to be weighted.
    BoundsError
        If an image without elements is to be seen.

    Notes
    -----
    The nearest element to a coordinate c is number floor(c + 0.5), as in OpenVX; the sum is taken
    in the type of the coordinates, float32 for floats of 16 bits. A weighted value is
    a + (b - a)·f for the elements a and b at floor(c) and floor(c) + 1 and f = c - floor(c): first
    along x, then y, then z. So a constant image stays constant, and a NaN or infinite element (or
    constant of the border) next to a point makes its value NaN. Under "replicate" the nearest point
    of the image stands for one outside.
    Coordinates may be infinite or larger than any integer: under a periodic border 2**30 stands for
    floats beyond it, 2**31 - 1 for integers (2**62 and 2**63 - 1 along axes of 2**29 elements or
    more). Where a coordinate is NaN the weighted value is NaN, the nearest one is that at 0.

    Nothing is stored for coordinates that are computed: a rotation by expressions of
    `muntin.arange` is one kernel. The image is read where it lies; a computed one is stored first.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> image = mt.asarray(np.array([[0, 10], [20, 30]], np.uint8))
    >>> float(mt.sample(image, 0.5, 0.25))
    12.5
    >>> np.asarray(mt.sample(image, [0, 5], [1, -3], interpolation="nearest"))
    array([10, 20], dtype=uint8)
    """
    if interpolation not in get_args(Interpolation):
        raise ParameterError(
            f"sample: interpolation is {interpolation!r}; it is one of "
            f"{', '.join(map(repr, get_args(Interpolation)))}"
        )
    node = asarray(image)._node
    places = spatial_axes("sample", node.axes)
    if len(coordinates) != len(places):
        assert node.axes is not None
        letters = ", ".join(node.axes[place] for place in places)
        raise ShapeError(
            f"sample: {len(coordinates)} coordinates for an image with axes {node.axes!r}; give "
            f"one for each of its {len(places)} spatial axes ({letters})"
        )
    found = sampled(
        node,
        places,
        [_coordinate(each) for each in coordinates],
        Border.of(border),
        "sample",
        between=interpolation == "bilinear",
    )
    return Array(found, common_device("sample", (image, *coordinates)))


def _coordinate(given: Any) -> Node:
    return node_of("sample", np.asarray(given) if isinstance(given, list | tuple) else given)
