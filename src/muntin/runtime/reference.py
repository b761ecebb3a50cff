"""The device that is the definition: each node computed whole, in plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from muntin.core.border import BorderMode, index_map
from muntin.core.graph.arrays import cast_array
from muntin.core.graph.node import Node, View
from muntin.core.graph.order import topological
from muntin.errors import InternalError
from muntin.runtime.device import Value
from muntin.runtime.indices import out_of_bounds
from muntin.runtime.interpret.loops import interpret_loops
from muntin.runtime.parts import combined, folded, scanned

__all__ = ["ReferenceDevice", "cast_array", "count_devices", "open_device"]

Array: TypeAlias = npt.NDArray[Any]


def count_devices() -> int:
    """Return 1."""
    return 1


def open_device(index: int = 0) -> ReferenceDevice:
    """Return the device."""
    return ReferenceDevice()


@dataclass(frozen=True, slots=True)
class ReferenceDevice:
    """Evaluates graphs node by node."""

    @property
    def name(self) -> str:
        return "reference"

    def evaluate(
        self, roots: Sequence[Node], outs: Sequence[Array | None], *, threads: int = 0
    ) -> list[Array]:
        """Return the arrays of the roots; all are computed before any out is written."""
        return _deliver(roots, _compute(roots, {}), outs)

    def compile(self, placeholders: Sequence[Node], roots: Sequence[Node]) -> ReferenceGraph:
        """Return the graph with its placeholders open."""
        return ReferenceGraph(tuple(placeholders), tuple(roots))


@dataclass(frozen=True, slots=True)
class ReferenceGraph:
    """A graph whose placeholders get their values at each run."""

    placeholders: tuple[Node, ...]
    roots: tuple[Node, ...]

    @property
    def kernels(self) -> tuple[()]:
        """None: nothing is compiled."""
        return ()

    def run(
        self, values: Sequence[Value], outs: Sequence[Array | None], *, threads: int = 0
    ) -> list[Array]:
        """Return the arrays of the roots for these values of the placeholders."""
        bound = {
            id(node): np.asarray(value, node.dtype.numpy)
            for node, value in zip(self.placeholders, values, strict=True)
        }
        return _deliver(self.roots, _compute(self.roots, bound), outs)

    def memory_report(self) -> str:
        """Say that nothing is planned."""
        return "reference: every node is stored whole"


def _compute(roots: Sequence[Node], bound: Mapping[int, Array]) -> list[Array]:
    """Return the array of each root; arrays that no later node reads are dropped."""
    order = topological(roots)
    uses = dict.fromkeys((id(node) for node in order), 0)
    for read in (*roots, *(arg for node in order for arg in node.args)):
        uses[id(read)] += 1
    arrays = dict(bound)
    calls: dict[Any, dict[int, Array]] = {}
    with np.errstate(all="ignore"):
        for node in order:
            if id(node) not in arrays:
                args = [arrays[id(arg)] for arg in node.args]
                if node.op.kind == "program":
                    call = (id(node.payload), *map(id, node.args))
                    if call not in calls:
                        calls[call] = interpret_loops(node.payload, args)
                    args = [calls[call][node.params[1]]]
                arrays[id(node)] = _node_array(node, args)
            for arg in node.args:
                uses[id(arg)] -= 1
                if not uses[id(arg)]:
                    del arrays[id(arg)]
    return [arrays[id(root)] for root in roots]


def _deliver(
    roots: Sequence[Node], arrays: Sequence[Array], outs: Sequence[Array | None]
) -> list[Array]:
    """Return each root's array, fresh or in its out, written in the valid region alone."""
    fresh = []
    for root, array in zip(roots, arrays, strict=True):
        if root.valid is None:
            fresh.append(np.array(array, order="C"))
        else:
            whole = np.zeros(root.shape, root.dtype.numpy)
            whole[root.valid.slices] = array[root.valid.slices]
            fresh.append(whole)
    results = []
    for root, array, out in zip(roots, fresh, outs, strict=True):
        if out is None:
            results.append(array)
            continue
        region = ... if root.valid is None else root.valid.slices
        out[region] = array[region]
        results.append(out)
    return results


def _node_array(node: Node, args: Sequence[Array]) -> Array:
    try:
        rule = _RULES[node.op.kind]
    except KeyError as error:
        raise InternalError(f"reference: no rule for nodes of kind {node.op.kind!r}") from error
    array = rule(node, args)
    if array.shape != node.shape or array.dtype != node.dtype.numpy:
        raise InternalError(
            f"reference: {node.op.name} gave {array.dtype} {array.shape}, but its node says "
            f"{node.dtype} {node.shape}"
        )
    return array


def _input(node: Node, args: Sequence[Array]) -> Array:
    array: Array = node.payload.array
    return array


def _number(node: Node, args: Sequence[Array]) -> Array:
    return np.asarray(node.payload, node.dtype.numpy)


def _index(node: Node, args: Sequence[Array]) -> Array:
    (axis,) = node.params
    along = [1] * len(node.shape)
    along[axis] = -1
    return np.broadcast_to(np.arange(node.shape[axis]).reshape(along), node.shape)


def _elementwise(node: Node, args: Sequence[Array]) -> Array:
    if node.op.name == "cast":
        cast = cast_array(args[0], node.dtype, is_saturating="saturate" in node.params)
        return np.broadcast_to(cast, node.shape)
    if node.op.reference is None:
        raise InternalError(f"reference: the row {node.op.name} has no meaning in NumPy")
    # At least one axis: NumPy has rules of its own for scalars.
    taken = [np.atleast_1d(arg) for arg in args]
    if node.op.is_widened([arg.dtype for arg in node.args]):
        taken = [cast_array(x, arg.dtype.computed) for x, arg in zip(taken, node.args, strict=True)]
    result = node.op.reference(*taken)
    if node.dtype.is_half:
        result = cast_array(result, node.dtype)
    return np.broadcast_to(
        result.reshape(result.shape[result.ndim - len(node.shape) :]), node.shape
    )


def _view(node: Node, args: Sequence[Array]) -> Array:
    (x,) = args
    affine: View = node.payload
    if 0 in node.shape:
        return np.empty(node.shape, x.dtype)
    first = dict(affine.fixed)
    first.update((axis.source, axis.start) for axis in affine.axes if axis.source is not None)
    corner = x[tuple(slice(first[axis], first[axis] + 1) for axis in range(x.ndim))]
    return as_strided(corner, node.shape, affine.strides(x.strides), writeable=False)


def _reshape(node: Node, args: Sequence[Array]) -> Array:
    return args[0].reshape(node.shape)


def _concat(node: Node, args: Sequence[Array]) -> Array:
    return np.concatenate(args, axis=node.params[0])


def _gather(node: Node, args: Sequence[Array]) -> Array:
    held, *indices = args
    sizes = held.shape[len(node.shape) :]
    region = ... if node.valid is None else node.valid.slices
    for place, (size, axis) in enumerate(zip(sizes, node.args[0].params[0], strict=True)):
        outside = (indices[place] < 0) | (indices[place] >= size)
        if outside[region].any():
            raise out_of_bounds(int(indices[place][region][outside[region]][0]), axis, size)
        indices[place] = np.where(outside, 0, indices[place])
    return gathered(node, held, indices)


def gathered(node: Node, held: Array, indices: Sequence[Array]) -> Array:
    """Return the elements of a gathered array at indices that are within bounds."""
    chosen: Array = held[(*np.indices(node.shape, sparse=True), *indices)]
    return chosen


def _neighbour(node: Node, args: Sequence[Array]) -> Array:
    offsets, mode = node.params
    x = args[0]
    for axis, offset in enumerate(offsets):
        if offset == 0:
            continue
        size = x.shape[axis]
        source = index_map(mode, offset, size + offset, size)
        x = np.take(x, np.maximum(source, 0), axis=axis)
        if mode is BorderMode.CONSTANT:
            along = [1] * x.ndim
            along[axis] = -1
            x = np.where(source.reshape(along) < 0, args[1], x)
    return x


def _window_sum(node: Node, args: Sequence[Array]) -> Array:
    first, last, mode = node.params
    x = args[0]
    axis = next(axis for axis, ends in enumerate(zip(first, last, strict=True)) if any(ends))
    if 0 in x.shape:
        return x
    size = x.shape[axis]
    source = index_map(mode, first[axis], size + last[axis], size)
    wide = np.take(x, np.maximum(source, 0), axis=axis)
    if mode is BorderMode.CONSTANT:
        along = [1] * x.ndim
        along[axis] = -1
        wide = np.where(source.reshape(along) < 0, args[1], wide)
    width = last[axis] - first[axis] + 1
    windows = np.lib.stride_tricks.sliding_window_view(wide, width, axis=axis)
    sums: Array = windows.sum(axis=-1, dtype=x.dtype)
    return sums


def _fold(node: Node, args: Sequence[Array]) -> Array:
    return folded(node, np.broadcast_to(args[0], node.args[0].shape))


def _scan(node: Node, args: Sequence[Array]) -> Array:
    x = np.broadcast_to(args[0], node.shape)
    return scanned(node, x, args[1] if len(args) > 1 else None)


def _combine(node: Node, args: Sequence[Array]) -> Array:
    return combined(node, args)


def _matmul(node: Node, args: Sequence[Array]) -> Array:
    product: Array = np.matmul(*args)
    return product.astype(node.dtype.numpy, copy=False)  # that of bfloat16 is float32


def _same(node: Node, args: Sequence[Array]) -> Array:
    return args[0]


_RULES: dict[str, Callable[[Node, Sequence[Array]], Array]] = {
    "input": _input,
    "scalar": _number,
    "constant": _number,
    "index": _index,
    "elementwise": _elementwise,
    "view": _view,
    "reshape": _reshape,
    "concat": _concat,
    "gather": _gather,
    "gathered": _view,
    "neighbour": _neighbour,
    "window_sum": _window_sum,
    "program": _same,
    "fold": _fold,
    "combine": _combine,
    "matmul": _matmul,
    "scan": _scan,
    "keep": _same,
    "part": _same,
}
