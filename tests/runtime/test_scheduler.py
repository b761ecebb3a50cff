"""Every piece exactly once: whoever asks, how many at a time, and whatever comes between."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.config import settings_override
from muntin.errors import ParameterError
from muntin.runtime import scheduler as scheduler_module
from muntin.runtime.cpu import optimised_ir
from muntin.runtime.launch import Launch, Scheduler
from muntin.runtime.memory import MemoryPool
from muntin.runtime.pieces import loop_text
from muntin.runtime.scheduler import CPUScheduler, SingleThreadScheduler, ThreadsScheduler
from muntin.runtime.threads import HAS_NATIVE_POOL, NativePool, native_pull, usable_threads
from tests.runtime.kernels import COUNT, SCRATCH, SPIN, native

SCHEDULERS: list[Scheduler] = [
    SingleThreadScheduler(),
    CPUScheduler(1),
    CPUScheduler(2),
    CPUScheduler(5),
    ThreadsScheduler(2),
    ThreadsScheduler(5),
]
every_scheduler = pytest.mark.parametrize("scheduler", SCHEDULERS, ids=repr)
native_pool = pytest.mark.skipif(not HAS_NATIVE_POOL, reason="the platform has no native pool")
kills = pytest.mark.skipif(os.name != "posix", reason="os.kill sends no signal on this platform")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")


class Counting:
    """A launch of COUNT over cells of its own."""

    def __init__(
        self, extent: tuple[int, int, int], grain: tuple[int, int, int], threads: int = 0
    ) -> None:
        self.cells = np.zeros(extent, np.int32)
        self.pieces = np.zeros(1, np.int64)
        strides = (stride // 4 for stride in self.cells.strides[:2])
        self.args = np.array([self.cells.ctypes.data, *strides, self.pieces.ctypes.data], np.int64)
        entry = native(COUNT).address("count")
        self.launch = Launch(entry, self.args.ctypes.data, extent, grain, threads=threads)

    def check(self, times: int = 1) -> None:
        assert (self.cells == times).all()
        assert self.pieces[0] == times * np.prod(self.launch.counts())


class Spinning:
    """A launch of SPIN: pieces that take a while."""

    def __init__(self, pieces: int, rounds: int) -> None:
        self.pieces = np.zeros(1, np.int64)
        self.args = np.array([rounds, self.pieces.ctypes.data], np.int64)
        entry = native(SPIN).address("spin")
        self.launch = Launch(entry, self.args.ctypes.data, (1, pieces, 1), (1, 1, 1))


extents = st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 30))
grains = st.tuples(st.integers(1, 5), st.integers(1, 31), st.integers(1, 31))


@every_scheduler
@given(extent=extents, grain=grains, threads=st.integers(0, 9))
def test_every_cell_and_piece_once(scheduler, extent, grain, threads):
    job = Counting(extent, grain, threads)
    scheduler.launch(job.launch)
    job.check()


@every_scheduler
def test_again_and_again(scheduler):
    job = Counting((2, 7, 3), (1, 2, 2))
    for _ in range(500):
        scheduler.launch(job.launch)
    job.check(500)


@every_scheduler
def test_a_grain_beyond_all_numbers(scheduler):
    job = Counting((1, 3, 5), (2**63 - 1, 1, 2**63 - 1))
    scheduler.launch(job.launch)
    assert job.launch.counts() == (1, 3, 1)
    job.check()


@every_scheduler
def test_schedulers_follow_the_protocol(scheduler):
    assert isinstance(scheduler, Scheduler)
    assert scheduler.threads >= 1


@every_scheduler
def test_pieces_run_in_order_where_one_thread_runs_them(scheduler):
    if scheduler.threads > 1:
        pytest.skip("several threads have no order")
    seen = []
    kernel = _callback(lambda *box: seen.append(box))
    scheduler.launch(Launch(_address(kernel), 0, (2, 3, 5), (1, 2, 3)))
    assert seen == [
        (o, o + 1, y, min(y + 2, 3), x, min(x + 3, 5))
        for o in (0, 1)
        for y in (0, 2)
        for x in (0, 3)
    ]


@every_scheduler
def test_scratch_is_private_and_aligned(scheduler):
    words = 33
    faults = np.zeros(1, np.int64)
    args = np.array([words, faults.ctypes.data], np.int64)
    entry = native(SCRATCH).address("scratch")
    launch = Launch(entry, args.ctypes.data, (1, 200, 1), (1, 1, 1), scratch_bytes=words * 8)
    scheduler.launch(launch)
    assert faults[0] == 0


@every_scheduler
def test_sixteen_threads_at_once(scheduler):
    jobs = [Counting((1, 5 + i, 4), (1, 1, 2)) for i in range(16)]
    start = threading.Barrier(16)

    def run(job: Counting) -> None:
        start.wait()
        for _ in range(100):
            scheduler.launch(job.launch)

    with ThreadPoolExecutor(16) as executor:
        list(executor.map(run, jobs))
    for job in jobs:
        job.check(100)


@every_scheduler
def test_launches_nest(scheduler):
    inner = [Counting((1, 6, 2), (1, 1, 1)) for _ in range(8)]
    kernel = _callback(lambda o0, o1, y0, y1, x0, x1: scheduler.launch(inner[y0].launch))
    scheduler.launch(Launch(_address(kernel), 0, (1, 8, 1), (1, 1, 1)))
    for job in inner:
        job.check()


@every_scheduler
@forks
def test_a_child_launches_while_its_parent_does(scheduler):
    stop = threading.Event()
    background = Counting((1, 40, 2), (1, 1, 1))
    rounds = []

    def launch_on() -> None:
        while not stop.is_set():
            scheduler.launch(background.launch)
            rounds.append(1)

    scheduler.launch(Counting((1, 2, 1), (1, 1, 1)).launch)
    thread = threading.Thread(target=launch_on)
    thread.start()
    try:
        for _ in range(5):
            assert _in_child(lambda: _counts_right(scheduler))
    finally:
        stop.set()
        thread.join()
    background.check(len(rounds))
    assert _counts_right(scheduler)


@every_scheduler
@kills
def test_an_interrupt_cuts_a_long_launch_short(scheduler):
    job = Spinning(1_000_000, 300_000)
    assert _counts_right(scheduler)  # its threads and their code are there
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        scheduler.launch(job.launch)
    ended = time.monotonic()
    timer.join()
    done = int(job.pieces[0])
    time.sleep(0.05)
    assert 0 < done < 1_000_000
    assert job.pieces[0] == done, "a helper is still at work"
    assert time.monotonic() - ended < 5
    assert _counts_right(scheduler)


@every_scheduler
def test_signal_handlers_run_during_a_launch(scheduler):
    if not hasattr(signal, "setitimer"):
        pytest.skip("the platform has no interval timer")
    job = Spinning(6000, 300_000)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(int(job.pieces[0])))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        scheduler.launch(job.launch)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert job.pieces[0] == 6000
    assert seen
    assert seen[0] < 6000


@every_scheduler
def test_no_scratch_no_launch(scheduler):
    job = Counting((1, 4, 4), (1, 1, 1))
    launch = Launch(job.launch.entry, job.launch.args, job.launch.extent, job.launch.grain, 1 << 60)
    with pytest.raises(MemoryError):
        scheduler.launch(launch)
    assert not job.cells.any()
    scheduler.launch(job.launch)
    job.check()


def test_what_a_helper_raises_is_not_lost(monkeypatch):
    main = threading.get_ident()
    real = scheduler_module.native_pull()
    begun = threading.Event()

    def pull(job: int, scratch: int, budget: int) -> int:
        if threading.get_ident() != main:
            begun.set()
            raise LookupError("the helper's fault")
        begun.wait()
        return real(job, scratch, budget)

    scheduler = ThreadsScheduler(2)
    job = Counting((1, 4, 4), (1, 1, 1))
    with monkeypatch.context() as patch:
        patch.setattr(scheduler_module, "native_pull", lambda: pull)
        with pytest.raises(LookupError, match="the helper's fault"):
            scheduler.launch(job.launch)
    assert _counts_right(scheduler)


def test_an_interrupt_while_a_thread_starts_leaves_none_behind(monkeypatch):
    scheduler = ThreadsScheduler(2)
    start, started = threading.Thread.start, []

    def cut(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", cut)
        with pytest.raises(KeyboardInterrupt):
            scheduler.launch(Counting((4, 4, 4), (1, 1, 1)).launch)
    for thread in started:
        thread.join(10)
    assert [thread.is_alive() for thread in started] == [False]
    assert _counts_right(scheduler)


@kills
def test_a_launch_that_is_interrupted_waits_for_its_helpers():
    gate = scheduler_module._Gate()
    inside, leave = threading.Event(), threading.Event()
    left = []

    def work() -> None:
        inside.set()
        leave.wait()
        left.append(1)

    def handler(*_: object) -> None:
        if len(interrupts) == 2:
            leave.set()
        interrupts.append(1)
        raise KeyboardInterrupt

    interrupts: list[int] = []
    thread = threading.Thread(target=gate.enter, args=(work,))
    thread.start()
    inside.wait()
    before = signal.signal(signal.SIGINT, handler)
    signals = threading.Thread(target=_interrupt, args=(interrupts, 3))
    try:
        signals.start()
        with pytest.raises(KeyboardInterrupt):
            gate.close()
        assert left == [1]
        assert len(interrupts) == 3
    finally:
        signal.signal(signal.SIGINT, before)
        signals.join()
        thread.join()
    gate.enter(work)
    assert left == [1], "a closed gate lets nobody in"


def _interrupt(seen: list[int], times: int) -> None:
    for sent in range(times):
        while len(seen) < sent:
            time.sleep(0.001)
        time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)


def test_native_functions_keep_their_code():
    pull = native_pull.__wrapped__()
    assert pull.keeps.address("pull") == ctypes.cast(pull, ctypes.c_void_p).value


@pytest.mark.parametrize("kind", [CPUScheduler, ThreadsScheduler])
def test_without_more_threads_the_caller_does_it(kind, monkeypatch):
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    scheduler = kind(3, pool=NativePool()) if kind is CPUScheduler else kind(3)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        assert _counts_right(scheduler)
    assert _counts_right(scheduler)


def test_scratch_goes_back_to_the_memory_pool():
    memory = MemoryPool()
    scheduler = CPUScheduler(2, memory)
    job = Counting((1, 4, 4), (1, 1, 1))
    for _ in range(10):
        scheduler.launch(
            Launch(job.launch.entry, job.launch.args, (1, 4, 4), (1, 1, 1), scratch_bytes=1000)
        )
    assert memory.stats().live == 0
    assert memory.stats().peak == 2048
    assert memory.stats().reuses == 9


def test_the_number_of_threads_is_the_settings_or_the_machines():
    with settings_override(threads=3):
        assert CPUScheduler().threads == ThreadsScheduler().threads == 3
        assert CPUScheduler(2).threads == 2
    with settings_override(threads=0):
        assert CPUScheduler().threads == usable_threads()
    assert repr(CPUScheduler(2)) == "CPUScheduler(2)"
    assert repr(SingleThreadScheduler()) == "SingleThreadScheduler()"


@pytest.mark.parametrize("kind", [CPUScheduler, ThreadsScheduler])
def test_a_negative_number_of_threads(kind):
    with pytest.raises(ParameterError, match=rf"{kind.__name__}: threads is -1; it must be 1 or"):
        kind(-1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"grain": (1, 0, 1)},
        {"extent": (1, -1, 1)},
        {"scratch_bytes": -1},
        {"threads": -1},
    ],
)
@every_scheduler
def test_launches_that_have_no_meaning(scheduler, wrong):
    told = {"entry": 0, "args": 0, "extent": (1, 1, 1), "grain": (1, 1, 1)} | wrong
    with pytest.raises(ParameterError, match=r"launch: extent is .* a grain must be 1 or more"):
        scheduler.launch(Launch(**told))


@every_scheduler
def test_more_pieces_than_can_be_counted(scheduler):
    launch = Launch(0, 0, (1 << 31, 1 << 31, 2), (1, 1, 1))
    with pytest.raises(ParameterError, match=r"launch: extent .* 2\*\*62 are the most in all"):
        scheduler.launch(launch)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_loop_is_sound_text_for_every_platform(platform):
    clock = "GetTickCount64" if platform == "win32" else "clock_gettime"
    text = optimised_ir(loop_text(platform))
    assert clock in text
    assert "atomicrmw add" in text


@native_pool
def test_workers_end_with_their_pool():
    pool = NativePool()
    assert pool.ready(3) == 3
    before = {thread for thread in threading.enumerate() if thread.name.startswith("muntin-")}
    scheduler = CPUScheduler(4, pool=pool)
    assert _counts_right(scheduler)
    del scheduler, pool
    after = {thread for thread in threading.enumerate() if thread.name.startswith("muntin-")}
    assert len(before - after) == 3


@native_pool
def test_pools_of_many_threads_wake_all_of_them():
    scheduler = CPUScheduler(24, pool=NativePool())
    together = threading.Barrier(24)
    kernel = _callback(lambda *box: together.wait(30))
    scheduler.launch(Launch(_address(kernel), 0, (1, 24, 1), (1, 1, 1)))
    assert not together.broken


def test_a_process_ends_with_its_threads_parked_and_after_late_launches():
    code = (
        "import atexit\n"
        "from tests.runtime.test_scheduler import CPUScheduler, ThreadsScheduler, _counts_right\n"
        "for kind in (CPUScheduler, ThreadsScheduler):\n"
        "    scheduler = kind(3)\n"
        "    assert _counts_right(scheduler)\n"
        "    atexit.register(lambda s=scheduler: print('late', _counts_right(s)))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "late True\nlate True\n", "")


def test_threads_by_affinity():
    assert 1 <= usable_threads() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("files", "threads"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n"}, 1),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/cpu.max": "100000 100000\n"}, 1),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, None),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "900000 100000\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/unified/cpu.max": "1 100000\n"}, 1),
        (
            {
                "proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/x\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "100000\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
            },
            1,
        ),
        (
            {
                "proc/self/cgroup": "1:cpu:/of/the/host\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "rubbish\n"}, None),
        ({}, None),
    ],
)
def test_threads_by_control_group(tmp_path, monkeypatch, files, threads):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name, result in (("process_cpu_count", 4), ("cpu_count", 4)):
        monkeypatch.setattr(os, name, lambda result=result: result, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4), raising=False)
    assert usable_threads(tmp_path) == (threads or 4)


def test_half_a_cpu_more_is_a_thread_more(tmp_path, monkeypatch):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/\n")
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/cpu.max").write_text("250000 100000\n")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 8, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert usable_threads(tmp_path) == 3


_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *(ctypes.c_int64,) * 6, ctypes.c_void_p)


def _callback(function: Callable[..., object]) -> object:
    return _KERNEL(lambda args, o0, o1, y0, y1, x0, x1, scratch: function(o0, o1, y0, y1, x0, x1))


def _address(kernel: object) -> int:
    return ctypes.cast(kernel, ctypes.c_void_p).value or 0


def _counts_right(scheduler: Scheduler) -> bool:
    job = Counting((2, 30, 4), (1, 1, 3))
    scheduler.launch(job.launch)
    job.check()
    return True


def _in_child(check: Callable[[], bool]) -> bool:
    """Fork, and return whether the check holds in the child within half a minute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with several threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if check() else 1
        finally:
            os._exit(status)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status == 0
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
