"""Arrays from numbers and shapes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import DeviceError, DTypeError, ParameterError, ShapeError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("value", [3, -2.5, True, np.float32(1.5), np.uint8(200)])
@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0, 2)])
def test_full_is_numpys(shape: object, value: object) -> None:
    expected = np.full(shape, value)  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.asarray(mt.full(shape, value)), expected, strict=True)


def test_a_filled_array_may_be_typed_named_and_committed() -> None:
    x = mt.full((2, 3), 300, dtype="uint8", device="reference", axes="yx")
    assert (x.dtype, x.device, x.axes) == (np.uint8, "reference", "yx")
    assert (np.asarray(x) == 44).all()
    assert mt.full((2, 3), 1).axes is None


def test_a_0d_array_fills() -> None:
    x = mt.asarray(np.arange(5))
    np.testing.assert_array_equal(np.asarray(mt.full((2,), x[3] + 1)), [4, 4])
    with pytest.raises(
        ShapeError, match=r"full: the value has shape \(5,\); give a number or a 0-d"
    ):
        mt.full((2,), x)


def test_zeros_and_ones_are_float64_unless_told() -> None:
    np.testing.assert_array_equal(np.asarray(mt.zeros((2, 2))), np.zeros((2, 2)), strict=True)
    np.testing.assert_array_equal(
        np.asarray(mt.ones(3, dtype="int8")), np.ones(3, np.int8), strict=True
    )


def test_like_takes_shape_type_axes_and_device() -> None:
    x = mt.asarray(np.zeros((2, 3), np.uint16), axes="zx").to("reference")
    for made, value in ((mt.zeros_like(x), 0), (mt.ones_like(x), 1), (mt.full_like(x, 7), 7)):
        assert (made.shape, made.dtype, made.axes, made.device) == (
            (2, 3), np.uint16, "zx", "reference",
        )  # fmt: skip
        assert (np.asarray(made) == value).all()
    assert mt.full_like(np.zeros(2), 1, dtype="bool").dtype == np.bool_


def test_like_may_change_the_device() -> None:
    x = mt.asarray(np.zeros((2, 3), np.uint16), device="reference")
    for made in (mt.zeros_like(x), mt.ones_like(x), mt.empty_like(x), mt.full_like(x, 7)):
        assert made.device == "reference"
    for like in (mt.zeros_like, mt.ones_like, mt.empty_like):
        assert like(x, device="cpu").device == "cpu"
    assert mt.full_like(x, 7, device="cpu").device == "cpu"


def test_empty_arrays_have_elements() -> None:
    np.testing.assert_array_equal(np.asarray(mt.empty((2, 3))), np.zeros((2, 3)), strict=True)
    x = mt.empty(3, dtype="uint8", device="reference", axes="y")
    assert (x.dtype, x.device, x.axes) == (np.uint8, "reference", "y")
    assert mt.empty_like(x).axes == "y"
    assert mt.empty_like(x, dtype="int64").tolist() == [0, 0, 0]


def test_an_index_counts_along_an_axis() -> None:
    rows, columns = mt.index((3, 4), 0), mt.index((3, 4), -1)
    np.testing.assert_array_equal(
        np.asarray(rows * 10 + columns), np.add.outer(np.arange(3) * 10, np.arange(4)), strict=True
    )
    assert mt.index((2, 3), 0, axes="yx").axes == "yx"
    with pytest.raises(ShapeError, match="index: axis 2 is out of bounds"):
        mt.index((3, 4), 2)


@pytest.mark.parametrize(
    "arguments",
    [(5,), (2, 9), (2, 9, 3), (9, 2, -3), (3, 3), (5, 2), (0, 1, 0.25), (1.5,), (-3.0,)],
)
def test_arange_is_numpys(arguments: tuple[float, ...]) -> None:
    np.testing.assert_array_equal(
        np.asarray(mt.arange(*arguments)), np.arange(*arguments), strict=True
    )


def test_arange_may_be_committed() -> None:
    assert mt.arange(3, device="reference").device == "reference"
    assert mt.arange(1, stop=7, step=2).tolist() == [1, 3, 5]


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
@pytest.mark.parametrize("arguments", [(300,), (0.1, 5, 0.3), (0.5, 5.5, 1.5), (3, 300, 7), (7, 2)])
def test_arange_of_a_type_is_numpys(arguments: tuple[float, ...], dtype: str) -> None:
    expected = np.arange(*arguments, dtype=dtype)
    np.testing.assert_array_equal(np.asarray(mt.arange(*arguments, dtype=dtype)), expected)


@pytest.mark.parametrize("arguments", [(1e8, 1e8 + 3, 0.1), (0.1, 9, 0.1), (3, 0.5, -0.3)])
def test_arange_of_floats_goes_on_as_numpys(arguments: tuple[float, ...]) -> None:
    expected = np.arange(*arguments)
    np.testing.assert_array_equal(np.asarray(mt.arange(*arguments)), expected, strict=True)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.integers(0, 40), st.booleans(), st.booleans())
def test_linspace_is_numpys(
    start: float, stop: float, count: int, has_end: bool, is_whole: bool
) -> None:
    dtype = "int64" if is_whole else None
    found = mt.linspace(start, stop, count, endpoint=has_end, dtype=dtype)
    expected = np.linspace(start, stop, count, endpoint=has_end, dtype=dtype)
    np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


@pytest.mark.parametrize("stop", [3, 5e-324, np.inf, np.nan])
def test_linspace_of_hard_numbers_is_numpys(stop: float) -> None:
    with np.errstate(all="ignore"):
        expected = np.linspace(3 * (stop == 3), stop, 5)
    np.testing.assert_array_equal(np.asarray(mt.linspace(3 * (stop == 3), stop, 5)), expected)
    assert mt.linspace(0, 1, 3, device="reference").device == "reference"


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", range(4))
def test_grids_are_numpys(count: int, indexing: str) -> None:
    lines = [np.arange(k + 2) * 10 for k in range(count)]
    found = mt.meshgrid(*lines, indexing=indexing)
    for x, expected in zip(found, np.meshgrid(*lines, indexing=indexing), strict=True):  # type: ignore[call-overload]
        np.testing.assert_array_equal(np.asarray(x), expected, strict=True)


def test_grids_are_of_lines() -> None:
    with pytest.raises(ParameterError, match='meshgrid: indexing is \'yx\'; use "xy" or "ij"'):
        mt.meshgrid(np.arange(2), indexing="yx")
    with pytest.raises(ShapeError, match=r"meshgrid: array 1 has shape \(2, 2\); give arrays of"):
        mt.meshgrid(np.arange(2), np.zeros((2, 2)))


def test_arange_checks_its_numbers() -> None:
    assert mt.arange(3, dtype="uint8").dtype == np.uint8
    for arguments in ((1, 5, 0), (0, float("inf")), (float("nan"),)):
        with pytest.raises(ParameterError, match=r"arange: from .* in steps of .*; the step mus"):
            mt.arange(*arguments)


def test_asarray_casts_lazily_and_commits() -> None:
    array = np.array([1.5, -2.5, 300.0])
    x = mt.asarray(array, dtype="uint8", device="reference")
    assert (x.dtype, x.device, x.is_evaluated) == (np.uint8, "reference", False)
    np.testing.assert_array_equal(np.asarray(x), [1, 0, 255])
    again = mt.asarray(x)
    assert again.device == "reference"
    assert np.shares_memory(np.asarray(again), np.asarray(x))
    assert mt.asarray(x, device="cpu").device == "cpu"
    with pytest.raises(DeviceError, match="device: 'gpu' names no device"):
        mt.asarray(array, device="gpu")


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "U3", "datetime64[s]", object])
def test_types_that_muntin_lacks_are_refused(dtype: object) -> None:
    with pytest.raises(DTypeError, match="is not supported; use one of bool, uint8"):
        mt.asarray(np.zeros(2, dtype))  # type: ignore[call-overload]


def test_shapes_are_checked() -> None:
    with pytest.raises(ShapeError, match=r"full: shape \(-1,\) has a negative length"):
        mt.full(-1, 0)
    with pytest.raises(UnsupportedError, match=r"full: 2\.5 is no shape"):
        mt.full(2.5, 0)
