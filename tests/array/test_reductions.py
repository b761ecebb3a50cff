"""Reductions: NumPy's results whatever is reduced, the reference's bits however it is run."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin import vision as vx
from muntin.array import reductions
from muntin.errors import BorderError, ShapeError, UnsupportedError
from tests.pointwise import same_bits

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
NAMES = sorted(set(reductions.__all__) - {"logsumexp"})
POSITIONS = ("argmax", "argmin")


def sample(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.7
    return np.asarray(rng.normal(size=shape) * 50).astype(dtype)


def bits(name: str, x: Any, **kwargs: Any) -> np.ndarray:
    """Return a reduction's array, which must be the reference's to the bit."""
    function = getattr(mt, name)
    found = np.asarray(function(mt.asarray(x), **kwargs))
    with mt.use("reference"):
        assert same_bits(found, np.asarray(function(mt.asarray(x), **kwargs)))
    return found


def check(name: str, x: np.ndarray, axis: Any, **kwargs: Any) -> None:
    """Compare a reduction with the reference, and with NumPy's in extended precision."""
    found = bits(name, x, axis=axis, **kwargs)
    theirs = {key.replace("correction", "ddof"): value for key, value in kwargs.items()}
    function = getattr(np, name)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means of nothing
        plain = np.asarray(function(x, axis=axis, **theirs))
        assert (found.shape, found.dtype) == (plain.shape, plain.dtype)
        if found.dtype.kind != "f" or name in ("max", "min"):
            np.testing.assert_array_equal(found, plain)
            return
        wide = np.asarray(function(x.astype(np.longdouble), axis=axis, **theirs))
    total = float(np.abs(x, dtype="float64").sum())
    scales = {"sum": total, "mean": total * found.size / max(x.size, 1)}
    scale = scales.get(name, float(np.abs(wide[np.isfinite(wide)]).max(initial=0)))
    roundings = 40 if name != "prod" else max(40, x.size / max(found.size, 1))
    eps = np.finfo(found.dtype).eps
    np.testing.assert_allclose(found, wide, rtol=0, atol=roundings * eps * scale)


# --- NumPy's results ------------------------------------------------------------------------------

SHAPES: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [
    ((), (None, ())),
    ((5,), (0, None)),
    ((9001,), (0,)),
    ((37, 1000), (None, 0, 1, (0, 1), -1)),
    ((5000, 70), (None, 0, 1)),
    ((300, 3), (None, 0, 1)),
    ((3, 300), (None, 0, 1)),
    ((4, 5, 6), (None, 0, 1, 2, (0, 1), (1, 2), (0, 2), ())),
    ((3, 300, 41), (None, 0, 1, 2, (0, 1), (1, 2), (0, 2))),
    ((2, 10, 300, 3), (None, (1, 2), (1, 2, 3), 3, (0, 3))),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32"])
def test_results_are_numpys(name: str, dtype: str) -> None:
    for shape, axes in SHAPES:
        x = sample(shape, dtype)
        if name == "prod" and x.dtype.kind == "f":
            x = 1 + x / 1e5
        for axis in axes:
            if name not in POSITIONS or not isinstance(axis, tuple):
                check(name, x, axis)
        check(name, x, 0 if x.ndim else None, keepdims=True)


@given(data=st.data())
def test_any_shape_axes_and_strides(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=20))
    dtype = data.draw(st.sampled_from([*TYPES, *FLOATS]))
    x = sample(shape, dtype, data.draw(st.integers(0, 99)))
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    x = x[tuple([slice(None, None, data.draw(st.sampled_from([1, 1, -1, 2]))) for _ in x.shape])]
    name = data.draw(st.sampled_from(NAMES))
    axes: Any = data.draw(st.sets(st.integers(0, x.ndim - 1)))
    axis = min(axes, default=None) if name in POSITIONS else tuple(axes)
    if name in (*POSITIONS, "max", "min"):
        gone = range(x.ndim) if axis is None else axes if name not in POSITIONS else {axis}
        if any(x.shape[place] == 0 for place in gone):
            with pytest.raises(ShapeError, match=f"{name}: an array of shape .* has no elements"):
                getattr(mt, name)(mt.asarray(x), axis=axis)
            return
    if name == "prod" and x.dtype.kind == "f":
        x = 1 + x / 1e5
    check(name, x, axis, keepdims=data.draw(st.booleans()))


@pytest.mark.parametrize("correction", [0, 1, 2.5, 6, 9])
def test_spreads_take_a_correction(correction: float) -> None:
    x = sample((6, 40), "float64")
    with np.errstate(all="ignore"):
        check("var", x, 0, correction=correction)
        check("std", x, 1, correction=correction)


def test_a_large_mean_costs_no_digits() -> None:
    rng = np.random.default_rng(1)
    x = 1e4 + rng.normal(size=(3, 50_000)).astype(np.float32)
    expected = x.astype(np.float64).var(axis=1)
    np.testing.assert_allclose(bits("var", x, axis=1), expected, rtol=1e-5)
    np.testing.assert_allclose(bits("var", x.T.copy(), axis=0), expected, rtol=1e-3)


def test_logarithms_of_sums_of_exponentials() -> None:
    x = sample((7, 400), "float64")
    expected = np.logaddexp.reduce(x, axis=1)
    np.testing.assert_allclose(bits("logsumexp", x, axis=1), expected, rtol=1e-14)
    huge = np.array([[1000.0, 1000.0], [-np.inf, -np.inf], [np.inf, 0.0], [np.nan, 0.0]])
    found = bits("logsumexp", huge, axis=1)
    np.testing.assert_allclose(found, [1000 + np.log(2), -np.inf, np.inf, np.nan], rtol=1e-15)
    assert bits("logsumexp", np.zeros((0,))) == -np.inf
    assert bits("logsumexp", np.array([0, 0]), keepdims=True).shape == (1,)


# --- special values -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [2, 300, 5000])
def test_nan_wins(dtype: str, count: int) -> None:
    x = sample((count,), dtype)
    x[count // 2] = x[count - 1] = np.nan
    assert np.isnan(bits("max", x))
    assert np.isnan(bits("min", x))
    assert bits("argmax", x) == bits("argmin", x) == count // 2
    columns = np.stack([x, x[::-1]], axis=1)
    np.testing.assert_array_equal(bits("argmax", columns, axis=0), np.argmax(columns, axis=0))


@pytest.mark.parametrize("count", [2, 300, 5000])
def test_zeros_have_an_order(count: int) -> None:
    x = np.zeros(count, np.float32)
    x[1::2] = -0.0
    assert not np.signbit(bits("max", x))
    assert np.signbit(bits("min", x))
    assert bits("argmin", x) == bits("argmax", x) == 0


def test_sums_of_negative_zeros_are_negative() -> None:
    assert np.signbit(bits("sum", np.full(700, -0.0)))
    assert not np.signbit(bits("sum", np.zeros(0)))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64"])
def test_extreme_values_are_found(dtype: str) -> None:
    info = np.finfo(dtype) if dtype.startswith("f") else np.iinfo(dtype)
    for value in (info.min, info.max, *((np.inf, -np.inf) if dtype.startswith("f") else ())):
        x = np.full(1000, value, dtype)
        for name in ("min", "max"):
            assert bits(name, x) == value
            assert bits("arg" + name, x) == 0


def test_of_equal_elements_the_first_is_found() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 3, (40, 9000))
    for name in POSITIONS:
        for axis in (None, 0, 1):
            check(name, x, axis)


def test_integers_wrap() -> None:
    x = np.full(3, 2**63 - 1)
    assert int(bits("sum", x)) == 2**63 - 3
    small = np.full(300, 100, np.uint8)
    assert bits("sum", small, dtype="uint8") == 30000 % 256
    assert bits("sum", small).dtype == np.uint64
    assert bits("mean", small) == 100.0


def test_means_of_integers_are_exact() -> None:
    x = np.full(100_001, 2**31 - 1, np.int32)
    assert bits("mean", x) == 2**31 - 1


# --- bits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("shape", [(70_001,), (300, 5000), (9000, 40), (40, 50, 300)])
def test_threads_and_layouts_change_no_bit(threads: int, shape: tuple[int, ...]) -> None:
    x = sample(shape, "float32")
    strided = np.zeros([2 * n for n in shape], np.float32)[tuple([slice(None, None, 2)] * x.ndim)]
    strided[...] = x
    for axis in (None, 0, x.ndim - 1):
        for name in ("sum", "mean", "var"):
            expected = bits(name, x, axis=axis)
            for other in (x, strided, np.asfortranarray(x), x[::-1].copy()[::-1]):
                with mt.use(threads=threads):
                    found = np.asarray(getattr(mt, name)(mt.asarray(other), axis=axis))
                assert same_bits(found, expected)


def test_computed_and_stored_elements_give_the_same_bits() -> None:
    x = mt.asarray(sample((90, 4100), "float32"))
    for axis in (None, 0, 1):
        for name in ("sum", "prod", "var", "argmax"):
            fused = np.asarray(getattr(mt, name)(mt.exp(x / 50) * 3, axis=axis))
            apart = np.asarray(getattr(mt, name)((mt.exp(x / 50) * 3).keep(), axis=axis))
            assert same_bits(fused, apart)


# --- fusion ---------------------------------------------------------------------------------------


def kernels(*arrays: mt.Array) -> int:
    return int(str(mt.explain(*arrays)).split()[0])


def test_several_reductions_are_one_pass() -> None:
    x = mt.asarray(sample((300, 500), "float32")) * 2 + 1
    assert kernels(x.min(), x.max(), x.argmax(), x.sum()) == 1
    assert kernels(x.mean(), x.std(), x.var(correction=1)) == 2  # the last divides single numbers
    assert kernels(x.sum(axis=0), x.sum(axis=1), x.max(axis=1)) == 1
    least, greatest, total = mt.eval(x.min(), x.max(), x.sum(axis=0))
    plain = np.asarray(x)
    assert (float(least), float(greatest)) == (plain.min(), plain.max())
    np.testing.assert_allclose(np.asarray(total), plain.sum(axis=0, dtype=np.float64), rtol=1e-4)


@pytest.mark.parametrize("size", [(40, 300), (300, 41), (5, 7)])
@pytest.mark.parametrize("channels", [None, 3])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "argmin", "std"])
def test_filters_are_reduced(size: tuple[int, int], channels: int | None, name: str) -> None:
    shape = size if channels is None else (*size, channels)
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, shape).astype(np.uint8)
    for axis in (None, *range(len(shape))):
        with mt.use("reference"):
            expected = np.asarray(getattr(mt, name)(vx.gaussian(mt.asarray(image)), axis=axis))
        found = getattr(mt, name)(vx.gaussian(mt.asarray(image)), axis=axis)
        assert same_bits(np.asarray(found), expected)


@pytest.mark.parametrize("border", ["replicate", "constant", "wrap", "reflect101"])
def test_neighbours_are_reduced_as_they_are(border: str) -> None:
    x = sample((9, 300), "int32")
    for offsets in ((1, 0), (0, -2), (-3, 5)):
        for axis in (None, 0, 1):
            with mt.use("reference"):
                expected = np.asarray(mt.asarray(x).at(*offsets, border=border).sum(axis=axis))
            found = mt.asarray(x).at(*offsets, border=border).sum(axis=axis)
            assert same_bits(np.asarray(found), expected)


def test_a_filter_and_its_statistics_are_one_kernel() -> None:
    image = mt.asarray(np.zeros((480, 640), np.uint8))
    smooth = vx.gaussian3x3(image)
    assert kernels(smooth, smooth.max(), smooth.sum(axis=0), smooth.min(axis=1)) == 1
    colour = vx.gaussian3x3(mt.asarray(np.zeros((480, 640, 3), np.uint8)))
    assert kernels(colour.max()) == 1


def test_what_follows_reads_the_result() -> None:
    x = sample((50, 700), "float64")
    lazy = mt.asarray(x)
    powers = mt.exp(lazy - lazy.max(axis=1, keepdims=True))
    softmax = powers / powers.sum(axis=1, keepdims=True)
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        np.asarray(softmax), shifted / shifted.sum(axis=1, keepdims=True), rtol=1e-13
    )
    rowwise = mt.asarray(x).sum(axis=0)
    np.testing.assert_allclose(float((rowwise * 2).max()), 2 * x.sum(axis=0).max(), rtol=1e-13)


def test_rows_of_numbers_and_of_indices() -> None:
    assert float(mt.full((30, 400), 2.0).sum()) == 24_000
    positions = mt.index((400, 500), 1)
    assert int(positions.max()) == 499
    assert np.asarray((positions * 2).sum(axis=1)).tolist() == [500 * 499] * 400
    assert np.asarray(positions.argmax(axis=0)).tolist() == [0] * 500


# --- manners --------------------------------------------------------------------------------------


def test_results_go_where_they_are_told() -> None:
    x = sample((30, 400), "float32")
    out, whole = np.empty(400, np.float32), np.empty((), np.float32)
    mt.eval(mt.asarray(x).sum(axis=0), mt.asarray(x).max(), out=(out, whole))
    assert same_bits(out, bits("sum", x, axis=0))
    assert whole[()] == x.max()


def test_a_compiled_function_reduces() -> None:
    @mt.function
    def normalised(x: mt.Array) -> mt.Array:
        return (x - x.mean()) / x.std()

    for size in (64, 300, 64):
        x = sample((size, size), "float64", size)
        expected = (x - x.mean()) / x.std()
        np.testing.assert_allclose(np.asarray(normalised(x)), expected, rtol=1e-12, atol=1e-12)


def test_methods_and_numpys_functions_are_the_same() -> None:
    x = mt.asarray(sample((5, 60), "float32"))
    for name in set(NAMES) - {"count_nonzero"}:
        method = np.asarray(getattr(x, name)(axis=1))
        assert same_bits(method, np.asarray(getattr(mt, name)(x, axis=1)))
        assert same_bits(method, np.asarray(getattr(np, name)(x, axis=1)))
    assert isinstance(np.sum(x), mt.Array)
    assert float(np.std(x, ddof=1)) == float(x.std(correction=1))
    assert int(np.count_nonzero(x)) == 300


def test_letters_follow() -> None:
    x = mt.asarray(np.zeros((4, 5, 3)))
    assert x.sum(axis=2).axes == "yx"
    assert x.max(axis=0, keepdims=True).axes == "yxc"
    assert x.mean(axis=(0, 1)).axes == "c"


def test_faults_are_told() -> None:
    x = mt.asarray(np.zeros((3, 4)))
    with pytest.raises(ShapeError, match="sum: axis 2 is out of bounds for an array of dimension"):
        x.sum(axis=2)
    with pytest.raises(ShapeError, match=r"max: axes \(0, 0\) name an axis twice"):
        x.max(axis=(0, 0))
    with pytest.raises(UnsupportedError, match=r"mean: axis 0\.5 is not an integer"):
        x.mean(axis=0.5)  # type: ignore[arg-type]
    with pytest.raises(BorderError, match=r"sum: only .* of \(3, 4\) is valid; call .valid\(\)"):
        x.at(1, 0, border="undefined").sum()
    with pytest.raises(ShapeError, match=r"argmin: an array of shape .* has no elements"):
        mt.asarray(np.zeros((0, 4))).argmin()
