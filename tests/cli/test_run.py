"""`muntin run`: files in, files out, and a clean line for everything that goes wrong."""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result

import muntin as mt
from muntin import vision as vx
from muntin.cli.functions import grey
from muntin.cli.main import main
from muntin.interop.images import read_image, write_image

EDGES = "gaussian3x3 | sobel3x3 | magnitude | threshold(80)"


def muntin(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(code: int, *arguments: object) -> str:
    result = muntin(*arguments)
    assert result.exit_code == code
    assert result.output.startswith("error: ")
    assert "Traceback" not in result.output
    return result.output.strip()


@pytest.fixture
def pixels() -> npt.NDArray[Any]:
    y, x = np.mgrid[:40, :50]
    waves = 128 + 100 * np.sin(x / 3) * np.cos(y / 4)
    return np.stack([waves, waves[::-1], waves[:, ::-1]], axis=-1).astype(np.uint8)


@pytest.fixture
def photo(tmp_path: Path, pixels: npt.NDArray[Any]) -> Path:
    write_image(tmp_path / "photo.png", pixels)
    return tmp_path / "photo.png"


def edges(image: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(vx.threshold(vx.magnitude(*vx.sobel3x3(vx.gaussian3x3(image))), 80))


# --- one file -------------------------------------------------------------------------------------


def test_a_pipeline_over_a_file(tmp_path: Path, photo: Path, pixels: npt.NDArray[Any]) -> None:
    result = muntin("run", EDGES, photo, "-o", tmp_path / "edges.png")
    assert result.exit_code == 0, result.output
    np.testing.assert_array_equal(read_image(tmp_path / "edges.png"), edges(pixels))
    line = r"photo\.png 40×50×3 → .*edges\.png: decode [\d.]+ m?s, compile [\d. ]+ m?s, "
    assert re.search(line + r"run [\d.]+ m?s, encode [\d.]+ m?s; [\d. ]+ MP/s$", result.output)


@pytest.mark.parametrize("options", [["--threads", 1], ["--device", "reference"]])
def test_devices_and_threads_give_the_same(
    tmp_path: Path, photo: Path, pixels: npt.NDArray[Any], options: list[object]
) -> None:
    out = tmp_path / "edges.png"
    assert muntin("run", EDGES, photo, "-o", out, *options).exit_code == 0
    np.testing.assert_array_equal(read_image(out), edges(pixels))


def test_the_fastest_of_several_runs(tmp_path: Path, photo: Path, pixels: Any) -> None:
    result = muntin("run", EDGES, photo, "-o", tmp_path / "edges.png", "--repeat", 3)
    assert result.output.rstrip().endswith("MP/s (best of 3)")
    np.testing.assert_array_equal(read_image(tmp_path / "edges.png"), edges(pixels))


def test_grey_and_deep_results(tmp_path: Path, photo: Path, pixels: npt.NDArray[Any]) -> None:
    out = tmp_path / "deep.tif"
    assert muntin("run", "grey | laplacian", photo, "-o", out).exit_code == 0
    wanted = np.asarray(vx.laplacian(grey(mt.asarray(pixels))))
    np.testing.assert_array_equal(read_image(out), wanted, strict=True)
    write_image(tmp_path / "deep.png", pixels.astype(np.uint16) * 257)
    assert muntin("run", "box", tmp_path / "deep.png", "-o", tmp_path / "b.png").exit_code == 0
    wanted = np.asarray(vx.box(pixels.astype(np.uint16) * 257))
    np.testing.assert_array_equal(read_image(tmp_path / "b.png"), wanted, strict=True)


def test_truth_values_enter_and_leave_as_0_and_255(tmp_path: Path) -> None:
    from PIL import Image

    mask = np.eye(9, dtype=bool)
    Image.fromarray(mask).save(tmp_path / "mask.png")
    assert muntin("run", "median", tmp_path / "mask.png", "-o", tmp_path / "m.png").exit_code == 0
    wanted = np.asarray(vx.median(mask.astype(np.uint8) * np.uint8(255)))
    np.testing.assert_array_equal(read_image(tmp_path / "m.png"), wanted)
    run = muntin("run", "greater(100)", tmp_path / "mask.png", "-o", tmp_path / "g.png")
    assert run.exit_code == 0
    assert set(np.unique(read_image(tmp_path / "g.png"))) == {0, 255}


def test_alpha_is_a_channel_until_it_is_dropped(tmp_path: Path, pixels: npt.NDArray[Any]) -> None:
    four = np.dstack([pixels, pixels[..., 0]])
    write_image(tmp_path / "four.png", four)
    for text, wanted in (("box", four), ("rgb | box", pixels)):
        out = tmp_path / "out.png"
        assert muntin("run", text, tmp_path / "four.png", "-o", out).exit_code == 0
        np.testing.assert_array_equal(read_image(out), np.asarray(vx.box(wanted)))


# --- several files --------------------------------------------------------------------------------


def test_a_folder_of_files(tmp_path: Path, pixels: npt.NDArray[Any]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    write_image(folder / "a.png", pixels)
    write_image(folder / "b.PNG", pixels[:20])
    write_image(folder / "c.tif", pixels[:, :, 0])
    (folder / "notes.txt").write_text("no image")
    result = muntin("run", "median", folder, "-o", tmp_path / "new" / "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "new" / "out"
    assert sorted(os.listdir(out)) == ["a.png", "b.PNG", "c.tif"]
    np.testing.assert_array_equal(read_image(out / "b.PNG"), np.asarray(vx.median(pixels[:20])))
    assert re.match(r"3 images, 0\.0 MP → .*out: decode ", result.output)


def test_the_format_may_change(tmp_path: Path, photo: Path, pixels: npt.NDArray[Any]) -> None:
    result = muntin("run", "laplacian", photo, "-o", f"{tmp_path}/out/", "--to", "tiff")
    assert result.exit_code == 0, result.output
    found = read_image(tmp_path / "out" / "photo.tif")
    np.testing.assert_array_equal(found, np.asarray(vx.laplacian(pixels)), strict=True)


def test_a_failure_among_many_does_not_stop_the_others(tmp_path: Path, photo: Path) -> None:
    (tmp_path / "broken.png").write_bytes(photo.read_bytes()[:200])
    write_image(tmp_path / "grey.png", np.zeros((4, 4), np.uint8))
    names = [tmp_path / "broken.png", photo, tmp_path / "grey.png"]
    result = muntin("run", "channel(1)", *names, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert os.listdir(tmp_path / "out") == ["photo.png"]
    assert "broken.png: the PNG data are damaged or cut short" in result.output
    assert "grey.png: pipeline: channel: the image (4, 4) is grey" in result.output
    assert "1 image, 0.0 MP" in result.output
    assert result.output.rstrip().endswith("2 of 3 failed")


def test_a_fault_of_the_text_is_shown_once(tmp_path: Path, photo: Path) -> None:
    write_image(tmp_path / "other.png", np.zeros((4, 4), np.uint8))
    names = [photo, tmp_path / "other.png"]
    message = refused(1, "run", "box(border='reflect')", *names, "-o", tmp_path / "out")
    assert message.count("means opposite things") == 1
    assert message.count("other.png: the same as above") == 1
    assert message.endswith("2 of 2 failed")
    assert "MP →" not in message


def test_a_page_of_several(tmp_path: Path) -> None:
    import tifffile

    pages = np.random.default_rng(1).integers(0, 256, (3, 9, 12), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "stack.tif", pages, photometric="minisblack")
    out = tmp_path / "out.png"
    assert "take one with page=0 (or --page 0)" in refused(
        1, "run", "median", tmp_path / "stack.tif", "-o", out
    )
    assert muntin("run", "median", tmp_path / "stack.tif", "-o", out, "--page", 2).exit_code == 0
    np.testing.assert_array_equal(read_image(out), np.asarray(vx.median(pages[2])))


# --- what goes wrong ------------------------------------------------------------------------------


def test_mistakes_in_the_text(tmp_path: Path, photo: Path) -> None:
    message = refused(2, "run", "gausian3x3 | box", photo, "-o", tmp_path / "x.png")
    first, *rest = message.splitlines()
    assert first.startswith("error: pipeline: there is no function 'gausian3x3'; did you mean gau")
    assert rest == ["  gausian3x3 | box", "  ^^^^^^^^^^"]
    message = refused(2, "run", "box | threshold", photo, "-o", tmp_path / "x.png")
    assert "missing a required argument: 'value'" in message
    message = refused(2, "run", "sobel3x3", photo, "-o", tmp_path / "x.png")
    assert "it ends in 2 images, of sobel3x3, and a file holds one; append | magnitude" in message


def test_results_that_the_file_does_not_hold(tmp_path: Path, photo: Path) -> None:
    message = refused(1, "run", "laplacian", photo, "-o", tmp_path / "x.png")
    assert message.endswith(
        "x.png: the pipeline gives int16 (40, 50, 3), which PNG does not hold; append "
        "| convert_depth('uint8'), or write TIFF"
    )
    message = refused(1, "run", "sqrt", photo, "-o", tmp_path / "x.jpg")
    assert "| convert_depth('uint8') (after | linear(255) if its values are 0 to 1)" in message
    message = refused(1, "run", "astype('uint16')", photo, "-o", tmp_path / "x.jpg")
    assert "append | convert_depth('uint8', shift=8), or write PNG or TIFF" in message
    write_image(tmp_path / "four.png", np.zeros((4, 4, 4), np.uint8))
    message = refused(1, "run", "box", tmp_path / "four.png", "-o", tmp_path / "x.jpg")
    assert "which JPEG does not hold; append | rgb, or write PNG or TIFF" in message
    write_image(tmp_path / "two.png", np.zeros((4, 4, 2), np.uint8))
    message = refused(1, "run", "box", tmp_path / "two.png", "-o", tmp_path / "x.jpg")
    assert "which JPEG does not hold; append | grey, or write PNG or TIFF" in message
    message = refused(1, "run", "crop(0, 0, 0, 4)", photo, "-o", tmp_path / "x.png")
    assert "PNG holds 1 to 2147483647 rows and columns" in message
    assert not (tmp_path / "x.png").exists()


def test_results_that_are_no_image(tmp_path: Path, photo: Path, monkeypatch: Any) -> None:
    from muntin.cli import run_command
    from muntin.cli import stages as module
    from muntin.cli.stages import Stage

    table = {**module.stages(), "first": Stage("first", lambda img: img[0, 0], 1)}
    monkeypatch.setattr(module, "stages", lambda: table)
    monkeypatch.setattr(run_command, "stages", lambda: table)
    message = refused(1, "run", "first", photo, "-o", tmp_path / "x.png")
    assert "the pipeline gives uint8 (3,), which is no image of 1 to 4 channels" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["box"], "missing argument 'INPUT...'; see muntin run --help"),
        (["box", "photo.png"], "missing option '-o' / '--output'; see muntin run --help"),
        (["box", "photo.png", "-o", "x.png", "--threads", "0"], "0 is not in the range"),
        (["box", "photo.png", "-o", "x.png", "--repeat", "0"], "0 is not in the range"),
        (["box", "photo.png", "-o", "x.png", "--device", "tpu"], "'tpu' names no device"),
        (["box", "photo.png", "-o", "x.png", "--to", "gif"], "'gif' is not one of"),
        (["box", "photo.png", "-o", "x.png", "--to", "tiff"], "--to is tiff, and the name x.png"),
        (["box", "photo.png", "-o", "photo.png"], "photo.png is an input and would be replaced"),
        (["box", "photo.png", "photo.png", "-o", "x.png"], "x.png is a file, and 2 images will"),
        (["box", "photo.png", "photo.png", "-o", "notes"], "notes is a file, and 2 images will"),
        (["box", "photo.png", "./photo.png", "-o", "out"], "would both become out"),
        (["box", "empty", "-o", "out"], "folder empty has no files that end in .png, .jpg"),
        (["box", "photo.png", "-o", "x.png", "--thread", "1"], "no such option"),
    ],
)
def test_wrong_usage(
    tmp_path: Path, photo: Path, monkeypatch: Any, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").touch()
    found = refused(2, "run", *arguments)
    assert message in found.lower() or message in found
    assert len(found.splitlines()) == 1


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("missing.png", "x.png", "read_image: missing.png: there is no such file or folder"),
        ("notes", "x.png", "read_image: notes: this is no PNG, JPEG or TIFF image"),
        ("photo.png", "x.gif", "'.gif' names no format that can be written; use .png, .jpg"),
        ("photo.png", "no/x.png", "write_image: no/x.png: there is no folder no; make it first"),
    ],
)
def test_files_that_fail(
    tmp_path: Path, photo: Path, monkeypatch: Any, source: str, target: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("hello")
    assert message in refused(1, "run", "box", source, "-o", target)
