"""What vision functions accept: images, sizes, borders and words, checked by name."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from operator import index as as_index
from typing import SupportsIndex, TypeAlias

import numpy as np

from muntin.array.array import Array
from muntin.array.creation import asarray
from muntin.array.operators import common_device
from muntin.array.tracing import TracedNumber
from muntin.core.border import Border, BorderMode
from muntin.core.shapes import Shape, can_broadcast
from muntin.errors import BorderError, DTypeError, ParameterError, ShapeError
from muntin.vision.expression import spatial, type_of

__all__ = [
    "ANY",
    "BorderLike",
    "Size",
    "choice",
    "edge",
    "image",
    "is_known",
    "pair",
    "per_axis",
    "pixels",
    "positive",
    "size_of",
    "whole",
]

BorderLike: TypeAlias = Border | BorderMode | str
Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

_KINDS = {"ui": "integers", "f": "floats of 32 and 64 bits", "b": "truth values"}
NUMBERS, ANY = "uif", "uifb"  # kinds of element types
_LETTERS = {2: "yx", 3: "yxc", 4: "nyxc", 5: "nzyxc", 6: "ntzyxc"}


def pixels(function: str, x: object, kinds: str = NUMBERS) -> Array:
    """Return an operand as an Array whose element type is of one of the kinds.

    Floats of 16 bits are refused: sums would be rounded to them at each step.
    """
    array = asarray(x)
    if type_of(array).kind not in kinds or type_of(array).is_half:
        raise DTypeError(
            f"{function}: the image is {type_of(array)} {array.shape}; it takes {_allowed(kinds)}; "
            f'cast it with .astype("{"float32" if "f" in kinds else "uint8"}")'
        )
    return array


def _allowed(kinds: str) -> str:
    return " and ".join(words for letters, words in _KINDS.items() if letters[0] in kinds)


def image(function: str, x: object, kinds: str = NUMBERS) -> Array:
    """Return an operand as `pixels` does, with a y and an x axis."""
    array = pixels(function, x, kinds)
    if array.axes is None or "y" not in array.axes or "x" not in array.axes:
        found = "axes without names" if array.axes is None else f"axes {array.axes!r}"
        raise ShapeError(
            f"{function}: the image {array.shape} has {found}; it takes an image with axes y and "
            f"x; {_naming(array.ndim)}"
        )
    return array


def _naming(ndim: int) -> str:
    """Return how an array of a rank gets axes y and x."""
    if ndim < 2:
        return f'give it {2 - ndim} more first: muntin.asarray(x[None], axes="yx") for a row'
    letters = _LETTERS.get(ndim, "a letter for each")
    return f'name them with muntin.asarray(x, axes="{letters}") or the like'


def pair(
    function: str, a: object, b: object, kinds: str = NUMBERS, *, is_mixed: bool = False
) -> tuple[Array, Array]:
    """Return two operands of one shape, and of one element type unless they may be mixed."""
    first, second = pixels(function, a, kinds), pixels(function, b, kinds)
    common_device(function, (first, second))
    given = f"{type_of(first)} {first.shape} and {type_of(second)} {second.shape}"
    if first.shape != second.shape:
        raise ShapeError(
            f"{function}: operands are {given}; both must have the same shape; "
            f"{_matching(first.shape, second.shape)}"
        )
    if type_of(first) is not type_of(second) and not is_mixed:
        raise DTypeError(
            f"{function}: operands are {given}; both must have the same dtype; "
            f'cast one with .astype("{type_of(first)}")'
        )
    return first, second


def _matching(a: Shape, b: Shape) -> str:
    """Return how two shapes that differ become one."""
    if can_broadcast(a, b):
        return "stretch them with muntin.broadcast_to_match(a, b)"
    short, long = sorted((a, b), key=len)
    if can_broadcast((*short, 1), long):
        return (
            "give the one of fewer axes another with x[..., None], and stretch it with "
            "muntin.broadcast_to_match(a, b)"
        )
    return "take equal parts of both, such as a[:100, :100]"


def edge(function: str, x: Array, border: BorderLike) -> Border:
    """Return the border under which an image is read."""
    try:
        found = Border.of(border)
        if found.mode is BorderMode.CONSTANT:
            found.check_value(type_of(x))
    except BorderError as error:
        raise BorderError(f"{function}: {error}") from error
    if x._node.valid is not None and found.mode is not BorderMode.UNDEFINED:
        raise BorderError(
            f"{function}: border {found} needs the whole image, but only {x._node.valid} of "
            f"{x.shape} is valid; call .valid() to keep that part as an image of its own, or "
            'use border="undefined"'
        )
    return found


def size_of(function: str, x: Array, size: object, name: str = "size") -> tuple[int, ...]:
    """Return the lengths of a centred window along the spatial axes of an image."""
    count = len(spatial(x))
    lengths = [whole(part) for part in (size if isinstance(size, Sequence) else (size,) * count)]
    odd = [length for length in lengths if length is not None and length > 0 and length % 2]
    if len(lengths) != count or len(odd) != count:
        raise ParameterError(
            f"{function}: {name} is {size!r}; it takes an odd positive int or {per_axis(x)}"
        )
    return tuple(odd)


def per_axis(x: Array, words: str = "planes, rows, columns") -> str:
    """Return in words that there is a number for each spatial axis of an image."""
    count = len(spatial(x))
    named = ", ".join(words.split(", ")[-count:])
    return f"{'a pair' if count == 2 else 'three'} of them, ({named})"


def whole(number: object) -> int | None:
    """Return an integer as Python's, None if it is anything else."""
    if isinstance(number, TracedNumber):
        number = as_index(number)  # raises: its value is not known while a function is traced
    return int(number) if isinstance(number, int | np.integer) else None


def is_known(number: object) -> bool:
    """Return whether a number has its value now: no Array, nor one of a traced function."""
    return isinstance(number, int | float | np.number)


def positive(number: object) -> float | None:
    """Return a finite number above 0 as a float, None if it is anything else."""
    if isinstance(number, TracedNumber):
        number = float(number)  # raises, as above
    if isinstance(number, bool) or not isinstance(number, int | float | np.integer | np.floating):
        return None
    return float(number) if 0 < number < inf else None


def choice(function: str, name: str, value: str, allowed: Sequence[str]) -> str:
    """Return a word that is among those allowed."""
    if value not in allowed:
        *most, last = map(repr, allowed)
        raise ParameterError(
            f"{function}: {name} is {value!r}; it takes {', '.join(most)} or {last}"
        )
    return value
