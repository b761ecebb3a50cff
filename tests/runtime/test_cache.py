"""Kernels kept on disk: never the wrong one, never a broken one."""

import importlib.metadata
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from muntin.config import settings_override
from muntin.errors import CacheError
from muntin.runtime import cache as cache_module
from muntin.runtime.cache import CacheWarning, KernelCache, kernel_cache, source_digest

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such modes")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "muntin"


@pytest.fixture
def cache(folder):
    return KernelCache(folder, 1 << 20)


def only_file(cache: KernelCache) -> Path:
    (path,) = (cache.folder / "kernels").iterdir()
    return path


def age(cache: KernelCache, key: str, seconds: float) -> None:
    path = cache._path(cache_module._digest(key))
    past = time.time() - seconds
    os.utime(path, (past, past))


@pytest.mark.parametrize("payload", [b"", b"code", bytes(range(256)) * 1000])
def test_what_is_stored_is_found(cache, folder, payload):
    assert cache.get("key") is None
    cache.put("key", payload)
    assert cache.get("key") == payload
    assert KernelCache(folder, 1 << 20).get("key") == payload
    assert cache.get("other") is None


def test_the_last_one_stored_stands(cache):
    cache.put("key", b"old")
    cache.put("key", b"new")
    assert cache.get("key") == b"new"
    assert len(cache.entries()) == 1


def test_no_folder_before_something_is_stored(cache, folder):
    assert cache.get("key") is None
    assert cache.entries() == ()
    assert cache.clear() == 0
    assert not folder.parent.exists()


@pytest.mark.parametrize("at", [0, 8, 16, 48, 56, 88, 91, -1])
def test_one_changed_byte_is_a_miss(cache, at):
    cache.put("key", b"payload")
    path = only_file(cache)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    assert cache.get("key") is None
    assert not path.exists()
    assert cache.stats().damaged == 1
    cache.put("key", b"payload")
    assert cache.get("key") == b"payload"


@pytest.mark.parametrize("length", [0, 1, 50, 88, 94])
def test_a_file_cut_short_is_a_miss(cache, length):
    cache.put("key", b"payload")
    path = only_file(cache)
    path.write_bytes(path.read_bytes()[:length])
    assert cache.get("key") is None
    assert not path.exists()


@pytest.mark.parametrize("content", [b"\x7fELF foreign", b"x" * 500])
def test_a_foreign_file_is_a_miss(cache, content):
    cache.put("key", b"payload")
    only_file(cache).write_bytes(content)
    assert cache.get("key") is None
    assert cache.entries() == ()


def test_a_file_longer_than_it_says_is_a_miss(cache):
    cache.put("key", b"payload")
    path = only_file(cache)
    path.write_bytes(path.read_bytes() + b"more")
    assert cache.get("key") is None


def test_another_keys_file_is_a_miss(cache):
    cache.put("key", b"payload")
    os.replace(only_file(cache), cache._path(cache_module._digest("other")))
    assert cache.get("other") is None
    assert cache.stats().damaged == 1


def test_the_least_recently_used_go_first(folder):
    cache = KernelCache(folder, 4000)
    for number in range(4):
        cache.put(f"key {number}", bytes(850))
        age(cache, f"key {number}", 1000 - number)
    assert cache.get("key 0") is not None  # used now
    cache.put("key 4", bytes(850))
    kept = [number for number in range(5) if cache.get(f"key {number}") is not None]
    assert kept == [0, 3, 4]
    assert cache.stats().nbytes <= 4000


def test_a_kernel_larger_than_the_limit_is_not_kept(folder):
    cache = KernelCache(folder, 1000)
    cache.put("key", bytes(2000))
    assert cache.entries() == ()


def test_other_processes_kernels_count(folder):
    KernelCache(folder, 1 << 20).put("first", bytes(900))
    cache = KernelCache(folder, 1500)
    age(cache, "first", 10)
    cache.put("second", bytes(900))
    assert [cache.get(key) is not None for key in ("first", "second")] == [False, True]


def test_a_limit_of_zero_keeps_none(folder):
    cache = KernelCache(folder, 0)
    cache.put("key", b"payload")
    assert cache.get("key") is None
    assert not folder.exists()


def test_entries_clear_and_stats(cache, folder):
    cache.put("a", b"1")
    cache.put("b", b"22")
    age(cache, "a", 100)
    newest, oldest = cache.entries()
    assert newest.nbytes == oldest.nbytes + 1
    assert newest.used > oldest.used
    assert len(newest.name) == 64
    cache.get("a")
    cache.get("c")
    stats = cache.stats()
    assert (stats.folder, stats.entries, stats.limit) == (folder, 2, 1 << 20)
    assert (stats.hits, stats.misses, stats.stores, stats.damaged) == (1, 1, 2, 0)
    assert stats.nbytes == newest.nbytes + oldest.nbytes
    assert cache.clear() == 2
    assert cache.stats().entries == 0
    cache.put("a", b"1")
    assert cache.get("a") == b"1"


@pytest.mark.parametrize(
    ("use", "arguments"), [("put", ("other", bytes(950))), ("clear", ())], ids=["trim", "clear"]
)
def test_what_a_dead_process_left_is_removed(folder, use, arguments):
    cache = KernelCache(folder, 1000)
    cache.put("key", b"1")
    left = folder / "kernels" / "tmpabc"
    fresh = folder / "kernels" / "tmpdef"
    for path in (left, fresh):
        path.write_bytes(b"half a ker")
    os.utime(left, (0, 0))
    getattr(cache, use)(*arguments)
    assert not left.exists()
    assert fresh.exists()


def test_nothing_is_left_of_a_write_that_fails(cache, folder, monkeypatch):
    def replace(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.warns(CacheWarning, match="disk full"):
            cache.put("key", b"payload")
    assert list((folder / "kernels").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path, recwarn):
    (tmp_path / "file").write_text("in the way")
    cache = KernelCache(tmp_path / "file" / "muntin", 1 << 20)
    for _ in range(3):
        cache.put("key", b"payload")
        assert cache.get("key") is None
    (warning,) = recwarn
    assert warning.category is CacheWarning
    assert "cannot be written" in str(warning.message)
    assert "set MUNTIN_CACHE_DIR to a folder that can be written" in str(warning.message)


@posix
def test_the_folder_is_its_owners_alone(cache, folder):
    before = os.umask(0)
    try:
        cache.put("key", b"payload")
    finally:
        os.umask(before)
    for path in (folder, folder / "kernels"):
        assert path.stat().st_mode & 0o777 == 0o700
    assert only_file(cache).stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
@pytest.mark.parametrize("inner", ["", "kernels"])
def test_a_folder_that_others_can_write_is_refused(cache, folder, mode, inner):
    cache.put("key", b"payload")
    (folder / inner).chmod(mode)
    for use in (
        lambda fresh: fresh.get("key"),
        lambda fresh: fresh.put("key", b""),
        lambda fresh: fresh.clear(),
        lambda fresh: fresh.stats(),
    ):
        with pytest.raises(CacheError, match=rf"can be written by others .*{mode:04o}.*chmod 700"):
            use(KernelCache(folder, 1 << 20))
    assert len(list((folder / "kernels").iterdir())) == 1


@posix
def test_another_users_folder_is_refused(cache, folder, monkeypatch):
    cache.put("key", b"payload")
    owner = folder.stat().st_uid
    if owner == 0:
        owner = 12345
        for path in (folder, folder / "kernels"):
            os.chown(path, owner, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(CacheError, match=f"belongs to user {owner}, not to user .* remove it, or"):
        KernelCache(folder, 1 << 20).get("key")


def test_writers_and_readers_at_once(cache):
    payload = bytes(range(256)) * 400

    def work(number: int) -> bool:
        for _ in range(20):
            cache.put("key", payload)
            if cache.get("key") not in (payload, None):
                return False
        return True

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(work, range(8)))
    assert cache.stats().damaged == 0
    assert len(cache.entries()) == 1


def test_processes_share_a_folder(cache, folder):
    code = (
        "import pathlib, sys\n"
        "from muntin.runtime.cache import KernelCache\n"
        "cache = KernelCache(pathlib.Path(sys.argv[1]), 1 << 20)\n"
        "for turn in range(200):\n"
        "    cache.put(f'key {turn % 7}', bytes([turn % 7]) * 5000)\n"
        "    found = cache.get(f'key {turn % 5}')\n"
        "    assert found in (None, bytes([turn % 5]) * 5000)\n"
        "    if turn % 50 == 49: cache.clear()\n"
        "assert cache.stats().damaged == 0\n"
    )
    command = [sys.executable, "-c", code, str(folder)]
    others = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    for other in others:
        _, errors = other.communicate(timeout=60)
        assert (other.returncode, errors) == (0, b"")


def test_the_settings_name_the_cache(tmp_path):
    with settings_override(cache_dir=tmp_path / "a", cache_size=4096):
        first = kernel_cache()
        assert (first.folder, first.limit) == (tmp_path / "a", 4096)
        assert kernel_cache() is first
    with settings_override(cache_dir=tmp_path / "b"):
        assert kernel_cache().folder == tmp_path / "b"


def test_the_digest_follows_the_compilers_sources(tmp_path):
    names = ("dtypes.py", "runtime/cpu.py", "runtime/compiler.py")
    for name in (*names, "core/graph/node.py", "core/emit/llvm.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    seen = {cache_module._hash_sources(tmp_path)}
    (tmp_path / "vision.py").write_text("# does not count\n")
    seen.add(cache_module._hash_sources(tmp_path))
    assert len(seen) == 1
    (tmp_path / "core/emit/llvm.py").write_text("# core/emit/mvll.py\n")
    seen.add(cache_module._hash_sources(tmp_path))
    (tmp_path / "core/emit/llvm.py").rename(tmp_path / "core/emit/opencl_c.py")
    seen.add(cache_module._hash_sources(tmp_path))
    for name in names:
        (tmp_path / name).write_text("")
        seen.add(cache_module._hash_sources(tmp_path))
    assert len(seen) == 6


def test_the_digest_is_the_same_every_time():
    assert source_digest() == source_digest()
    assert len(source_digest()) == 64


def test_without_sources_the_version_is_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.2.3")
    assert cache_module._hash_sources(tmp_path) == "version 1.2.3"


def test_without_sources_and_version_nothing_is_shared(tmp_path, monkeypatch):
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    first = cache_module._hash_sources(tmp_path)
    assert first.startswith(f"process {os.getpid()} ")
    assert cache_module._hash_sources(tmp_path) != first
