"""A kernel that many need first is compiled once, whoever asks, whatever they do meanwhile."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.core.plan.facts import ENTRY
from muntin.errors import InternalError
from muntin.runtime import compiled
from muntin.runtime.native import NativeDevice
from tests.concurrency.processes import forked, run


def expression(image: np.ndarray) -> mt.Array:
    x = mt.asarray(image)
    return vx.box(x, 3) + (x >> 1)


def is_right(height: int) -> bool:
    image = np.full((height, 40), 90, np.uint8)
    return bool((np.asarray(expression(image)) == 135).all())


@pytest.fixture
def compilations(monkeypatch):
    """List the threads that compile, each of which takes its time."""
    real = compiled.compile_ir
    seen: list[int] = []

    def compile_slowly(*args, **kwargs):
        seen.append(threading.get_ident())
        time.sleep(0.05)
        return real(*args, **kwargs)

    monkeypatch.setattr(compiled, "compile_ir", compile_slowly)
    return seen


def test_threads_with_images_of_other_sizes_share_one_compilation(compilations):
    device = NativeDevice()
    together = threading.Barrier(8)

    def work(number: int) -> bool:
        together.wait()
        with mt.use(device):
            return is_right(20 + number) and is_right(200 + number)

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(work, range(8)))
    assert len(compilations) == 1


FIRST = """
import threading
import numpy as np
import muntin as mt
from muntin.runtime.cache import kernel_cache

image = np.arange(12, dtype=np.uint8)
together = threading.Barrier(16)
results = []

def work():
    together.wait()
    results.append(np.asarray(mt.asarray(image) * 2 - 1).tolist())

crowd = [threading.Thread(target=work) for _ in range(16)]
for thread in crowd:
    thread.start()
for thread in crowd:
    thread.join()
print(results == [(image * 2 - 1).tolist()] * 16, kernel_cache().stats().misses)
"""


def test_the_first_evaluations_of_a_process_share_one_device(tmp_path):
    assert run(FIRST, MUNTIN_CACHE_DIR=str(tmp_path / "cache")) == "True 1\n"


def test_the_parts_of_a_kernel_are_made_once():
    device = NativeDevice()
    made = expression(np.zeros((5, 6), np.uint8))
    device.evaluate([made._node], [None], threads=1)
    ((_, kernel),) = device._kernels._values.items()
    for part in ("stages", "lowered", "module", "facts", "entry"):
        assert getattr(kernel, part) is getattr(kernel, part)
    assert kernel.module.address(ENTRY) == kernel.entry


def test_a_compilation_that_fails_is_tried_again(monkeypatch):
    real = compiled.compile_ir
    faults = [InternalError("once"), KeyboardInterrupt()]

    def compile_at_the_third(*args, **kwargs):
        if faults:
            raise faults.pop(0)
        return real(*args, **kwargs)

    monkeypatch.setattr(compiled, "compile_ir", compile_at_the_third)
    with mt.use(NativeDevice()):
        with pytest.raises(InternalError, match="once"):
            is_right(10)
        with pytest.raises(KeyboardInterrupt):
            is_right(10)
        assert is_right(10)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
def test_a_child_compiles_what_a_thread_of_its_parent_compiles(monkeypatch):
    real = compiled.compile_ir
    begun, release = threading.Event(), threading.Event()

    def compile_when_released(*args, **kwargs):
        if threading.get_ident() == thread.ident:
            begun.set()
            release.wait()
        return real(*args, **kwargs)

    device = NativeDevice()
    results = []

    def work() -> None:
        with mt.use(device):
            results.append(is_right(10))

    def child() -> bool:
        with mt.use(device):
            other = np.asarray(mt.asarray(np.ones(5, np.float32)) * 3)
            return is_right(11) and bool((other == 3).all())

    monkeypatch.setattr(compiled, "compile_ir", compile_when_released)
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    try:
        assert forked(child, 20) == "right"
    finally:
        release.set()
        thread.join()
    assert results == [True]
