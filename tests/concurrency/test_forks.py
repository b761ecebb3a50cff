"""Fork at any time: the child evaluates and compiles, and the parent goes on."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.runtime.context import context
from tests.concurrency.processes import forked, run
from tests.concurrency.work import Job, make_jobs

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # has several threads
]

LARGE = np.arange(700 * 900, dtype=np.uint8).reshape(700, 900)  # worth several threads
smooth = mt.function(lambda image: vx.gaussian3x3(image) + 1)


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    chosen = [job for job in make_jobs() if job.image.shape in ((45, 67), (360, 641))]
    return chosen[::3]


def run_all(jobs: list[Job]) -> bool:
    for job in jobs:
        job.run_fresh(2)
        job.run_into_outs(2)
    return True


def novel(number: int, size: int = 9) -> bool:
    """Evaluate an expression that differs with the number."""
    image = np.arange(size, dtype=np.int64)
    got, wanted = mt.asarray(image), image
    for bit in range(10):
        got = got + 3 if number >> bit & 1 else got ^ 5
        wanted = wanted + 3 if number >> bit & 1 else wanted ^ 5
    return bool((np.asarray(got) == wanted).all())


@contextmanager
def beside(work: Callable[[int], object]) -> Iterator[list[BaseException]]:
    """Have a thread work again and again; the block gets what it raised."""
    stop, faults = threading.Event(), []

    def again() -> None:
        number = 0
        try:
            while not stop.is_set():
                work(number)
                number += 1
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            faults.append(error)

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield faults
    finally:
        stop.set()
        thread.join()


def test_a_child_in_the_middle_of_use(jobs):
    wanted = np.asarray(smooth(LARGE, threads=2))
    kept = wanted.copy()

    def child() -> bool:
        again = np.asarray(smooth(LARGE, threads=2))
        return bool((again == kept).all() and (wanted == kept).all()) and run_all(jobs) and novel(1)

    assert run_all(jobs)
    for _ in range(2):
        assert forked(child) == "right"
        assert run_all(jobs)
        assert (np.asarray(smooth(LARGE, threads=2)) == kept).all()
    assert (wanted == kept).all()


def test_children_while_a_thread_evaluates(jobs):
    kept = np.asarray(smooth(LARGE)).copy()

    def evaluate(number: int) -> None:
        assert (np.asarray(smooth(LARGE, threads=2)) == kept).all()

    def child() -> bool:
        evaluate(0)
        return run_all(jobs[:3]) and novel(2 + os.getpid() % 500)

    run_all(jobs)
    with beside(evaluate) as faults:
        assert [forked(child) for _ in range(4)] == ["right"] * 4
        assert run_all(jobs[:3])
    assert faults == []


def test_children_while_a_thread_compiles(jobs):
    def compile_one(number: int) -> None:
        assert novel(512 + number % 512)

    with beside(compile_one) as faults:
        assert [forked(lambda: novel(511) and run_all(jobs[:3])) for _ in range(4)] == ["right"] * 4
    assert faults == []


def test_children_while_a_thread_allocates():
    pool = context().pool

    def take(number: int) -> None:
        pool.allocate(64 * (number % 40)).array((8,) if number % 40 else (0,), "int64")

    with beside(take) as faults:
        assert [forked(lambda: novel(3)) for _ in range(20)] == ["right"] * 20
    assert faults == []


def test_a_child_of_a_child(jobs):
    assert forked(lambda: novel(4) and forked(lambda: novel(5) and run_all(jobs[:2])) == "right")


def test_a_child_of_a_thread(jobs):
    found = []
    thread = threading.Thread(
        target=lambda: found.append(forked(lambda: run_all(jobs[:2]) and novel(6)))
    )
    thread.start()
    thread.join()
    assert found == ["right"]


def part(turn: int) -> np.ndarray:
    """Return an evaluated array to the process that asks."""
    return np.asarray(vx.box(mt.asarray(LARGE[turn * 10 :]), 3) + turn)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method):
    wanted = [part(turn).copy() for turn in range(6)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        for got, expected in zip(pool.map(part, range(6)), wanted, strict=True):
            assert (got == expected).all()


ENDING = """
import os, warnings
from tests.concurrency.test_forks import LARGE, novel, np, smooth
before = np.asarray(smooth(LARGE, threads=2)).copy()
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with several threads
child = os.fork()
assert (np.asarray(smooth(LARGE, threads=2)) == before).all() and novel(7)
if child:
    assert os.waitpid(child, 0)[1] == 0
print("parent" if child else "child")
"""


def test_a_child_ends_as_any_process_does():
    assert run(ENDING) == "child\nparent\n"
