"""The pages tell the truth: links lead somewhere, the map is the contract, decisions are short."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
DECISIONS = ROOT / "docs" / "design"


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "line", ["pip install . && muntin demo", 'pip install -e ".[test]" && pytest']
)
def test_readme_has_the_commands(line: str) -> None:
    assert line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


def test_every_decision_is_in_the_index() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[.+\]\((.+)\) \|", index, re.MULTILINE)
    assert listed == sorted(page.name for page in DECISIONS.glob("*.md") if page.stem != "README")


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("*.md")), ids=_name)
def test_a_decision_is_short(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 60


def _contract(container: str) -> list[list[str]]:
    """Return the layers of a part of the package, each as its names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each.get("containers") == [container])
    return [re.findall(r"\w+", layer) for layer in layers]


def _parts() -> set[str]:
    """Return the modules and folders of the package."""
    package = ROOT / "src" / "muntin"
    modules = {path.stem for path in package.glob("*.py")}
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    return (modules | folders) - {"__init__", "__main__"}


def test_the_map_shows_the_import_contracts() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    lines = text.split("## The import order")[1].split("```")[1].strip().splitlines()
    drawn = [re.findall(r"[\w()]+", line) for line in lines]
    inside = [line.startswith(("core ", " ")) for line in lines]
    core = [names for names, is_inside in zip(drawn, inside, strict=True) if is_inside]
    core[0].remove("core")
    outside = [names for names, is_inside in zip(drawn, inside, strict=True) if not is_inside]
    wanted = _contract("muntin")
    wanted.remove(["core"])
    assert core == _contract("muntin.core")
    assert [[name.strip("()") for name in names] for names in outside] == wanted
    missing = {name.strip("()") for names in drawn for name in names if name.startswith("(")}
    assert missing == {name for names in wanted for name in names} - _parts()


def test_the_map_has_a_line_for_every_module() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w/]+)` \|", text, re.MULTILINE))
    assert _parts() <= named


def test_generated_pages_are_current() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate_pages.py"))["PAGES"]
    assert set(pages) == {"array_api.md", "operations.md", "vision.md"}
    for name, page in pages.items():
        found = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert found.splitlines() == page().splitlines(), "run python docs/generate_pages.py"


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=_name)
def test_examples_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out.strip()


def test_every_example_is_in_the_list() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[(.+)\]\(\1\)", text, re.MULTILINE) == [
        example.name for example in EXAMPLES
    ]
