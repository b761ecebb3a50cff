"""What runs a kernel's pieces: in the calling thread, on native threads, or on Python's."""

from __future__ import annotations

import ctypes
import threading
from array import array
from collections.abc import Callable
from concurrent import futures
from functools import lru_cache
from typing import Any

from muntin.config import settings
from muntin.errors import ParameterError
from muntin.runtime import pieces
from muntin.runtime.fork import reset_after_fork
from muntin.runtime.launch import Launch
from muntin.runtime.memory import Block, MemoryPool
from muntin.runtime.threads import (
    HAS_NATIVE_POOL,
    NativePool,
    native_pull,
    shared_pool,
    usable_threads,
)

__all__ = ["CPUScheduler", "SingleThreadScheduler", "ThreadsScheduler"]

SLICE_NS = 40_000_000  # a launch comes back to Python that often, which then runs signal handlers
_ENDLESS = -1
_LINE = 128  # scratch of two threads lies at least so far apart
_REST = bytes(8 * (pieces.WORDS - pieces.CONSTANTS))


@lru_cache(maxsize=1024)
def _kernel(entry: int) -> Callable[..., None]:
    """Return the kernel at an address, which holds no interpreter lock while it runs."""
    word = ctypes.c_int64
    return ctypes.CFUNCTYPE(None, *([word] * 8))(entry)


class _ThreadScratch(threading.local):
    """Scratch memory that a calling thread uses again from launch to launch."""

    block: Block | None = None


def _run_one_piece(launch: Launch, memory: MemoryPool, kept: _ThreadScratch) -> None:
    """Run a launch of one piece in the calling thread."""
    scratch = 0
    if launch.scratch_bytes:
        block = kept.block
        if block is None or block.nbytes < launch.scratch_bytes:
            block = kept.block = memory.allocate(launch.scratch_bytes)
        scratch = block.address
    outer, rows, columns = launch.extent
    _kernel(launch.entry)(launch.args, 0, outer, 0, rows, 0, columns, scratch)


class _Job:
    """A launch as the words that native code reads, and the scratch of its threads."""

    __slots__ = ("_block", "address", "helpers", "scratch", "stride", "total", "words")

    def __init__(
        self, launch: Launch, counts: tuple[int, int, int], helpers: int, memory: MemoryPool
    ) -> None:
        self.total = counts[0] * counts[1] * counts[2]
        self.helpers = helpers
        self.stride = -(-launch.scratch_bytes // _LINE) * _LINE
        self._block: Block | None = None
        self.scratch = 0
        if self.stride:
            self._block = memory.allocate(self.stride * (helpers + 1))
            self.scratch = self._block.address
        self.words = array(
            "q",
            (
                launch.entry,
                launch.args,
                *launch.extent,
                *launch.grain,
                counts[1],
                counts[2],
                self.total,
                self.scratch,
                self.stride,
                helpers,
                SLICE_NS,
            ),
        )
        self.words.frombytes(_REST)
        self.address = self.words.buffer_info()[0]

    def resumes_at(self, first: int) -> bool:
        """Return whether pieces are left, and set the counter to the first of them."""
        self.words[pieces.NEXT] = first
        return first < self.total


def _size(threads: int, scheduler: str) -> int:
    if threads < 0:
        raise ParameterError(
            f"{scheduler}: threads is {threads}; it must be 1 or more, or 0 for as many as the "
            "process may use"
        )
    return threads or settings().threads or usable_threads()


class SingleThreadScheduler:
    """Runs every piece in the calling thread."""

    def __init__(self, memory: MemoryPool | None = None) -> None:
        self._memory = MemoryPool() if memory is None else memory
        self._kept = _ThreadScratch()

    @property
    def threads(self) -> int:
        """One."""
        return 1

    def launch(self, launch: Launch) -> None:
        """Run every piece once, in order."""
        if launch.is_one_piece:
            _run_one_piece(launch, self._memory, self._kept)
            return
        counts = launch.counts()
        if 0 in counts:
            return
        job = _Job(launch, counts, 0, self._memory)
        pull = native_pull()
        while job.resumes_at(pull(job.address, job.scratch, SLICE_NS)):
            pass

    def __repr__(self) -> str:
        return "SingleThreadScheduler()"


class _Gate:
    """Lets helpers in until it is closed, which waits for those inside."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._inside = 0
        self._closed = False
        self.fault: BaseException | None = None

    def enter(self, work: Callable[..., object], *arguments: int) -> None:
        """Do the work, unless the gate is closed."""
        with self._change:
            if self._closed:
                return
            self._inside += 1
        try:
            work(*arguments)
        except BaseException as error:  # noqa: BLE001
            self.fault = error
        finally:
            with self._change:
                self._inside -= 1
                self._change.notify()

    def close(self) -> None:
        """Return when nobody is inside, and raise then what a signal handler raised meanwhile."""
        raised: BaseException | None = None
        while not self._closed or self._inside:
            try:
                with self._change:
                    self._closed = True
                    while self._inside:
                        self._change.wait()
            except BaseException as error:  # noqa: BLE001
                raised = error
        if raised is not None:
            raise raised


class ThreadsScheduler:
    """Runs pieces on Python threads, which any platform has.

    Launches may nest and overlap: helpers that have not begun when a launch has run out of pieces
    are called off, so no launch waits for another.

    Parameters
    ----------
    threads : int, optional
        Threads at work for one launch, the caller's included; 0 takes the setting, or else what
        affinity and control group allow.
    memory : MemoryPool, optional
        Where scratch comes from.
    """

    def __init__(self, threads: int = 0, memory: MemoryPool | None = None) -> None:
        self._threads = _size(threads, type(self).__name__)
        self._memory = MemoryPool() if memory is None else memory
        self._kept = _ThreadScratch()
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Forget the threads, which a forked child does not have."""
        self._lock = threading.RLock()
        self._executor: futures.ThreadPoolExecutor | None = None
        self._helpers = 0

    @property
    def threads(self) -> int:
        """The number of threads that a launch uses unless it says otherwise."""
        return self._threads

    def launch(self, launch: Launch) -> None:
        """Run every piece once; which thread runs which is not defined."""
        if launch.is_one_piece:
            _run_one_piece(launch, self._memory, self._kept)
            return
        counts = launch.counts()
        helpers = min(launch.threads or self._threads, counts[0] * counts[1] * counts[2]) - 1
        if helpers >= 0:
            self._run(launch, counts, helpers)

    def _run(self, launch: Launch, counts: tuple[int, int, int], helpers: int) -> None:
        job = _Job(launch, counts, helpers, self._memory)
        while job.resumes_at(self._slice(job)):
            pass

    def _slice(self, job: _Job) -> int:
        """Run pieces until all are done or Python must have a look at its signals."""
        pull = native_pull()
        if job.helpers == 0:
            return pull(job.address, job.scratch, SLICE_NS)
        gate = _Gate()
        try:
            for number in range(1, job.helpers + 1):
                scratch = job.scratch + number * job.stride
                try:
                    self._submit(job.helpers, gate.enter, pull, job.address, scratch, _ENDLESS)
                except RuntimeError:
                    break  # the system has no more threads, or Python is ending
            first = pull(job.address, job.scratch, SLICE_NS)
        finally:
            job.words[pieces.NEXT] = job.total  # also when a signal handler raised
            gate.close()
        if gate.fault is not None:
            raise gate.fault
        return first

    def _submit(self, helpers: int, *call: Any) -> None:
        with self._lock:
            if self._executor is None or self._helpers < helpers:
                if self._executor is not None:
                    self._executor.shutdown(wait=False)
                self._helpers = max(helpers, self._threads - 1)
                # the module of this class is loaded here: it cannot be when Python is ending
                self._executor = futures.ThreadPoolExecutor(self._helpers, "muntin")
            executor = self._executor
            try:
                executor.submit(*call)
            except RuntimeError:
                raise
            except BaseException:
                # a thread that had just started may be on no list: nobody else would ever end it
                self._executor = None
                executor.shutdown(wait=False)
                raise

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._threads})"


class CPUScheduler(ThreadsScheduler):
    """Runs pieces on threads that wait in native code; on Python's where the platform has none.

    A launch that nests in another or overlaps with it runs in its calling thread.

    Parameters
    ----------
    threads : int, optional
        Threads at work for one launch, the caller's included; 0 takes the setting, or else what
        affinity and control group allow.
    memory : MemoryPool, optional
        Where scratch comes from.
    pool : NativePool, optional
        The threads; by default those that the process's schedulers share.
    """

    def __init__(
        self,
        threads: int = 0,
        memory: MemoryPool | None = None,
        pool: NativePool | None = None,
    ) -> None:
        super().__init__(threads, memory)
        self._pool = pool or (shared_pool() if HAS_NATIVE_POOL else None)

    def _run(self, launch: Launch, counts: tuple[int, int, int], helpers: int) -> None:
        pool = self._pool
        if pool is None:
            super()._run(launch, counts, helpers)
            return
        job = _Job(launch, counts, pool.ready(helpers), self._memory)
        while job.resumes_at(pool.launch(job.address)):
            pass
