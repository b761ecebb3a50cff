"""The references are themselves held to the recorded outputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.reference import arithmetic, filters
from tests.reference.golden import Golden, golden
from tests.reference.neighbourhood import square

Results = dict[str, Any]
WINDOW = square(3, 3)


def _pair(function: Callable[..., Any]) -> Callable[[Golden], Results]:
    return lambda g: {"out": function(g.inputs["in1"], g.inputs["in2"])}


def _policy(function: Callable[..., Any]) -> Callable[[Golden], Results]:
    def run(g: Golden) -> Results:
        a, b = _as_output(g, "in1"), _as_output(g, "in2")
        return {"out": function(a, b, g.params["policy"].lower())}

    return run


def _as_output(g: Golden, role: str) -> Any:
    return g.inputs[role].astype(g.outputs["out"].dtype)


def _multiply(g: Golden) -> Results:
    # The sample truncates whatever the rounding policy says.
    scale, overflow = g.params["scale"], g.params["overflow_policy"].lower()
    return {"out": arithmetic.multiply(_as_output(g, "in1"), _as_output(g, "in2"), scale, overflow)}


def _threshold(g: Golden) -> Results:
    p = g.params
    low = p["value"] if p["type"] == "BINARY" else p["lower"]
    values = (p["true_value"], p["false_value"])
    return {"out": arithmetic.threshold(g.inputs["in"], low, p.get("upper"), *values)}


def _convert_depth(g: Golden) -> Results:
    p, dtype = g.params, g.outputs["out"].dtype
    policy = p["policy"].lower()
    return {"out": arithmetic.convert_depth(g.inputs["in"], dtype, p["shift"], policy)}


def _sobel(g: Golden) -> Results:
    x, y = filters.sobel(g.inputs["in"], 3, g.edge)
    return {"out_x": x, "out_y": y}


def _convolve(g: Golden) -> Results:
    matrix, scale = g.inputs["coefficients"], g.params["scale"]
    dtype = g.outputs["out"].dtype
    return {"out": filters.convolve(g.inputs["in"], matrix, scale, dtype, g.edge)}


def _nonlinear(g: Golden) -> Results:
    p = g.params
    offsets = filters.masked(g.inputs["mask"], (p["origin_y"], p["origin_x"]))
    choose = {"MEDIAN": filters.median, "MIN": filters.erode, "MAX": filters.dilate}
    return {"out": choose[p["function"]](g.inputs["in"], offsets, g.edge)}


REFERENCES: dict[str, Callable[[Golden], Results]] = {
    "AbsDiff": _pair(arithmetic.absdiff),
    "Add": _policy(arithmetic.add),
    "Subtract": _policy(arithmetic.subtract),
    "Multiply": _multiply,
    "And": _pair(np.bitwise_and),
    "Or": _pair(np.bitwise_or),
    "Xor": _pair(np.bitwise_xor),
    "Not": lambda g: {"out": ~g.inputs["in"]},
    "Min": _pair(np.minimum),
    "Max": _pair(np.maximum),
    "Magnitude": lambda g: {"mag": arithmetic.magnitude(g.inputs["grad_x"], g.inputs["grad_y"])},
    "Threshold": _threshold,
    "ConvertDepth": _convert_depth,
    "WeightedAverage": lambda g: {
        "out": arithmetic.weighted_average(g.inputs["img1"], g.inputs["img2"], g.params["alpha"])
    },
    "Box3x3": lambda g: {"out": filters.box(g.inputs["in"], 3, 3, g.edge)},
    "Gaussian3x3": lambda g: {
        "out": filters.gaussian(g.inputs["in"], (3, 3), (None, None), g.edge)
    },
    "Sobel3x3": _sobel,
    "Median3x3": lambda g: {"out": filters.median(g.inputs["in"], WINDOW, g.edge)},
    "Erode3x3": lambda g: {"out": filters.erode(g.inputs["in"], WINDOW, g.edge)},
    "Dilate3x3": lambda g: {"out": filters.dilate(g.inputs["in"], WINDOW, g.edge)},
    "Convolve": _convolve,
    "NonLinearFilter": _nonlinear,
}


@pytest.mark.parametrize("file", REFERENCES)
def test_the_reference_gives_the_recorded_pixels(file: str) -> None:
    cases = golden(file)
    assert cases
    for case in cases:
        results = REFERENCES[file](case)
        assert results.keys() == case.outputs.keys()
        for output, result in results.items():
            case.check(output, result)
