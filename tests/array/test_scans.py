"""Scans: NumPy's results along every axis, the reference's bits however they are run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin import vision as vx
from muntin.core.graph import reductions
from muntin.errors import BorderError, ShapeError
from muntin.runtime.native import NativeDevice
from tests.pointwise import same_bits
from tests.runtime.audit import Interpreting

THEIRS: dict[str, Any] = {
    "cumulative_sum": np.cumsum,
    "cumulative_prod": np.cumprod,
    "cumulative_min": np.minimum.accumulate,
    "cumulative_max": np.maximum.accumulate,
}


def sample(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=shape) * 9).astype(dtype)


def bits(name: str, x: Any, **kwargs: Any) -> np.ndarray:
    """Return a scan's array, which must be the reference's to the bit."""
    function = getattr(mt, name)
    found = np.asarray(function(mt.asarray(x), **kwargs))
    with mt.use("reference"):
        assert same_bits(found, np.asarray(function(mt.asarray(x), **kwargs)))
    return found


def check(name: str, x: np.ndarray, axis: int) -> None:
    found, theirs = bits(name, x, axis=axis), THEIRS[name](x, axis=axis)
    assert (found.shape, found.dtype) == (theirs.shape, theirs.dtype)
    if found.dtype.kind != "f" or name in ("cumulative_min", "cumulative_max"):
        np.testing.assert_array_equal(found, theirs)
        return
    wide = THEIRS[name](x.astype(np.longdouble), axis=axis)
    scale = np.abs(x, dtype="float64").sum() if name == "cumulative_sum" else np.abs(wide).max()
    eps = np.finfo(found.dtype).eps * max(40, x.shape[axis])
    np.testing.assert_allclose(found, wide, rtol=0, atol=float(eps * scale))


SHAPES = [(5,), (16,), (100,), (9001,), (37, 1000), (3, 9000), (300, 3), (4, 5, 6), (2, 3, 4, 5)]


@pytest.mark.parametrize("name", sorted(THEIRS))
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "float64"])
def test_results_are_numpys(name: str, dtype: str) -> None:
    for shape in SHAPES:
        x = sample(shape, dtype)
        if name == "cumulative_prod" and x.dtype.kind == "f":
            x = 1 + x / 1e4
        for axis in range(x.ndim):
            check(name, x, axis)


@given(data=st.data())
def test_any_shape_axis_and_strides(data: st.DataObject) -> None:
    x = sample(
        data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=20)),
        data.draw(st.sampled_from(["bool", "int8", "uint16", "int64", "float32"])),
    )
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    x = x[tuple([slice(None, None, data.draw(st.sampled_from([1, 1, -1, 2]))) for _ in x.shape])]
    name = data.draw(st.sampled_from(["cumulative_sum", "cumulative_min", "cumulative_max"]))
    if x.size:
        check(name, x, data.draw(st.integers(0, x.ndim - 1)))
    else:
        assert bits(name, x, axis=0).shape == x.shape


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("shape", [(70_001,), (30, 9000), (66, 8193), (9000, 40), (12, 50, 300)])
def test_threads_and_layouts_change_no_bit(threads: int, shape: tuple[int, ...]) -> None:
    x = sample(shape, "float32")
    strided = np.zeros([2 * n for n in shape], np.float32)[tuple([slice(None, None, 2)] * x.ndim)]
    strided[...] = x
    for axis in range(x.ndim):
        expected = bits("cumulative_sum", x, axis=axis)
        for other in (x, strided, np.asfortranarray(x), x[::-1].copy()[::-1]):
            with mt.use(threads=threads):
                found = np.asarray(mt.cumulative_sum(mt.asarray(other), axis=axis))
            assert same_bits(found, expected)


def test_many_long_rows_are_scanned_in_one_pass() -> None:
    x = sample((70, 9001), "float32")
    scan = mt.cumulative_sum(mt.asarray(x) * 2, axis=1)
    assert str(mt.explain(scan)).startswith("1 kernel;")
    found = np.asarray(scan)
    assert same_bits(found[:3], bits("cumulative_sum", x[:3] * 2, axis=1))
    product = mt.cumulative_prod(1 + mt.asarray(x) / 1e4, axis=1)
    both = mt.eval(scan, product, mt.cumulative_max(mt.asarray(x), axis=1), scan - 1)
    assert same_bits(np.asarray(both[0]), found)
    assert same_bits(np.asarray(both[1])[-1:], bits("cumulative_prod", 1 + x[-1:] / 1e4, axis=1))
    assert same_bits(np.asarray(both[2]), np.maximum.accumulate(x, axis=1))
    assert same_bits(np.asarray(both[3]), found - 1)
    down = mt.cumulative_sum(mt.cumulative_sum(mt.asarray(x), axis=1), axis=0)
    expected = bits("cumulative_sum", bits("cumulative_sum", x, axis=1), axis=0)
    assert same_bits(np.asarray(down), expected)
    mt.cumulative_sum(mt.asarray(x) * 2, axis=1).eval(out=x)
    assert same_bits(x, found)


def test_scans_in_chunks_keep_within_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reductions, "_FEWEST_ROWS", 1)
    x = sample((2, 8209), "float32")[:, ::2]
    scans = [
        mt.cumulative_sum(mt.asarray(x) + 1, axis=1),
        mt.cumulative_prod(mt.asarray(x), axis=1),
    ]
    interpreting = Interpreting(np.random.default_rng(0))
    with interpreting.in_place_of_code():
        nodes = [each._node for each in scans]
        found = NativeDevice(1).evaluate(nodes, [None, None], threads=1)
    with mt.use("reference"):
        expected = [np.asarray(each) for each in scans]
    for one, other in zip(found, expected, strict=True):
        assert same_bits(one, other)


def test_nan_stays() -> None:
    x = sample((5000,), "float64")
    x[4500] = np.nan
    for name in sorted(THEIRS):
        found = bits(name, x)
        assert np.isnan(found[4500:]).all()
        assert not np.isnan(found[:4500]).any() or name == "cumulative_prod"


def test_the_initial_value_comes_first() -> None:
    x = sample((4, 50), "int16")
    for axis in (0, 1):
        found = bits("cumulative_sum", x, axis=axis, include_initial=True)
        np.testing.assert_array_equal(found, np.cumulative_sum(x, axis=axis, include_initial=True))
    ones = bits("cumulative_prod", x[0], include_initial=True, dtype="int32")
    assert (ones[0], ones.dtype, ones.size) == (1, np.int32, 51)


def test_integral_images() -> None:
    image = np.random.default_rng(0).integers(0, 256, (123, 457)).astype(np.uint8)
    lazy = mt.asarray(image)
    rows = mt.cumulative_sum(lazy, axis=1, dtype="uint32")
    integral = mt.cumulative_sum(rows, axis=0, dtype="uint32")
    assert str(mt.explain(integral)).startswith("1 kernel;")
    found = np.asarray(integral)
    expected = np.cumsum(np.cumsum(image, axis=0, dtype=np.uint32), axis=1, dtype=np.uint32)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
@pytest.mark.parametrize("shape", [(1, 1), (9, 15), (9, 16), (33, 71), (2, 3, 40), (5000, 33)])
def test_scans_down_take_in_scans_along_rows(shape: tuple[int, ...], dtype: str) -> None:
    x = sample(shape, dtype)

    def both(x: np.ndarray) -> tuple[mt.Array, ...]:
        lazy = mt.asarray(x) + mt.asarray(x[..., :1])
        sums = mt.cumulative_sum(mt.cumulative_sum(lazy, axis=-1), axis=-2)
        peaks = mt.cumulative_max(mt.cumulative_max(lazy, axis=-1), axis=-2)
        most_sums = mt.cumulative_max(mt.cumulative_sum(lazy - 1, axis=-1), axis=-2)
        return sums, peaks, most_sums

    for chosen in ([0], [1], [0, 1, 2]):
        found = [np.asarray(each) for each in mt.eval(*[both(x)[k] for k in chosen], mt.asarray(x))]
        with mt.use("reference"):
            expected = [np.asarray(both(x)[k]) for k in chosen]
        for one, other in zip(found, expected, strict=False):
            assert same_bits(one, other)


@pytest.mark.parametrize("shape", [(40, 300), (7, 9000), (5000, 3)])
def test_what_follows_a_scan_along_rows_is_done_beside_it(shape: tuple[int, int]) -> None:
    x = sample(shape, "int32")

    def all_of(x: np.ndarray) -> tuple[mt.Array, ...]:
        lazy = mt.asarray(x)
        scan = mt.cumulative_sum(lazy * 2, axis=1)
        down = mt.cumulative_max(scan - 1, axis=0)
        return scan, scan * 3, down, scan.at(1, -2).max(axis=1), mt.cumulative_sum(scan, axis=1)

    found = [np.asarray(each) for each in mt.eval(*all_of(x))]
    with mt.use("reference"):
        expected = [np.asarray(each) for each in mt.eval(*all_of(x))]
    for one, other in zip(found, expected, strict=True):
        assert same_bits(one, other)
    assert str(mt.explain(*all_of(x))).startswith("1 kernel;")


def test_scans_of_both_kinds_together() -> None:
    x = sample((5, 9000), "int16")
    lazy = mt.asarray(x)
    exact, rounded = (
        mt.cumulative_sum(lazy, axis=1),
        mt.cumulative_sum(lazy, axis=1, dtype="float32"),
    )
    found = mt.eval(exact, rounded, exact[:, 100:200], mt.cumulative_min(lazy, axis=1)[2:4, 8000:])
    sums, least = np.cumsum(x, axis=1), np.minimum.accumulate(x, axis=1)
    np.testing.assert_array_equal(np.asarray(found[0]), sums)
    assert same_bits(np.asarray(found[1]), bits("cumulative_sum", x, axis=1, dtype="float32"))
    np.testing.assert_array_equal(np.asarray(found[2]), sums[:, 100:200])
    np.testing.assert_array_equal(np.asarray(found[3]), least[2:4, 8000:])


def test_filters_are_scanned_and_scans_filtered() -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 300)).astype(np.uint8)

    def both(axis: int) -> np.ndarray:
        summed = mt.cumulative_sum(vx.gaussian3x3(mt.asarray(image)), axis=axis, dtype="int32")
        return np.asarray(summed.at(0, 1) - summed.at(-1, 0))

    for axis in (0, 1):
        found = both(axis)
        with mt.use("reference"):
            assert same_bits(found, both(axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_box_filters_of_colours_are_scanned_along_any_axis(axis: int) -> None:
    image = np.random.default_rng(2).integers(0, 256, (11, 13, 3)).astype(np.uint8)

    def scanned() -> np.ndarray:
        return np.asarray(mt.cumulative_sum(vx.box(mt.asarray(image), 5), axis=axis))

    found = scanned()
    with mt.use("reference"):
        assert same_bits(found, scanned())


def test_a_scan_its_source_and_its_sum_together() -> None:
    x = sample((60, 500), "float32")
    lazy = mt.asarray(x) * 3
    scan, total, whole = mt.eval(mt.cumulative_sum(lazy, axis=1), lazy.sum(axis=0), lazy)
    assert same_bits(np.asarray(scan), bits("cumulative_sum", x * 3, axis=1))
    assert same_bits(np.asarray(total), np.asarray((mt.asarray(x) * 3).sum(axis=0)))
    assert same_bits(np.asarray(whole), x * 3)


def test_results_go_where_they_are_told() -> None:
    x = sample((30, 5000), "float32")
    out = np.zeros((30, 10_000), np.float32)[:, ::2]
    mt.cumulative_sum(mt.asarray(x), axis=1).eval(out=out)
    assert same_bits(out, bits("cumulative_sum", x, axis=1))
    expected = bits("cumulative_sum", x, axis=0)
    mt.cumulative_sum(mt.asarray(x), axis=0).eval(out=x)  # over what it reads
    assert same_bits(x, expected)


def test_numpys_functions_and_methods() -> None:
    x = sample((4, 60), "float64")
    lazy = mt.asarray(x)
    assert isinstance(np.cumsum(lazy), mt.Array)
    assert same_bits(np.asarray(np.cumsum(lazy)), bits("cumulative_sum", x.ravel()))
    assert same_bits(np.asarray(lazy.cumsum(1)), bits("cumulative_sum", x, axis=1))
    assert same_bits(np.asarray(np.cumprod(lazy, axis=0)), bits("cumulative_prod", x, axis=0))
    assert lazy.cumsum(axis=1, dtype="float32").dtype == np.float32


def test_faults_are_told() -> None:
    x = mt.asarray(np.zeros((3, 4)))
    with pytest.raises(ShapeError, match=r"cumulative_sum: an array of 2 axes, shape \(3, 4\)"):
        mt.cumulative_sum(x)
    with pytest.raises(ShapeError, match="cumulative_max: axis 2 is out of bounds for an array"):
        mt.cumulative_max(x, axis=2)
    with pytest.raises(BorderError, match=r"cumulative_prod: only .* of \(3, 4\) is valid"):
        mt.cumulative_prod(x.at(1, 0, border="undefined"), axis=0)
