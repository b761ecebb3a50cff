"""How much work the functions ask for, counted in the graphs that they build."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.core.graph.node import Node
from muntin.core.graph.order import topological


def operations(*results: Any) -> Counter[str]:
    """Return how often each row stands in the graph of some results, with reads of neighbours."""
    return Counter(node.op.name for node in nodes(*results))


def nodes(*results: Any) -> list[Node]:
    return list(topological([result._node for result in results]))


@pytest.fixture
def image() -> Any:
    return mt.asarray(np.zeros((40, 50), np.uint8))


def test_a_large_box_takes_few_additions(image: Any) -> None:
    for border in ("replicate", "reflect101"):
        counts = operations(vx.box(image, 31, border))
        assert counts["add"] + counts["subtract"] <= 24
        assert counts["truncated_divide"] == 1


@pytest.mark.parametrize("border", ["replicate", "symmetric"])
def test_a_large_erosion_takes_few_comparisons(border: str, image: Any) -> None:
    assert operations(vx.erode(image, 31, border))["minimum"] <= 18


def test_a_disc_takes_two_comparisons_a_row_and_one_more_a_width(image: Any) -> None:
    disc = np.hypot(*np.ogrid[-15:16, -15:16]) <= 15.5
    assert operations(vx.dilate(image, disc))["maximum"] < 31 + 31


def test_the_columns_of_a_median_are_sorted_once(image: Any) -> None:
    counts = operations(vx.median(image))
    # Three exchanges down the columns; max of lows, middle of middles, min of highs; the middle.
    assert counts["minimum"] + counts["maximum"] == 6 + 2 + 4 + 2 + 4


def test_a_separable_matrix_is_applied_as_two(image: Any) -> None:
    gauss = np.outer((1, 4, 6, 4, 1), (1, 4, 6, 4, 1))
    counts = operations(vx.convolve(image, gauss, 256))
    assert counts["multiply"] == 4
    assert counts["neighbour"] == 8


def test_the_vertical_pass_comes_first(image: Any) -> None:
    for node in nodes(vx.gaussian5x5(image), *vx.sobel(image, 7), vx.box(image, 5)):
        if node.op.kind == "neighbour":
            (_, dx), _ = node.params
            assert (dx == 0) == (nodes_below(node) == {"input"})


def nodes_below(node: Node) -> set[str]:
    kinds = set()
    stack = list(node.args)
    while stack:
        below = stack.pop()
        if below.op.name != "cast":
            kinds.add(below.op.name)
        else:
            stack += below.args
    return kinds


def test_integer_work_of_bytes_stays_in_16_bits(image: Any) -> None:
    for result in (vx.gaussian3x3(image), vx.box(image), vx.laplacian(image), *vx.sobel(image, 5)):
        assert {node.dtype.bits for node in nodes(result)} <= {8, 16}


def test_users_numbers_are_not_compiled_in(image: Any) -> None:
    for result in (
        vx.threshold(image, 3, 9, 200, 100),
        vx.weighted_average(image, image, 0.3),
    ):
        constants = [node.payload for node in nodes(result) if node.op.kind == "constant"]
        assert set(constants) <= {1.0}
        assert any(node.op.kind == "scalar" for node in nodes(result))


def test_taps_and_divisors_are_compiled_in(image: Any) -> None:
    for result in (vx.gaussian(image, 7, 1.5), vx.box(image, 9), vx.convolve(image, [[1, -7, 3]])):
        kinds = {node.op.kind for node in nodes(result)}
        assert "constant" in kinds
        assert "scalar" not in kinds
