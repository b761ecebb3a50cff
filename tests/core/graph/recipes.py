"""Recipes of graphs: what Hypothesis draws, and builds again at other sizes over other memory.

A recipe is plain data. Every recipe can be built: what does not fit a node is left out or cast, so
that shrinking finds small graphs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations, permutations
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.folds import FOLDS
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.ops import OPS
from muntin.core.graph.reductions import kept_dimensions, reduced, scanned
from muntin.core.shapes import broadcast_shapes, can_broadcast, resolve_index
from muntin.dtypes import DTYPES, DType
from muntin.errors import BorderError, DTypeError
from muntin.runtime.buffer import Buffer

Array: TypeAlias = np.ndarray[Any, Any]

BORDERS = tuple(BorderMode)
ROWS = tuple(
    row.name
    for row in OPS.values()
    if row.is_elementwise
    and row.name not in ("cast", "pow")  # that of integers is long
    and not row.name.startswith("raw_")
)
AXES = (None, "x", "yx", "yx", "xy", "yxc", "yxc", "cyx", "nyxc")


@dataclass(frozen=True)
class Layout:
    """How an array lies in a larger one that is full of rubbish.

    `order` is the number of a permutation of the axes; `steps` has one for each axis, 0 for an
    axis whose elements are all one.
    """

    order: int = 0
    steps: tuple[int, ...] = (1, 1, 1, 1)
    margin: int = 1


@dataclass(frozen=True)
class Leaf:
    """An input; axes in `ones` have length 1, and the first `dropped` axes are missing."""

    dtype: str
    layout: Layout = Layout()
    ones: tuple[bool, ...] = (False,) * 4
    dropped: int = 0


@dataclass(frozen=True)
class Work:
    """An elementwise row; operands that it does not take are cast to one of the types."""

    name: str
    picks: tuple[int, int, int]
    integer: str = "int32"
    floating: str = "float32"


@dataclass(frozen=True)
class Cast:
    pick: int
    dtype: str
    saturate: bool = False


@dataclass(frozen=True)
class Read:
    """A read at an offset along each of up to four axes.

    `constant` is a place among the interesting numbers of the type.
    """

    pick: int
    offsets: tuple[int, ...]
    mode: BorderMode
    constant: int = 0


@dataclass(frozen=True)
class Stencil:
    """The sum or maximum of reads in the plane of an image, of work that is worth keeping."""

    pick: int
    offsets: tuple[tuple[int, int], ...]
    mode: BorderMode
    constant: int = 0
    is_sum: bool = True
    is_costly: bool = True


@dataclass(frozen=True)
class Sum:
    """A sum over a window along an axis."""

    pick: int
    axis: int
    before: int
    after: int
    mode: BorderMode
    constant: int = 0


@dataclass(frozen=True)
class Fold:
    """A reduction of the axes whose bits are set, which may stay with length 1."""

    pick: int
    name: str
    axes: int
    keep: bool


@dataclass(frozen=True)
class Scan:
    """A scan along an axis."""

    pick: int
    name: str
    axis: int


@dataclass(frozen=True)
class Look:
    """A view: "slice", "order", "new", "drop" or "stretch"; the numbers choose among these."""

    pick: int
    kind: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Keep:
    pick: int


@dataclass(frozen=True)
class Number:
    """A number, passed to the kernel or compiled in."""

    place: int
    dtype: str
    is_constant: bool


@dataclass(frozen=True)
class Count:
    """The indices along an axis."""

    axis: int


Step: TypeAlias = Work | Cast | Read | Stencil | Sum | Fold | Scan | Look | Keep | Number | Count


@dataclass(frozen=True)
class Recipe:
    """A graph without sizes and data; `roots` count from the last node."""

    rank: int
    axes: str | None
    leaves: tuple[Leaf, ...]
    steps: tuple[Step, ...]
    roots: tuple[int, ...]


@dataclass
class Built:
    """A recipe's graph over memory of its own; `held` has the larger arrays around the inputs."""

    roots: list[Node]
    nodes: list[Node]
    inputs: list[Array]
    held: list[Array] = field(default_factory=list)

    def snapshot(self) -> list[bytes]:
        """Return all bytes of the inputs and around them."""
        return [held.tobytes() for held in self.held]


# --- data -----------------------------------------------------------------------------------------


def numbers(dtype: DType) -> list[int] | list[float]:
    """Return the interesting numbers of a type."""
    if dtype.is_float:
        tiny = float(np.finfo(dtype.numpy).smallest_subnormal)
        huge = float(np.finfo(dtype.numpy).max)
        return [0.0, -0.0, 1.0, -1.0, 2.5, -3.5, 255.5, 1e9, -3e9, 2.0**63, tiny, huge] + [
            float("inf"),
            float("-inf"),
            float("nan"),
        ]
    low, high = dtype.least, dtype.greatest
    few = [0, 1, 2, 3, 7, 8, 31, 100, -1, -2, -7, low, low + 1, high, high - 1, high // 2]
    return sorted({number for number in few if low <= number <= high})


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
    """Return random elements: all over the type, small, or interesting."""
    kind = rng.integers(4)
    if dtype.is_bool:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if kind == 0:
        return rng.choice(np.array(numbers(dtype), dtype.numpy), shape)
    if dtype.is_float:
        scale = 10.0 ** int(rng.integers(-1, 5))
        drawn = (rng.standard_normal(shape) * scale).astype(dtype.numpy)
        odd = rng.choice(np.array(numbers(dtype), dtype.numpy), shape)
        return np.where(rng.random(shape) < 0.1 * (kind == 1), odd, drawn)
    low, high = (dtype.least, dtype.greatest) if kind == 1 else (max(dtype.least, -9), 9)
    return rng.integers(low, high, shape, dtype.numpy, endpoint=True)


def embed(
    rng: np.random.Generator, content: Array, layout: Layout, dtype: DType
) -> tuple[Array, Array]:
    """Return an array with the content, laid out so, and the larger array that holds it."""
    rank = content.ndim
    order = list(permutations(range(rank)))[layout.order % factorial(rank)]
    steps = [step if content.shape[axis] else 1 for axis, step in enumerate(layout.steps[:rank])]
    extents, places = [], []
    for axis in order:
        count = 1 if steps[axis] == 0 else content.shape[axis]
        stride = max(abs(steps[axis]), 1)
        length = max((count - 1) * stride + 1, 0)
        extents.append(length + 2 * layout.margin)
        stop = layout.margin + length
        forwards = slice(layout.margin, stop, stride)
        places.append(forwards)
    size = prod(extents) * dtype.itemsize
    rubbish = rng.integers(0, 255, size + dtype.itemsize, np.uint8)
    start = -rubbish.ctypes.data % dtype.itemsize
    held = rubbish[start : start + size].view(dtype.numpy).reshape(extents)
    seen = held[(*places, ...)].transpose(np.argsort(order))
    seen = seen[tuple([slice(None, None, -1 if step < 0 else 1) for step in steps] + [...])]
    first = content[tuple([slice(0, 1) if step == 0 else slice(None) for step in steps])]
    seen[...] = first
    if seen.shape != content.shape:
        strides = [
            0 if step == 0 else stride for step, stride in zip(steps, seen.strides, strict=True)
        ]
        seen = np.lib.stride_tricks.as_strided(seen, content.shape, strides)
    return seen, held


# --- building -------------------------------------------------------------------------------------


def graph(recipe: Recipe, sizes: tuple[int, ...], seed: int, *, keep_all: bool = False) -> Built:
    """Build a recipe for a shape and a seed of the data; `keep_all` stores every node."""
    rng = np.random.default_rng(seed)
    builder = _Builder(recipe, sizes[: recipe.rank], rng, keep_all)
    for leaf in recipe.leaves:
        builder.leaf(leaf)
    for step in recipe.steps:
        builder.step(step)
    nodes = builder.nodes
    roots = [nodes[-1 - root % len(nodes)] for root in recipe.roots]
    return Built(roots, nodes, builder.inputs, builder.held)


@dataclass
class _Builder:
    recipe: Recipe
    shape: tuple[int, ...]
    rng: np.random.Generator
    keep_all: bool
    nodes: list[Node] = field(default_factory=list)
    inputs: list[Array] = field(default_factory=list)
    held: list[Array] = field(default_factory=list)

    def add(self, node: Node) -> None:
        self.nodes.append(build.keep(node) if self.keep_all and node.args else node)

    def pick(self, number: int) -> Node:
        return self.nodes[-1 - number % len(self.nodes)]

    def leaf(self, leaf: Leaf) -> None:
        dtype = DTYPES[leaf.dtype]
        dropped = leaf.dropped % (self.recipe.rank + 1)
        shape = tuple([1 if one else n for n, one in zip(self.shape, leaf.ones, strict=False)])
        shape = shape[dropped:]
        axes = self.recipe.axes if dropped == 0 else None
        content = values(self.rng, shape, dtype)
        array, held = embed(self.rng, content, leaf.layout, dtype)
        self.inputs.append(array)
        self.held.append(held)
        self.add(build.input_node(Buffer(array), shape, dtype, axes if shape else ""))

    def step(self, step: Step) -> None:
        match step:
            case Work():
                self.work(step)
            case Cast():
                node = self.pick(step.pick)
                self.add(build.cast(node, DTYPES[step.dtype], saturate=step.saturate))
            case Read():
                self.read(step)
            case Stencil():
                self.stencil(step)
            case Sum():
                self.sum(step)
            case Fold():
                self.fold(step)
            case Scan():
                node = self.pick(step.pick)
                if node.shape and node.valid is None:
                    self.add(scanned(step.name, node, step.axis % len(node.shape), "scan"))
            case Look():
                self.look(step)
            case Keep():
                self.add(build.keep(self.pick(step.pick)))
            case Number():
                dtype = DTYPES[step.dtype]
                choices = numbers(dtype)
                make = build.constant if step.is_constant else build.scalar
                self.add(make(choices[step.place % len(choices)], dtype))
            case Count():
                if self.shape:
                    axis = step.axis % len(self.shape)
                    self.add(build.index(axis, self.shape, self.recipe.axes))

    def work(self, step: Work) -> None:
        row = OPS[step.name]
        args = [self.pick(step.picks[0])]
        for number in step.picks[1 : row.arity]:
            fitting = [node for node in self.nodes if _fit(node, args)]
            args.append(fitting[-1 - number % len(fitting)])
        self.add(_worked(row.name, args, step))

    def read(self, step: Read) -> None:
        node = self.pick(step.pick)
        offsets = step.offsets[: len(node.shape)]
        self.add(build.neighbour(node, offsets, _border(node, step)))

    def stencil(self, step: Stencil) -> None:
        node = self.pick(step.pick)
        if step.is_costly and not node.dtype.is_bool:
            number = build.constant(3, node.dtype)
            square = build.elementwise("multiply", node, node)
            node = build.elementwise("floor_divide", square, number)
        border = _border(node, step)
        reads = []
        for dy, dx in step.offsets:
            along = dict(zip(node.plane, (dy, dx), strict=True))
            offsets = tuple([along.get(axis, 0) for axis in range(len(node.shape))])
            reads.append(build.neighbour(node, offsets, border))
        name = "add" if step.is_sum else "maximum"
        self.add(reduce(partial(build.elementwise, name), reads))

    def sum(self, step: Sum) -> None:
        node = self.pick(step.pick)
        if node.shape:
            if not node.dtype.is_integer:
                node = build.cast(node, DTYPES["int16"])
            axis = step.axis % len(node.shape)
            border = _border(node, step)
            self.add(build.window_sum(node, axis, step.before, step.after, border))

    def fold(self, step: Fold) -> None:
        node = self.pick(step.pick)
        axes = [axis for axis in range(len(node.shape)) if step.axes >> axis & 1]
        if node.valid is not None or (0 in node.shape and step.name not in ("sum", "prod")):
            return
        if FOLDS[step.name].centred and not node.dtype.is_float:
            node = build.cast(node, DTYPES["float32"])
        made = reduced(step.name, node, axes, "fold")
        self.add(kept_dimensions(made, axes, node.axes) if step.keep else made)

    def look(self, step: Look) -> None:
        node = self.pick(step.pick)
        try:
            made = _LOOKS[step.kind](node, step.numbers)
        except BorderError:  # the one element taken is not valid
            return
        if made is not None:
            self.add(made)


def _border(node: Node, step: Read | Stencil | Sum) -> Border:
    if node.valid is not None:  # no other border is allowed
        return Border(BorderMode.UNDEFINED)
    choices = numbers(node.dtype)
    constant = choices[step.constant % len(choices)]
    return Border(step.mode, constant if step.mode is BorderMode.CONSTANT else 0)


def _fit(node: Node, others: list[Node]) -> bool:
    """Say whether a node can be an operand beside others."""
    shapes = [node.shape, *[other.shape for other in others]]
    if not all(can_broadcast(a, b) for a, b in combinations(shapes, 2)):
        return False
    rank = len(broadcast_shapes(*shapes).shape)
    letters = {n.axes for n in [node, *others] if n.axes is not None and len(n.shape) == rank}
    return len(letters) < 2


def _worked(name: str, args: list[Node], step: Work) -> Node:
    """Return a row of operands, cast to the first of some types that it takes."""
    if name == "rounded_sqrt":
        args = [build.cast(arg, DTYPES["uint16"]) for arg in args]
    kinds = [None, DTYPES[step.integer], DTYPES[step.floating], DTYPES["int32"]]
    for dtype in kinds:
        cast = args if dtype is None else [build.cast(arg, dtype) for arg in args]
        if name in _OF_SIGNS and cast[-1].dtype.is_float:
            cast = [*cast[:-1], _without_nan(cast[-1])]
        try:
            return build.elementwise(name, *cast)
        except DTypeError:
            continue
    raise AssertionError(f"{name} takes none of {kinds}")


_OF_SIGNS = ("signbit", "copysign", "float_bits")  # the sign of a NaN is the hardware's


def _without_nan(node: Node) -> Node:
    return build.elementwise(
        "where", build.elementwise("isnan", node), build.constant(1, node.dtype), node
    )


def _sliced(node: Node, given: tuple[int, ...]) -> Node | None:
    index = []
    for axis, size in enumerate(node.shape):
        start, length, step = given[3 * axis : 3 * axis + 3]
        step = (1, -1, 2, -2, 3)[step % 5]
        lo = start % max(size, 1)
        hi = size if length % 3 else lo + length % (size - lo + 1)
        part = slice(lo, hi, step)
        index.append(part if step > 0 else slice(hi - 1, lo - 1 if lo else None, step))
    return _indexed(node, tuple(index))


def _dropped(node: Node, given: tuple[int, ...]) -> Node | None:
    if not node.shape:
        return None
    axis = given[0] % len(node.shape)
    if node.shape[axis] == 0:
        return None
    return _indexed(node, (slice(None),) * axis + (given[1] % node.shape[axis],))


def _indexed(node: Node, index: tuple[Any, ...]) -> Node:
    resolved = resolve_index(index, node.shape)
    maps = tuple([AxisMap(axis.source, axis.start, axis.step) for axis in resolved.axes])
    sources = [axis.source for axis in resolved.axes]
    return build.view(
        node, View(maps, resolved.dropped), resolved.shape, _followed(node.axes, sources)
    )


def _followed(letters: str | None, sources: list[int | None]) -> str | None:
    if letters is None or None in sources:
        return None if sources else ""
    return "".join([letters[source] for source in sources if source is not None])


def _ordered(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    order = list(permutations(range(rank)))[given[0] % factorial(rank)]
    shape = tuple([node.shape[axis] for axis in order])
    maps = tuple([AxisMap(axis) for axis in order])
    return build.view(node, View(maps), shape, _followed(node.axes, list(order)))


def _new(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    if rank == 4:
        return None
    return _indexed(node, (slice(None),) * (given[0] % (rank + 1)) + (None,))


def _stretched(node: Node, given: tuple[int, ...]) -> Node | None:
    rank = len(node.shape)
    shape = tuple([n if n != 1 else 1 + k % 3 for n, k in zip(node.shape, given, strict=False)])
    if rank < 4 and given[4] % 2:
        shape = (2, *shape)
    return build.broadcast_to(node, shape)


_LOOKS = {
    "slice": _sliced,
    "order": _ordered,
    "drop": _dropped,
    "new": _new,
    "stretch": _stretched,
}

# --- strategies -----------------------------------------------------------------------------------

_dtypes = st.sampled_from(list(DTYPES))
_integers = st.sampled_from([name for name, row in DTYPES.items() if row.is_integer])
_floats = st.sampled_from(["float32", "float64"])
_pick = st.integers(0, 7)
_any = st.integers(0, 99)
_layouts = st.one_of(
    st.just(Layout(margin=0)),
    st.builds(
        Layout,
        st.integers(0, 23),
        st.tuples(*[st.sampled_from([1, 1, 1, -1, 2, -2, 3, 0])] * 4),
        st.integers(0, 2),
    ),
)
_leaves = st.builds(
    Leaf,
    _dtypes,
    _layouts,
    st.one_of(st.just((False,) * 4), st.tuples(*[st.sampled_from([False, False, True])] * 4)),
    st.sampled_from([0, 0, 0, 0, 1, 2]),
)
_offset = st.sampled_from([0, 0, 1, -1, 1, -1, 2, -2, 3, -3, 4, -4, 9, -26])
_works = st.builds(Work, st.sampled_from(ROWS), st.tuples(_pick, _pick, _pick), _integers, _floats)
_sums = st.builds(
    Work, st.sampled_from(["add", "subtract", "maximum", "minimum"]), st.tuples(_pick, _pick, _pick)
)
_windows = st.builds(
    Sum,
    _pick,
    st.integers(0, 3),
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from(BORDERS),
    _any,
)
_stencils = st.builds(
    Stencil,
    st.integers(0, 3),
    st.lists(st.tuples(_offset, _offset), min_size=2, max_size=5, unique=True).map(tuple),
    st.sampled_from(BORDERS),
    _any,
    st.booleans(),
    st.sampled_from([True, True, False]),
)
_folds = st.builds(
    Fold, st.integers(0, 3), st.sampled_from(sorted(FOLDS)), st.integers(0, 15), st.booleans()
)
_scans = st.builds(
    Scan, st.integers(0, 3), st.sampled_from(["sum", "prod", "min", "max"]), st.integers(0, 3)
)
_casts = st.builds(Cast, _pick, _dtypes, st.booleans())
_looks = st.builds(Look, _pick, st.sampled_from(sorted(_LOOKS)), st.tuples(*[_any] * 12))
_keeps = st.builds(Keep, _pick)
_numbers = st.builds(Number, _any, _dtypes, st.booleans())
_counts = st.builds(Count, st.integers(0, 3))


@st.composite
def _reads(draw: st.DrawFn, axes: str | None) -> Read:
    """Draw a read, mostly along rows and columns."""
    offsets = []
    for axis in range(4):
        in_plane = axes is not None and axes[axis : axis + 1] in ("y", "x")
        offsets.append(draw(_offset if in_plane else st.sampled_from([0, 0, 0, 0, 0, 1, -2])))
    mode = draw(st.sampled_from(BORDERS))
    return Read(draw(_pick), tuple(offsets), mode, draw(_any))


@st.composite
def recipes(draw: st.DrawFn, max_steps: int = 10) -> Recipe:
    """Draw a recipe."""
    axes = draw(st.sampled_from(AXES))
    rank = draw(st.integers(0, 4)) if axes is None else len(axes)
    reads = _reads(axes)
    pointwise = (_works, _works, _sums, _casts, _numbers, _counts)
    beside = (reads, _stencils, _stencils, _stencils, _windows)
    each = st.one_of(*beside, _looks, _keeps, _folds, _scans, *pointwise)
    return Recipe(
        rank,
        axes,
        tuple(draw(st.lists(_leaves, min_size=1, max_size=3))),
        tuple(draw(st.lists(each, min_size=min(4, max_steps), max_size=max_steps))),
        tuple(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))),
    )


@st.composite
def shapes(draw: st.DrawFn, recipe: Recipe, widest: int = 300) -> tuple[int, ...]:
    """Draw the sizes of a recipe's axes: few channels, and few rows or few columns."""
    letters = recipe.axes or "ncyx"[4 - recipe.rank :]
    columns, rows = draw(st.sampled_from([(70, 9), (70, 9), (300, 9), (9, 40)]))
    columns = min(columns, widest)
    limits = {"x": columns * 4 if recipe.rank == 1 else columns, "y": rows, "n": 3}
    least = 0 if draw(st.sampled_from([False] * 9 + [True])) else 1
    sizes = {letter: st.integers(least, limit) for letter, limit in limits.items()}
    sizes["c"] = st.sampled_from([3, 4, 2, 1, least])
    return tuple([draw(sizes[letter]) for letter in letters])
