"""Image files: what is written is read back, and every fault has a sentence."""

import io
import os
import stat
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tifffile
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from muntin.errors import ImageFileError
from muntin.interop.images import FORMATS, format_of, read_image, write_image

Pixels = npt.NDArray[Any]
SHAPES = ((5, 7), (1, 1), (3, 4, 1), (5, 7, 2), (6, 5, 3), (2, 9, 4))


def pixels(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Pixels:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.standard_normal(shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


LOSSLESS = [
    (row.suffixes[0], dtype, shape)
    for row in FORMATS
    if row.name != "JPEG"
    for dtype in row.dtypes
    for shape in SHAPES
]


@pytest.mark.parametrize(("suffix", "dtype", "shape"), LOSSLESS)
def test_lossless_formats_return_what_they_got(
    tmp_path: Path, suffix: str, dtype: str, shape: tuple[int, ...]
) -> None:
    image = pixels(shape, dtype)
    write_image(tmp_path / f"x{suffix}", image)
    found = read_image(tmp_path / f"x{suffix}")
    wanted = image.astype(np.uint8) * 255 if dtype == "bool" else image
    wanted = wanted[:, :, 0] if wanted.shape[2:] == (1,) else wanted
    np.testing.assert_array_equal(found, wanted, strict=True)
    assert found.flags.writeable
    assert found.flags.c_contiguous
    assert os.listdir(tmp_path) == [f"x{suffix}"]


@pytest.mark.parametrize("shape", [(64, 48), (64, 48, 3)])
def test_jpeg_is_close(tmp_path: Path, shape: tuple[int, ...]) -> None:
    ramp = np.broadcast_to(np.linspace(0, 255, 48).astype(np.uint8), shape[:2])
    image = ramp if len(shape) == 2 else np.repeat(ramp[:, :, None], 3, 2)
    write_image(tmp_path / "x.jpg", image)
    found = read_image(tmp_path / "x.jpg")
    assert found.shape == shape
    assert np.abs(found.astype(int) - image).max() <= 3


def test_the_order_of_channels_is_red_first(tmp_path: Path) -> None:
    red = np.zeros((16, 16, 3), np.uint8)
    red[:, :, 0] = 255
    for name in ("x.png", "x.jpg", "x.tif"):
        write_image(tmp_path / name, red)
        assert read_image(tmp_path / name)[8, 8, 0] > 250
        assert Image.open(tmp_path / name).getpixel((8, 8))[0] > 250  # type: ignore[index]


def test_strided_and_swapped_arrays_are_written_by_value(tmp_path: Path) -> None:
    image = pixels((8, 6, 3), "uint16")
    for name in ("x.png", "x.tiff"):
        write_image(tmp_path / name, image[::-2, ::2, ::-1].astype(">u2"))
        np.testing.assert_array_equal(read_image(tmp_path / name), image[::-2, ::2, ::-1])


# --- files of other makers ------------------------------------------------------------------------


def chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def plain_png(image: Pixels, colour: int) -> bytes:
    """Return a 16-bit PNG without filters, from the specification."""
    height, width = image.shape[:2]
    rows = [b"\0" + row.astype(">u2").tobytes() for row in image]
    head = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, 0)
    body = zlib.compress(b"".join(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("channels", "colour"), [(1, 0), (2, 4), (3, 2), (4, 6)])
def test_deep_png_of_others_keeps_16_bits(tmp_path: Path, channels: int, colour: int) -> None:
    image = pixels((9, 7, channels), "uint16", seed=channels)
    (tmp_path / "x.png").write_bytes(plain_png(image, colour))
    wanted = image[:, :, 0] if channels == 1 else image
    np.testing.assert_array_equal(read_image(tmp_path / "x.png"), wanted, strict=True)


def test_deep_png_of_ours_follows_the_specification(tmp_path: Path) -> None:
    image = pixels((9, 7, 3), "uint16")
    write_image(tmp_path / "x.png", image)
    content, kinds, data = (tmp_path / "x.png").read_bytes()[8:], [], b""
    while content:
        (length,) = struct.unpack(">I", content[:4])
        kind, body = content[4:8], content[8 : 8 + length]
        assert content[: 12 + length] == chunk(kind, body)
        kinds.append(kind)
        data += body if kind == b"IDAT" else b""
        content = content[12 + length :]
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(9, -1)
    assert set(rows[:, 0]) == {2}
    plain = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8)
    np.testing.assert_array_equal(np.ascontiguousarray(plain).view(">u2").reshape(9, 7, 3), image)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["jpg", "png", "tif"])
def test_the_orientation_of_the_camera_is_applied(
    tmp_path: Path, suffix: str, orientation: int
) -> None:
    path = tmp_path / f"x.{suffix}"
    image = Image.fromarray(pixels((8, 16, 3), "uint8"))
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(path, exif=exif)
    plain = tmp_path / f"plain.{suffix}"
    image.save(plain)
    wanted = Image.open(plain)
    wanted.load()
    wanted.getexif()[0x0112] = orientation
    np.testing.assert_array_equal(read_image(path), np.asarray(ImageOps.exif_transpose(wanted)))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_orientation_of_deep_tiff_is_applied(tmp_path: Path, orientation: int) -> None:
    image = pixels((3, 4, 3), "uint16")
    deep, flat = tmp_path / "deep.tif", tmp_path / "flat.tif"
    extratags = [(274, "H", 1, orientation, True)]
    tifffile.imwrite(deep, image, photometric="rgb", extratags=extratags)
    tifffile.imwrite(flat, image.astype(np.uint8), photometric="rgb", extratags=extratags)
    np.testing.assert_array_equal(read_image(deep).astype(np.uint8), read_image(flat))


def test_palettes_become_colours(tmp_path: Path) -> None:
    image = Image.fromarray(np.array([[0, 1], [2, 1]], np.uint8), mode="P")
    image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    image.save(tmp_path / "x.png")
    found = read_image(tmp_path / "x.png")
    assert found.tolist() == [[[10, 20, 30], [40, 50, 60]], [[70, 80, 90], [40, 50, 60]]]
    image.save(tmp_path / "y.png", transparency=1)
    assert read_image(tmp_path / "y.png")[:, :, 3].tolist() == [[255, 0], [255, 0]]
    image.save(tmp_path / "z.tif")
    np.testing.assert_array_equal(read_image(tmp_path / "z.tif"), found)


@pytest.mark.parametrize(("mode", "channels"), [("L", 2), ("RGB", 4)])
def test_a_transparent_colour_becomes_alpha(tmp_path: Path, mode: str, channels: int) -> None:
    clear = 7 if mode == "L" else (7, 7, 7)
    image = Image.new(mode, (3, 2), clear)
    image.putpixel((1, 0), 9 if mode == "L" else (9, 9, 9))
    image.save(tmp_path / "x.png", transparency=clear)
    found = read_image(tmp_path / "x.png")
    assert found.shape == (2, 3, channels)
    assert found[:, :, -1].tolist() == [[0, 255, 0], [0, 0, 0]]


@pytest.mark.parametrize("name", ["x.png", "x.tif"])
def test_one_bit_is_bool(tmp_path: Path, name: str) -> None:
    mask = pixels((5, 11), "bool")
    Image.fromarray(mask).save(tmp_path / name)
    np.testing.assert_array_equal(read_image(tmp_path / name), mask, strict=True)


def test_print_colours_become_rgb(tmp_path: Path) -> None:
    image = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    for name in ("x.jpg", "x.tif"):
        image.save(tmp_path / name)
        found = read_image(tmp_path / name)
        assert found.shape == (8, 8, 3)
        assert found[4, 4, 0] > 200 > 60 > found[4, 4, 1]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_tiff_layouts(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "x.tif"
    colour, grey = pixels((5, 6, 3), dtype), pixels((5, 6), dtype)
    planes = np.ascontiguousarray(np.moveaxis(colour, 2, 0))
    tifffile.imwrite(path, planes, photometric="rgb", planarconfig="separate")
    np.testing.assert_array_equal(read_image(path), colour, strict=True)
    tifffile.imwrite(path, colour, photometric="rgb", byteorder=">", compression="zlib")
    np.testing.assert_array_equal(read_image(path), colour, strict=True)
    tifffile.imwrite(path, grey, photometric="miniswhite")
    np.testing.assert_array_equal(read_image(path), np.iinfo(dtype).max - grey, strict=True)
    Image.fromarray(grey).save(path, compression="tiff_lzw")
    np.testing.assert_array_equal(read_image(path), grey, strict=True)


def test_pages_are_taken_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "stack.tif"
    for dtype in ("uint8", "float32"):
        stack = pixels((3, 5, 6), dtype)
        tifffile.imwrite(path, stack, photometric="minisblack")
        for page in range(3):
            np.testing.assert_array_equal(read_image(path, page), stack[page], strict=True)
    with pytest.raises(ImageFileError, match=r"has 3 pages; take one with page=0 \(or --page"):
        read_image(path)
    with pytest.raises(ImageFileError, match="page is 3; the file has 3, numbered from 0"):
        read_image(path, 3)
    with pytest.raises(ImageFileError, match="page is -1; the file has 3"):
        read_image(path, -1)


def test_photographs_are_read_as_pillow_reads_them() -> None:
    skimage = pytest.importorskip("skimage")
    folder = Path(skimage.__file__).parent / "data"
    names = [path for path in sorted(folder.iterdir()) if path.suffix in (".png", ".jpg")]
    assert len(names) > 10
    for path in names:
        with Image.open(path) as image:
            if image.mode in ("L", "RGB", "RGBA", "1"):
                found = read_image(path)
                high = found >> 8 if found.dtype == np.uint16 else found
                np.testing.assert_array_equal(high, np.asarray(image))


# --- faults ---------------------------------------------------------------------------------------


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ImageFileError, match=r"read_image: .*no\.png: there is no such file"):
        read_image(tmp_path / "no.png")
    with pytest.raises(ImageFileError, match="this is a folder; give a file"):
        read_image(tmp_path)
    (tmp_path / "empty.png").touch()
    with pytest.raises(ImageFileError, match="the file is empty"):
        read_image(tmp_path / "empty.png")
    (tmp_path / "text.png").write_text("hello, this is no image")
    with pytest.raises(ImageFileError, match="this is no PNG, JPEG or TIFF image; convert it"):
        read_image(tmp_path / "text.png")
    Image.new("L", (2, 2)).save(tmp_path / "x.png")
    with pytest.raises(ImageFileError, match="page is 1, and the file has one image"):
        read_image(tmp_path / "x.png", page=1)


def encoded(kind: str) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels((12, 10, 3), "uint8")).save(file, format=kind)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_files_cut_short(tmp_path: Path, kind: str) -> None:
    content = encoded(kind)
    path = tmp_path / "x"
    for length in range(8, len(content) // 2, 7):
        path.write_bytes(content[:length])
        with pytest.raises(ImageFileError, match=rf"the {kind} data are damaged or cut short \("):
            read_image(path)


@pytest.mark.filterwarnings("ignore")
@given(kind=st.sampled_from(["PNG", "JPEG", "TIFF", "deep"]), data=st.data())
def test_damage_is_an_image_or_an_image_error(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    deep = plain_png(pixels((4, 4, 3), "uint16"), 2) if kind == "deep" else b""
    content = bytearray(deep or encoded(kind))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "x"
    path.write_bytes(content)
    try:
        found = read_image(path)
    except ImageFileError as error:
        assert str(error).startswith("read_image: ")  # noqa: PT017 - either outcome is right
    else:
        assert found.ndim in (2, 3)


@pytest.mark.parametrize("length", [0, 1 << 30])
def test_tiff_of_other_lengths_than_it_says(tmp_path: Path, length: int) -> None:
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, np.ones((4, 5), np.uint16))
    with tifffile.TiffFile(path, mode="r+b") as file:
        file.pages[0].tags["ImageLength"].overwrite(length)
    with pytest.raises(ImageFileError, match=rf"samples of shape \({length}, 5\) are missing"):
        read_image(path)


def test_tiff_without_a_page_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, np.ones((4, 5), np.uint16), subfiletype=1)  # a smaller copy
    with pytest.raises(ImageFileError, match="there is no page"):
        read_image(path)


def test_pages_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, pixels((4, 4, 4), "uint16"), photometric="separated")
    with pytest.raises(ImageFileError, match="the page holds SEPARATED uint16"):
        read_image(path)


@pytest.mark.skipif(find_spec("imagecodecs") is not None, reason="the package is there")
def test_compressed_deep_colours_need_a_package(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, pixels((4, 4, 3), "uint16"), photometric="rgb")
    content = bytearray(path.read_bytes())
    with tifffile.TiffFile(path) as file:
        place = file.pages[0].tags[259].valueoffset  # type: ignore[union-attr]
    content[place : place + 2] = struct.pack("<H", 5)
    path.write_bytes(content)
    with pytest.raises(ImageFileError, match="LZW compression of 16-bit colours needs the package"):
        read_image(path)


def test_what_a_format_does_not_hold(tmp_path: Path) -> None:
    image = pixels((4, 4), "int16")
    message = (
        r"x\.png: the image is int16 \(4, 4\), and PNG holds bool, uint8 and uint16; "
        r"convert the image to uint8, or write TIFF, which holds it"
    )
    with pytest.raises(ImageFileError, match=message):
        write_image(tmp_path / "x.png", image)
    with pytest.raises(ImageFileError, match=r"JPEG holds bool and uint8.*or write PNG or TIFF"):
        write_image(tmp_path / "x.jpeg", image.astype(np.uint16))
    with pytest.raises(ImageFileError, match="JPEG holds 1 and 3 channels; drop the alpha channel"):
        write_image(tmp_path / "x.jpg", np.zeros((4, 4, 4), np.uint8))
    with pytest.raises(ImageFileError, match=r"complex128 \(2, 2\).*uint8$"):
        write_image(tmp_path / "x.tif", np.zeros((2, 2), complex))
    with pytest.raises(ImageFileError, match=r"\(4,\); files hold images of 2 axes, or of 3"):
        write_image(tmp_path / "x.png", np.zeros(4, np.uint8))
    with pytest.raises(ImageFileError, match=r"\(4, 4, 5\); files hold images of 2 axes"):
        write_image(tmp_path / "x.png", np.zeros((4, 4, 5), np.uint8))
    with pytest.raises(ImageFileError, match="PNG holds 1 to 2147483647 rows and columns"):
        write_image(tmp_path / "x.png", np.zeros((0, 4), np.uint8))
    with pytest.raises(ImageFileError, match="JPEG holds 1 to 65500 rows and columns"):
        write_image(tmp_path / "x.jpg", np.zeros((1, 65501), np.uint8))
    assert list(tmp_path.iterdir()) == []


def test_endings(tmp_path: Path) -> None:
    assert format_of("a/b.TIFF").name == "TIFF"
    with pytest.raises(ImageFileError, match=r"'\.gif' names no format that can be written; use"):
        write_image(tmp_path / "x.gif", np.zeros((2, 2), np.uint8))
    with pytest.raises(ImageFileError, match="without an ending it names no format"):
        format_of(tmp_path / "x")


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    image = np.zeros((2, 2), np.uint8)
    with pytest.raises(
        ImageFileError, match=r"write_image: .*x\.png: there is no folder .*missing; make it first"
    ):
        write_image(tmp_path / "missing" / "x.png", image)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ImageFileError, match="there is a folder or a device of this name"):
        write_image(tmp_path / "folder.png", image)
    (tmp_path / "file").touch()
    with pytest.raises(ImageFileError, match=r"write_image: .*x\.png: Not a directory"):
        write_image(tmp_path / "file" / "x.png", image)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ImageFileError, match="permission denied; change the permissions"):
        write_image(tmp_path / "x.png", np.zeros((2, 2), np.uint8))


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.png"
    write_image(path, np.full((4, 4), 9, np.uint8))

    def full_disk(self: Image.Image, file: Any, **options: Any) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full_disk)
    with pytest.raises(ImageFileError, match="No space left on device"):
        write_image(path, np.zeros((4, 4), np.uint8))
    monkeypatch.undo()
    assert read_image(path)[0, 0] == 9
    assert os.listdir(tmp_path) == ["x.png"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_image(tmp_path / "x.png", np.zeros((2, 2), np.uint8))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x.png").stat().st_mode) == 0o640
    (tmp_path / "x.png").chmod(0o604)
    (tmp_path / "link.png").symlink_to("x.png")
    write_image(tmp_path / "link.png", np.ones((2, 2), np.uint8))
    assert (tmp_path / "link.png").is_symlink()
    assert stat.S_IMODE((tmp_path / "x.png").stat().st_mode) == 0o604
    assert read_image(tmp_path / "x.png").max() == 1
