"""Derivatives of images, in the smallest signed type that holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.errors import ParameterError
from muntin.vision.expression import spatial, type_of
from muntin.vision.operands import BorderLike, edge, image
from muntin.vision.taps import binomial
from muntin.vision.windows import correlated, separated

__all__ = ["derivative", "laplacian", "scharr", "sobel", "sobel3x3"]

_DIFFERENCES = {3: (-1, 0, 1), 5: (-1, -2, 0, 2, 1), 7: (-1, -4, -5, 0, 5, 4, 1)}
_FEW = 5  # taps: more would outgrow the first cache


def sobel(img: object, size: int = 3, border: BorderLike = "replicate") -> tuple[Array, ...]:
    """Return the Sobel derivatives along x and y, and along z of a volume.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    size : {3, 5, 7}
        The number of taps along each axis.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    gx, gy : Array
        Of the image's shape; positive where the image grows with x, and with y. Of a volume, gz
        follows.

    Notes
    -----
    The derivatives of an integer image are exact, in the smallest signed dtype that holds the
    filter's range: int16 of 8-bit images for sizes of 3 and 5, int32 for 7. Floats are added along
    z, down the columns, then along the rows, in ascending order. The taps are (-1 0 1),
    (-1 -2 0 2 1) or (-1 -4 -5 0 5 4 1) along one axis, the binomials along the others. OpenVX 1.1,
    *Sobel 3x3*, and its Canny edge detector.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> gx, gy = vx.sobel(np.uint8([[0, 0, 1], [0, 0, 1], [0, 0, 1]]))
    >>> np.asarray(gx)
    array([[0, 4, 4],
           [0, 4, 4],
           [0, 4, 4]], dtype=int16)
    """
    if size not in _DIFFERENCES:
        raise ParameterError(f"sobel: size is {size!r}; it takes 3, 5 or 7")
    return _gradient("sobel", img, _DIFFERENCES[size], binomial(size), border)


def sobel3x3(img: object, border: BorderLike = "replicate") -> tuple[Array, Array]:
    """Return the Sobel derivatives along x and y, of 3 taps.

    Parameters
    ----------
    img : array_like
        An image of an integer or floating dtype; each channel, and each plane of a volume, is
        filtered by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    gx, gy : Array
        Of the image's shape; int16 of an 8-bit image.

    Notes
    -----
    As `sobel` of an image with a size of 3: exact, in the smallest signed dtype that holds the
    filter's range. OpenVX 1.1, *Sobel 3x3*.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> gx, gy = vx.sobel3x3(np.uint8([[0, 0], [9, 9]]))
    >>> np.asarray(gy)
    array([[36, 36],
           [36, 36]], dtype=int16)
    """
    gx, gy = _gradient("sobel3x3", img, _DIFFERENCES[3], binomial(3), border, "xy")
    return gx, gy


def scharr(img: object, border: BorderLike = "replicate") -> tuple[Array, ...]:
    """Return the Scharr derivatives along x and y, and along z of a volume.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    gx, gy : Array
        Of the image's shape; int16 of an 8-bit image. Of a volume, gz follows.

    Notes
    -----
    The taps are (-1 0 1) along one axis and (3 10 3) along the others, whose response depends on
    direction less than Sobel's. The derivatives of an integer image are exact, in the smallest
    signed dtype that holds the filter's range. H. Scharr, *Optimale Operatoren in der Digitalen
    Bildverarbeitung*, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> gx, gy = vx.scharr(np.uint8([[0, 1, 1]]))
    >>> np.asarray(gx)
    array([[16, 16,  0]], dtype=int16)
    """
    return _gradient("scharr", img, (-1, 0, 1), (3, 10, 3), border)


def derivative(img: object, border: BorderLike = "replicate") -> tuple[Array, ...]:
    """Return the differences between the two neighbours along x and y, and along z of a volume.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    gx, gy : Array
        Of the image's shape; int16 of an 8-bit image. Of a volume, gz follows.

    Notes
    -----
    gx is p(y, x + 1) - p(y, x - 1), which is twice the central difference. Those of an integer
    image are exact, in the smallest signed dtype that holds their range.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> gx, gy = vx.derivative(np.uint8([[10, 20, 50]]))
    >>> np.asarray(gx)
    array([[10, 40, 30]], dtype=int16)
    """
    return _gradient("derivative", img, (-1, 0, 1), (1,), border)


def _gradient(
    function: str,
    img: object,
    difference: Sequence[int],
    smooth: Sequence[int],
    border: BorderLike,
    axes: str = "xyz",
) -> tuple[Array, ...]:
    """Return the derivatives along those of the axes that the image has."""
    x = image(function, img)
    rule = edge(function, x, border)
    # The derivatives of a few taps read the same pixels of a row: several rows then share them.
    rows_first = type_of(x).is_integer and len(difference) <= _FEW
    derivatives = []
    for along in [letter for letter in axes if letter in spatial(x)]:
        taps = dict.fromkeys(axes, smooth) | {along: difference}
        lists = [taps.get(letter, (1,)) for letter in spatial(x)]
        order = "zxy" if rows_first else "zyx"
        derivatives.append(separated(function, x, lists, rule, order=order))
    return tuple(derivatives)


def laplacian(img: object, border: BorderLike = "replicate") -> Array:
    """Return the sum of the four neighbours, six in a volume, minus as many times the pixel.

    Parameters
    ----------
    img : array_like
        An image or a volume (axes "zyx") of an integer or floating dtype; each channel is filtered
        by itself.
    border : str, BorderMode or Border
        What is read outside the image.

    Returns
    -------
    Array
        Of the image's shape; int16 of an 8-bit image.

    Notes
    -----
    The result for an integer image is exact, in the smallest signed dtype that holds the filter's
    range. Floats are added row by row in ascending order.

    Examples
    --------
    >>> import numpy as np
    >>> from muntin import vision as vx
    >>> np.asarray(vx.laplacian(np.uint8([[0, 9, 0]])))
    array([[  9, -18,   9]], dtype=int16)
    """
    x = image("laplacian", img)
    return correlated("laplacian", x, _cross(len(spatial(x))), edge("laplacian", x, border))


def _cross(axes: int) -> npt.NDArray[np.int64]:
    """Return the weights of the sum of all second differences."""
    matrix = np.zeros((3,) * axes, np.int64)
    for axis in range(axes):
        line = [1] * axes
        for place, weight in enumerate((1, -2, 1)):
            line[axis] = place
            matrix[tuple(line)] += weight
    return matrix
