"""What the Array API asks about element types."""

import itertools

import numpy as np
import pytest

import muntin as mt
from muntin.dtypes import DTYPES
from muntin.errors import DTypeError, ParameterError

TYPES = [row.numpy for row in DTYPES.values() if row.name != "bfloat16"]  # NumPy's own


@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype.kind == "f"], ids=str)
def test_limits_of_floats_are_numpys(dtype: np.dtype) -> None:
    limits, expected = mt.finfo(dtype), np.finfo(dtype)
    assert limits.dtype == dtype
    assert limits.bits == expected.bits
    for name in ("eps", "max", "min", "smallest_normal"):
        found = getattr(limits, name)
        assert type(found) is float
        assert found == getattr(expected, name)
    assert mt.finfo(mt.asarray(np.zeros(2, dtype))) == limits
    assert mt.finfo(np.zeros(2, dtype)) == limits


@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype.kind in "iu"], ids=str)
def test_limits_of_integers_are_numpys(dtype: np.dtype) -> None:
    limits, expected = mt.iinfo(dtype), np.iinfo(dtype)
    assert (limits.bits, limits.min, limits.max) == (expected.bits, expected.min, expected.max)
    assert limits.dtype == dtype
    assert mt.iinfo(mt.asarray(np.zeros(2, dtype)) + 1) == limits


def test_limits_of_other_types() -> None:
    with pytest.raises(DTypeError, match="finfo: got int8; it takes floating types; iinfo takes"):
        mt.finfo("int8")
    for dtype in ("bool", "float32"):
        with pytest.raises(DTypeError, match=f"iinfo: got {dtype}; it takes integer types; finfo"):
            mt.iinfo(dtype)


def test_a_cast_is_safe_where_promotion_ends_there() -> None:
    for a, b in itertools.product(TYPES, TYPES):
        assert mt.can_cast(a, b) == (np.promote_types(a, b) == b), (a, b)
    assert mt.can_cast(mt.asarray(np.zeros(2, np.uint8)), "int16")
    assert not mt.can_cast(np.zeros(2), "float32")


KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
    "real floating": "f", "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


def test_types_are_of_kinds() -> None:
    for dtype in TYPES:
        for kind, letters in KINDS.items():
            assert mt.isdtype(dtype, kind) == (dtype.kind in letters), (dtype, kind)
        for other in TYPES:
            assert mt.isdtype(dtype, other) == (dtype == other)
        assert mt.isdtype(dtype, ("bool", "numeric"))
        assert mt.isdtype(dtype, (np.complex64, "integral")) == (dtype.kind in "iu")
    with pytest.raises(ParameterError, match="isdtype: kind is 'float64'; use one of bool, signed"):
        mt.isdtype("float64", "float64")


def test_types_meet_as_numpys() -> None:
    for a, b in itertools.product(TYPES, TYPES):
        assert mt.result_type(a, b) == np.result_type(a, b)
        assert mt.result_type(mt.asarray(np.zeros(2, a)), np.zeros((1, 2), b)) == np.result_type(
            a, b
        )
        for number in (True, 2, 2.5):
            assert mt.result_type(a, number) == np.result_type(a, number)
            assert (mt.asarray(np.zeros(1, a)) * number).dtype == mt.result_type(a, number)
    assert mt.result_type("uint8", "int8", "float32") == np.float32
    assert mt.result_type(2) == np.int64


def test_what_does_not_meet() -> None:
    with pytest.raises(ParameterError, match="result_type: got nothing; give arrays, types or num"):
        mt.result_type()
    with pytest.raises(DTypeError, match="complex64"):
        mt.result_type(np.float32, np.complex64)
    with pytest.raises(DTypeError, match="dtype: 'word' is no element type"):
        mt.result_type("word")
