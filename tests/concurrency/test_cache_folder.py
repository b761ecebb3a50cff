"""The folder of kernels: filled by many at once, and damaged in every way."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muntin.config import settings_override
from muntin.errors import CacheError
from muntin.runtime.cache import CacheWarning
from tests.concurrency.processes import finish, run, start
from tests.concurrency.small import evaluate, loaded

posix = pytest.mark.skipif(os.name != "posix", reason="the platform has no such files or modes")
root_only = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with settings_override(cache_dir=tmp_path / "cache"):
        yield tmp_path / "cache"


@pytest.fixture(scope="module")
def answer() -> str:
    with settings_override(cache_size=0):
        return evaluate()[0]


FILL = """
import pathlib, sys, time
from tests.concurrency.small import evaluate
from muntin.runtime.cache import kernel_cache
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.001)
print(evaluate()[0], kernel_cache().stats().damaged)
"""


def test_eight_processes_fill_an_empty_folder(tmp_path, answer):
    folder, signal = tmp_path / "cache", tmp_path / "go"
    crowd = [start(FILL, signal, MUNTIN_CACHE_DIR=str(folder)) for _ in range(8)]
    signal.touch()
    assert {finish(process) for process in crowd} == {f"{answer} 0\n"}
    names = sorted(path.name for path in (folder / "kernels").iterdir())
    with settings_override(cache_dir=folder):
        _, device = evaluate()
        assert loaded(device) == [True] * 3
    assert sorted(path.name for path in (folder / "kernels").iterdir()) == names
    assert all(name.endswith(".kernel") for name in names)


def cut(length: int) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes()[:length])


def flip(place: float) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(place * (len(content) - 1))] ^= 16
        path.write_bytes(content)

    return damage


def replace(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def swap(path: Path) -> None:
    other = min(other for other in path.parent.iterdir() if other != path)
    first, second = path.read_bytes(), other.read_bytes()
    path.write_bytes(second)
    other.write_bytes(first)


FILES = {
    "emptied": cut(0),
    "cut in the header": cut(40),
    "cut after the header": cut(88),
    "cut in the code": cut(900),
    "a byte less": cut(-1),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    **{f"a bit at {place}": flip(place) for place in (0, 0.003, 0.01, 0.02, 0.1, 0.5, 0.9, 1)},
    "another's": swap,
    "text": lambda path: path.write_text("no kernel\n" * 40),
    "machine code alone": lambda path: path.write_bytes(path.read_bytes()[88:]),
    "missing": Path.unlink,
}
OBJECTS = {
    "a link to nothing": replace(lambda path: path.symlink_to("nowhere")),
    "a link to itself": replace(lambda path: path.symlink_to(path.name)),
    "a link to a device": replace(lambda path: path.symlink_to("/dev/zero")),
    "a pipe": replace(lambda path: os.mkfifo(path)),
    "foreign": lambda path: os.chown(path, 12345, -1),
}
marks = {"foreign": root_only}
damages = [
    *(pytest.param(damage, id=name) for name, damage in FILES.items()),
    *(
        pytest.param(damage, id=name, marks=marks.get(name, posix))
        for name, damage in OBJECTS.items()
    ),
]


@pytest.mark.parametrize("damage", damages)
def test_a_damaged_kernel_is_compiled_again_and_kept(folder, answer, damage):
    evaluate()
    damage(min((folder / "kernels").iterdir()))
    found, device = evaluate()
    assert found == answer
    assert False in loaded(device)
    found, device = evaluate()
    assert found == answer
    assert loaded(device) == [True] * 3


def test_folders_in_place_of_kernels(folder, answer):
    evaluate()
    for path in (folder / "kernels").iterdir():
        path.unlink()
        path.mkdir()
    with pytest.warns(CacheWarning, match=r"cannot be written \(.*directory"):
        found, device = evaluate()
    assert (found, loaded(device)) == (answer, [False] * 3)
    assert all(path.is_dir() for path in (folder / "kernels").iterdir()), "a file was left"


@pytest.mark.parametrize("inner", [".", "kernels"])
@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("in the way"),
        pytest.param(lambda path: path.symlink_to("nowhere"), marks=posix),
    ],
    ids=["file", "link"],
)
def test_something_in_place_of_the_folder(folder, answer, inner, make):
    place = folder / inner
    place.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o700)
    make(place)
    with pytest.warns(CacheWarning, match=r"cannot be written .*MUNTIN_CACHE_DIR") as warned:
        found, device = evaluate()
    assert len(warned) == 1
    assert (found, loaded(device)) == (answer, [False] * 3)


def test_strangers_beside_the_kernels_stay(folder, answer):
    evaluate()
    strangers = [folder / "notes.txt", folder / "kernels" / "notes.txt"]
    for path in strangers:
        path.write_text("mine")
    (folder / "kernels" / "inner").mkdir()
    found, device = evaluate()
    assert (found, loaded(device)) == (answer, [True] * 3)
    assert all(path.read_text() == "mine" for path in strangers)


@posix
@pytest.mark.parametrize("inner", [".", "kernels"])
@pytest.mark.parametrize("mode", [0o770, 0o777])
def test_a_folder_that_others_can_write_is_refused_until_it_is_closed(folder, answer, mode, inner):
    evaluate()
    (folder / inner).chmod(mode)
    settings = {"cache_dir": folder, "cache_size": 1 << 20}  # a cache that has not looked yet
    with settings_override(**settings):
        for _ in range(2):
            with pytest.raises(
                CacheError, match=rf"can be written by others .*{mode:04o}.*run `chmod 700"
            ):
                evaluate()
        (folder / inner).chmod(0o700)
        found, device = evaluate()
    assert (found, loaded(device)) == (answer, [True] * 3)


READ_ONLY = """
import os, sys, warnings
from muntin.config import settings_override
from muntin.runtime.cache import CacheWarning
from tests.concurrency.small import IMAGE, evaluate, loaded, mt, np
with settings_override(cache_size=0):
    evaluate()
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
folder = sys.argv[1]
found, device = evaluate()
assert loaded(device) == [False] * 3
os.chmod(folder + "/kernels", 0o500)
assert evaluate()[0] == found
assert loaded(evaluate()[1]) == [True] * 3
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for power in (2, 3):
        value = mt.asarray(IMAGE.astype("int64"))
        for _ in range(power):
            value = value * value
        assert np.asarray(value)[0, 1] == 1
(warning,) = told
assert warning.category is CacheWarning
for name in os.listdir(folder + "/kernels"):
    with open(f"{folder}/kernels/{name}", "r+b") as file:
        file.truncate(100)
assert evaluate()[0] == found
os.chmod(folder + "/kernels", 0o700)
print(found)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="users are numbered otherwise")
def test_a_folder_that_cannot_be_written(open_folder, answer):
    mine = open_folder / "cache"
    mine.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(mine, 65534, 65534)
    assert run(READ_ONLY, mine, MUNTIN_CACHE_DIR=str(mine)) == f"{answer}\n"
