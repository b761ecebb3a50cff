"""The library gives the pixels that the OpenVX sample implementation recorded."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from muntin import vision as vx
from tests.reference.golden import Golden, golden
from tests.vision.cases import as_tuple, border

# Where the library decides otherwise than the sample: the cases, by how much at most, and why.
EXCEPTIONS: dict[str, tuple[Callable[[Golden], bool], int, str]] = {
    "Multiply": (
        lambda g: g.params["rounding_policy"] == "TO_NEAREST_EVEN",
        1,
        "the sample truncates under every rounding policy; the library rounds as it is told",
    ),
}


def _pair(function: Callable[..., Any], *words: str) -> Callable[[Golden], Any]:
    def call(g: Golden) -> Any:
        out = g.outputs["out"].dtype
        a, b = g.inputs["in1"], g.inputs["in2"]
        if out != np.result_type(a, b):  # OpenVX lets two U8 images give S16
            a = vx.convert_depth(a, out)
            b = vx.convert_depth(b, out)
        return function(a, b, **{word: g.params[_NAMES[word]].lower() for word in words})

    return call


_NAMES = {"overflow": "policy"}


def _multiply(g: Golden) -> Any:
    out, p = g.outputs["out"].dtype, g.params
    a, b = (vx.convert_depth(g.inputs[role], out) for role in ("in1", "in2"))
    overflow = p["overflow_policy"].lower()
    rounding = {"TO_ZERO": "to_zero", "TO_NEAREST_EVEN": "nearest_even"}[p["rounding_policy"]]
    return vx.multiply(a, b, p["scale"], overflow, rounding)


def _threshold(g: Golden) -> Any:
    p = g.params
    low = p["value"] if p["type"] == "BINARY" else p["lower"]
    return vx.threshold(g.inputs["in"], low, p.get("upper"), p["true_value"], p["false_value"])


def _convert_depth(g: Golden) -> Any:
    p = g.params
    return vx.convert_depth(g.inputs["in"], g.outputs["out"].dtype, p["shift"], p["policy"].lower())


def _convolve(g: Golden) -> Any:
    return vx.convolve(
        g.inputs["in"],
        g.inputs["coefficients"],
        g.params["scale"],
        g.outputs["out"].dtype,
        border(g.edge),
    )


def _nonlinear(g: Golden) -> Any:
    p = g.params
    origin = (p["origin_y"], p["origin_x"])
    function = p["function"].lower()
    return vx.nonlinear(g.inputs["in"], function, g.inputs["mask"], origin, border(g.edge))


def _scale(g: Golden) -> Any:
    p = g.params
    way = {"NEAREST_NEIGHBOR": "nearest", "BILINEAR": "bilinear"}[p["interpolation"]]
    around = "replicate" if g.edge.mode == "undefined" else border(g.edge)
    return vx.scale(g.inputs["in"], (p["dst_height"], p["dst_width"]), way, around)


def _filter(function: Callable[..., Any]) -> Callable[[Golden], Any]:
    return lambda g: function(g.inputs["in"], border=border(g.edge))


CALLS: dict[str, Callable[[Golden], Any]] = {
    "AbsDiff": _pair(vx.absdiff),
    "Add": _pair(vx.add, "overflow"),
    "Subtract": _pair(vx.subtract, "overflow"),
    "Multiply": _multiply,
    "And": _pair(vx.bitwise_and),
    "Or": _pair(vx.bitwise_or),
    "Xor": _pair(vx.bitwise_xor),
    "Not": lambda g: vx.bitwise_not(g.inputs["in"]),
    "Min": _pair(vx.minimum),
    "Max": _pair(vx.maximum),
    "Magnitude": lambda g: vx.magnitude(g.inputs["grad_x"], g.inputs["grad_y"]),
    "Threshold": _threshold,
    "ConvertDepth": _convert_depth,
    "WeightedAverage": lambda g: vx.weighted_average(
        g.inputs["img1"], g.inputs["img2"], g.params["alpha"]
    ),
    "Box3x3": _filter(vx.box),
    "Gaussian3x3": _filter(vx.gaussian3x3),
    "Sobel3x3": _filter(vx.sobel3x3),
    "Median3x3": _filter(vx.median),
    "Erode3x3": _filter(vx.erode),
    "Dilate3x3": _filter(vx.dilate),
    "Convolve": _convolve,
    "NonLinearFilter": _nonlinear,
    "ScaleImage": _scale,
    "Histogram": lambda g: vx.histogram(
        g.inputs["in"], g.params["bins"], g.params["offset"], g.params["range"]
    ),
    "EqualizeHist": lambda g: vx.equalize_hist(g.inputs["in"]),
    "IntegralImage": lambda g: vx.integral(g.inputs["in"]),
    "MeanStdDev": lambda g: vx.mean_stddev(g.inputs["in"]),
}


def _cases(file: str) -> list[Golden]:
    """Return the cases of a file but means over areas, for which the sample takes pixels."""
    return [case for case in golden(file) if case.params.get("interpolation") != "AREA"]


@pytest.mark.parametrize("file", CALLS)
def test_the_recorded_pixels(file: str, device: str) -> None:
    cases = _cases(file)
    _check(file, cases if device == "reference" else cases[:: max(len(cases) // 10, 1)])


@pytest.mark.slow
@pytest.mark.parametrize("file", CALLS)
def test_all_recorded_pixels(file: str, device: str) -> None:
    _check(file, _cases(file))


def _check(file: str, cases: Sequence[Golden]) -> None:
    differs, tolerance, reason = EXCEPTIONS.get(file, (lambda g: False, 0, ""))
    for case in cases:
        results = as_tuple(CALLS[file](case))
        assert len(results) == len(case.outputs)
        for output, result in zip(case.outputs, results, strict=True):
            case.check(output, np.asarray(result), tolerance if differs(case) else 0)
    assert not reason or any(map(differs, golden(file)))
