"""Geometry: images in other sizes are the definition's."""

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin import vision as vx
from muntin.errors import BorderError, DTypeError, ParameterError, ShapeError

Image = npt.NDArray[Any]
DTYPES = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float32", "float64")


def photo(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Image:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-1e3, 1e3, shape).astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -(1 << 52)), min(info.max, 1 << 52)
    return rng.integers(low, high, shape, dtype, endpoint=True)


def covered(length: int, size: int) -> list[list[tuple[int, Fraction]]]:
    """Return for each new element the old ones that it covers, and their parts of it."""
    found = []
    for j in range(size):
        low, high = Fraction(j * length, size), Fraction((j + 1) * length, size)
        parts = [(k, min(high, k + 1) - max(low, k)) for k in range(floor(low), length)]
        found.append([(k, part / (high - low)) for k, part in parts if part > 0])
    return found


def means(image: Image, axis: int, size: int) -> Image:
    """Return the exact means over areas along an axis, as fractions."""
    rows = np.moveaxis(image, axis, 0)
    found = [sum(rows[k] * part for k, part in parts) for parts in covered(len(rows), size)]
    return np.moveaxis(np.array(found, dtype=object).reshape(size, *rows.shape[1:]), 0, axis)


def exact(image: Image) -> Image:
    return np.vectorize(lambda x: Fraction(x), otypes=[object])(image)


def area(image: Image, shape: tuple[int, ...]) -> Image:
    found = exact(image)
    for axis, size in enumerate(shape):
        found = means(found, axis, size)
    return found


def check_area(image: Image, shape: tuple[int, ...]) -> None:
    found, wanted = np.asarray(vx.scale(image, shape, "area")), area(image, shape)
    assert (found.dtype, found.shape) == (image.dtype, wanted.shape)
    if image.dtype.kind in "ui":
        rounded = np.vectorize(lambda x: floor(x + Fraction(1, 2)), otypes=[object])(wanted)
        slack = 0 if image.dtype.itemsize < 8 else 1 << 4  # of 2**52, in float64
        assert np.abs(found.astype(object) - rounded).max() <= slack
        return
    most = np.abs(image).max() * 4 * np.finfo(image.dtype).eps
    assert np.abs(found.astype(np.float64) - wanted.astype(np.float64)).max() <= most


@given(data=st.data())
def test_means_over_areas_are_the_definition(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(DTYPES))
    lengths = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 40)))
    shape = data.draw(st.tuples(st.integers(1, 45), st.integers(1, 45)))
    check_area(photo(lengths, dtype, data.draw(st.integers(0, 9)))[:, ::-1], shape)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("shape", [(32, 24), (16, 12), (8, 6), (7, 6), (4, 3), (1, 1), (96, 72)])
def test_whole_and_large_ratios(dtype: str, shape: tuple[int, int]) -> None:
    check_area(photo((32, 24), dtype), shape)


def test_sums_that_32_bits_do_not_hold() -> None:
    white = np.full((300, 301), (1 << 32) - 1, np.uint32)
    assert (np.asarray(vx.scale(white, (7, 11), "area")) == white[0, 0]).all()
    check_area(photo((23, 57), "uint32"), (7, 11))


@pytest.mark.parametrize("value", [0.1, -0.0, 3e38, np.inf, np.nan])
@pytest.mark.parametrize("shape", [(3, 7), (40, 3), (5, 11), (60, 61)])
def test_equal_pixels_stay_what_they_are(value: float, shape: tuple[int, int]) -> None:
    for dtype in ("float32", "float64"):
        image = np.full((39, 31), value, dtype)
        for way in ("area", "bilinear", "nearest"):
            if way == "bilinear" and not np.isfinite(value):
                continue
            found = np.asarray(vx.scale(image, shape, way))
            np.testing.assert_array_equal(found, np.full(shape, value, dtype), strict=True)
            if way != "bilinear":
                assert (np.signbit(found) == np.signbit(image[0, 0])).all()


def test_a_pixel_that_is_no_number_goes_to_what_covers_it() -> None:
    image = np.ones((1, 6), np.float32)
    image[0, 2] = np.nan
    found = np.asarray(vx.scale(image, (1, 4), "area"))
    assert np.isnan(found).tolist() == [[False, True, False, False]]
    image[0, 2] = np.inf
    found = np.asarray(vx.scale(image, (1, 4), "area"))
    assert found.tolist() == [[1, np.inf, 1, 1]]
    assert np.isnan(np.asarray(vx.scale(image, (1, 3), "area"))).tolist() == [[False, True, False]]
    far = np.array([[3e38, -3e38]], np.float32)
    assert np.asarray(vx.scale(far, (1, 1), "area")).tolist() == [[-np.inf]]


@pytest.mark.parametrize("way", ["bilinear", "nearest", "area"])
@pytest.mark.parametrize(
    ("axes", "lengths"), [("yxc", (9, 14, 3)), ("nyx", (2, 9, 14)), ("cyx", (3, 9, 14))]
)
def test_channels_and_images_are_kept(way: str, axes: str, lengths: tuple[int, ...]) -> None:
    image = photo(lengths, "uint8")
    found = vx.scale(mt.asarray(image, axes=axes), (5, 21), way)
    assert found.axes == axes
    other = axes.index((set(axes) - {"y", "x"}).pop())
    for place in range(lengths[other]):
        alone = vx.scale(np.take(image, place, other), (5, 21), way)
        np.testing.assert_array_equal(np.take(np.asarray(found), place, other), np.asarray(alone))


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
@pytest.mark.parametrize("axes", ["yx", "xy", "cyx", "zyx", "nyxc"])
def test_axes_keep_their_names_at_every_ratio(dtype: str, axes: str) -> None:
    image = mt.asarray(
        np.zeros([{"y": 40, "x": 60}.get(axis, 3) for axis in axes], dtype), axes=axes
    )
    planes = (2,) if "z" in axes else ()
    for size in (1, 3, 4, 7, 12, 30, 50, 120):
        assert vx.scale(image, (*planes, size, size), "area").axes == axes
        if axes == "yx":  # by rank as well as told
            assert vx.scale(np.asarray(image), (size, size), "area").axes == axes


@pytest.mark.parametrize("way", ["bilinear", "nearest", "area"])
def test_axes_in_any_order_and_volumes(way: str) -> None:
    image = photo((9, 14), "int16")
    plain = np.asarray(vx.scale(image, (5, 21), way))
    turned = vx.scale(mt.asarray(image.T, axes="xy"), (5, 21), way)
    assert turned.shape == (21, 5)
    np.testing.assert_array_equal(np.asarray(turned).T, plain)
    volume = photo((4, 6, 8), "float32")
    found = np.asarray(vx.scale(mt.asarray(volume, axes="zyx"), (2, 3, 5), way))
    assert found.shape == (2, 3, 5)
    if way == "area":
        wanted = area(volume, (2, 3, 5)).astype(np.float64)
        np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
@pytest.mark.parametrize("way", ["bilinear", "nearest"])
def test_points_are_sampled_at_the_centres_of_pixels(dtype: str, way: str) -> None:
    image, (rows, columns) = photo((17, 23), dtype), (11, 40)
    kind = np.float32 if dtype == "uint8" else np.float64
    half = kind(0.5)
    y = (np.arange(rows, dtype=kind)[:, None] + half) * (kind(17) / kind(rows)) - half
    x = (np.arange(columns, dtype=kind) + half) * (kind(23) / kind(columns)) - half
    found = np.asarray(vx.scale(image, (rows, columns), way))
    wanted = np.asarray(mt.sample(image, y, x, interpolation=way))
    if dtype == "uint8" and way == "bilinear":  # weighted in another order, and cut
        assert np.abs(found - wanted).max() <= 1
    else:
        np.testing.assert_array_equal(found, wanted.astype(dtype), strict=True)


def test_kernels_and_threads() -> None:
    image = photo((1080, 1920), "uint8")
    for shape, kernels in (((270, 480), 1), ((300, 500), 2)):
        halved = mt.function(lambda x, shape=shape: vx.scale(x, shape, "area"))
        first = np.asarray(halved(image))
        assert len(halved.kernels) == kernels
        for threads in (1, 3):
            with mt.use(threads=threads):
                np.testing.assert_array_equal(np.asarray(halved(image)), first)


def test_faults_are_told() -> None:
    image = photo((4, 5), "uint8")
    with pytest.raises(
        ParameterError, match=r"shape is \(3,\); it takes positive ints below 2\*\*31, a pair"
    ):
        vx.scale(image, (3,))
    with pytest.raises(ParameterError, match=r"shape is \(0, 3\)"):
        vx.scale(image, (0, 3))
    with pytest.raises(ParameterError, match="shape is 3; it takes"):
        vx.scale(image, 3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'bilinear', 'nearest' or 'area'"):
        vx.scale(image, (2, 2), "cubic")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="no pixels"):
        vx.scale(np.zeros((0, 5), np.uint8), (2, 2), "area")
    for way in ("bilinear", "nearest", "area"):
        for seen in (image, vx.box(image, border="undefined")):
            with pytest.raises(BorderError, match="choose another border"):
                vx.scale(seen, (2, 2), way, "undefined")
    with pytest.raises(DTypeError, match="integers and floats"):
        vx.scale(image > 3, (2, 2), "area")
    assert np.asarray(vx.scale(image > 3, (2, 2), "nearest")).dtype == bool
    valid = vx.box(image, border="undefined")
    with pytest.raises(BorderError, match="valid"):
        vx.scale(valid, (2, 2), "area")
