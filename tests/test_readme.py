"""The pages run: Python blocks in order and in one namespace, commands on a photograph."""

import re
import shlex
from pathlib import Path
from types import CodeType

import numpy as np
import pytest
from click.testing import CliRunner

from muntin.cli.main import main
from muntin.interop.images import write_image

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
PROGRAMS = ROOT / "docs" / "programs.md"
BLOCK = re.compile(r"(<!-- not run -->\n\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(page: Path) -> list[CodeType]:
    """Compile the blocks so that a traceback shows the page's own line numbers."""
    text = page.read_text(encoding="utf-8")
    return [
        compile("\n" * text.count("\n", 0, block.start(2)) + block[2], str(page), "exec")
        for block in BLOCK.finditer(text)
        if block[1] is None
    ]


@pytest.mark.parametrize(
    ("page", "count", "names"),
    [
        (README, 5, {"mt", "vx", "mask"}),
        (GUIDE, 20, {"image", "detect", "plan"}),
        (PROGRAMS, 7, {"labelling", "labels", "sizes"}),
    ],
    ids=["README", "guide", "programs"],
)
def test_the_blocks_run(page: Path, count: int, names: set[str]) -> None:
    blocks = _blocks(page)
    assert len(blocks) >= count
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(block, namespace)
    assert names <= set(namespace)


def test_programs_show_what_the_example_has() -> None:
    example = (ROOT / "examples" / "components.py").read_text(encoding="utf-8")
    shown = [block[2] for block in BLOCK.finditer(PROGRAMS.read_text(encoding="utf-8"))]
    assert [block in example for block in shown].count(True) == 1


def test_a_marked_block_is_skipped_and_lines_are_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n```python\na = 1\n```\n\n<!-- not run -->\n\n```python\nb = 2\n```\n\n"
        "```python\nc = 3\n```\n",
        encoding="utf-8",
    )
    first, last = _blocks(page)
    assert (first.co_names, last.co_names) == (("a",), ("c",))
    assert max(line for *_, line in last.co_lines() if line) == 14


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    photo = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    write_image("photo.jpg", photo)
    Path("photos").mkdir()
    write_image("photos/first.png", photo)
    text = README.read_text(encoding="utf-8").partition("## On the command line")[2]
    lines = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(lines) >= 6
    for line in lines:
        name, *arguments = shlex.split(line, comments=True)
        assert name == "muntin"
        if arguments[0] == "demo":  # has a test of its own
            continue
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
    assert {"edges.png", "smooth", "plan.html"} <= {path.name for path in tmp_path.iterdir()}
