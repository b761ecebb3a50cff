"""What `__array_namespace_info__` tells: devices, types and capabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from muntin.array.data_types import KINDS
from muntin.dtypes import DTYPES
from muntin.errors import ParameterError
from muntin.runtime.context import context
from muntin.runtime.device import device_names, find_device

__all__ = ["Information"]

_STANDARD = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
)
_MOST_AXES = 64  # of a NumPy array, which a result is


class Information:
    """What the namespace can do; every device has the same types."""

    def capabilities(self) -> dict[str, Any]:
        """Return that masks are indices, and that functions' shapes may depend on elements."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _MOST_AXES,
        }

    def default_device(self) -> str:
        """Return the device of the context, on which uncommitted Arrays are evaluated."""
        device = context().device
        return device if isinstance(device, str) else device.name

    def devices(self) -> list[str]:
        """Return the names of the devices that can be used here."""
        return device_names()

    def default_dtypes(self, *, device: str | None = None) -> dict[str, np.dtype[Any]]:
        """Return the types of Python's floats and integers, and of indices."""
        _check(device)
        names = {"real floating": "float64", "integral": "int64", "indexing": "int64"}
        return {kind: DTYPES[name].numpy for kind, name in names.items()}

    def dtypes(
        self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the types by name, of a kind or of several: see `isdtype`."""
        _check(device)
        wanted = tuple(KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        unknown = [each for each in wanted if each not in KINDS]
        if unknown:
            raise ParameterError(f"dtypes: kind is {unknown[0]!r}; use one of {', '.join(KINDS)}")
        letters = "".join(KINDS[each] for each in wanted)
        return {name: DTYPES[name].numpy for name in _STANDARD if DTYPES[name].kind in letters}


def _check(device: str | None) -> None:
    if device is not None:
        find_device(device)
