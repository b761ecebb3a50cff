"""Buffers know whether muntin has written their memory."""

import threading

import numpy as np
import pytest

from muntin.dtypes import DTYPES
from muntin.errors import StaleInputError
from muntin.runtime.buffer import Buffer, WriteLog, note_write, share_memory

STALE = (
    r"eval: an input, uint8 \(4, 6\), was written by a later evaluation with out= after the "
    r"expression took it; evaluate the expression before that write"
)


def test_a_buffer_says_where_its_memory_lies() -> None:
    array = np.zeros((4, 6), np.uint8)[::-1, ::2]
    buffer = Buffer(array)
    assert buffer.array is array
    assert (buffer.shape, buffer.strides) == ((4, 3), (-6, 2))
    assert buffer.dtype is DTYPES["uint8"]
    assert buffer.address == array.__array_interface__["data"][0]
    assert repr(buffer) == "Buffer(uint8, (4, 3), strides (-6, 2))"


def test_a_write_makes_older_buffers_stale_and_no_newer_ones() -> None:
    array = np.zeros((4, 6), np.uint8)
    before = Buffer(array)
    before.check_version()
    note_write(array)
    with pytest.raises(StaleInputError, match=STALE):
        before.check_version()
    with pytest.raises(StaleInputError, match=STALE):
        before.check_version()
    Buffer(array).check_version()


@pytest.mark.parametrize(
    ("read", "written", "is_stale"),
    [
        (np.s_[:, :3], np.s_[:, 3:], False),  # side by side: the ranges of bytes overlap
        (np.s_[:, :3], np.s_[:, 2:], True),
        (np.s_[::2], np.s_[1::2], False),
        (np.s_[::2], np.s_[2:3], True),
        (np.s_[:2], np.s_[2:], False),
        (np.s_[::-1, ::-1], np.s_[3, 5:], True),
        (np.s_[:0], np.s_[:], False),
        (np.s_[:], np.s_[:0], False),
    ],
)
def test_only_a_shared_byte_counts(read: object, written: object, is_stale: bool) -> None:
    array = np.zeros((4, 6), np.uint8)
    buffer = Buffer(array[read])  # type: ignore[index]
    note_write(array[written])  # type: ignore[index]
    if is_stale:
        with pytest.raises(StaleInputError, match="evaluate the expression before that write"):
            buffer.check_version()
    else:
        buffer.check_version()


def test_a_write_through_other_objects_over_the_same_memory_counts() -> None:
    memory = bytearray(24)
    buffer = Buffer(np.frombuffer(memory, np.uint8).reshape(4, 6))
    note_write(np.frombuffer(memory, np.uint8))
    with pytest.raises(StaleInputError, match=STALE):
        buffer.check_version()


def test_a_long_log_is_told_to_all_buffers_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muntin.runtime.buffer._KEPT_WRITES", 8)
    monkeypatch.setattr("muntin.runtime.buffer._log", WriteLog())
    from muntin.runtime import buffer as module

    memory = np.zeros((25, 4))
    before = [Buffer(memory[0]), Buffer(memory[15]), Buffer(memory[3::2, ::2]), Buffer(memory[:0])]
    for number in range(1, 25):  # each beside the others
        module.note_write(memory[number, 1:])
        assert len(module._log._writes) <= 8
    after = Buffer(memory[15])
    stale = []
    for buffer in (*before, after):
        try:
            buffer.check_version()
        except StaleInputError:
            stale.append(buffer)
    assert stale == before[1:3]
    module.note_write(memory[15])
    with pytest.raises(StaleInputError, match="was written by a later evaluation"):
        after.check_version()


def test_a_long_log_spares_what_lies_between_the_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muntin.runtime.buffer._KEPT_WRITES", 2)
    monkeypatch.setattr("muntin.runtime.buffer._log", WriteLog())
    from muntin.runtime import buffer as module

    memory = np.zeros((9, 8))
    spared = Buffer(memory[:, 1::2])
    for number in range(9):
        module.note_write(memory[number, ::2])
    spared.check_version()
    assert not spared.is_stale


def test_a_forked_child_does_not_wait_for_threads_of_its_parent() -> None:
    log = WriteLog()
    thread = threading.Thread(target=log._lock.acquire)  # and ends without a release
    thread.start()
    thread.join()
    assert not log._lock.acquire(blocking=False)
    log.reset()
    log.note(np.zeros(3))
    assert log.serial == 1


def test_interleaved_memory_that_is_too_hard_to_tell_apart_counts_as_shared() -> None:
    base = np.zeros(1 << 16, np.uint8)
    shape = (5, 7, 11, 13)
    a = np.lib.stride_tricks.as_strided(base, shape, (977, 631, 401, 211))
    b = np.lib.stride_tricks.as_strided(base[1:], shape, (983, 641, 409, 223))
    assert share_memory(a, b)
    assert not share_memory(base[:10], base[10:])
