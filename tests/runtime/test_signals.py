"""Work that no signal handler cuts short, in whatever thread it is asked for."""

import os
import signal
import threading

import pytest

from muntin.config import settings, settings_override
from muntin.runtime.signals import undisturbed


@undisturbed
def where() -> tuple[threading.Thread, int]:
    """Return the thread at work, and a setting."""
    return threading.current_thread(), settings().opt_level


def test_the_main_thread_waits_for_another():
    with settings_override(opt_level=1):
        thread, level = where()
    assert thread is not threading.main_thread()
    assert level == 1
    assert where.__doc__ == "Return the thread at work, and a setting."


def test_other_threads_do_it_themselves():
    found = []
    thread = threading.Thread(target=lambda: found.append(where()[0]))
    thread.start()
    thread.join()
    assert found == [thread]


def test_what_is_raised_arrives():
    @undisturbed
    def fail(word: str, *, more: str) -> None:
        raise LookupError(word + more)

    with pytest.raises(LookupError, match="no way"):
        fail("no ", more="way")


def test_without_another_thread_the_main_one_does_it(monkeypatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert where()[0] is threading.main_thread()


@pytest.mark.skipif(os.name != "posix", reason="os.kill sends no signal on this platform")
def test_an_interrupt_is_seen_at_once_and_the_work_goes_on():
    leave, done = threading.Event(), threading.Event()

    @undisturbed
    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        leave.wait(60)
        done.set()

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not done.is_set()
    leave.set()
    assert done.wait(60)
