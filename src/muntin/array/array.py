"""Array: the lazy value that a user holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from operator import index as as_index
from typing import Any, NoReturn, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from muntin.array.axes import spatial_axes
from muntin.array.evaluation import evaluate, result_node
from muntin.array.indexing import indexed, transposed
from muntin.array.operators import Operators
from muntin.array.tracing import check_not_tracing
from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.diagonals import entire, part_of
from muntin.core.graph.node import Diagonals, Node
from muntin.core.graph.reshaping import reshape, resolved_shape
from muntin.core.regions import Box
from muntin.core.shapes import as_lengths
from muntin.dtypes import DType, dtype_of
from muntin.errors import ParameterError, ShapeError, UnsupportedError
from muntin.interop import numpy_protocols
from muntin.runtime.buffer import Buffer
from muntin.runtime.device import find_device

__all__ = ["Array"]


class Array(Operators):
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
    def is_evaluated(self) -> bool:
        """Whether it holds elements rather than an expression."""
        return isinstance(self._node.payload, Buffer)

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

    def astype(self, dtype: DType | npt.DTypeLike, overflow: str = "wrap") -> Self:
        """Return the Array with another element type.

        Parameters
        ----------
        dtype : data-type
            The type.
        overflow : {"wrap", "saturate"}
            What becomes of integers that a narrower integer type does not hold.

        Notes
        -----
        Floats become integers by truncation toward zero, clamped to the type; NaN becomes 0.
        """
        if overflow not in ("wrap", "saturate"):
            raise ParameterError(f'astype: overflow is {overflow!r}; use "wrap" or "saturate"')
        row = dtype_of(dtype)
        return self._of(build.cast(self._node, row, saturate=overflow == "saturate"))

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

    def transpose(self, *axes: Any) -> Self:
        """Return the view with its axes permuted, reversed if none are given."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], SupportsIndex) else axes
        return self._of(transposed(self._node, given or None, "transpose"))

    def reshape(self, *shape: Any) -> Self:
        """Return the elements, in C order, in another shape; one length may be -1.

        See Also
        --------
        muntin.reshape : the same, with all that is to be known.
        """
        given = shape[0] if len(shape) == 1 else shape
        lengths = as_lengths(given, "reshape")
        return self._of(reshape(self._node, resolved_shape(self.shape, lengths, "reshape")))

    def ravel(self) -> Self:
        """Return the elements, in C order, along one axis."""
        return self._of(reshape(self._node, (self.size,), "ravel"))

    def flatten(self) -> Self:
        """Return the elements, in C order, along one axis: as an Array never changes, `ravel`."""
        return self._of(reshape(self._node, (self.size,), "flatten"))

    def __getitem__(self, index: object) -> Self:
        return self._of(indexed(self._node, index))

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise UnsupportedError(
            "setitem: an Array is a value that does not change; choose with muntin.where, or "
            "write to the NumPy array before muntin.asarray takes it"
        )

    def __contains__(self, value: object) -> bool:
        return value in self._values("in")

    def __iter__(self) -> Iterator[Self]:
        return (self[position] for position in range(len(self)))

    def _of(self, node: Node) -> Self:
        return type(self)(node, self._device)

    # --- elements ---------------------------------------------------------------------------------

    def eval(self, out: npt.NDArray[Any] | None = None, threads: int | None = None) -> Self:
        """Compute the elements, into `out` if it is given, and return this Array.

        See Also
        --------
        muntin.eval : several results in one pass.
        """
        if out is not None or not self.is_evaluated:
            evaluate((self,), (out,), threads)
        return self

    def _values(self, operation: str) -> npt.NDArray[Any]:
        check_not_tracing(operation)
        node = self._node
        if not isinstance(node.payload, Buffer):
            evaluate((self,), (None,))
            node = self._node
        node.payload.check_version()
        array: npt.NDArray[Any] = node.payload.array
        return array

    def _number(self, operation: str) -> Any:
        if self._node.shape:
            raise UnsupportedError(
                f"{operation}: an Array of shape {self._node.shape} is no single value; reduce it "
                "first, index one element, or call numpy.asarray"
            )
        return self._values(operation).item()

    def item(self) -> bool | int | float:
        """Return the element of a 0-d Array as a Python number."""
        number: bool | int | float = self._number("item")
        return number

    def __bool__(self) -> bool:
        return bool(self._number("bool"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __format__(self, format_spec: str) -> str:
        return format(self._number("format"), format_spec) if format_spec else str(self)

    def __index__(self) -> int:
        if self._node.shape:
            raise UnsupportedError(
                f"index: an Array of shape {self._node.shape} is no index; choose elements with "
                "muntin.where(mask, x, 0), or index numpy.asarray(x)"
            )
        if not self._node.dtype.is_integer:
            raise UnsupportedError(
                f"index: an Array of {self._node.dtype} is no index; cast it with int()"
            )
        return int(self._number("index"))

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self._values("numpy.asarray"), dtype=dtype, copy=copy)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        return numpy_protocols.call_ufunc(type(self), ufunc, method, inputs, out, options)

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return numpy_protocols.call_function(function, args, kwargs)

    def __dlpack__(self, **options: Any) -> Any:
        return self._values("dlpack").__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the results of every device lie in host memory

    def __copy__(self) -> Self:
        self._values("copy")
        return self._of(self._node)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self._of(result_node(self._node, self._values("copy").copy()))

    def __reduce__(self) -> tuple[Any, ...]:
        array = self._values("pickle")
        node = self._node
        return _restored, (type(self), array, node.axes, node.valid, node.diagonals, self._device)


def _offset(offset: SupportsIndex) -> int:
    try:
        return as_index(offset)
    except UnsupportedError:  # a traced number says itself why it is no offset
        raise
    except TypeError as error:
        raise UnsupportedError(
            f"at: offset {offset!r} is no integer; give an integer for each spatial axis"
        ) from error


def _restored(
    kind: type[Array],
    array: npt.NDArray[Any],
    axes: str | None,
    valid: Box | None,
    diagonals: Diagonals | None,
    device: str | None,
) -> Array:
    row = dtype_of(array.dtype)
    node = build.input_node(Buffer(array, row), array.shape, row, axes)
    return kind(replace(node, valid=valid, diagonals=diagonals), device)
