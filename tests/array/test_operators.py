"""Operators against NumPy's: types, broadcasting, numbers, reflected and in-place forms."""

import operator
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin import vision as vx
from muntin.dtypes import DTYPES
from muntin.errors import DeviceError, DTypeError, ParameterError, RangeError, ShapeError

pytestmark = pytest.mark.usefixtures("device")

ROWS = [row for row in DTYPES.values() if row.name != "bfloat16"]  # the types of NumPy's own
TYPES = [row.numpy for row in ROWS]
ARITHMETIC = [operator.add, operator.sub, operator.mul]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor]
MIXED = [(a, b) for a in TYPES for b in TYPES]
COMPILED = [
    (np.dtype(a), np.dtype(b))
    for a, b in [
        ("uint8", "uint8"),
        ("uint8", "int8"),
        ("bool", "int16"),
        ("uint64", "int64"),
        ("int8", "uint64"),
        ("int32", "float32"),
        ("float64", "float32"),
    ]
]


def sample(dtype: np.dtype, seed: int = 0) -> np.ndarray:
    """Return values of a type, those at its ends among them."""
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, 16).astype(bool)
    if dtype.kind == "f":
        ends = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 255.0]
        return np.concatenate([ends, random.normal(0, 100, 8)]).astype(dtype)
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 2], dtype)
    rest = random.integers(info.min, info.max, 10, dtype, endpoint=True)
    return random.permutation(np.concatenate([ends, rest]))


def lift(operand: object) -> object:
    return mt.asarray(operand) if isinstance(operand, np.ndarray) else operand


def check(*cases: tuple[object, ...]) -> None:
    """Compare functions of Arrays with the same functions of NumPy's arrays, in one evaluation."""
    wanted, lazy = [], []
    for function, *operands in cases:
        with np.errstate(all="ignore"):
            try:
                expected = function(*operands)  # type: ignore[operator]
            except TypeError:
                with pytest.raises(DTypeError):
                    function(*map(lift, operands))  # type: ignore[operator]
                continue
        wanted.append(np.asarray(expected))
        lazy.append(function(*map(lift, operands)))  # type: ignore[operator]
    mt.eval(*lazy)
    for expected, result in zip(wanted, lazy, strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)


def pairs(device: str, kinds: str = "biuf") -> list[tuple[np.ndarray, np.ndarray]]:
    """Return arrays of all pairs of types; of some where each pair is compiled."""
    chosen = MIXED if device == "reference" else COMPILED
    return [(sample(a, 1), sample(b, 2)) for a, b in chosen if a.kind in kinds and b.kind in kinds]


@pytest.mark.parametrize("function", COMPARISONS)
def test_comparisons_of_pairs_of_types_are_numpys(function: object, device: str) -> None:
    check(*((function, a, b) for a, b in pairs(device)))
    check(*((function, a, a) for a, _ in pairs(device)[:11]))


@pytest.mark.parametrize("function", [*ARITHMETIC, *BITS])
def test_operators_of_pairs_of_types_are_numpys(function: object, device: str) -> None:
    check(*((function, a, b) for a, b in pairs(device)))


def test_true_division_is_numpys(device: str) -> None:
    check(*((operator.truediv, a, b) for a, b in pairs(device)))


@pytest.mark.parametrize("function", [operator.floordiv, operator.mod])
def test_floor_division_of_integers_is_numpys(function: object, device: str) -> None:
    signed = [(a, b) for a, b in pairs(device, "iu") if np.result_type(a, b).kind != "f"]
    check(*((function, a, b) for a, b in signed))


def test_shifts_past_the_width_give_zero_or_the_sign() -> None:
    x = np.array([-128, -1, 1, 127], np.int8)
    for count in (0, 3, 7, 8, 100, -1):
        wide = x.astype(int)
        fits = 0 <= count < 8
        left = (wide << count if fits else wide * 0).astype(np.int8)
        right = (wide >> count if fits else -(wide < 0).astype(int)).astype(np.int8)
        counts = np.full(4, count, np.int8)
        np.testing.assert_array_equal(np.asarray(mt.asarray(x) << count), left, strict=True)
        np.testing.assert_array_equal(np.asarray(mt.asarray(x) >> count), right, strict=True)
        np.testing.assert_array_equal(np.asarray(mt.asarray(x) >> counts), right)


@pytest.mark.parametrize("function", [operator.neg, operator.pos, operator.abs, operator.invert])
def test_unary_operators_are_numpys(function: object) -> None:
    check(*((function, sample(dtype)) for dtype in TYPES))


# --- numbers --------------------------------------------------------------------------------------

NUMBERS = [True, 0, 1, -1, 3, 200, 1.5, -0.0, float("nan"), float("inf")]


@pytest.mark.parametrize("function", [*ARITHMETIC, operator.truediv])
def test_python_numbers_take_the_type_of_the_array(function: object, device: str) -> None:
    for dtype in TYPES if device == "reference" else [np.dtype("uint8"), np.dtype("float32")]:
        array = sample(dtype)
        for number in NUMBERS:
            if dtype.kind == "b" and (function is operator.sub or function is operator.truediv):
                continue
            try:
                with np.errstate(all="ignore"):
                    expected = function(array, number)  # type: ignore[operator]
            except OverflowError:
                with pytest.raises(RangeError, match=f"the number {number} does not fit in"):
                    function(mt.asarray(array), number)  # type: ignore[operator]
                continue
            result = np.asarray(function(mt.asarray(array), number))  # type: ignore[operator]
            np.testing.assert_array_equal(result, expected, strict=True)


@pytest.mark.parametrize("function", COMPARISONS)
def test_comparisons_with_any_integer_have_numpys_answer(function: object, device: str) -> None:
    numbers = [-(2**70), -(2**63), -300, -1, 0, 1, 127, 255, 256, 300, 2**63, 2**64 - 1, 2**70]
    rows = ROWS if device == "reference" else [DTYPES["uint8"], DTYPES["int64"]]
    cases: list[tuple[object, ...]] = []
    for row in rows:
        if row.is_float:
            continue
        array = sample(row.numpy)
        for number in numbers:
            if row.is_bool and abs(number) >= 2**63:
                continue
            cases.append((function, array, number))
            cases.append((lambda x, n: function(n, x), array, number))  # type: ignore[operator]
    check(*cases)


def test_a_truth_value_beside_a_large_number_is_compared_exactly() -> None:
    x = mt.asarray(np.array([True, False]))
    assert np.asarray(x < 2**70).all()
    assert not np.asarray(x == -(2**70)).any()


@pytest.mark.parametrize("number", [np.float64(1.5), np.uint8(200), np.int64(-1), np.bool_(True)])
def test_numpy_scalars_keep_their_type(number: np.generic, device: str) -> None:
    for dtype in TYPES if device == "reference" else TYPES[1:3]:
        check((operator.mul, sample(dtype), number), (operator.lt, sample(dtype), number))


def test_subclasses_of_int_are_numbers() -> None:
    class Level(IntEnum):
        HIGH = 3

    result = mt.asarray(np.array([1, 2], np.uint8)) + Level.HIGH
    np.testing.assert_array_equal(np.asarray(result), np.array([4, 5], np.uint8), strict=True)


def test_an_integer_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(RangeError, match="add: an integer of 1329 bits does not fit in float32"):
        mt.asarray(np.zeros(2, np.float32)) + 10**400


REFLECTED = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod,
]  # fmt: skip


@pytest.mark.parametrize("function", REFLECTED)
def test_reflected_operators_are_numpys(function: object) -> None:
    array = np.array([1, 2, 3, 7], np.int32)
    expected = np.asarray(function(20, array))  # type: ignore[operator]
    for left in (20, np.int32(20), np.full(4, 20, np.int32)):
        if function is divmod and not isinstance(left, int):
            continue  # NumPy makes it one function of two results
        result = function(left, mt.asarray(array))  # type: ignore[operator]
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_in_place_operators_bind_the_name_anew() -> None:
    array = np.array([1, 2, 3], np.int16)
    x = first = mt.asarray(array)
    x += 1
    x *= first
    assert x is not first
    np.testing.assert_array_equal(np.asarray(first), [1, 2, 3])
    np.testing.assert_array_equal(np.asarray(x), [2, 6, 12])
    np.testing.assert_array_equal(array, [1, 2, 3])


# --- powers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, 13, 64])
def test_integers_have_numpys_powers(exponent: int) -> None:
    kinds = "iu" if exponent == 2 else "biu"  # NumPy squares truth values to int8
    types = [dtype for dtype in TYPES if dtype.kind in kinds]
    check(*((lambda x: x**exponent, sample(dtype)) for dtype in types))


def test_floats_have_whole_powers() -> None:
    x = np.array([0.0, -1.5, np.nan, np.inf, 2.0])
    np.testing.assert_array_equal(np.asarray(mt.asarray(x) ** 0), np.ones(5), strict=True)
    np.testing.assert_array_equal(np.asarray(mt.asarray(x) ** 3), (x * x) * x, strict=True)
    np.testing.assert_allclose(np.asarray(mt.asarray(x) ** 17), x**17, rtol=1e-15)


def test_exponents_may_be_numbers_and_arrays() -> None:
    x = np.array([0.25, 1.0, 4.0])
    for exponent in (-1, 0.5, 2.0, 9, 1000, 1025, np.int64(2), np.float64(-0.5), x):
        with np.errstate(all="ignore"):
            expected = x**exponent
        np.testing.assert_allclose(np.asarray(mt.asarray(x) ** exponent), expected, rtol=1e-15)
    assert (mt.asarray(x.astype(np.float32)) ** 0.5).dtype == np.float32
    np.testing.assert_allclose(np.asarray(2.0 ** mt.asarray(x)), 2.0**x, rtol=1e-15)
    np.testing.assert_array_equal(
        np.asarray(3 ** mt.asarray([0, 1, 45])), 3 ** np.array([0, 1, 45])
    )


@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype.kind in "iu"], ids=str)
def test_integers_to_the_power_of_integers_are_numpys(dtype: np.dtype) -> None:
    base, exponent = np.meshgrid(np.arange(-3, 4), [0, 1, 2, 7, 31, 63, 100, 127])
    base, exponent = base.astype(dtype), exponent.astype(dtype)
    result = np.asarray(mt.asarray(base) ** mt.asarray(exponent))
    np.testing.assert_array_equal(result, base**exponent, strict=True)


def test_negative_powers_of_integers_are_cut_off() -> None:
    base = np.arange(-2, 3)
    for exponent, expected in ((-1, [0, -1, 0, 1, 0]), (-2, [0, 1, 0, 1, 0])):
        result = np.asarray(mt.asarray(base) ** np.full(5, exponent))
        np.testing.assert_array_equal(result, expected)
    with pytest.raises(ParameterError, match=r"pow: exponent -1 of int64; .* cast the base"):
        mt.asarray(base) ** -1


# --- shapes ---------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, min_side=0, max_side=4))
def test_operands_broadcast_as_numpys(shapes: hnp.BroadcastableShapes) -> None:
    arrays = [np.arange(np.prod(s, dtype=int)).reshape(s) for s in shapes.input_shapes]
    first, second, third = (mt.asarray(array, axes=None) for array in arrays)
    expected = arrays[0] * 2 + arrays[1] - arrays[2]
    result = first * 2 + arrays[1] - np.asarray(third)
    assert result.shape == shapes.result_shape
    np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    assert second.shape == arrays[1].shape


def test_shapes_that_do_not_fit_are_an_error_at_once() -> None:
    x = mt.asarray(np.zeros((3, 4)))
    text = r"add: shapes \(3, 4\) and \(3,\) do not broadcast: axis 1 of 2 has lengths 4 and 3"
    with pytest.raises(ShapeError, match=text):
        x + np.zeros(3)


def test_letters_told_in_another_order_conflict() -> None:
    x = mt.asarray(np.zeros((3, 3)), axes="yx")
    with pytest.raises(ShapeError, match="add: operands have axes 'yx' and 'xy'; transpose one so"):
        x + x.T
    assert (x + np.zeros((3, 3))).axes == "yx"
    assert (x + mt.zeros((3, 3))).axes == "yx"
    assert (mt.asarray(np.zeros((2, 3, 3)), axes="nyx") + x).axes == "nyx"


def test_letters_by_rank_never_conflict() -> None:
    square = np.arange(9.0).reshape(3, 3)
    x, told = mt.asarray(square), mt.asarray(square, axes="xy")
    assert (x + told).axes == (told + x).axes == (x.T + x + told).axes == "xy"
    unknown = x + x.T
    assert unknown.axes is None
    np.testing.assert_array_equal(np.asarray(unknown), square + square.T, strict=True)
    with pytest.raises(ShapeError, match=r"gaussian: the image .* has axes without names"):
        vx.gaussian(unknown)
    np.testing.assert_array_equal(
        np.asarray(vx.gaussian(mt.asarray(unknown, axes="yx"))),
        np.asarray(vx.gaussian(mt.asarray(square + square.T))),
    )


@settings(max_examples=12)
@given(data=st.data())
def test_expressions_of_mixed_types_are_numpys(data: st.DataObject) -> None:
    leaves = [sample(data.draw(st.sampled_from(TYPES)), seed) for seed in range(3)]

    def draw(depth: int) -> tuple[np.ndarray, mt.Array]:
        if depth == 0:
            array = data.draw(st.sampled_from(leaves))
            return array, mt.asarray(array)
        function = data.draw(st.sampled_from([operator.add, operator.mul, *COMPARISONS]))
        (a, x), (b, y) = draw(depth - 1), draw(depth - 1)
        return function(a, b), function(x, y)

    with np.errstate(all="ignore"):
        expected, lazy = draw(3)
    np.testing.assert_array_equal(np.asarray(lazy), expected, strict=True)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["text", None, [1, 2], {}, 1j, object()])
def test_other_objects_are_no_operands(other: object) -> None:
    x = mt.asarray([1, 2])
    with pytest.raises(TypeError, match="unsupported operand"):
        x + other
    with pytest.raises(TypeError, match="unsupported operand"):
        other - x
    with pytest.raises(DTypeError, match=r"add: got an operand of type .*; it takes Arrays, NumPy"):
        mt.add(x, other)


def test_unknown_objects_are_unequal_as_python_has_it() -> None:
    assert (mt.asarray([1]) == "text") is False
    assert (mt.asarray([1]) != None) is True  # noqa: E711


@pytest.mark.parametrize("function", [operator.sub, operator.neg, operator.pos])
def test_truth_values_have_no_difference(function: object) -> None:
    x = mt.asarray([True, False])
    operands = (x, x) if function is operator.sub else (x,)
    with pytest.raises(DTypeError, match="is not defined for bool; "):
        function(*operands)  # type: ignore[operator]


def test_devices_must_agree() -> None:
    x = mt.asarray([1, 2])
    both = x.to("cpu"), x.to("reference")
    with pytest.raises(DeviceError, match="add: operands are on devices 'cpu' and 'reference'; mo"):
        both[0] + both[1]
    assert (both[0] + x).device == "cpu"
    assert (1 - both[1]).device == "reference"
