"""Parts of reductions are joined by machine code as NumPy joins them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.graph.folds import FOLDS
from muntin.runtime import host, parts
from tests.pointwise import same_bits


@given(data=st.data())
def test_neighbours_are_joined_first(data):
    fold = FOLDS[data.draw(st.sampled_from(["sum", "prod", "max", "argmin"]))]
    dtype = data.draw(st.sampled_from(["float32", "float64", "int32"]))
    shape = data.draw(st.tuples(st.integers(1, 70), st.integers(0, 5), st.integers(1, 3)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    run = (rng.standard_normal(shape) * 9).astype(dtype)
    if dtype != "int32":
        run[rng.random(shape) < 0.05] = rng.choice([np.nan, np.inf, -0.0])
    run = run[:, ::-1] if data.draw(st.booleans()) else run
    with np.errstate(all="ignore"):
        wanted = parts.in_pairs(fold, run)
    found = host._joined(fold, run)
    assert found.shape == wanted.shape
    assert same_bits(np.array(found), np.array(wanted))
