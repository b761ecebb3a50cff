"""Images at computed points: the definition's values, the reference's bits however they are run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import BorderError, BoundsError, DTypeError, ParameterError, ShapeError
from muntin.runtime import native
from muntin.runtime.native import NativeDevice
from tests.pointwise import same_bits
from tests.reference import sampling
from tests.runtime.audit import Interpreting

MODES = ["replicate", "constant", "symmetric", "reflect101", "wrap"]
HARD = [0.0, 0.5, -0.5, 1.5, 2.499999, -1.0, -7.25, 100.0, 2.0**31, -(2.0**40), 1e30]
HARD += [np.inf, -np.inf, np.nan]


def sample_of(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).uniform(0, 100, shape)).astype(dtype)


def border_of(mode: str) -> mt.Border:
    return mt.constant(7) if mode == "constant" else mt.Border(mode)


def defined(image: np.ndarray, points: tuple[np.ndarray, ...], way: str, mode: str) -> np.ndarray:
    value = sampling.weighted if way == "bilinear" else sampling.nearest
    common = np.broadcast_arrays(*points)
    with np.errstate(all="ignore"):
        points_of = zip(*[each.flat for each in common], strict=True)
        found = [value(image, list(point), mode, 7) for point in points_of]
    dtype = np.result_type(image.dtype, np.float32) if way == "bilinear" else image.dtype
    return np.array(found, dtype).reshape(common[0].shape)


def check(
    image: np.ndarray, points: tuple[np.ndarray, ...], way: Any, mode: str, axes: str
) -> None:
    """Compare with the definition, the reference and the interpreted program."""
    lazy = mt.asarray(image, axes=axes)
    made = mt.sample(lazy, *points, interpolation=way, border=border_of(mode))
    expected = defined(image, points, way, mode)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    interpreting = Interpreting(np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "_launch", interpreting.launch)
        (interpreted,) = NativeDevice().evaluate([made._node], [None], threads=1)
    interpreting.check_written()
    assert same_bits(interpreted, expected)
    with mt.use("reference"):
        again = mt.sample(lazy, *points, interpolation=way, border=border_of(mode))
        assert same_bits(np.asarray(again), expected)
    assert same_bits(np.asarray(made), expected)


@pytest.mark.parametrize("way", ["nearest", "bilinear"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "float32", "float64"])
def test_values_are_the_definitions(dtype: str, mode: str, way: str) -> None:
    rng = np.random.default_rng(1)
    for shape, kinds in (((5, 7), ("float32", "float64")), ((1, 2), ("float32",))):
        image = sample_of(shape, dtype)
        for kind in kinds:
            y, x = (
                np.concatenate([HARD, rng.uniform(-3 * n, 4 * n, 12)]).astype(kind) for n in shape
            )
            check(image, (y, rng.permutation(x)), way, mode, "yx")


@given(st.data())
def test_any_types_shapes_and_points(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 5), st.integers(1, 6)), "shape")
    image = sample_of(shape, data.draw(st.sampled_from(["uint8", "float32"]), "dtype"))
    kinds = st.sampled_from(["int8", "uint16", "int64", "float32", "float64"])
    points = tuple(
        sample_of(
            data.draw(st.sampled_from([(), (3,), (4, 1), (4, 3)]), "points"),
            data.draw(kinds, "kind"),
            seed,
        )
        for seed in range(2)
    )
    mode, way = (
        data.draw(st.sampled_from(MODES)),
        data.draw(st.sampled_from(["nearest", "bilinear"])),
    )
    check(image, points, way, mode, "yx")


@pytest.mark.parametrize("mode", MODES)
def test_points_of_16_bits_are_computed_with_32(mode: str) -> None:
    image = mt.asarray(sample_of((5, 7), "float16"))
    y, x = (np.array([0.5, -3.25, 2.5, 700.5, np.inf, np.nan], np.float16) for _ in range(2))
    for way in ("nearest", "bilinear"):
        found, wide = (
            mt.sample(image, y.astype(kind), x.astype(kind), interpolation=way, border=mode)  # type: ignore[arg-type]
            for kind in ("float16", "float32")
        )
        assert same_bits(np.asarray(found), np.asarray(wide))
        with mt.use("reference"):
            again = mt.sample(image, y, x, interpolation=way, border=mode)  # type: ignore[arg-type]
            assert same_bits(np.asarray(again), np.asarray(wide))


def test_volumes_have_eight_elements_around_a_point() -> None:
    volume = sample_of((3, 4, 5), "float32")
    points = tuple(sample_of((2, 6), "float32", seed) / 20 for seed in range(3))
    for mode in MODES:
        check(volume, points, "bilinear", mode, "zyx")
        check(volume, points, "nearest", mode, "zyx")


@pytest.mark.parametrize(
    ("axes", "shape"), [("yxc", (6, 7, 3)), ("cyx", (3, 6, 7)), ("nyxc", (2, 6, 7, 4))]
)
def test_channels_and_images_run_along(axes: str, shape: tuple[int, ...]) -> None:
    image = sample_of(shape, "uint8")
    y, x = (sample_of((5, 8), "float32", seed) / 10 - 1 for seed in (1, 2))
    found = mt.sample(mt.asarray(image, axes=axes), y, x)
    assert found.axes == axes
    planes = np.moveaxis(image, (axes.index("y"), axes.index("x")), (0, 1)).reshape(6, 7, -1)
    expected = [
        np.asarray(mt.sample(mt.asarray(np.ascontiguousarray(planes[..., k]), axes="yx"), y, x))
        for k in range(planes.shape[2])
    ]
    turned = np.moveaxis(np.asarray(found), (axes.index("y"), axes.index("x")), (0, 1))
    assert same_bits(turned.reshape(5, 8, -1), np.stack(expected, axis=-1))
    lines = mt.sample(mt.asarray(image, axes=axes), y[0], x[0])
    assert lines.ndim == len(shape) - 1


def test_an_affine_warp_by_expressions_is_one_kernel() -> None:
    image = sample_of((60, 80), "uint8")

    def warped(source: Any) -> mt.Array:
        rows = mt.arange(50, dtype="float32")[:, None]
        columns = mt.arange(70, dtype="float32")
        return mt.sample(source, 0.9 * rows + 0.1 * columns - 2, 0.8 * columns - 0.2 * rows + 3)

    lazy = warped(mt.asarray(image))
    assert str(mt.explain(lazy)).startswith("1 kernel;")
    rows, columns = np.mgrid[:50, :70].astype(np.float32)
    by_hand = mt.sample(
        mt.asarray(image),
        np.float32(0.9) * rows + np.float32(0.1) * columns - 2,
        np.float32(0.8) * columns - np.float32(0.2) * rows + 3,
    )
    assert same_bits(np.asarray(lazy), np.asarray(by_hand))
    assert same_bits(np.asarray(mt.function(warped)(image)), np.asarray(by_hand))


def test_views_computed_images_and_threads() -> None:
    image = sample_of((90, 70), "float32")
    y, x = (sample_of((200, 301), "float32", seed) for seed in (1, 2))
    for source in (image[::2], image[::-1, ::-1], image.T, np.broadcast_to(image[:1], (9, 70))):
        expected = np.asarray(mt.sample(mt.asarray(np.ascontiguousarray(source)), y, x))
        for threads in (1, 2, 8):
            with mt.use(threads=threads):
                assert same_bits(np.asarray(mt.sample(mt.asarray(source), y, x)), expected)
    doubled = np.asarray(mt.sample(mt.asarray(image) * 2 + 1, y[::2, ::-1], x[::2, ::-1]))
    again = np.asarray(mt.sample(mt.asarray(image * 2 + 1), y, x))
    assert same_bits(doubled, again[::2, ::-1])


@pytest.mark.parametrize("way", ["nearest", "bilinear"])
@pytest.mark.parametrize("mode", ["symmetric", "reflect101", "wrap"])
def test_a_few_points_may_be_far_from_a_periodic_image(mode: str, way: Any) -> None:
    image = mt.asarray(sample_of((5, 7), "uint8"))
    y, x = (np.linspace(-4, 10, 2700, dtype=np.float32).reshape(1, -1) for _ in range(2))
    y[0, [1400, 2699]], x[0, 1500] = (-1e9, 31.25), 1e6
    found = np.asarray(mt.sample(image, y, x, interpolation=way, border=mode))
    with mt.use("reference"):
        expected = np.asarray(mt.sample(image, y, x, interpolation=way, border=mode))
    assert same_bits(found, expected)
    assert same_bits(
        found, np.asarray(mt.sample(image, y.T, x.T, interpolation=way, border=mode)).T
    )


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_points_at_the_end_of_a_long_line_stay_inside(kind: str) -> None:
    length = (1 << 24) + 4  # the last positions are no float32
    line = mt.asarray(np.broadcast_to(np.uint8(3), (1, length)), axes="yx")
    x = np.array([length - 5, length - 1, length, 2.0**40, np.inf, np.nan], kind)
    for way in ("nearest", "bilinear"):
        found = np.asarray(mt.sample(line, np.zeros(6, kind), x, interpolation=way))  # type: ignore[arg-type]
        assert found[:-1].tolist() == [3] * 5


@pytest.mark.slow
def test_images_of_more_bytes_than_32_bits_count_are_seen_to_their_end() -> None:
    image = np.zeros((70_001, 40_000), np.uint8)  # of which few pages are touched
    image[70_000, -10:] = np.arange(7, 17)
    y, x = np.full(3, 70_000, np.float32), np.array([39_995.5, 39_999, 1e9], np.float32)
    assert np.asarray(mt.sample(image, y, x)).tolist() == [12.5, 16, 16]
    assert np.asarray(mt.sample(image, y, x, interpolation="nearest")).tolist() == [13, 16, 16]


def test_nothing_to_see_and_nothing_to_look_for() -> None:
    image = mt.asarray(np.zeros((4, 5, 3), np.uint8))
    empty = mt.sample(image, np.zeros((0, 7)), np.zeros((0, 7)))
    assert (empty.shape, empty.dtype) == ((0, 7, 3), np.float32)
    assert np.asarray(empty).size == 0
    with pytest.raises(BoundsError, match=r"sample: an image of shape \(0, 5\) has no elements"):
        mt.sample(mt.asarray(np.zeros((0, 5))), 0.5, 0.5)


def test_faults_are_told() -> None:
    image = mt.asarray(np.zeros((4, 5), np.uint8))
    with pytest.raises(ShapeError, match=r"sample: 1 coordinates .* its 2 spatial axes \(y, x\)"):
        mt.sample(image, 0.5)
    with pytest.raises(ShapeError, match="sample"):
        mt.sample(image, np.zeros(3), np.zeros(4))
    with pytest.raises(BorderError, match="choose another border than undefined"):
        mt.sample(image, 0.5, 0.5, border="undefined")
    with pytest.raises(BorderError, match="300"):
        mt.sample(image, 0.5, 0.5, border=mt.constant(300))
    with pytest.raises(ParameterError, match="'bicubic'"):
        mt.sample(image, 0.5, 0.5, interpolation="bicubic")  # type: ignore[arg-type]
    with pytest.raises(DTypeError, match="coordinates are bool"):
        mt.sample(image, True, 0.5)
    with pytest.raises(DTypeError, match="bool values have none between them"):
        mt.sample(image > 1, 0.5, 0.5)
    with pytest.raises(ShapeError, match="side by side"):
        mt.sample(mt.asarray(np.zeros((4, 3, 5)), axes="ycx"), 0.5, 0.5)


def test_far_points_of_long_axes_see_the_border() -> None:
    image = np.zeros((1, 2**25 + 1), np.uint8)
    image[0, -1] = 9
    y, x = np.float32([0]), np.float32([1e9])  # floats have no number 2**25 + 2
    for way in ("nearest", "bilinear"):
        found = mt.sample(image, y, x, interpolation=way, border=mt.constant(7))  # type: ignore[arg-type]
        assert np.asarray(found).tolist() == [7]


def test_coordinates_may_be_numbers_of_a_function() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    compiled = mt.function(lambda img, y: mt.sample(img, y, 1.5))
    assert [float(compiled(image, y)) for y in (0.5, 1.5)] == [3.5, 7.5]


def test_names_of_coordinates_do_not_matter() -> None:
    image = mt.asarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    y, x = mt.asarray([[0.5, 1.0]], axes="xy"), mt.asarray([[1.5], [2.0]], axes="yx")
    assert np.asarray(mt.sample(image, y, x)).tolist() == [[3.5, 5.5], [4.0, 6.0]]
    found = mt.sample(image, y * 1, x * 1)
    assert found.axes == "yx"
