"""Expansion into the rows that a target spells."""

import dataclasses

import pytest

from muntin.core.graph import build
from muntin.core.graph.infer import resolve
from muntin.core.graph.node import Node
from muntin.core.graph.ops import OPS, Op
from muntin.core.plan.expand import expand
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError, InternalError

ELEMENTWISE = [row.name for row in OPS.values() if row.is_elementwise and row.name != "cast"]


def image_of(dtype):
    return build.input_node(None, (4, 5), DTYPES[dtype], "yx")


def names(expansion):
    return [node.op.name for node in expansion.nodes]


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("target", ["llvm", "opencl"])
def test_every_row_expands_to_what_the_target_spells(name, target):
    row = OPS[name]
    for dtype in DTYPES.values():
        try:
            types, _ = resolve(name, row.rule, (dtype,) * row.arity)
        except DTypeError:
            continue
        args = [build.input_node(None, (4, 5), operand, "yx") for operand in types]
        node = build.elementwise(name, *args)
        expansion = expand([*args, node], target)
        assert expansion.replaced[node].dtype is node.dtype
        assert expansion.replaced[node].shape == node.shape
        seen = set()
        for each in expansion.nodes:
            assert seen.issuperset(each.args)
            seen.add(each)
            if each.op.is_elementwise and each.op.name != "cast":
                spelling = each.op.llvm if target == "llvm" else each.op.opencl
                assert each.args[-1].dtype.kind in spelling


def test_both_targets_spell_the_same_kinds():
    for row in OPS.values():
        assert set(row.llvm) == set(row.opencl), row


def test_spelled_nodes_stay_the_same_objects():
    image = image_of("uint8")
    total = build.elementwise("add", image, image)
    expansion = expand([image, total])
    assert expansion.nodes == (image, total)
    assert expansion.replaced == {image: image, total: total}


def test_users_of_an_expanded_node_are_rewritten():
    image = image_of("uint8")
    power = build.elementwise("square", image)
    total = build.elementwise("add", power, image)
    kept = build.keep(total)
    expansion = expand([image, power, total, kept])
    assert names(expansion) == ["input", "multiply", "add", "keep"]
    assert expansion.replaced[kept].args == (expansion.replaced[total],)


def test_tests_that_cannot_fail_are_not_written():
    image = image_of("uint8")
    divisor = build.constant(3, DTYPES["uint8"])
    third = build.elementwise("floor_divide", image, divisor)
    assert names(expand([image, divisor, third])) == ["input", "constant", "raw_divide"]
    divisor = build.constant(8, DTYPES["uint8"])
    eighth = build.elementwise("floor_divide", image, divisor)
    expansion = expand([image, divisor, eighth])
    result = expansion.replaced[eighth]
    assert (result.op.name, result.args[1].payload) == ("raw_right_shift", 3)


@pytest.mark.parametrize(
    ("dtype", "target", "division"),
    [
        ("int16", "llvm", "divide"),
        ("int32", "llvm", "divide"),
        ("int64", "llvm", "raw_divide"),
        ("int32", "opencl", "raw_divide"),
    ],
)
def test_a_division_is_made_once(dtype, target, division):
    image, divisor = image_of(dtype), image_of(dtype)
    quotient = build.elementwise("floor_divide", image, divisor)
    remainder = build.elementwise("remainder", image, divisor)
    expansion = expand([image, divisor, quotient, remainder], target)
    made = names(expansion)
    assert [made.count(name) for name in ("divide", "raw_divide")] == [
        int(division == name) for name in ("divide", "raw_divide")
    ]


def test_intervals_cover_the_nodes_made():
    image = image_of("uint8")
    wide = build.cast(image, DTYPES["int32"])
    power = build.elementwise("square", wide)
    expansion = expand([image, wide, power])
    assert expansion.intervals[expansion.replaced[power]] == (0, 255 * 255)


def test_a_long_chain_needs_no_recursion():
    nodes = [image_of("float32")]
    for _ in range(5000):
        nodes.append(build.elementwise("square", nodes[-1]))
    assert len(expand(nodes).nodes) == 5001


def _with_body(body):
    row = Op("twice", "elementwise", 1, "same", body=body)
    image = image_of("uint8")
    return [image, Node(row, (image,), (), None, image.shape, image.dtype, "yx")]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (lambda b, x: b.twofold(x), "a body uses 'twofold', which is no elementwise operation"),
        (lambda b, x: b.add(x, b.typed(1, "int32")), "a body gives uint8, int32 to add"),
        (lambda b, x: b.equal(x, x), "the body of twice gives bool, not uint8"),
        (None, "twice has neither a spelling for operands of kind 'u' in opencl nor a body"),
    ],
)
def test_faults_of_bodies_are_told(body, fault):
    with pytest.raises(InternalError, match=fault):
        expand(_with_body(body), "opencl")


def test_a_body_cannot_ask_for_the_interval_of_a_float():
    row = dataclasses.replace(OPS["square"], body=lambda b, x: b.interval(x))
    image = image_of("float32")
    node = Node(row, (image,), (), None, image.shape, image.dtype, "yx")
    with pytest.raises(InternalError, match="only integers have an interval"):
        expand([image, node])


def test_rare_choices_are_marked_and_are_no_others():
    def body(b, x):
        zero = b.like(0, x)
        b.where(b.equal(x, zero), zero, x)
        return b.rarely(b.equal(x, zero), zero, x)

    expansion = expand(_with_body(body))
    assert names(expansion) == ["input", "constant", "equal", "where"]
    assert [node.is_rare_choice for node in expansion.nodes] == [False, False, False, True]
