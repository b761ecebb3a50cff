"""What a result depends on: the processor, the threads at hand, and the versions compared."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

__all__ = ["facts"]

_PACKAGES = (
    "muntin",
    "numpy",
    "llvmlite",
    "halide",
    "opencv-python-headless",
    "numexpr",
)


def facts() -> dict[str, str]:
    """Return names and values that stand beside every table of results."""
    return {
        "processor": _processor(),
        "threads at hand": str(_threads_at_hand()),
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version for name in _PACKAGES if (version := _version(name))},
    }


def _processor() -> str:
    table = Path("/proc/cpuinfo")
    if table.exists():
        for line in table.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _threads_at_hand() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> str:
    """Return what else ran in the last minute: numbers made beside it are not to be trusted."""
    return f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
