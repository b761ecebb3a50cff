"""Constructors of nodes: everything that can be wrong with an expression is found here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from typing import TypeAlias

from muntin.core.border import Border, BorderMode
from muntin.core.graph.diagonals import combined, entire, viewed
from muntin.core.graph.infer import resolve, weak_dtype
from muntin.core.graph.letters import agreed_letters
from muntin.core.graph.node import AxisMap, Diagonals, Node, Number, Source, View
from muntin.core.graph.ops import OPS, Op, op
from muntin.core.regions import Box
from muntin.core.shapes import broadcast_shapes, broadcast_to_shape
from muntin.dtypes import DTYPES, DType
from muntin.errors import BorderError, DTypeError

__all__ = [
    "Operand",
    "banded",
    "broadcast_to",
    "cast",
    "check_whole",
    "constant",
    "elementwise",
    "index",
    "input_node",
    "keep",
    "neighbour",
    "number",
    "renamed",
    "scalar",
    "view",
    "window_sum",
]

Operand: TypeAlias = Node | bool | int | float

_INPUT, _SCALAR, _CONSTANT, _INDEX = op("input"), op("scalar"), op("constant"), op("index")
_VIEW, _NEIGHBOUR, _KEEP, _CAST = op("view"), op("neighbour"), op("keep"), op("cast")
_WINDOW_SUM = op("window_sum")
INT64 = DTYPES["int64"]


def input_node(
    source: Source, shape: tuple[int, ...], dtype: DType, axes: str | None = None
) -> Node:
    """Return the node that reads an array."""
    return Node(_INPUT, (), (), source, shape, dtype, axes)


def scalar(value: Number, dtype: DType) -> Node:
    """Return a number that is passed to the kernel: a new value compiles nothing."""
    return Node(_SCALAR, (), (), value, (), dtype, "")


def number(name: str, value: Number) -> Node:
    """Return a number that stands beside no array, in the type that NumPy gives it."""
    kind = "bool" if isinstance(value, bool) else "int64"
    return scalar(
        value, weak_dtype(name, value, DTYPES["float64" if isinstance(value, float) else kind])
    )


def constant(value: Number, dtype: DType) -> Node:
    """Return a number that is compiled in."""
    number = float(value) if dtype.is_float else int(value)
    key = number.hex() if isinstance(number, float) else number
    return Node(_CONSTANT, (), (key,), number, (), dtype, "")


def index(axis: int, shape: tuple[int, ...], axes: str | None = None) -> Node:
    """Return the int64 array of `shape` that holds each element's index along `axis`."""
    return Node(_INDEX, (), (axis,), None, shape, INT64, axes)


def keep(node: Node) -> Node:
    """Return the node, marked to be stored whole."""
    return _unary(_KEEP, node, (), node.dtype)


def cast(node: Node, dtype: DType, *, saturate: bool = False) -> Node:
    """Return the node as `dtype`; integers wrap, or clamp with `saturate`; floats always clamp."""
    if node.dtype is dtype:
        return node
    params = ("saturate",) if saturate and node.dtype.is_integer and dtype.is_integer else ()
    return _unary(_CAST, node, params, dtype)


def _unary(row: Op, node: Node, params: tuple[str, ...], dtype: DType) -> Node:
    """Return an operation that leaves every zero where it is."""
    shape, axes, valid, diagonals = node.shape, node.axes, node.valid, node.diagonals
    return Node(row, (node,), params, None, shape, dtype, axes, valid, diagonals)


def elementwise(name: str, *operands: Operand) -> Node:
    """Return the elementwise operation `name` of nodes and Python numbers, broadcast.

    Raises
    ------
    ShapeError
        If the shapes do not broadcast or two operands name their axes differently.
    DTypeError
        If the operation is not defined for the types.
    """
    row = OPS[name]
    nodes = _as_nodes(name, row.rule, operands)
    dtypes, result = resolve(name, row.rule, tuple([node.dtype for node in nodes]))
    shape = nodes[0].shape
    axes = nodes[0].axes
    if any(node.shape != shape or node.axes != axes for node in nodes):
        shape, axes = _common(name, nodes)
    args = []
    valid: Box | None = None
    is_banded = False
    for node, dtype in zip(nodes, dtypes, strict=True):
        arg = node
        if node.dtype is not dtype:
            arg = _truth(node) if name.startswith("logical") else cast(node, dtype)
        if arg.shape != shape and arg.op.kind not in ("scalar", "constant"):
            arg = broadcast_to(arg, shape, name)
        if arg.valid is not None:
            valid = arg.valid if valid is None else valid.intersect(arg.valid)
        if arg.diagonals is not None:
            is_banded = True
        args.append(arg)
    diagonals = combined(row.zero, args, shape) if is_banded else None
    return Node(row, tuple(args), (), None, shape, result, axes, valid, diagonals)


def banded(node: Node, diagonals: Diagonals) -> Node:
    """Return the matrix with zero outside its extreme diagonals."""
    shape, axes = node.shape, node.axes
    bottom, top = diagonals
    rows, columns = index(len(shape) - 2, shape, axes), index(len(shape) - 1, shape, axes)
    diagonal = elementwise("subtract", columns, rows)
    inside = elementwise(
        "logical_and",
        elementwise("greater_equal", diagonal, bottom),
        elementwise("less_equal", diagonal, top),
    )
    chosen = elementwise("where", inside, node, constant(0, node.dtype))
    return replace(chosen, diagonals=None if diagonals == entire(shape) else diagonals)


def _truth(node: Node) -> Node:
    return elementwise("not_equal", node, constant(0, node.dtype))


def _as_nodes(name: str, rule: str, operands: Sequence[Operand]) -> list[Node]:
    strong = [operand for operand in operands if isinstance(operand, Node)]
    if len(strong) == len(operands):
        return strong
    if rule == "select":
        strong = [operand for operand in operands[1:] if isinstance(operand, Node)]
    nodes: list[Node] = []
    dtype = _strongest(strong)
    for operand in operands:
        if isinstance(operand, Node):
            nodes.append(operand)
        elif not isinstance(operand, bool | int | float):
            raise DTypeError(
                f"{name}: got an operand of type {type(operand).__name__}; it takes Arrays, "
                "NumPy arrays and Python numbers"
            )
        elif dtype is None:
            nodes.append(number(name, operand))
        else:
            nodes.append(scalar(operand, weak_dtype(name, operand, dtype, rule)))
    return nodes


def _strongest(nodes: Sequence[Node]) -> DType | None:
    dtypes = [node.dtype for node in nodes]
    return resolve("", "compare", tuple(dtypes))[0][0] if dtypes else None


def _common(name: str, nodes: Sequence[Node]) -> tuple[tuple[int, ...], str | None]:
    shape = _broadcast(name, tuple([node.shape for node in nodes]))
    axes = agreed_letters(name, [node.axes for node in nodes if len(node.shape) == len(shape)])
    if axes is None and not shape:
        axes = ""
    return shape, axes


@lru_cache(maxsize=4096)
def _broadcast(name: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return broadcast_shapes(*shapes, operation=name).shape


def broadcast_to(node: Node, shape: tuple[int, ...], operation: str = "broadcast_to") -> Node:
    """Return a view of `node` in which axes of length 1 are stretched and new ones come first."""
    if node.shape == shape:
        return node
    stretched = broadcast_to_shape(node.shape, shape, operation).stretched[0]
    new = len(shape) - len(node.shape)
    axes = [AxisMap(None, 0, 0)] * new
    for axis in range(len(node.shape)):
        axes.append(AxisMap(axis, 0, 0 if stretched[new + axis] else 1))
    return view(node, View(tuple(axes)), shape, node.axes if new == 0 else None)


def view(node: Node, affine: View, shape: tuple[int, ...], axes: str | None = None) -> Node:
    """Return the affine view of `node` with the given shape; views of views are composed."""
    valid = None if node.valid is None else _viewed_region(node.valid, affine, shape)
    diagonals = None
    if node.diagonals is not None:
        diagonals = viewed(node.diagonals, affine, shape, node.shape)
    base = node
    if node.op is _VIEW:
        affine = affine.after(node.payload)
        base = node.args[0]
    if base.op is _INDEX:
        return _viewed_index(base, affine, shape, axes)
    params = tuple(
        [
            (axis.source, _kind(axis, n, base.shape))
            for axis, n in zip(affine.axes, shape, strict=True)
        ]
    )
    dropped = tuple(sorted(axis for axis, _ in affine.fixed))
    return Node(
        _VIEW, (base,), (params, dropped), affine, shape, node.dtype, axes, valid, diagonals
    )


def _viewed_index(node: Node, affine: View, shape: tuple[int, ...], axes: str | None) -> Node:
    """Return the view of an index node, which is not in memory, as arithmetic."""
    (axis,) = node.params
    if not shape:
        return scalar(dict(affine.fixed)[axis], INT64)
    along, start, step = 0, 0, 0
    for place, axis_map in enumerate(affine.axes):
        if axis_map.source == axis:
            along, start, step = place, axis_map.start, axis_map.step
    start += dict(affine.fixed).get(axis, 0)
    found = index(along, shape, axes)
    if (start, step) == (0, 1):
        return found
    stepped = elementwise("multiply", found, scalar(step, INT64))
    return elementwise("add", stepped, scalar(start, INT64))


def check_whole(node: Node, operation: str, takes: str = "") -> None:
    """Raise an error if an array is only valid in part; `takes` may say first what is taken."""
    if node.valid is not None:
        raise BorderError(
            f"{operation}: {takes}only {node.valid} of {node.shape} is valid; call .valid() to "
            "keep that part as an array of its own"
        )


def renamed(node: Node, axes: str | None) -> Node:
    """Return the node with other letters for its axes."""
    if node.reads_at:  # the rows in which it is computed go by its own axes
        whole = View(tuple([AxisMap(axis) for axis in range(len(node.shape))]))
        return view(node, whole, node.shape, axes)
    return replace(node, axes=axes)


@lru_cache(maxsize=256)
def _border_constant(border: Border, dtype: DType) -> Node:
    """Return one node for one constant, so that reads under the same border share rows."""
    return scalar(border.check_value(dtype), dtype)


def _kind(axis: AxisMap, size: int, base: tuple[int, ...]) -> str:
    """Return how an axis of a view goes along that of its base.

    Of the last one, which may hold interleaved channels, a "part" is told from all of it.
    """
    if axis.step == 0:
        return "stretched"
    if abs(axis.step) != 1:
        return "stepped"
    is_last = axis.source is not None and axis.source == len(base) - 1
    return "part" if is_last and size != base[-1] else "unit"


def _viewed_region(region: Box, affine: View, shape: tuple[int, ...]) -> Box | None:
    """Return the valid part of a view, None if that is all of it."""
    start, stop = [], []
    for axis, size in zip(affine.axes, shape, strict=True):
        if axis.source is None:
            start.append(0)
            stop.append(size)
            continue
        low, high = region.start[axis.source], region.stop[axis.source]
        if axis.step == 0:
            start.append(0)
            stop.append(size if low <= axis.start < high else 0)
        elif axis.step > 0:
            first = _ceil(low - axis.start, axis.step)
            last = _ceil(high - axis.start, axis.step)
            start.append(min(max(first, 0), size))
            stop.append(min(max(last, 0), size))
        else:
            first = _ceil(axis.start - (high - 1), -axis.step)
            last = (axis.start - low) // -axis.step + 1
            start.append(min(max(first, 0), size))
            stop.append(min(max(last, 0), size))
    outside = any(
        not region.start[axis] <= position < region.stop[axis] for axis, position in affine.fixed
    )
    if outside and not shape:
        raise BorderError(
            f"view: the element taken lies outside the valid region, {region.start} to "
            f"{region.stop}; take one inside, or call .valid() first"
        )
    if outside:
        stop = list(start)
    if stop == list(shape) and not any(start):
        return None
    return Box(tuple(start), tuple(max(a, b) for a, b in zip(start, stop, strict=True)))


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _read_under(
    border: Border, node: Node, corners: Sequence[tuple[int, ...]], operation: str
) -> tuple[tuple[Node, ...], Box | None]:
    """Return the arguments of reads at the offsets between some corners, and what is valid."""
    if border.mode is BorderMode.UNDEFINED:
        full = Box.full(node.shape)
        valid: Box | None = None
        for offsets in corners:
            before = tuple([max(-offset, 0) for offset in offsets])
            after = tuple([max(offset, 0) for offset in offsets])
            # The element at i reads i + offset: valid where that lies in the valid region.
            region = (node.valid or full).shift(tuple([-offset for offset in offsets]))
            region = region.intersect(full.shrink(before, after))
            valid = region if valid is None else valid.intersect(region)
        return (node,), valid
    if node.valid is not None:
        raise BorderError(
            f"{operation}: a read under border {border} needs the whole array, but only "
            f"{node.valid} of {node.shape} is valid; call .valid() to keep that part as an image "
            'of its own, or read with border="undefined"'
        )
    if border.mode is BorderMode.CONSTANT:
        border.check_value(node.dtype)
        return (node, _border_constant(border, node.dtype)), None
    return (node,), None


def neighbour(node: Node, offsets: tuple[int, ...], border: Border) -> Node:
    """Return the elements of `node` at a fixed offset along each axis, under a border.

    Raises
    ------
    BorderError
        If the constant does not fit the element type, or if a border other than "undefined" is
        asked of an array that is only valid in part.
    """
    if not any(offsets):
        return node
    if node.op is _CAST and border.mode is not BorderMode.CONSTANT:
        # A read of the narrower values, cast, is the same and keeps narrower rows.
        below = neighbour(node.args[0], offsets, border)
        return cast(below, node.dtype, saturate=bool(node.params))
    args, valid = _read_under(border, node, (offsets,), "neighbour")
    params = (offsets, border.mode)
    return Node(_NEIGHBOUR, args, params, None, node.shape, node.dtype, node.axes, valid)


def window_sum(node: Node, axis: int, before: int, after: int, border: Border) -> Node:
    """Return the sums of each integer and those `before` and `after` it along an axis; they wrap.

    The result has the type of `node`. Down the rows of an image a sum is found from that of the row
    above: by adding the row that enters the window and taking off the one that leaves it.

    Raises
    ------
    DTypeError
        If the elements are not integers: sums of floats depend on their order.
    BorderError
        As for `neighbour`.
    """
    if not node.dtype.is_integer:
        raise DTypeError(
            f"window_sum: takes integers, but got {node.dtype}; add reads at offsets instead"
        )
    if before == after == 0:
        return node
    if node.axes is None or axis != node.plane[0]:
        reads = [
            neighbour(
                node, tuple([k if place == axis else 0 for place in range(len(node.shape))]), border
            )
            for k in range(-before, after + 1)
        ]
        return reduce(partial(elementwise, "add"), reads)
    corners = tuple(
        [
            tuple([reach if place == axis else 0 for place in range(len(node.shape))])
            for reach in (-before, after)
        ]
    )
    args, valid = _read_under(border, node, corners, "window_sum")
    params = (*corners, border.mode)
    return Node(_WINDOW_SUM, args, params, None, node.shape, node.dtype, node.axes, valid)
