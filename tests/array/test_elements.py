"""What asks an Array for its elements: Python's conversions, copies, buffers and notebooks."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

import muntin as mt
from muntin.errors import ExchangeError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")


def test_elements_become_lists() -> None:
    x = mt.asarray(np.arange(6, dtype=np.uint8).reshape(2, 3)) + 1
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert all(type(number) is int for number in x.tolist()[0])
    assert mt.asarray(2.5).tolist() == 2.5
    assert mt.zeros((0, 3)).tolist() == []
    assert mt.zeros((2, 0)).tolist() == [[], []]


def test_a_single_value_is_a_complex_number() -> None:
    assert complex(mt.asarray(2.5) * 2) == 5 + 0j
    with pytest.raises(UnsupportedError, match=r"complex: an Array of shape \(2,\) is no single"):
        complex(mt.asarray([1, 2]))


def test_lists_are_not_made_while_a_function_is_traced() -> None:
    f = mt.function(lambda x: x + x.tolist()[0])
    with pytest.raises(UnsupportedError, match="tolist: a value was asked for while"):
        f(np.arange(3))


def test_elements_become_bytes() -> None:
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert (mt.asarray(x).T + 0).tobytes() == x.T.tobytes()
    assert mt.asarray(x)[:, ::-1].tobytes() == x[:, ::-1].tobytes()


# --- buffers --------------------------------------------------------------------------------------


def test_elements_that_are_there_are_a_buffer() -> None:
    pixels = np.arange(12, dtype=np.int16).reshape(3, 4)
    x = mt.asarray(pixels[:, ::2])
    view = x.__buffer__(0)
    assert (view.shape, view.strides, view.format) == ((3, 2), (8, 4), "h")
    pixels[0, 0] = 99
    assert view[0, 0] == 99
    y = (x + 1).eval()
    assert np.shares_memory(np.asarray(y.__buffer__(0)), np.asarray(y))
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert mt.asarray(frozen).__buffer__(0).readonly


def test_an_expression_is_no_buffer() -> None:
    x = mt.asarray([1, 2]) + 1
    with pytest.raises(ExchangeError, match=r"memoryview: .* no memory yet; call \.eval\(\) first"):
        x.__buffer__(0)
    assert not x.is_evaluated
    assert np.asarray(x).tolist() == [2, 3]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have no buffers before Python 3.12")
def test_python_takes_buffers() -> None:
    x = (mt.asarray(np.arange(4, dtype=np.uint8)) + 1).eval()
    assert bytes(x) == bytes([1, 2, 3, 4])  # type: ignore[call-overload]
    assert memoryview(x).tolist() == [1, 2, 3, 4]  # type: ignore[arg-type]
    assert np.shares_memory(np.asarray(x), np.frombuffer(x, np.uint8))  # type: ignore[call-overload]


# --- pictures -------------------------------------------------------------------------------------


def shown(x: mt.Array) -> np.ndarray:
    data = x._repr_png_()
    assert data is not None
    return np.asarray(Image.open(io.BytesIO(data)))


GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20


@pytest.mark.parametrize(
    ("array", "picture"),
    [
        (GREY, GREY),
        (GREY[::-1, ::2], GREY[::-1, ::2]),
        (GREY > 100, (GREY > 100) * np.uint8(255)),
        (np.stack([GREY] * 3, -1), np.stack([GREY] * 3, -1)),
        (np.stack([GREY] * 4, -1), np.stack([GREY] * 4, -1)),
        (np.stack([GREY] * 2, -1), np.stack([GREY] * 2, -1)),
        (GREY[..., None], GREY),
        (GREY / 255, GREY),
        ((GREY / 255).astype(np.float32), GREY),
        (np.array([[0.0, 1.0]]), np.array([[0, 255]], np.uint8)),
    ],
)
def test_images_that_are_there_are_shown(array: np.ndarray, picture: np.ndarray) -> None:
    np.testing.assert_array_equal(shown(mt.asarray(array)), picture, strict=True)
    computed = mt.where(True, mt.asarray(array), mt.asarray(array)).eval()
    np.testing.assert_array_equal(shown(computed), picture, strict=True)


@pytest.mark.parametrize(
    "array",
    [
        GREY.astype(np.int16),
        GREY / 219,
        -(GREY / 255),
        np.array([[0.5, np.nan]]),
        GREY[0],
        np.uint8(3),
        GREY[:0],
        np.stack([GREY] * 5, -1),
        np.zeros((2, 3, 4, 3), np.uint8),
    ],
    ids=str,
)
def test_other_arrays_are_not_shown(array: np.ndarray) -> None:
    x = mt.asarray(array)
    assert x._repr_png_() is None
    assert x._repr_html_() is None


def test_axes_say_what_is_an_image() -> None:
    stack = np.stack([GREY] * 3, -1)
    assert mt.asarray(stack, axes="zyx")._repr_png_() is None
    assert mt.asarray(GREY, axes="yc")._repr_png_() is None
    np.testing.assert_array_equal(shown(mt.asarray(GREY, axes="zx")), GREY)


def test_nothing_is_computed_to_be_shown() -> None:
    x = mt.asarray(GREY) + 1
    assert x._repr_png_() is None
    assert x._repr_html_() is None
    assert not x.is_evaluated


def test_an_image_that_was_written_over_is_not_shown() -> None:
    pixels = GREY.copy()
    x = mt.asarray(pixels)
    mt.eval(mt.asarray(GREY) + 1, out=pixels)
    assert x._repr_png_() is None


def test_large_images_are_shown_small() -> None:
    wide = np.zeros((10, 5000), np.uint8)
    wide[:, ::5] = 200
    assert shown(mt.asarray(wide)).shape == (2, 1000)
    assert (shown(mt.asarray(wide)) == 200).all()


def test_notebooks_get_a_line_below_the_image() -> None:
    text = mt.asarray(GREY)._repr_html_()
    assert text is not None
    assert text.startswith('<figure><img src="data:image/png;base64,iVBOR')
    assert "<code>Array((3, 4), uint8, axes=&quot;yx&quot;, evaluated)</code>" in text
