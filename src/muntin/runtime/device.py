"""Devices: what evaluates a graph, found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

from muntin.core.graph.node import Node, Number
from muntin.errors import DeviceError
from muntin.runtime.lru import LRU

__all__ = ["DEVICES", "CompiledGraph", "Device", "device_names", "find_device"]

Value: TypeAlias = npt.NDArray[Any] | Number


@runtime_checkable
class CompiledGraph(Protocol):
    """A graph that runs again and again with other values for its placeholders."""

    @property
    def kernels(self) -> Sequence[Any]: ...

    def run(
        self,
        values: Sequence[Value],
        outs: Sequence[npt.NDArray[Any] | None],
        *,
        threads: int,
    ) -> list[npt.NDArray[Any]]:
        """Return the arrays of the roots; shapes and types of all values are those traced."""
        ...

    def memory_report(self) -> Any: ...


@runtime_checkable
class Device(Protocol):
    """What evaluates a graph.

    `evaluate` returns a fresh array in C order for each root whose out is None: its valid region
    is computed and the rest is zero. An array that is given has the root's shape and type, may
    overlap inputs but no other out, and is written in the valid region alone. Threads of 0 leave
    their number to the device.
    """

    @property
    def name(self) -> str: ...

    def evaluate(
        self,
        roots: Sequence[Node],
        outs: Sequence[npt.NDArray[Any] | None],
        *,
        threads: int,
    ) -> list[npt.NDArray[Any]]: ...

    def compile(self, placeholders: Sequence[Node], roots: Sequence[Node]) -> CompiledGraph:
        """Return the graph compiled; placeholders are input and scalar nodes of the roots."""
        ...


# A module each, imported at the first use; it has `open_device(index)` and `count_devices()`.
DEVICES: Mapping[str, str] = MappingProxyType(
    {
        "cpu": "muntin.runtime.native",
        "opencl": "muntin.runtime.opencl",
        "reference": "muntin.runtime.reference",
    }
)


def find_device(device: str | Device) -> Device:
    """Return the device called `device`, such as ``"cpu"``, ``"opencl"`` or ``"opencl:1"``.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    if isinstance(device, str):
        kind, colon, number = device.partition(":")
        if kind not in DEVICES or (colon and not number.isdecimal()):
            raise DeviceError(
                f"device: {device!r} names no device; use one of {', '.join(DEVICES)}, "
                "with an index where there are several, such as 'opencl:1'"
            )
        return _open(kind, int(number or 0))
    if isinstance(device, Device):
        return device
    raise DeviceError(
        f"device: got {device!r}; give a name ({', '.join(DEVICES)}) or an object with `name`, "
        "`evaluate` and `compile`"
    )


_devices: LRU[tuple[str, int], Device] = LRU(1 << 30)  # all; threads get the same one


@cache
def _open(kind: str, index: int) -> Device:
    return _devices.get_or_make((kind, index), lambda: _opened(kind, index))


def _opened(kind: str, index: int) -> Device:
    try:
        module = import_module(DEVICES[kind])
        count = module.count_devices()
    except ImportError as error:
        raise DeviceError(
            f"device: {kind!r} cannot be used here: {error}; install what it needs, for OpenCL "
            'with pip install "muntin[opencl]"'
        ) from error
    if index >= count:
        raise DeviceError(
            f"device: '{kind}:{index}' does not exist; there are {count} of kind {kind!r}, "
            "numbered from 0"
        )
    device: Device = module.open_device(index)
    return device


def device_names() -> list[str]:
    """Return the names of the devices that can be used here, the default first."""
    names = []
    for kind, path in DEVICES.items():
        try:
            count = import_module(path).count_devices()
        except ImportError:
            continue
        names += [kind] if kind != "opencl" else [f"{kind}:{index}" for index in range(count)]
    return names
