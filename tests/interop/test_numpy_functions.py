"""NumPy's functions on Arrays: lazy, and with NumPy's results."""

from collections.abc import Callable

import numpy as np
import pytest

import muntin as mt
from muntin.errors import DTypeError, ParameterError, ShapeError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")

FLOATS = np.array([0.0, -0.0, 0.125, 1.55, -2.675, 1234.5678, np.inf, -np.inf, np.nan])
VOLUME = np.arange(24, dtype=np.int16).reshape(2, 3, 4)


def check(call: Callable[..., object], *arrays: np.ndarray) -> None:
    expected = call(*arrays)
    results = call(*[mt.asarray(array) for array in arrays])
    if not isinstance(expected, tuple):
        expected, results = (expected,), (results,)
    for wanted, found in zip(expected, results, strict=True):  # type: ignore[call-overload]
        assert isinstance(found, mt.Array)
        np.testing.assert_array_equal(np.asarray(found), wanted, strict=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.swapaxes(x, 0, -1),
        np.flipud,
        np.fliplr,
        *[lambda x, k=k: np.rot90(x, k) for k in range(-1, 5)],
        lambda x: np.rot90(x, 1, (2, 0)),
        np.atleast_1d,
        np.atleast_2d,
        np.atleast_3d,
    ],
)
def test_views(call: Callable[..., object]) -> None:
    check(call, VOLUME)


@pytest.mark.parametrize("function", [np.atleast_1d, np.atleast_2d, np.atleast_3d])
def test_axes_are_added_to_what_has_few(function: Callable[..., object]) -> None:
    for array in (VOLUME[0, 0, 0], VOLUME[0, 0], VOLUME[0], VOLUME[None]):
        check(function, np.asarray(array))
    check(function, VOLUME[0, 0], VOLUME)


def test_a_turn_is_in_a_plane() -> None:
    with pytest.raises(ShapeError, match=r"rot90: axes are \(0, 1, 2\); give the two in whose"):
        np.rot90(mt.asarray(VOLUME), 1, (0, 1, 2))
    with pytest.raises(ShapeError, match=r"rot90: .*axis"):
        np.rot90(mt.asarray(VOLUME), 1, (0, 0))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tuple(np.split(x, 2)),
        lambda x: tuple(np.split(x, [1, 3, 2, -1, 9], axis=-1)),
        lambda x: tuple(np.split(x, np.array([1, 2]), axis=1)),
        lambda x: tuple(np.array_split(x, 3, axis=2)),
        lambda x: tuple(np.array_split(x, 5, axis=1)),
        lambda x: np.hstack([x, x[:, :1]]),
        lambda x: np.hstack([x[0, 0], x[1, 1, :2]]),
        lambda x: np.hstack([x[0, 0, 0], x[1, 1, 1]]),
        lambda x: np.vstack([x[0, 0], x[1]]),
        lambda x: np.dstack([x[0], x[1]]),
        lambda x: np.dstack([x[0, 0], x[0, 1]]),
        lambda x: np.column_stack([x[0, :, 0], x[1], x[0, :, 1]]),
    ],
)
def test_arrays_are_cut_and_joined(call: Callable[..., object]) -> None:
    check(call, VOLUME)


def test_what_cannot_be_cut() -> None:
    with pytest.raises(ShapeError, match="split: 4 elements along axis -1 do not make 3 equal sec"):
        np.split(mt.asarray(VOLUME), 3, axis=-1)
    with pytest.raises(ParameterError, match="array_split: got 0 sections; give 1 or more"):
        np.array_split(mt.asarray(VOLUME), 0)


@pytest.mark.parametrize("axis", [None, 0, (1, 2)])
def test_ranges_of_values(axis: object) -> None:
    for array in (VOLUME, VOLUME.astype(np.uint8), VOLUME / 7):
        expected = np.ptp(array, axis)  # type: ignore[call-overload]
        found = np.ptp(mt.asarray(array), axis)  # type: ignore[call-overload]
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), strict=True)
    assert np.ptp(mt.asarray(VOLUME), 0, keepdims=True).shape == (1, 3, 4)


def test_the_first_condition_that_holds_chooses() -> None:
    check(lambda x: np.select([x < 5, x < 12, x > 20], [x, -x, x * 10], 7), VOLUME)
    check(lambda x: np.select([x < 5], [x / 2]), VOLUME)
    with pytest.raises(ParameterError, match="select: got 2 conditions and 1 choices; give as man"):
        np.select([mt.asarray(VOLUME) > 1] * 2, [VOLUME])


@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 2, 5])
def test_numbers_are_rounded(decimals: int) -> None:
    check(lambda x: np.round(x, decimals), FLOATS)
    check(lambda x: np.round(x, decimals), FLOATS.astype(np.float32))
    check(lambda x: np.round(x, decimals), np.array([149, 150, 250, -151, 7]))
    check(lambda x: np.around(x, decimals=decimals), FLOATS)


@pytest.mark.parametrize(
    "call",
    [
        np.fix,
        np.real,
        np.isposinf,
        np.isneginf,
        np.nan_to_num,
        lambda x: np.nan_to_num(x, nan=-1.0, posinf=3.0, neginf=-3),
        lambda x: np.isclose(x, 0.125),
        lambda x: np.isclose(x, x + 1e-9, equal_nan=True),
        lambda x: np.isclose(x, x[::-1], rtol=0.5, atol=0.25),
        np.copy,
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_functions_of_elements(call: Callable[..., object]) -> None:
    check(call, FLOATS)
    check(call, FLOATS.astype(np.float32))
    if call is not np.fix:  # NumPy before 2.4 makes floats of integers
        check(call, np.array([0, 1, -3]))


def test_what_is_known_without_computing() -> None:
    x = mt.asarray(VOLUME) + 1
    assert np.size(x) == 24
    assert np.size(x, 1) == 3
    assert np.isrealobj(x)
    assert not np.iscomplexobj(x)
    assert np.result_type(x, np.float32) == np.float32
    assert np.result_type(x, 2.5, "uint8") == np.float64
    assert np.can_cast(x, np.int32)
    assert not np.can_cast(x, np.int8)
    assert np.can_cast(x, np.int8, "same_kind")
    assert np.empty_like(x).dtype == np.int16
    assert not x.is_evaluated


def test_there_are_no_imaginary_parts() -> None:
    with pytest.raises(DTypeError, match="imag: got int16; it is defined for complex numbers"):
        np.imag(mt.asarray(VOLUME))


def test_a_part_is_copied_to_a_numpy_array() -> None:
    target, expected = np.zeros((3, 4), np.int32), np.zeros((3, 4), np.int32)
    mask = VOLUME[0] % 3 == 0
    np.copyto(target, mt.asarray(VOLUME[0]), where=mask)
    np.copyto(expected, VOLUME[0], where=mask)
    np.testing.assert_array_equal(target, expected)
    np.copyto(target, mt.asarray(FLOATS[2]), "unsafe", mt.asarray(mask))
    np.copyto(expected, FLOATS[2], "unsafe", mask)
    np.testing.assert_array_equal(target, expected)
    with pytest.raises(DTypeError, match=r"numpy\.copyto: the result is float64, which does not"):
        np.copyto(target, mt.asarray(FLOATS[2]))


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
def test_histograms_are_numpys_bin_for_bin(dtype):
    rng = np.random.default_rng(0)
    edge = np.linspace(-1, 2.5, 8).astype(dtype)
    for a in (np.concatenate([rng.normal(20, 9, 500).astype(dtype), edge]), edge, edge[:0]):
        x = mt.asarray(a)
        for bins, ends in ((10, None), (7, (-1, 2.5)), (3, (4.1, 4.1)), (99, (0.1, 30))):
            wanted, edges = np.histogram(a, bins, ends)
            found, where = np.histogram(x, bins, ends)
            np.testing.assert_array_equal(where, edges, strict=True)
            np.testing.assert_array_equal(np.asarray(found), wanted, strict=True)
        for edges in ([0, 1, 5], [-1, 2.5, 2.5, 7, 22, 22.5], [3, 4], [1, 1]):
            found, where = np.histogram(x, edges)
            np.testing.assert_array_equal(where, edges)
            np.testing.assert_array_equal(np.asarray(found), np.histogram(a, edges)[0], strict=True)


def test_histograms_take_weights_and_become_densities():
    rng = np.random.default_rng(1)
    a, weights = rng.normal(size=(20, 30)), rng.integers(1, 9, (20, 30))
    a[3, 4] = np.nan
    x = mt.asarray(a)
    for options in ({"weights": weights}, {"density": True}, {"weights": weights, "density": True}):
        found, _ = np.histogram(x, 9, (-1, 2), **options)
        wanted, _ = np.histogram(a, 9, (-1, 2), **options)
        np.testing.assert_allclose(np.asarray(found), wanted, 1e-15, strict=True)
    np.testing.assert_array_equal(
        np.asarray(np.bincount(mt.asarray(weights.ravel()), minlength=12)),
        np.bincount(weights.ravel(), minlength=12),
        strict=True,
    )
    with pytest.raises(ShapeError, match=r"weights have shape \(2,\), the elements \(20, 30\)"):
        np.histogram(x, weights=[1, 2])
    with pytest.raises(UnsupportedError, match=r"bins .auto. do not work"):
        np.histogram(x, "auto")
    with pytest.raises(TypeError, match=r"numpy\.add"):
        np.add.at(x, [0], 1)


def test_histograms_between_ends_of_two_types() -> None:
    x = np.full(9, 0.7, np.float32)  # less than 0.7, which it is compared with as a float32
    counts, edges = np.histogram(mt.asarray(x), 4, range=(0.7, np.float64(1.7)))
    assert np.asarray(counts).tolist() == [9, 0, 0, 0]
    assert len(edges) == 5


def test_histograms_are_where_their_weights_are() -> None:
    weights = mt.asarray(np.ones(4)).to("reference")
    counts, _ = np.histogram(mt.asarray(np.arange(4.0)), 2, weights=weights)
    assert counts.device == "reference"
    assert np.asarray(counts).tolist() == [2, 2]
