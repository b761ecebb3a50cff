"""The page of measured errors has every function, as it is now, and no error above the bound."""

import re

import pytest

from docs.measure_mathematics import TARGET, measured, notes
from muntin.core.graph.mathematics import FUNCTIONS

NAMES = sorted(function.name for function in FUNCTIONS)
ROWS = [
    line.strip("| \n").split(" | ")
    for line in TARGET.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
]


def test_every_function_is_listed():
    assert [re.split(r"[`(]", row[0])[1] for row in ROWS] == NAMES


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_gives_small_errors_and_what_the_docstring_says(row):
    _, single, _, double, _, said = row
    assert 0 < float(single) <= 4
    assert 0 < float(double) <= 4
    assert said == notes(re.split(r"[`(]", row[0])[1])


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_errors_are_those_of_the_page(function, dtype):
    row = ROWS[NAMES.index(function.name)]
    error, _ = measured(function, dtype)
    assert error == pytest.approx(float(row[1 if dtype == "float32" else 3]), abs=0.01)
