"""Expressions of many kinds with their answers, and threads that evaluate them all at once."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import muntin as mt
from muntin import vision as vx
from muntin.runtime.device import Device
from tests.runtime.audit import assert_same

Image = np.ndarray[Any, Any]

SHAPES = ((1, 1), (7, 5), (45, 67), (201, 333), (360, 641))  # the last are shared by threads
COLOURED = ((45, 67, 3), (181, 200, 3))


def edges(image: mt.Array) -> mt.Array:
    gx, gy = vx.sobel3x3(vx.gaussian3x3(image))
    return vx.threshold(vx.magnitude(gx, gy, norm="l1"), 60)


def opened(image: mt.Array) -> mt.Array:
    return vx.absdiff(vx.opening(image), vx.median(image))


def blurred(image: mt.Array) -> tuple[mt.Array, mt.Array]:
    smooth = vx.gaussian5x5(image, border="reflect101")
    return smooth, image - smooth


def shrunk(image: mt.Array) -> mt.Array:
    return vx.box(image, 5, border="undefined")


def mixed(image: mt.Array) -> tuple[mt.Array, mt.Array]:
    doubled = mt.where(image > 3, image * 2, image // 3)
    return doubled + doubled[..., ::-1], mt.minimum(doubled, doubled[::-1])


def turned(image: mt.Array) -> mt.Array:
    return (image.T + 1) * image.T[:1] - mt.index(image.T.shape, 0)


def real(image: mt.Array) -> mt.Array:
    x = image / 7
    return mt.sqrt(x * x + 1.5) - mt.floor(x)


CALLS: dict[Callable[[mt.Array], Any], tuple[str, ...]] = {
    edges: ("uint8",),
    opened: ("uint8", "int16"),
    blurred: ("uint8", "float32"),
    shrunk: ("uint16", "float32"),
    mixed: ("uint8", "int32", "int64"),
    turned: ("int32", "float64"),
    real: ("uint8", "float32", "float64"),
}
COLOUR_CALLS = (blurred, real, mixed)


@dataclass(frozen=True)
class Job:
    """An expression of one image, and its answers."""

    call: Callable[[mt.Array], Any]
    image: Image
    answers: tuple[Image, ...]

    def __str__(self) -> str:
        return f"{self.call.__name__} of {self.image.dtype} {self.image.shape}"

    def check(self, results: Any) -> None:
        for got, wanted in zip(as_tuple(results), self.answers, strict=True):
            assert_same(np.asarray(got), wanted)

    def run_fresh(self, threads: int) -> None:
        self.check(mt.eval(*as_tuple(self.call(mt.asarray(self.image))), threads=threads))

    def run_into_outs(self, threads: int) -> None:
        results = as_tuple(self.call(mt.asarray(self.image)))
        outs = tuple(np.zeros_like(answer) for answer in self.answers)
        mt.eval(*results, out=outs, threads=threads)
        self.check(outs)

    def run_function(self, function: Callable[..., Any], threads: int) -> None:
        self.check(function(self.image, threads=threads))

    def run_function_into_outs(self, function: Callable[..., Any], threads: int) -> None:
        outs = tuple(np.zeros_like(answer) for answer in self.answers)
        function(self.image, threads=threads, out=outs)
        self.check(outs)


def as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def make_jobs(seed: int = 0) -> list[Job]:
    """Return all expressions over all sizes and types, with the answers of the reference."""
    rng = np.random.default_rng(seed)
    jobs = []
    for call, dtypes in CALLS.items():
        shapes = (*SHAPES, *(COLOURED if call in COLOUR_CALLS else ()))
        for dtype in dtypes:
            for shape in shapes:
                image = rng.integers(0, 200, shape).astype(dtype)
                with mt.use("reference"):
                    results = as_tuple(call(mt.asarray(image)))
                    answers = tuple(np.array(result) for result in results)
                jobs.append(Job(call, image, answers))
    return jobs


@dataclass
class Crowd:
    """Threads that evaluate jobs in every manner, each in an order of its own."""

    jobs: Sequence[Job]
    device: Device | None = None
    scheduler: Any = None
    functions: dict[Callable[..., Any], Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    done: int = 0

    def __post_init__(self) -> None:
        self.functions = {job.call: mt.function(job.call) for job in self.jobs}
        self._lock = threading.Lock()

    def run(self, threads: int, seconds: float) -> None:
        """Have threads at work for so long; raise what was wrong."""
        end = time.monotonic() + seconds
        start = threading.Barrier(threads)
        crowd = [
            threading.Thread(target=self._work, args=(seed, start, end)) for seed in range(threads)
        ]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        assert not self.faults, f"{len(self.faults)} of {self.done}: {self.faults[0]}"
        assert self.done >= threads

    def _work(self, seed: int, start: threading.Barrier, end: float) -> None:
        rng = np.random.default_rng(seed)
        is_told = self.device is not None or self.scheduler is not None
        start.wait()
        with mt.use(self.device, scheduler=self.scheduler) if is_told else nullcontext():
            while not self.faults:
                for place in rng.permutation(len(self.jobs)):
                    self._run(self.jobs[place], int(rng.integers(4)), int(rng.integers(1, 3)))
                    if time.monotonic() > end:
                        return

    def _run(self, job: Job, manner: int, threads: int) -> None:
        function = self.functions[job.call]
        run = (
            lambda: job.run_fresh(threads),
            lambda: job.run_into_outs(threads),
            lambda: job.run_function(function, threads),
            lambda: job.run_function_into_outs(function, threads),
        )[manner]
        fault = None
        try:
            run()
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits
            fault = f"{job}, manner {manner}, {threads} threads: {error!r}"
        with self._lock:
            self.done += 1
            if fault is not None:
                self.faults.append(fault)
