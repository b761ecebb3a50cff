"""The functions of pipelines, and what they say when they get something else."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.cli.functions import channel, crop, grey, rgb, take
from muntin.cli.pipeline import parse_pipeline
from muntin.cli.stages import apply, stages
from muntin.errors import BoundsError, DTypeError, PipelineError

rng = np.random.default_rng(3)


def image(*shape: int, dtype: str = "uint8") -> npt.NDArray[Any]:
    if dtype.startswith("float"):
        return rng.random(shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def run(text: str, pixels: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    results = apply(parse_pipeline(text, stages()), mt.asarray(pixels))
    return [np.asarray(result) for result in results]


def refusal(text: str, pixels: npt.NDArray[Any]) -> list[str]:
    with pytest.raises(PipelineError) as caught:
        apply(parse_pipeline(text, stages()), mt.asarray(pixels))
    return str(caught.value).splitlines()


# --- the table ------------------------------------------------------------------------------------


def test_functions_of_images_are_there() -> None:
    table = stages()
    assert {"absdiff", "box", "sobel3x3", "threshold"} <= set(table)
    assert {"abs", "astype", "clip", "grey", "rgb", "take"} <= set(table)
    assert list(table) == sorted(table)
    for name in set(vx.__all__) & set(table):
        assert table[name].function is getattr(vx, name)


def test_functions_of_other_things_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def combine(format: str, *planes: Any) -> Any:
        return planes

    monkeypatch.setattr(vx, "combine", combine, raising=False)
    monkeypatch.setattr(vx, "__all__", [*vx.__all__, "combine", "combine_kind"])
    monkeypatch.setattr(vx, "combine_kind", int, raising=False)
    assert not {"combine", "combine_kind"} & set(stages.__wrapped__())


def test_every_function_has_a_line_and_a_usage() -> None:
    for name, stage in stages().items():
        assert stage.summary.endswith(".")
        assert stage.usage == name or stage.usage.startswith(f"{name}(")
        assert "'object'" not in stage.usage


@pytest.mark.parametrize(
    ("name", "images", "usage"),
    [
        ("gaussian3x3", 1, "gaussian3x3(border='replicate')"),
        ("absdiff", 2, "absdiff"),
        ("magnitude", 2, "magnitude(norm='l2')"),
        ("take", 0, "take(index)"),
        ("grey", 1, "grey"),
        ("greater", 1, "greater(value)"),
        ("clip", 1, "clip(min=None, max=None)"),
    ],
)
def test_images_and_usage(name: str, images: int, usage: str) -> None:
    assert stages()[name].images == images
    assert stages()[name].usage == usage


# --- pipelines ------------------------------------------------------------------------------------


def test_a_pipeline_is_the_calls_it_names() -> None:
    pixels = image(40, 50)
    (found,) = run("gaussian3x3 | sobel3x3 | magnitude | threshold(80)", pixels)
    gx, gy = vx.sobel3x3(vx.gaussian3x3(pixels))
    np.testing.assert_array_equal(found, np.asarray(vx.threshold(vx.magnitude(gx, gy), 80)))


def test_options_and_tuples_are_passed_on() -> None:
    pixels = image(30, 31)
    (found,) = run("box((3, 5), border='reflect101') | clip(10, max=99)", pixels)
    wanted = np.clip(np.asarray(vx.box(pixels, (3, 5), border="reflect101")), 10, 99)
    np.testing.assert_array_equal(found, wanted)


def test_two_images_may_be_the_end() -> None:
    pixels = image(9, 9)
    for found, wanted in zip(run("sobel3x3", pixels), vx.sobel3x3(pixels), strict=True):
        np.testing.assert_array_equal(found, np.asarray(wanted))
    (second,) = run("sobel3x3 | take(1)", pixels)
    np.testing.assert_array_equal(second, np.asarray(vx.sobel3x3(pixels)[1]))


USAGE = "  usage: threshold(value, upper=None, true_value=255, false_value=0, dtype='uint8')"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threshold", "threshold: missing a required argument: 'value'"),
        ("threshold(vale=3)", "threshold: there is no option 'vale'; did you mean value?"),
        ("threshold(3, zz=3)", "threshold: there is no option 'zz'"),
        ("threshold(img=3)", "threshold: there is no option 'img'"),
        ("threshold(1, 2, 3, 4, 5, 6)", "threshold: too many positional arguments"),
    ],
)
def test_wrong_arguments_show_the_usage(text: str, message: str) -> None:
    assert refusal(text, image(5, 5)) == [
        f"pipeline: {message}",
        f"  {text}",
        f"  {'^' * len(text)}",
        USAGE,
    ]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("median | box(4)", "box: size is 4; it takes an odd positive int", "box(4)"),
        ("threshold('x')", "threshold: ", "threshold('x')"),
        ("box(border='reflect')", "means opposite things in NumPy and SciPy", "box"),
        ("astype('uint7')", "'uint7' is no element type", "astype('uint7')"),
        (
            "sobel3x3 | threshold(3)",
            "threshold: takes 1 image, and sobel3x3 gives 2 images; put magnitude or take(0) betw",
            "threshold(3)",
        ),
        (
            "absdiff",
            "absdiff: takes 2 images, and the file gives 1 image; put a function that gives as",
            "absdiff",
        ),
        ("take(1)", "take: index is 1; the stage before gives 1 image, counted from 0", "take(1)"),
        ("crop('a', 2, 3, 4)", "crop: 'str' object cannot be interpreted as an integer", "crop"),
    ],
)
def test_faults_are_shown_under_their_stage(text: str, message: str, marked: str) -> None:
    lines = refusal(text, image(5, 5))
    assert message in lines[0]
    start = lines[2].index("^")
    assert lines[1][start:].startswith(marked)
    assert lines[3].startswith("  usage: ")


def test_what_is_no_image_ends_a_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    from muntin.cli import stages as module
    from muntin.cli.stages import Stage

    def count(img: Any) -> int:
        return 3

    table = {**stages(), "count": Stage("count", count, 1)}
    monkeypatch.setattr(module, "stages", lambda: table)
    with pytest.raises(PipelineError, match="count: gives a int, which is no image; call it from"):
        apply(parse_pipeline("count", table), mt.asarray(image(3, 3)))


# --- our own functions ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "uint32", "int32"])
@pytest.mark.parametrize("channels", [3, 4])
def test_grey_is_the_rounded_luma(dtype: str, channels: int) -> None:
    pixels = image(20, 30, channels, dtype=dtype)
    wide = pixels.astype(object)
    luma = (wide[..., 0] * 13933 + wide[..., 1] * 46871 + wide[..., 2] * 4732 + 32768) // 65536
    found = np.asarray(grey(mt.asarray(pixels)))
    np.testing.assert_array_equal(found, luma.astype(dtype), strict=True)


def test_grey_keeps_grey_exactly() -> None:
    values = np.arange(256, dtype=np.uint8)
    pixels = np.stack([values] * 3, axis=-1)[None]
    np.testing.assert_array_equal(np.asarray(grey(mt.asarray(pixels)))[0], values)


def test_grey_of_other_images() -> None:
    plain, alpha, floats = image(5, 6), image(5, 6, 2), image(5, 6, 3, dtype="float32")
    np.testing.assert_array_equal(np.asarray(grey(mt.asarray(plain))), plain)
    np.testing.assert_array_equal(np.asarray(grey(mt.asarray(alpha))), alpha[..., 0])
    weights = np.array([0.2126, 0.7152, 0.0722], np.float32)
    wanted = (floats * weights)[..., 0] + (floats * weights)[..., 1] + (floats * weights)[..., 2]
    np.testing.assert_array_equal(np.asarray(grey(mt.asarray(floats))), wanted, strict=True)
    with pytest.raises(DTypeError, match=r'the image is int64, whose sums do not fit.*"float64"'):
        grey(mt.asarray(image(2, 2, 3, dtype="int64")))


def test_rgb_has_three_channels() -> None:
    for channels in (3, 4):
        pixels = image(5, 6, channels)
        np.testing.assert_array_equal(np.asarray(rgb(mt.asarray(pixels))), pixels[..., :3])
    for pixels in (image(5, 6), image(5, 6, 1), image(5, 6, 2)):
        single = pixels if pixels.ndim == 2 else pixels[..., 0]
        found = rgb(mt.asarray(pixels))
        assert found.axes == "yxc"
        np.testing.assert_array_equal(np.asarray(found), np.stack([single] * 3, axis=-1))


def test_channel() -> None:
    pixels = image(5, 6, 3)
    np.testing.assert_array_equal(np.asarray(channel(mt.asarray(pixels), 2)), pixels[..., 2])
    for index in (3, -1, "0"):
        with pytest.raises(BoundsError, match=r"channel: index is .*; the image has 3 channels"):
            channel(mt.asarray(pixels), index)  # type: ignore[arg-type]
    with pytest.raises(BoundsError, match=r"channel: the image \(5, 6\) is grey and has no chan"):
        channel(mt.asarray(image(5, 6)), 0)


@pytest.mark.parametrize(
    ("dtype", "wanted"), [("uint8", "float32"), ("int32", "float64"), ("float32", "float32")]
)
def test_linear(dtype: str, wanted: str) -> None:
    pixels = image(5, 6, dtype=dtype)
    (found,) = run("linear(0.5, 3)", pixels)
    expected = pixels.astype(wanted) * np.dtype(wanted).type(0.5) + np.dtype(wanted).type(3)
    np.testing.assert_array_equal(found, expected, strict=True)


def test_a_border_may_be_a_constant() -> None:
    pixels = image(5, 6)
    (found,) = run("box(border=constant(7))", pixels)
    np.testing.assert_array_equal(found, np.asarray(vx.box(pixels, border=mt.constant(7))))


def test_take() -> None:
    first, second = mt.asarray(image(2, 2)), mt.asarray(image(2, 2))
    assert take((first, second), 1) is second
    with pytest.raises(BoundsError, match="take: index is 2; the stage before gives 2 images"):
        take((first, second), 2)


def test_crop_sees_the_pixels_around() -> None:
    pixels = image(20, 30)
    (found,) = run("box(5) | crop(2, 3, 10, 20)", pixels)
    np.testing.assert_array_equal(found, np.asarray(vx.box(pixels, 5))[2:12, 3:23])
    with pytest.raises(BoundsError, match="rows 1 to 31 and columns 2 to 6 of an image of 20 x 30"):
        crop(mt.asarray(pixels), 1, 2, 30, 4)
    with pytest.raises(BoundsError, match="choose a part inside it"):
        crop(mt.asarray(pixels), -1, 2, 3, 4)
