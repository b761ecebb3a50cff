"""Paired timing: in each round every contender runs once, so that all share the machine's moods."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np
import numpy.typing as npt

from benchmarks.case import Contender

__all__ = ["Sampler", "fastest", "rounds_of"]


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes one sample of a contender: the mean of a burst of calls, after one that is not timed.

    The burst is long enough for the clock; the call before it finds the caches as the contender
    before left them, the timed ones find them as this contender leaves them.
    """

    call: Callable[[], object]
    repeats: int
    measures_itself: bool = False

    def __call__(self) -> float:
        if self.measures_itself:
            return float(str(self.call()))
        call = self.call
        call()
        start = perf_counter_ns()
        for _ in range(self.repeats):
            call()
        return (perf_counter_ns() - start) / self.repeats * 1e-9

    @classmethod
    def calibrated(cls, contender: Contender, burst: float) -> Sampler:
        """Return the sampler whose bursts take about `burst` seconds."""
        if contender.measures_itself:
            return cls(contender.call, 1, measures_itself=True)
        repeats = 1
        while True:
            taken = cls(contender.call, repeats)() * repeats
            if taken >= burst / 4:
                return cls(contender.call, max(1, math.ceil(repeats * burst / taken)))
            repeats *= 4


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def rounds_of(
    contenders: Sequence[Contender], rounds: int, burst: float
) -> npt.NDArray[np.float64]:
    """Return a row a round and a column a contender; each round starts with another one."""
    samplers = [Sampler.calibrated(contender, burst) for contender in contenders]
    taken = np.empty((rounds, len(samplers)))
    with _collector_at_rest():
        for row in range(rounds):
            for place in range(len(samplers)):
                turn = (row + place) % len(samplers)
                taken[row, turn] = samplers[turn]()
    return taken


def fastest(forms: Sequence[Contender], burst: float, rounds: int = 7) -> Contender:
    """Return the form with the least median in a short comparison among themselves."""
    if len(forms) == 1 or forms[0].measures_itself:
        return forms[0]
    medians = np.median(rounds_of(forms, rounds, burst), axis=0)
    return forms[int(np.argmin(medians))]
