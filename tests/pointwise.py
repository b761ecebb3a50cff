"""Pointwise graphs for tests: hard values, every row, and programs run by the interpreter."""

import numpy as np
from hypothesis import strategies as st

from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.infer import resolve
from muntin.core.graph.mathematics import FUNCTIONS
from muntin.core.graph.ops import OPS
from muntin.core.graph.order import topological
from muntin.core.lower.elementwise import lower_elementwise
from muntin.core.plan.fuse import fuse
from muntin.core.program import INDEX, POINTER
from muntin.dtypes import DTYPES, dtype_of
from muntin.errors import DTypeError
from muntin.runtime.buffer import Buffer
from muntin.runtime.interpret import Memory, Pointer, interpret
from muntin.runtime.offload import Placed, Run
from muntin.runtime.values import graph_values

MATHEMATICS = {function.name for function in FUNCTIONS}
ROWS = [
    row.name
    for row in OPS.values()
    if row.is_elementwise and row.name != "cast" and row.name not in MATHEMATICS
]


def hard_values(dtype, count=24, seed=1):
    """Return values at which arithmetic goes wrong first, then random ones."""
    random = np.random.default_rng(seed)
    if dtype.is_bool:
        return np.array([False, True] * (count // 2))
    if dtype.is_integer:
        values = [0, 1, 2, 3, 7, dtype.greatest, dtype.greatest - 1, dtype.greatest // 2]
        values += [-1, -2, -3, dtype.least, dtype.least + 1] if dtype.kind == "i" else [dtype.bits]
        rest = random.integers(
            dtype.least, dtype.greatest, count - len(values), dtype.numpy, endpoint=True
        )
        return np.concatenate([np.array(values, dtype.numpy), rest])
    tiny, least, most = dtype.smallest_normal, dtype.smallest_subnormal, dtype.greatest_finite
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -3.5, np.inf, -np.inf, np.nan]
    values += [most, -most, tiny, -tiny, least, -least, 2.0**31, 2.0**63]
    values += [-(2.0**31), 255.5, 1e10, 16777217.0]
    rest = random.normal(0, 100, max(count - len(values), 0)).astype(dtype.numpy)
    with np.errstate(over="ignore"):
        return np.concatenate([np.array(values).astype(dtype.numpy), rest])


def node_of(values, axes=None):
    return build.input_node(Buffer(values), values.shape, dtype_of(values.dtype), axes)


def takes(name, dtype):
    """Return whether a row is defined for operands of a type without casting them."""
    row = OPS[name]
    dtypes = (DTYPES["bool"], dtype, dtype) if row.rule == "select" else (dtype,) * row.arity
    try:
        return resolve(name, row.rule, dtypes)[0] == dtypes
    except DTypeError:
        return False


def row_of(name, dtype):
    """Return the row applied to all pairs of hard values that it takes."""
    values = hard_values(dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    if name == "raw_divide":
        fits = (b != 0) & ~((a == dtype.least) & (b.astype(object) == -1))
    elif name in ("raw_left_shift", "raw_right_shift"):
        b = (np.arange(len(b)) % dtype.bits).astype(dtype.numpy)
        fits = b >= 0
    elif name == "raw_whole":
        fits = (np.trunc(a) == a) & (np.abs(a) < 2.0 ** (dtype.bits - 1))
    elif name == "rounded_sqrt":
        fits = (a.astype(object) >= 0) & (a.astype(object) < 2**32 - 2**16)
    else:
        fits = np.ones(len(a), bool)
    a, b = a[fits], b[fits]
    operands = [a, b, b[::-1].copy()][: OPS[name].arity]
    if OPS[name].rule == "select":
        operands = [np.arange(len(a)) % 3 == 0, a, b]
    return build.elementwise(name, *[node_of(values) for values in operands])


def rows_of(dtype):
    """Return every row that takes a type, applied to hard values."""
    return [row_of(name, dtype) for name in ROWS if takes(name, dtype)]


class Interpreting:
    """A device that runs every kernel as a program in Python."""

    def __init__(self, offsets):
        self.offsets = offsets

    def upload(self, values):
        memory = Memory(values, name="operand")
        return Placed(memory, memory.first.offset, values.strides)

    def allocate(self, node):
        values = np.zeros(node.shape, node.dtype.numpy)
        memory = Memory(values, name="result", is_set=False)
        memory.array = values
        return Placed(memory, 0, values.strides)

    def run_kernel(self, graph, size, arrays, scalars):
        order = topological(graph.outputs)
        program = lower_elementwise(order, graph.outputs, rank=size.rank, offsets=self.offsets)
        slots = size.slots(scalars, has_index=any(node.op.kind == "index" for node in order))
        for place, placed in enumerate(arrays):
            at = place * (size.rank + 1)
            slots[at] = Pointer(placed.buffer, placed.offset + slots[at])
        for at, var in enumerate(program.slots):
            assert isinstance(slots[at], Pointer) == (var.dtype is POINTER)
            if var.name.startswith("scalar"):
                slots[at] = _from_bits(slots[at], var.dtype)
        o, y, x = size.extent
        for y0, y1 in ((0, y // 2), (y // 2, y)):  # any split gives the whole
            interpret(program, slots, (0, o, y0, y1, 0, x), Memory.scratch(0))

    def download(self, placed, node):
        assert placed.buffer.unset == 0
        return placed.buffer.array


def _from_bits(bits, dtype):
    return np.frombuffer(np.int64(bits).tobytes()[: dtype.itemsize], dtype.numpy)[0]


def interpreted(roots, *, offsets=INDEX):
    """Return the arrays of roots whose kernels are pointwise, run as programs in Python."""
    graph = canonical(roots)
    run = Run(Interpreting(offsets), graph, fuse(graph), graph_values(graph))
    return run.results([None] * len(roots))


def same_bits(a, b):
    """Return whether two arrays agree to the bit; all NaNs are equal."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    a, b = np.ascontiguousarray(a).reshape(-1), np.ascontiguousarray(b).reshape(-1)
    bits = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    if dtype_of(a.dtype).is_float:
        bits |= np.isnan(a) & np.isnan(b)
    return bool(bits.all())


NAMES = [name for name in ROWS if not name.startswith("raw_") and name != "rounded_sqrt"]


@st.composite
def inputs(draw, shape=(3, 4)):
    """Draw an input of hard values, of any strides."""
    dtype = draw(st.sampled_from(list(DTYPES.values())))
    values = hard_values(dtype, 24, draw(st.integers(0, 99)))
    values = np.random.default_rng(draw(st.integers(0, 99))).choice(values, (6, 8))
    kind = draw(st.sampled_from(["dense", "stepped", "flipped", "transposed", "stretched"]))
    rows, columns = shape
    if kind == "stepped":
        values = values[: 2 * rows : 2, : 2 * columns : 2]
    elif kind == "flipped":
        values = values[:rows, :columns][::-1, ::-1]
    elif kind == "transposed":
        values = np.ascontiguousarray(values[:columns, :rows]).T
    elif kind == "stretched":
        return build.broadcast_to(node_of(values[0, :columns].copy()), shape)
    else:
        values = np.ascontiguousarray(values[:rows, :columns])
    return node_of(values)


@st.composite
def graphs(draw, most=12):
    """Draw one to three roots of a random pointwise graph."""
    pool = draw(st.lists(inputs(), min_size=1, max_size=3))
    shape = pool[0].shape
    for _ in range(draw(st.integers(0, 2))):
        dtype = draw(st.sampled_from(list(DTYPES.values())))
        number = draw(st.sampled_from(hard_values(dtype).tolist()))
        pool.append(draw(st.sampled_from([build.scalar, build.constant]))(number, dtype))
    pool.append(build.index(draw(st.integers(0, 1)), shape))
    made = []
    for _ in range(draw(st.integers(1, most))):
        name = draw(st.sampled_from([*NAMES, "cast"]))
        picked = [draw(st.sampled_from(pool)) for _ in range(max(OPS[name].arity, 1))]
        if all(node.shape != shape for node in picked):
            picked[-1] = draw(st.sampled_from([node for node in pool if node.shape == shape]))
        try:
            if name == "cast":
                target = draw(st.sampled_from(list(DTYPES.values())))
                node = build.cast(picked[0], target, saturate=draw(st.booleans()))
            else:
                node = build.elementwise(name, *picked)
        except DTypeError:
            continue
        pool.append(node)
        made.append(node)
    if not made:
        made = [build.elementwise("add", pool[0], pool[0])]
    return draw(st.lists(st.sampled_from(made), min_size=1, max_size=3, unique=True))
