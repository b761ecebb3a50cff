"""Work that no signal handler may cut short: it runs where Python runs none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["undisturbed"]

P = ParamSpec("P")
R = TypeVar("R")


def undisturbed(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function that the main thread calls run in a thread of its own.

    Signal handlers run in the main thread, between any two steps, and may raise. It waits for the
    function, and is interrupted at once: the function goes on to its end, and its result is lost.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        result: Future[R] = Future()

        def work() -> None:
            try:
                result.set_result(function(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                result.set_exception(error)

        try:
            threading.Thread(target=copy_context().run, args=(work,), name="muntin-apart").start()
        except RuntimeError:  # there are no more threads, or Python is ending
            return function(*args, **kwargs)
        return result.result()

    return call
