"""The table of settings: a field a setting, and the only place where the environment is read."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import cache
from operator import index
from pathlib import Path
from typing import Any

from muntin.errors import ParameterError

__all__ = ["SETTINGS", "Kind", "Setting", "Settings", "settings", "settings_override"]


@dataclass(frozen=True, slots=True)
class Kind:
    """How the values of a setting are read, and the words that say which are allowed.

    `read` takes a text or an object and raises ValueError, TypeError or RuntimeError if it is not
    allowed.
    """

    name: str
    allowed: str
    read: Callable[[Any], object] = field(repr=False)


def _integer(value: Any, allowed: Container[int]) -> int:
    if isinstance(value, bool):
        raise TypeError(value)
    number = int(value) if isinstance(value, str) else index(value)
    if number not in allowed:
        raise ValueError(value)
    return number


def _between(least: int, greatest: int) -> Kind:
    allowed = range(least, greatest + 1)
    return Kind(
        "integer", f"an integer from {least} to {greatest}", lambda value: _integer(value, allowed)
    )


def _one_of(*allowed: int) -> Kind:
    words = ", ".join(map(str, allowed))
    return Kind("integer", f"one of {words}", lambda value: _integer(value, allowed))


_SIZE = re.compile(r"(\d+) *([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)
_SHIFT = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def _bytes(value: Any) -> int:
    if isinstance(value, str):
        match = _SIZE.fullmatch(value.strip())
        if match is None:
            raise ValueError(value)
        value = int(match[1]) << _SHIFT[match[2].lower()]
    return _integer(value, range(1 << 63))


_WORDS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)


def _truth(value: Any) -> bool:
    truth = value if isinstance(value, bool) else _WORDS.get(str(value).strip().lower())
    if truth is None:
        raise ValueError(value)
    return truth


def _path(value: Any) -> Path:
    return Path(value).expanduser().absolute()


_BYTES = Kind("bytes", "a number of bytes below 2**63, such as 4096, 64 KiB or 2 GiB", _bytes)
_TRUTH = Kind("truth", "1, true, yes or on; 0, false, no or off", _truth)
_FOLDER = Kind("folder", "the path of a folder", _path)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table: a setting's name, its kind, its default in words, and its help."""

    name: str
    kind: Kind
    default: str
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"MUNTIN_{self.name.upper()}"

    def accept(self, value: object) -> object:
        """Return the value of the setting that a text or an object stands for.

        Raises
        ------
        ParameterError
            If the setting does not allow it.
        """
        try:
            return self.kind.read(value)
        except (ValueError, TypeError, RuntimeError) as error:
            raise ParameterError(
                f"setting {self.name} ({self.variable}): got {value!r}; allowed is "
                f"{self.kind.allowed}; give such a value, or none for the default, {self.default}"
            ) from error


def _row(kind: Kind, default: Any, words: str, text: str) -> Any:
    metadata = {"kind": kind, "words": words, "help": text}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


def user_cache_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the folder in which a user's programs keep what they can make again.

    `XDG_CACHE_HOME` wins on every platform if it is an absolute path. Without it and without a
    home, the folder lies among the temporary files.
    """
    told = environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(told):
        return Path(told) / "muntin"
    if platform == "win32" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"]) / "muntin" / "cache"
    try:
        home = Path.home()
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "muntin-cache"
    own = {"win32": "AppData/Local/muntin/cache", "darwin": "Library/Caches/muntin"}
    return home / own.get(platform, ".cache/muntin")


@dataclass(frozen=True, slots=True)
class Settings:
    """What muntin may be told from outside; texts are taken for every field, and checked.

    Examples
    --------
    >>> Settings(threads=2, cache_size="64 MiB").cache_size
    67108864
    """

    cache_dir: Path = _row(
        _FOLDER,
        lambda: user_cache_folder(os.environ),
        "muntin in the user's cache folder",
        "Folder in which compiled kernels are kept.",
    )
    cache_size: int = _row(
        _BYTES,
        512 << 20,
        "512 MiB",
        "Disk space for compiled kernels; the least recently used go first; 0 keeps none.",
    )
    memory_cache: int = _row(
        _between(1, 1 << 20), 256, "256", "Number of compiled kernels kept in memory."
    )
    threads: int = _row(
        _between(0, 4096),
        0,
        "0",
        "Threads of a CPU scheduler; 0 takes as many as the process may use.",
    )
    opt_level: int = _row(_between(0, 3), 3, "3", "Optimisation level of generated CPU code.")
    prefer_vector_width: int = _row(
        _one_of(128, 256, 512), 512, "512", "Widest vectors, in bits, where the CPU has them."
    )
    streaming_threshold: int = _row(
        _BYTES,
        0,
        "0",
        "Outputs of this size or more bypass the cache; 0 takes 16 times the second cache.",
    )
    check_programs: bool = _row(
        _TRUTH, False, "0", "Check every index of programs; one outside its array is an error."
    )
    poison: bool = _row(
        _TRUTH, False, "0", "Fill fresh memory with a pattern that shows reads of unset values."
    )

    def __post_init__(self) -> None:
        for row in SETTINGS.values():
            object.__setattr__(self, row.name, row.accept(getattr(self, row.name)))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Return the settings that environment variables tell; an empty one counts as unset."""
        told: dict[str, Any] = {"cache_dir": user_cache_folder(environ)}
        for row in SETTINGS.values():
            if text := environ.get(row.variable):
                told[row.name] = text
        return cls(**told)


SETTINGS: Mapping[str, Setting] = {
    row.name: Setting(row.name, row.metadata["kind"], row.metadata["words"], row.metadata["help"])
    for row in fields(Settings)
}


@cache
def _of_process() -> Settings:
    return Settings.from_environment(os.environ)


_overriding: ContextVar[Settings | None] = ContextVar("muntin_settings", default=None)


def settings() -> Settings:
    """Return the settings of the current context.

    They are those of the innermost `settings_override`, or else the environment's, which is read
    once, at the first call. A new thread starts with the environment's.
    """
    return _overriding.get() or _of_process()


@contextmanager
def settings_override(**changes: object) -> Iterator[Settings]:
    """Change some settings within a block, in the current context alone.

    Parameters
    ----------
    **changes
        New values by the setting's name, as objects or as the environment would spell them.

    Raises
    ------
    ParameterError
        If there is no such setting, or if it does not allow the value.

    Examples
    --------
    >>> with settings_override(threads=1) as changed:
    ...     changed.threads, settings().threads
    (1, 1)
    """
    for name in changes:
        if name not in SETTINGS:
            raise ParameterError(
                f"settings_override: there is no setting {name!r}; the settings are "
                f"{', '.join(SETTINGS)}"
            )
    changed: Any = changes
    token = _overriding.set(replace(settings(), **changed))
    try:
        yield settings()
    finally:
        _overriding.reset(token)
