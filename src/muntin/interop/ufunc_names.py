"""The ufuncs of NumPy and SciPy that are operations here, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["OF_FLOATS", "REDUCERS", "SPECIAL", "UFUNCS"]

UFUNCS: Mapping[np.ufunc, str] = {
    np.absolute: "abs",
    np.add: "add",
    np.arccos: "acos",
    np.arccosh: "acosh",
    np.arcsin: "asin",
    np.arcsinh: "asinh",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.arctanh: "atanh",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
    np.cbrt: "cbrt",
    np.ceil: "ceil",
    np.copysign: "copysign",
    np.cos: "cos",
    np.cosh: "cosh",
    np.deg2rad: "deg2rad",
    np.degrees: "rad2deg",
    np.divide: "divide",
    np.equal: "equal",
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.floor: "floor",
    np.floor_divide: "floor_divide",
    np.fmod: "fmod",
    np.greater: "greater",
    np.greater_equal: "greater_equal",
    np.hypot: "hypot",
    np.invert: "bitwise_invert",
    np.isfinite: "isfinite",
    np.isinf: "isinf",
    np.isnan: "isnan",
    np.left_shift: "bitwise_left_shift",
    np.less: "less",
    np.less_equal: "less_equal",
    np.log: "log",
    np.log10: "log10",
    np.log1p: "log1p",
    np.log2: "log2",
    np.logaddexp: "logaddexp",
    np.logical_and: "logical_and",
    np.logical_not: "logical_not",
    np.logical_or: "logical_or",
    np.logical_xor: "logical_xor",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.multiply: "multiply",
    np.negative: "negative",
    np.nextafter: "nextafter",
    np.not_equal: "not_equal",
    np.power: "pow",
    np.rad2deg: "rad2deg",
    np.radians: "deg2rad",
    np.reciprocal: "reciprocal",
    np.remainder: "remainder",
    np.right_shift: "bitwise_right_shift",
    np.rint: "round",
    np.sign: "sign",
    np.signbit: "signbit",
    np.sin: "sin",
    np.sinh: "sinh",
    np.sqrt: "sqrt",
    np.square: "square",
    np.subtract: "subtract",
    np.tan: "tan",
    np.tanh: "tanh",
    np.trunc: "trunc",
}

# SciPy's, which need not be there.
SPECIAL: Mapping[str, str] = {
    "beta": "beta",
    "betaln": "betaln",
    "entr": "entr",
    "erf": "erf",
    "erfc": "erfc",
    "expit": "expit",
    "gamma": "gamma",
    "gammaln": "lgamma",
    "log_expit": "log_expit",
    "log_ndtr": "log_ndtr",
    "logit": "logit",
    "ndtr": "ndtr",
    "psi": "digamma",
    "rel_entr": "rel_entr",
    "xlog1py": "xlog1py",
    "xlogy": "xlogy",
}

# NumPy's of integers are integers.
OF_FLOATS = (np.fmod, np.reciprocal)

# The functions that a ufunc's reduce and accumulate are.
REDUCERS: Mapping[tuple[np.ufunc, str], Callable[..., Any]] = {
    (np.add, "accumulate"): np.cumsum,
    (np.add, "reduce"): np.sum,
    (np.logical_and, "reduce"): np.all,
    (np.logical_or, "reduce"): np.any,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.multiply, "accumulate"): np.cumprod,
    (np.multiply, "reduce"): np.prod,
}
