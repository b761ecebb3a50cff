"""Views of pointwise work become that work on views."""

from muntin.array.indexing import indexed
from muntin.core.border import Border
from muntin.core.graph import build
from muntin.core.graph.node import AxisMap, View
from muntin.core.graph.order import topological
from muntin.core.graph.views import push_views
from muntin.dtypes import DTYPES

FLIPPED = View((AxisMap(0, 3, -1), AxisMap(1)))


def image_of(shape=(4, 5), axes="yx"):
    return build.input_node(None, shape, DTYPES["uint8"], axes)


def squared(node):
    return build.elementwise("multiply", node, node)


def flipped(node):
    return build.view(node, FLIPPED, (4, 5), "yx")


def names(node):
    return node.op.name, [arg.op.name for arg in node.args]


def test_graphs_without_such_views_stay_the_same_objects():
    roots = [squared(flipped(image_of()))]
    assert push_views(roots) is roots


def test_work_is_done_on_views():
    image = image_of()
    number = build.scalar(3, DTYPES["uint8"])
    work = build.elementwise("add", build.elementwise("multiply", image, number), image)
    (root,) = push_views([flipped(work)])
    assert names(root) == ("add", ["multiply", "view"])
    assert names(root.args[0]) == ("multiply", ["view", "scalar"])
    assert root.args[1].args == (image,)
    assert root.args[1].payload == FLIPPED


def test_views_go_through_views():
    image = image_of()
    number = build.scalar(3, DTYPES["uint8"])
    inner = flipped(build.elementwise("multiply", image, number))
    (root,) = push_views([flipped(build.elementwise("add", inner, number))])
    assert names(root) == ("add", ["multiply", "scalar"])
    assert root.args[0].args[0].payload == View((AxisMap(0, 0, 1), AxisMap(1)))


def test_work_that_something_else_reads_stays():
    work = squared(image_of())
    roots = push_views([flipped(work), work])
    assert roots[0].args[0] is work is roots[1]


def test_work_of_which_few_views_show_each_element_once_is_done_on_them():
    def count_of(*parts):
        order = topological(push_views([indexed(work, (part,)) for part in parts]))
        return [node.op.name for node in order].count("multiply")

    work = squared(image_of((24, 5)))
    for count, is_done in ((2, True), (8, True), (12, False)):
        rows = 24 // count
        parts = [slice(k * rows, k * rows + rows) for k in range(count)]
        assert count_of(*parts) == (count if is_done else 1)
    assert count_of(slice(0, 13), slice(11, 24)) == 1


def test_work_on_neighbours_stays():
    work = squared(build.neighbour(image_of(), (0, 1), Border.of("replicate")))
    (root,) = push_views([flipped(work)])
    assert names(root) == ("view", ["multiply"])


def test_a_stretched_view_of_work_on_a_valid_part():
    part = build.neighbour(image_of((2,), "x"), (1,), Border.of("undefined"))
    column = build.view(part, View((AxisMap(0), AxisMap(None))), (2, 1))
    (root,) = push_views([build.broadcast_to(squared(column), (2, 3))])
    assert names(root) == ("multiply", ["view", "view"])
    assert root.args[0].args == (part,)
    assert root.valid == build.broadcast_to(squared(column), (2, 3)).valid
