"""Images of interleaved channels whose neighbours along the channels are read."""

import numpy as np
import pytest

from muntin.core.border import Border
from muntin.core.graph import build
from muntin.core.graph.joining import concat
from muntin.core.graph.reductions import reduced
from muntin.runtime.native import NativeDevice
from tests.pointwise import node_of

PIXELS = np.random.default_rng(3).integers(-9, 9, (4, 5, 3)).astype(np.int16)


@pytest.mark.parametrize("name", ["sum", "argmin", "max"])
def test_a_reduction_of_pixels_beside_others_along_the_channels(name):
    before = np.concatenate([PIXELS[..., :1], PIXELS[..., :-1]], axis=2)
    image = node_of(PIXELS, "yxc")
    both = build.elementwise(
        "add", image, build.neighbour(image, (0, 0, -1), Border.of("replicate"))
    )
    (found,) = NativeDevice().evaluate([reduced(name, both, (1, 2), name)], [None], threads=1)
    wanted = getattr((PIXELS + before).reshape(4, -1), name)(axis=1)
    np.testing.assert_array_equal(found, wanted)


def test_pixels_are_reduced_beside_work_along_the_channels():
    image = node_of(PIXELS, "yxc")
    below, along = (
        build.neighbour(image, at, Border.of("symmetric")) for at in [(1, 0, 0), (0, 0, 1)]
    )
    roots = [reduced("argmax", below, (1, 2), "argmax"), concat([below, along], 2)]
    found = NativeDevice().evaluate(roots, [None, None], threads=1)
    lower = np.concatenate([PIXELS[1:], PIXELS[-1:]])
    after = np.concatenate([PIXELS[..., 1:], PIXELS[..., -1:]], axis=2)
    np.testing.assert_array_equal(found[0], lower.reshape(4, -1).argmax(axis=1))
    np.testing.assert_array_equal(found[1], np.concatenate([lower, after], axis=2))
