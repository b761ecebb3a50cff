"""Functions of pipelines that vision leaves to Python's indexing and arithmetic."""

from __future__ import annotations

from operator import index as as_index

import muntin as mt
from muntin.array.array import Array
from muntin.dtypes import DTYPES
from muntin.errors import BoundsError, DTypeError
from muntin.vision.expression import constant, fitted, type_of

__all__ = ["channel", "crop", "grey", "linear", "rgb", "take"]

_WEIGHTS = (13933, 46871, 4732)  # of red, green and blue in BT.709, in 65536ths
_ROUNDING = 1 << 15


def grey(img: Array) -> Array:
    """Return the luma of an RGB image (BT.709, rounded); alpha is dropped.

    Notes
    -----
    (13933 R + 46871 G + 4732 B + 32768) >> 16 for integers; 0.2126 R + 0.7152 G + 0.0722 B for
    floats. An image that is grey stays as it is.
    """
    count = _channels(img)
    if count < 3:
        return img if count == 0 else img[..., 0]
    dtype = type_of(img)
    if dtype.is_integer and dtype.bits == 64:
        raise DTypeError(
            f"grey: the image is {dtype}, whose sums do not fit in 64 bits; cast it with "
            'astype("float64") first'
        )
    if not dtype.is_integer:
        red, green, blue = (img[..., k] for k in range(3))
        return red * 0.2126 + green * 0.7152 + blue * 0.0722
    wide = DTYPES["uint32" if dtype.greatest < 1 << 16 and dtype.kind == "u" else "int64"]
    red, green, blue = (
        fitted(img[..., k], wide) * constant(weight, wide) for k, weight in enumerate(_WEIGHTS)
    )
    return fitted((red + green + blue + constant(_ROUNDING, wide)) >> constant(16, wide), dtype)


def rgb(img: Array) -> Array:
    """Return three channels: alpha is dropped, and grey is repeated."""
    count = _channels(img)
    if count >= 3:
        return img[..., :3]
    single = img[..., 0] if count else img
    repeated = mt.broadcast_to(single[..., None], (*single.shape, 3))
    return mt.asarray(repeated, axes=f"{single.axes}c")


def linear(img: Array, factor: float, offset: float = 0) -> Array:
    """Return an image times a factor plus an offset, as floats.

    Notes
    -----
    float32 of integers of 8 and 16 bits, else float64; floats keep their type. convert_depth makes
    integers of the result again: it truncates and clamps.
    """
    dtype = type_of(img)
    if not dtype.is_float:
        img = fitted(img, DTYPES["float32" if dtype.bits <= 16 else "float64"])
    return img * factor + offset


def channel(img: Array, index: int) -> Array:
    """Return one channel of an image, counted from 0."""
    count = _channels(img)
    if count == 0:
        raise BoundsError(
            f"channel: the image {img.shape} is grey and has no channels; leave channel away"
        )
    if type(index) is not int or not 0 <= index < count:
        raise BoundsError(
            f"channel: index is {index!r}; the image has {count} channels, counted from 0"
        )
    return img[..., index]


def take(images: tuple[Array, ...], index: int) -> Array:
    """Return one of the images that the stage before gives, counted from 0."""
    if type(index) is not int or not 0 <= index < len(images):
        raise BoundsError(
            f"take: index is {index!r}; the stage before gives {images_in_words(len(images))}, "
            "counted from 0"
        )
    return images[index]


def crop(img: Array, top: int, left: int, rows: int, columns: int) -> Array:
    """Return a part of an image; what was filtered before sees the pixels around it."""
    top, left, rows, columns = map(as_index, (top, left, rows, columns))
    height, width = img.shape[:2]
    if not (0 <= top <= top + rows <= height and 0 <= left <= left + columns <= width):
        raise BoundsError(
            f"crop: rows {top} to {top + rows} and columns {left} to {left + columns} of an image "
            f"of {height} x {width}; choose a part inside it"
        )
    return img[top : top + rows, left : left + columns]


def _channels(img: Array) -> int:
    """Return the number of channels, 0 if there is no such axis."""
    if img.axes is not None and img.axes.endswith("c"):
        return img.shape[-1]
    return 0


def images_in_words(count: int) -> str:
    """Return a number of images in words."""
    return "1 image" if count == 1 else f"{count} images"
