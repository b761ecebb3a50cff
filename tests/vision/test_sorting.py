"""The networks sort, and find medians, of all zeros and ones: so they do of anything."""

import itertools

import numpy as np
import pytest

import muntin as mt
from muntin.vision.sorting import exchanges, middle, middle_of_columns


@pytest.mark.parametrize("count", range(1, 15))
def test_exchanges_sort_every_row_of_zeros_and_ones(count: int) -> None:
    rows = np.array(list(itertools.product((0, 1), repeat=count)))
    for low, high in exchanges(count):
        assert 0 <= low < high < count
        pair = rows[:, [low, high]]
        rows[:, low], rows[:, high] = pair.min(axis=1), pair.max(axis=1)
    assert (np.diff(rows, axis=1) >= 0).all()


@pytest.mark.parametrize("count", [17, 25, 49, 81])
def test_exchanges_sort_random_rows(count: int) -> None:
    rows = np.random.default_rng(count).integers(0, 50, (500, count))
    expected = np.sort(rows, axis=1)
    for low, high in exchanges(count):
        pair = rows[:, [low, high]]
        rows[:, low], rows[:, high] = pair.min(axis=1), pair.max(axis=1)
    np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("shape", [(1, 3), (3, 3), (3, 5), (5, 3), (5, 5), (7, 7), (9, 9), (3, 27)])
def test_the_median_of_sorted_columns(shape: tuple[int, int]) -> None:
    rows, columns = shape
    values = np.random.default_rng(1).integers(0, 2, (rows, columns, 400)).astype(np.uint8)
    values = np.sort(values, axis=0)
    stack = [[mt.asarray(values[i, j]) for i in range(rows)] for j in range(columns)]
    with mt.use("reference"):
        found = np.asarray(middle_of_columns(stack))
        plain = np.asarray(middle([value for column in stack for value in column]))
    expected = np.median(values, axis=(0, 1)).astype(np.uint8)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(plain, expected)


def test_the_median_of_27_is_found_in_all_ascending_columns_of_zeros_and_ones() -> None:
    # Of 3 x 3 zeros and ones that ascend both ways: how many ones each row ends in.
    ends = [e for e in itertools.product(range(4), repeat=3) if e[0] <= e[1] <= e[2]]
    columns = np.array([[j >= 3 - ones for ones in end for j in range(3)] for end in ends])
    windows = np.array(list(itertools.product(columns, repeat=3)), np.uint8)
    assert windows.shape == (8000, 3, 9)
    stack = [[mt.asarray(windows[:, k, place]) for place in range(9)] for k in range(3)]
    with mt.use("reference"):
        found = np.asarray(middle_of_columns(stack, planes=3))
    np.testing.assert_array_equal(found, windows.sum(axis=(1, 2)) >= 14)


@pytest.mark.parametrize("shape", [(3, 5, 3), (5, 3, 3), (3, 3, 5), (3, 3, 1)])
def test_the_median_of_sorted_planes(shape: tuple[int, int, int]) -> None:
    planes, rows, columns = shape
    values = np.random.default_rng(1).integers(0, 2, (*shape, 400)).astype(np.uint8)
    values = np.sort(np.sort(values, axis=0), axis=1)
    stack = [
        [mt.asarray(values[h, i, j]) for h in range(planes) for i in range(rows)]
        for j in range(columns)
    ]
    with mt.use("reference"):
        found = np.asarray(middle_of_columns(stack, planes))
    np.testing.assert_array_equal(found, np.median(values, axis=(0, 1, 2)).astype(np.uint8))


def test_the_median_of_an_even_number_is_the_upper_one() -> None:
    values = [mt.asarray(np.uint8([value])) for value in (9, 1, 5, 3)]
    with mt.use("reference"):
        assert np.asarray(middle(values)) == 5
