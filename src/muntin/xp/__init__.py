"""The Array API's names, as one namespace: `muntin.xp`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from muntin.array.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from muntin.array.data_types import can_cast, finfo, iinfo, isdtype, result_type
from muntin.array.differences import diff
from muntin.array.elementwise import (
    abs,
    add,
    astype,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    divide,
    equal,
    floor,
    floor_divide,
    greater,
    greater_equal,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sqrt,
    square,
    subtract,
    trunc,
    where,
)
from muntin.array.joining import concat, roll, stack, tile, unstack
from muntin.array.mathematics import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    expm1,
    hypot,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    pow,
    sin,
    sinh,
    tan,
    tanh,
)
from muntin.array.matrices import (
    eye,
    tril,
    triu,
)
from muntin.array.ordering import (
    argsort,
    nonzero,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from muntin.array.products import matmul, tensordot, vecdot
from muntin.array.reductions import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from muntin.array.scans import (
    cumulative_prod,
    cumulative_sum,
)
from muntin.array.searching import searchsorted
from muntin.array.shaping import (
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
    squeeze,
)
from muntin.array.taking import (
    repeat,
    take,
    take_along_axis,
)
from muntin.dtypes import dtype_of
from muntin.xp.information import Information
from muntin.xp.standard import VERSION

__array_api_version__ = VERSION

e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi

bool = np.dtype("bool")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float16 = np.dtype("float16")  # this and bfloat16 are no types of the standard
float32 = np.dtype("float32")
float64 = np.dtype("float64")
bfloat16: np.dtype[Any]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return bfloat16, whose package is imported when it is asked for."""
        if name == "bfloat16":
            return dtype_of(name).numpy
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __array_namespace_info__() -> Information:
    """Return what tells of devices, types and capabilities."""
    return Information()


__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "divide",
    "e",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "finfo",
    "flip",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "isdtype",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
