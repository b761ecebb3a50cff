"""The public surface: what is exported, documented and listed is the same.

`python -m tests.test_public` writes the list of names anew.
"""

import inspect
from pathlib import Path

import pytest

import muntin as mt

PAGE = Path(__file__).parents[1] / "docs" / "names.md"
HEAD = """# Public names

What `import muntin as mt` offers. `mt.xp` has the Array API's names among them, in a namespace of
its own.

| name | |
|---|---|
"""


def first_line(value: object) -> str:
    text = inspect.getdoc(value) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def page() -> str:
    """Return the page, made of the names and their docstrings."""
    rows = (f"| `{name}` | {first_line(getattr(mt, name))} |\n" for name in sorted(mt.__all__))
    return HEAD + "".join(rows)


def test_names_are_sorted_and_there() -> None:
    assert mt.__all__ == sorted(set(mt.__all__))
    assert [name for name in mt.__all__ if not hasattr(mt, name)] == []
    assert [name for name in mt.xp.__all__ if not hasattr(mt.xp, name)] == []
    assert mt.xp.__all__ == sorted(set(mt.xp.__all__))


def test_the_page_lists_every_name_with_its_docstring() -> None:
    assert PAGE.read_text(encoding="utf-8").splitlines() == page().splitlines()


@pytest.mark.parametrize("name", mt.__all__)
def test_every_name_says_in_one_line_what_it_is(name: str) -> None:
    line = first_line(getattr(mt, name))
    assert line.endswith(".")
    assert len(line) < 120


@pytest.mark.parametrize("name", [name for name in dir(mt.Array) if not name.startswith("_")])
def test_every_attribute_of_an_array_says_what_it_is(name: str) -> None:
    assert first_line(inspect.getattr_static(mt.Array, name)).endswith(".")


def test_importing_loads_no_optional_package() -> None:
    import subprocess
    import sys

    code = (
        "import sys, muntin; "
        "print([m for m in ('PIL', 'tifffile', 'dask', 'pyopencl', 'scipy', 'llvmlite') "
        "if m in sys.modules])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
