"""What the Array API 2024.12 asks for: its functions with their signatures, in its own groups."""

from __future__ import annotations

from collections.abc import Mapping

from muntin.array.array import API_VERSIONS

__all__ = ["ATTRIBUTES", "FUNCTIONS", "METHODS", "VALUES", "VERSION"]

VERSION = API_VERSIONS[-1]

_ONE, _TWO = "(x, /)", "(x1, x2, /)"
_LIKE = "(x, /, *, dtype=None, device=None)"
_SHAPED = "(shape, *, dtype=None, device=None)"
_REDUCED = "(x, /, *, axis=None, keepdims=False)"
_SUMMED = "(x, /, *, axis=None, dtype=None, keepdims=False)"
_SPREAD = "(x, /, *, axis=None, correction=0.0, keepdims=False)"
_RUNNING = "(x, /, *, axis=None, dtype=None, include_initial=False)"
_SORTED = "(x, /, *, axis=-1, descending=False, stable=True)"

_OF_ONE = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal round "
    "sign signbit sin sinh sqrt square tan tanh trunc"
)
_OF_TWO = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"
)

FUNCTIONS: Mapping[str, Mapping[str, str]] = {
    "Creation": {
        "arange": "(start, /, stop=None, step=1, *, dtype=None, device=None)",
        "asarray": "(obj, /, *, dtype=None, device=None, copy=None)",
        "empty": _SHAPED,
        "empty_like": _LIKE,
        "eye": "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)",
        "from_dlpack": "(x, /, *, device=None, copy=None)",
        "full": "(shape, fill_value, *, dtype=None, device=None)",
        "full_like": "(x, /, fill_value, *, dtype=None, device=None)",
        "linspace": "(start, stop, /, num, *, dtype=None, device=None, endpoint=True)",
        "meshgrid": "(*arrays, indexing='xy')",
        "ones": _SHAPED,
        "ones_like": _LIKE,
        "tril": "(x, /, *, k=0)",
        "triu": "(x, /, *, k=0)",
        "zeros": _SHAPED,
        "zeros_like": _LIKE,
    },
    "Data types": {
        "astype": "(x, dtype, /, *, copy=True, device=None)",
        "can_cast": "(from_, to, /)",
        "finfo": "(type, /)",
        "iinfo": "(type, /)",
        "isdtype": "(dtype, kind)",
        "result_type": "(*arrays_and_dtypes)",
    },
    "Elementwise": dict(
        sorted(
            {
                **dict.fromkeys(_OF_ONE.split(), _ONE),
                **dict.fromkeys(_OF_TWO.split(), _TWO),
                "clip": "(x, /, min=None, max=None)",
            }.items()
        )
    ),
    "Indexing": {
        "take": "(x, indices, /, *, axis=None)",
        "take_along_axis": "(x, indices, /, *, axis=-1)",
    },
    "Inspection": {"__array_namespace_info__": "()"},
    "Linear algebra": {
        "matmul": _TWO,
        "matrix_transpose": _ONE,
        "tensordot": "(x1, x2, /, *, axes=2)",
        "vecdot": "(x1, x2, /, *, axis=-1)",
    },
    "Manipulation": {
        "broadcast_arrays": "(*arrays)",
        "broadcast_to": "(x, /, shape)",
        "concat": "(arrays, /, *, axis=0)",
        "expand_dims": "(x, /, axis)",
        "flip": "(x, /, *, axis=None)",
        "moveaxis": "(x, source, destination, /)",
        "permute_dims": "(x, /, axes)",
        "repeat": "(x, repeats, /, *, axis=None)",
        "reshape": "(x, /, shape, *, copy=None)",
        "roll": "(x, /, shift, *, axis=None)",
        "squeeze": "(x, /, axis)",
        "stack": "(arrays, /, *, axis=0)",
        "tile": "(x, repetitions, /)",
        "unstack": "(x, /, *, axis=0)",
    },
    "Searching": {
        "argmax": _REDUCED,
        "argmin": _REDUCED,
        "count_nonzero": _REDUCED,
        "nonzero": _ONE,
        "searchsorted": "(x1, x2, /, *, side='left', sorter=None)",
        "where": "(condition, x1, x2, /)",
    },
    "Sets": dict.fromkeys(("unique_all", "unique_counts", "unique_inverse", "unique_values"), _ONE),
    "Sorting": {"argsort": _SORTED, "sort": _SORTED},
    "Statistics": {
        "cumulative_prod": _RUNNING,
        "cumulative_sum": _RUNNING,
        "max": _REDUCED,
        "mean": _REDUCED,
        "min": _REDUCED,
        "prod": _SUMMED,
        "std": _SPREAD,
        "sum": _SUMMED,
        "var": _SPREAD,
    },
    "Utilities": {
        "all": _REDUCED,
        "any": _REDUCED,
        "diff": "(x, /, *, axis=-1, n=1, prepend=None, append=None)",
    },
}

VALUES = (
    *("e", "inf", "nan", "newaxis", "pi"),
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)

ATTRIBUTES = ("dtype", "device", "mT", "ndim", "shape", "size", "T")

_BOTH_WAYS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)

METHODS: Mapping[str, str] = {
    "__array_namespace__": "(self, /, *, api_version=None)",
    "__dlpack__": "(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)",
    "to_device": "(self, device, /, *, stream=None)",
    "__getitem__": "(self, key, /)",
    **dict.fromkeys(
        (
            *("__abs__", "__bool__", "__complex__", "__dlpack_device__", "__float__", "__index__"),
            *("__int__", "__invert__", "__neg__", "__pos__"),
        ),
        "(self, /)",
    ),
    **dict.fromkeys(
        (
            *(f"__{name}__" for name in _BOTH_WAYS),
            *(f"__r{name}__" for name in _BOTH_WAYS),
            *(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge")),
        ),
        "(self, other, /)",
    ),
}
