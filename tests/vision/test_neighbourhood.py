"""Every neighbourhood function is its definition, to the bit."""

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from tests.reference import filters
from tests.reference.neighbourhood import Edge, defined
from tests.vision.cases import BORDERS, CASES, Case, border, random_image, share

SMALL = [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2), (4, 5)]


LAYOUTS = [
    ("yxc", (6, 11, 3)),
    ("yxc", (5, 9, 1)),
    ("nyxc", (2, 5, 8, 4)),
    ("nyx", (3, 4, 9)),
    ("cyx", (3, 7, 6)),
    ("xy", (9, 5)),
    ("tyx", (3, 5, 6)),
]
NUMBERED = list(enumerate(CASES))


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_every_width(turn: int, case: Case, device: str) -> None:
    modes = share(BORDERS, device, turn, 2)
    for width in range(1, 71):
        image = random_image((1 + width * 5 % 9, width), "uint8", width)
        case.check(image, modes[width % len(modes)], seed=width)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_images_smaller_than_the_window(turn: int, case: Case, device: str) -> None:
    for mode in share(BORDERS, device, turn, 2):
        for seed, shape in enumerate(SMALL):
            case.check(random_image(shape, "uint8", seed), mode, seed)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_every_dtype(turn: int, case: Case, device: str) -> None:
    for dtype in share(case.dtypes, device, turn, 1):
        for seed, mode in enumerate(share(("replicate", "constant"), device, turn, 1)):
            case.check(random_image((6, 17), dtype, seed), mode, seed)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_every_other_axis_is_run_over(turn: int, case: Case, device: str) -> None:
    for axes, shape in share(LAYOUTS, device, turn, 1):
        for seed, mode in enumerate(share(BORDERS[:4], device, turn, 1)):
            case.check(random_image(shape, "uint8", seed), mode, seed, axes)


@pytest.mark.slow
@pytest.mark.parametrize("mode", BORDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_height_and_width(case: Case, mode: str, device: str) -> None:
    for height in range(1, 10):
        for width in range(1, 71):
            case.check(random_image((height, width), "uint8", width), mode, seed=height + width)


@pytest.mark.slow
@pytest.mark.parametrize("mode", BORDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_dtype_under_every_border(case: Case, mode: str, device: str) -> None:
    for dtype in case.dtypes:
        for height in (1, 2, 5, 9):
            for width in (1, 2, 3, 5, 8, 17, 33, 70):
                case.check(random_image((height, width), dtype, width), mode, seed=height + width)


@pytest.mark.slow
@pytest.mark.parametrize("mode", BORDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_other_axis_under_every_border(case: Case, mode: str, device: str) -> None:
    for axes, shape in LAYOUTS:
        case.check(random_image(shape, "uint8"), mode, 0, axes)


@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_views_are_read_where_they_lie(turn: int, case: Case, device: str) -> None:
    mode = BORDERS[turn * 2 % len(BORDERS)]
    whole = random_image((24, 40), "uint8")
    colours = random_image((9, 13, 3), "uint8")
    for view in (
        whole[::-1, ::-1],
        whole[2:19:3, 5:38:2],
        whole.T,
        whole[20:3:-2, 3:30],
        colours[..., 1],
        np.broadcast_to(whole[3], (6, 40)),
    ):
        case.check(view, mode)


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
@pytest.mark.parametrize(("turn", "case"), NUMBERED, ids=str)
def test_empty_images_stay_empty(
    turn: int, case: Case, shape: tuple[int, int], device: str
) -> None:
    for mode in share(BORDERS, device, turn, 2):
        results = case.call(mt.asarray(np.zeros(shape, "uint8")), border=border(Edge(mode)))
        for result in results if isinstance(results, tuple) else (results,):
            assert np.asarray(result).shape == shape


@pytest.mark.parametrize(("turn", "mode"), list(enumerate(BORDERS)))
def test_large_boxes(turn: int, mode: str, device: str) -> None:
    # The windows are summed and compared by doubling: in how many ways depends on the size.
    for size in share(range(1, 36, 2), device, turn, 1):
        _check_box(size, mode)


@pytest.mark.slow
@pytest.mark.parametrize("size", range(1, 36, 2))
@pytest.mark.parametrize("mode", BORDERS)
def test_large_boxes_of_every_size(mode: str, size: int, device: str) -> None:
    _check_box(size, mode)


def _check_box(size: int, mode: str) -> None:
    image = random_image((40, 47), "int16", size)
    edge = Edge(mode, -7 if mode == "constant" else 0)
    rule, half = border(edge), size // 2
    line = [(0, k - half) for k in range(size)]
    column = [(dy, 0) for _, dy in line]
    for result, expected, up in (
        (vx.box(image, (1, size), rule), filters.box(image, 1, size, edge), 0),
        (vx.box(image, (size, 1), rule), filters.box(image, size, 1, edge), half),
        (vx.erode(image, (1, size), rule), filters.erode(image, line, edge), 0),
        (vx.dilate(image, (size, 1), rule), filters.dilate(image, column, edge), half),
    ):
        reach = (up, up, half - up, half - up) if mode == "undefined" else (0, 0, 0, 0)
        inside = defined(image, reach)
        np.testing.assert_array_equal(np.asarray(result)[inside], expected[inside])


def test_derivatives_of_wide_windows_read_no_more_than_they_must(device: str) -> None:
    # gx of derivative() reads no other row, gy no other column.
    image = random_image((4, 6), "uint8")
    gx, gy = vx.derivative(image, border="undefined")
    wide = image.astype(np.int16)
    np.testing.assert_array_equal(np.asarray(gx)[:, 1:-1], wide[:, 2:] - wide[:, :-2])
    np.testing.assert_array_equal(np.asarray(gy)[1:-1], wide[2:] - wide[:-2])
    assert not np.asarray(gx)[:, [0, -1]].any()
    assert not np.asarray(gy)[[0, -1]].any()


@pytest.mark.parametrize(("turn", "mode"), list(enumerate(BORDERS[:-1])))
def test_derivative(turn: int, mode: str, device: str) -> None:
    case = Case("derivative", vx.derivative, filters.derivative, (1, 1, 1, 1))
    for dtype in share(("uint8", "int32", "float32"), device, turn, 1):
        case.check(random_image((7, 12), dtype), mode)


@pytest.mark.parametrize("name", ["median", "erode", "dilate"])
def test_nan_wins(name: str, device: str) -> None:
    image = random_image((6, 9), "float32")
    image[1, 2] = image[5, 8] = np.nan
    result = np.asarray(getattr(vx, name)(image))
    expected = np.zeros((6, 9), bool)
    expected[:3, 1:4] = expected[4:, 7:] = True
    np.testing.assert_array_equal(np.isnan(result), expected)


def test_a_constant_image_stays_so(device: str) -> None:
    for value in (0, 1, 77, 255):
        image = np.full((9, 12), value, np.uint8)
        for result in (
            vx.box(image, (5, 11)),
            vx.gaussian(image, 9, sigma=2.3),
            vx.gaussian(image, (15, 3), sigma=(100.0, 0.2)),
            vx.median(image, 5),
        ):
            np.testing.assert_array_equal(np.asarray(result), image)


@pytest.mark.parametrize("scale", [1, 255, 256, 1000, 1 << 40])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_convolve_divides_by_more_than_a_sum_can_be(dtype: str, scale: int, device: str) -> None:
    ends = np.iinfo(dtype)
    image = np.array([[ends.min, 0, ends.max]], dtype)
    result = np.asarray(vx.convolve(image, [[1]], scale, "int32"))
    np.testing.assert_array_equal(result, [[int(pixel / scale) for pixel in image[0].tolist()]])


def test_borders_apply_to_intermediate_images(device: str) -> None:
    image = random_image((9, 14), "uint8")
    chained = vx.sobel3x3(vx.gaussian3x3(image))[0]
    alone = vx.sobel3x3(np.asarray(vx.gaussian3x3(image)))[0]
    np.testing.assert_array_equal(np.asarray(chained), np.asarray(alone))


SLANTED = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]])


@pytest.mark.parametrize("mode", ["replicate", "symmetric", "reflect101"])
@pytest.mark.parametrize(("element", "margin"), [(3, 0), ((5, 3), 0), (SLANTED, 4)])
def test_opening_and_closing_are_what_they_are_called(
    element: object, margin: int, mode: str, device: str
) -> None:
    image = random_image((16, 21), "uint8")
    inside = (slice(margin, 16 - margin), slice(margin, 21 - margin))
    opened = np.asarray(vx.opening(image, element, mode))
    closed = np.asarray(vx.closing(image, element, mode))
    assert (opened <= image)[inside].all()
    assert (closed >= image)[inside].all()
    again = np.asarray(vx.opening(opened, element, mode))
    np.testing.assert_array_equal(again[inside], opened[inside])
    again = np.asarray(vx.closing(closed, element, mode))
    np.testing.assert_array_equal(again[inside], closed[inside])
