"""Functions traced once for each signature of their arguments and compiled once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from operator import index as as_index
from typing import Any, Generic, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from muntin.array.array import Array
from muntin.array.axes import checked_axes
from muntin.array.creation import asarray
from muntin.array.evaluation import Out, as_outs, check_outs, evaluate, note_writes
from muntin.array.trace import Trace, argument, take_apart, trace
from muntin.array.tracing import TracedNumber, is_tracing
from muntin.dtypes import DType, dtype_of
from muntin.errors import DTypeError, ParameterError, RangeError, ShapeError, UnsupportedError
from muntin.interop.memory import as_ndarray
from muntin.runtime.context import checked_threads, context

__all__ = ["Function", "Spec", "function", "spec"]

R = TypeVar("R")

_KEPT_TRACES = 256


@dataclass(frozen=True, slots=True)
class Spec:
    """What a function takes as an argument: see `spec`."""

    shape: tuple[int | str, ...]
    dtype: DType
    axes: str | None = None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The shape, if it has no names."""
        sizes = tuple([size for size in self.shape if isinstance(size, int)])
        return sizes if len(sizes) == len(self.shape) else None


def spec(
    shape: SupportsIndex | str | Sequence[SupportsIndex | str],
    dtype: DType | npt.DTypeLike,
    axes: str | None = None,
) -> Spec:
    """Return what a function is to take as an argument.

    Parameters
    ----------
    shape : int, str or a sequence of them
        A size, or a name, for each axis; sizes of one name must be equal in all arguments.
    dtype : data-type
        The element type.
    axes : str, optional
        A letter an axis; None takes those by rank.

    Examples
    --------
    >>> spec(("height", "width"), "uint8")
    Spec(shape=('height', 'width'), dtype=uint8, axes='yx')
    """
    given = (shape,) if isinstance(shape, str | SupportsIndex) else tuple(shape)
    try:
        sizes = tuple([size if isinstance(size, str) else as_index(size) for size in given])
    except TypeError as error:
        raise UnsupportedError(
            f"spec: shape {shape!r}; give an integer or a name for each axis"
        ) from error
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise ShapeError(f"spec: shape {shape!r} has a negative size; sizes start at 0")
    return Spec(sizes, dtype_of(dtype), checked_axes("spec", axes, len(sizes)))


def function(fn: Callable[..., R], *specs: Spec) -> Function[R]:
    """Return a function of arrays that is traced once for each signature and compiled once.

    Parameters
    ----------
    fn : callable
        Takes Arrays and numbers; returns Arrays, in tuples, lists or dicts of any depth.
    *specs : Spec
        What each argument must be; without them every shape and type is taken.

    Returns
    -------
    Function
        To be called as `fn`, and with ``out=`` and ``threads=``.

    Notes
    -----
    `fn` runs once for each combination of shapes, types, axes and device. Integers and floats
    among the arguments are passed to the kernels: other numbers compile nothing. They keep the
    rules of Python numbers, but their values are not known while `fn` runs. Arguments of any
    other type, truth values and texts among them, are constants: each value is traced.

    Examples
    --------
    >>> import numpy as np
    >>> brighter = function(lambda image, by: image + by)
    >>> frame = np.zeros((2, 3), np.uint8)
    >>> np.asarray(brighter(frame, 5))
    array([[5, 5, 5],
           [5, 5, 5]], dtype=uint8)
    """
    return Function(fn, specs)


class Function(Generic[R]):
    """A traced and compiled function: see `function`."""

    def __init__(self, fn: Callable[..., R], specs: Sequence[Spec] = ()) -> None:
        if not callable(fn):
            raise UnsupportedError(f"function: got {fn!r}; give a callable")
        for given in specs:
            if not isinstance(given, Spec):
                raise UnsupportedError(
                    f"function: got {given!r} as a specification; make it with muntin.spec(shape, "
                    "dtype)"
                )
        self._fn = fn
        self._specs = tuple(specs)
        self._traces: dict[tuple[Any, ...], Trace] = {}
        self._latest: Trace | None = None

    def __call__(self, *args: Any, out: Out = None, threads: int | None = None, **named: Any) -> R:
        """Return the results for these arguments, written into `out` where it is given.

        Parameters
        ----------
        *args, **named
            NumPy arrays, Arrays and numbers, as many as `fn` takes.
        out : ndarray or tuple of ndarray, optional
            Memory for each result, in order; it may overlap arguments.
        threads : int, optional
            How many threads; None leaves it to the context.
        """
        if named:
            args = self._in_order(args, named)
        if is_tracing():
            return self._inlined(args, out)
        here = context()
        key, values = _signature(here.device, args)
        found = self._traces.get(key)
        if found is None:
            found = self._trace(key, values, args)
        given = None if found is None else found.values(values)
        if found is None or given is None:
            return self._untraced(args, out, threads)
        self._latest = found
        outs = as_outs("function", out, len(found.roots))
        for buffer in found.captured:
            buffer.check_version()
        if out is not None:
            check_outs("function", found.roots, outs)
            note_writes(outs)
        wanted = here.thread_count if threads is None else checked_threads("function", threads)
        arrays = found.graph.run(given, outs, threads=wanted)
        results: R = found.results(arrays, values)
        return results

    def _in_order(self, args: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """Return all arguments by position, those left out by their defaults."""
        bound = signature(self._fn).bind(*args, **named)
        bound.apply_defaults()
        if bound.kwargs:
            raise UnsupportedError(
                f"function: {', '.join(bound.kwargs)} can be given by name alone; arguments of a "
                "traced function have positions: take the * from its parameters"
            )
        return bound.args

    @property
    def kernels(self) -> Sequence[Any]:
        """The compiled kernels of the latest call, in the order in which they run."""
        return self._of_latest("kernels").graph.kernels

    def memory_report(self) -> Any:
        """Return what memory the latest call's kernels take besides arguments and results."""
        return self._of_latest("memory_report").graph.memory_report()

    def __repr__(self) -> str:
        name = getattr(self._fn, "__name__", type(self._fn).__name__)
        return f"Function({name}, {len(self._traces)} traced)"

    def _of_latest(self, asked: str) -> Trace:
        if self._latest is None:
            sizes = [given.sizes for given in self._specs]
            if not sizes or None in sizes:
                raise ParameterError(
                    f"function: there is nothing compiled to give {asked} of; call the function "
                    "once, or give specifications with sizes for all arguments"
                )
            samples = [
                np.broadcast_to(np.zeros((), given.dtype.numpy), given.sizes or ())
                for given in self._specs
            ]
            key, values = _signature(context().device, samples)
            self._latest = self._trace(key, values, samples)
        assert self._latest is not None
        return self._latest

    def _trace(
        self, key: tuple[Any, ...], values: Sequence[Any], args: Sequence[Any]
    ) -> Trace | None:
        """Return a new trace, or None if a number of this call does not fit where it is used."""
        self._check_specs(values)
        letters = [given.axes for given in self._specs] or [None] * len(args)
        traced = [
            _traced(arg, value, place, axes)
            for place, (arg, value, axes) in enumerate(zip(args, values, letters, strict=True))
        ]
        try:
            made = trace(self._fn, traced)
        except RangeError:
            if any(isinstance(arg, TracedNumber) for arg in traced):
                return None
            raise
        if len(self._traces) >= _KEPT_TRACES:
            oldest, *_ = tuple(self._traces)  # a copy: other threads may add meanwhile
            self._traces.pop(oldest, None)
        self._traces[key] = made
        return made

    def _untraced(self, args: Sequence[Any], out: Out, threads: int | None) -> R:
        """Evaluate the function for these values alone."""
        _, values = _signature(None, args)
        letters = [given.axes for given in self._specs] or [None] * len(args)
        arrays = [
            arg
            if isinstance(arg, Array) or not isinstance(value, np.ndarray)
            else asarray(value, axes=axes)
            for value, arg, axes in zip(values, args, letters, strict=True)
        ]
        leaves, builder = take_apart(self._fn(*arrays))
        evaluate(leaves, as_outs("function", out, len(leaves)), threads)
        results: R = builder(leaves, values)
        return results

    def _inlined(self, args: Sequence[Any], out: Out) -> R:
        if out is not None:
            raise UnsupportedError(
                "function: out= was given while another function is traced, where nothing is "
                "written; leave it away"
            )
        return self._fn(*args)

    def _check_specs(self, values: Sequence[Any]) -> None:
        if not self._specs:
            return
        if len(values) != len(self._specs):
            raise ParameterError(
                f"function: got {len(values)} arguments, but {len(self._specs)} were specified; "
                "give one for each specification"
            )
        named: dict[str, int] = {}
        for place, (value, given) in enumerate(zip(values, self._specs, strict=True)):
            if not isinstance(value, np.ndarray):
                if given.shape:
                    raise ShapeError(
                        f"function: argument {place} is {value!r}; it was specified as "
                        f"{given.dtype} {given.shape}"
                    )
                continue
            if value.dtype != given.dtype.numpy:
                raise DTypeError(
                    f"function: argument {place} is {value.dtype}, but was specified as "
                    f"{given.dtype}; cast it first"
                )
            if not _agrees(value.shape, given.shape, named):
                raise ShapeError(
                    f"function: argument {place} has shape {value.shape}, but was specified as "
                    f"{given.shape}{_naming(named)}; give arrays of such shapes"
                )


def _agrees(shape: tuple[int, ...], wanted: tuple[int | str, ...], named: dict[str, int]) -> bool:
    """Say whether a shape is as specified; new names get its sizes."""
    if len(shape) != len(wanted):
        return False
    return all(
        length == (named.setdefault(size, length) if isinstance(size, str) else size)
        for length, size in zip(shape, wanted, strict=True)
    )


def _naming(named: dict[str, int]) -> str:
    pairs = ", ".join(f"{name} = {size}" for name, size in named.items())
    return f" with {pairs}" if pairs else ""


def _signature(device: object, args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Return what a trace depends on, and the arguments as arrays, numbers and constants."""
    values: list[Any] = []
    key: list[Any] = [device]
    for arg in args:
        kind = type(arg)
        if kind is np.ndarray:
            value = arg if arg.flags.aligned and arg.dtype.isnative else as_ndarray(arg)
            key += (value.dtype, value.shape)
        elif kind is int or kind is float:
            value = arg
            key.append(kind)
        elif isinstance(arg, Array):
            value = np.asarray(arg)
            node = arg._node
            key += (value.dtype, value.shape, node.axes, node.valid, node.diagonals, arg._device)
        elif _is_constant(arg):
            value = arg
            key.append(_exact(arg))
        else:
            value = as_ndarray(arg)
            key += (value.dtype, value.shape)
        values.append(value)
    return tuple(key), values


def _is_constant(arg: object) -> bool:
    if isinstance(arg, np.generic) or hasattr(arg, "__dlpack__") or hasattr(arg, "__array__"):
        return False
    try:
        hash(arg)
    except (TypeError, ValueError):  # a memoryview that can be written has no hash by ValueError
        return False
    return True


def _exact(constant: object) -> object:
    """Return what tells a constant from those that are equal but not the same: 1, 1.0 and True."""
    kind = type(constant)
    if isinstance(constant, tuple):
        return (kind, *[_exact(part) for part in constant])
    return (kind, constant.hex() if isinstance(constant, float) else constant)


def _traced(arg: Any, value: Any, place: int, axes: str | None) -> Any:
    """Return what stands for an argument while the function is traced."""
    if isinstance(arg, Array):
        return argument(arg)
    if isinstance(value, np.ndarray):
        return argument(asarray(value, axes=axes))
    if type(arg) in (int, float):
        return TracedNumber(arg, lambda args: args[place])
    return arg
