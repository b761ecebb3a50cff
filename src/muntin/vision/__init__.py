"""The vision functions, each a few lines of expressions."""

from muntin.vision.arithmetic import (
    absdiff,
    add,
    magnitude,
    multiply,
    subtract,
    weighted_average,
)
from muntin.vision.filters import box, convolve, gaussian, gaussian3x3, gaussian5x5
from muntin.vision.geometry import scale
from muntin.vision.gradients import derivative, laplacian, scharr, sobel, sobel3x3
from muntin.vision.logic import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    convert_depth,
    maximum,
    minimum,
    threshold,
)
from muntin.vision.morphology import closing, dilate, erode, median, nonlinear, opening
from muntin.vision.statistics import equalize_hist, histogram, integral, mean_stddev

__all__ = [
    "absdiff",
    "add",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "box",
    "closing",
    "convert_depth",
    "convolve",
    "derivative",
    "dilate",
    "equalize_hist",
    "erode",
    "gaussian",
    "gaussian3x3",
    "gaussian5x5",
    "histogram",
    "integral",
    "laplacian",
    "magnitude",
    "maximum",
    "mean_stddev",
    "median",
    "minimum",
    "multiply",
    "nonlinear",
    "opening",
    "scale",
    "scharr",
    "sobel",
    "sobel3x3",
    "subtract",
    "threshold",
    "weighted_average",
]
