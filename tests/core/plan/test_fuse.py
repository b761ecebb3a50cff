"""Where graphs are cut into kernels, and what each kernel reads and writes."""

import pytest

from muntin.core.border import Border, constant
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.node import AxisMap, View
from muntin.core.graph.order import topological
from muntin.core.plan.fuse import MAX_NODES, MAX_REACH, fuse
from muntin.core.plan.kernel import Domain
from muntin.dtypes import DTYPES

U8, I32 = DTYPES["uint8"], DTYPES["int32"]


class Source:
    """A source of its own for every input."""


def image_of(shape=(40, 50), axes="yx", dtype="uint8"):
    return build.input_node(Source(), shape, DTYPES[dtype], axes)


def read(node, *offsets, border="replicate"):
    return build.neighbour(node, offsets, Border.of(border))


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def around(node, border="replicate"):
    return total(*[read(node, dy, dx, border=border) for dy in (-1, 1) for dx in (-1, 1)])


def viewed(node, *maps, shape=None, fixed=()):
    return build.view(node, View(tuple(maps), fixed), shape or node.shape)


FLIP = (AxisMap(0, 39, -1), AxisMap(1))


def planned(*roots):
    """Return the plan with the names of the canonical nodes."""
    form = canonical(roots)
    return fuse(form), form


def kinds(form, positions):
    return [form.nodes[position].op.name for position in positions]


class TestOneKernel:
    def test_pointwise_work_of_one_shape(self):
        a, b = image_of(), image_of()
        plan, form = planned(total(a, b), build.elementwise("multiply", a, 3))
        (kernel,) = plan.kernels
        assert [node.op.name for node in kernel.outputs] == ["add", "multiply"]
        assert kinds(form, kernel.operands) == ["input", "input"]
        assert kinds(form, kernel.scalars) == ["scalar"]
        assert kernel.domain == Domain(2, 0, 1, 1, True)

    @pytest.mark.parametrize("border", ["replicate", "symmetric", "reflect101", "undefined"])
    def test_chains_of_neighbours(self, border):
        image = image_of()
        blurred = around(image, border)
        plan, _ = planned(around(around(blurred, border), border), blurred)
        (kernel,) = plan.kernels
        assert kernel.domain == Domain(2, 0, 1, 1, False)

    def test_chains_of_neighbours_under_a_constant(self):
        image = image_of()
        once = build.neighbour(total(image, image), (1, 0), constant(3))
        plan, _ = planned(build.neighbour(total(once, image), (0, 1), constant(4)))
        assert len(plan.kernels) == 1

    def test_operands_that_are_views(self):
        row = image_of((50,), "x")
        plan, form = planned(total(image_of(), viewed(image_of(), *FLIP), row))
        (kernel,) = plan.kernels
        assert kinds(form, kernel.operands) == ["input", "view", "view"]

    def test_numbers_and_indices_are_not_operands(self):
        plan, _ = planned(total(build.index(0, (40, 50), "yx"), build.constant(3, I32)))
        (kernel,) = plan.kernels
        assert kernel.operands == ()
        assert not kernel.domain.pointwise

    def test_reads_of_an_input_in_another_plane_or_under_wrap(self):
        image = image_of((3, 40, 50), "nyx")
        plan, _ = planned(total(read(image, 1, 0, 0), read(image, 0, 1, 1, border="wrap")))
        assert len(plan.kernels) == 1


class TestCuts:
    def test_what_is_kept(self):
        image = image_of()
        kept = build.keep(total(image, image))
        plan, form = planned(total(kept, image))
        assert len(plan.kernels) == 2
        first, second = plan.kernels
        assert kinds(form, [result.node for result in first.results]) == ["keep"]
        assert kinds(form, second.operands) == ["keep", "input"]
        assert plan.last_use == {second.operands[0]: 1, second.operands[1]: 1}

    def test_computed_work_read_under_wrap(self):
        blurred = around(image_of())
        assert len(planned(around(blurred, "wrap"))[0].kernels) == 2

    def test_computed_work_read_in_another_plane(self):
        image = image_of((3, 40, 50), "nyx")
        work = total(image, read(image, 0, 1, 0))
        plan, _ = planned(read(work, 1, 0, 0))
        assert len(plan.kernels) == 2

    def test_computed_work_whose_axes_have_no_names(self):
        image = image_of(axes=None)
        assert len(planned(around(total(image, read(image, 1, 1))))[0].kernels) == 2

    def test_views_of_work_that_something_else_reads(self):
        work = around(image_of())
        plan, form = planned(total(work, viewed(work, *FLIP)))
        assert len(plan.kernels) == 2
        assert kinds(form, plan.kernels[1].operands) == ["add", "view"]

    def test_views_of_pointwise_work_are_work_on_views(self):
        image = image_of()
        plan, _ = planned(viewed(total(image, 3), *FLIP))
        assert len(plan.kernels) == 1

    def test_reach_is_limited(self):
        node = image_of()
        for _ in range(MAX_REACH):
            node = build.neighbour(total(node, image_of()), (1, 0), constant(1))
        assert len(planned(node)[0].kernels) == 1
        node = build.neighbour(total(node, image_of()), (1, 0), constant(1))
        assert len(planned(node)[0].kernels) == 2

    def test_a_single_read_may_be_as_far_as_it_likes(self):
        far = total(read(image_of(), 3 * MAX_REACH, 0), read(image_of(), -3 * MAX_REACH, 0))
        assert len(planned(far)[0].kernels) == 1

    def test_kernels_have_at_most_so_many_nodes(self):
        node, other = image_of(), image_of()
        for number in range(10_000):
            node = build.elementwise("add" if number % 3 else "maximum", node, other)
        plan, _ = planned(node)
        sizes = [
            sum(each.op.is_elementwise for each in topological(kernel.outputs))
            for kernel in plan.kernels
        ]
        assert max(sizes) <= MAX_NODES
        assert sum(sizes) == 10_000
        assert len(sizes) == 20

    def test_work_in_two_planes(self):
        pixels, planes = image_of((5, 6, 7), "yxc"), image_of((5, 6, 7), "cyx")
        plain = image_of((5, 6, 7), None)
        p, q, rest = total(pixels, plain), total(planes, plain), total(plain, plain)
        below = [
            build.neighbour(p, (1, 0, 0), constant(1)),
            build.neighbour(q, (0, 1, 0), constant(1)),
        ]
        plan, form = planned(*below, rest)
        assert [kernel.domain.row_axis for kernel in plan.kernels] == [0, 1]
        assert [len(kernel.results) for kernel in plan.kernels] == [2, 1]
        assert form.nodes[plan.kernels[0].results[1].node].args[0] is plain


class TestRoots:
    def test_an_input_is_written_by_no_kernel(self):
        image = image_of()
        plan, form = planned(image, viewed(image, *FLIP))
        assert plan.kernels == ()
        assert [(kinds(form, [root.node]), root.view) for root in plan.roots] == [
            (["input"], None),
            (["input"], 1),
        ]

    def test_a_box_of_work_is_written_alone(self):
        window = viewed(around(image_of()), AxisMap(1, 9, -1), AxisMap(0, 3), shape=(5, 9))
        plan, form = planned(window)
        (kernel,) = plan.kernels
        assert plan.roots == kernel.results
        assert kinds(form, [kernel.results[0].view]) == ["view"]

    @pytest.mark.parametrize(
        ("maps", "shape", "fixed"),
        [
            ((AxisMap(0, 0, 2), AxisMap(1)), (20, 50), ()),
            ((AxisMap(None), AxisMap(0), AxisMap(1)), (1, 40, 50), ()),
            ((AxisMap(1),), (50,), ((0, 3),)),
        ],
    )
    def test_other_views_of_work_are_copied_from_it(self, maps, shape, fixed):
        plan, _ = planned(viewed(around(image_of()), *maps, shape=shape, fixed=fixed))
        (kernel,) = plan.kernels
        assert kernel.results[0].view is None
        assert plan.roots[0].view is not None

    def test_a_view_that_something_else_reads_is_no_box(self):
        flipped = viewed(around(image_of()), *FLIP)
        plan, _ = planned(total(flipped, image_of()), flipped)
        assert [result.view for result in plan.kernels[0].results] == [None]
        assert len(plan.kernels) == 2

    def test_numbers_as_roots(self):
        number, other = build.scalar(3, U8), build.constant(4, U8)
        plan, _ = planned(number, other, build.broadcast_to(number, (4, 5)))
        assert sorted(kernel.domain.rank for kernel in plan.kernels) == [0, 0, 2]

    def test_work_that_is_a_root_is_done_once_in_a_kernel(self):
        image = image_of()
        work = total(image, image)
        plan, _ = planned(work, build.elementwise("multiply", work, work))
        (kernel,) = plan.kernels
        assert kernel.outputs[1].args[0] is kernel.outputs[0]


class TestDomains:
    @pytest.mark.parametrize(
        ("axes", "shape", "domain"),
        [
            ("x", (50,), Domain(1, None, 0, 1, False)),
            ("yx", (40, 50), Domain(2, 0, 1, 1, False)),
            ("xy", (40, 50), Domain(2, 0, 1, 1, False)),
            ("yxc", (40, 50, 3), Domain(3, 0, 1, 3, False)),
            ("yxc", (40, 50, 1), Domain(3, 0, 1, 1, False)),
            ("cyx", (3, 40, 50), Domain(3, 1, 2, 1, False)),
            ("nyxc", (2, 40, 50, 4), Domain(4, 1, 2, 4, False)),
            ("ycx", (40, 3, 50), Domain(3, 0, 2, 1, False)),
        ],
    )
    def test_rows_columns_and_channels_by_their_letters(self, axes, shape, domain):
        image = image_of(shape, axes)
        offsets = tuple([int(letter == "x") for letter in axes])
        (kernel,) = planned(build.neighbour(image, offsets, constant(1)))[0].kernels
        assert kernel.domain == domain

    def test_channels_that_are_read_across_are_an_axis_like_others(self):
        image = image_of((40, 50, 3), "yxc")
        (kernel,) = planned(read(image, 0, 1, 1))[0].kernels
        assert kernel.domain == Domain(3, 0, 1, 1, False)
        assert kernel.domain.outer_axes == (2,)

    def test_a_channel_axis_is_no_outer_axis(self):
        domain = Domain(4, 1, 2, 3, False)
        assert (domain.outer_axes, domain.channel_axis) == ((0,), 3)


def test_equal_kernels_have_equal_keys():
    image = image_of()
    first = build.keep(total(image, image))
    plan, _ = planned(build.keep(total(first, first)))
    keys = [kernel.key for kernel in plan.kernels]
    assert keys[0] == keys[1]
