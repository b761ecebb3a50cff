"""The context of an evaluation: device, threads, scheduler and memory, as a caller sets them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from muntin.config import settings
from muntin.errors import ParameterError, UnsupportedError
from muntin.runtime.device import Device, find_device
from muntin.runtime.launch import Scheduler
from muntin.runtime.memory import MemoryPool

__all__ = ["Context", "context", "use"]


@dataclass(frozen=True, slots=True)
class Context:
    """What an evaluation uses.

    Attributes
    ----------
    device : str or Device
        Where expressions run that are committed to no device.
    threads : int
        How many; 0 takes the setting's number.
    scheduler : Scheduler, optional
        What runs windows; None takes the device's own.
    pool : MemoryPool
        Where results get their memory.
    """

    device: str | Device = "cpu"
    threads: int = 0
    scheduler: Scheduler | None = None
    pool: MemoryPool = field(default_factory=MemoryPool)

    @property
    def thread_count(self) -> int:
        """The number of threads asked for by the context or else the settings; 0 is any."""
        return self.threads or settings().threads


_context: ContextVar[Context] = ContextVar("muntin_context", default=Context())  # noqa: B039 - frozen


def context() -> Context:
    """Return the context of the calling thread or task."""
    return _context.get()


@contextmanager
def use(
    device: str | Device | None = None,
    *,
    threads: int | None = None,
    scheduler: Scheduler | None = None,
) -> Iterator[Context]:
    """Set the device, the threads or the scheduler of evaluations within a block.

    Parameters
    ----------
    device : str or Device, optional
        ``"cpu"``, ``"opencl"``, ``"opencl:1"``, ``"reference"`` or a device object.
    threads : int, optional
        The number of threads, 1 or more.
    scheduler : Scheduler, optional
        What runs the windows of kernels on the CPU.

    Raises
    ------
    DeviceError
        If there is no such device.
    ParameterError
        If the number of threads is below 1.
    UnsupportedError
        If the scheduler is none.

    Examples
    --------
    >>> with use("reference", threads=1) as inner:
    ...     inner.device.name, inner.threads
    ('reference', 1)
    """
    changes: dict[str, Any] = {}
    if device is not None:
        changes["device"] = find_device(device)
    if threads is not None:
        changes["threads"] = checked_threads("use", threads)
    if scheduler is not None:
        if not isinstance(scheduler, Scheduler):
            raise UnsupportedError(
                f"use: scheduler is {scheduler!r}; give an object with `threads` and `launch`, "
                "such as muntin.runtime.scheduler.SingleThreadScheduler()"
            )
        changes["scheduler"] = scheduler
    token = _context.set(replace(_context.get(), **changes))
    try:
        yield _context.get()
    finally:
        _context.reset(token)


def checked_threads(operation: str, threads: int) -> int:
    """Return a number of threads, or raise ParameterError if it is none."""
    if type(threads) is not int or threads < 1:
        raise ParameterError(f"{operation}: threads is {threads!r}; give an integer, 1 or more")
    return threads
