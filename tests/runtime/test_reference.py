"""The reference device against definitions written out element by element."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from muntin.core.border import Border, BorderMode, map_index
from muntin.core.graph import build
from muntin.core.graph.node import AxisMap, Node, View
from muntin.core.graph.ops import OPS, Op
from muntin.core.regions import Box
from muntin.dtypes import DTYPES, DType
from muntin.errors import DTypeError, InternalError
from muntin.runtime.buffer import Buffer
from muntin.runtime.reference import ReferenceDevice, cast_array, count_devices, open_device
from tests.pointwise import same_bits
from tests.reference.halves import nearest

INTEGERS = [row for row in DTYPES.values() if row.is_integer]
FLOATS = [row for row in DTYPES.values() if row.is_float]


def leaf(array: np.ndarray) -> Node:
    buffer = Buffer(array)
    return build.input_node(buffer, array.shape, buffer.dtype)


def run(node: Node) -> np.ndarray:
    return ReferenceDevice().evaluate([node], [None], threads=1)[0]


def values(row: DType) -> st.SearchStrategy[np.ndarray]:
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    if row.name != "bfloat16":  # of which hypothesis knows nothing
        return hnp.arrays(row.numpy, shapes)
    return hnp.arrays(np.uint16, shapes).map(lambda bits: bits.view(row.numpy))


# --- leaves ---------------------------------------------------------------------------------------


def test_there_is_one_device() -> None:
    assert count_devices() == 1
    assert open_device(0).name == "reference"


@pytest.mark.parametrize("row", DTYPES.values(), ids=str)
def test_an_input_is_copied_in_c_order(row: DType) -> None:
    array = np.arange(12).reshape(3, 4).astype(row.numpy)[::-1, ::2]
    result = run(leaf(array))
    assert result.dtype == row.numpy
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, array)
    np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize("row", DTYPES.values(), ids=str)
@pytest.mark.parametrize("make", [build.scalar, build.constant])
def test_numbers_have_their_type(row: DType, make: object) -> None:
    result = run(make(1, row))  # type: ignore[operator]
    assert result.shape == ()
    assert result.dtype == row.numpy
    assert result == 1


def test_the_largest_integers_are_exact() -> None:
    for row in INTEGERS:
        assert run(build.scalar(row.greatest, row)).item() == row.greatest
        assert run(build.constant(row.least, row)).item() == row.least


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 0, 3), (1, 2, 3, 4)])
def test_an_index_counts_along_its_axis(shape: tuple[int, ...]) -> None:
    grid = np.indices(shape)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(run(build.index(axis, shape)), grid[axis], strict=True)


# --- elementwise ----------------------------------------------------------------------------------


def test_a_row_takes_its_meaning_from_the_table() -> None:
    a, b = np.array([[1, 2, 3]], np.uint8), np.array([[250], [7]], np.uint8)
    result = run(build.elementwise("add", leaf(a), leaf(b)))
    np.testing.assert_array_equal(result, a + b, strict=True)


def test_scalars_alone_give_a_0d_result() -> None:
    result = run(build.elementwise("multiply", build.number("", 6), build.number("", 7)))
    assert result.shape == ()
    assert result.item() == 42


def test_faults_of_floats_are_values_without_a_warning() -> None:
    x = leaf(np.array([0.0, 1.0, -1.0]))
    result = run(build.elementwise("divide", x, leaf(np.zeros(3))))
    np.testing.assert_array_equal(result, [math.nan, math.inf, -math.inf])
    assert math.isnan(run(build.elementwise("sqrt", build.number("", -1.0))))


# --- casts ----------------------------------------------------------------------------------------


def exact_cast(value: object, source: DType, target: DType, is_saturating: bool) -> object:
    if target.is_bool:
        return bool(value)
    if target.is_half:
        return nearest(value, target.name)  # type: ignore[arg-type]
    if target.is_float:
        return target.numpy.type(value)
    if source.is_float:
        number = float(value)  # type: ignore[arg-type]
        if math.isnan(number):
            return 0
        if math.isinf(number):
            return target.greatest if number > 0 else target.least
        return min(max(math.trunc(Fraction(number)), target.least), target.greatest)
    integer = int(value)  # type: ignore[call-overload]
    if is_saturating and not source.is_bool:
        return min(max(integer, target.least), target.greatest)
    return (integer - target.least) % (1 << target.bits) + target.least


@pytest.mark.parametrize("target", DTYPES.values(), ids=str)
@given(st.data())
def test_casts_follow_the_definition(target: DType, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(list(DTYPES.values())))
    array = data.draw(values(source))
    is_saturating = data.draw(st.booleans())
    with np.errstate(all="ignore"):
        result = cast_array(array, target, is_saturating=is_saturating)
        numbers = array.astype(source.computed.numpy).ravel().tolist()
        expected = [exact_cast(x, source, target, is_saturating) for x in numbers]
        wanted = np.array(expected, target.numpy).reshape(array.shape)
    assert same_bits(result, wanted)


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_floats_at_the_ends_of_integers_clamp(source: DType, target: DType) -> None:
    ends = [source.rounded(target.least), source.rounded(target.greatest)]
    near = [
        np.nextafter(source.numpy.type(end), source.numpy.type(to))
        for end in ends
        for to in (-math.inf, math.inf)
    ]
    array = np.array([*ends, *near, math.nan, math.inf, -math.inf, -0.5, 0.999], source.numpy)
    expected = [exact_cast(x, source, target, False) for x in array.tolist()]
    np.testing.assert_array_equal(
        cast_array(array, target), np.array(expected, target.numpy), strict=True
    )


def test_a_cast_node_saturates_where_it_says_so() -> None:
    x = leaf(np.array([-5, 70000, 300], np.int32))
    u8 = DTYPES["uint8"]
    np.testing.assert_array_equal(run(build.cast(x, u8)), [251, 112, 44])
    np.testing.assert_array_equal(run(build.cast(x, u8, saturate=True)), [0, 255, 255])


# --- views ----------------------------------------------------------------------------------------


def test_views_take_stretch_drop_and_reverse_axes() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    affine = View((AxisMap(2, 3, -2), AxisMap(None), AxisMap(0)), ((1, 2),))
    result = run(build.view(leaf(array), affine, (2, 5, 2)))
    expected = np.broadcast_to(array[:, 2, 3::-2].T[:, None], (2, 5, 2))
    np.testing.assert_array_equal(result, expected)


def test_a_stretched_axis_may_become_empty() -> None:
    result = run(build.broadcast_to(leaf(np.ones((1, 3))), (0, 3)))
    assert result.shape == (0, 3)


def test_a_view_of_a_number_repeats_it() -> None:
    seven = build.scalar(7, DTYPES["int16"])
    np.testing.assert_array_equal(
        run(build.broadcast_to(seven, (2, 3))), np.full((2, 3), 7, np.int16), strict=True
    )


# --- neighbours -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", BorderMode)
@given(st.data())
def test_a_neighbour_is_read_through_the_border(mode: BorderMode, data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5), "shape")
    array = np.arange(1, math.prod(shape) + 1).reshape(shape)
    offsets = tuple(data.draw(st.integers(-12, 12), "offset") for _ in shape)
    border = Border(mode, -7)
    node = build.neighbour(leaf(array), offsets, border)
    result = run(node)
    for position in np.ndindex(shape):
        source = [
            map_index(mode, p + d, n) for p, d, n in zip(position, offsets, shape, strict=True)
        ]
        if mode is BorderMode.UNDEFINED:
            inside = node.valid is None or node.valid.contains(
                Box(position, tuple(p + 1 for p in position))
            )
            assert inside == (None not in source)
            assert result[position] == (array[tuple(source)] if inside else 0)  # type: ignore[index]
        else:
            outside = None in source
            assert result[position] == (-7 if outside else array[tuple(source)])  # type: ignore[index]


# --- evaluation -----------------------------------------------------------------------------------


def test_a_chain_of_ten_thousand_nodes_needs_no_recursion() -> None:
    node = leaf(np.zeros(3, np.int64))
    for _ in range(10_000):
        node = build.elementwise("add", node, 1)
    np.testing.assert_array_equal(run(node), [10_000] * 3)


def test_several_roots_share_their_arguments() -> None:
    x = leaf(np.arange(4))
    y = build.keep(build.elementwise("square", x))
    z = build.elementwise("negative", y)
    out = np.empty(4, np.int64)
    first, second, third = ReferenceDevice().evaluate([y, z, y], [None, out, None], threads=1)
    np.testing.assert_array_equal(first, [0, 1, 4, 9])
    assert second is out
    np.testing.assert_array_equal(out, [0, -1, -4, -9])
    np.testing.assert_array_equal(third, first)
    assert not np.shares_memory(first, third)


def test_outs_may_overlap_inputs() -> None:
    array = np.arange(6)
    x = leaf(array[:-1])
    shifted = build.elementwise("add", x, 10)
    doubled = build.elementwise("multiply", x, 2)
    other = np.empty(5, np.int64)
    ReferenceDevice().evaluate([shifted, doubled], [array[1:], other], threads=1)
    np.testing.assert_array_equal(array, [0, 10, 11, 12, 13, 14])
    np.testing.assert_array_equal(other, [0, 2, 4, 6, 8])


def test_results_are_zero_outside_the_valid_region_and_outs_untouched() -> None:
    x = leaf(np.full((3, 4), 5))
    node = build.neighbour(x, (1, -1), Border(BorderMode.UNDEFINED))
    expected = np.array([[0, 5, 5, 5], [0, 5, 5, 5], [0, 0, 0, 0]])
    np.testing.assert_array_equal(run(node), expected)
    out = np.full((3, 4), 9)
    ReferenceDevice().evaluate([node], [out], threads=1)
    np.testing.assert_array_equal(out, np.where(expected == 5, 5, 9))


def test_a_compiled_graph_takes_other_values() -> None:
    x = leaf(np.arange(3))
    k = build.scalar(2, DTYPES["int64"])
    graph = ReferenceDevice().compile([x, k], [build.elementwise("multiply", x, k)])
    (first,) = graph.run([np.array([1, 2, 3]), 10], [None])
    (second,) = graph.run([np.array([4, 5, 6]), 7], [None])
    np.testing.assert_array_equal(first, [10, 20, 30])
    np.testing.assert_array_equal(second, [28, 35, 42])
    assert graph.kernels == ()
    assert graph.memory_report() == "reference: every node is stored whole"


# --- our own faults -------------------------------------------------------------------------------


def test_an_unknown_kind_of_node_is_our_fault() -> None:
    node = Node(Op("riddle", "riddle"), (), (), None, (), DTYPES["bool"])
    with pytest.raises(InternalError, match="reference: no rule for nodes of kind 'riddle'"):
        run(node)


def test_a_row_without_a_meaning_is_our_fault() -> None:
    node = Node(Op("blank", "elementwise", 1), (leaf(np.zeros(1)),), (), None, (1,), DTYPES["bool"])
    with pytest.raises(InternalError, match="reference: the row blank has no meaning in NumPy"):
        run(node)


def test_a_result_of_another_type_is_our_fault() -> None:
    node = Node(OPS["sqrt"], (leaf(np.zeros(2)),), (), None, (2,), DTYPES["int8"])
    text = r"reference: sqrt gave float64 \(2,\), but its node says int8 \(2,\)"
    with pytest.raises(InternalError, match=text):
        run(node)


def test_every_kind_of_the_table_has_a_rule() -> None:
    from muntin.runtime.reference import _RULES

    assert {row.kind for row in OPS.values()} <= set(_RULES)


@pytest.mark.parametrize("name", sorted(name for name, row in OPS.items() if row.is_elementwise))
def test_every_elementwise_row_gives_what_its_node_says(name: str) -> None:
    row = OPS[name]
    if name == "cast":
        assert run(build.cast(leaf(np.arange(3.0)), DTYPES["int8"])).tolist() == [0, 1, 2]
        return
    for dtype in DTYPES.values():
        operands = [leaf(np.array([0, 1, 1]).astype(dtype.numpy))] * row.arity
        try:
            node = build.elementwise(name, *operands)
        except DTypeError:
            assert row.rule not in ("promote", "compare", "test", "logical", "select")
            continue
        result = run(node)
        assert (result.dtype, result.shape) == (node.dtype.numpy, (3,))
