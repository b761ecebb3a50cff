"""Element types: a row each, found by any spelling, promoted as NumPy 2 does."""

import copy
import pickle
import re

import numpy as np
import pytest

from muntin.dtypes import DTYPES, DType, dtype_of, from_name, integer_type, promote
from muntin.errors import DTypeError

ROWS = list(DTYPES.values())
INTEGERS = [row for row in ROWS if row.is_integer]
NAMES = ", ".join(DTYPES)


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_a_row_is_numpys_type(row: DType) -> None:
    assert row.numpy.name == row.name
    assert row.itemsize == row.numpy.itemsize
    assert row.kind == (row.numpy.kind if row.name != "bfloat16" else "f")
    assert row.bits == (1 if row.is_bool else 8 * row.itemsize)
    assert [row.is_bool, row.is_integer, row.is_float].count(True) == 1
    assert repr(row) == row.name


@pytest.mark.parametrize("row", INTEGERS, ids=repr)
def test_limits_of_integers(row: DType) -> None:
    assert row.least == np.iinfo(row.numpy).min
    assert row.greatest == np.iinfo(row.numpy).max


def test_limits_of_bool() -> None:
    assert (from_name("bool").least, from_name("bool").greatest) == (0, 1)


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_every_spelling_finds_the_one_row(row: DType) -> None:
    for spelling in (row, row.name, row.numpy, row.numpy.type):
        assert dtype_of(spelling) is row
    if row.name != "bfloat16":  # it has a letter that NumPy does not know
        assert dtype_of(row.numpy.char) is row


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_a_row_stays_the_one_when_copied(row: DType) -> None:
    assert pickle.loads(pickle.dumps(row)) is row
    assert copy.deepcopy(row) is row


def test_pythons_types_are_spellings() -> None:
    assert [dtype_of(each).name for each in (bool, int, float)] == ["bool", "int64", "float64"]


@pytest.mark.parametrize("spelling", ["complex64", object, "U5", "datetime64[s]", ">i4", ">f8"])
def test_types_that_are_not_supported(spelling: object) -> None:
    message = f"dtype: {np.dtype(spelling)!r} is not supported; use one of {NAMES}"
    with pytest.raises(DTypeError, match=f"^{re.escape(message)}$"):
        dtype_of(spelling)


@pytest.mark.parametrize("spelling", ["uint9", "fast", 3, None])
def test_what_is_no_type(spelling: object) -> None:
    message = f"dtype: {spelling!r} is no element type; use one of {NAMES}"
    with pytest.raises(DTypeError, match=f"^{re.escape(message)}$"):
        dtype_of(spelling)


@pytest.mark.parametrize("a", ROWS, ids=repr)
@pytest.mark.parametrize("b", ROWS, ids=repr)
def test_promotion(a: DType, b: DType) -> None:
    assert promote(a, b).numpy == (np.zeros(1, a.numpy) + np.zeros(1, b.numpy)).dtype


@pytest.mark.parametrize(
    ("least", "greatest", "name"),
    [
        (0, 0, "uint8"),
        (0, 255, "uint8"),
        (0, 256, "uint16"),
        (-1, 127, "int8"),
        (-1, 128, "int16"),
        (-128, 0, "int8"),
        (-129, 0, "int16"),
        (-1020, 1020, "int16"),
        (0, 2**32, "uint64"),
        (-(2**63), 2**63 - 1, "int64"),
        (0, 2**64 - 1, "uint64"),
    ],
)
def test_the_narrowest_integer_type(least: int, greatest: int, name: str) -> None:
    assert integer_type(least, greatest) is from_name(name)


@pytest.mark.parametrize(("least", "greatest"), [(0, 2**64), (-1, 2**63), (-(2**63) - 1, 0)])
def test_ranges_that_no_integer_type_holds(least: int, greatest: int) -> None:
    assert integer_type(least, greatest) is None
