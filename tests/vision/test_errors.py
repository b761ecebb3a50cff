"""Every fault is found where the function is called, and said with its name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.core.border import constant
from muntin.errors import (
    BorderError,
    DeviceError,
    DTypeError,
    MuntinError,
    ParameterError,
    RangeError,
    ShapeError,
    UnsupportedError,
)

U8 = np.zeros((4, 5), np.uint8)
S16 = U8.astype(np.int16)
F32 = U8.astype(np.float32)
U64 = U8.astype(np.uint64)
S64 = U8.astype(np.int64)
U32 = U8.astype(np.uint32)
BOOL = U8.astype(bool)
LINE = U8[0]

FAULTS: list[tuple[Callable[[], Any], type[MuntinError], str]] = [
    # operands
    (
        lambda: vx.absdiff(U8, F32),
        DTypeError,
        r"absdiff: operands are uint8 \(4, 5\) and float32 \(4, 5\); both .* same dtype; cast one",
    ),
    (
        lambda: vx.minimum(U8, U8[:3]),
        ShapeError,
        r"minimum: operands are uint8 \(4, 5\) and uint8 \(3, 5\); .* same shape; take equal parts",
    ),
    (
        lambda: vx.minimum(U8, U8[:1]),
        ShapeError,
        r"minimum: .*; stretch them with muntin\.broadcast_to_match\(a, b\)",
    ),
    (
        lambda: vx.minimum(U8, np.zeros((4, 5, 3), np.uint8)),
        ShapeError,
        r"minimum: .*; give the one of fewer axes another with x\[\.\.\., None\], and stretch it",
    ),
    (lambda: vx.add(BOOL, BOOL), DTypeError, r"add: the image is bool \(4, 5\); it takes integers"),
    (
        lambda: vx.box(BOOL),
        DTypeError,
        r"box: the image is bool .*floats of 32 and 64 bits; cast",
    ),
    (lambda: vx.bitwise_not(F32), DTypeError, r'bitwise_not: the image is float32 .*"uint8"'),
    (lambda: vx.median(LINE), ShapeError, r"median: the image \(5,\) has axes 'x'.*give it 1 more"),
    (
        lambda: vx.median(np.zeros((1, 1, 1, 1, 1))),
        ShapeError,
        r"has axes without names; .* muntin\.asarray\(x, axes=\"nzyxc\"\) or the like",
    ),
    (
        lambda: vx.sobel3x3(mt.asarray(U8, axes="tc")),
        ShapeError,
        r"sobel3x3: the image \(4, 5\) has axes 'tc'; it takes an image with axes y and x",
    ),
    (
        lambda: vx.add(mt.asarray(U8, device="cpu"), mt.asarray(U8, device="reference")),
        DeviceError,
        r"add: operands are on devices 'cpu' and 'reference'",
    ),
    # arithmetic
    (
        lambda: vx.subtract(U64, S64),
        DTypeError,
        r"subtract: no integer dtype holds both uint64 and int64",
    ),
    (
        lambda: vx.add(U8, U8, overflow="clip"),
        ParameterError,
        r"add: overflow is 'clip'; it takes 'saturate' or 'wrap'",
    ),
    (
        lambda: vx.multiply(U8, U8, rounding="up"),
        ParameterError,
        r"multiply: rounding is 'up'; it takes 'to_zero' or 'nearest_even'",
    ),
    (lambda: vx.multiply(U8, U8, -1.0), ParameterError, r"multiply: scale is -1\.0; it takes 0"),
    (lambda: vx.multiply(U8, U8, 1e39), ParameterError, r"multiply: scale is 1e\+39; it takes"),
    (lambda: vx.multiply(U8, U8, np.nan), ParameterError, r"multiply: scale is nan; it takes"),
    (
        lambda: vx.multiply(U8, U8, "half"),  # type: ignore[arg-type]
        ParameterError,
        r"multiply: scale is 'half'; it takes 0 or a positive number",
    ),
    (
        lambda: vx.multiply(U64, U64),
        DTypeError,
        r"multiply: products of uint64 and uint64 times 1\.0 do not fit in integers of 64 bits",
    ),
    (lambda: vx.multiply(U32, U32, 0.3), DTypeError, r"multiply: products of uint32 and uint32"),
    (lambda: vx.weighted_average(U8, U8, 1.5), ParameterError, r"weighted_average: alpha is 1\.5"),
    (
        lambda: vx.weighted_average(U8, U8, np.nan),
        ParameterError,
        r"weighted_average: alpha is nan; it takes 0 to 1",
    ),
    (
        lambda: vx.magnitude(S64, S64),
        DTypeError,
        r"magnitude: gx and gy are int64, whose squares do not fit in 64 bits",
    ),
    (
        lambda: vx.magnitude(S16, S16, norm="max"),
        ParameterError,
        r"magnitude: norm is 'max'; it takes 'l2' or 'l1'",
    ),
    # thresholds and depths
    (
        lambda: vx.threshold(U8, "high"),  # type: ignore[arg-type]
        ParameterError,
        r"threshold: value is 'high'; it takes a number, or an array that broadcasts to the image",
    ),
    (
        lambda: vx.threshold(U8, 3, "high"),  # type: ignore[arg-type]
        ParameterError,
        r"threshold: upper is 'high'",
    ),
    (
        lambda: vx.threshold(U8, 3, true_value=256),
        RangeError,
        r"threshold: true_value is 256; uint8 holds whole numbers from 0 to 255",
    ),
    (
        lambda: vx.threshold(U8, 3, false_value=0.5),
        RangeError,
        r"threshold: false_value is 0\.5; uint8 holds whole numbers",
    ),
    (
        lambda: vx.threshold(U8, 3, true_value=np.inf),
        RangeError,
        r"threshold: true_value is inf; uint8 holds whole numbers",
    ),
    (
        lambda: vx.threshold(U8, 3, false_value=np.nan),
        RangeError,
        r"threshold: false_value is nan; uint8 holds whole numbers",
    ),
    (lambda: vx.threshold(U8, 3, dtype="complex64"), DTypeError, r"complex64"),
    (
        lambda: vx.convert_depth(U8, "int16", shift=8),
        ParameterError,
        r"convert_depth: shift is 8; from uint8 to int16 it takes 0 to 7",
    ),
    (
        lambda: vx.convert_depth(S16, "uint8", shift=-1),
        ParameterError,
        r"convert_depth: shift is -1; from int16 to uint8 it takes 0 to 15",
    ),
    (
        lambda: vx.convert_depth(F32, "uint8", shift=1),
        ParameterError,
        r"convert_depth: shift is 1; from float32 to uint8 it takes 0 to 0",
    ),
    (
        lambda: vx.convert_depth(S16, "uint8", shift=1.0),  # type: ignore[arg-type]
        ParameterError,
        r"convert_depth: shift is 1\.0;",
    ),
    (lambda: vx.convert_depth(U8, bool), DTypeError, r"convert_depth: dtype is bool"),
    (
        lambda: vx.convert_depth(U8, "int16", overflow="no"),
        ParameterError,
        r"convert_depth: overflow is 'no'",
    ),
    # windows
    *(
        (
            lambda function=function, size=size: getattr(vx, function)(U8, size),
            ParameterError,
            rf"{function}: (size|element) is .*; it takes an odd positive int or a pair of them",
        )
        for function in ("box", "gaussian", "median", "erode", "dilate", "opening", "closing")
        for size in (0, 2, -3, 3.0, (3,), (3, 4), (3, 3, 3), "3", None)
        if (function, size) != ("gaussian", None)  # which follows sigma
    ),
    (lambda: vx.sobel(U8, 9), ParameterError, r"sobel: size is 9; it takes 3, 5 or 7"),
    (lambda: vx.sobel(U8, (3, 3)), ParameterError, r"sobel: size is \(3, 3\)"),  # type: ignore[arg-type]
    *(
        (
            lambda sigma=sigma: vx.gaussian(U8, 3, sigma),
            ParameterError,
            r"gaussian: sigma is .*; it takes a positive number or a pair of them",
        )
        for sigma in (0, -1.0, np.inf, np.nan, "1", (1.0,), (1.0, 0.0), (1, 2, 3), True)
    ),
    # sums that 64 bits cannot hold
    (lambda: vx.box(U64), DTypeError, r"box: sums over uint64 pixels reach .*\"float64\"\)"),
    (lambda: vx.gaussian3x3(S64), DTypeError, r"gaussian3x3: sums over int64 pixels reach"),
    (lambda: vx.laplacian(U64), DTypeError, r"laplacian: sums over uint64 pixels reach"),
    (lambda: vx.scharr(S64), DTypeError, r"scharr: sums over int64 pixels reach"),
    # masks
    (lambda: vx.erode(U8, np.zeros((3, 3))), ParameterError, r"erode: element has dtype float64"),
    (
        lambda: vx.dilate(U8, np.ones((3, 3, 3))),
        ParameterError,
        r"dilate: element has dtype float64 and shape \(3, 3, 3\); it takes a 2-D array",
    ),
    (
        lambda: vx.nonlinear(U8, "median", [1, 1]),
        ParameterError,
        r"nonlinear: mask has dtype int64",
    ),
    (lambda: vx.nonlinear(U8, "min", [["a"]]), ParameterError, r"nonlinear: mask has dtype <U1"),
    (
        lambda: vx.nonlinear(U8, "mean", np.ones((3, 3))),
        ParameterError,
        r"nonlinear: function is 'mean'; it takes 'median', 'min' or 'max'",
    ),
    *(
        (
            lambda origin=origin: vx.nonlinear(U8, "min", np.ones((3, 5)), origin),
            ParameterError,
            r"nonlinear: origin is .*; it takes a \(row, column\) of the mask, whose shape is",
        )
        for origin in ((3, 0), (-1, 0), (0, 5), (0.5, 0), (1,), (1, 1, 1))
    ),
    (
        lambda: vx.median(U8, 11),
        ParameterError,
        r"median: size makes a window of 121 pixels; a median takes at most 81",
    ),
    (
        lambda: vx.nonlinear(U8, "median", np.ones((9, 10))),
        ParameterError,
        r"nonlinear: mask makes a window of 90 pixels",
    ),
    # convolutions
    (
        lambda: vx.convolve(U8, [[1, 2]]),
        ParameterError,
        r"convolve: matrix has shape \(1, 2\); it takes an odd number of rows",
    ),
    (lambda: vx.convolve(U8, [1, 2, 1]), ParameterError, r"convolve: matrix has shape \(3,\)"),
    (
        lambda: vx.convolve(U8, [[np.nan]]),
        ParameterError,
        r"convolve: matrix has infinities or NaN; it takes finite numbers",
    ),
    (
        lambda: vx.convolve(U8, [[1j]]),
        ParameterError,
        r"matrix is \[\[1j\]\]; it takes rows of int",
    ),
    (lambda: vx.convolve(U8, "blur"), ParameterError, r"convolve: matrix is 'blur'; it takes rows"),
    (lambda: vx.convolve(U8, [[1, 2], [3]]), ParameterError, r"it takes rows of one length, such"),
    *(
        (
            lambda scale=scale: vx.convolve(U8, [[1]], scale),
            ParameterError,
            r"convolve: scale is .*; it takes a positive number, \"sum\" or None",
        )
        for scale in (0, -2, 0.0, np.inf, "mean", True)
    ),
    (
        lambda: vx.convolve(U8, [[-1]], 1 << 63),
        ParameterError,
        r"convolve: scale is 9223372036854775808, which no integer dtype holds beside sums of",
    ),
    (lambda: vx.convolve(U8, [[1]], dtype=bool), DTypeError, r"convolve: dtype is bool"),
    # borders
    (
        lambda: vx.box(U8, border="reflect"),
        BorderError,
        r"box: border: 'reflect' means opposite things in NumPy and SciPy",
    ),
    (
        lambda: vx.dilate(U8, border=constant(256)),
        BorderError,
        r"dilate: border: constant\(256\) does not fit a uint8 image",
    ),
    (
        lambda: vx.gaussian3x3(U8, border=constant(0.5)),
        BorderError,
        r"gaussian3x3: border: constant\(0\.5\) does not fit a uint8 image",
    ),
    (
        lambda: vx.laplacian(vx.box(U8, border="undefined")),
        BorderError,
        r"laplacian: border replicate needs the whole image, but only .* is valid; call \.valid",
    ),
]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: vx.box(x, k),
        lambda x, k: vx.gaussian(x, 3, k),
        lambda x, k: vx.convert_depth(x, "int16", k),
    ],
)
def test_a_traced_number_is_no_static_parameter(function: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedError, match="make it a constant of the function, as in functi"):
        mt.function(function)(U8, 3)


@pytest.mark.parametrize(("call", "kind", "text"), FAULTS)
def test_faults(call: Callable[[], Any], kind: type[MuntinError], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_what_is_valid_goes_on_under_an_undefined_border() -> None:
    with mt.use("reference"):
        image = np.random.default_rng(0).integers(0, 256, (9, 11), dtype=np.uint8)
        inner = vx.laplacian(vx.box(image, border="undefined"), border="undefined")
        assert inner.valid_region.slices == (slice(2, 7), slice(2, 9))
        whole = np.asarray(vx.laplacian(vx.box(image)))
        np.testing.assert_array_equal(np.asarray(inner)[2:7, 2:9], whole[2:7, 2:9])
        part = vx.box(image, border="undefined").valid()
        np.testing.assert_array_equal(
            np.asarray(vx.laplacian(part)), np.asarray(vx.laplacian(np.asarray(part)))
        )
