"""Borders: what a read outside an image gives, as a map from any index to one inside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.dtypes import DType, dtype_of
from muntin.errors import BorderError

__all__ = ["Border", "BorderMode", "constant", "index_map", "map_index"]


class BorderMode(StrEnum):
    """The kinds of border, shown for the row a b c d."""

    CONSTANT = "constant"  # k k k | a b c d | k k k
    REPLICATE = "replicate"  # a a a | a b c d | d d d
    SYMMETRIC = "symmetric"  # c b a | a b c d | d c b
    REFLECT101 = "reflect101"  # d c b | a b c d | c b a
    WRAP = "wrap"  # b c d | a b c d | a b c
    UNDEFINED = "undefined"  # nothing is read: the valid region shrinks


_FOREIGN: dict[str, dict[str, BorderMode]] = {
    "numpy": {
        "constant": BorderMode.CONSTANT,
        "edge": BorderMode.REPLICATE,
        "symmetric": BorderMode.SYMMETRIC,
        "reflect": BorderMode.REFLECT101,
        "wrap": BorderMode.WRAP,
    },
    "scipy": {
        "constant": BorderMode.CONSTANT,
        "grid-constant": BorderMode.CONSTANT,
        "nearest": BorderMode.REPLICATE,
        "reflect": BorderMode.SYMMETRIC,
        "grid-mirror": BorderMode.SYMMETRIC,
        "mirror": BorderMode.REFLECT101,
        "wrap": BorderMode.WRAP,
        "grid-wrap": BorderMode.WRAP,
    },
    "opencv": {
        "constant": BorderMode.CONSTANT,
        "replicate": BorderMode.REPLICATE,
        "reflect": BorderMode.SYMMETRIC,
        "reflect101": BorderMode.REFLECT101,
        "reflect_101": BorderMode.REFLECT101,
        "default": BorderMode.REFLECT101,
        "wrap": BorderMode.WRAP,
    },
}

_OWN = {mode.value: mode for mode in BorderMode}
_AMBIGUOUS = ("reflect", "mirror")


@dataclass(frozen=True, slots=True, eq=False)
class Border:
    """A border mode, with the value of a constant one.

    Borders are equal if they give the same pixels: 1 equals 1.0, NaN equals NaN, and 0.0 is
    not -0.0. The value of any other mode is 0.

    Examples
    --------
    >>> print(Border.of("scipy:nearest"), constant(7))
    replicate constant(7)
    """

    mode: BorderMode
    value: int | float = 0

    def __post_init__(self) -> None:
        if type(self.mode) is not BorderMode:  # a name
            object.__setattr__(self, "mode", Border.of(self.mode).mode)
        is_constant = self.mode is BorderMode.CONSTANT
        object.__setattr__(self, "value", _plain_number(self.value) if is_constant else 0)

    @classmethod
    def of(cls, spec: Border | BorderMode | str) -> Border:
        """Return the border that `spec` names.

        Parameters
        ----------
        spec : Border, BorderMode or str
            A border, a mode or its name, or a mode of another library after its name and a
            colon: ``"numpy:reflect"`` (as ``numpy.pad``), ``"scipy:reflect"`` (as the filters
            of ``scipy.ndimage``), ``"opencv:reflect101"``. A constant named so is 0.

        Raises
        ------
        BorderError
            If there is no such border, or the name means different things in different
            libraries (``"reflect"``, ``"mirror"``).
        """
        if isinstance(spec, Border):
            return spec
        if isinstance(spec, str):
            return cls(_mode_named(spec))
        raise BorderError(
            f"border: {spec!r} is no border; use one of {_names(_OWN)}, "
            "or muntin.constant(value) for a value"
        )

    def check_value(self, dtype: DType | npt.DTypeLike) -> int | float:
        """Return the constant as a Python number of an image's element type.

        Raises
        ------
        BorderError
            If the type cannot hold it: an integer type takes whole numbers in its range, a
            floating one any number that does not overflow, NaN and infinities.

        Examples
        --------
        >>> constant(255).check_value("uint8")
        255
        """
        row = dtype_of(dtype)
        if row.is_float:
            return self._checked_float(row)
        if isinstance(self.value, float) or not row.least <= self.value <= row.greatest:
            raise BorderError(
                f"border: {self} does not fit a {row} image, whose values are whole numbers "
                f"from {row.least} to {row.greatest}; use such a constant or cast the image"
            )
        return self.value

    def _checked_float(self, row: DType) -> float:
        limit = row.greatest_finite
        if abs(self.value) > limit and self.value not in (math.inf, -math.inf):
            raise BorderError(
                f"border: {self} overflows in a {row} image, whose values reach {limit}; "
                "use a smaller constant, an infinity, or cast the image"
            )
        return float(self.value)

    def __str__(self) -> str:
        is_constant = self.mode is BorderMode.CONSTANT
        return f"constant({self.value})" if is_constant else self.mode.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Border) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[BorderMode, int | str]:
        value = self.value
        return self.mode, value.hex() if isinstance(value, float) else value


def constant(value: SupportsIndex | SupportsFloat) -> Border:
    """Return the border whose every outside pixel is `value`.

    Raises
    ------
    BorderError
        If `value` is not a real number.
    """
    return Border(BorderMode.CONSTANT, value)  # type: ignore[arg-type]


def _plain_number(value: Any) -> int | float:
    """Return a Python int where `value` is whole (but for -0.0), else a float."""
    if isinstance(value, bool | int | np.integer | np.bool_):
        return int(value)
    if not isinstance(value, float | np.floating):
        raise BorderError(f"border: constant {value!r} is not a number; give an int or a float")
    number = float(value)
    if number.is_integer() and (number or math.copysign(1.0, number) > 0):
        return int(number)
    return number


def _mode_named(name: str) -> BorderMode:
    library, colon, word = name.strip().lower().rpartition(":")
    if not colon:
        return _own_mode(word, name)
    table = _FOREIGN.get(library)
    if table is None:
        raise BorderError(
            f"border: {name!r} names no library that muntin knows; "
            f"a name may begin with {', '.join(f'{known}:' for known in _FOREIGN)}"
        )
    mode = table.get(word.removeprefix("border_") if library == "opencv" else word)
    if mode is None:
        raise BorderError(f"border: {name!r} is no border; of {library} there are {_names(table)}")
    return mode


def _own_mode(word: str, name: str) -> BorderMode:
    if word in _OWN:
        return _OWN[word]
    if word in _AMBIGUOUS:
        raise BorderError(
            f"border: {name!r} means opposite things in NumPy and SciPy; write "
            '"reflect101" for d c b | a b c d | c b a ("numpy:reflect", "scipy:mirror"), or '
            '"symmetric" for d c b a | a b c d | d c b a ("numpy:symmetric", "scipy:reflect")'
        )
    kin = [f'"{library}:{word}"' for library, names in _FOREIGN.items() if word in names]
    hint = f"; for the mode of another library write {' or '.join(kin)}" if kin else ""
    raise BorderError(f"border: {name!r} is no border; use one of {_names(_OWN)}{hint}")


def _names(table: dict[str, BorderMode]) -> str:
    return ", ".join(table)


def map_index(mode: BorderMode, i: int, size: int) -> int | None:
    """Return the index inside [0, size) that a read at `i` takes.

    Parameters
    ----------
    mode : BorderMode
        The border.
    i : int
        Any index, at any distance from the image.
    size : int
        The image's length, 0 or more.

    Returns
    -------
    int or None
        None outside under constant and undefined borders, and always if the image is empty.

    Examples
    --------
    >>> [map_index(BorderMode.REFLECT101, i, 3) for i in range(-3, 6)]
    [1, 2, 1, 0, 1, 2, 1, 0, 1]
    """
    if 0 <= i < size:
        return i
    if size == 0:
        return None
    match mode:
        case BorderMode.REPLICATE:
            return 0 if i < 0 else size - 1
        case BorderMode.SYMMETRIC:
            i %= 2 * size
            return min(i, 2 * size - 1 - i)
        case BorderMode.REFLECT101:
            period = max(2 * size - 2, 1)
            i %= period
            return min(i, period - i)
        case BorderMode.WRAP:
            return i % size
        case _:
            return None


def index_map(mode: BorderMode, lo: int, hi: int, size: int) -> npt.NDArray[np.int64]:
    """Return `map_index` of every index in [lo, hi), with -1 for None.

    Examples
    --------
    >>> index_map(BorderMode.CONSTANT, -2, 4, 3)
    array([-1, -1,  0,  1,  2, -1])
    """
    i = np.arange(lo, hi, dtype=np.int64)
    if size == 0:
        return np.full_like(i, -1)
    match mode:
        case BorderMode.REPLICATE:
            return i.clip(0, size - 1)
        case BorderMode.SYMMETRIC:
            i %= 2 * size
            return np.minimum(i, 2 * size - 1 - i)
        case BorderMode.REFLECT101:
            period = max(2 * size - 2, 1)
            i %= period
            return np.minimum(i, period - i)
        case BorderMode.WRAP:
            return i % size
        case _:
            return np.where((i >= 0) & (i < size), i, -1)
