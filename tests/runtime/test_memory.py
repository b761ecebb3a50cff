"""Blocks: aligned, used again, and alive exactly as long as someone looks at them."""

import gc
import os
import signal
import threading
import weakref
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.config import settings_override
from muntin.errors import ParameterError, ShapeError
from muntin.runtime import memory as memory_module
from muntin.runtime.memory import ALIGNMENT, PAGE, MemoryPool


@given(nbytes=st.integers(0, 1 << 20))
def test_blocks_are_aligned_and_hold_what_was_asked(nbytes):
    block = MemoryPool().allocate(nbytes)
    assert block.address % (PAGE if nbytes >= PAGE else ALIGNMENT) == 0
    assert block.nbytes == nbytes
    array = block.array((nbytes,), "uint8")
    assert array.shape == (nbytes,)
    array[:] = 7
    assert (block.array((nbytes,), "uint8") == 7).all()


@given(nbytes=st.integers(1, 1 << 40))
def test_little_is_wasted(nbytes):
    capacity = memory_module._capacity(nbytes)
    assert nbytes <= capacity <= max(nbytes + nbytes // 8 + 1, -(-nbytes // 64) * 64)
    assert capacity % 64 == 0


def test_memory_is_used_again():
    pool = MemoryPool()
    block = pool.allocate(5000)
    address = block.address
    del block
    assert pool.allocate(4900).address == address
    assert pool.stats().reuses == 1


def test_blocks_that_live_share_nothing():
    pool = MemoryPool()
    blocks = [pool.allocate(1000) for _ in range(50)]
    ends = sorted((block.address, block.address + 1000) for block in blocks)
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "float64", "complex128"])
def test_arrays_are_ordinary(dtype):
    array = MemoryPool().allocate(2 * 3 * 16).array((2, 3), dtype)
    assert type(array) is np.ndarray
    assert (array.shape, array.dtype) == ((2, 3), np.dtype(dtype))
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert not array.flags.owndata


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_arrays_without_extent_or_axes(shape):
    array = MemoryPool().allocate(8).array(shape, "float64")
    assert array.shape == shape
    array[...] = 3.0
    assert (array == 3.0).all()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a[1:],
        lambda a: a.T[::2],
        lambda a: a.view("uint8"),
        lambda a: a.reshape(-1)[5:6],
        lambda a: memoryview(a),
        lambda a: np.frombuffer(a, "uint8"),
        lambda a: np.broadcast_to(a, (2, 4, 4)),
        lambda a: np.asarray(memoryview(a)),
    ],
)
def test_the_last_view_keeps_the_block(view):
    pool = MemoryPool()
    array = pool.allocate(64).array((4, 4), "int32")
    array[:] = 5
    last = view(array)
    del array
    assert pool.stats().live == 64
    other = pool.allocate(64).array((4, 4), "int32")
    other[:] = 9
    assert (np.ascontiguousarray(last).view("uint8") != 9).all()
    del other, last
    assert pool.stats().live == 0


def test_the_pool_may_die_before_its_blocks():
    pool = MemoryPool()
    array = pool.allocate(64).array((8,), "int64")
    gone = weakref.ref(pool)
    del pool
    array[:] = 3
    assert array.sum() == 24
    del array
    assert gone() is None


def test_retained_bytes_are_bounded_and_the_stalest_class_goes_first():
    pool = MemoryPool(limit=1024)
    old, new = pool.allocate(512), pool.allocate(640)
    del old
    assert pool.stats().retained == 512
    del new
    assert pool.stats().retained == 640
    big = pool.allocate(5000)
    del big
    assert pool.stats().retained == 0


def test_a_limit_of_zero_keeps_nothing():
    pool = MemoryPool(limit=0)
    pool.allocate(10)
    assert (pool.stats().retained, pool.stats().live) == (0, 0)


def test_trim_gives_back():
    pool = MemoryPool()
    blocks = [pool.allocate(1000) for _ in range(4)]
    del blocks
    assert pool.stats().retained == 4 * 1024
    pool.trim(2048)
    assert pool.stats().retained == 2048
    pool.trim()
    assert pool.stats().retained == 0


def test_stats_tell_the_peak():
    pool = MemoryPool()
    first, second = pool.allocate(64), pool.allocate(64)
    del first
    third = pool.allocate(128)
    stats = pool.stats()
    assert (stats.live, stats.peak, stats.allocations, stats.reuses) == (192, 192, 3, 0)
    del second, third
    assert (pool.stats().live, pool.stats().peak) == (0, 192)


def test_poison_shows_what_was_never_written():
    pool = MemoryPool(poison=True)
    block = pool.allocate(100)
    block.array((100,), "uint8")[:] = 0
    del block
    assert (pool.allocate(100).array((100,), "uint8") == 0xA5).all()


def test_poison_is_a_setting():
    pool = MemoryPool()
    with settings_override(poison=True):
        assert (pool.allocate(100).array((100,), "uint8") == 0xA5).all()
    pool.allocate(100).array((100,), "uint8")[:] = 1
    with settings_override(poison=False):
        assert (pool.allocate(100).array((100,), "uint8") == 1).all()


def test_many_threads():
    pool = MemoryPool(limit=1 << 16)
    faults = []

    def work(number: int) -> None:
        kept = []
        for turn in range(400):
            array = pool.allocate(64 * (1 + (number + turn) % 20)).array((8,), "int64")
            array[:] = number
            kept.append(array)
            if len(kept) > 5:
                old = kept.pop(turn % 5)
                if (old != number).any():
                    faults.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    stats = pool.stats()
    assert stats.live == 0
    assert stats.allocations == 16 * 400
    assert stats.retained <= 1 << 16


def test_blocks_that_die_in_a_collection_come_back():
    pool = MemoryPool()
    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(1)  # collections within the pool's own work
    try:
        for _ in range(200):
            cycle: list[object] = [pool.allocate(64)]
            cycle.append(cycle)
            del cycle
            pool.stats()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert pool.stats().live == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timer")
def test_signal_handlers_may_use_the_pool():
    pool = MemoryPool()
    kept = []
    calls = []

    def handler(*_: object) -> None:
        calls.append(1)
        kept.append(pool.allocate(64))
        del kept[:-3]

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    try:
        while len(calls) < 200:
            block = pool.allocate(64)
            del block
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    kept.clear()
    assert pool.stats().live == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_uses_the_pool_while_the_parents_threads_hold_it():
    pool = MemoryPool()
    kept = pool.allocate(64).array((8,), "int64")
    kept[:] = 7
    held = threading.Event()
    release = threading.Event()

    def hold() -> None:
        with pool._lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            pool.allocate(64).array((8,), "int64")[:] = 1
            status = 0 if (kept == 7).all() and pool.stats().retained == 64 else 2
        finally:
            os._exit(status)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_memory_that_is_retained_is_given_up_before_an_allocation_fails(monkeypatch):
    pool = MemoryPool()
    pool.allocate(64)
    real = memory_module._make_pages

    def make(capacity: int) -> object:
        if pool.stats().retained:
            raise MemoryError("none left")
        return real(capacity)

    monkeypatch.setattr(memory_module, "_make_pages", make)
    assert pool.allocate(1000).nbytes == 1000


def test_no_memory_at_all(monkeypatch):
    pool = MemoryPool()

    def make(capacity: int) -> object:
        raise MemoryError("none left")

    monkeypatch.setattr(memory_module, "_make_pages", make)
    with pytest.raises(MemoryError, match="none left"):
        pool.allocate(1000)
    assert pool.stats().live == 0


def test_a_count_that_was_cut_short_is_mended():
    pool = MemoryPool()
    pool._retained = 10
    pool.trim()
    assert pool.stats().retained == 0


def test_an_array_too_large_for_its_block():
    block = MemoryPool().allocate(23)
    with pytest.raises(
        ShapeError, match=r"shape \(2, 3\) of float32 takes 24 bytes; the block has"
    ):
        block.array((2, 3), "float32")
    assert repr(block).startswith("Block(23 bytes at 0x")


def test_a_negative_extent():
    block = MemoryPool().allocate(23)
    with pytest.raises(ValueError, match="negative"):
        block.array((-2, -3), "uint8")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MemoryPool().allocate(-1), "-1 bytes were asked for; the size must be 0 or more"),
        (lambda: MemoryPool(limit=-1), "limit is -1 bytes; it must be 0 or more"),
    ],
)
def test_sizes_that_have_no_meaning(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_blocks_that_never_were_leave_no_trace(capfd):
    pool = MemoryPool()
    with pytest.raises(ParameterError):
        pool.allocate(-1)
    gc.collect()
    assert capfd.readouterr().err == ""
    assert pool.stats().live == 0
