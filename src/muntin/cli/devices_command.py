"""`muntin devices`: where expressions can be evaluated."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from muntin.cli.words import print_table
from muntin.errors import DeviceError
from muntin.explain.plan_text import bytes_in_words
from muntin.runtime.device import DEVICES, find_device

__all__ = ["command"]


@click.command(short_help="List the devices that can be used here.")
def command() -> None:
    """List the devices that can be used here, by the names that --device takes.

    The first is the default. `reference` is NumPy, node by node: slow, and the definition that the
    others are held to.
    """
    print_table(("device", "is"), [row for kind in DEVICES for row in _rows(kind)])


def _rows(kind: str) -> list[tuple[str, str]]:
    """Return a row for each device of a kind, or the reason why there is none."""
    try:
        count = import_module(DEVICES[kind]).count_devices()
    except ImportError as error:
        return [(kind, f'not here: {error}; pip install "muntin[{kind}]" brings it')]
    if count == 0:
        return [(kind, "not here: no driver offers a device")]
    if kind != "opencl":
        return [(kind, _cpu() if kind == "cpu" else "NumPy, node by node")]
    return [(f"{kind}:{index}", _opencl(f"{kind}:{index}")) for index in range(count)]


def _cpu() -> str:
    facts: Any = import_module("muntin.runtime.cpu").target_facts()
    device: Any = find_device("cpu")
    words = [facts.cpu, f"{device.scheduler.threads} threads", f"{facts.vector_bits}-bit vectors"]
    words += [f"caches of {bytes_in_words(facts.l1)} and {bytes_in_words(facts.l2)} a core"]
    return ", ".join([*words, f"LLVM {facts.llvm.partition('/')[2]}"])


def _opencl(name: str) -> str:
    try:
        opened: Any = find_device(name)
    except DeviceError as error:
        return f"not here: {error}"
    device = opened.device
    words = [device.name.strip(), f"{device.max_compute_units} units"]
    words += [bytes_in_words(device.global_mem_size), device.platform.version.strip()]
    return ", ".join([*words, *(f"no exact {lack}" for lack in opened.lacks)])
