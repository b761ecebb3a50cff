"""Image files as arrays: PNG, JPEG and TIFF, a row a format."""

from __future__ import annotations

import os
import secrets
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.errors import ImageFileError

__all__ = ["FORMATS", "ImageFormat", "format_of", "read_image", "write_image"]

Pixels: TypeAlias = npt.NDArray[Any]

_INFLATION = 10_000  # no TIFF of an image is so many times smaller than its samples
_ORIENTATION = 0x0112  # the tag of EXIF and TIFF
_PNG_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # the colour type by the number of channels
_EFFORT = 4  # of zlib: photographs are a twentieth larger than at its usual 6, in half the time
_CHUNK = 1 << 30  # bytes; PNG allows up to 2³¹ - 1
_ALPHA = {2, 4}  # channels of which the last is alpha


@dataclass(frozen=True, slots=True)
class ImageFormat:
    """One file format.

    Attributes
    ----------
    name : str
        Such as ``"PNG"``.
    suffixes : tuple of str
        Of file names, in lower case, the usual one first.
    dtypes : tuple of str
        The element types that files hold; bool is written as 0 and 255.
    channels : tuple of int
        The numbers of channels that files hold.
    longest : int
        The greatest height or width.
    """

    name: str
    suffixes: tuple[str, ...]
    dtypes: tuple[str, ...]
    channels: tuple[int, ...]
    longest: int
    magics: tuple[bytes, ...] = field(repr=False)
    decode: Callable[[Path, int | None], Pixels] = field(repr=False)
    encode: Callable[[IO[bytes], Pixels], None] = field(repr=False)

    def holds(self, dtype: npt.DTypeLike, channels: int) -> bool:
        """Return whether files hold images of an element type and a number of channels."""
        return np.dtype(dtype).name in self.dtypes and channels in self.channels

    def check(self, path: Path, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        """Raise ImageFileError if a file of this format cannot hold such an image."""
        found = f"the image is {np.dtype(dtype).name} {shape}"
        channels = shape[2] if len(shape) == 3 else 1
        if len(shape) not in (2, 3) or not 1 <= channels <= 4:
            rule = "files hold images of 2 axes, or of 3 with 1 to 4 channels last"
            raise _fault("write", path, f"{found}; {rule}; write a slice of it")
        if 0 in shape or max(shape) > self.longest:
            rule = f"{self.name} holds 1 to {self.longest} rows and columns"
            raise _fault("write", path, f"{found}; {rule}; write a part of it, or a TIFF file")
        if self.holds(dtype, channels):
            return
        if np.dtype(dtype).name not in self.dtypes:
            allowed, cure = _list(self.dtypes), "convert the image to uint8"
        else:
            allowed, cure = f"{_list(self.channels)} channels", "drop the alpha channel"
        others = [row.name for row in FORMATS if row.holds(dtype, channels)]
        other = f", or write {_list(others, 'or')}, which holds it" if others else ""
        raise _fault("write", path, f"{found}, and {self.name} holds {allowed}; {cure}{other}")


def read_image(path: str | PathLike[str], page: int | None = None) -> Pixels:
    """Return the image in a file as an array, rows first and channels last.

    Parameters
    ----------
    path : str or path
        A PNG, JPEG or TIFF file; the format is told from its first bytes, not from its name.
    page : int, optional
        Which image to take from a TIFF file with several; without it such a file is an error.

    Returns
    -------
    ndarray
        (rows, columns) for grey; (rows, columns, channels) for colour and alpha, RGB in this order.
        bool for 1-bit files, uint8 for most, uint16 for 16-bit ones; TIFF also has signed, wider
        and floating types.

    Raises
    ------
    ImageFileError
        If the file cannot be opened, is of another format, or is damaged.

    Notes
    -----
    The orientation that a camera noted (EXIF) is applied. Palettes become RGB, or RGBA if they have
    transparent colours; CMYK and YCbCr become RGB. Samples of 16 bits are never cut to 8. Colour
    profiles are not applied.

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "ramp.png")
    >>> write_image(path, np.arange(6, dtype=np.uint16).reshape(2, 3) * 10000)
    >>> read_image(path)
    array([[    0, 10000, 20000],
           [30000, 40000, 50000]], dtype=uint16)
    """
    place = Path(path)
    try:
        with place.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise _fault("read", place, _reason(error)) from error
    if not start:
        raise _fault("read", place, "the file is empty")
    for row in FORMATS:
        if start.startswith(row.magics):
            break
    else:
        names = _list([row.name for row in FORMATS], "or")
        raise _fault("read", place, f"this is no {names} image; convert it to one of these first")
    try:
        decoded = row.decode(place, page)
    except ImageFileError:
        raise
    except Exception as error:  # on damaged data decoders raise anything
        damage = f"the {row.name} data are damaged or cut short ({_first_line(error)})"
        raise _fault("read", place, f"{damage}; copy or export the file again") from error
    native = decoded.dtype.newbyteorder("=")
    return np.ascontiguousarray(decoded.astype(native, copy=False))


def write_image(path: str | PathLike[str], array: npt.ArrayLike) -> None:
    """Write an image to a file, whole or not at all.

    Parameters
    ----------
    path : str or path
        Its ending names the format: .png, .jpg, .jpeg, .tif or .tiff. An existing file is replaced.
    array : array_like
        (rows, columns), or (rows, columns, channels) with 1 to 4 channels: grey, grey and alpha,
        RGB, or RGBA.

    Raises
    ------
    ImageFileError
        If the format does not hold the image, or if the file cannot be written.

    Notes
    -----
    PNG holds bool, uint8 and uint16; JPEG bool and uint8, without alpha, at quality 95; TIFF every
    element type, uncompressed. bool is written as 0 and 255. The file appears when all of it has
    been written.
    """
    place = Path(path)
    row = format_of(place)
    pixels = np.asarray(array)
    row.check(place, pixels.shape, pixels.dtype)
    if pixels.dtype.kind == "b":
        pixels = pixels.astype(np.uint8) * np.uint8(255)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    try:
        with _replaced(place) as file:
            row.encode(file, np.ascontiguousarray(pixels))
    except OSError as error:
        if isinstance(error, ImageFileError):
            raise
        why = _reason(error)
        if isinstance(error, FileNotFoundError):
            why = f"there is no folder {place.parent}; make it first"
        raise _fault("write", place, why) from error


def format_of(path: str | PathLike[str]) -> ImageFormat:
    """Return the format that the ending of a file's name stands for.

    Raises
    ------
    ImageFileError
        If it stands for none.

    Examples
    --------
    >>> format_of("photo.JPG").name
    'JPEG'
    """
    place = Path(path)
    for row in FORMATS:
        if place.suffix.lower() in row.suffixes:
            return row
    ending = f"the ending {place.suffix!r} names" if place.suffix else "without an ending it names"
    known = _list([suffix for row in FORMATS for suffix in row.suffixes], "or")
    raise _fault("write", place, f"{ending} no format that can be written; use {known}")


def _fault(verb: str, path: Path, why: str) -> ImageFileError:
    return ImageFileError(f"{verb}_image: {path}: {why}")


def _reason(error: OSError) -> str:
    """Return in words why a file could not be opened or written."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder; check the path"
    if isinstance(error, IsADirectoryError):
        return "this is a folder; give a file"
    if isinstance(error, PermissionError):
        return "permission denied; change the permissions of the file or its folder"
    return f"{error.strerror or error}"


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def _list(words: Iterable[object], last: str = "and") -> str:
    *most, end = map(str, words)
    return f"{', '.join(most)} {last} {end}" if most else end


@contextmanager
def _replaced(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside `path`, which takes its place if the block ends well."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise _fault("write", path, "there is a folder or a device of this name; give another")
    beside = target.with_name(f".muntin-{secrets.token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            yield file
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


# --- decoding -------------------------------------------------------------------------------------


def _upright(pixels: Pixels, orientation: object) -> Pixels:
    """Return the image turned as the orientation tag says."""
    turned = pixels.swapaxes(0, 1) if orientation in (5, 6, 7, 8) else pixels
    if orientation in (3, 4, 7, 8):
        turned = turned[::-1]
    return turned[:, ::-1] if orientation in (2, 3, 6, 7) else turned


def _decode(path: Path, page: int | None) -> Pixels:
    if page not in (None, 0):
        raise _fault("read", path, f"page is {page}, and the file has one image; leave it away")
    return _pillow_pixels(path, 0)


def _pillow_pixels(path: Path, frame: int) -> Pixels:
    """Read what Pillow decodes without loss: 8-bit images, and grey ones of any type."""
    from PIL import Image

    with Image.open(path, formats=("PNG", "JPEG", "TIFF")) as image:
        image.seek(frame)
        raw_mode = str(image.tile[0][3]) if image.tile else ""
        if image.format == "PNG" and raw_mode.endswith(";16B"):
            pixels = _deep_pixels(image, raw_mode, path)
        else:
            pixels = np.array(_converted(image))
        return _upright(pixels, image.getexif().get(_ORIENTATION))


def _converted(image: Any) -> Any:
    """Return an image of Pillow's in a mode that is grey, RGB, or either with alpha."""
    image.load()
    clear = image.has_transparency_data
    if image.mode == "P":
        return image.convert("RGBA" if clear else "RGB")
    if image.mode in ("1", "L", "RGB"):
        return image.convert("RGBA" if image.mode == "RGB" else "LA") if clear else image
    if image.mode in ("LA", "RGBA") or image.mode.startswith(("I", "F")):
        return image
    return image.convert("RGBA" if image.mode in ("PA", "RGBa", "La") else "RGB")


def _deep_pixels(image: Any, raw_mode: str, path: Path) -> Pixels:
    """Return the samples of a 16-bit PNG: Pillow keeps the high bytes of colours only.

    Told that the samples are in the other byte order, it keeps the low bytes.
    """
    from PIL import Image

    if raw_mode.startswith("I"):
        return np.asarray(image).astype(np.uint16)
    if raw_mode.startswith("LA"):  # four bytes a pixel, as those of RGBA
        four: Pixels = np.asarray(_with_raw_mode(image, "RGBA"))
        return four.view(">u2")
    high = np.asarray(image).astype(np.uint16)
    with Image.open(path, formats=("PNG",)) as again:
        low: Pixels = np.asarray(_with_raw_mode(again, raw_mode.removesuffix("B") + "L"))
    return high << 8 | low


def _with_raw_mode(image: Any, raw_mode: str) -> Any:
    codec, extents, offset, _ = image.tile[0]
    image.tile = [(codec, extents, offset, raw_mode)]
    return image


def _decode_tiff(path: Path, page: int | None) -> Pixels:
    import tifffile

    with tifffile.TiffFile(path) as file:
        every: list[Any] = list(file.pages)
        pages = [each for each in every if not (each.is_reduced or each.is_mask)]
        if not pages:
            raise ValueError("there is no page")
        if page is None and len(pages) > 1:
            cure = "take one with page=0 (or --page 0), or all with tifffile.imread(path)"
            raise _fault("read", path, f"the file has {len(pages)} pages; {cure}")
        if not 0 <= (page or 0) < len(pages):
            raise _fault(
                "read", path, f"page is {page}; the file has {len(pages)}, numbered from 0"
            )
        chosen = pages[page or 0]
        if chosen.nbytes > _INFLATION * path.stat().st_size:
            raise ValueError(f"samples of shape {chosen.shape} are missing")
        simple = chosen.bitspersample in (1, 8) and chosen.sampleformat == 1
        if simple and chosen.samplesperpixel <= 4:
            return _pillow_pixels(path, chosen.index)
        return _tiff_pixels(path, chosen)


def _tiff_pixels(path: Path, page: Any) -> Pixels:
    """Return the samples of a page as they are stored, grey or RGB."""
    colour = getattr(page.photometric, "name", page.photometric)
    if colour not in ("MINISBLACK", "MINISWHITE", "RGB") or page.axes not in ("YX", "YXS", "SYX"):
        found = f"the page holds {colour} {page.dtype} {page.shape}"
        cure = "grey and RGB images can be read; convert it first, or use tifffile.imread(path)"
        raise _fault("read", path, f"{found}; {cure}")
    try:
        pixels: Pixels = page.asarray()
    except ValueError as error:
        if "imagecodecs" not in str(error):
            raise
        if page.samplesperpixel == 1:
            return _pillow_pixels(path, page.index)
        found = f"{page.compression.name} compression of {page.bitspersample}-bit colours"
        cure = "needs the package imagecodecs; install it, or save the image uncompressed"
        raise _fault("read", path, f"{found} {cure}") from error
    if pixels.shape != page.shape or pixels.size == 0:
        raise ValueError(f"samples of shape {page.shape} are missing")
    if page.axes == "SYX":
        pixels = np.moveaxis(pixels, 0, 2)
    if colour == "MINISWHITE" and pixels.dtype.kind != "f":
        pixels = ~pixels
    tag = page.tags.get(_ORIENTATION)
    return _upright(pixels, None if tag is None else int(tag.value))


# --- encoding -------------------------------------------------------------------------------------


def _encode_png(file: IO[bytes], pixels: Pixels) -> None:
    from PIL import Image

    if pixels.dtype.itemsize == 2:
        _encode_deep_png(file, pixels)
    else:
        Image.fromarray(pixels).save(file, format="PNG", compress_level=_EFFORT)


def _encode_deep_png(file: IO[bytes], pixels: Pixels) -> None:
    """Write samples of 16 bits, each row as differences to the one above (filter 2)."""
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    rows = pixels.astype(">u2").reshape(height, width * channels).view(np.uint8)
    filtered = np.full((height, rows.shape[1] + 1), 2, np.uint8)
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 16, _PNG_COLOURS[channels], 0, 0, 0)
    data = memoryview(zlib.compress(filtered.data, _EFFORT))
    chunks: list[tuple[bytes, bytes | memoryview]] = [(b"IHDR", header)]
    chunks += [(b"IDAT", data[at : at + _CHUNK]) for at in range(0, len(data), _CHUNK)]
    file.write(b"\x89PNG\r\n\x1a\n")
    for kind, content in [*chunks, (b"IEND", b"")]:
        file.write(struct.pack(">I", len(content)) + kind)
        file.write(content)
        file.write(struct.pack(">I", zlib.crc32(content, zlib.crc32(kind))))


def _encode_jpeg(file: IO[bytes], pixels: Pixels) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(file, format="JPEG", quality=95)


def _encode_tiff(file: IO[bytes], pixels: Pixels) -> None:
    import tifffile

    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    options: dict[str, Any] = {"photometric": "rgb" if channels > 2 else "minisblack"}
    if channels > 1:
        options["planarconfig"] = "contig"
    if channels in _ALPHA:
        options["extrasamples"] = ("unassalpha",)
    tifffile.imwrite(file, pixels, metadata=None, **options)


_INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")

FORMATS: tuple[ImageFormat, ...] = (
    ImageFormat(
        "PNG",
        (".png",),
        ("bool", "uint8", "uint16"),
        (1, 2, 3, 4),
        (1 << 31) - 1,
        (b"\x89PNG\r\n\x1a\n",),
        _decode,
        _encode_png,
    ),
    ImageFormat(
        "JPEG",
        (".jpg", ".jpeg"),
        ("bool", "uint8"),
        (1, 3),
        65500,
        (b"\xff\xd8\xff",),
        _decode,
        _encode_jpeg,
    ),
    ImageFormat(
        "TIFF",
        (".tif", ".tiff"),
        ("bool", *_INTEGERS, "float32", "float64"),
        (1, 2, 3, 4),
        (1 << 31) - 1,
        (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
        _decode_tiff,
        _encode_tiff,
    ),
)
