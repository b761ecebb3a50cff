"""Array: what it tells without computing, its conversions, and copies of it."""

import copy
import pickle

import numpy as np
import pytest

import muntin as mt
from muntin.errors import (
    BorderError,
    BoundsError,
    DTypeError,
    ParameterError,
    ShapeError,
    UnsupportedError,
)

pytestmark = pytest.mark.usefixtures("device")


def is_same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays are, or might as well be, the same object."""
    return a.__array_interface__ == b.__array_interface__


@pytest.fixture
def pixels() -> np.ndarray:
    return np.arange(24, dtype=np.uint8).reshape(4, 6)


def test_shape_and_type_are_known_at_once(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels) * 2.5
    assert (x.shape, x.ndim, x.size, x.nbytes) == ((4, 6), 2, 24, 192)
    assert x.dtype == np.dtype("float64")
    assert isinstance(x.dtype, np.dtype)
    assert x.axes == "yx"
    assert x.device is None
    assert len(x) == 4
    assert not x.is_evaluated


def test_repr_never_computes(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    y = x + 1
    assert repr(x) == 'Array((4, 6), uint8, axes="yx", evaluated)'
    assert repr(y) == str(y) == 'Array((4, 6), uint8, axes="yx", lazy)'
    assert not y.is_evaluated
    assert repr(y.to("reference")) == 'Array((4, 6), uint8, axes="yx", device="reference", lazy)'
    assert repr(mt.asarray(1.5)) == "Array((), float64, evaluated)"
    shrunk = x.at(1, 0, border="undefined")
    assert repr(shrunk) == 'Array((4, 6), uint8, axes="yx", valid (0, 0) to (3, 6), lazy)'


def test_an_evaluated_array_keeps_its_result_and_drops_its_graph(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    y = x + 1
    before = y._node
    assert y.eval() is y
    assert y.is_evaluated
    assert y._node is not before
    assert y._node.args == ()
    assert y.axes == "yx"
    first = np.asarray(y)
    pixels[:] = 0
    assert is_same_memory(np.asarray(y), first)
    np.testing.assert_array_equal(first, np.arange(1, 25).reshape(4, 6))


def test_inputs_are_read_when_evaluated(pixels: np.ndarray) -> None:
    y = mt.asarray(pixels) + 1
    pixels[:] = 7
    np.testing.assert_array_equal(np.asarray(y), np.full((4, 6), 8, np.uint8), strict=True)


def test_an_input_is_its_memory(pixels: np.ndarray) -> None:
    assert is_same_memory(np.asarray(mt.asarray(pixels)), pixels)
    window = pixels[::-2, 1::3]
    assert is_same_memory(np.asarray(mt.asarray(window)), window)


# --- conversions ----------------------------------------------------------------------------------


def test_0d_arrays_convert(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)[2, 3] + 1
    assert int(x) == 16
    assert float(x) == 16.0
    assert bool(x) is True
    assert bool(x == 3) is False
    assert x.item() == 16
    assert [*range(20)][x] == 16
    assert isinstance(int(x), int)
    assert int(mt.asarray(2.75)) == 2


@pytest.mark.parametrize("convert", [bool, int, float, mt.Array.item])
@pytest.mark.parametrize("shape", [(1,), (2, 3), (0,)])
def test_larger_arrays_do_not(convert: object, shape: tuple[int, ...]) -> None:
    x = mt.asarray(np.ones(shape))
    text = rf"an Array of shape \({shape[0]},.*is no single value; reduce it first"
    with pytest.raises(UnsupportedError, match=text):
        convert(x)  # type: ignore[operator]
    with pytest.raises(TypeError, match=r"call numpy\.asarray"):
        convert(x)  # type: ignore[operator]


def test_only_integers_are_indices() -> None:
    with pytest.raises(UnsupportedError, match="index: an Array of float64 is no index; cast it"):
        range(5)[mt.asarray(1.0)]
    with pytest.raises(UnsupportedError, match=r"an Array of shape \(1,\) is no index; choose"):
        range(5)[mt.asarray([1])]


def test_a_single_value_is_formatted() -> None:
    assert f"{mt.asarray(3.14159) * 2:.2f}" == "6.28"
    assert f"{mt.asarray(3)}" == "Array((), int64, evaluated)"
    with pytest.raises(UnsupportedError, match=r"format: an Array of shape .* is no single value"):
        f"{mt.asarray([1, 2]):d}"


def test_values_are_sought_among_the_elements() -> None:
    x = mt.asarray(np.arange(6).reshape(2, 3)) * 2
    assert 8 in x
    assert 7 not in x


def test_len_and_iteration_go_by_the_first_axis(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    rows = list(x)
    assert [row.axes for row in rows] == ["x"] * 4
    np.testing.assert_array_equal(np.asarray(rows[2] + 0), pixels[2])
    assert [int(value) for value in x[1]] == pixels[1].tolist()
    with pytest.raises(UnsupportedError, match="len: a 0-d Array has no length; convert it"):
        len(x[0, 0])
    with pytest.raises(TypeError, match="a 0-d Array has no length"):
        list(x[0, 0])


def test_arrays_do_not_change(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    with pytest.raises(UnsupportedError, match="setitem: an Array is a value that does not change"):
        x[0] = 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def test_numpy_takes_the_elements(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels) + 1
    result = np.asarray(x)
    assert result is np.asarray(x)
    assert np.asarray(x, copy=False) is result
    copied = np.array(x)
    assert not np.shares_memory(copied, result)
    assert np.asarray(x, np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, np.float32, copy=False)


# --- types ----------------------------------------------------------------------------------------


def test_astype_wraps_or_saturates() -> None:
    x = mt.asarray(np.array([-1, 127, 128, 300], np.int16))
    np.testing.assert_array_equal(
        np.asarray(x.astype("uint8")), np.array([255, 127, 128, 44], np.uint8), strict=True
    )
    np.testing.assert_array_equal(
        np.asarray(x.astype(np.int8, overflow="saturate")),
        np.array([-1, 127, 127, 127], np.int8),
        strict=True,
    )
    with pytest.raises(ParameterError, match='astype: overflow is \'clip\'; use "wrap" or "satur'):
        x.astype("uint8", overflow="clip")
    with pytest.raises(DTypeError, match=r"dtype: .* is not supported; use one of bool, uint8"):
        x.astype("complex64")


# --- neighbours and valid regions -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("border", "pad"),
    [
        ("replicate", {"mode": "edge"}),
        ("symmetric", {"mode": "symmetric"}),
        ("reflect101", {"mode": "reflect"}),
        ("wrap", {"mode": "wrap"}),
        (mt.constant(9), {"mode": "constant", "constant_values": 9}),
        ("scipy:nearest", {"mode": "edge"}),
    ],
)
def test_at_reads_neighbours_under_a_border(border: object, pad: dict[str, object]) -> None:
    image = np.arange(30, dtype=np.int32).reshape(5, 6)
    padded = np.pad(image, 2, **pad)  # type: ignore[call-overload]
    x = mt.asarray(image)
    for dy in (-2, 0, 1):
        for dx in (-1, 0, 2):
            expected = padded[2 + dy : 7 + dy, 2 + dx : 8 + dx]
            result = np.asarray(x.at(dy, dx, border=border))  # type: ignore[arg-type]
            np.testing.assert_array_equal(result, expected, strict=True)


def test_at_has_an_offset_a_spatial_axis() -> None:
    rgb = mt.asarray(np.arange(36).reshape(3, 4, 3))
    expected = np.asarray(rgb)[np.minimum(np.arange(3) + 1, 2)]
    np.testing.assert_array_equal(np.asarray(rgb.at(1, 0)), expected)
    with pytest.raises(
        ShapeError, match=r"at: offsets are \(1,\) .*'yxc'.* 2 spatial axes \(y, x\)"
    ):
        rgb.at(1)
    volume = mt.asarray(np.arange(24).reshape(2, 3, 4), axes="zyx")
    np.testing.assert_array_equal(np.asarray(volume.at(1, 0, 0))[0], np.asarray(volume)[1])
    with pytest.raises(ShapeError, match="the axes of the array have no names, so that y and x"):
        mt.asarray(np.zeros((1, 1, 1, 1, 1))).at(0)
    with pytest.raises(UnsupportedError, match=r"at: offset 0.5 is no integer; give an int"):
        rgb.at(0.5, 0)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="function: the value of a number argument was ask"):
        mt.function(lambda x, by: x.at(by, 0))(np.zeros((3, 4)), 1)


def test_offsets_follow_the_letters_through_a_transposition() -> None:
    image = np.arange(20).reshape(4, 5)
    x = mt.asarray(image)
    np.testing.assert_array_equal(np.asarray(x.T.at(1, -2)), np.asarray(x.at(1, -2)).T)


def test_undefined_reads_shrink_the_valid_region(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    y = x.at(1, -1, border="undefined") + x
    assert y.valid_region == mt.Box((0, 1), (3, 6))
    assert x.valid_region == mt.Box((0, 0), (4, 6))
    expected = np.zeros((4, 6), np.uint8)
    expected[:3, 1:] = pixels[1:, :-1] + pixels[:3, 1:]
    np.testing.assert_array_equal(np.asarray(y), expected)
    assert y.valid_region == mt.Box((0, 1), (3, 6))
    np.testing.assert_array_equal(np.asarray(y.valid()), expected[:3, 1:])
    out = np.full((4, 6), 255, np.uint8)
    (x.at(1, -1, border="undefined") + x).eval(out=out)
    np.testing.assert_array_equal(out[:3, 1:], expected[:3, 1:])
    assert (out[3] == 255).all()
    assert (out[:, 0] == 255).all()


def test_a_partly_valid_array_has_no_border(pixels: np.ndarray) -> None:
    y = mt.asarray(pixels).at(1, 1, border="undefined")
    with pytest.raises(BorderError, match=r"call .valid\(\) to keep that part as an image"):
        y.at(0, 1)
    again = y.at(-1, 0, border="undefined")
    assert again.valid_region == mt.Box((1, 0), (4, 5))
    inner = y.valid().at(0, 1)
    assert inner.shape == (3, 5)
    assert inner.valid_region == mt.Box((0, 0), (3, 5))


def test_a_slice_inside_the_valid_region_is_whole(pixels: np.ndarray) -> None:
    y = mt.asarray(pixels).at(1, 1, border="undefined")
    part = y[:3, 1:5]
    np.testing.assert_array_equal(np.asarray(part.at(0, 0) + 0), pixels[1:, 2:])
    assert "valid" not in repr(part)
    with pytest.raises(BorderError, match=r"view: the element taken lies outside the valid region"):
        y[3, 5]


def test_valid_of_a_whole_array_is_the_array(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    assert is_same_memory(np.asarray(x.valid()), pixels)


def test_keep_changes_no_value(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    y = (x + 1).keep()
    np.testing.assert_array_equal(np.asarray(y * 2), (pixels + 1) * 2)


# --- devices --------------------------------------------------------------------------------------


def test_a_committed_array_keeps_its_device(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels).to("reference")
    y = (x + 1)[1:].T.astype("int16")
    assert y.device == "reference"
    assert y.eval().device == "reference"
    np.testing.assert_array_equal(np.asarray(y), (pixels + 1)[1:].T)


def test_the_array_api_commits_by_another_name(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels).to_device("reference")
    assert x.device == "reference"
    with pytest.raises(ParameterError, match="to_device: stream is 3; nothing moves before an eva"):
        x.to_device("cpu", stream=3)


def test_matrices_are_transposed(pixels: np.ndarray) -> None:
    stack = np.stack([pixels, pixels + 1])
    np.testing.assert_array_equal(np.asarray(mt.asarray(stack).mT), stack.mT, strict=True)
    assert mt.asarray(pixels).mT.axes == "xy"
    with pytest.raises(ShapeError, match=r"mT: an Array of shape \(3,\); it takes two axes or mo"):
        mt.asarray([1, 2, 3]).mT  # noqa: B018 - it raises


def test_an_array_knows_its_namespace(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    assert x.__array_namespace__() is mt.xp
    assert x.__array_namespace__(api_version="2023.12") is mt.xp
    with pytest.raises(ParameterError, match=r"version '2020\.01' of the Array API is not here"):
        x.__array_namespace__(api_version="2020.01")


@pytest.mark.parametrize("bounds", [(3, 7), (None, 7), (3, None), (-5, 999), (None, None)])
def test_elements_are_held_between_bounds(bounds: tuple[object, object]) -> None:
    x = np.arange(12, dtype=np.uint8)
    found = mt.asarray(x).clip(*bounds)
    expected = x.clip(*[b if b is None else min(max(b, 0), 255) for b in bounds])  # type: ignore[call-overload]
    np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


def test_views_are_methods_too() -> None:
    x = np.arange(12, dtype=np.int32).reshape(1, 3, 1, 4)
    for call in (
        lambda x: x.squeeze(),
        lambda x: x.squeeze(2),
        lambda x: x.squeeze((0, -2)),
        lambda x: x.swapaxes(1, -1),
        lambda x: x.round(),
        lambda x: x.round(-1),
    ):
        np.testing.assert_array_equal(np.asarray(call(mt.asarray(x))), call(x), strict=True)
    assert mt.asarray(x, axes="nyxc").swapaxes(1, 2).axes == "nxyc"
    assert mt.asarray(x).itemsize == 4
    with pytest.raises(ShapeError, match=r"squeeze: axis 1 of shape \(1, 3, 1, 4\) has length 3"):
        mt.asarray(x).squeeze(1)


def test_decimals_are_numpys() -> None:
    x = np.array([2.675, -0.125, 1e10, np.nan, 0.5])
    for decimals in (-3, 0, 1, 2, 7):
        found = mt.asarray(x).round(decimals)
        np.testing.assert_array_equal(np.asarray(found), x.round(decimals), strict=True)


def test_a_copy_has_memory_of_its_own_if_it_has_any(pixels: np.ndarray) -> None:
    x, lazy = mt.asarray(pixels, axes="zx"), mt.asarray(pixels) + 1
    copied, same = x.copy(), lazy.copy()
    assert copied.axes == "zx"
    assert not same.is_evaluated
    pixels[0, 0] = 99
    assert int(copied[0, 0]) == 0
    assert int(same[0, 0]) == 100


def test_a_cast_takes_numpys_copy(pixels: np.ndarray) -> None:
    assert mt.asarray(pixels).astype("float32", copy=False).dtype == np.float32


# --- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_evaluated(duplicate: object, pixels: np.ndarray) -> None:
    x = (mt.asarray(pixels, axes="zx") + 1).at(0, 1, border="undefined").to("reference")
    y = duplicate(x)  # type: ignore[operator]
    assert x.is_evaluated
    assert y.is_evaluated
    assert y is not x
    assert (y.axes, y.device, y.valid_region) == ("zx", "reference", x.valid_region)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(x), strict=True)


def test_a_deep_copy_has_memory_of_its_own(pixels: np.ndarray) -> None:
    x = mt.asarray(pixels)
    y = copy.deepcopy(x)
    pixels[:] = 0
    assert np.asarray(y).any()


# --- zero sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0)])
def test_empty_arrays_work_everywhere(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, np.float32)
    x = mt.asarray(array)
    y = (x + 1).T[..., None] * 2
    result = np.asarray(y)
    assert result.shape == (array.T[..., None]).shape
    assert result.dtype == np.float32
    offsets = [1] * sum(letter in "zyx" for letter in x.axes or "")
    assert np.asarray(x.at(*offsets)).shape == shape


def test_bounds_are_checked_when_the_index_is_built(pixels: np.ndarray) -> None:
    with pytest.raises(BoundsError, match="index: 4 is out of bounds for axis 0 with size 4"):
        mt.asarray(pixels)[4]
