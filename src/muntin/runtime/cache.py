"""Compiled kernels kept on disk, for the next process."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from muntin.config import settings
from muntin.errors import CacheError

__all__ = [
    "CacheEntry",
    "CacheStats",
    "CacheWarning",
    "KernelCache",
    "kernel_cache",
    "source_digest",
]

_MAGIC = b"muntin\0k"
_FORMAT = 1
_HEADER = struct.Struct("<8sQ32sQ32s")  # magic, format, key digest, payload length and digest
_SUFFIX = ".kernel"
_STALE = 3600.0  # seconds after which a temporary file has been left behind by a dead process
_TRIMMED = 0.8  # of the limit is kept when the folder has grown past it


class CacheWarning(UserWarning):
    """Compiled kernels cannot be kept on disk: every process compiles its own."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One kernel on disk: its name, its size in bytes, and when it was last used (seconds)."""

    name: str
    nbytes: int
    used: float


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What lies in the folder, and what this process has asked of it."""

    folder: Path
    entries: int
    nbytes: int
    limit: int
    hits: int
    misses: int
    stores: int
    damaged: int


class KernelCache:
    """Kernels on disk, by key, the least recently used removed first.

    A file holds a header (key and payload digests) and the payload; it is written beside and then
    renamed, so a reader sees all of it or none. What is damaged, cut short or foreign counts as a
    miss and is removed.

    Parameters
    ----------
    folder : Path
        Made when first written to, for its owner alone. Files lie in `kernels` inside it.
    limit : int
        Bytes; 0 keeps nothing.

    Notes
    -----
    The payload is machine code that will run. So a folder that others own or can write to is
    refused with a CacheError when the cache is first used, and a file that another user has left
    in it counts as damaged (on POSIX).
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self._files = folder / "kernels"
        self._trusted = False
        self._warned = False
        self._nbytes: int | None = None  # about, since other processes write too
        self._hits = self._misses = self._stores = self._damaged = 0

    def get(self, key: str) -> bytes | None:
        """Return the payload that was stored under the key, or None."""
        if self.limit == 0 or not self._is_trusted():
            self._misses += 1
            return None
        digest = _digest(key)
        path = self._path(digest)
        try:
            content = _read(path)
        except OSError:
            self._misses += 1
            return None
        payload = _unpack(content, digest)
        if payload is None:
            self._damaged += 1
            self._misses += 1
            _remove(path)
            return None
        self._hits += 1
        with suppress(OSError):  # another process has just removed it, or the disk is read-only
            os.utime(path)
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Store the payload under the key, replacing what was there.

        Warns
        -----
        CacheWarning
            Once, if the folder cannot be written.
        """
        if self.limit == 0:
            return
        digest = _digest(key)
        content = _pack(payload, digest)
        try:
            self._make_folder()
            _write(self._path(digest), content)
        except CacheError:
            raise
        except OSError as error:
            self._warn(error)
            return
        self._stores += 1
        if self._nbytes is None:
            self._nbytes = sum(entry.nbytes for entry in self.entries())
        else:
            self._nbytes += len(content)
        if self._nbytes > self.limit:
            self._trim()

    def entries(self) -> tuple[CacheEntry, ...]:
        """Return what is stored, the most recently used first."""
        if not self._is_trusted():
            return ()
        found = [
            CacheEntry(path.name.removesuffix(_SUFFIX), status.st_size, status.st_mtime)
            for path, status in self._scan()
            if path.name.endswith(_SUFFIX)
        ]
        return tuple(sorted(found, key=lambda entry: entry.used, reverse=True))

    def clear(self) -> int:
        """Remove all kernels; return how many there were."""
        removed = 0
        if self._is_trusted():
            for path, status in self._scan():
                if path.name.endswith(_SUFFIX):
                    removed += _remove(path)
                else:
                    _remove_stale(path, status)
        self._nbytes = None
        return removed

    def stats(self) -> CacheStats:
        """Return what lies in the folder, and this process's counts."""
        entries = self.entries()
        return CacheStats(
            self.folder,
            len(entries),
            sum(entry.nbytes for entry in entries),
            self.limit,
            self._hits,
            self._misses,
            self._stores,
            self._damaged,
        )

    def _path(self, digest: bytes) -> Path:
        return self._files / (digest.hex() + _SUFFIX)

    def _is_trusted(self) -> bool:
        """Return whether there is a folder; raise CacheError if it cannot be trusted."""
        if not self._trusted and self._files.is_dir():
            for folder in (self.folder, self._files):
                _check_private(folder)
            self._trusted = True
        return self._trusted

    def _make_folder(self) -> None:
        if self._trusted and self._files.is_dir():
            return
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        for folder in (self.folder, self._files):
            folder.mkdir(mode=0o700, exist_ok=True)
            _check_private(folder)
        self._trusted = True

    def _scan(self) -> Iterator[tuple[Path, os.stat_result]]:
        try:
            paths = list(self._files.iterdir())
        except OSError:
            return
        for path in paths:
            try:
                yield path, path.stat(follow_symlinks=False)
            except OSError:
                continue  # another process has just removed it

    def _trim(self) -> None:
        for path, status in self._scan():
            if not path.name.endswith(_SUFFIX):
                _remove_stale(path, status)
        total = 0
        for entry in self.entries():
            if total + entry.nbytes > self.limit * _TRIMMED:
                _remove(self._files / (entry.name + _SUFFIX))
            else:
                total += entry.nbytes
        self._nbytes = total

    def _warn(self, error: OSError) -> None:
        if self._warned:
            return
        self._warned = True
        warnings.warn(
            f"kernel cache: {self.folder} cannot be written ({error}); compiled kernels are kept "
            "in memory only, and every process compiles its own; set MUNTIN_CACHE_DIR to a folder "
            "that can be written, or MUNTIN_CACHE_SIZE=0 to keep none",
            CacheWarning,
            stacklevel=3,
        )


@cache
def _cache_at(folder: Path, limit: int) -> KernelCache:
    return KernelCache(folder, limit)


def kernel_cache() -> KernelCache:
    """Return the kernel cache that the settings name."""
    told = settings()
    return _cache_at(told.cache_dir, told.cache_size)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _pack(payload: bytes, digest: bytes) -> bytes:
    payload_digest = hashlib.sha256(payload).digest()
    return _HEADER.pack(_MAGIC, _FORMAT, digest, len(payload), payload_digest) + payload


def _unpack(content: bytes, digest: bytes) -> bytes | None:
    if len(content) < _HEADER.size:
        return None
    magic, form, of_key, length, of_payload = _HEADER.unpack_from(content)
    payload = content[_HEADER.size :]
    known = (magic, form, of_key, length) == (_MAGIC, _FORMAT, digest, len(payload))
    return payload if known and hashlib.sha256(payload).digest() == of_payload else None


def _read(path: Path) -> bytes:
    """Return what a file holds; nothing if it is another user's, or is no file."""
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        is_ours = stat.S_ISREG(status.st_mode) and not _is_foreign(status)
        return file.read() if is_ours else b""


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would wait for its writer


def _write(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        _remove(Path(temporary))
        raise


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


def _remove_stale(path: Path, status: os.stat_result) -> None:
    if status.st_mtime < time.time() - _STALE:  # else a living process may be writing it
        _remove(path)


def _is_foreign(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to neither this process's user nor root."""
    return os.name == "posix" and status.st_uid not in (os.geteuid(), 0)


def _check_private(folder: Path) -> None:
    """Raise CacheError if anyone but this process's user (or root) can write to the folder."""
    if os.name != "posix":
        return
    status = folder.stat()
    if _is_foreign(status):
        fault = f"belongs to user {status.st_uid}, not to user {os.geteuid()} of this process"
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fault = f"can be written by others (its mode is {stat.S_IMODE(status.st_mode):04o})"
    else:
        return
    raise CacheError(
        f"kernel cache: the folder {folder} {fault}; it holds machine code that will run, so it "
        f"must belong to you and be writable for you alone; run `chmod 700 {folder}`, remove it, "
        "or set MUNTIN_CACHE_DIR to a folder of your own"
    )


@cache
def source_digest() -> str:
    """Return a hash of the sources that decide what code a graph becomes.

    Files are read, not dated: builders give all files of a package the same time.
    """
    return _hash_sources(Path(__file__).parent.parent)


def _hash_sources(package: Path) -> str:
    sources = [package / "dtypes.py"]
    sources += [package / "runtime" / name for name in ("compiler.py", "cpu.py")]
    sources += sorted((package / "core").rglob("*.py"))
    hasher = hashlib.sha256()
    for source in sources:
        try:
            content = source.read_bytes()
        except OSError:  # an installation without sources: its version must do
            return _version_digest()
        name = source.relative_to(package).as_posix()
        hasher.update(f"{name} {len(content)}\n".encode())
        hasher.update(content)
    return hasher.hexdigest()


def _version_digest() -> str:
    metadata = import_module("importlib.metadata")  # costs 15 ms, and is hardly ever needed
    try:
        return f"version {metadata.version('muntin')}"
    except metadata.PackageNotFoundError:
        return f"process {os.getpid()} {time.time_ns()}"  # nothing is known: share with nobody
