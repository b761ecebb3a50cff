"""The command itself, and the commands that show something."""

import os
import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from muntin.cli.main import main
from muntin.cli.words import print_table, rate_in_words, seconds_in_words, size_in_words
from muntin.errors import InternalError
from muntin.interop.images import write_image

COMMANDS = ("run", "demo", "explain", "stages", "devices", "cache")


def muntin(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def shown(*arguments: object) -> str:
    result = muntin(*arguments)
    assert result.exit_code == 0, result.output
    assert all(line == line.rstrip() for line in result.output.splitlines())
    return result.output


def refused(code: int, *arguments: object) -> str:
    result = muntin(*arguments)
    assert result.exit_code == code
    assert result.output.startswith("error: ")
    return result.output


def in_process(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    program = "from muntin.cli.main import main; main(prog_name='muntin')"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environ},
        check=False,
    )


# --- the command ----------------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    for arguments in ((), ("--help",), ("-h",)):
        text = shown(*arguments)
        assert text.startswith("Usage: muntin [OPTIONS]")
        assert all(f"\n  {name} " in text for name in COMMANDS)
        assert 'muntin run "gaussian3x3 | sobel3x3 | magnitude | threshold(80)" photo.png' in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(name: str) -> None:
    text = shown(name, "--help")
    assert text.startswith(f"Usage: muntin {name} ")
    if name in ("run", "explain", "stages"):
        assert f"Examples:\n    muntin {name}" in text


def test_version() -> None:
    assert shown("--version") == f"muntin {version('muntin')}\n"


def test_a_wrong_command_is_guessed() -> None:
    assert "there is no command 'rnu'; did you mean run?" in refused(2, "rnu")
    assert "the commands are run, demo, explain" in refused(2, "zzz")
    assert refused(2, "--nope").startswith("error: no such option")


def test_other_programs_may_embed_the_command() -> None:
    assert main.main(["--version"], standalone_mode=False) == 0


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (InternalError("stages: a ring is missing"), 1, "error: stages: a ring is missing"),
    ],
)
def test_interruptions_and_our_own_faults(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str
) -> None:
    from muntin.cli import stages_command

    def fail() -> None:
        raise error

    monkeypatch.setattr(stages_command, "stages", fail)
    result = muntin("stages")
    assert (result.exit_code, result.output.strip()) == (code, line)


def test_warnings_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    from muntin.cli import stages_command

    def warn() -> dict[str, Any]:
        warnings.simplefilter("always")
        warnings.warn("kernels are not kept", stacklevel=2)
        return {}

    monkeypatch.setattr(stages_command, "stages", warn)
    result = muntin("stages")
    assert result.output.startswith("warning: kernels are not kept\n")


def test_help_loads_no_compiler() -> None:
    program = (
        "import sys\n"
        "from muntin.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*(name for name in ('llvmlite', 'pyopencl', 'PIL', 'rich') if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines()[-1] == ""


def test_a_process_of_its_own(tmp_path: Path) -> None:
    import numpy as np

    write_image(tmp_path / "a.png", np.zeros((8, 8), np.uint8))
    good = in_process("run", "box", f"{tmp_path}/a.png", "-o", f"{tmp_path}/b.png")
    assert (good.returncode, good.stderr) == (0, "")
    assert (tmp_path / "b.png").exists()
    bad = in_process("run", "bxo", f"{tmp_path}/a.png", "-o", f"{tmp_path}/c.png")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.splitlines()[0].startswith("error: pipeline: there is no function 'bxo'")
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "cache")
    uncached = in_process(
        "run", "box", f"{tmp_path}/a.png", "-o", f"{tmp_path}/d.png", MUNTIN_CACHE_DIR=folder
    )
    assert uncached.returncode == 0
    assert uncached.stderr.startswith("warning: kernel cache: ")
    assert len(uncached.stderr.splitlines()) == 1


# --- explain --------------------------------------------------------------------------------------


def test_explain_shows_the_plan() -> None:
    text = shown("explain", "gaussian3x3 | sobel3x3 | magnitude", "--shape", "480,640")
    assert text.startswith("1 kernel; 300.0 KiB read, 600.0 KiB written\n")
    assert "480 rows × 640 columns" in text
    assert "in0  uint8 (480, 640)" in text


def test_explain_takes_shapes_and_types() -> None:
    text = shown("explain", "sobel3x3", "--shape", "30x40x3", "--dtype", "uint16")
    assert "in0  uint16 (30, 40, 3)" in text
    assert "out1  int32 (30, 40, 3)" in text


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("graph", "neighbour(%0, [-1, 0], replicate)"),
        ("program", "function entry"),
        ("llvm", "define void @muntin_kernel("),
        ("asm", "muntin_kernel:"),
        ("html", "<!DOCTYPE html>"),
    ],
)
def test_explain_shows_other_forms(tmp_path: Path, what: str, words: str) -> None:
    out = tmp_path / "text"
    result = muntin("explain", "gaussian3x3", "--what", what, "-o", out)
    assert (result.exit_code, result.output) == (0, "")
    assert words in out.read_text(encoding="utf-8")


def test_explain_refuses(tmp_path: Path) -> None:
    for shape in ("3", "1,2,3,4", "a,b", "3,-4"):
        assert "give rows and columns" in refused(2, "explain", "box", "--shape", shape)
    assert "'foo' is no element type" in refused(2, "explain", "box", "--dtype", "foo")
    assert "'x' is not one of 'plan'" in refused(2, "explain", "box", "--what", "x")
    assert "there is no function 'bx'" in refused(2, "explain", "bx")
    message = refused(1, "explain", "box", "-o", tmp_path / "no" / "x")
    assert "cannot be written: No such file or directory" in message


# --- stages, devices, cache -----------------------------------------------------------------------


def test_stages_lists_all_or_one() -> None:
    text = shown("stages")
    assert "\nbox(size=3, border='replicate')" in text
    assert "\ngrey " in text
    one = shown("stages", "magnitude")
    assert one.startswith("magnitude(norm='l2')\n  takes 2 images\n\n")
    assert "Parameters\n----------" in one
    assert "takes the images of the stage before" in shown("stages", "take")
    assert "there is no function 'tresh'; did you mean threshold?" in refused(2, "stages", "tresh")
    assert "`muntin stages` lists all" in refused(2, "stages", "zzzz")


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    from muntin.runtime import opencl

    text = shown("devices").splitlines()
    assert text[0].split() == ["device", "is"]
    assert text[1].startswith("cpu ")
    assert "-bit vectors" in text[1]
    assert text[-1].split(maxsplit=1) == ["reference", "NumPy, node by node"]
    monkeypatch.setattr(opencl, "count_devices", lambda: 0)
    assert "not here: no driver offers a device" in shown("devices")

    def missing() -> int:
        raise ImportError("No module named 'pyopencl'")

    monkeypatch.setattr(opencl, "count_devices", missing)
    words = (
        "opencl     not here: No module named 'pyopencl'; pip install \"muntin[opencl]\" brings it"
    )
    assert words in shown("devices")
    monkeypatch.setattr(opencl, "count_devices", lambda: 99)
    assert "opencl:98" in shown("devices")


def test_cache(tmp_path: Path) -> None:
    from muntin.config import settings_override
    from muntin.runtime.cache import kernel_cache

    with settings_override(cache_dir=tmp_path / "kept", cache_size="1 MiB"):
        assert shown("cache", "path") == f"{tmp_path / 'kept'}\n"
        assert shown("cache") == f"{tmp_path / 'kept'}: 0 kernels, 0 B of 1.0 MiB\n"
        kernel_cache().put("key", b"code")
        assert shown("cache", "show").startswith(f"{tmp_path / 'kept'}: 1 kernel, ")
        assert shown("cache", "clear") == f"removed 1 kernel from {tmp_path / 'kept'}\n"
        assert shown("cache", "clear") == f"removed 0 kernels from {tmp_path / 'kept'}\n"
    assert "'drop' is not one of 'show', 'clear', 'path'" in refused(2, "cache", "drop")


# --- words ----------------------------------------------------------------------------------------


def test_numbers_in_words() -> None:
    assert seconds_in_words(0.0000042) == "0.004 ms"
    assert seconds_in_words(0.0042) == "4.20 ms"
    assert seconds_in_words(1234) == "1 234 s"
    assert rate_in_words(1_000_000, 0) == "1 000 000 000 MP/s"
    assert size_in_words(()) == ""


def test_tables_are_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [("[bold]", "1"), ("b", "22")], right="lr")
    assert capsys.readouterr().out == "name     n\n[bold]   1\nb       22\n"
