"""Array: the lazy value that a user holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from math import prod
from operator import index as as_index
from types import ModuleType
from typing import Any, NoReturn, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array.axes import spatial_axes
from muntin.array.choosing import chosen, has_arrays
from muntin.array.elements import Elements
from muntin.array.indexing import indexed, squeezed, transposed
from muntin.array.operators import combine
from muntin.array.reducing import Axis, Reduction, accumulation
from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.diagonals import entire, part_of
from muntin.core.graph.node import Diagonals
from muntin.core.graph.reshaping import reshape
from muntin.core.regions import Box
from muntin.core.shapes import as_lengths, normalize_axis
from muntin.dtypes import DType, dtype_of
from muntin.errors import ParameterError, ShapeError, UnsupportedError
from muntin.runtime.device import find_device

__all__ = ["API_VERSIONS", "Array"]

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")  # of the Array API, the latest last


class Array(Elements):
    """A lazy array: shape and element type are known, elements when they are asked for.

    Operators and functions build expressions. `numpy.asarray`, `eval` and conversions of 0-d
    Arrays compute them; an Array that was computed keeps its result and drops its expression.
    Make Arrays with `muntin.asarray`.

    Notes
    -----
    Inputs are read when an expression is evaluated, so that writing to their memory before then
    changes its value. Integer operators wrap as NumPy's do.

    Examples
    --------
    >>> import muntin as mt
    >>> x = mt.asarray([[1, 2], [3, 4]], axes="yx")
    >>> y = x * 2 + 1
    >>> y
    Array((2, 2), int64, axes="yx", lazy)
    >>> y.eval().is_evaluated, int(y[1, 0])
    (True, 7)
    """

    __slots__ = ()

    # --- what is known ----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, as NumPy's."""
        return self._node.dtype.numpy

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self._node.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element once it is stored."""
        return self._node.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of its elements once they are stored."""
        return self.size * self._node.dtype.itemsize

    @property
    def axes(self) -> str | None:
        """A letter an axis, such as ``"yxc"``; None where they have no names."""
        return self._node.axes

    @property
    def device(self) -> str | None:
        """The device it is committed to; None leaves it to the context of the evaluation."""
        return self._device

    @property
    def valid_region(self) -> Box:
        """The elements that are defined: all, but for reads with ``border="undefined"``."""
        region = self._node.valid
        return Box.full(self._node.shape) if region is None else region

    @property
    def part(self) -> str:
        """What of the last two axes may be nonzero: entire, lower, upper or diagonal."""
        return "entire" if self.ndim < 2 else part_of(self._diagonals("part"), self.shape)

    @property
    def bottom_diagonal(self) -> int:
        """The lowest diagonal that may be nonzero; element (i, j) is on diagonal j - i."""
        return self._diagonals("bottom_diagonal")[0]

    @property
    def top_diagonal(self) -> int:
        """The highest diagonal that may be nonzero; element (i, j) is on diagonal j - i."""
        return self._diagonals("top_diagonal")[1]

    def _diagonals(self, operation: str) -> Diagonals:
        if self.ndim < 2:
            raise ShapeError(
                f"{operation}: an Array of {self.ndim} axes has no diagonals; it takes two or more"
            )
        return self._node.diagonals or entire(self._node.shape)

    @property
    def T(self) -> Self:
        """The view with its axes in reverse order."""
        return self.transpose()

    @property
    def mT(self) -> Self:
        """The view with its last two axes exchanged: a matrix, or a stack of them, transposed."""
        ndim = self.ndim
        if ndim < 2:
            raise ShapeError(f"mT: an Array of shape {self.shape}; it takes two axes or more")
        return self.transpose(*range(ndim - 2), ndim - 1, ndim - 2)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        if api_version is not None and api_version not in API_VERSIONS:
            raise ParameterError(
                f"array namespace: version {api_version!r} of the Array API is not here; ask for "
                f"one of {', '.join(API_VERSIONS)}"
            )
        return import_module("muntin.xp")  # which is made of Arrays, so that they do not import it

    def __len__(self) -> int:
        if not self._node.shape:
            raise UnsupportedError(
                "len: a 0-d Array has no length; convert it with int() or float()"
            )
        return self._node.shape[0]

    def __repr__(self) -> str:
        node = self._node
        words = [str(node.shape), node.dtype.name]
        if node.axes:
            words.append(f'axes="{node.axes}"')
        if self._device is not None:
            words.append(f'device="{self._device}"')
        if node.valid is not None:
            words.append(f"valid {node.valid.start} to {node.valid.stop}")
        words.append("evaluated" if self.is_evaluated else "lazy")
        return f"Array({', '.join(words)})"

    # --- expressions ------------------------------------------------------------------------------

    def astype(
        self, dtype: DType | npt.DTypeLike, overflow: str = "wrap", *, copy: bool = True
    ) -> Self:
        """Return the Array with another element type.

        Parameters
        ----------
        dtype : data-type
            The type.
        overflow : {"wrap", "saturate"}
            What becomes of integers that a narrower integer type does not hold.
        copy : bool
            Not looked at: there is no difference between a value and its copy.

        Notes
        -----
        Floats become integers by truncation toward zero, clamped to the type; NaN becomes 0.
        """
        if overflow not in ("wrap", "saturate"):
            raise ParameterError(f'astype: overflow is {overflow!r}; use "wrap" or "saturate"')
        row = dtype_of(dtype)
        return self._of(build.cast(self._node, row, saturate=overflow == "saturate"))

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Return the Array held between two bounds: see `muntin.clip`."""
        row, clipped = self._node.dtype, self
        if min is not None and not (type(min) is int and row.is_integer and min < row.least):
            clipped = type(self)(*combine("maximum", clipped, min))
        if max is not None and not (type(max) is int and row.is_integer and max > row.greatest):
            clipped = type(self)(*combine("minimum", clipped, max))
        return clipped

    def round(self, decimals: SupportsIndex = 0) -> Self:
        """Return the Array rounded to a number of decimals, halves to the even digit.

        Notes
        -----
        As NumPy: multiplied by a power of ten, rounded and divided, so that 2.675 gives 2.68.
        """
        places = as_index(decimals)
        if places == 0 or (places > 0 and not self._node.dtype.is_float):
            return self._unary("round")
        unit = 10.0 ** abs(places)
        if self._node.dtype.is_half:
            single = self.astype(self._node.dtype.computed).round(places)
            return single.astype(self._node.dtype)
        if places > 0:
            return (self * unit)._unary("round") / unit
        return ((self / unit)._unary("round") * unit).astype(self._node.dtype)

    def at(self, *offsets: int, border: Border | BorderMode | str = BorderMode.REPLICATE) -> Self:
        """Return the Array of each element's neighbour at an offset.

        Parameters
        ----------
        *offsets : int
            How far along each of the axes z, y and x that there are, in this order.
        border : Border or str
            What a read outside the array gives.

        Examples
        --------
        >>> import numpy as np, muntin as mt
        >>> x = mt.asarray([1, 2, 4, 8])
        >>> np.asarray(x.at(1) - x)
        array([1, 2, 4, 0])
        """
        node = self._node
        places = spatial_axes("at", node.axes)
        if len(offsets) != len(places):
            letters = ", ".join(node.axes[place] for place in places) if node.axes else ""
            raise ShapeError(
                f"at: offsets are {offsets} for an array with axes {node.axes!r}; give one for "
                f"each of its {len(places)} spatial axes ({letters})"
            )
        along = [0] * len(node.shape)
        for place, offset in zip(places, offsets, strict=True):
            along[place] = _offset(offset)
        return self._of(build.neighbour(node, tuple(along), Border.of(border)))

    def keep(self) -> Self:
        """Return the Array, marked to be stored whole where an expression reads it."""
        return self._of(build.keep(self._node))

    def valid(self) -> Self:
        """Return the part that is defined, as an array of its own."""
        if self._node.valid is None:
            return self._of(self._node)
        return self._of(indexed(self._node, self._node.valid.slices))

    def to(self, device: str) -> Self:
        """Return the Array committed to a device, where every expression of it is evaluated."""
        return type(self)(self._node, find_device(device).name)

    def to_device(self, device: str, /, *, stream: Any = None) -> Self:
        """Return the Array committed to a device: `to` under the Array API's name."""
        if stream is not None:
            raise ParameterError(
                f"to_device: stream is {stream!r}; nothing moves before an evaluation, which "
                "orders its own work; leave it away"
            )
        return self.to(device)

    def transpose(self, *axes: Any) -> Self:
        """Return the view with its axes permuted, reversed if none are given."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], SupportsIndex) else axes
        return self._of(transposed(self._node, given or None, "transpose"))

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Self:
        """Return the view with two axes exchanged."""
        order = list(range(self.ndim))
        first, second = (normalize_axis(axis, self.ndim, "swapaxes") for axis in (axis1, axis2))
        order[first], order[second] = second, first
        return self._of(transposed(self._node, order, "swapaxes"))

    def squeeze(self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None) -> Self:
        """Return the view without some axes of length 1, without all of them by default."""
        if axis is None:
            axis = [place for place, length in enumerate(self.shape) if length == 1]
        return self._of(squeezed(self._node, axis))

    def reshape(self, *shape: Any) -> Self:
        """Return the elements, in C order, in another shape; one length may be -1.

        See Also
        --------
        muntin.reshape : the same, with all that is to be known.
        """
        given = shape[0] if len(shape) == 1 else shape
        return self._of(reshape(self._node, as_lengths(given, "reshape")))

    def ravel(self) -> Self:
        """Return the elements, in C order, along one axis."""
        return self._of(reshape(self._node, (-1,), "ravel"))

    def flatten(self) -> Self:
        """Return the elements, in C order, along one axis: as an Array never changes, `ravel`."""
        return self._of(reshape(self._node, (-1,), "flatten"))

    # --- reductions -----------------------------------------------------------------------------

    def sum(
        self,
        axis: Axis = None,
        dtype: DType | npt.DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Self:
        """Return the sums along some axes: see `muntin.sum`."""
        return self._of(Reduction("sum", self._node, axis, keepdims=keepdims).accumulated(dtype))

    def prod(
        self,
        axis: Axis = None,
        dtype: DType | npt.DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Self:
        """Return the products along some axes: see `muntin.prod`."""
        return self._of(Reduction("prod", self._node, axis, keepdims=keepdims).accumulated(dtype))

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return the means along some axes: see `muntin.mean`."""
        return self._of(Reduction("mean", self._node, axis, keepdims=keepdims).mean())

    def var(self, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Self:
        """Return the variances along some axes: see `muntin.var`."""
        reduction = Reduction("var", self._node, axis, keepdims=keepdims)
        return self._of(reduction.variance(correction))

    def std(self, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Self:
        """Return the standard deviations along some axes: see `muntin.std`."""
        reduction = Reduction("std", self._node, axis, keepdims=keepdims)
        return self._of(build.elementwise("sqrt", reduction.variance(correction)))

    def max(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return the greatest elements along some axes: see `muntin.max`."""
        return self._of(Reduction("max", self._node, axis, keepdims=keepdims).chosen())

    def min(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return the least elements along some axes: see `muntin.min`."""
        return self._of(Reduction("min", self._node, axis, keepdims=keepdims).chosen())

    def argmax(self, axis: SupportsIndex | None = None, keepdims: bool = False) -> Self:
        """Return the positions of the greatest elements: see `muntin.argmax`."""
        return self._of(Reduction("argmax", self._node, axis, keepdims=keepdims).chosen())

    def argmin(self, axis: SupportsIndex | None = None, keepdims: bool = False) -> Self:
        """Return the positions of the least elements: see `muntin.argmin`."""
        return self._of(Reduction("argmin", self._node, axis, keepdims=keepdims).chosen())

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return whether an element along some axes is not 0: see `muntin.any`."""
        return self._of(Reduction("any", self._node, axis, keepdims=keepdims).decided("max"))

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        """Return whether no element along some axes is 0: see `muntin.all`."""
        return self._of(Reduction("all", self._node, axis, keepdims=keepdims).decided("min"))

    def cumsum(
        self, axis: SupportsIndex | None = None, dtype: DType | npt.DTypeLike | None = None
    ) -> Self:
        """Return the sums of all elements up to each, in C order if no axis is given.

        See Also
        --------
        muntin.cumulative_sum : the same along an axis, with all that is to be known.
        """
        node, place = (self.ravel()._node, 0) if axis is None else (self._node, axis)
        return self._of(accumulation("cumsum", "sum", node, place, dtype))

    def cumprod(
        self, axis: SupportsIndex | None = None, dtype: DType | npt.DTypeLike | None = None
    ) -> Self:
        """Return the products of all elements up to each, in C order if no axis is given."""
        node, place = (self.ravel()._node, 0) if axis is None else (self._node, axis)
        return self._of(accumulation("cumprod", "prod", node, place, dtype))

    # --- elements -------------------------------------------------------------------------------

    def __getitem__(self, index: object) -> Self:
        if has_arrays(index):
            return self._of(chosen(self._node, index))
        return self._of(indexed(self._node, index))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise UnsupportedError(
            "setitem: an Array is a value that does not change; choose with muntin.where, or "
            "write to the NumPy array before muntin.asarray takes it"
        )

    def __iter__(self) -> Iterator[Self]:
        return (self[position] for position in range(len(self)))


def _offset(offset: SupportsIndex) -> int:
    try:
        return as_index(offset)
    except UnsupportedError:  # a traced number says itself why it is no offset
        raise
    except TypeError as error:
        raise UnsupportedError(
            f"at: offset {offset!r} is no integer; give an integer for each spatial axis"
        ) from error
