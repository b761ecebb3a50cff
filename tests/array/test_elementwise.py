"""The elementwise functions under their own names, against NumPy's."""

import numpy as np
import pytest

import muntin as mt
from muntin.array import elementwise
from muntin.errors import DTypeError, RangeError

pytestmark = pytest.mark.usefixtures("device")

FLOATS = np.array([0.0, -0.0, 1.5, -2.5, 0.5, 3.7, np.inf, -np.inf, np.nan, 1e-310, 2.0**60])
INTEGERS = np.array([-128, -3, -1, 0, 1, 2, 100, 127], np.int8)
UNARY = {
    "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "isfinite": np.isfinite, "isinf": np.isinf,
    "isnan": np.isnan, "logical_not": np.logical_not, "negative": np.negative,
    "positive": np.positive, "reciprocal": np.reciprocal, "round": np.rint, "sign": np.sign,
    "signbit": np.signbit, "sqrt": np.sqrt, "square": np.square, "trunc": np.trunc,
}  # fmt: skip
BINARY = {
    "add": np.add, "copysign": np.copysign, "divide": np.divide, "equal": np.equal,
    "floor_divide": np.floor_divide, "fmod": np.fmod, "greater": np.greater,
    "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply,
    "nextafter": np.nextafter,
    "not_equal": np.not_equal, "remainder": np.remainder, "subtract": np.subtract,
}  # fmt: skip
BITS = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "bitwise_invert": np.bitwise_invert, "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}  # fmt: skip


def call(name: str, *operands: object) -> np.ndarray:
    result = getattr(mt, name)(*operands)
    assert isinstance(result, mt.Array)
    return np.asarray(result)


def test_every_function_is_tested() -> None:
    tested = {*UNARY, *BINARY, *BITS, "astype", "cast", "clip", "conj", "imag", "real", "where"}
    assert set(elementwise.__all__) == tested


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_float_are_numpys(name: str) -> None:
    with np.errstate(all="ignore"):
        expected = UNARY[name](FLOATS)
    np.testing.assert_array_equal(call(name, FLOATS), expected, strict=True)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_floats_are_numpys(name: str) -> None:
    a, b = np.meshgrid(FLOATS, FLOATS)
    with np.errstate(all="ignore"):
        expected = BINARY[name](a, b)
    result = call(name, a, b)
    np.testing.assert_array_equal(result, expected, strict=True)
    if name in ("multiply", "nextafter"):
        np.testing.assert_array_equal(
            np.signbit(result[expected == 0]), np.signbit(expected[expected == 0])
        )


@pytest.mark.parametrize("name", BITS)
def test_functions_of_bits_are_numpys(name: str) -> None:
    counts = np.abs(INTEGERS) % 7
    operands = (INTEGERS,) if name == "bitwise_invert" else (INTEGERS, counts)
    np.testing.assert_array_equal(call(name, *operands), BITS[name](*operands), strict=True)


@pytest.mark.parametrize("name", ["abs", "floor", "ceil", "trunc", "round", "sign", "square"])
def test_whole_numbers_stay_whole(name: str) -> None:
    large = np.array([2**62 + 1, -(2**62) - 1, 0])
    expected = {"abs": np.abs, "sign": np.sign, "square": np.square}.get(name, lambda x: x)(large)
    np.testing.assert_array_equal(call(name, large), expected, strict=True)


def test_roots_of_narrow_integers_are_float32() -> None:
    assert call("sqrt", np.array([4], np.uint16)).dtype == np.float32
    assert call("sqrt", np.array([4], np.int32)).dtype == np.float64
    assert call("reciprocal", np.array([4], np.uint8)).dtype == np.float32
    assert call("sqrt", 2).dtype == np.float64


def test_extrema_order_zeros_and_let_nan_win() -> None:
    a = np.array([0.0, -0.0, np.nan, 1.0])
    b = np.array([-0.0, 0.0, 1.0, np.nan])
    low, high = call("minimum", a, b), call("maximum", a, b)
    assert np.signbit(low[:2]).all()
    assert not np.signbit(high[:2]).any()
    assert np.isnan(low[2:]).all()
    assert np.isnan(high[2:]).all()


def test_integer_division_by_zero_gives_zero() -> None:
    a = np.array([7, -7, -128, 0], np.int8)
    zero = np.zeros(4, np.int8)
    assert call("floor_divide", a, zero).tolist() == [0, 0, 0, 0]
    assert call("remainder", a, zero).tolist() == [0, 0, 0, 0]
    assert call("floor_divide", a, np.int8(-1)).tolist() == [-7, 7, -128, 0]
    assert call("remainder", a, np.int8(-1)).tolist() == [0, 0, 0, 0]


def test_a_comparison_may_begin_with_a_number() -> None:
    x = np.array([1, 200], np.uint8)
    assert call("less", 300, x).tolist() == [False, False]
    assert call("greater", 300, x).tolist() == [True, True]
    assert call("less_equal", 100, x).tolist() == [False, True]
    assert bool(mt.less(1, 2))


def test_where_takes_the_common_type_of_its_choices() -> None:
    condition = np.array([True, False, True])
    small, real = np.array([1, 2, 3], np.uint8), np.array([0.5, 1.5, 2.5], np.float32)
    for x, y in [(small, real), (small, 0), (0, real), (real, 1.5), (1, 2.5), (small, small)]:
        expected = np.where(condition, x, y)
        np.testing.assert_array_equal(call("where", condition, x, y), expected, strict=True)
    np.testing.assert_array_equal(call("where", np.array([0.0, np.nan, -1.0]), 1, 2), [2, 1, 1])
    np.testing.assert_array_equal(call("where", True, small, 0), small)


@pytest.mark.parametrize(
    "bounds", [(2, 5), (-1, 300), (None, 5), (2, None), (None, None), (5, 2), (-(2**70), 2**70)]
)
def test_clip_is_numpys(bounds: tuple[int | None, int | None]) -> None:
    x = np.array([0, 1, 3, 7, 255], np.uint8)
    low = None if bounds[0] is None else max(bounds[0], 0)
    high = None if bounds[1] is None else min(bounds[1], 255)
    expected = x if low is high is None else np.clip(x, low, high)
    np.testing.assert_array_equal(call("clip", x, *bounds), expected, strict=True)


def test_clip_keeps_nan_and_takes_arrays() -> None:
    np.testing.assert_array_equal(
        call("clip", FLOATS, -1.0, np.full(FLOATS.shape, 1.0)), np.clip(FLOATS, -1, 1), strict=True
    )
    with pytest.raises(RangeError, match="maximum: the number 300 does not fit in uint8"):
        mt.clip(np.zeros(2, np.uint8), 300, 400)


def test_casts_go_by_name() -> None:
    x = np.array([-1, 300], np.int16)
    np.testing.assert_array_equal(
        call("cast", x, "uint8"), np.array([255, 44], np.uint8), strict=True
    )
    np.testing.assert_array_equal(call("astype", x, np.uint8), [255, 44])
    assert mt.cast(x, "uint8", overflow="saturate").eval()[0].item() == 0
    assert mt.cast(7, "float32").dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_ends_of_floats_have_neighbours(dtype: type) -> None:
    info = np.finfo(dtype)
    least, most, small = info.smallest_subnormal, info.max, info.smallest_normal
    x = np.array([0.0, -0.0, 0.0, -0.0, most, np.inf, least, -least, small, 1, 1, -1], dtype)
    y = np.array([1.0, 1.0, -1.0, 0.0, np.inf, 0.0, 0.0, 0.0, 0.0, 2, 0, -np.inf], dtype)
    with np.errstate(over="ignore"):
        expected = np.nextafter(x, y)
    found = call("nextafter", x, y)
    np.testing.assert_array_equal(found, expected, strict=True)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_a_cast_may_change_the_device() -> None:
    x = mt.asarray(np.zeros(2), device="cpu")
    assert mt.astype(x, "int8", copy=False).device == "cpu"
    assert mt.astype(x, "int8", device="reference").device == "reference"


def test_all_numbers_are_real() -> None:
    x = mt.asarray(FLOATS)
    np.testing.assert_array_equal(np.asarray(mt.real(x)), FLOATS, strict=True)
    np.testing.assert_array_equal(np.asarray(mt.conj(x)), FLOATS, strict=True)
    with pytest.raises(DTypeError, match="imag: got float64; it is defined for complex numbers"):
        mt.imag(x)


@pytest.mark.parametrize("name", ["subtract", "negative", "sign", "positive"])
def test_arithmetic_that_truth_values_lack(name: str) -> None:
    operands = (np.array([True]),) * (2 if name == "subtract" else 1)
    with pytest.raises(DTypeError, match=f"{name}: is not defined for bool"):
        getattr(mt, name)(*operands)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_left_shift", "bitwise_invert"])
def test_bits_of_floats_are_refused(name: str) -> None:
    operands = (FLOATS,) * (1 if name == "bitwise_invert" else 2)
    with pytest.raises(DTypeError, match=f"{name}: takes integers.*got float64"):
        getattr(mt, name)(*operands)
