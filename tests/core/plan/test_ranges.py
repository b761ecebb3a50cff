"""Ranges of integer nodes: sound for every row, exact for constants, whole for what may change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.infer import resolve
from muntin.core.graph.node import AxisMap, View
from muntin.core.graph.ops import OPS
from muntin.core.plan.ranges import interval_of, whole_type
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError, InternalError

RULED = [row.name for row in OPS.values() if row.is_elementwise and row.interval is not None]


def image_of(dtype):
    return build.input_node(None, (4, 5), DTYPES[dtype], "yx")


def intervals(nodes):
    """Return the interval of every integer and boolean node, operands coming first."""
    known = {}
    for node in nodes:
        if not node.dtype.is_float:
            known[node] = interval_of(node, known)
    return known


def test_inputs_and_scalars_are_the_whole_type():
    image, number = image_of("int16"), build.scalar(3, DTYPES["uint8"])
    assert intervals([image, number]) == {image: (-32768, 32767), number: (0, 255)}


def test_constants_are_exact_and_indices_not_negative():
    five, rows = build.constant(5, DTYPES["int8"]), build.index(0, (4, 5))
    assert intervals([five, rows]) == {five: (5, 5), rows: (0, 2**63 - 1)}


def test_floats_have_no_interval_but_tests_of_them_do():
    image = image_of("float32")
    test = build.elementwise("isnan", image)
    assert intervals([image, test]) == {test: (0, 1)}
    with pytest.raises(InternalError, match="float32 is a floating type"):
        whole_type(DTYPES["float32"])


def test_an_operand_that_is_not_listed_is_the_whole_type():
    wide = build.cast(image_of("uint8"), DTYPES["int32"])
    total = build.elementwise("add", wide, build.constant(1, DTYPES["int32"]))
    assert intervals([total])[total] == (-(2**31), 2**31 - 1)


def test_what_overflows_is_the_whole_type():
    image = image_of("uint8")
    total = build.elementwise("add", image, image)
    assert intervals([image, total])[total] == (0, 255)
    wide = build.cast(image, DTYPES["int16"])
    total = build.elementwise("add", wide, wide)
    assert intervals([image, wide, total])[total] == (0, 510)


@pytest.mark.parametrize(
    ("source", "target", "saturate", "expected"),
    [
        ("uint8", "int16", False, (0, 255)),
        ("int16", "uint8", False, (0, 255)),
        ("int16", "int8", True, (-128, 127)),
        ("int8", "uint8", False, (0, 255)),
        ("int8", "uint8", True, (0, 127)),
        ("float32", "int8", False, (-128, 127)),
        ("bool", "int32", False, (0, 1)),
        ("int32", "bool", False, (0, 1)),
    ],
)
def test_casts(source, target, saturate, expected):
    image = image_of(source)
    cast = build.cast(image, DTYPES[target], saturate=saturate)
    assert intervals([image, cast])[cast] == expected


@pytest.mark.parametrize(("value", "expected"), [(0, (0, 0)), (7, (1, 1)), (-1, (1, 1))])
def test_casts_to_bool_ask_for_zero(value, expected):
    number = build.constant(value, DTYPES["int8"])
    cast = build.cast(number, DTYPES["bool"])
    assert intervals([number, cast])[cast] == expected


def test_choices_hull_what_they_choose_from():
    flag, one, nine = image_of("bool"), build.constant(-1, DTYPES["int32"]), image_of("uint8")
    wide = build.cast(nine, DTYPES["int32"])
    choice = build.elementwise("where", flag, one, wide)
    assert intervals([flag, one, nine, wide, choice])[choice] == (-1, 255)


def test_views_keeps_and_neighbours_take_what_they_read():
    number = build.cast(image_of("uint8"), DTYPES["int32"])
    flipped = View((AxisMap(0), AxisMap(1, 4, -1)))
    view = build.view(number, flipped, (4, 5))
    kept = build.keep(number)
    beside = build.neighbour(number, (0, 1), Border.of("replicate"))
    known = {number: (0, 255)}
    assert [interval_of(node, known) for node in (view, kept, beside)] == [(0, 255)] * 3
    outside = build.neighbour(number, (0, 1), constant(-3))
    assert interval_of(outside, known) == whole_type(DTYPES["int32"])
    known[outside.args[1]] = (-3, -3)
    assert interval_of(outside, known) == (-3, 255)


@pytest.mark.parametrize("name", RULED)
@given(data=st.data())
def test_no_row_leaves_its_interval(name, data):
    row = OPS[name]
    dtype = data.draw(st.sampled_from([d for d in DTYPES.values() if not d.is_float]))
    if name == "rounded_sqrt" and dtype.bits > 32:
        dtype = DTYPES["uint32"]
    try:
        types, _ = resolve(name, row.rule, (dtype,) * row.arity)
    except DTypeError:
        return
    if any(t.is_float for t in types):
        return
    args, known, values = [], {}, []
    for operand in types:
        low, high = sorted(data.draw(st.tuples(*[_numbers(operand)] * 2)))
        if name == "rounded_sqrt":
            low, high = (min(max(bound, 0), 2**32 - 2**16) for bound in (low, high))
        arg = build.input_node(None, (), operand)
        args.append(arg)
        known[arg] = (low, high)
        values.append(data.draw(st.sampled_from([low, high]) | st.integers(low, high)))
    if name == "raw_divide" and known[args[1]][0] <= 0 <= known[args[1]][1]:
        return
    if name.startswith("raw_") and name.endswith("shift") and not 0 <= values[1] < dtype.bits:
        return
    node = build.elementwise(name, *args)
    low, high = interval_of(node, known)
    operands = [np.array(v, t.numpy) for v, t in zip(values, types, strict=True)]
    with np.errstate(all="ignore"):
        assert low <= int(row.reference(*operands)) <= high


def _numbers(dtype):
    edges = [dtype.least, dtype.greatest, 0, 1, max(dtype.least, -1)]
    return st.sampled_from(edges) | st.integers(dtype.least, dtype.greatest)
