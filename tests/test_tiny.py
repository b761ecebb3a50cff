"""The product in sixty lines: lazy NumPy expressions, neighbours, and one pass over the data."""

import numpy as np
import pytest

import muntin as mt


def smooth(image: mt.Array) -> mt.Array:
    """Return each pixel's mean with its four neighbours."""
    cross = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
    total = mt.zeros(image.shape, dtype="uint16")
    for dy, dx in cross:
        total = total + image.at(dy, dx, border="reflect101")
    return (total // 5).astype("uint8")


@pytest.fixture
def frame() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (45, 67), dtype=np.uint8)


def naive(frame: np.ndarray) -> np.ndarray:
    p = np.pad(frame, 1, mode="reflect").astype(np.uint16)
    total = p[:-2, 1:-1] + p[1:-1, :-2] + p[1:-1, 1:-1] + p[1:-1, 2:] + p[2:, 1:-1]
    return (total // 5).astype(np.uint8)


@pytest.mark.parametrize("device", ["reference", "cpu"])
def test_the_product(device: str, frame: np.ndarray) -> None:
    with mt.use(device):
        image = mt.asarray(frame)  # no copy
        edges = abs(smooth(image).astype("int16") - image) > 40  # nothing has run
        assert repr(edges) == 'Array((45, 67), bool, axes="yx", lazy)'
        expected = abs(naive(frame).astype(np.int16) - frame) > 40
        np.testing.assert_array_equal(np.asarray(edges), expected)

        # A filter runs over the real pixels around a slice, and treats a slice as an image.
        np.testing.assert_array_equal(smooth(image)[10:20, ::-2], naive(frame)[10:20, ::-2])
        np.testing.assert_array_equal(smooth(image[3:9, 5:50]), naive(frame[3:9, 5:50]))

        # Several results take one pass, into memory of one's own.
        dark, bright = np.empty((45, 67), bool), np.empty((45, 67), np.uint8)
        mt.eval(image < 50, mt.clip(image, 100, 200), out=(dark, bright))
        np.testing.assert_array_equal(dark, frame < 50)
        np.testing.assert_array_equal(bright, frame.clip(100, 200))

        # A function is traced once: other frames and numbers compile nothing.
        sharpen = mt.function(lambda x, k: mt.clip(x + k * (x - smooth(x).astype("int32")), 0, 255))
        for k in (1, 3):
            wide = frame.astype(np.int32)
            expected = np.clip(wide + k * (wide - naive(frame)), 0, 255)
            np.testing.assert_array_equal(sharpen(wide, k), expected)

        # A read without a border shrinks the region that is valid, and it is known before.
        shifted = image.at(2, 0, border="undefined")
        assert shifted.valid_region == mt.Box((0, 0), (43, 67))
        np.testing.assert_array_equal(shifted.valid(), frame[2:])
