"""Evaluation: several results from one call to a device, fresh or written into memory given."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextvars import copy_context
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.array.operators import Operators
from muntin.array.tracing import check_not_tracing
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.errors import DTypeError, ParameterError, ShapeError, UnsupportedError
from muntin.runtime.buffer import Buffer, note_write, share_memory
from muntin.runtime.context import checked_threads, context
from muntin.runtime.device import Device, find_device

__all__ = [
    "Out",
    "Pending",
    "as_outs",
    "check_outs",
    "chosen_device",
    "eval",
    "evaluate",
    "note_writes",
    "result_node",
]

Out: TypeAlias = npt.NDArray[Any] | Sequence[npt.NDArray[Any]] | None

_INPUT = op("input")


def evaluate(
    values: Sequence[Operators], outs: Sequence[npt.NDArray[Any] | None], threads: int | None = None
) -> None:
    """Compute the values; each then holds its result, in its out if that is given.

    Values on the same device are computed in one call. No out is written unless all are right:
    what other devices than the last compute is copied to its outs when all are done.
    """
    check_not_tracing("eval")
    check_outs("eval", [value._node for value in values], outs)
    wanted = context().thread_count if threads is None else checked_threads("eval", threads)
    groups: dict[str | None, list[int]] = {}
    for position, (value, out) in enumerate(zip(values, outs, strict=True)):
        if out is not None or value._node.op is not _INPUT:
            groups.setdefault(value._device, []).append(position)
    check_versions([value._node for value in values])
    results: dict[int, npt.NDArray[Any]] = {}
    for number, (device, positions) in enumerate(groups.items(), 1):
        nodes = [values[position]._node for position in positions]
        chosen = [outs[position] if number == len(groups) else None for position in positions]
        arrays = _run(chosen_device(device), nodes, chosen, wanted)
        results.update(zip(positions, arrays, strict=True))
    for position, array in results.items():
        node, out = values[position]._node, outs[position]
        if out is not None and out is not array:
            note_write(out)
            region = ... if node.valid is None else node.valid.slices
            out[region] = array[region]
        values[position]._node = result_node(node, array if out is None else out)


def chosen_device(name: str | None) -> Device:
    """Return the device that an expression runs on: its own, or else the context's."""
    device = context().device if name is None else name
    return find_device(device) if isinstance(device, str) else device


def result_node(node: Node, array: npt.NDArray[Any]) -> Node:
    """Return the node of a computed value."""
    buffer = Buffer(array, node.dtype)
    shape, axes, valid, diagonals = node.shape, node.axes, node.valid, node.diagonals
    return Node(_INPUT, (), (), buffer, shape, node.dtype, axes, valid, diagonals)


def _run(
    device: Device,
    nodes: Sequence[Node],
    outs: Sequence[npt.NDArray[Any] | None],
    threads: int,
) -> list[npt.NDArray[Any]]:
    note_writes(outs)
    return device.evaluate(nodes, outs, threads=threads)


def note_writes(outs: Sequence[npt.NDArray[Any] | None]) -> None:
    """Record that outs are about to be written."""
    for out in outs:
        if out is not None:
            note_write(out)


def check_versions(roots: Sequence[Node]) -> None:
    """Raise an error if an input cannot be read any more: see `Buffer.check_version`."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.op is _INPUT:
            node.payload.check_version()
        stack += node.args


# --- outs -----------------------------------------------------------------------------------------


def as_outs(operation: str, out: Out, count: int) -> list[npt.NDArray[Any] | None]:
    """Return an out for each of `count` results; None stands for fresh memory.

    Raises
    ------
    ParameterError
        If there are more or fewer outs than results.
    """
    if out is None:
        return [None] * count
    outs = list(out) if isinstance(out, tuple | list) else [out]
    if len(outs) != count:
        raise ParameterError(
            f"{operation}: got {len(outs)} outs for {count} results; give one array for each, as a "
            "tuple where there are several"
        )
    return outs  # type: ignore[return-value]


def check_outs(
    operation: str, nodes: Sequence[Node], outs: Sequence[npt.NDArray[Any] | None]
) -> None:
    """Raise what is wrong with the outs of some results, if anything is."""
    given = []
    for node, out in zip(nodes, outs, strict=True):
        if out is not None:
            check_out(operation, node, out)
            given.append(out)
    for position, out in enumerate(given):
        for other in given[:position]:
            if share_memory(out, other):
                raise ParameterError(
                    f"{operation}: two outs, {out.dtype} {out.shape} and {other.dtype} "
                    f"{other.shape}, share memory; give each result memory of its own"
                )


def check_out(operation: str, node: Node, out: npt.NDArray[Any]) -> None:
    """Raise what is wrong with `out` as the memory of a result, if anything is."""
    if (
        type(out) is np.ndarray
        and out.shape == node.shape
        and out.dtype == node.dtype.numpy
        and out.flags.carray  # in C order, aligned and writeable
    ):
        return
    if not isinstance(out, np.ndarray):
        raise UnsupportedError(
            f"{operation}: out is a {type(out).__name__}; results are written to NumPy arrays"
        )
    if out.shape != node.shape:
        raise ShapeError(
            f"{operation}: out has shape {out.shape}, the result {node.shape}; give an array of "
            "the result's shape"
        )
    if out.dtype != node.dtype.numpy:
        raise DTypeError(
            f"{operation}: out is {out.dtype}, the result {node.dtype}; give an array of that "
            f'type, or cast the result with .astype("{out.dtype}")'
        )
    if not out.flags.writeable:
        raise ParameterError(f"{operation}: out is read-only; give an array that can be written")
    if not out.flags.aligned:
        raise ParameterError(f"{operation}: out is not aligned; give an aligned array")
    if any(stride == 0 and n > 1 for stride, n in zip(out.strides, out.shape, strict=True)):
        raise ParameterError(
            f"{operation}: out has strides {out.strides}, by which several elements share memory; "
            "give an array that was not broadcast"
        )


def eval(
    *arrays: Operators, out: Out = None, threads: int | None = None, block: bool = True
) -> Any:
    """Compute several Arrays in one pass, into memory that is given or fresh.

    Parameters
    ----------
    *arrays : Array
        The Arrays; each then holds its result and drops its expression.
    out : ndarray or tuple of ndarray, optional
        Memory for the results, in order, of their shapes and types. It may overlap the inputs,
        but not each other. Where a result is only valid in part, the rest is left untouched.
    threads : int, optional
        How many threads; None leaves it to the context.
    block : bool
        Whether to return when the results are there, or at once with a `Pending`.

    Returns
    -------
    Array, tuple of Array or Pending
        The Arrays given, a single one without a tuple.

    Raises
    ------
    StaleInputError
        If an input was written by an evaluation with `out` after the expression was built.
    ShapeError, DTypeError, ParameterError
        If an out does not fit.

    Examples
    --------
    >>> import numpy as np, muntin as mt
    >>> x = mt.asarray(np.arange(4.0))
    >>> low, high = mt.eval(x - 1, x + 1)
    >>> float(low[0]), float(high[3])
    (-1.0, 4.0)
    """
    for array in arrays:
        if not isinstance(array, Operators):
            raise UnsupportedError(
                f"eval: got a {type(array).__name__}; it takes Arrays; make one with "
                "muntin.asarray()"
            )
    outs = as_outs("eval", out, len(arrays))
    if not block:
        check_not_tracing("eval")
        return Pending(arrays, outs, threads)
    evaluate(arrays, outs, threads)
    return arrays[0] if len(arrays) == 1 else arrays


class Pending:
    """An evaluation that runs beside the caller.

    The memory of inputs and outs must stay untouched until it is done.
    """

    def __init__(
        self,
        values: Sequence[Operators],
        outs: Sequence[npt.NDArray[Any] | None],
        threads: int | None,
    ) -> None:
        self._values = tuple(values)
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._evaluate, outs, threads), name="muntin-eval"
        )
        self._thread.start()

    def _evaluate(self, outs: Sequence[npt.NDArray[Any] | None], threads: int | None) -> None:
        try:
            evaluate(self._values, outs, threads)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._error = error

    @property
    def is_done(self) -> bool:
        """Whether nothing is read or written any more."""
        return not self._thread.is_alive()

    def wait(self) -> Any:
        """Return what `eval` would have returned, once it is there, or raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._values[0] if len(self._values) == 1 else self._values

    def __repr__(self) -> str:
        return f"Pending({'done' if self.is_done else 'running'})"
