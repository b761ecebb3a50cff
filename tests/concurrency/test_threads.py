"""Any number of threads, equal and different expressions: every answer is the reference's."""

import pytest

from muntin.runtime.native import NativeDevice
from muntin.runtime.scheduler import CPUScheduler, SingleThreadScheduler, ThreadsScheduler
from tests.concurrency.work import Crowd, make_jobs

THREADS = 16


@pytest.fixture(scope="module")
def jobs():
    return make_jobs()


def test_sixteen_threads(jobs):
    Crowd(jobs).run(THREADS, 3)


@pytest.mark.parametrize(
    "kind", [CPUScheduler, ThreadsScheduler, lambda threads: SingleThreadScheduler()]
)
def test_a_scheduler_of_ones_own(jobs, kind):
    Crowd(jobs, scheduler=kind(2)).run(THREADS, 0.5)


def test_kernels_are_dropped_while_others_run_them(jobs):
    small = [job for job in jobs if job.image.size < 4000]
    Crowd(small, device=NativeDevice(capacity=2)).run(THREADS, 2)


@pytest.mark.slow
def test_sixteen_threads_for_a_minute(jobs):
    Crowd(jobs).run(THREADS, 30)
    Crowd(jobs, device=NativeDevice(capacity=3)).run(THREADS, 30)
