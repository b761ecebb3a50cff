"""Results of one pass that are computed in different parts of the image."""

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.runtime import native
from tests.runtime.audit import Interpreting

IMAGE = np.random.default_rng(1).integers(0, 256, (200, 150), dtype=np.uint8)


def results(x):
    """Return what has seven regions, of works that read the same neighbours."""
    below = x.at(1, 0)
    return (
        below * 2,
        (below + 1)[:3, :2],
        (below + 2)[::-1, 100:],
        (below + 3).T[5:9, -4:],
        below ^ x.at(2, 3, border="undefined"),
        (below & 15)[50:60],
        vx.box(x, 5, border="undefined"),
    )


def wanted(image):
    with mt.use("reference"):
        return [np.asarray(result) for result in results(mt.asarray(image))]


@pytest.mark.parametrize("threads", [1, 3])
def test_results_of_several_regions(threads):
    found = mt.eval(*results(mt.asarray(IMAGE)), threads=threads)
    for got, expected in zip(found, wanted(IMAGE), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_results_of_several_regions_in_memory_that_is_given():
    outs = [np.full(expected.shape, 1, expected.dtype) for expected in wanted(IMAGE)]
    lazy = results(mt.asarray(IMAGE))
    regions = [result.valid_region.slices for result in lazy]
    mt.eval(*lazy, out=outs)
    for out, region, expected in zip(outs, regions, wanted(IMAGE), strict=True):
        np.testing.assert_array_equal(out[region], expected[region])
        out[region] = 1
        assert (out == 1).all()


def test_what_is_computed_in_vain_stays_within_its_memory(monkeypatch):
    interpreting = Interpreting(np.random.default_rng(0))
    monkeypatch.setattr(native, "_launch", interpreting.launch)
    image = IMAGE[:9, :110]  # every index is asserted in Python, which takes its time
    found = mt.eval(*results(mt.asarray(image)))
    for got, expected in zip(found, wanted(image), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("part", [np.s_[..., 2:3], np.s_[..., 1:], np.s_[1:3, ::-1, :2], np.s_[1:]])
def test_some_channels_of_work_on_neighbours(part):
    pixels = np.arange(60, dtype=np.int32).reshape(4, 5, 3)
    image = mt.asarray(pixels)
    below = np.pad(pixels, ((0, 1), (0, 0), (0, 0)), "edge")[1:]
    np.testing.assert_array_equal((image.at(1, 0) + image)[part], (below + pixels)[part])
    outer = np.full((4, 7, 5), 9, np.int32)
    out = outer[:, 1:6, 1:4][part]
    mt.eval((image.at(1, 0) + image)[part], out=out)
    np.testing.assert_array_equal(out, (below + pixels)[part])
    out[...] = 9
    assert (outer == 9).all()
