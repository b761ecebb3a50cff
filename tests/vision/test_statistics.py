"""Statistics: counts, sums, means and deviations are the definition's."""

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin import vision as vx
from muntin.errors import DTypeError, ParameterError, ShapeError


def photo(shape: tuple[int, ...] = (61, 83), dtype: str = "uint8", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    return rng.integers(max(info.min, -500), min(info.max, 500), shape, dtype, endpoint=True)


def counted(image: np.ndarray, bins: int, offset: int, length: int) -> np.ndarray:
    values = image.astype(np.int64).ravel() - offset
    values = values[(values >= 0) & (values < length)]
    return np.bincount(values * bins // length, minlength=bins).astype(np.uint32)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("shape", [(61, 83), (1, 1), (3, 2000), (2000, 3), (0, 5), (4, 5, 3)])
def test_every_pixel_is_counted_once(threads: int, shape: tuple[int, ...]) -> None:
    image = photo(shape)
    with mt.use(threads=threads):
        found = np.asarray(vx.histogram(image))
    np.testing.assert_array_equal(found, counted(image, 256, 0, 256), strict=True)


@given(data=st.data())
def test_bins_are_those_of_the_definition(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["uint8", "int16", "uint16", "int32"]))
    image = photo((17, 23), dtype, data.draw(st.integers(0, 99)))[::-1, ::2]
    bins, length = data.draw(st.integers(1, 600)), data.draw(st.integers(1, 900))
    offset = data.draw(st.integers(-300, 300))
    found = np.asarray(vx.histogram(image, bins, offset, length))
    np.testing.assert_array_equal(found, counted(image, bins, offset, length), strict=True)


def test_many_bins_take_little_memory() -> None:
    image = photo((40, 50), "int32", 3)
    found = np.asarray(vx.histogram(image, 1 << 20, -500, 1 << 20))
    np.testing.assert_array_equal(found, counted(image, 1 << 20, -500, 1 << 20))
    stretched = np.broadcast_to(photo((1, 50)), (40, 50))
    np.testing.assert_array_equal(
        np.asarray(vx.histogram(stretched)), counted(stretched, 256, 0, 256)
    )
    with mt.use("reference"):
        small = photo((6, 7))
        np.testing.assert_array_equal(np.asarray(vx.histogram(small)), counted(small, 256, 0, 256))


def test_the_valid_part_is_counted() -> None:
    image = photo()
    eroded = vx.erode(mt.asarray(image), border="undefined")
    inside = np.asarray(vx.erode(mt.asarray(image)))[1:-1, 1:-1]
    np.testing.assert_array_equal(np.asarray(vx.histogram(eroded)), counted(inside, 256, 0, 256))
    mean, deviation = vx.mean_stddev(eroded)
    np.testing.assert_allclose([float(mean), float(deviation)], [inside.mean(), inside.std()], 1e-6)


def equalized(image: np.ndarray, valid: np.ndarray | None = None) -> np.ndarray:
    """Return the image of the definition, by fractions; the counts are those of a valid part."""
    seen = image if valid is None else valid
    upto = [int((seen <= value).sum()) for value in range(256)]
    least = upto[int(seen.min())] if seen.size else 0
    apart = seen.size - least
    levels = [
        floor(Fraction(255 * max(count - least, 0), apart) + Fraction(1, 2)) if apart else value
        for value, count in enumerate(upto)
    ]
    return np.array(levels, np.uint8)[image]


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    "image",
    [
        photo((31, 40)),
        photo((50, 60))[::-2, 3:].T // 9 + 90,
        np.full((5, 7), 33, np.uint8),
        np.full((1, 1), 255, np.uint8),
        np.zeros((0, 4), np.uint8),
        np.array([[0, 255]], np.uint8),
    ],
)
def test_equalisation_is_the_definition(image: np.ndarray) -> None:
    lazy = vx.equalize_hist(image)
    assert not lazy.is_evaluated
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(lazy), equalized(image), strict=True)
    out = image.copy()
    mt.function(vx.equalize_hist)(out, out=out)
    np.testing.assert_array_equal(out, equalized(image))


def test_equalisation_counts_the_valid_part() -> None:
    image = photo()
    eroded = vx.erode(mt.asarray(image), border="undefined")
    inside = np.asarray(vx.erode(mt.asarray(image)))[1:-1, 1:-1]
    found = vx.equalize_hist(eroded)
    assert found.valid_region == eroded.valid_region
    np.testing.assert_array_equal(np.asarray(found.valid()), equalized(inside, inside))


def test_work_is_counted_and_counts_are_worked_on() -> None:
    image = photo()
    cumulated = mt.cumulative_sum(vx.histogram(vx.gaussian3x3(mt.asarray(image))))
    smooth = np.asarray(vx.gaussian3x3(image))
    np.testing.assert_array_equal(np.asarray(cumulated), counted(smooth, 256, 0, 256).cumsum())
    assert int(cumulated[-1]) == image.size


@pytest.mark.parametrize("axes", ["yx", "xy", "yxc", "cyx", "nyxc"])
def test_sums_of_all_pixels_above_and_to_the_left(axes: str) -> None:
    image = photo((5, 7, 6, 3)[: len(axes)])
    y, x = axes.index("y"), axes.index("x")
    expected = np.cumsum(np.cumsum(image, axis=y, dtype=np.uint32), axis=x, dtype=np.uint32)
    found = np.asarray(vx.integral(mt.asarray(image, axes=axes)))
    np.testing.assert_array_equal(found, expected, strict=True)


def test_mean_and_deviation_are_one_pass() -> None:
    image = photo((300, 400))
    mean, deviation = vx.mean_stddev(mt.asarray(image))
    assert (mean.dtype, deviation.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose([float(mean), float(deviation)], [image.mean(), image.std()], 1e-6)


@pytest.mark.parametrize(
    ("call", "fault", "words"),
    [
        (lambda i: vx.histogram(i, 0), ParameterError, "histogram: bins is 0, offset 0 and range"),
        (lambda i: vx.histogram(i, 4, 0.5), ParameterError, r"offset 0\.5 and range 256; bins and"),
        (lambda i: vx.histogram(i, 4, 0, 1 << 24), ParameterError, "must be from 1 to 16777215"),
        (lambda i: vx.histogram(i.astype("float32")), DTypeError, "it takes integers"),
        (lambda i: vx.histogram(i, 4, 1 << 33), ParameterError, "offset an int of up to 32 bits"),
        (lambda i: vx.histogram(i.astype("int64")), DTypeError, "integers of up to 32 bits"),
        (lambda i: vx.histogram(i[0]), ShapeError, "it takes an image with axes y and x"),
        (lambda i: vx.equalize_hist(i.astype("int16")), DTypeError, "it takes uint8; cast it with"),
        (lambda i: vx.equalize_hist(mt.stack([i, i], axis=2)), ShapeError, "one of axes y and x"),
        (lambda i: vx.integral(i.astype("int16")), DTypeError, "integral: the image is int16"),
    ],
)
def test_faults_are_told(call: Any, fault: type[Exception], words: str) -> None:
    with pytest.raises(fault, match=words):
        call(mt.asarray(photo()))
