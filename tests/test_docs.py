"""The pages tell the truth: links lead somewhere, the map is the contract, decisions are short."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
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


def test_the_map_shows_the_import_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = text.split("## The import order")[1].split("```")[1].strip().splitlines()
    assert [line.split(" · ") for line in drawn] == [re.findall(r"\w+", layer) for layer in layers]


def test_the_map_has_a_line_for_every_module() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w/]+)` \|", text, re.MULTILINE))
    package = ROOT / "src" / "muntin"
    modules = {path.stem for path in package.iterdir() if path.suffix == ".py"}
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    assert (modules | folders) - {"__init__", "__main__"} <= named
