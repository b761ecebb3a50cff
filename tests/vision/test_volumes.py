"""Every filter of a volume is its definition, to the bit, and one kernel."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.errors import DTypeError, ParameterError
from tests.reference import volumes
from tests.reference.neighbourhood import Edge
from tests.reference.volumes import Offset, Reach, block, defined, masked, reach_of
from tests.vision.cases import ANY, BORDERS, SUMS, border, outside, random_image, share

Volume = npt.NDArray[Any]

BALL = sum(axis**2 for axis in np.ogrid[-2:3, -2:3, -2:3]) <= 5
CROSS = sum(abs(axis) for axis in np.ogrid[-1:2, -1:2, -1:2]) <= 1
BENT = np.array([[[0, 1, 1], [1, 0, 0]], [[0, 0, 1], [0, 1, 1]], [[1, 0, 0], [0, 0, 1]]])
MATRIX = np.arange(27).reshape(3, 3, 3) % 7 - 3
REAL = MATRIX / 8 + 0.1
LINES = ((1, 2, 1), (1, 3, -1), (2, 0, 1, 0, 1))


@dataclass(frozen=True)
class Case:
    """One function with its parameters: what the library and the definition make of a volume."""

    name: str
    call: Callable[..., Any]  # (volume, border=)
    expect: Callable[[Volume, Edge], Any]
    reach: Reach
    dtypes: Sequence[str] = SUMS

    def __str__(self) -> str:
        return self.name

    def check(self, volume: Volume, mode: str, seed: int = 0, axes: str = "zyx") -> None:
        """Compare all results for one volume, which may be any view, under one border."""
        before = volume.copy()
        edge = Edge(mode, outside(volume.dtype, seed) if mode == "constant" else 0)
        results = self.call(mt.asarray(volume, axes=axes), border=border(edge))
        spatial = tuple(map(axes.index, "zyx"))
        expected = self.expect(np.moveaxis(volume, spatial, (0, 1, 2)), edge)
        if not isinstance(results, tuple):
            results, expected = (results,), (expected,)
        for result, wanted in zip(results, expected, strict=True):
            assert result.axes == axes
            found = np.moveaxis(np.asarray(result), spatial, (0, 1, 2))
            assert found.dtype == result.dtype == wanted.dtype
            inside = defined(wanted, self.reach) if mode == "undefined" else (slice(None),) * 3
            np.testing.assert_array_equal(found[inside], wanted[inside])
            if mode == "undefined":
                rest = found.copy()
                rest[inside] = 0
                assert not rest.any()
        np.testing.assert_array_equal(volume, before)


def _half(*sizes: int) -> Reach:
    return tuple((size // 2, size // 2) for size in sizes)


def _box(*sizes: int) -> Case:
    return Case(
        f"box-{sizes}",
        lambda x, border: vx.box(x, sizes, border),
        lambda x, edge: volumes.box(x, sizes, edge),
        _half(*sizes),
    )


def _gaussian(size: Any, sigma: Any, sizes: tuple[int, ...], dtypes: Sequence[str] = SUMS) -> Case:
    sigmas = sigma if isinstance(sigma, tuple) else (sigma,) * 3
    return Case(
        f"gaussian-{sizes}-{sigma}",
        lambda x, border: vx.gaussian(x, size, sigma, border),
        lambda x, edge: volumes.gaussian(x, sizes, sigmas, edge),
        _half(*sizes),
        dtypes,
    )


def _rank(name: str, size: Any, *sizes: int) -> Case:
    function, reference = getattr(vx, name), getattr(volumes, name)
    return Case(
        f"{name}-{sizes}",
        lambda x, border: function(x, size, border),
        lambda x, edge: reference(x, block(*sizes), edge),
        _half(*sizes),
        ANY,
    )


def _masked(name: str, label: str, mask: Any) -> Case:
    function, reference = getattr(vx, name), getattr(volumes, name)
    return Case(
        f"{name}-{label}",
        lambda x, border: function(x, mask, border),
        lambda x, edge: reference(x, masked(mask), edge),
        reach_of(masked(mask)),
        ANY,
    )


def _nonlinear(kind: str, mask: Any, origin: Offset | None = None) -> Case:
    offsets = masked(mask, origin)
    reference = {"min": volumes.erode, "max": volumes.dilate, "median": volumes.median}[kind]
    return Case(
        f"nonlinear-{kind}-{origin}",
        lambda x, border: vx.nonlinear(x, kind, mask, origin, border),
        lambda x, edge: reference(x, offsets, edge),
        reach_of(offsets),
        ANY,
    )


def _two_steps(name: str, label: str, element: Any, offsets: Sequence[Offset]) -> Case:
    function = getattr(vx, name)
    first, second = volumes.erode, volumes.dilate
    if name == "closing":
        first, second = second, first
    mirrored = [tuple(-part for part in offset) for offset in offsets]
    ends = zip(reach_of(offsets), reach_of(mirrored), strict=True)
    return Case(
        f"{name}-{label}",
        lambda x, border: function(x, element, border),
        lambda x, edge: second(first(x, offsets, edge), mirrored, edge),
        tuple((a + c, b + d) for (a, b), (c, d) in ends),
        ANY,
    )


def _convolve(name: str, matrix: Any, scale: Any = None, dtype: Any = None, factors: Any = None):
    return Case(
        f"convolve-{name}",
        lambda x, border: vx.convolve(x, matrix, scale, dtype, border),
        lambda x, edge: volumes.convolve(x, matrix, scale or 1, dtype or x.dtype, edge, factors),
        _half(*np.shape(matrix)),
    )


CUBE = ((1, 1),) * 3
CASES: tuple[Case, ...] = (
    _box(3, 3, 3),
    _box(1, 5, 3),
    _box(9, 13, 11),
    _gaussian(3, None, (3, 3, 3)),
    _gaussian((5, 1, 3), None, (5, 1, 3)),
    _gaussian(None, None, (3, 3, 3)),
    _gaussian(7, 1.0, (7, 7, 7), ("uint8", "int8", "uint16", "int16", "float32", "float64")),
    _gaussian(None, (0.3, 0.9, 0.5), (3, 7, 5), ("uint8", "int16", "float32", "float64")),
    Case("sobel-3", vx.sobel, lambda x, edge: volumes.sobel(x, 3, edge), CUBE),
    Case(
        "sobel-5",
        lambda x, border: vx.sobel(x, 5, border),
        lambda x, edge: volumes.sobel(x, 5, edge),
        ((2, 2),) * 3,
    ),
    Case(
        "scharr",
        vx.scharr,
        lambda x, edge: volumes.gradient(x, (-1, 0, 1), (3, 10, 3), edge),
        CUBE,
    ),
    Case("laplacian", vx.laplacian, volumes.laplacian, CUBE),
    _convolve("dense", MATRIX, 7),
    _convolve("wide-type", MATRIX, dtype="int64"),
    _convolve("separable", np.einsum("i,j,k", *LINES), 16, factors=((1, 2, 1), *LINES[1:])),
    _convolve("real", REAL, 1.5),
    _convolve("real-to-bytes", REAL, dtype="uint8"),
    _rank("median", 3, 3, 3, 3),
    _rank("median", (3, 1, 5), 3, 1, 5),
    _rank("median", (1, 3, 3), 1, 3, 3),
    _rank("median", (5, 3, 3), 5, 3, 3),
    _rank("erode", 3, 3, 3, 3),
    _rank("dilate", (9, 1, 17), 9, 1, 17),
    _masked("erode", "ball", BALL),
    _masked("dilate", "cross", CROSS),
    _masked("dilate", "bent", BENT),
    _masked("erode", "full", np.ones((3, 3, 5))),
    _nonlinear("median", CROSS),
    _nonlinear("min", BENT, (2, 1, 0)),
    _two_steps("opening", "3", 3, block(3, 3, 3)),
    _two_steps("closing", "bent", BENT, masked(BENT)),
)
NUMBERED = list(enumerate(CASES))
LAYOUTS = [
    ("nzyx", (2, 3, 5, 6)),
    ("zyxc", (3, 4, 5, 3)),
    ("nzyxc", (2, 3, 4, 5, 2)),
    ("xyz", (9, 5, 4)),
    ("yzx", (4, 3, 7)),
    ("czyx", (2, 3, 4, 5)),
]


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_widths(turn: int, case: Case, device: str) -> None:
    modes = share(BORDERS, device, turn, 2)
    for width in (1, 2, 3, 7, 16, 33):
        volume = random_image((1 + width % 4, 1 + width * 5 % 7, width), "uint8", width)
        case.check(volume, modes[width % len(modes)], seed=width)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_volumes_smaller_than_the_window(turn: int, case: Case, device: str) -> None:
    for mode in share(BORDERS, device, turn, 2):
        for seed, shape in enumerate([(1, 1, 1), (2, 1, 3), (1, 3, 2), (3, 2, 1), (4, 5, 6)]):
            case.check(random_image(shape, "uint8", seed), mode, seed)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_every_dtype(turn: int, case: Case, device: str) -> None:
    for dtype in share(case.dtypes, device, turn, 1):
        for seed, mode in enumerate(share(("replicate", "constant"), device, turn, 1)):
            case.check(random_image((4, 5, 17), dtype, seed), mode, seed)


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
@pytest.mark.parametrize("case", [CASES[0], CASES[6], CASES[17]], ids=str)
def test_borders_of_the_three_main_filters(case: Case, dtype: str, device: str) -> None:
    for seed, mode in enumerate(BORDERS):
        case.check(random_image((5, 9, 21), dtype, seed), mode, seed)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_every_other_axis_is_run_over(turn: int, case: Case, device: str) -> None:
    for axes, shape in share(LAYOUTS, device, turn, 1):
        for seed, mode in enumerate(share(BORDERS, device, turn, 1)):
            case.check(random_image(shape, "uint8", seed), mode, seed, axes)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_views_are_read_where_they_lie(turn: int, case: Case, device: str) -> None:
    mode = BORDERS[turn * 5 % len(BORDERS)]
    whole = random_image((8, 12, 20), "uint8")
    for view in (
        whole[::-1, ::-1, ::-1],
        whole[1:7:2, 2:11:3, 3:18:2],
        whole.T,
        whole.transpose(1, 0, 2),
        np.broadcast_to(whole[3], (4, 12, 20)),
        random_image((4, 5, 6, 2), "uint8")[..., 1],
    ):
        case.check(view, mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", BORDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_size_and_dtype_under_every_border(case: Case, mode: str, device: str) -> None:
    for dtype in case.dtypes:
        for depth in (1, 2, 5):
            for height in (1, 3, 8):
                for width in (1, 2, 3, 5, 17, 40):
                    volume = random_image((depth, height, width), dtype, width)
                    case.check(volume, mode, seed=depth + height + width)


@pytest.mark.parametrize("shape", [(0, 4, 3), (3, 0, 4), (2, 3, 0), (0, 0, 0)])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_empty_volumes_stay_empty(case: Case, shape: tuple[int, ...]) -> None:
    with mt.use("reference"):
        results = case.call(mt.asarray(np.zeros(shape, "uint8"), axes="zyx"), border="replicate")
        for result in results if isinstance(results, tuple) else (results,):
            assert np.asarray(result).shape == shape


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_pieces_change_no_bit(threads: int) -> None:
    volume = random_image((40, 70, 90), "float32")
    with mt.use("cpu", threads=threads):
        for case in (CASES[0], CASES[6], CASES[17]):
            case.check(volume, "reflect101")


def test_derivative(device: str) -> None:
    for dtype in ("uint8", "float32"):
        volume = random_image((4, 5, 9), dtype)
        results = vx.derivative(mt.asarray(volume, axes="zyx"))
        expected = volumes.gradient(volume, (-1, 0, 1), (1,), Edge())
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(result), wanted)


def test_filters_of_planes_leave_the_planes_apart(device: str) -> None:
    volume = random_image((4, 6, 9), "uint8")
    named = mt.asarray(volume, axes="zyx")
    for function in (vx.gaussian3x3, vx.gaussian5x5, vx.sobel3x3):
        results = function(named)
        expected = function(mt.asarray(volume, axes="nyx"))
        if not isinstance(results, tuple):
            results, expected = (results,), (expected,)
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(result), np.asarray(wanted))


def test_the_size_of_a_gaussian_follows_sigma(device: str) -> None:
    image = random_image((9, 30), "uint8")
    for sigma, size in ((0.2, 3), (1.0, 7), (3, 19), ((0.5, 1.1), (5, 9))):
        np.testing.assert_array_equal(
            np.asarray(vx.gaussian(image, sigma=sigma)),
            np.asarray(vx.gaussian(image, size, sigma)),
        )
    np.testing.assert_array_equal(
        np.asarray(vx.gaussian(image)), np.asarray(vx.gaussian(image, None))
    )
    np.testing.assert_array_equal(np.asarray(vx.gaussian(image)), np.asarray(vx.gaussian(image, 3)))


@pytest.mark.parametrize("name", ["median", "erode", "dilate"])
def test_nan_wins(name: str, device: str) -> None:
    volume = random_image((5, 6, 9), "float32")
    volume[1, 1, 2] = volume[4, 5, 8] = np.nan
    result = np.asarray(getattr(vx, name)(mt.asarray(volume, axes="zyx")))
    expected = np.zeros(volume.shape, bool)
    expected[:3, :3, 1:4] = expected[3:, 4:, 7:] = True
    np.testing.assert_array_equal(np.isnan(result), expected)


@pytest.mark.parametrize("value", [np.nan, -0.0, -np.inf])
def test_medians_of_special_floats(value: float, device: str) -> None:
    numbers = np.float32([-np.inf, -1, -0.0, 0.0, 1e-42, 2, np.inf])
    volume = np.random.default_rng(0).choice(numbers, (4, 5, 9))
    result = np.asarray(vx.median(mt.asarray(volume, axes="zyx"), 3, mt.constant(value)))
    expected = volumes.median(volume, block(3, 3, 3), Edge("constant", value))
    np.testing.assert_array_equal(result, expected)


VOLUME = mt.asarray(np.zeros((4, 5, 6), np.uint8), axes="zyx")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: vx.box(VOLUME, (3, 3)),
            r"box: size is \(3, 3\); it .* or three of them, \(planes, rows, columns\)",
        ),
        (lambda: vx.median(VOLUME, 5), r"median: size makes a window of 125 pixels"),
        (lambda: vx.erode(VOLUME, (3, 3, 2)), r"erode: element is \[3, 3, 2\]; .* three of them"),
        (
            lambda: vx.gaussian(VOLUME, 3, (1.0, 1.0)),
            r"gaussian: sigma is \(1\.0, 1\.0\); .* three of them, \(sigma of z, sigma of y, sigma",
        ),
        (lambda: vx.dilate(VOLUME, np.ones((3, 3))), r"shape \(3, 3\); it takes a 3-D array"),
        (
            lambda: vx.convolve(VOLUME, [[1]]),
            r"convolve: matrix has shape \(1, 1\); .* for a volume an odd number of planes first",
        ),
        (
            lambda: vx.nonlinear(VOLUME, "min", CROSS, (1, 1)),
            r"nonlinear: origin is \(1, 1\); it takes a \(plane, row, column\) of the mask",
        ),
    ],
)
def test_faults(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        call()


def test_sums_that_64_bits_cannot_hold() -> None:
    with pytest.raises(DTypeError, match=r"gaussian: sums over uint32 pixels reach .*\"float64\""):
        vx.gaussian(VOLUME.astype("uint32"), 7, 1.0)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_a_filter_is_one_kernel(dtype: str) -> None:
    volume = mt.asarray(np.zeros((4, 5, 6), dtype), axes="zyx")
    for results in (
        vx.box(volume),
        vx.gaussian(volume, 7, 1.0),
        vx.median(volume),
        vx.laplacian(volume),
        vx.erode(volume, BALL),
        vx.sobel(volume),
    ):
        several = results if isinstance(results, tuple) else (results,)
        assert str(mt.explain(*several)).startswith("1 kernel;")
