"""Reads far beside a pixel: what is outside the image is wider than the image, or than a window."""

import time

import numpy as np
import pytest

import muntin as mt
from muntin.core.border import BorderMode, index_map

MODES = [mode for mode in BorderMode if mode is not BorderMode.UNDEFINED]


def far(x, dy, dx, mode):
    """Return the pixels at an offset, 7 outside under a constant border."""
    rows = index_map(mode, dy, dy + x.shape[0], x.shape[0])
    columns = index_map(mode, dx, dx + x.shape[1], x.shape[1])
    read = x[np.ix_(rows, columns)]
    read[rows < 0] = 7
    read[:, columns < 0] = 7
    return read


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(5, 9), (40, 700), (3, 50, 3), (1, 1)])
def test_rows_of_work_are_padded_as_far_as_they_are_read(mode, shape):
    image = np.random.default_rng(3).integers(0, 200, shape, dtype=np.uint8)
    border = mt.constant(7) if mode is BorderMode.CONSTANT else mode
    work = mt.asarray(image) + 3
    for dx in (17, -300, 1000):
        found = work.at(1, dx, border=border) - work.at(-1, -dx, border=border)
        wanted = far(image + 3, 1, dx, mode) - far(image + 3, -1, -dx, mode)
        np.testing.assert_array_equal(found, wanted)


def test_far_reads_compile_in_the_time_of_near_ones():
    signal = mt.asarray(np.arange(50_000, dtype=np.float32))
    np.asarray(signal.at(3) - signal)
    started = time.process_time()
    lag = np.asarray(signal.at(20_000) - signal)
    assert time.process_time() - started < 5
    assert lag[:30_000].tolist() == [20_000] * 30_000
