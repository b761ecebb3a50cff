"""Any number of threads, equal and different expressions: every answer is the reference's."""

import ctypes
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest

import muntin as mt
from muntin.runtime.context import context
from muntin.runtime.launch import Launch
from muntin.runtime.native import NativeDevice
from muntin.runtime.scheduler import CPUScheduler, SingleThreadScheduler, ThreadsScheduler
from tests.concurrency.work import Crowd, Job, make_jobs

THREADS = 16


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    return make_jobs()


def test_sixteen_threads(jobs):
    Crowd(jobs).run(THREADS, 2)


@pytest.mark.parametrize(
    "scheduler", [CPUScheduler(2), ThreadsScheduler(2), SingleThreadScheduler()], ids=repr
)
def test_a_scheduler_of_ones_own(jobs, scheduler):
    Crowd(jobs, scheduler=scheduler).run(THREADS, 0.4)


def test_kernels_are_dropped_while_others_run_them(jobs):
    small = [job for job in jobs if job.image.size < 4000]
    Crowd(small, device=NativeDevice(capacity=2)).run(THREADS, 1)


@pytest.mark.slow
def test_sixteen_threads_for_a_minute(jobs):
    Crowd(jobs).run(THREADS, 40)
    Crowd(jobs, device=NativeDevice(capacity=3)).run(THREADS, 20)


def test_evaluations_while_the_pool_is_busy(jobs):
    """The pool's workers, and their caller, wait in a launch until the others are done."""
    inside, leave = threading.Barrier(3), threading.Event()

    def wait(*_: int) -> None:
        inside.wait(60)
        leave.wait(60)

    signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 6, ctypes.c_void_p)
    kernel = signature(wait)
    entry = ctypes.cast(kernel, ctypes.c_void_p).value or 0
    launch = Launch(entry, 0, (1, 2, 1), (1, 1, 1))
    launching = threading.Thread(target=CPUScheduler(2).launch, args=(launch,))
    launching.start()
    inside.wait(60)
    try:
        Crowd(jobs, scheduler=CPUScheduler(2)).run(4, 0.3)
        assert launching.is_alive()
    finally:
        leave.set()
        launching.join()


@dataclass
class Nesting:
    """A scheduler in whose launches jobs are evaluated."""

    jobs: list[Job]
    inner: CPUScheduler = field(default_factory=lambda: CPUScheduler(2))
    depth: int = 0
    count: int = 0
    threads = 2

    def launch(self, launch: Launch) -> None:
        if self.depth < 2:
            self.depth += 1
            for job in self.jobs:
                job.run_fresh(2)
            self.depth -= 1
        self.count += 1
        self.inner.launch(launch)


def test_evaluations_within_launches(jobs):
    scheduler = Nesting(jobs[4:30:8])
    with mt.use(scheduler=scheduler):
        for job in jobs[:60:6]:
            job.run_into_outs(2)
    assert scheduler.count > 100


def test_pieces_of_one_image_by_many_threads():
    """Each thread writes its rows of one array, beside which others are written."""
    image = np.arange(600 * 500, dtype=np.int32).reshape(600, 500)
    out = np.zeros_like(image)
    triple = mt.function(lambda x: x * 3)
    bands = [slice(start, start + 6) for start in range(0, 600, 6)]
    with ThreadPoolExecutor(THREADS) as executor:
        list(executor.map(lambda band: triple(image[band], out=out[band], threads=2), bands))
    assert (out == image * 3).all()


def test_threads_have_contexts_of_their_own():
    start = threading.Barrier(2)

    def look(device: str) -> tuple[str, int]:
        with mt.use(device, threads=1 if device == "cpu" else 2):
            start.wait()
            assert np.asarray(mt.asarray(np.arange(3)) + 1).tolist() == [1, 2, 3]
            return context().device.name, context().threads

    with mt.use(threads=7), ThreadPoolExecutor(2) as executor:
        assert list(executor.map(look, ["cpu", "reference"])) == [("cpu", 1), ("reference", 2)]
        assert context().threads == 7


def test_one_array_is_evaluated_by_all():
    image = np.arange(200 * 300, dtype=np.int64).reshape(200, 300)
    start = threading.Barrier(8)

    def read(array: mt.Array) -> np.ndarray:
        start.wait()
        return np.asarray(array)

    with ThreadPoolExecutor(8) as executor:
        for turn in range(20):
            shared = mt.asarray(image) * 2 + turn
            found = list(executor.map(read, [shared, shared - 1] * 4))
            for number, result in enumerate(found):
                assert (result == image * 2 + turn - number % 2).all()
