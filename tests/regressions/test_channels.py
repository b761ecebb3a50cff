"""Images of interleaved channels whose neighbours along the channels are read."""

import numpy as np
import pytest

from muntin.core.border import Border
from muntin.core.graph import build
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
