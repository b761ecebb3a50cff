"""Every function is within four units in the last place of what is right, everywhere."""

import numpy as np
import pytest

from muntin.core.graph.mathematics import FUNCTIONS
from muntin.core.graph.ops import OPS
from tests.reference.mathematics import CASES, errors, samples

LIMIT = 4.0
TYPES = ["float32", "float64"]
NAMES = [function.name for function in FUNCTIONS]


def test_every_function_has_its_right_values():
    assert set(CASES) == set(NAMES)


def check(name, dtype, count, seed):
    operands = samples(name, dtype, count, seed)
    got = OPS[name].reference(*operands)
    assert got.dtype == dtype
    found = errors(name, got, operands)
    worst = int(np.argmax(found))
    assert found[worst] <= LIMIT, ([each[worst] for each in operands], got[worst])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors_are_small(name, dtype):
    check(name, dtype, 150, 0)


def test_powers_half_way_between_those_of_two():
    # The second part of the logarithm moves the nearest whole one.
    operands = [np.array([0.72006774, 1.4427214], "float32"), np.array([-196.41782, -202.60303])]
    operands[1] = operands[1].astype("float32")
    got = OPS["pow"].reference(*operands)
    assert errors("pow", got, operands).max() <= 1


@pytest.mark.parametrize("name", ["logit", "rel_entr"])
def test_ratios_may_be_subnormal(name):
    tiny = np.finfo("float32").tiny
    x = np.array([tiny, tiny * 2, tiny / 2, 1e-45], "float32")
    operands = [x] if name == "logit" else [x, np.full(4, 40, "float32")]
    got = OPS[name].reference(*operands)
    assert errors(name, got, operands).max() <= LIMIT


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_errors_of_many_operands_are_small(name, dtype):
    check(name, dtype, 10_000, 1)
