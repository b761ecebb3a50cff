"""The elements of a lazy value: computed when Python or another library asks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from muntin.array.evaluation import evaluate, result_node
from muntin.array.operators import Operators
from muntin.array.tracing import check_not_tracing
from muntin.core.graph.build import input_node
from muntin.core.graph.node import Diagonals, Node
from muntin.core.regions import Box
from muntin.dtypes import dtype_of
from muntin.errors import ExchangeError, StaleInputError, UnsupportedError
from muntin.interop import dlpack, numpy_protocols, picture
from muntin.runtime.buffer import Buffer

__all__ = ["Elements"]


class Elements(Operators):
    """A lazy value with what asks for its elements."""

    __slots__ = ()

    @property
    def is_evaluated(self) -> bool:
        """Whether it holds elements rather than an expression."""
        return isinstance(self._node.payload, Buffer)

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

    def _of(self, node: Node) -> Self:
        return type(self)(node, self._device)

    # --- Python's values --------------------------------------------------------------------------

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

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers, that of a 0-d Array as a number.

        Examples
        --------
        >>> import muntin as mt
        >>> (mt.asarray([[1, 2], [3, 4]]) * 2).tolist()
        [[2, 4], [6, 8]]
        """
        return self._values("tolist").tolist()

    def tobytes(self) -> bytes:
        """Return the elements as bytes, in C order."""
        return self._values("tobytes").tobytes()

    def __bool__(self) -> bool:
        return bool(self._number("bool"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

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

    def __contains__(self, value: object) -> bool:
        return value in self._values("in")

    # --- other libraries --------------------------------------------------------------------------

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self._values("numpy.asarray"), dtype=dtype, copy=copy)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        if not all(map(numpy_protocols.is_known, (*inputs, *(out or ())))):
            return NotImplemented  # the other library may know both
        return numpy_protocols.call_ufunc(type(self), ufunc, method, inputs, out, options)

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if not all(issubclass(kind, Operators | np.ndarray) for kind in types):
            return NotImplemented
        return numpy_protocols.call_function(function, args, kwargs)

    def __buffer__(self, flags: int, /) -> memoryview:
        # Not computed here: NumPy asks for a buffer first, and hides whatever error that raises.
        if not self.is_evaluated:
            raise ExchangeError(
                "memoryview: the Array is an expression, which has no memory yet; call .eval() "
                "first, or numpy.asarray(x)"
            )
        if self._node.dtype.name == "bfloat16":
            raise ExchangeError(
                "memoryview: Python's buffers have no bfloat16; take the bits with "
                'numpy.asarray(x).view("uint16")'
            )
        return self._values("memoryview").data

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        dlpack.check_request(stream, dl_device)
        return dlpack.capsule(self._values("dlpack"), max_version, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.HOST  # where the results of every device lie

    # --- copies -----------------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return the Array with memory of its own, that later writes to an input do not change.

        Notes
        -----
        An expression has none yet: it is returned as it is, and not computed.
        """
        if not self.is_evaluated:
            return self._of(self._node)
        return self._of(result_node(self._node, self._values("copy").copy()))

    def __copy__(self) -> Self:
        self._values("copy")
        return self._of(self._node)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self._of(result_node(self._node, self._values("copy").copy()))

    def __reduce__(self) -> tuple[Any, ...]:
        array = self._values("pickle")
        node = self._node
        return _restored, (type(self), array, node.axes, node.valid, node.diagonals, self._device)

    # --- pictures ---------------------------------------------------------------------------------

    def _repr_png_(self) -> bytes | None:
        """Return an image that was computed as a PNG file, for notebooks; None of all else."""
        source = self._node.payload
        if not isinstance(source, Buffer):
            return None
        try:
            source.check_version()
        except StaleInputError:  # whoever asks for the elements is told
            return None
        return picture.as_png(source.array, self._node.axes)

    def _repr_html_(self) -> str | None:
        """Return an image that was computed with its type below it, for notebooks."""
        data = self._repr_png_()
        return None if data is None else picture.as_html(data, repr(self))


def _restored(
    kind: type[Elements],
    array: npt.NDArray[Any],
    axes: str | None,
    valid: Box | None,
    diagonals: Diagonals | None,
    device: str | None,
) -> Elements:
    row = dtype_of(array.dtype)
    node = input_node(Buffer(array, row), array.shape, row, axes)
    return kind(replace(node, valid=valid, diagonals=diagonals), device)
