"""`muntin demo`: it runs, it shows, and what it claims is checked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import muntin as mt
from muntin.cli import demo_command
from muntin.cli.main import main
from muntin.cli.pipeline import parse_pipeline
from muntin.cli.scene import draw_scene
from muntin.cli.sheet import Panel, contact_sheet
from muntin.cli.stages import apply, stages
from muntin.interop.images import read_image, write_image


def muntin(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def small(rows: int = 96, columns: int = 128) -> Any:
    return draw_scene(rows, columns)


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_command, "_SECONDS", 0.0)


def test_the_scene_is_a_picture_and_always_the_same() -> None:
    scene = draw_scene(120, 160)
    assert (scene.shape, scene.dtype) == ((120, 160, 3), np.uint8)
    assert (scene.min(), scene.max()) == (0, 255)
    assert len(np.unique(scene)) > 200
    np.testing.assert_array_equal(scene, draw_scene(120, 160))


def test_the_demo_draws_its_own_picture(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_command, "draw_scene", small)
    result = muntin("demo")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Four pipelines over a picture drawn for this, 96×128×3:\n")
    lines = result.output.splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("pipeline "))
    assert lines[head].split()[:3] == ["pipeline", "kernels", "stages"]
    for line, title in zip(lines[head + 1 :], demo_command._PIPELINES, strict=False):
        name, kernels, loops = line.split()[:3]
        assert (name, int(kernels) >= 1, int(loops) >= 1) == (title, True, True)
    sheet = read_image(tmp_path / "muntin-demo.png")
    assert sheet.shape == (2 * (96 + 52 + 16) + 16, 3 * (128 + 16) + 16, 3)
    np.testing.assert_array_equal(sheet[16 : 16 + 96, 16 : 16 + 128], small())
    assert "They are in muntin-demo.png." in result.output


def test_the_demo_takes_a_photograph(tmp_path: Path) -> None:
    deep = small().astype(np.uint16) * 256
    write_image(tmp_path / "photo.png", np.dstack([deep, deep[..., 0]]))
    result = muntin("demo", tmp_path / "photo.png", "-o", tmp_path / "sheet.jpg")
    assert result.exit_code == 0, result.output
    assert "photo.png, 96×128×3:" in result.output
    assert (tmp_path / "sheet.jpg").exists()


@pytest.mark.parametrize("shape", [(30, 40), (30, 40, 2), (30, 40, 4)])
def test_photographs_become_grey_or_rgb(tmp_path: Path, shape: tuple[int, ...]) -> None:
    image = np.arange(np.prod(shape)).reshape(shape).astype(np.uint8)
    found = demo_command._as_bytes(image, tmp_path)
    wanted = image if len(shape) == 2 else image[..., :-1]
    np.testing.assert_array_equal(found, wanted[..., 0] if shape[2:] == (2,) else wanted)
    mask = demo_command._as_bytes(np.eye(3, dtype=bool), tmp_path)
    assert set(np.unique(mask)) == {0, 255}


def test_what_the_demo_refuses(tmp_path: Path) -> None:
    write_image(tmp_path / "x.tif", np.zeros((4, 4), np.float32))
    result = muntin("demo", tmp_path / "x.tif", "-o", tmp_path / "sheet.png")
    assert result.exit_code == 1
    assert "x.tif is float32; give a photograph of 8 or 16 bits" in result.output
    result = muntin("demo", tmp_path / "no.png", "-o", tmp_path / "sheet.png")
    assert (result.exit_code, "there is no such file" in result.output) == (1, True)
    result = muntin("demo", "-o", tmp_path / "sheet.txt")
    assert (result.exit_code, "'.txt' names no format" in result.output) == (1, True)
    assert not (tmp_path / "sheet.png").exists()


def test_a_difference_would_be_told(tmp_path: Path, monkeypatch: Any) -> None:
    results = iter([(np.zeros(3), 1.0), (np.ones(3), 1.0)])
    monkeypatch.setattr(demo_command, "_timed", lambda *arguments: next(results))
    monkeypatch.setattr(demo_command, "draw_scene", small)
    result = muntin("demo", "-o", tmp_path / "sheet.png")
    assert result.exit_code == 1
    assert "gives other pixels fused than one at a time; report it" in result.output


def test_what_is_timed_is_the_pipeline() -> None:
    picture = small()
    for text in demo_command._PIPELINES.values():
        pipeline = parse_pipeline(text, stages())
        outcome = demo_command._outcome("title", text, picture)
        (wanted,) = apply(pipeline, mt.asarray(picture))
        np.testing.assert_array_equal(outcome.image, np.asarray(wanted))
        assert outcome.bytes_apart > outcome.bytes_fused >= picture.nbytes
        assert outcome.fused > 0
        assert outcome.apart > 0


def test_panels_are_laid_out_in_rows() -> None:
    colour = np.full((20, 30, 3), 200, np.uint8)
    large = np.zeros((960, 1280), np.uint8)
    panels = [Panel("a", "b", colour), Panel("c", "d", ("text",)), Panel("e", "f", colour)]
    assert contact_sheet(panels, 2).shape == (2 * (20 + 52 + 16) + 16, 2 * (30 + 16) + 16, 3)
    sheet = contact_sheet([Panel("a", "b", large)], 1)
    assert sheet.shape == (480 + 52 + 32, 640 + 32, 3)
    assert sheet[20, 20].tolist() == [0, 0, 0]
