"""Means of elements in the orders in which OpenVX's sample implementation computes them."""

import numpy as np
import pytest

import muntin as mt
from muntin.core.border import Border
from muntin.core.graph.build import cast
from muntin.core.graph.sampling import sampled
from muntin.core.graph.weighting import Weighting
from muntin.dtypes import DTYPES
from tests.reference.golden import golden

FUNCTIONS = {  # the last word: whether the nearest pixel is the one before
    "WarpAffine": (Weighting.ELEMENTS, True),
    "WarpPerspective": (Weighting.ELEMENTS, True),
    "Remap": (Weighting.PRODUCTS, False),
}


def points(case):
    """Return the rows and columns that a case samples, as it computes them in float32."""
    shape = case.outputs["out"].shape
    y, x = np.float32(np.arange(shape[0])[:, None]), np.float32(np.arange(shape[1]))
    if case.file == "Remap":
        return case.inputs["map_xy"][..., 1], case.inputs["map_xy"][..., 0]
    m = case.inputs["matrix"].reshape(-1)
    if case.file == "WarpAffine":
        return m[1] * x + m[3] * y + m[5], m[0] * x + m[2] * y + m[4]
    z = m[2] * x + m[5] * y + m[8]
    return (m[1] * x + m[4] * y + m[7]) / z, (m[0] * x + m[3] * y + m[6]) / z


@pytest.mark.parametrize("file", FUNCTIONS)
def test_means_are_those_of_openvx(file):
    weighting, takes_floor = FUNCTIONS[file]
    checked = 0
    for case in golden(file):
        image = case.inputs["in"]
        if image.dtype != np.uint8:
            continue
        is_replicate = case.edge.mode == "replicate"
        border = Border.of("replicate") if is_replicate else mt.constant(case.edge.value)
        between = "BILINEAR" in str(case.params)
        where = points(case)
        if takes_floor and not between:
            where = [np.floor(each) for each in where]
        nodes = [mt.asarray(np.ascontiguousarray(each))._node for each in where]
        found = sampled(
            mt.asarray(image)._node,
            (0, 1),
            nodes,
            border,
            file,
            between=between,
            weighting=weighting,
        )
        case.check("out", np.asarray(mt.Array(cast(found, DTYPES["uint8"]))))
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("weighting", Weighting)
def test_points_between_eight_elements_are_weighted_along_three_axes(weighting):
    rng = np.random.default_rng(0)
    volume = rng.uniform(-9, 9, (3, 4, 5)).astype(np.float32)
    where = [rng.uniform(0, size - 1, 40).astype(np.float32) for size in volume.shape]
    found = sampled(
        mt.asarray(volume)._node,
        (0, 1, 2),
        [mt.asarray(each)._node for each in where],
        Border.of("replicate"),
        "volume",
        between=True,
        weighting=weighting,
    )
    (z, y, x), (c, b, a) = [
        [part(each) for each in where] for part in (lambda f: f.astype(int), lambda f: f % 1)
    ]
    one = np.float32(1)
    wanted = np.zeros(40, np.float32)
    for k, j, i in np.ndindex(2, 2, 2):
        element = volume[z + k, y + j, x + i]
        u, v, w = [f if n else one - f for f, n in ((a, i), (b, j), (c, k))]
        wanted += element * u * v * w if weighting == "elements" else u * v * w * element
    if weighting == "lines":
        np.testing.assert_allclose(np.asarray(mt.Array(found)), wanted, rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(np.asarray(mt.Array(found)), wanted, strict=True)


def test_whole_coordinates_are_not_weighted():
    image = np.float32([[1, np.inf], [np.nan, 4]])
    for weighting in Weighting:
        found = sampled(
            mt.asarray(image)._node,
            (0, 1),
            [mt.asarray(np.array([0, 1]))._node, mt.asarray(np.array([0, 1]))._node],
            Border.of("wrap"),
            "image",
            between=True,
            weighting=weighting,
        )
        assert np.asarray(mt.Array(found)).tolist() == [1, 4]
