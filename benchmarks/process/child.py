"""Runs a fresh interpreter that prints one number."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["code", "module"]

_ROOT = Path(__file__).parents[2]


def code(text: str) -> float:
    """Return the number that a program given as text prints last."""
    return _number(["-c", text], {})


def module(name: str, *arguments: str, settings: Mapping[str, str] | None = None) -> float:
    """Return the number that a module prints last, run with more environment variables."""
    return _number(["-m", name, *arguments], settings or {})


def _number(arguments: list[str], settings: Mapping[str, str]) -> float:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=_ROOT,
        env={**_environment(), **settings},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def _environment() -> dict[str, str]:
    """Return the variables of this process, with which Python keeps its bytecode, as for users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
