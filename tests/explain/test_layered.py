"""Layouts: boxes keep apart, arrows point down, and start and end at boxes."""

from hypothesis import given
from hypothesis import strategies as st

from muntin.explain.layered import Layout, layered


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    count = draw(st.integers(1, 14))
    side = st.floats(5, 200)
    sizes = draw(st.lists(st.tuples(side, side), min_size=count, max_size=count))
    pairs = [(start, stop) for stop in range(count) for start in range(stop)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return sizes, edges


def check(layout: Layout, sizes: list[tuple[float, float]], edges: list[tuple[int, int]]) -> None:
    slack = 1e-6
    boxes = [
        (x - w / 2, x + w / 2, y - h / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout.centres, sizes, strict=True)
    ]
    for number, (left, right, top, bottom) in enumerate(boxes):
        assert -slack <= left <= right <= layout.width + slack
        assert -slack <= top <= bottom <= layout.height + slack
        for other in boxes[:number]:
            apart_x = right <= other[0] + slack or other[1] <= left + slack
            assert apart_x or bottom <= other[2] + slack or other[3] <= top + slack
    for (start, stop), path in zip(edges, layout.paths, strict=True):
        (x0, y0), (x1, y1) = path[0], path[-1]
        assert abs(y0 - boxes[start][3]) < slack
        assert abs(y1 - boxes[stop][2]) < slack
        assert boxes[start][0] - slack <= x0 <= boxes[start][1] + slack
        assert boxes[stop][0] - slack <= x1 <= boxes[stop][1] + slack
        heights = [y for _, y in path]
        assert heights == sorted(heights)
        assert y0 < y1


@given(graphs())
def test_any_graph(graph: tuple[list[tuple[float, float]], list[tuple[int, int]]]) -> None:
    check(layered(*graph), *graph)


def test_a_diamond_is_symmetric() -> None:
    sizes = [(40.0, 20.0)] * 4
    edges = [(0, 1), (0, 2), (1, 3), (2, 3)]
    layout = layered(sizes, edges)
    check(layout, sizes, edges)
    (top, left, right, bottom) = layout.centres
    assert top[0] == bottom[0] == (left[0] + right[0]) / 2
    assert left[1] == right[1]


def test_sources_lie_close_to_what_they_feed() -> None:
    sizes = [(40.0, 20.0)] * 5
    edges = [(0, 1), (1, 2), (2, 3), (4, 3)]
    layout = layered(sizes, edges)
    assert layout.centres[4][1] == layout.centres[2][1]


def test_nothing() -> None:
    assert layered([], []) == Layout((), (), 0.0, 0.0)
