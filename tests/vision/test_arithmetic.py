"""The pixelwise functions are their definitions, to the bit."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin import vision as vx
from muntin.array.tracing import TracedNumber
from muntin.errors import UnsupportedError
from tests.reference import arithmetic
from tests.vision.cases import ANY, FLOATS, INTEGERS, WIDE, random_image, share

NUMBERS = (*INTEGERS, *WIDE, *FLOATS)
MIXED = [
    ("uint8", "int16"),
    ("int8", "uint8"),
    ("uint16", "int16"),
    ("uint32", "uint8"),
    ("int8", "int64"),
    ("uint8", "float32"),
    ("int32", "float32"),
]
NO_ROOTS = [(dtype, "l2") for dtype in WIDE]
PAIRS = [*((dtype, dtype) for dtype in NUMBERS), *MIXED]


def pair(first: str, second: str, seed: int = 0, width: int = 23) -> tuple[Any, Any]:
    return random_image((6, width), first, seed), random_image((6, width), second, seed + 1)


def same(result: Any, expected: Any) -> None:
    assert result.dtype == expected.dtype
    found = np.asarray(result)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_absdiff(dtype: str, device: str) -> None:
    a, b = pair(dtype, dtype)
    same(vx.absdiff(a, b), arithmetic.absdiff(a, b))


@pytest.mark.parametrize(("turn", "dtypes"), list(enumerate(PAIRS)), ids=str)
def test_sums(turn: int, dtypes: tuple[str, str], device: str) -> None:
    a, b = pair(*dtypes)
    ways = [(name, how) for name in ("add", "subtract") for how in ("saturate", "wrap")]
    for name, overflow in share(ways, device, turn, 1):
        expected = getattr(arithmetic, name)(a, b, overflow)
        same(getattr(vx, name)(a, b, overflow), expected)


SCALES = [1.0, 0.5, 1 / 2**15, 1 / 255, 0.3, 3.0, 1000.25, 0.0, 1e-30, 2.0**-40]


@pytest.mark.parametrize("rounding", ["to_zero", "nearest_even"])
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize(
    ("first", "second"),
    [(a, b) for a, b in PAIRS if np.result_type(a, b).itemsize <= 2 or "float" in b],
)
def test_multiply(first: str, second: str, overflow: str, rounding: str, device: str) -> None:
    a, b = pair(first, second)
    turn = len(first) + len(second) + len(overflow) + len(rounding)
    for scale in share(SCALES, device, turn, 1):
        expected = arithmetic.multiply(a, b, scale, overflow, rounding)
        same(vx.multiply(a, b, scale, overflow, rounding), expected)


@pytest.mark.parametrize("rounding", ["to_zero", "nearest_even"])
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_multiply_32_bits(dtype: str, overflow: str, rounding: str, device: str) -> None:
    a, b = pair(dtype, dtype)
    for scale in (1.0, 0.5, 2.0**-31):
        if dtype == "uint32" and rounding == "nearest_even" and scale != 1:
            continue  # the rounding would need a 65th bit
        expected = arithmetic.multiply(a, b, scale, overflow, rounding)
        same(vx.multiply(a, b, scale, overflow, rounding), expected)


@pytest.mark.parametrize("dtype", WIDE)
def test_multiply_64_bits_wraps(dtype: str, device: str) -> None:
    a, b = pair(dtype, dtype)
    same(vx.multiply(a, b, overflow="wrap"), arithmetic.multiply(a, b, overflow="wrap"))


def test_multiply_rounds_ties_to_even(device: str) -> None:
    a = np.arange(-20, 20, dtype=np.int16)
    for scale in (0.5, 0.25, 0.125):
        result = np.asarray(vx.multiply(a, np.ones_like(a), scale, rounding="nearest_even"))
        np.testing.assert_array_equal(result, np.rint(a * scale).astype(np.int16))


@pytest.mark.parametrize("alpha", [0, 0.25, 0.7071, 1 / 255, 1])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_weighted_average(dtype: str, alpha: float, device: str) -> None:
    a, b = pair(dtype, dtype)
    same(vx.weighted_average(a, b, alpha), arithmetic.weighted_average(a, b, alpha))


@pytest.mark.parametrize(
    ("dtype", "norm"),
    [(dtype, norm) for dtype in NUMBERS for norm in ("l1", "l2") if (dtype, norm) not in NO_ROOTS],
)
def test_magnitude(dtype: str, norm: str, device: str) -> None:
    for seed in range(5):
        x, y = pair(dtype, dtype, seed, width=70)
        same(vx.magnitude(x, y, norm), arithmetic.magnitude(x, y, norm))


@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32"])
def test_magnitude_beside_every_kind_of_root(dtype: str, device: str) -> None:
    # Squares just above and below the half between two roots.
    most = int(np.iinfo(dtype).max)
    roots = [1, 2, 3, 181, 255, 256, 32766, 46340, most - 1, most, most // 2, most // 3]
    pairs = []
    for root, y in itertools.product(roots, (0, 1, 2, 3, 100, most // 5)):
        for target in (root * root + root, root * root + root + 1, root * root):
            if target >= y * y:
                x = int(np.sqrt(float(target - y * y)))
                pairs += [(x + step, y) for step in (-1, 0, 1) if 0 <= x + step <= most]
    kept = [(x, y) for x, y in pairs if y <= most]
    x, y = np.array(kept, dtype=dtype).T.copy()
    same(vx.magnitude(x, y), arithmetic.magnitude(x, y))


@pytest.mark.slow
def test_magnitude_of_every_pair_of_bytes_and_of_many_shorts(device: str) -> None:
    x = np.arange(-128, 128, dtype=np.int16)
    grid = np.meshgrid(x, x)
    for factor in (1, 5, 127, 255):
        gx, gy = (side * np.int16(factor) for side in grid)
        same(vx.magnitude(gx, gy), arithmetic.magnitude(gx, gy))


@pytest.mark.parametrize("dtype", [name for name in ANY if not name.startswith("float")])
def test_bits(dtype: str, device: str) -> None:
    a, b = pair(dtype, dtype)
    same(vx.bitwise_and(a, b), a & b)
    same(vx.bitwise_or(a, b), a | b)
    same(vx.bitwise_xor(a, b), a ^ b)
    same(vx.bitwise_not(a), ~a)


@pytest.mark.parametrize("dtype", ANY)
def test_extremes(dtype: str, device: str) -> None:
    a, b = pair(dtype, dtype)
    if dtype in FLOATS:
        a[0, 0] = b[2, 3] = np.nan
    same(vx.minimum(a, b), np.minimum(a, b))
    same(vx.maximum(a, b), np.maximum(a, b))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_threshold(dtype: str, device: str) -> None:
    image = random_image((6, 23), dtype)
    for value, upper in [(5, None), (0, 100), (5, 5), (60.5, None), (3.5, 99.5), (90, 10)]:
        expected = arithmetic.threshold(image, value, upper)
        same(vx.threshold(image, value, upper), expected)


@pytest.mark.parametrize("value", [-1, 256, -(10**30), 10**30, float("inf"), float("-inf"), 1e9])
def test_threshold_by_a_number_outside_the_dtype(value: float, device: str) -> None:
    image = random_image((3, 9), "uint8")
    for upper in (None, 100, 300):
        is_chosen = image.astype(object) > value
        if upper is not None:
            is_chosen = (image.astype(object) >= value) & (image.astype(object) <= upper)
        expected = np.where(is_chosen.astype(bool), np.uint8(255), np.uint8(0))
        same(vx.threshold(image, value, upper), expected)


def test_threshold_writes_any_two_numbers_of_any_dtype(device: str) -> None:
    image = np.array([1.5, np.nan, -2.0], dtype=np.float32)
    same(vx.threshold(image, 0, None, 7, -200, "int16"), np.array([7, -200, -200], np.int16))
    same(vx.threshold(image, 0, None, 0.5, 2, "float32"), np.array([0.5, 2, 2], np.float32))
    same(vx.threshold(image, 0, None, 1, 0, bool), np.array([True, False, False]))


@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize(("turn", "source"), list(enumerate(NUMBERS)))
def test_convert_depth(turn: int, source: str, overflow: str, device: str) -> None:
    for target in share(NUMBERS, device, turn, 2):
        for shift in share(_shifts(source, target), device, turn, 1):
            image = random_image((5, 19), source)
            expected = arithmetic.convert_depth(image, target, shift, overflow)
            same(vx.convert_depth(image, target, shift, overflow), expected)


def _shifts(source: str, target: str) -> list[int]:
    if "float" in source + target:
        return [0]
    wide, narrow = (np.iinfo(dtype).bits for dtype in (target, source))
    is_signed = target.startswith("i") and source.startswith("u")
    most = wide - narrow - is_signed if wide > narrow else narrow - 1
    return sorted({min(shift, most) for shift in (0, 1, 3, 7, most)})


PAIRWISE: list[Callable[..., Any]] = [
    vx.absdiff,
    vx.add,
    vx.subtract,
    vx.multiply,
    vx.bitwise_and,
    vx.bitwise_or,
    vx.bitwise_xor,
    vx.minimum,
    vx.maximum,
    vx.magnitude,
    lambda a, b: vx.weighted_average(a, b, 0.25),
]


@pytest.mark.parametrize("function", PAIRWISE)
def test_every_shape_and_view(function: Callable[..., Any], device: str) -> None:
    whole = random_image((12, 75, 2), "uint8")
    pairs = [(whole[:1, :w, 0], whole[5:6, 3 : 3 + w, 1]) for w in range(1, 71, 3)]
    pairs += [
        (whole[::-1, ::3], whole[:, 74::-3]),
        (whole.T, np.ascontiguousarray(whole[::-1]).T),
        (whole[2:2], whole[3:3]),
        (whole[0, 0, 0:1].reshape(()), whole[1, 1, 1:].reshape(())),
        (whole[np.newaxis], whole[np.newaxis, ::-1]),
    ]
    for a, b in pairs:
        before = a.copy(), b.copy()
        expected = np.asarray(function(a.copy(), b.copy()))
        assert expected.shape == a.shape
        same(function(a, b), expected)
        np.testing.assert_array_equal((a, b), before)


def test_results_keep_the_axes_of_the_images(device: str) -> None:
    image = mt.asarray(random_image((3, 4, 5), "uint8"), axes="cyx")
    assert vx.add(image, image).axes == "cyx"
    assert vx.threshold(image, 3).axes == "cyx"
    assert vx.convert_depth(image, "int16", 2).axes == "cyx"


@given(st.integers(-(2**15), 2**15 - 1), st.integers(-(2**15), 2**15 - 1), st.floats(0, 65536))
@settings(max_examples=60)
def test_multiply_is_exact(a: int, b: int, scale: float) -> None:
    x, y = np.array([a], np.int16), np.array([b], np.int16)
    with mt.use("reference"):
        for rounding in ("to_zero", "nearest_even"):
            expected = arithmetic.multiply(x, y, scale, "saturate", rounding)
            same(vx.multiply(x, y, scale, rounding=rounding), expected)


def test_thresholds_may_be_computed(device: str) -> None:
    image = mt.asarray(random_image((6, 9), "uint8"))
    level = mt.asarray(np.uint8(77))
    same(vx.threshold(image, level), arithmetic.threshold(np.asarray(image), 77))
    local = vx.box(image)
    expected = np.where(np.asarray(image) > np.asarray(local), np.uint8(255), np.uint8(0))
    same(vx.threshold(image, local), expected)
    same(
        vx.threshold(image, 5, 99, level, 3),
        arithmetic.threshold(np.asarray(image), 5, 99, 77, 3),
    )


def test_numbers_may_be_numpy_scalars(device: str) -> None:
    image = random_image((6, 9), "uint8")
    expected = arithmetic.threshold(image, 77)
    for number in (np.uint8(77), np.int64(77), np.float32(77.5)):
        same(vx.threshold(image, number), expected)
    expected = arithmetic.weighted_average(image, image[::-1], 0.25)
    same(vx.weighted_average(image, image[::-1], np.float64(0.25)), expected)


def test_numbers_of_a_traced_function(device: str) -> None:
    image = random_image((6, 9), "uint8")
    number = TracedNumber(30, lambda args: args[0])
    weight = TracedNumber(0.25, lambda args: args[1])
    same(vx.threshold(image, number, number + 50), arithmetic.threshold(image, 30, 80))
    same(vx.threshold(image, 9, None, number), arithmetic.threshold(image, 9, None, 30))
    expected = arithmetic.weighted_average(image, image[::-1], 0.25)
    same(vx.weighted_average(image, image[::-1], weight), expected)
    with pytest.raises(UnsupportedError, match="value of a number argument was asked for"):
        vx.multiply(image, image, weight)  # type: ignore[arg-type]
