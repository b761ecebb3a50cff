"""The edges pipeline by name of library, for a process that imports only what it runs.

`prepared(name, threads)` imports the library. What it returns, called once, does all that the
library does before it can be bound to an image; that in turn gives `bind(image, out)`, a call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial

from benchmarks.case import Array
from benchmarks.edges.ours import expression
from benchmarks.product import load

__all__ = ["NAMES", "Bind", "prepared"]

NAMES = ("muntin", "Halide", "OpenCV")

Bind = Callable[[Array, Array], Callable[[], object]]


def prepared(name: str, threads: int) -> Callable[[], Bind]:
    """Return the start of a library, which is imported now."""
    starts = {"muntin": _muntin, "Halide": _halide, "OpenCV": _opencv}
    return starts[name](threads)


def _muntin(threads: int) -> Callable[[], Bind]:
    product = load()

    def bind(image: Array, out: Array) -> Callable[[], object]:
        call = product.compiled(expression, (image,), (out,))

        def in_context() -> None:
            with product.threads(threads):
                call()

        return in_context

    return lambda: bind


def _halide(threads: int) -> Callable[[], Bind]:
    halide = importlib.import_module("benchmarks.edges.halide")

    def start() -> Bind:
        schedule = halide.BEST if threads == 1 else halide.BEST_PARALLEL
        return partial(halide.bound, halide.compiled(schedule))

    return start


def _opencv(threads: int) -> Callable[[], Bind]:
    opencv = importlib.import_module("benchmarks.edges.opencv")
    importlib.import_module("cv2").setNumThreads(threads)
    return lambda: opencv.saturating
