"""Integer work in the narrowest type that holds its values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.order import topological
from muntin.core.plan.narrow import narrow, narrowest
from muntin.core.plan.ranges import interval_of
from muntin.dtypes import DTYPES
from muntin.runtime.reference import ReferenceDevice
from tests.pointwise import hard_values, node_of, same_bits

BOOL, U8, I8, I16, I32, I64, F32 = (
    DTYPES[name] for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float32")
)


def image_of(dtype="uint8", shape=(4, 5)):
    return build.input_node(None, shape, DTYPES[dtype], "yx")


def intervals(outputs):
    known = {}
    for node in topological(outputs):
        if not node.dtype.is_float:
            known[node] = interval_of(node, known)
    return known


def narrowed(*outputs, bits=8):
    """Return the outputs in narrow types."""
    return narrow(outputs, intervals(outputs), bits)[0]


def widths(node):
    """Return the operations under a node, each with its type."""
    return [(n.op.name, str(n.dtype)) for n in topological([node]) if n.op.kind != "input"]


def wide(dtype="uint8"):
    return build.cast(image_of(dtype), I32)


@pytest.mark.parametrize(
    ("interval", "bits", "dtype"),
    [
        ((0, 127), 8, "int8"),
        ((0, 255), 8, "uint8"),
        ((-1, 255), 8, "int16"),
        ((0, 1), 32, "int32"),
        ((0, 2**63), 8, "uint64"),
        ((-1, 2**63), 8, None),
    ],
)
def test_the_narrowest_type_is_signed_at_equal_width(interval, bits, dtype):
    assert narrowest(interval, bits) is (None if dtype is None else DTYPES[dtype])


class TestTypes:
    def test_sums_of_bytes_take_sixteen_bits(self):
        (root,) = narrowed(build.elementwise("add", wide(), wide()))
        assert widths(root) == [
            ("cast", "int16"),
            ("cast", "int16"),
            ("add", "int16"),
            ("cast", "int32"),
        ]

    def test_results_keep_their_type(self):
        (root,) = narrowed(build.elementwise("bitwise_and", wide(), build.constant(15, I32)))
        assert root.dtype is I32
        assert root.args[0].dtype is I8

    def test_what_wraps_in_its_own_type_wraps_there(self):
        (root,) = narrowed(build.elementwise("add", image_of(), image_of()))
        assert widths(root) == [("add", "uint8")]

    def test_saturation_that_cannot_happen_is_left_out(self):
        (root,) = narrowed(build.elementwise("add_saturate", wide(), wide()))
        assert "add_saturate" not in [name for name, _ in widths(root)]
        (root,) = narrowed(build.elementwise("add_saturate", image_of(), image_of()))
        assert widths(root) == [("add_saturate", "uint8")]

    def test_an_extremum_that_is_decided_is_left_out(self):
        low = build.elementwise("minimum", wide(), build.constant(300, I32))
        high = build.elementwise("maximum", build.constant(300, I32), wide())
        roots = narrowed(low, high)
        assert widths(roots[0]) == [("cast", "int32")]
        assert widths(roots[1]) == [("constant", "int32")]

    def test_comparisons_are_made_in_narrow_types(self):
        (root,) = narrowed(build.elementwise("less", wide(), build.constant(9, I32)))
        assert root.args[0].op.kind == "input"
        assert root.args[1].dtype is U8

    def test_shift_counts_stay_below_the_width(self):
        bits = build.elementwise("bitwise_and", wide(), build.constant(1, I32))
        (root,) = narrowed(build.elementwise("raw_right_shift", bits, build.constant(12, I32)))
        shift = next(n for n in topological([root]) if n.op.name == "raw_right_shift")
        assert shift.dtype is I16

    def test_quotients_of_what_is_not_negative_are_unsigned(self):
        (root,) = narrowed(build.elementwise("raw_divide", wide(), build.constant(3, I32)))
        assert ("raw_divide", "uint8") in widths(root)

    def test_the_least_integer_over_minus_one_does_not_trap(self):
        (root,) = narrowed(build.elementwise("raw_divide", wide("int8"), build.constant(-1, I32)))
        assert ("raw_divide", "int16") in widths(root)

    def test_floats_take_integers_as_they_are(self):
        total = build.elementwise("add", wide(), wide())
        (root,) = narrowed(build.cast(total, F32))
        assert widths(root)[-2:] == [("add", "int16"), ("cast", "float32")]

    def test_truth_values_become_small_integers(self):
        flag = build.elementwise("less", image_of(), image_of())
        count = build.elementwise("add", build.cast(flag, I32), build.cast(flag, I32))
        (root,) = narrowed(count)
        assert ("add", "int8") in widths(root)

    def test_a_target_may_compute_in_wider_lanes(self):
        (root,) = narrowed(build.elementwise("add", wide(), wide()), bits=32)
        assert ("add", "int32") in widths(root)


class TestRows:
    def test_rows_have_one_type_that_holds_the_border_too(self):
        total = build.elementwise("add", wide(), wide())
        reads = [build.neighbour(total, (0, 1), border) for border in (constant(40_000), WRAP)]
        (root,) = narrowed(build.elementwise("add", *reads))
        producers = {n.args[0].dtype for n in topological([root]) if n.op.kind == "neighbour"}
        assert producers == {DTYPES["int32"]}

    def test_rows_of_bytes_stay_bytes(self):
        half = build.elementwise("bitwise_right_shift", wide(), build.constant(1, I32))
        read = build.neighbour(build.cast(half, U8), (0, 1), constant(3))
        (root,) = narrowed(read)
        assert root.dtype is U8

    def test_window_sums_are_as_wide_as_they_must(self):
        (root,) = narrowed(build.window_sum(wide(), 0, 10, 10, WRAP))
        total = next(n for n in topological([root]) if n.op.kind == "window_sum")
        assert (total.dtype, total.args[0].dtype) == (I16, U8)


WRAP = Border.of("wrap")
BINARY = [
    "add",
    "subtract",
    "multiply",
    "minimum",
    "maximum",
    "add_saturate",
    "subtract_saturate",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "less",
    "equal",
    "where",
]


@given(st.data())
def test_values_do_not_change(data):
    dtypes = st.sampled_from(["uint8", "int8", "int16", "uint16", "int32", "uint32"])
    nodes = [node_of(hard_values(DTYPES[data.draw(dtypes)], 30, seed)) for seed in range(3)]
    nodes += [build.constant(data.draw(st.integers(-9, 300)), I32)]
    for _ in range(data.draw(st.integers(1, 12))):
        a, b = (data.draw(st.sampled_from(nodes)) for _ in range(2))
        name = data.draw(st.sampled_from([*BINARY, "cast"]))
        if name == "cast":
            target = DTYPES[data.draw(dtypes)]
            nodes.append(build.cast(a, target, saturate=data.draw(st.booleans())))
        elif name == "where":
            nodes.append(build.elementwise(name, build.elementwise("less", a, b), b, a))
        elif a.dtype.is_integer and b.dtype.is_integer:
            nodes.append(build.elementwise(name, a, b))
    roots = [node for node in nodes if node.shape][-3:]
    results = narrowed(*roots)
    for root, result in zip(roots, results, strict=True):
        assert result.dtype is root.dtype
    before, after = (ReferenceDevice().evaluate(each, [None] * 3) for each in (roots, results))
    for wanted, got in zip(before, after, strict=True):
        assert same_bits(np.broadcast_to(got, wanted.shape), wanted)  # a number may be left


@given(st.data())
def test_every_node_made_lies_in_the_interval_that_is_told(data):
    values = np.random.default_rng(data.draw(st.integers(0, 9))).integers(0, 256, 40)
    node = build.cast(node_of(values.astype(np.uint8)), I32)
    for name in data.draw(st.lists(st.sampled_from(BINARY[:-1]), max_size=6)):
        node = build.elementwise(name, node, build.constant(data.draw(st.integers(-50, 50)), I32))
        if node.dtype is BOOL:
            node = build.cast(node, I32)
    _, known = narrow([node], intervals([node]))
    made = [each for each in known if each.shape]
    arrays = ReferenceDevice().evaluate(made, [None] * len(made))
    for each, array in zip(made, arrays, strict=True):
        low, high = known[each]
        assert low <= int(array.min()) <= int(array.max()) <= high
