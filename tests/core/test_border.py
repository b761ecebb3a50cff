"""Border names, constants and index maps, held against NumPy, SciPy and OpenCV."""

import math
import pickle

import numpy as np
import pytest

from muntin.core.border import Border, BorderMode, constant, index_map, map_index
from muntin.dtypes import DTYPES
from muntin.errors import BorderError, DTypeError

MODES = list(BorderMode)
HALO = 20
SIZES = range(1, 7)

NUMPY = ["constant", "edge", "reflect", "symmetric", "wrap"]
SCIPY = [
    "constant",
    "grid-constant",
    "nearest",
    "reflect",
    "grid-mirror",
    "mirror",
    "wrap",
    "grid-wrap",
]
OPENCV = ["CONSTANT", "REPLICATE", "REFLECT", "REFLECT_101", "REFLECT101", "DEFAULT", "WRAP"]


def padded(name, size):
    """Pad 0 ... size-1 through the index map, -1 for a constant."""
    return index_map(Border.of(name).mode, -HALO, size + HALO, size)


class TestIndexMap:
    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("mode", NUMPY)
    def test_agrees_with_numpy_pad(self, mode, size):
        options = {"constant_values": -1} if mode == "constant" else {}
        expected = np.pad(np.arange(size), HALO, mode=mode, **options)
        np.testing.assert_array_equal(padded(f"numpy:{mode}", size), expected)

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("mode", SCIPY)
    def test_agrees_with_scipy_filters(self, mode, size):
        ndimage = pytest.importorskip("scipy.ndimage")
        image = np.arange(size, dtype=float)
        expected = np.empty(size + 2 * HALO)
        for shift in range(-HALO, HALO + 1):
            taps = np.zeros(2 * HALO + 1)
            taps[HALO + shift] = 1
            moved = ndimage.correlate1d(image, taps, mode=mode, cval=-1)
            expected[HALO + shift : HALO + shift + size] = moved
        np.testing.assert_array_equal(padded(f"scipy:{mode}", size), expected)

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("mode", OPENCV)
    def test_agrees_with_opencv(self, mode, size):
        cv2 = pytest.importorskip("cv2")
        flag = getattr(cv2, f"BORDER_{mode}")
        image = np.arange(size, dtype=np.float32)[None]
        expected = cv2.copyMakeBorder(image, 0, 0, HALO, HALO, flag, value=-1)[0]
        for name in (f"opencv:{mode}", f"opencv:BORDER_{mode}", f"OpenCV:{mode.lower()}"):
            np.testing.assert_array_equal(padded(name, size), expected)

    @pytest.mark.parametrize("size", range(7))
    @pytest.mark.parametrize("mode", MODES)
    def test_is_map_index_of_each(self, mode, size):
        scalar = [map_index(mode, i, size) for i in range(-HALO, size + HALO)]
        vector = index_map(mode, -HALO, size + HALO, size)
        assert vector.dtype == np.int64
        assert [-1 if i is None else i for i in scalar] == vector.tolist()

    @pytest.mark.parametrize("mode", MODES)
    def test_an_empty_image_has_no_pixel(self, mode):
        assert map_index(mode, 0, 0) is None
        assert index_map(mode, -2, 3, 0).tolist() == [-1] * 5

    def test_constant_and_undefined_read_nothing_outside(self):
        for mode in (BorderMode.CONSTANT, BorderMode.UNDEFINED):
            assert index_map(mode, -2, 5, 3).tolist() == [-1, -1, 0, 1, 2, -1, -1]

    def test_an_empty_range_is_empty(self):
        assert index_map(BorderMode.WRAP, 4, 4, 3).shape == (0,)


class TestOf:
    @pytest.mark.parametrize("mode", MODES)
    def test_takes_a_border_a_mode_and_its_name(self, mode):
        border = Border(mode)
        assert Border.of(border) is border
        assert Border.of(mode) == border
        assert Border.of(mode.value) == border
        assert Border.of(mode.value.upper()) == border

    def test_same_word_of_two_libraries(self):
        assert Border.of("numpy:reflect") == Border(BorderMode.REFLECT101)
        assert Border.of("scipy:reflect") == Border(BorderMode.SYMMETRIC)
        assert Border.of("opencv:reflect") == Border(BorderMode.SYMMETRIC)

    @pytest.mark.parametrize("name", ["reflect", "mirror", "Reflect"])
    def test_refuses_the_ambiguous_and_shows_both(self, name):
        with pytest.raises(BorderError) as info:
            Border.of(name)
        assert f"border: {name!r} means opposite things in NumPy and SciPy" in str(info.value)
        for part in (
            '"reflect101" for d c b | a b c d | c b a ("numpy:reflect", "scipy:mirror")',
            '"symmetric" for d c b a | a b c d | d c b a ("numpy:symmetric", "scipy:reflect")',
        ):
            assert part in str(info.value)

    def test_refuses_the_unknown(self):
        with pytest.raises(BorderError, match="'clamp' is no border; use one of constant, repl"):
            Border.of("clamp")

    def test_shows_the_library_of_a_foreign_name(self):
        with pytest.raises(BorderError, match=r'another library write "scipy:nearest"$'):
            Border.of("nearest")
        with pytest.raises(BorderError, match=r'write "numpy:edge"$'):
            Border.of("edge")

    def test_refuses_an_unknown_library(self):
        with pytest.raises(
            BorderError, match=r"'torch:reflect' names no library .* numpy:, scipy:"
        ):
            Border.of("torch:reflect")

    def test_refuses_a_mode_that_a_library_lacks(self):
        with pytest.raises(
            BorderError, match="'numpy:mirror' is no border; of numpy there are con"
        ):
            Border.of("numpy:mirror")
        with pytest.raises(BorderError, match="of opencv there are constant"):
            Border.of("opencv:BORDER_TRANSPARENT")

    @pytest.mark.parametrize("spec", [0, None, 1.5])
    def test_refuses_other_types(self, spec):
        with pytest.raises(BorderError, match=r"is no border; .* or muntin.constant\(value\) for"):
            Border.of(spec)


class TestValue:
    def test_other_modes_have_no_value(self):
        assert Border(BorderMode.WRAP, 7) == Border(BorderMode.WRAP)
        assert Border(BorderMode.WRAP, 7).value == 0

    def test_equal_if_the_pixels_are(self):
        assert constant(1) == constant(1.0) == constant(True) == constant(np.uint8(1))
        assert hash(constant(1)) == hash(constant(1.0))
        assert constant(1) != constant(2)
        assert constant(0.0) != constant(-0.0)
        assert constant(0) != Border.of("replicate")
        assert constant(0) != 0

    def test_nan_is_itself_after_a_copy(self):
        copy = pickle.loads(pickle.dumps(constant(math.nan)))
        assert copy == constant(-math.nan)
        assert hash(copy) == hash(constant(math.nan))

    def test_text(self):
        assert str(constant(2.5)) == "constant(2.5)"
        assert str(Border.of("wrap")) == "wrap"

    @pytest.mark.parametrize("value", ["1", 1j, None, [1]])
    def test_refuses_what_is_no_number(self, value):
        with pytest.raises(BorderError, match="is not a number; give an int or a float"):
            constant(value)

    def test_is_frozen(self):
        with pytest.raises(AttributeError):
            constant(1).value = 2


class TestCheckValue:
    @pytest.mark.parametrize("row", [row for row in DTYPES.values() if not row.is_float])
    def test_whole_numbers_of_the_range(self, row):
        for value in (row.least, row.greatest):
            assert constant(value).check_value(row) == value
        for value in (row.least - 1, row.greatest + 1, 0.5, math.nan, math.inf, -0.0):
            with pytest.raises(BorderError, match=rf"does not fit a {row} image.* {row.greatest};"):
                constant(value).check_value(row)

    def test_a_whole_float_is_an_integer(self):
        value = constant(200.0).check_value("uint8")
        assert value == 200
        assert isinstance(value, int)

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_floats_take_nan_and_infinities(self, dtype):
        assert math.isnan(constant(math.nan).check_value(dtype))
        assert constant(-math.inf).check_value(dtype) == -math.inf
        assert constant(0.1).check_value(dtype) == 0.1
        assert math.copysign(1, constant(-0.0).check_value(dtype)) == -1
        assert isinstance(constant(3).check_value(dtype), float)

    @pytest.mark.parametrize(("dtype", "value"), [("float32", 1e39), ("float64", 10**400)])
    def test_floats_refuse_overflow(self, dtype, value):
        with pytest.raises(BorderError, match=f"overflows in a {dtype} image"):
            constant(value).check_value(dtype)

    def test_other_modes_fit_any_type(self):
        assert all(Border.of("replicate").check_value(row) == 0 for row in DTYPES.values())

    def test_refuses_an_unknown_type(self):
        with pytest.raises(DTypeError, match="is not supported"):
            constant(0).check_value("complex64")


def test_a_mode_may_be_a_name() -> None:
    assert Border("replicate") == Border(BorderMode.REPLICATE)  # type: ignore[arg-type]
    assert Border("scipy:reflect").mode is BorderMode.SYMMETRIC  # type: ignore[arg-type]
    assert Border("constant", 3) == constant(3)  # type: ignore[arg-type]
    with pytest.raises(BorderError, match="'sideways' is no border"):
        Border("sideways")  # type: ignore[arg-type]
