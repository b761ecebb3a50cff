"""DLPack both ways."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import ExchangeError, ParameterError, UnsupportedError

pytestmark = pytest.mark.usefixtures("device")


class Producer:
    """An object that has nothing but DLPack, of a device of its own."""

    def __init__(self, values: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.values, self.device = values, device
        self.asked: dict[str, object] = {}

    def __dlpack__(self, **options: object) -> object:
        self.asked = options
        if self.device != (1, 0) and options.get("dl_device") != (1, 0):
            raise BufferError("the memory is elsewhere")
        return self.values.__dlpack__(max_version=(1, 0), copy=options.get("copy"))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class Consumer:
    """What takes a capsule, and says with which options."""

    def __init__(self, source: mt.Array, **options: object) -> None:
        self.source, self.options = source, options

    def __dlpack__(self, **options: object) -> object:
        return self.source.__dlpack__(**self.options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.source.__dlpack_device__()


TYPES = ["bool", "uint8", "int8", "uint16", "int32", "uint64", "int64", "float32", "float64"]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_goes_there_and_back(dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    x = mt.where(True, mt.asarray(values), mt.asarray(values))
    there = np.from_dlpack(x)
    np.testing.assert_array_equal(there, values, strict=True)
    back = mt.from_dlpack(Producer(there))
    assert np.shares_memory(np.asarray(back), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(back), values, strict=True)


@pytest.mark.parametrize("index", [np.s_[::-1], np.s_[:, ::2], np.s_[:0], np.s_[1, 2], np.s_[None]])
def test_views_are_handed_over_in_place(index: object) -> None:
    values = np.arange(12).reshape(3, 4)
    view = values[index] if isinstance(values[index], np.ndarray) else values[1:2, 2:3]  # type: ignore[index]
    taken = np.from_dlpack(mt.asarray(view))
    np.testing.assert_array_equal(taken, view, strict=True)
    assert view.size == 0 or np.shares_memory(taken, values)


def test_a_copy_may_be_asked_for() -> None:
    values = np.arange(4)
    x = mt.asarray(values)
    copied = np.from_dlpack(Consumer(x, copy=True))
    assert not np.shares_memory(copied, values)
    assert copied.tolist() == [0, 1, 2, 3]
    for copy in (None, False):
        assert np.shares_memory(np.from_dlpack(Consumer(x, copy=copy)), values)


def test_memory_that_is_read_only_is_marked_or_copied() -> None:
    values = np.arange(4)
    values.flags.writeable = False
    x = mt.asarray(values)
    marked = np.from_dlpack(Consumer(x, max_version=(1, 0)))
    assert np.shares_memory(marked, values)
    assert not marked.flags.writeable
    copied = np.from_dlpack(Consumer(x))
    assert not np.shares_memory(copied, values)
    with pytest.raises(ExchangeError, match="dlpack: the memory cannot be handed over as it is: "):
        x.__dlpack__(copy=False)


def test_elements_are_handed_over_in_host_memory_alone() -> None:
    x = mt.asarray(np.arange(4))
    assert x.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(Consumer(x, dl_device=(1, 0))).tolist() == [0, 1, 2, 3]
    with pytest.raises(ExchangeError, match=r"dlpack: the elements are asked for on device \(2, 0"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="dlpack: stream is 1; Arrays lie in host memory"):
        x.__dlpack__(stream=1)


def test_what_is_taken_may_be_copied_and_committed() -> None:
    values = np.arange(4.0)
    assert np.shares_memory(np.asarray(mt.from_dlpack(values)), values)
    assert np.shares_memory(np.asarray(mt.from_dlpack(values, copy=False)), values)
    copied = mt.from_dlpack(values, copy=True)
    values[0] = 9
    assert copied.tolist() == [0, 1, 2, 3]
    assert mt.from_dlpack(values, device="reference").device == "reference"


def test_memory_elsewhere_is_copied_by_its_library() -> None:
    producer = Producer(np.arange(3), (2, 0))
    x = mt.from_dlpack(producer, device="cpu")
    assert producer.asked["dl_device"] == (1, 0)
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="the memory is elsewhere"):
        mt.from_dlpack(producer)


class Stubborn(Producer):
    """An object whose memory stays where it is, whatever is asked for."""

    def __dlpack__(self, **options: object) -> object:
        raise RuntimeError("no such device")


def test_what_cannot_be_taken_says_what_to_do() -> None:
    with pytest.raises(UnsupportedError, match="from_dlpack: a list has no __dlpack__; take it wi"):
        mt.from_dlpack([1, 2])
    text = "from_dlpack: the memory of a Stubborn is not in reach: no such device; give device="
    with pytest.raises(ExchangeError, match=text):
        mt.from_dlpack(Stubborn(np.zeros(2)))


# --- copies by asarray ----------------------------------------------------------------------------


def test_a_copy_does_not_see_later_writes() -> None:
    values = np.arange(3)
    x, y = mt.asarray(values, copy=True), mt.asarray(mt.asarray(values), copy=True)
    z = mt.asarray(values, copy=True, dtype="float32")
    values[:] = 9
    assert x.tolist() == y.tolist() == z.tolist() == [0, 1, 2]
    assert mt.asarray([1, 2], copy=True).tolist() == [1, 2]


def test_memory_that_can_be_read_in_place_needs_no_copy() -> None:
    values = np.arange(3)
    for source in (values, memoryview(values), mt.asarray(values), Producer(values)):
        x = mt.asarray(source, copy=False, dtype="int64")
        assert np.shares_memory(np.asarray(x), values)


@pytest.mark.parametrize("source", [[1, 2], 3, np.arange(3, dtype=">i4")], ids=str)
def test_what_needs_a_copy_is_refused_where_there_must_be_none(source: object) -> None:
    with pytest.raises(ParameterError, match="cannot be read in place, but copy is False; leave"):
        mt.asarray(source, copy=False)


def test_a_cast_is_a_copy() -> None:
    with pytest.raises(ParameterError, match="asarray: int64 becomes float32 by a copy, but copy"):
        mt.asarray(np.arange(3), dtype="float32", copy=False)
