"""The table of settings: defaults, the environment, overrides, and what is refused."""

import re
import threading
from contextvars import copy_context
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import numpy as np
import pytest

from muntin.config import SETTINGS, Settings, settings, settings_override, user_cache_folder
from muntin.errors import ParameterError

README = Path(__file__).parents[1] / "README.md"
HOME = Path.home()


def test_defaults() -> None:
    default = Settings.from_environment({})
    assert default.cache_size == 512 * 2**20
    assert default.memory_cache == 256
    assert default.threads == 0
    assert default.opt_level == 3
    assert default.prefer_vector_width == 512
    assert default.streaming_threshold == 0
    assert default.poison is False
    assert default.cache_dir == user_cache_folder({})


def test_a_row_describes_each_field() -> None:
    assert list(SETTINGS) == [each.name for each in fields(Settings)]
    for name, row in SETTINGS.items():
        assert row.name == name
        assert row.variable == "MUNTIN_" + name.upper()
        assert row.help.endswith(".")


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "cache_dir"])
def test_the_default_in_words_is_the_default(name: str) -> None:
    default = Settings.from_environment({})
    assert SETTINGS[name].accept(SETTINGS[name].default) == getattr(default, name)


def test_readme_has_the_table() -> None:
    rows = [
        f"| `{row.name}` | `{row.variable}` | {row.kind.allowed} | {row.default} | {row.help} |"
        for row in SETTINGS.values()
    ]
    assert "\n".join(rows) in README.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("cache_size", "0", 0),
        ("cache_size", "4096", 4096),
        ("cache_size", " 64 KiB ", 64 << 10),
        ("cache_size", "3m", 3 << 20),
        ("cache_size", "2GB", 2 << 30),
        ("cache_size", "1t", 1 << 40),
        ("cache_size", "7 b", 7),
        ("memory_cache", "1", 1),
        ("threads", "4096", 4096),
        ("opt_level", "0", 0),
        ("prefer_vector_width", "256", 256),
        ("streaming_threshold", "16MiB", 16 << 20),
        ("poison", "Yes", True),
        ("poison", "off", False),
        ("cache_dir", "~/kernels", HOME / "kernels"),
    ],
)
def test_environment(name: str, text: str, value: object) -> None:
    told = Settings.from_environment({SETTINGS[name].variable: text})
    assert getattr(told, name) == value
    assert type(getattr(told, name)) in (type(value), type(Path()))


def test_an_empty_variable_counts_as_unset() -> None:
    empty = {row.variable: "" for row in SETTINGS.values()}
    assert Settings.from_environment(empty) == Settings.from_environment({})


def test_a_relative_folder_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings(cache_dir=Path("kernels")).cache_dir == tmp_path / "kernels"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cache_dir", 3),
        ("cache_dir", "~nobody-has-this-name/kernels"),
        ("cache_size", "many"),
        ("cache_size", "-1"),
        ("cache_size", -1),
        ("cache_size", "8388608T"),
        ("cache_size", 1.5),
        ("cache_size", "4 096"),
        ("memory_cache", "0"),
        ("threads", "many"),
        ("threads", "-1"),
        ("threads", 4097),
        ("threads", True),
        ("opt_level", "4"),
        ("prefer_vector_width", 384),
        ("prefer_vector_width", "wide"),
        ("streaming_threshold", "1 KiB KiB"),
        ("poison", "maybe"),
        ("poison", 2),
        ("poison", None),
    ],
)
def test_refused_values_name_variable_value_and_allowed(name: str, value: object) -> None:
    row = SETTINGS[name]
    message = (
        f"setting {name} ({row.variable}): got {value!r}; allowed is {row.kind.allowed}; "
        f"give such a value, or none for the default, {row.default}"
    )
    with (
        pytest.raises(ParameterError, match=f"^{re.escape(message)}$"),
        settings_override(**{name: value}),
    ):
        pass
    if isinstance(value, str):
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            Settings.from_environment({row.variable: value})


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        settings().threads = 3  # type: ignore[misc]


def test_override_nests_and_ends() -> None:
    before = settings()
    with settings_override(threads=3) as outer:
        assert settings() is outer
        with settings_override(poison="on", opt_level=np.int64(1)) as inner:
            assert settings() is inner
            assert (inner.threads, inner.poison, inner.opt_level) == (3, True, 1)
            assert type(inner.opt_level) is int
        assert settings() is outer
    assert settings() is before


def test_override_ends_after_an_error() -> None:
    before = settings()
    with pytest.raises(KeyError, match="inside"), settings_override(threads=3):
        raise KeyError("inside")
    assert settings() is before


def test_override_of_an_unknown_setting() -> None:
    message = "settings_override: there is no setting 'thread'; the settings are cache_dir, "
    with pytest.raises(ParameterError, match=message), settings_override(thread=3):
        pass


def test_override_is_seen_in_its_own_context_alone() -> None:
    seen: list[int] = []
    with settings_override(threads=5):
        context = copy_context()
        other = threading.Thread(target=lambda: seen.append(settings().threads))
        other.start()
        other.join()
    assert seen == [settings().threads]
    assert settings().threads != 5
    assert context.run(settings).threads == 5


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({}, "linux", HOME / ".cache/muntin"),
        ({}, "freebsd14", HOME / ".cache/muntin"),
        ({}, "darwin", HOME / "Library/Caches/muntin"),
        ({}, "win32", HOME / "AppData/Local/muntin/cache"),
        ({"LOCALAPPDATA": "/local"}, "win32", Path("/local/muntin/cache")),
        ({"LOCALAPPDATA": "/local"}, "linux", HOME / ".cache/muntin"),
        ({"XDG_CACHE_HOME": "relative"}, "linux", HOME / ".cache/muntin"),
    ],
)
def test_user_cache_folder(environ: dict[str, str], platform: str, folder: Path) -> None:
    assert user_cache_folder(environ, platform) == folder


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_xdg_cache_home_wins(platform: str, tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": "/local"}
    assert user_cache_folder(environ, platform) == tmp_path / "muntin"
    assert Settings.from_environment(environ).cache_dir == tmp_path / "muntin"


def test_user_cache_folder_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", home)
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/temporary")
    assert user_cache_folder({}, "linux") == Path("/temporary/muntin-cache")
