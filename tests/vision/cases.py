"""Every neighbourhood function beside its reference, and the images that both get."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from muntin import vision as vx
from muntin.core.border import Border, BorderMode, constant
from tests.reference import filters
from tests.reference.neighbourhood import Edge, defined, square

Image = npt.NDArray[Any]
Reach = tuple[int, int, int, int]  # rows above and below, columns to the left and right

BORDERS = ("replicate", "constant", "symmetric", "reflect101", "wrap", "undefined")
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
WIDE = ("uint64", "int64")
FLOATS = ("float32", "float64")
SUMS = (*INTEGERS, *FLOATS)
ANY = (*INTEGERS, *WIDE, *FLOATS, "bool")

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
BENT = np.array([[0, 1, 1, 0, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]])
EVEN = np.array([[1, 0, 1, 1], [0, 1, 1, 0]])
DISC = np.hypot(*np.ogrid[-5:6, -5:6]) <= 5.3
MATRIX = ((3, -1, 4), (1, -5, 9), (-2, 6, 5))
SMOOTH = ((1, 2, 1), (2, 4, 2), (1, 2, 1))
REAL = ((0.25, 0.5, 0.125), (-1.5, 0.1, 2.25), (0.75, -0.3, 1.0))
EIGHTHS = ((0.125, 0.25, 0.125), (0.25, 0.5, 0.25), (0.125, 0.25, 0.125))


@dataclass(frozen=True)
class Case:
    """One function with its parameters: what the library and the definition make of an image."""

    name: str
    call: Callable[..., Any]  # (image, border=)
    expect: Callable[[Image, Edge], Any]
    reach: Reach
    dtypes: Sequence[str] = SUMS

    def __str__(self) -> str:
        return self.name

    def check(self, image: Image, mode: str, seed: int = 0, axes: str = "yx") -> None:
        """Compare all results for one image, which may be any view, under one border."""
        before = image.copy()
        edge = Edge(mode, outside(image.dtype, seed) if mode == "constant" else 0)
        results = as_tuple(self.call(mt_array(image, axes), border=border(edge)))
        spatial = (axes.index("y"), axes.index("x"))
        for result, expected in zip(
            results, as_tuple(self.expect(np.moveaxis(image, spatial, (0, 1)), edge)), strict=True
        ):
            assert result.axes == axes
            found = np.moveaxis(np.asarray(result), spatial, (0, 1))
            assert found.dtype == result.dtype == expected.dtype
            inside = defined(expected, self.reach) if mode == "undefined" else (slice(None),) * 2
            np.testing.assert_array_equal(found[inside], expected[inside])
            if mode == "undefined":
                rest = found.copy()
                rest[inside] = 0
                assert not rest.any()
        np.testing.assert_array_equal(image, before)


def share(items: Sequence[Any], device: str, turn: int, count: int) -> list[Any]:
    """Return all items for the reference, and of a device that compiles `count`, by turns.

    Every item is tried on every device, but not with every function: that takes minutes.
    """
    if device == "reference":
        return list(items)
    return [items[(turn * count + k) % len(items)] for k in range(min(count, len(items)))]


def mt_array(image: Image, axes: str) -> Any:
    import muntin as mt

    return mt.asarray(image, axes=axes)


def as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def border(edge: Edge) -> Border | str:
    return constant(edge.value) if edge.mode == BorderMode.CONSTANT else edge.mode


def outside(dtype: Any, seed: int) -> int | float:
    """Return a constant for the outside: the extremes of the type among others."""
    if np.dtype(dtype).kind == "f":
        return (-2.75, 0.0, 1e3)[seed % 3]
    if np.dtype(dtype).kind == "b":
        return seed % 2
    info = np.iinfo(dtype)
    return (int(info.max), int(info.min), 5)[seed % 3]


def random_image(shape: Sequence[int], dtype: Any, seed: int = 0) -> Image:
    """Return an image in which the extremes of its type are frequent."""
    rng = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.random(shape) < 0.5
    if kind.kind == "f":
        return (rng.standard_normal(shape) * 100).astype(kind)
    info = np.iinfo(kind)
    image = rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    extreme = rng.random(shape)
    image[extreme < 0.1] = info.min
    image[extreme > 0.9] = info.max
    return image


def _box_reach(rows: int, columns: int) -> Reach:
    return (rows // 2, rows // 2, columns // 2, columns // 2)


def _mask_reach(offsets: Sequence[tuple[int, int]]) -> Reach:
    rows, columns = zip(*offsets, strict=True)
    return (
        max(0, -min(rows)),
        max(0, max(rows)),
        max(0, -min(columns)),
        max(0, max(columns)),
    )


def _box(rows: int, columns: int) -> Case:
    return Case(
        f"box-{rows}x{columns}",
        lambda x, border: vx.box(x, (rows, columns), border),
        lambda x, edge: filters.box(x, rows, columns, edge),
        _box_reach(rows, columns),
    )


def _gaussian(rows: int, columns: int, sigma: Any = None) -> Case:
    sigmas = sigma if isinstance(sigma, tuple) else (sigma, sigma)
    return Case(
        f"gaussian-{rows}x{columns}-{sigma}",
        lambda x, border: vx.gaussian(x, (rows, columns), sigma, border),
        lambda x, edge: filters.gaussian(x, (rows, columns), sigmas, edge),
        _box_reach(rows, columns),
    )


def _sobel(size: int) -> Case:
    return Case(
        f"sobel-{size}",
        lambda x, border: vx.sobel(x, size, border),
        lambda x, edge: filters.sobel(x, size, edge),
        _box_reach(size, size),
    )


def _convolve(
    name: str,
    matrix: Any,
    scale: Any = None,
    dtype: Any = None,
    factors: Any = None,
    dtypes: Sequence[str] = SUMS,
) -> Case:
    rows, columns = np.shape(matrix)
    reach = _box_reach(rows, columns)
    if factors is not None and len([tap for tap in factors[0] if tap]) == 1:
        reach = (0, 0, *reach[2:])
    return Case(
        f"convolve-{name}",
        lambda x, border: vx.convolve(x, matrix, scale, dtype, border),
        lambda x, edge: filters.convolve(x, matrix, scale or 1, dtype or x.dtype, edge, factors),
        reach,
        dtypes,
    )


def _rank(name: str, rows: int, columns: int) -> Case:
    function = getattr(vx, name)
    reference = getattr(filters, name)
    return Case(
        f"{name}-{rows}x{columns}",
        lambda x, border: function(x, (rows, columns), border),
        lambda x, edge: reference(x, square(rows, columns), edge),
        _box_reach(rows, columns),
        ANY,
    )


def _masked(name: str, label: str, mask: Any) -> Case:
    function = getattr(vx, name)
    reference = getattr(filters, name)
    offsets = filters.masked(mask)
    return Case(
        f"{name}-{label}",
        lambda x, border: function(x, mask, border),
        lambda x, edge: reference(x, offsets, edge),
        _mask_reach(offsets),
        ANY,
    )


def _nonlinear(kind: str, label: str, mask: Any, origin: Any = None) -> Case:
    offsets = filters.masked(mask, origin)
    reference = {"min": filters.erode, "max": filters.dilate, "median": filters.median}[kind]
    return Case(
        f"nonlinear-{kind}-{label}",
        lambda x, border: vx.nonlinear(x, kind, mask, origin, border),
        lambda x, edge: reference(x, offsets, edge),
        _mask_reach(offsets),
        ANY,
    )


def _two_steps(name: str, label: str, element: Any, offsets: Any) -> Case:
    function = getattr(vx, name)
    first, second = filters.erode, filters.dilate
    if name == "closing":
        first, second = second, first
    mirrored = [(-dy, -dx) for dy, dx in offsets]
    reach = tuple(a + b for a, b in zip(_mask_reach(offsets), _mask_reach(mirrored), strict=True))
    return Case(
        f"{name}-{label}",
        lambda x, border: function(x, element, border),
        lambda x, edge: second(first(x, offsets, edge), mirrored, edge),
        reach,  # type: ignore[arg-type]
        ANY,
    )


CASES: tuple[Case, ...] = (
    _box(3, 3),
    _box(1, 5),
    _box(5, 9),
    _box(13, 11),
    _box(31, 31),
    Case(
        "gaussian3x3",
        vx.gaussian3x3,
        lambda x, edge: filters.gaussian(x, (3, 3), (None, None), edge),
        (1, 1, 1, 1),
    ),
    Case(
        "gaussian5x5",
        vx.gaussian5x5,
        lambda x, edge: filters.gaussian(x, (5, 5), (None, None), edge),
        (2, 2, 2, 2),
    ),
    _gaussian(3, 3),
    _gaussian(5, 1),
    _gaussian(7, 3),
    _gaussian(5, 5, 0.8),
    _gaussian(3, 9, (1.25, 30.0)),
    _sobel(3),
    _sobel(5),
    _sobel(7),
    Case("sobel3x3", vx.sobel3x3, lambda x, edge: filters.sobel(x, 3, edge), (1, 1, 1, 1)),
    Case("scharr", vx.scharr, filters.scharr, (1, 1, 1, 1)),
    Case("laplacian", vx.laplacian, filters.laplacian, (1, 1, 1, 1)),
    _convolve("dense", MATRIX, 7),
    _convolve("wide-type", MATRIX, dtype="int32", dtypes=INTEGERS),
    _convolve("separable", SMOOTH, 16, factors=((1, 2, 1), (1, 2, 1))),
    _convolve("row", ((2, 0, -7),), factors=((1,), (2, 0, -7))),
    _convolve("real", REAL, 1.5),
    _convolve("real-separable", EIGHTHS, factors=((0.125, 0.25, 0.125), (1, 2, 1))),
    _convolve("real-to-bytes", REAL, dtype="uint8"),
    _rank("median", 3, 3),
    _rank("median", 1, 3),
    _rank("median", 5, 3),
    _rank("median", 5, 5),
    _rank("erode", 3, 3),
    _rank("erode", 7, 31),
    _rank("dilate", 3, 3),
    _rank("dilate", 17, 9),
    _masked("erode", "cross", CROSS),
    _masked("dilate", "bent", BENT),
    _masked("erode", "even", EVEN),
    _masked("dilate", "disc", DISC),
    _masked("erode", "full", np.ones((3, 5))),
    _nonlinear("median", "bent", BENT),
    _nonlinear("median", "even", EVEN),
    _nonlinear("min", "corner", BENT, (2, 4)),
    _nonlinear("max", "even", EVEN, (0, 0)),
    _two_steps("opening", "3", 3, square(3, 3)),
    _two_steps("opening", "bent", BENT, filters.masked(BENT)),
    _two_steps("closing", "3x5", (3, 5), square(3, 5)),
    _two_steps("closing", "even", EVEN, filters.masked(EVEN)),
)
