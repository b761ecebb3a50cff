"""Contexts: what evaluations use, set for a block, seen by one thread."""

import threading

import numpy as np
import pytest

import muntin as mt
from muntin.config import settings_override
from muntin.errors import DeviceError, ParameterError, UnsupportedError
from muntin.runtime.context import Context, context, use
from muntin.runtime.device import DEVICES, device_names, find_device
from muntin.runtime.memory import MemoryPool
from muntin.runtime.reference import ReferenceDevice
from muntin.runtime.scheduler import SingleThreadScheduler


def test_the_default_is_the_cpu_with_a_pool() -> None:
    assert context().device == "cpu"
    assert isinstance(context().pool, MemoryPool)
    assert context().scheduler is None


def test_use_changes_what_it_names_and_puts_it_back() -> None:
    before = context()
    scheduler = SingleThreadScheduler()
    with use("reference", threads=3):
        assert context().device == ReferenceDevice()
        with use(scheduler=scheduler):
            assert context().threads == 3
            assert context().scheduler is scheduler
        assert context().scheduler is None
    assert context() is before


def test_a_context_is_put_back_after_an_error() -> None:
    before = context()
    with pytest.raises(KeyError, match="x"), use("reference"):
        raise KeyError("x")
    assert context() is before


def test_another_thread_has_its_own_context() -> None:
    seen = []
    with use("reference"):
        thread = threading.Thread(target=lambda: seen.append(context().device))
        thread.start()
        thread.join()
    assert seen == ["cpu"]


def test_threads_are_the_contexts_or_else_the_settings() -> None:
    with settings_override(threads=5):
        assert Context().thread_count == 5
        assert Context(threads=2).thread_count == 2


def test_what_runs_no_launches_is_no_scheduler() -> None:
    with (
        pytest.raises(UnsupportedError, match="use: scheduler is 4; give an object with `threads`"),
        use(scheduler=4),  # type: ignore[arg-type]
    ):
        pass


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_are_checked(threads: object) -> None:
    with (
        pytest.raises(ParameterError, match=r"use: threads is .*; give an integer, 1 or more"),
        use(threads=threads),  # type: ignore[arg-type]
    ):
        pass


@pytest.mark.parametrize("name", ["gpu", "cpu:x", "reference:", "", "opencl:-1"])
def test_an_unknown_device_is_named_with_those_there_are(name: str) -> None:
    text = "names no device; use one of cpu, opencl, reference"
    with pytest.raises(DeviceError, match=text), use(name):
        pass


def test_a_device_past_the_last_is_an_error() -> None:
    text = "device: 'reference:1' does not exist; there are 1 of kind 'reference', numbered from 0"
    with pytest.raises(DeviceError, match=text):
        find_device("reference:1")


def test_a_device_that_cannot_be_imported_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("muntin.runtime.device.DEVICES", {**DEVICES, "far": "muntin.runtime.far"})
    with pytest.raises(DeviceError, match="device: 'far' cannot be used here: No module named"):
        find_device("far")
    assert "far" not in device_names()
    assert "reference" in device_names()


def test_what_is_no_device_is_refused() -> None:
    with pytest.raises(
        DeviceError, match=r"device: got 3; give a name .* or an object with `name`"
    ):
        find_device(3)  # type: ignore[arg-type]


def test_a_device_object_of_ones_own_evaluates() -> None:
    class Counting(ReferenceDevice):
        calls = 0

        def evaluate(self, *args: object, **options: object) -> list[np.ndarray]:
            Counting.calls += 1
            return super().evaluate(*args, **options)  # type: ignore[arg-type]

    with mt.use(Counting()):
        assert int(mt.asarray(3) + 4) == 7
    assert Counting.calls == 1


def test_devices_are_listed_with_the_default_first() -> None:
    assert mt.devices()[0] == "cpu"
    assert mt.devices()[-1] == "reference"
