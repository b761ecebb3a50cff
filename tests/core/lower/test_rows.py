"""The march down the rows: what a kernel needs, and what it says of itself."""

import numpy as np
import pytest

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.node import AxisMap, View
from muntin.core.lower.row_loop import row_loop
from muntin.core.lower.rows import lower_rows
from muntin.core.plan.facts import KernelFacts
from muntin.core.plan.fuse import fuse
from muntin.core.plan.kernel import Domain
from muntin.core.plan.sink import ROWS_PER_STEP
from muntin.core.plan.stages import Group, form_stages
from muntin.core.program import Call, For, If
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from tests.pointwise import node_of

U8, I32 = DTYPES["uint8"], DTYPES["int32"]
REPLICATE = Border.of("replicate")


def image_of(shape=(6, 7), axes="yx", seed=0):
    return node_of(np.random.default_rng(seed).integers(0, 255, shape, np.uint8), axes)


def read(node, *offsets, border=REPLICATE):
    return build.neighbour(node, offsets, border)


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def costly(node):
    return build.elementwise("sqrt", build.elementwise("sqrt", node))


def lowered(*roots):
    (kernel,) = fuse(canonical(roots)).kernels
    return lower_rows(kernel, form_stages(kernel))


def calls(body):
    """Return the names of the functions called in some statements, in their order."""
    names = []
    for statement in body:
        match statement:
            case Call():
                names.append(statement.function)
            case For():
                names += calls(statement.body)
            case If():
                names += calls(statement.then) + calls(statement.otherwise)
    return names


class TestFacts:
    def test_pointwise_work_needs_no_rows(self):
        facts = lowered(total(image_of(), build.cast(image_of(seed=1), I32))).facts
        assert facts.operands == (U8, U8)
        assert facts.outputs == (I32,)
        assert not facts.has_rings
        assert (facts.seam, facts.reach, facts.fixed_scratch) == (0, 0, 0)
        assert facts.is_offset == (False, False)
        assert facts.streams

    @pytest.mark.parametrize(
        ("offsets", "border", "has_rings"),
        [
            ((0, 1), REPLICATE, True),
            ((1, 0), REPLICATE, False),
            ((1, 0), constant(3), True),
        ],
        ids=str,
    )
    def test_rows_are_needed_for_padding_and_constants(self, offsets, border, has_rings):
        facts = lowered(read(image_of(), *offsets, border=border)).facts
        assert facts.has_rings is has_rings
        assert facts.is_offset == (True,)

    def test_what_is_read_ahead_of_its_use_is_offset(self):
        image, other = image_of(), image_of(seed=1)
        rolled = costly(image)
        root = total(read(rolled, 1, 0), read(rolled, -1, 0), other)
        kernel = lowered(root)
        assert sorted(kernel.facts.is_offset) == [False, True]

    def test_seams_and_halos(self):
        rolled = costly(image_of())
        facts = lowered(total(read(rolled, -3, 0), read(rolled, 0, 2), read(rolled, 1, -1))).facts
        assert facts.seam >= 3
        assert facts.seam % ROWS_PER_STEP == 0
        assert facts.reach == 3

    def test_what_they_say_survives_writing(self):
        facts = lowered(read(image_of(), 0, 1)).facts
        assert KernelFacts.decoded(facts.encoded()) == facts

    def test_rows_past_the_caches_are_written_by_plain_work_alone(self):
        assert not lowered(total(build.index(0, (6, 7), "yx"), image_of())).facts.streams
        assert not lowered(read(image_of(), 0, 1)).facts.streams


class TestPrograms:
    def test_a_pointwise_row_is_one_call(self):
        program = lowered(total(image_of(), image_of(seed=1))).program
        own = [name for name in calls(program.entry.body) if name.startswith("final")]
        assert set(own) == {"final", "final_streamed"}

    def test_stages_run_before_what_reads_them(self):
        node = image_of()
        for _ in range(2):
            node = costly(total(read(node, -1, 0), read(node, 1, 0)))
        program = lowered(node).program
        own = [name for name in calls(program.entry.body) if name[:5] in ("rows0", "final")]
        assert own == ["rows0", "final"]

    def test_operands_of_all_strides_are_one_program(self):
        image = image_of()
        flipped = build.view(image, View((AxisMap(0, 5, -1), AxisMap(1, 0, 2))), (6, 4), "yx")
        whole = lowered(build.elementwise("negative", image_of((6, 4))))
        assert [f.name for f in whole.program.functions] == [
            f.name for f in lowered(build.elementwise("negative", flipped)).program.functions
        ]

    def test_packing_is_shared_code(self):
        facts = lowered(read(image_of((6, 7, 3), "yxc"), 0, 1, 0)).facts
        assert facts.shared == ("pack_1_3", "unpack_1_3")


def test_a_row_loop_takes_no_node_that_needs_a_stage():
    kept = build.keep(image_of())
    group = Group([(kept, None)], {}, [kept])
    with pytest.raises(InternalError, match="row_loop: a keep node is left in the work of a row"):
        row_loop("final", group, Domain(2, 0, 1))
