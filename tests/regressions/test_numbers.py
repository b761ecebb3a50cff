"""Numbers beside arrays that their types do not hold, or hold only just."""

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx

HALFWAY = 3.4028235677973366e38  # between the greatest float32 and the next power of two
ROWS = np.float32([[-2, 0, 1, np.inf]])


@pytest.mark.parametrize("device", ["reference", "cpu"])
@pytest.mark.parametrize("number", [1e300, -1e300, 10**200, -(10**200), HALFWAY, 3.4028234e38])
def test_a_number_past_a_float_type_is_infinite_there(device: str, number: float) -> None:
    with mt.use(device), np.errstate(all="ignore"):
        held = np.float32(number)
        np.testing.assert_array_equal(mt.asarray(ROWS) * number, ROWS * held)
        np.testing.assert_array_equal(mt.asarray(ROWS) < number, held > ROWS)
        f = mt.function(lambda x, k: x * k)
        for k in (number, 2.0, -number):
            np.testing.assert_array_equal(f(ROWS, k), ROWS * np.float32(k))


@pytest.mark.parametrize("device", ["reference", "cpu"])
def test_thresholds_take_numbers_past_a_float_type(device: str) -> None:
    with mt.use(device):
        assert not np.asarray(vx.threshold(ROWS, 1e300)).any()
        found = vx.threshold(ROWS, 0, true_value=1e300, dtype="float32")
        np.testing.assert_array_equal(found, np.float32([[0, 0, np.inf, np.inf]]))


def test_squares_whose_sum_is_past_the_greatest_float_are_infinite_without_a_warning():
    x = np.where(np.arange(9000) % 2, 2e17, -2e17).astype(np.float32)
    assert np.asarray(mt.var(x)) == np.inf
