"""Values kept in memory: each made once, whoever asks, whatever comes between."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.errors import InternalError, ParameterError
from muntin.runtime import lru as lru_module
from muntin.runtime.lru import LRU


@given(keys=st.lists(st.integers(0, 9)), capacity=st.integers(1, 6))
def test_lru_keeps_the_most_recently_used(keys, capacity):
    lru: LRU[int, int] = LRU(capacity)
    recent: list[int] = []
    made: list[int] = []
    for key in keys:
        before = len(made)

        def make(key: int = key) -> int:
            made.append(key)
            return key * 10

        assert lru.get_or_make(key, make) == key * 10
        assert made[before:] == ([] if key in recent else [key])
        recent = [*(k for k in recent if k != key), key][-capacity:]
        assert len(lru) == len(recent)
        assert all(k in lru for k in recent)


def test_lru_makes_a_value_once_for_all_who_ask():
    lru: LRU[str, object] = LRU(4)
    begun, release = threading.Event(), threading.Event()
    made = []

    def make() -> object:
        made.append(1)
        begun.set()
        release.wait()
        return object()

    with ThreadPoolExecutor(8) as executor:
        futures = [executor.submit(lru.get_or_make, "key", make) for _ in range(8)]
        begun.wait()
        assert lru.get_or_make("other", lambda: 5) == 5  # nobody waits for another key
        release.set()
        assert len({future.result() for future in futures}) == 1
    assert made == [1]


def test_lru_lets_the_next_one_make_what_failed():
    lru: LRU[str, int] = LRU(4)
    begun, release = threading.Event(), threading.Event()

    def fail() -> int:
        begun.set()
        release.wait()
        raise LookupError("no")

    with ThreadPoolExecutor(2) as executor:
        first = executor.submit(lru.get_or_make, "key", fail)
        begun.wait()
        second = executor.submit(lru.get_or_make, "key", lambda: 7)
        time.sleep(0.02)
        assert not second.done()
        release.set()
        with pytest.raises(LookupError, match="no"):
            first.result()
        assert second.result() == 7
    assert lru.get_or_make("key", lambda: 8) == 7


def test_lru_forked_meanwhile_keeps_nothing():
    lru: LRU[str, int] = LRU(4)

    def make() -> int:
        lru.reset()
        return 1

    assert lru.get_or_make("key", make) == 1
    assert "key" not in lru


@pytest.mark.parametrize("place", ["get", "set"])
def test_lru_goes_on_where_an_interrupt_came_between(monkeypatch, place):
    lru: LRU[str, int] = LRU(4)
    begun, release = threading.Event(), threading.Event()
    main = threading.get_ident()
    interrupts = [KeyboardInterrupt()]

    def interrupt() -> None:
        if interrupts and threading.get_ident() == main:
            raise interrupts.pop()

    class Making(dict[str, object]):
        def get(self, *args: object) -> object:
            if place == "get":
                interrupt()
            return super().get(*args)  # type: ignore[call-overload]

    class Event(threading.Event):
        def set(self) -> None:
            if place == "set":
                interrupt()
            super().set()

    def fail() -> int:
        begun.set()
        release.wait()
        raise LookupError("no")

    monkeypatch.setattr(lru_module, "_PATIENCE", 0.01)
    with ThreadPoolExecutor(1) as executor:
        other = executor.submit(lambda: (begun.wait(), lru.get_or_make("key", lambda: 7))[1])
        with monkeypatch.context() as patch:
            patch.setattr(lru, "_making", Making())
            patch.setattr(threading, "Event", Event)
            threading.Timer(0.05, release.set).start()
            with pytest.raises(KeyboardInterrupt):
                lru.get_or_make("key", fail)
            assert other.result(timeout=30) == 7
    assert not interrupts
    assert lru.get_or_make("key", lambda: 8) == 7


def test_lru_values_may_be_none():
    lru: LRU[str, None] = LRU(4)
    made = []
    for _ in range(2):
        assert lru.get_or_make("key", lambda: made.append(1)) is None
    assert made == [1]


def test_lru_that_waits_for_itself():
    lru: LRU[str, int] = LRU(4)
    with pytest.raises(InternalError, match="making the value of 'key' asks for that value itself"):
        lru.get_or_make("key", lambda: lru.get_or_make("key", lambda: 1))
    assert lru.get_or_make("key", lambda: 2) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_lru_in_a_child_waits_for_no_thread_of_the_parent():
    lru: LRU[str, int] = LRU(4)
    lru.get_or_make("there", lambda: 1)
    begun, release = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        release.wait()
        return 2

    thread = threading.Thread(target=lru.get_or_make, args=("key", make))
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            values = lru.get_or_make("there", lambda: 0), lru.get_or_make("key", lambda: 3)
            status = 0 if values == (1, 3) else 2
        finally:
            os._exit(status)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    assert lru.get_or_make("key", lambda: 0) == 2


def test_lru_of_no_capacity():
    with pytest.raises(ParameterError, match="LRU: capacity is 0 values; it must be 1 or more"):
        LRU(0)
