"""Threads parked in native code, one pool of them a process."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Final
from weakref import finalize

import numpy as np
import numpy.typing as npt

from muntin.runtime.cpu import NativeModule, compile_ir
from muntin.runtime.fork import reset_after_fork
from muntin.runtime.pieces import loop_text, pool_text, pool_words

__all__ = [
    "HAS_NATIVE_POOL",
    "NativePool",
    "native_pull",
    "shared_pool",
    "usable_threads",
]

HAS_NATIVE_POOL: Final = sys.platform == "linux"
MOST_WORKERS: Final = 4095
_LINE = 128
_WORD, _ADDRESS = ctypes.c_int64, ctypes.c_void_p


@cache
def native_pull() -> Callable[[int, int, int], int]:
    """Return the loop over a job's pieces; it holds no interpreter lock while it runs.

    It takes the addresses of the job and of the thread's scratch, and a budget in ns or a negative
    number for none, and returns the first piece that nobody runs.
    """
    text = loop_text()
    module = compile_ir(text, f"loop\n{text}")
    pull: Callable[[int, int, int], int] = _function(
        module, "pull", _WORD, _ADDRESS, _ADDRESS, _WORD
    )
    return pull


@dataclass(frozen=True, slots=True)
class _PoolFunctions:
    launch: Callable[[int, int], int]
    prepare: Callable[[int], None]
    hire: Callable[[int, int], None]
    work: Callable[[int, int], None]
    quit: Callable[[int, int], None]


@cache
def _pool_functions() -> _PoolFunctions:
    text = pool_text()
    module = compile_ir(text, f"pool\n{text}")
    return _PoolFunctions(
        launch=_function(module, "launch", _WORD, _ADDRESS, _ADDRESS),
        prepare=_function(module, "prepare", None, _ADDRESS),
        hire=_function(module, "hire", None, _ADDRESS, _WORD),
        work=_function(module, "work", None, _ADDRESS, _WORD),
        quit=_function(module, "quit", None, _ADDRESS, _WORD),
    )


def _function(module: NativeModule, name: str, *signature: Any) -> Any:
    function: Any = ctypes.CFUNCTYPE(*signature)(module.address(name))
    function.keeps = module  # the code, for as long as anyone may call it
    return function


class _Crew:
    """The workers of one process, and the memory through which they are called."""

    def __init__(self) -> None:
        self.functions = _pool_functions()
        words = pool_words(MOST_WORKERS)
        memory = np.zeros(words + _LINE // 8, np.int64)  # pages that no worker uses stay untouched
        self.memory: npt.NDArray[np.int64] = memory
        self.address = memory.ctypes.data + -memory.ctypes.data % _LINE
        self.threads: list[threading.Thread] = []
        self.functions.prepare(self.address)

    def hire(self) -> None:
        index = len(self.threads)
        self.functions.hire(self.address, index)
        thread = threading.Thread(
            target=_work, args=(self, index), name=f"muntin-{index}", daemon=True
        )
        self.threads.append(thread)
        try:
            thread.start()
        except RuntimeError:
            self.threads.pop()
            raise

    def stop(self) -> None:
        self.functions.quit(self.address, len(self.threads))
        for thread in self.threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join()


def _work(crew: _Crew, index: int) -> None:
    crew.functions.work(crew.address, index)


class NativePool:
    """Threads that wait in native code, where handing them work takes no interpreter lock.

    They are started when first needed, and end with the pool or with the process; a forked child
    starts its own.
    """

    def __init__(self) -> None:
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget the workers, which a forked child does not have."""
        self._lock = threading.RLock()
        self._crew: _Crew | None = None
        self._size = 0

    def ready(self, workers: int) -> int:
        """Return how many of so many workers there are, once those missing have been started."""
        if workers > self._size:
            self._grow(workers)
        return min(workers, self._size)

    def launch(self, job: int) -> int:
        """Run the job at an address (`pieces` has its words) and return the first piece not run.

        While the pool is at work for another launch, the calling thread runs the job alone.
        """
        crew = self._crew or self._grow(0)
        return crew.functions.launch(crew.address, job)

    def _grow(self, workers: int) -> _Crew:
        with self._lock:
            crew = self._crew
            if crew is None:
                crew = self._crew = _Crew()
                self._end = finalize(self, crew.stop)
            try:
                while len(crew.threads) < min(workers, MOST_WORKERS):
                    crew.hire()
            except RuntimeError:
                pass  # the system has no more threads, or Python is ending: those there must do
            self._size = len(crew.threads)
        return crew


@cache
def shared_pool() -> NativePool:
    """Return the pool that schedulers use unless they are given one."""
    return NativePool()


def usable_threads(root: Path = Path("/")) -> int:
    """Return how many threads this process can run at once, by its affinity and its cgroup."""
    if sys.version_info >= (3, 13):
        cpus = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        cpus = len(os.sched_getaffinity(0))
    else:
        cpus = os.cpu_count() or 1
    return max(1, min(cpus, *(ceil(quota) for quota in _quotas(root)), MOST_WORKERS + 1))


def _quotas(root: Path) -> Iterator[float]:
    """Yield the CPUs that each control group above this process grants, where it limits them."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    mount = root / "sys/fs/cgroup"
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:  # the one hierarchy of version 2
            for folder in _upwards((mount, mount / "unified"), path):
                yield from _quota(folder, "cpu.max")
        elif "cpu" in controllers.split(","):
            for folder in _upwards((mount / controllers, mount / "cpu"), path):
                yield from _quota(folder, "cpu.cfs_quota_us", "cpu.cfs_period_us")


def _upwards(mounts: tuple[Path, ...], path: str) -> Iterator[Path]:
    # within a container the path may be the host's: whatever of it exists counts, the root always
    relative = Path(path.lstrip("/"))
    for mount in mounts:
        yield from (mount / part for part in (relative, *relative.parents))


def _quota(folder: Path, *names: str) -> Iterator[float]:
    try:
        quota, period = " ".join((folder / name).read_text() for name in names).split()
        if int(quota) > 0:  # version 1 writes -1, version 2 "max", where there is no limit
            yield int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return
