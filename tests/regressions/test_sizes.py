"""Graphs of many operations and many arrays."""

import time

import numpy as np
import pytest

import muntin as mt


@pytest.mark.parametrize("count", [63, 64, 65, 200])
def test_sums_of_many_arrays(count):
    arrays = [np.full((3, 50), k, np.int64) for k in range(count)]
    total = mt.asarray(arrays[0])
    for array in arrays[1:]:
        total = total + array
    assert np.asarray(total).tolist() == sum(arrays).tolist()


def test_hundreds_of_arrays_compile_in_a_time_that_grows_with_their_number():
    arrays = [np.full(50, k % 251, np.uint8) for k in range(600)]
    most = mt.asarray(arrays[0]) ^ 1
    for array in arrays[1:]:
        most = mt.maximum(most, array)
    started = time.process_time()
    assert np.asarray(most).tolist() == [250] * 50
    assert time.process_time() - started < 30
