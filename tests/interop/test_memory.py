"""Memory of other objects, taken without a copy."""

import array
import mmap
from pathlib import Path

import numpy as np
import pytest

import muntin as mt
from muntin.errors import DTypeError, ShapeError, UnsupportedError
from muntin.interop.memory import as_ndarray

pytestmark = pytest.mark.usefixtures("device")


def shares(x: object, memory: np.ndarray) -> bool:
    return np.shares_memory(np.asarray(mt.asarray(x)), memory)


@pytest.mark.parametrize(
    "index", [np.s_[:], np.s_[::-1], np.s_[1::2, ::-3], np.s_[:0], np.s_[2], np.s_[..., None]]
)
def test_arrays_of_any_strides_keep_their_memory(index: object) -> None:
    base = np.arange(60, dtype=np.int16).reshape(6, 10)
    view = base[index]  # type: ignore[index]
    assert as_ndarray(view) is view
    np.testing.assert_array_equal(np.asarray(mt.asarray(view) + 1), view + 1, strict=True)
    assert base.ravel().tolist() == list(range(60))


def test_read_only_and_broadcast_arrays_keep_their_memory() -> None:
    base = np.arange(3)
    base.flags.writeable = False
    assert shares(base, base)
    stretched = np.broadcast_to(base, (4, 3))
    assert as_ndarray(stretched) is stretched
    assert np.asarray(mt.asarray(stretched) * 2).tolist() == [[0, 2, 4]] * 4


def test_memory_maps_keep_their_memory(tmp_path: Path) -> None:
    path = tmp_path / "pixels"
    np.arange(12, dtype=np.float32).tofile(path)
    mapped = np.memmap(path, np.float32, "r", shape=(3, 4))
    x = mt.asarray(mapped)
    assert type(np.asarray(x)) is np.ndarray
    assert np.shares_memory(np.asarray(x), mapped)
    np.testing.assert_array_equal(np.asarray(x + 1), np.asarray(mapped) + 1)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as plain:
        taken = mt.asarray(plain)
        assert (taken.dtype, taken.shape) == (np.uint8, (48,))
        del taken


def test_the_buffer_protocol_keeps_its_memory() -> None:
    numbers = array.array("i", [1, 2, 3])
    x = mt.asarray(numbers)
    assert x.dtype == np.int32
    numbers[0] = 7
    assert np.asarray(x).tolist() == [7, 2, 3]
    raw = bytearray(b"abc")
    x = mt.asarray(raw)
    raw[1] = 0
    assert np.asarray(x).tolist() == [97, 0, 99]
    assert np.asarray(mt.asarray(b"abc")).tolist() == [97, 98, 99]
    grid = memoryview(np.arange(6).reshape(2, 3))
    assert mt.asarray(grid).shape == (2, 3)


class Exporter:
    """An object that has nothing but DLPack."""

    def __init__(self, values: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.values = values
        self.device = device

    def __dlpack__(self, **options: object) -> object:
        if self.device != (1, 0):
            raise BufferError("the memory is elsewhere")
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_dlpack_objects_keep_their_memory() -> None:
    values = np.arange(12.0).reshape(3, 4)[:, ::2]
    x = mt.asarray(Exporter(values))
    assert np.shares_memory(np.asarray(x), values)
    np.testing.assert_array_equal(np.asarray(x), values, strict=True)


def test_dlpack_objects_elsewhere_say_what_to_do() -> None:
    text = "asarray: the memory of a Exporter cannot be read here: .*; move it to the host first"
    with pytest.raises(UnsupportedError, match=text):
        mt.asarray(Exporter(np.zeros(3), (2, 0)))


def test_other_libraries_take_results_by_dlpack() -> None:
    x = mt.asarray(np.arange(4)) + 1
    assert x.__dlpack_device__() == (1, 0)
    taken = np.from_dlpack(x)
    assert x.is_evaluated
    assert np.shares_memory(taken, np.asarray(x))
    assert taken.tolist() == [1, 2, 3, 4]


def test_other_byte_orders_and_unaligned_data_are_copied() -> None:
    swapped = np.arange(3, dtype=">i4")
    x = mt.asarray(swapped)
    assert x.dtype == np.int32
    assert x.dtype.isnative
    assert np.asarray(x + 1).tolist() == [1, 2, 3]
    bytes_ = np.zeros(25, np.uint8)
    odd = bytes_[1:].view(np.float64)
    odd[:] = [1, 2, 3]
    assert not odd.flags.aligned
    assert np.asarray(mt.asarray(odd) * 2).tolist() == [2, 4, 6]
    assert not shares(odd, bytes_)


@pytest.mark.parametrize("x", [3, 2.5, True, [[1, 2], [3, 4]], (1.5, 2), [], np.float32(1.5)])
def test_numbers_and_sequences_have_numpys_types(x: object) -> None:
    np.testing.assert_array_equal(np.asarray(mt.asarray(x)), np.asarray(x), strict=True)


def test_subclasses_become_plain_arrays() -> None:
    matrix = np.arange(4).reshape(2, 2).view(np.recarray)
    assert type(np.asarray(mt.asarray(matrix))) is np.ndarray


def test_what_holds_no_numbers_is_refused() -> None:
    with pytest.raises(
        UnsupportedError, match=r"asarray: got a masked array.*give x.filled\(value\)"
    ):
        mt.asarray(np.ma.masked_array([1, 2], [True, False]))
    with pytest.raises(
        UnsupportedError, match=r"asarray: got the text 'photo.png'; .*images.read_image\(path\)"
    ):
        mt.asarray("photo.png")
    with pytest.raises(UnsupportedError, match=r"asarray: got the path 'photo.png'; give numbers"):
        mt.asarray(Path("photo.png"))
    with pytest.raises(UnsupportedError, match="got a value of type dict, in which NumPy finds no"):
        mt.asarray({"a": 1})
    with pytest.raises(ShapeError, match=r"the sequences in a list do not make an array .*length"):
        mt.asarray([[1, 2], [3]])
    with pytest.raises(DTypeError, match=r"dtype: .*complex128.* is not supported; use one of"):
        mt.asarray(np.zeros(3, complex))
