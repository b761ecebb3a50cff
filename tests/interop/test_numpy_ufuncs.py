"""Options and methods of NumPy's ufuncs, and those ufuncs that are several operations."""

import math

import numpy as np
import pytest

import muntin as mt
from muntin.errors import DTypeError, ShapeError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")

FLOATS = np.array([0.0, 0.5, 1.0, -1.5, 2.75, 1e300, -1e-310, np.inf, -np.inf, np.nan])
WHOLE = np.array([-128, -7, -1, 0, 1, 2, 3, 100, 127], np.int8)


@pytest.fixture
def pixels() -> np.ndarray:
    return np.arange(1, 13, dtype=np.uint8).reshape(3, 4)


# --- ufuncs that are several operations -----------------------------------------------------------


@pytest.mark.parametrize(
    "ufunc", [np.conjugate, np.fabs, np.positive, np.spacing], ids=lambda ufunc: ufunc.__name__
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ufuncs_of_one_operand(ufunc: np.ufunc, dtype: type) -> None:
    with np.errstate(all="ignore"):
        x = FLOATS.astype(dtype)
        expected = ufunc(x)
    result = ufunc(mt.asarray(x))
    assert isinstance(result, mt.Array)
    assert not result.is_evaluated or ufunc in (np.conjugate, np.positive)
    np.testing.assert_array_equal(np.asarray(result), expected, strict=True)


@pytest.mark.parametrize(
    "ufunc", [np.fmax, np.fmin, np.heaviside, np.logaddexp2], ids=lambda ufunc: ufunc.__name__
)
def test_ufuncs_of_two_operands(ufunc: np.ufunc) -> None:
    a, b = np.meshgrid(FLOATS, FLOATS)
    with np.errstate(all="ignore"):
        expected = ufunc(a, b)
    for result in (ufunc(mt.asarray(a), b), ufunc(a, mt.asarray(b))):
        np.testing.assert_allclose(np.asarray(result), expected, 1e-15, strict=True)
    whole = ufunc(mt.asarray(WHOLE), np.float32(0.5))
    np.testing.assert_allclose(np.asarray(whole), ufunc(WHOLE, np.float32(0.5)), 1e-6, strict=True)


def test_powers_in_float64() -> None:
    x = np.array([1, 2, 3], np.int16)
    result = np.float_power(mt.asarray(x), -2)
    np.testing.assert_allclose(np.asarray(result), np.float_power(x, -2), 1e-15, strict=True)


@pytest.mark.parametrize("x", [WHOLE, FLOATS], ids=["integers", "floats"])
def test_quotients_and_remainders_come_together(x: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        expected = np.divmod(x, x.dtype.type(3))
    results = np.divmod(mt.asarray(x), x.dtype.type(3))
    assert type(results) is tuple
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), wanted, strict=True)
    for result, wanted in zip(divmod(mt.asarray(x), 3), expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), wanted, strict=True)


def test_numbers_are_broken_in_two() -> None:
    for x in (FLOATS, FLOATS[:5].astype(np.float32)):
        for result, expected in zip(np.modf(mt.asarray(x)), np.modf(x), strict=True):
            np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
            np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16", "int32", "uint64", "int64"])
def test_bits_are_counted(name: str) -> None:
    info = np.iinfo(name)
    x = np.random.default_rng(3).integers(info.min, info.max, 50, name, endpoint=True)
    x[:3] = info.min, info.max, 0
    result = np.bitwise_count(mt.asarray(x))
    np.testing.assert_array_equal(np.asarray(result), np.bitwise_count(x), strict=True)


def test_bits_of_floats_are_not_counted() -> None:
    with pytest.raises(UnsupportedError, match=r"numpy\.bitwise_count of float64: is not defined"):
        np.bitwise_count(mt.asarray(FLOATS))


# --- methods --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shapes", [((3,), (4,)), ((2, 3), (4,)), ((), (2,)), ((2,), ()), ((0,), (2,))]
)
def test_every_element_meets_every_other(shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = (np.arange(math.prod(shape)).reshape(shape) for shape in shapes)
    expected = np.subtract.outer(a, b)
    for result in (np.subtract.outer(mt.asarray(a), b), np.subtract.outer(a, mt.asarray(b))):
        assert isinstance(result, mt.Array)
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    out = np.zeros(expected.shape, np.int64)
    np.subtract.outer(mt.asarray(a), b, out=out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "ufunc",
    [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or],
    ids=lambda ufunc: ufunc.__name__,
)
@pytest.mark.parametrize(
    "options", [{}, {"axis": 1, "keepdims": True}, {"axis": None}, {"axis": ()}]
)
def test_a_reduction_is_the_function_of_that_meaning(
    ufunc: np.ufunc, options: dict[str, object], pixels: np.ndarray
) -> None:
    result = ufunc.reduce(mt.asarray(pixels) % 4, **options)
    assert isinstance(result, mt.Array)
    assert not result.is_evaluated
    expected = np.asarray(ufunc.reduce(pixels % 4, **options))
    np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    out = np.zeros(expected.shape, expected.dtype)
    assert ufunc.reduce(mt.asarray(pixels) % 4, out=out, **options) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply], ids=lambda ufunc: ufunc.__name__)
def test_running_sums_and_products(ufunc: np.ufunc, pixels: np.ndarray) -> None:
    for options in ({}, {"axis": 1}, {"dtype": np.int32}):
        result = ufunc.accumulate(mt.asarray(pixels), **options)  # type: ignore[arg-type]
        assert isinstance(result, mt.Array)
        expected = ufunc.accumulate(pixels, **options)  # type: ignore[arg-type]
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)


def test_sums_have_the_type_asked_for(pixels: np.ndarray) -> None:
    result = np.add.reduce(mt.asarray(pixels), 1, np.float32)
    np.testing.assert_array_equal(
        np.asarray(result), np.add.reduce(pixels, 1, np.float32), strict=True
    )


# --- options --------------------------------------------------------------------------------------


def test_an_out_may_be_written_in_part(pixels: np.ndarray) -> None:
    out, expected = np.full((3, 4), 9, np.int32), np.full((3, 4), 9, np.int32)
    mask = pixels % 2 == 0
    for where in (mask, mt.asarray(mask), mask[0]):
        np.add(mt.asarray(pixels), 1, out=out, where=where)
        np.add(pixels, 1, out=expected, where=np.asarray(where))
        np.testing.assert_array_equal(out, expected)
    np.add(mt.asarray(pixels), 1, out=out, where=True)
    np.testing.assert_array_equal(out, pixels + 1)
    with pytest.raises(UnsupportedError, match=r"numpy\.add: where without out leaves elements un"):
        np.add(mt.asarray(pixels), 1, where=mask)
    with pytest.raises(ShapeError, match=r"where: shapes .* do not broadcast|does not b"):
        np.add(mt.asarray(pixels), 1, out=out, where=np.ones(3, bool))


def test_several_outs_are_written() -> None:
    x = np.array([7.5, -7.5, 2.0])
    whole, rest = np.zeros(3), np.zeros(3)
    found = np.divmod(mt.asarray(x), 2, out=(whole, rest))
    assert found[0] is whole
    assert found[1] is rest
    np.testing.assert_array_equal((whole, rest), np.divmod(x, 2))
    lazy, written = np.divmod(mt.asarray(x), 2, out=(None, rest))
    assert isinstance(lazy, mt.Array)
    assert written is rest


def test_a_ufunc_is_computed_in_the_type_asked_for(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    for call in (
        lambda x: np.add(x, 250, dtype=np.int32),
        lambda x: np.multiply(x, x, dtype="float32"),
        lambda x: np.divide(x, 3, dtype=np.float32),
        lambda x: np.sqrt(x, dtype=np.float64),
    ):
        np.testing.assert_array_equal(np.asarray(call(x)), call(pixels), strict=True)
    with pytest.raises(DTypeError, match=r"numpy\.less: of int32 it gives bool; leave dtype away"):
        np.less(x, 3, dtype=np.int32)
    text = r"numpy\.add: an operand is float64, which does not become int32 by 'same_kind' casting"
    with pytest.raises(DTypeError, match=text):
        np.add(x * 0.5, 1, dtype=np.int32)


def test_the_casting_may_be_chosen(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    out = np.zeros((3, 4), np.uint8)
    np.multiply(x, 2.5, out=out, casting="unsafe")
    np.testing.assert_array_equal(out, (pixels * 2.5).astype(np.uint8))
    with pytest.raises(DTypeError, match=r"numpy\.add: the result is uint8, .* by 'no' casting"):
        np.add(x, 1, out=np.zeros((3, 4), np.int32), casting="no")
    assert np.add(x, 1, order="C", subok=False).dtype == np.uint8


def test_other_options_are_refused(pixels: np.ndarray) -> None:
    text = r"numpy\.add: option signature does not work on muntin Arrays; those that do are out, wh"
    with pytest.raises(UnsupportedError, match=text):
        np.add(mt.asarray(pixels), 1, signature="ii->i")
